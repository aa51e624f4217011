#include "laxity/launch/pacing.hpp"

#include <algorithm>
#include <string>

#include "laxity/error.hpp"

namespace laxity {

std::string_view name_of(PacingMode mode) noexcept {
  switch (mode) {
    case PacingMode::every_update:
      return "every_update";
    case PacingMode::rolling:
      return "rolling";
    case PacingMode::fixed:
      return "fixed";
    case PacingMode::none:
      return "none";
    case PacingMode::isolated:
      return "isolated";
  }
  return "unknown";
}

PacingMode mode_of(std::string_view text) {
  std::string name(text);
  std::ranges::replace(name, '-', '_');
  if (name == "best_effort") return PacingMode::none;
  for (const PacingMode mode : all_modes)
    if (name == name_of(mode) || text == std::to_string(static_cast<int>(mode))) return mode;
  throw UsageError("no such mode: '" + std::string(text) +
                   "'; the modes are 0 every-update, 1 rolling, 2 fixed, 3 best-effort or none, 4 isolated");
}

void check(const PacingOptions& options) {
  if (options.rolling_ns <= 0)
    throw UsageError("the time between rolling barriers must be positive, not " + std::to_string(options.rolling_ns) +
                     " ns");
  if (options.fixed_ns <= 0)
    throw UsageError("the time between fixed barriers must be positive, not " + std::to_string(options.fixed_ns) +
                     " ns");
}

}  // namespace laxity
