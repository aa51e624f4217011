// A personal communication service (PCS): mobile telephones in cells with a fixed number of channels each.
//
// A call needs a channel of its cell until it ends. When the caller moves to a neighboring cell, the call needs a channel
// there. A new call that finds no free channel is blocked; a hand-over that finds none is dropped. The load grows from
// the left column of the torus to its middle column and falls again.
//
// A cell without hand-overs is Erlang's loss system: at load a, c channels block the share B(c, a) of the calls. If hand-overs
// are taken for a Poisson process, each cell has one equation, and their solution is close to the simulation.
//
// Source: C. D. Carothers, R. M. Fujimoto, Y.-B. Lin, A case study in simulating PCS networks using Time Warp (PADS 1995);
// the equations: D. Hong, S. S. Rappaport, IEEE Trans. Vehicular Technology 35 (1986). Elsewhere: its runs (pcs_run.hpp).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "laxity/distributions.hpp"
#include "laxity/timewarp/collectors.hpp"
#include "laxity/timewarp/context.hpp"

namespace laxity::models {

struct PcsOptions {
  timewarp::LpId width = 16, height = 16;  ///< cells of a torus
  std::uint32_t channels = 10;             ///< of each cell
  double call_duration = 3;                ///< mean, in minutes
  double dwell_time = 6;                   ///< mean time of a caller in a cell, in minutes; infinite: nobody moves
  double min_load = 4;                     ///< of the left column in Erlang: new calls per minute × call_duration
  double max_load = 9;                     ///< of the middle column
};

class Pcs {
 public:
  using Time = double;
  struct State {
    std::uint32_t busy = 0;
    std::uint32_t found = 0;                    ///< channels that were busy before the latest event
    std::uint64_t calls = 0, blocked = 0;       ///< new calls in this cell
    std::uint64_t hand_overs = 0, dropped = 0;  ///< from neighboring cells
  };
  enum class Event : std::uint32_t { new_call, hand_over, call_end, move };
  struct Collectors {
    timewarp::Tally found;  ///< busy channels that new calls found in their cell
    void merge(const Collectors& other) { found.merge(other.found); }
  };
  using Cell = timewarp::Context<Pcs>;

  explicit Pcs(const PcsOptions& options) : options_(options) {}

  [[nodiscard]] timewarp::LpId cells() const noexcept { return options_.width * options_.height; }
  /// New calls per minute.
  [[nodiscard]] double arrivals(timewarp::LpId cell) const noexcept {
    const double side = std::abs(2.0 * (cell % options_.width) / options_.width - 1);  // 1 left, 0 in the middle
    return (options_.max_load + side * (options_.min_load - options_.max_load)) / options_.call_duration;
  }
  /// Left, right, above, below.
  [[nodiscard]] std::array<timewarp::LpId, 4> neighbors(timewarp::LpId cell) const noexcept {
    const timewarp::LpId width = options_.width, x = cell % width, row = cell - x;
    const timewarp::LpId all = cells();
    return {row + (x + width - 1) % width, row + (x + 1) % width, (cell + all - width) % all, (cell + width) % all};
  }

  void init(Cell& cell) const {
    cell.send(cell.self(), exponential(cell.random(), 1 / arrivals(cell.self())), Event::new_call);
  }

  void handle(Cell& cell, const Event& event) const {
    State& state = cell.state();
    state.found = state.busy;
    switch (event) {
      case Event::new_call:
        ++state.calls;
        state.blocked += !take_channel(cell);
        init(cell);
        break;
      case Event::hand_over:
        ++state.hand_overs;
        state.dropped += !take_channel(cell);
        break;
      case Event::call_end:
        --state.busy;
        break;
      case Event::move:
        --state.busy;
        cell.send_now(neighbors(cell.self())[cell.random().below(4)], Event::hand_over);
        break;
    }
  }

  void commit(const timewarp::Committed<Pcs>& cell, const Event& event) const {
    if (event == Event::new_call) cell.collectors().found.add(cell.state().found);
  }

 private:
  // Exponential times are memoryless, so the remaining call duration and the dwell time are drawn anew in each cell.
  bool take_channel(Cell& cell) const {
    if (cell.state().busy == options_.channels) return false;
    ++cell.state().busy;
    const double remaining = exponential(cell.random(), options_.call_duration);
    const double dwell = exponential(cell.random(), options_.dwell_time);
    cell.send(cell.self(), remaining < dwell ? remaining : dwell, remaining < dwell ? Event::call_end : Event::move);
    return true;
  }

  PcsOptions options_;
};

}  // namespace laxity::models
