// How far beyond GVT a worker may go.
//
// Processing far ahead risks work that is taken back; waiting wastes time. Three controls:
//  - none: never waits;
//  - adaptive: waits beyond the running mean of the distances from GVT at which rollbacks struck, known after 100 of
//    them; an event that has to wait counts as a sample too, so the window cannot close for good;
//  - scale_free: needs no unit of time: the window is cut to half of what was used when less than 66 % of the
//    work since the last judgement was kept, and doubles when more than 95 % was.
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

  /// Whether an event `ahead` units of time beyond GVT may be processed now; ahead >= 0, and 0 always may.
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

  /// A rollback struck an event `ahead` units beyond GVT.
  void rolled_back(double ahead) noexcept {
    if (control_ != Optimism::adaptive) return;
    add_sample(ahead);
    if (samples_ > 100) window_ = mean_;
  }

  /// A GVT round has ended, since the last of which so many events were processed and so many taken back.
  void new_gvt(std::uint64_t processed, std::uint64_t rolled_back) noexcept {
    processed_ += processed;
    rolled_back_ += rolled_back;
    if (control_ != Optimism::scale_free || processed_ < enough) return;
    const double kept = 1 - static_cast<double>(rolled_back_) / static_cast<double>(processed_);
    // Rollbacks among events of GVT's own time are not the window's fault.
    if (kept < 0.66 && furthest_ > 0) window_ = std::min(window_, furthest_) / 2;
    if (kept > 0.95) window_ *= 2;
    processed_ = rolled_back_ = 0;
    furthest_ = 0;
  }

  /// Units of simulated time; infinite while nothing is held back.
  [[nodiscard]] double width() const noexcept { return window_; }

 private:
  void add_sample(double ahead) noexcept {
    ++samples_;
    mean_ += (ahead - mean_) / static_cast<double>(samples_);
  }

  static constexpr std::uint64_t enough = 16384;  // events; a judgement on fewer would follow chance

  Optimism control_;
  double window_ = std::numeric_limits<double>::infinity();
  double furthest_ = 0;
  double mean_ = 0;
  std::uint64_t samples_ = 0;
  std::uint64_t processed_ = 0;
  std::uint64_t rolled_back_ = 0;
};

}  // namespace laxity::timewarp
