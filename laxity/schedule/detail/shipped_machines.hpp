// The texts of the machine files that come with the library.
//
// Threads: pure functions.
// Elsewhere: the files (laxity/schedule/machines/), their format (machine_file.hpp).
#pragma once

#include <string_view>
#include <vector>

namespace laxity::schedule::detail {

struct ShippedMachine {
  std::string_view name;  ///< of the file, without its suffix
  std::string_view text;
};

[[nodiscard]] std::vector<ShippedMachine> shipped_machines();

}  // namespace laxity::schedule::detail
