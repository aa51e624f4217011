// A progress line: the fraction of a long task that is done, and the estimated time until it ends.
//
// On a terminal the line is redrawn at most ten times a second. Otherwise a line is printed every half minute, so that logs
// stay short. The supervisor draws it, never a worker: a progress bar in the update would cost more than the update.
#pragma once

#include <cstdint>
#include <string>

#include "laxity/clock/clock.hpp"

namespace laxity::cli {

class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// `fraction` of the work is done, in [0, 1]; `what` names the present step.
  void show(double fraction, const std::string& what);
  /// Erases the line, so that something else can be printed.
  void clear();

 private:
  SteadyClock clock_;
  bool quiet_;
  bool terminal_;
  bool shown_ = false;
  std::int64_t begin_ns_;
  std::int64_t last_ns_;
};

/// "45 s", "3 min 20 s", "2 h 5 min"
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace laxity::cli
