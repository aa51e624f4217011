// Optimism control: a time window that limits how far beyond GVT a worker processes events.
//
// Events far beyond GVT are more likely to be rolled back; waiting wastes time. Three controls:
//  - none: the window is infinite;
//  - adaptive: the window is the running mean of the distances from GVT at which rollbacks occurred, from the 100th
//    rollback on. The distance of an event that has to wait counts as a sample too, so that the window opens again;
//  - scale_free: independent of the unit of time. The window becomes half of the distance that was used if less than 66
//    % of the events since the last adaptation were kept, and doubles if more than 95 % were.
//
// Source: adaptive: D. M. Rao, Performance comparison of Cross Memory Attach capable MPI vs. multithreaded optimistic
// parallel simulations (SIGSIM-PADS 2018), algorithm 1. Threads: one window per worker, local information only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace laxity::timewarp {

enum class Optimism { none, adaptive, scale_free };

class TimeWindow {
 public:
  explicit TimeWindow(Optimism control) noexcept : control_(control) {}

  /// Whether an event `ahead` >= 0 units of simulated time beyond GVT may be processed now; at GVT it always may.
  [[nodiscard]] bool permits(double ahead) noexcept {
    if (ahead <= window_ || ahead <= 0) {
      furthest_ = std::max(furthest_, ahead);
      return true;
    }
    if (control_ == Optimism::adaptive) {
      add_sample(ahead);
      window_ = mean_;
    }
    return false;
  }

  /// A straggler `ahead` units beyond GVT has caused a rollback.
  void rolled_back(double ahead) noexcept {
    if (control_ != Optimism::adaptive) return;
    add_sample(ahead);
    if (samples_ > 100) window_ = mean_;
  }

  /// A GVT round has ended. The numbers of events processed and rolled back since the previous round.
  void new_gvt(std::uint64_t processed, std::uint64_t rolled_back) noexcept {
    processed_ += processed;
    rolled_back_ += rolled_back;
    if (control_ != Optimism::scale_free || processed_ < enough) return;
    const double kept = 1 - static_cast<double>(rolled_back_) / static_cast<double>(processed_);
    // If furthest_ is 0, all rollbacks were among events at GVT, which no window prevents.
    if (kept < 0.66 && furthest_ > 0) window_ = std::min(window_, furthest_) / 2;
    if (kept > 0.95) window_ *= 2;
    processed_ = rolled_back_ = 0;
    furthest_ = 0;
  }

  /// The window in units of simulated time; infinite while no event is throttled.
  [[nodiscard]] double width() const noexcept { return window_; }

 private:
  void add_sample(double ahead) noexcept {
    ++samples_;
    mean_ += (ahead - mean_) / static_cast<double>(samples_);
  }

  static constexpr std::uint64_t enough = 16384;  // events of one adaptation; fewer would make it random

  Optimism control_;
  double window_ = std::numeric_limits<double>::infinity();
  double furthest_ = 0;  // distance processed since the last adaptation
  double mean_ = 0;
  std::uint64_t samples_ = 0;
  std::uint64_t processed_ = 0;
  std::uint64_t rolled_back_ = 0;
};

}  // namespace laxity::timewarp
