#include "apps/laxity/models/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "apps/laxity/timewarp/print.hpp"

namespace laxity::cli {

void print_comparisons(const timewarp::Engine& engine, std::uint64_t seed, const models::ComparedRun& run) {
  fmt::print("{}", run_text(engine, seed, run.total(), run.seconds));
  if (engine.options.worker.digest) fmt::print(", digest {:016x}", run.digest);
  fmt::print("\n");
  constexpr std::size_t max_rows = 12;
  for (const models::Comparison& comparison : run.comparisons) {
    fmt::print("  {:>18} {:>18} {:>18}   ({})\n", comparison.by, "simulated", "in theory", comparison.quantity);
    const std::size_t step = std::max<std::size_t>(1, comparison.points.size() / max_rows);
    double simulated = 0, expected = 0;
    for (std::size_t i = 0; i < comparison.points.size(); ++i) {
      const models::Compared& point = comparison.points[i];
      simulated += point.simulated;
      expected += point.expected;
      if (i % step == 0) fmt::print("  {:>18.4g} {:>18.5g} {:>18.5g}\n", point.x, point.simulated, point.expected);
    }
    if (expected > 0) fmt::print("  over all, simulated ÷ theory = {:.4f}\n", simulated / expected);
  }
}

}  // namespace laxity::cli
