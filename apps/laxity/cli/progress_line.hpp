// One line that says how far long work is and how long it will still take.
//
// On a terminal the line is redrawn at most ten times a second; elsewhere a line is printed every half minute, so that
// logs stay short. Drawing is the supervisor's work, never a worker's: a progress bar in the update costs more than the
// update.
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

  /// `fraction` of all work that is done, in [0, 1], and what is being done.
  void show(double fraction, const std::string& what);
  /// Takes the line away, so that something else can be printed.
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
