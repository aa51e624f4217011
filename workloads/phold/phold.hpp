// PHOLD: a fixed number of events that wander among logical processes; the benchmark of parallel event simulation.
//
// Every process starts with `events_per_lp` events; every event sends one. Two shapes: continuous (exponential delays,
// no two events at one time) and batch (integer times, most delays equal to the minimum, so that about
// `events_per_lp` events of a process share each time). Receivers: anywhere, in a range around the sender (config 1 of
// the source), or so that a given share goes to another part of the processes (config 2).
//
// Source: Fujimoto, Performance of Time Warp under synthetic workloads (1990); the configurations of D. M. Rao,
// Performance comparison of Cross Memory Attach capable MPI vs. multithreaded optimistic parallel simulations (SIGSIM-PADS 2018).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "laxity/random.hpp"
#include "laxity/timewarp/context.hpp"
#include "laxity/timewarp/state/state_saving.hpp"

namespace laxity::phold {

using timewarp::LpId;

enum class Shape { continuous, batch };
enum class Receivers { uniform, range, remote };

struct Options {
  LpId logical_processes = 10'000;  ///< a torus, numbered row by row
  int events_per_lp = 20;
  double mean_delay = 10;  ///< of the exponential part, in units of simulated time
  double min_delay = 1;    ///< added to the exponential part of every delay; a whole number in the batch shape
  Receivers receivers = Receivers::uniform;
  LpId range = 100;                                 ///< config 1: receivers lie less than half of it away
  double remote = 0.1;                              ///< config 2: the share of events sent to another part, in [0, 1]
  LpId parts = 2;                                   ///< config 2: contiguous parts of equal size, usually one a worker
  std::uint64_t until_handled = ~std::uint64_t{0};  ///< the run ends when a process has handled this number of events
};

/// 40 bytes.
struct Event {
  std::uint64_t hops;
  std::array<std::uint64_t, 4> baggage;
};

struct State {
  std::uint64_t handled = 0;
  std::uint64_t sum = 0;  ///< of what the events carried: makes lost and invented events visible
};

/// The way of saving states is the model's; here it is a parameter, to compare them.
template <Shape shape, timewarp::StateSaving saving = timewarp::StateSaving::copy>
class Phold {
 public:
  static constexpr timewarp::StateSaving state_saving = saving;
  using Time = std::conditional_t<shape == Shape::continuous, double, std::int64_t>;
  using Event = phold::Event;
  using Random = SeededRandom;  // cheaper than RandomStream, which matters in events of some dozen nanoseconds
  using State = phold::State;
  using Context = timewarp::Context<Phold>;

  explicit Phold(const Options& options) : options_(options) {
    part_size_ = (options.logical_processes + options.parts - 1) / options.parts;
  }

  void init(Context& lp) const {
    for (int i = 0; i < options_.events_per_lp; ++i) {
      lp.send(lp.self(), delay(lp), {0, {lp.self(), static_cast<std::uint64_t>(i), 0, 0}});
    }
  }

  void handle(Context& lp, const Event& event) const {
    State& state = lp.state();
    ++state.handled;
    state.sum += event.baggage[0] ^ event.hops;
    const Time after = delay(lp);  // drawn before the receiver: the order of evaluation of arguments is unspecified
    lp.send(receiver(lp), after, {event.hops + 1, event.baggage});
  }

  [[nodiscard]] bool ends(LpId, const State& state) const { return state.handled >= options_.until_handled; }
  [[nodiscard]] Time lookahead() const {
    return options_.until_handled == ~std::uint64_t{0} ? static_cast<Time>(options_.min_delay) : Time{0};
  }

  void reverse(Context& lp, const Event& event) const {
    State& state = lp.state();
    --state.handled;
    state.sum -= event.baggage[0] ^ event.hops;
  }

 private:
  [[nodiscard]] Time delay(Context& lp) const {
    const double drawn = -options_.mean_delay * std::log(1.0 - lp.random().unit());
    if constexpr (shape == Shape::continuous) {
      return options_.min_delay + drawn;
    } else {
      return static_cast<Time>(options_.min_delay) + static_cast<Time>(drawn);
    }
  }

  [[nodiscard]] LpId receiver(Context& lp) const {
    const LpId all = options_.logical_processes;
    switch (options_.receivers) {
      case Receivers::uniform:
        return lp.random().below(all);
      case Receivers::range: {
        // k - x/2 < d < k + x/2 with wrap-around
        const LpId half = options_.range / 2;
        const LpId width = half == 0 ? 1 : 2 * half - 1;
        const LpId shift = lp.random().below(width);
        return static_cast<LpId>((std::uint64_t{lp.self()} + all + shift - (width / 2)) % all);
      }
      case Receivers::remote:
        return in_part(lp);
    }
    return lp.self();
  }

  [[nodiscard]] LpId in_part(Context& lp) const {
    const LpId first = lp.self() / part_size_ * part_size_;
    const LpId own = std::min(part_size_, options_.logical_processes - first);
    const LpId others = options_.logical_processes - own;
    if (others == 0 || lp.random().unit() >= options_.remote) return first + lp.random().below(own);
    const LpId other = lp.random().below(others);
    return other < first ? other : other + own;
  }

  Options options_;
  LpId part_size_;
};

}  // namespace laxity::phold
