// When workers synchronize: the five asynchronicity modes.
//
// | mode | name         | the workers synchronize                                               |
// |------|--------------|-----------------------------------------------------------------------|
// | 0    | every_update | after each update                                                     |
// | 1    | rolling      | when a fixed time has passed since the end of the last barrier        |
// | 2    | fixed        | at fixed points of wall time, such as every second of the epoch       |
// | 3    | none         | never: best effort                                                    |
// | 4    | isolated     | never, and they do not communicate either (communicates() is false)   |
//
// Source: Moreno, Rodriguez Papa, Ofria, "Best-effort communication improves performance ...", II-C (modes 0 to 4).
// Invariants: no worker waits at a barrier that another one skips. In mode 2 workers wait by the number of the point: a
// worker that reads its clock late waits at the newer point, and one that starts after a point counts as having reached
// it.
// Threads: one pacer per worker. Elsewhere: the barrier (barrier.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "laxity/clock/clock.hpp"
#include "laxity/clock/tsc_clock.hpp"
#include "laxity/launch/barrier.hpp"

namespace laxity {

enum class PacingMode : int { every_update = 0, rolling = 1, fixed = 2, none = 3, isolated = 4 };

inline constexpr std::array all_modes{PacingMode::every_update, PacingMode::rolling, PacingMode::fixed,
                                      PacingMode::none, PacingMode::isolated};

[[nodiscard]] std::string_view name_of(PacingMode mode) noexcept;
/// The mode of a number "0" to "4" or of a name, in which a hyphen stands for an underscore; "best-effort" is none.
/// Throws UsageError.
[[nodiscard]] PacingMode mode_of(std::string_view text);
/// False only for isolated: nothing is sent between workers while they are timed.
[[nodiscard]] constexpr bool communicates(PacingMode mode) noexcept { return mode != PacingMode::isolated; }

struct PacingOptions {
  PacingMode mode = PacingMode::none;
  std::int64_t rolling_ns = 10'000'000;   ///< mode 1: time from the end of a barrier to the next one
  std::int64_t fixed_ns = 1'000'000'000;  ///< mode 2: barriers at multiples of this time since the clock's zero
};

/// Throws UsageError unless both times are positive.
void check(const PacingOptions& options);

/// Makes one worker synchronize with the others as its mode says. Its destructor leaves the barrier, so that nobody
/// waits for a worker that is done. The clock must be the same for all workers; mode 2 needs a clock with a common
/// zero.
template <Clock C = EpochClock>
class Pacer {
 public:
  Pacer(const PacingOptions& options, BarrierMember barrier, C clock = C{})
      : options_(options), barrier_(barrier), clock_(std::move(clock)) {
    check(options);
    if (options_.mode == PacingMode::rolling) next_barrier_ns_ = clock_.now_ns() + options_.rolling_ns;
    if (options_.mode == PacingMode::fixed) {
      point_ = point_now();
      barrier_.announce(point_);  // so that nobody waits for this worker at an earlier point
    }
  }
  Pacer(const Pacer&) = delete;
  Pacer& operator=(const Pacer&) = delete;
  ~Pacer() { barrier_.leave(); }

  /// Waits for the other workers if the mode demands it. Modes 1 and 2 read the clock at each call (about 15 ns); the
  /// others never do. False: a worker was lost and the team is ending.
  [[nodiscard]] bool after_update() noexcept {
    switch (options_.mode) {
      case PacingMode::every_update:
        ++synchronizations_;
        return barrier_.arrive_and_wait();
      case PacingMode::rolling:
        return after_rolling_update();
      case PacingMode::fixed:
        return after_fixed_update();
      case PacingMode::none:
      case PacingMode::isolated:
        break;
    }
    return true;
  }

  [[nodiscard]] PacingMode mode() const noexcept { return options_.mode; }
  /// The number of times this worker has waited for the others.
  [[nodiscard]] std::uint64_t synchronizations() const noexcept { return synchronizations_; }

 private:
  [[nodiscard]] std::uint64_t point_now() const noexcept {
    return static_cast<std::uint64_t>(clock_.now_ns() / options_.fixed_ns);
  }

  [[nodiscard]] bool after_rolling_update() noexcept {
    if (clock_.now_ns() < next_barrier_ns_) return true;
    ++synchronizations_;
    const bool whole = barrier_.arrive_and_wait();
    next_barrier_ns_ = clock_.now_ns() + options_.rolling_ns;
    return whole;
  }

  [[nodiscard]] bool after_fixed_update() noexcept {
    const std::uint64_t point = point_now();
    if (point <= point_) return true;
    point_ = point;
    ++synchronizations_;
    return barrier_.reach(point);
  }

  PacingOptions options_;
  BarrierMember barrier_;
  C clock_;
  std::int64_t next_barrier_ns_ = 0;  // mode 1
  std::uint64_t point_ = 0;           // mode 2: the last point reached
  std::uint64_t synchronizations_ = 0;
};

}  // namespace laxity
