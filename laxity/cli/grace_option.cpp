#include "laxity/cli/grace_option.hpp"

#include <cmath>

namespace laxity::cli {

void add_grace(Command& command, double& seconds, const std::string& group) {
  command
      .add_duration("--grace", seconds,
                    "Time for workers to end after the end of a run or Ctrl-C; then those left are killed",
                    {.min_s = 1e-3, .max_s = 86400})
      ->group(group)
      ->capture_default_str();
}

std::chrono::milliseconds grace_period(double seconds) {
  return std::chrono::milliseconds(std::llround(seconds * 1e3));
}

}  // namespace laxity::cli
