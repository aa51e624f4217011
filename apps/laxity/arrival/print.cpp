#include "apps/laxity/arrival/print.hpp"

#include <iostream>

#include "apps/laxity/tune/print.hpp"
#include "laxity/collective/patterns/pattern_file.hpp"
#include "laxity/collective/selection/arrival_table.hpp"
#include "laxity/collective/selection/selection.hpp"

namespace laxity::cli {

void print_choices_of(const std::filesystem::path& directory) {
  const auto measurements = collective::read_arrival_table(directory);
  if (measurements.empty()) {
    std::cout << "no repetition was valid: use fewer processes, a larger --tolerance, or an idle machine\n";
    return;
  }
  print_choices(select_algorithms(measurements, collective::application_pattern), measurements.front().library,
                std::cout);
}

}  // namespace laxity::cli
