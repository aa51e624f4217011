// A personal communication service: mobile telephones in cells, each with so many channels.
//
// Calls begin in a cell and need a channel for as long as they last. Whoever moves to a neighboring cell while speaking
// needs a channel there; without one the call is lost, at the beginning (blocked) or under way (dropped). Load grows from
// the left of the torus to its middle and falls again.
//
// A cell that nobody leaves is Erlang's loss system: with load a it blocks B(c, a) of the calls. With movement, calls from
// the neighbors come on top; taking them for Poisson gives one equation a cell, which fits closely.
//
// Source: C. D. Carothers, R. M. Fujimoto, Y.-B. Lin, A case study in simulating PCS networks using Time Warp (PADS 1995);
// the equations: D. Hong, S. S. Rappaport, IEEE Trans. Vehicular Technology 35 (1986). Elsewhere: runs (pcs_run.hpp).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "laxity/timewarp/context.hpp"
#include "workloads/models/exponential.hpp"

namespace laxity::models {

struct PcsOptions {
  timewarp::LpId width = 16, height = 16;  ///< cells of a torus
  std::uint32_t channels = 10;             ///< of each cell
  double duration = 3;                     ///< mean of a call, in minutes
  double stay = 6;                         ///< mean time in a cell, in minutes; infinite: nobody moves
  double least_load = 4;                   ///< Erlang: calls begun per minute × duration, in the left column
  double most_load = 9;                    ///< in the middle column
};

class Pcs {
 public:
  using Time = double;
  struct State {
    std::uint32_t busy = 0;
    std::uint64_t calls = 0, blocked = 0;       ///< begun here
    std::uint64_t hand_overs = 0, dropped = 0;  ///< come from neighbors
  };
  enum class Event : std::uint32_t { begins, comes_over, ends, moves };
  using Cell = timewarp::Context<Pcs>;

  explicit Pcs(const PcsOptions& options) : options_(options) {}

  [[nodiscard]] timewarp::LpId cells() const noexcept { return options_.width * options_.height; }
  /// Calls begun per minute.
  [[nodiscard]] double arrivals(timewarp::LpId cell) const noexcept {
    const double side = std::abs(2.0 * (cell % options_.width) / options_.width - 1);  // 1 left, 0 in the middle
    return (options_.most_load + side * (options_.least_load - options_.most_load)) / options_.duration;
  }
  /// Left, right, above, below.
  [[nodiscard]] std::array<timewarp::LpId, 4> neighbors(timewarp::LpId cell) const noexcept {
    const timewarp::LpId width = options_.width, x = cell % width, row = cell - x;
    const timewarp::LpId all = cells();
    return {row + (x + width - 1) % width, row + (x + 1) % width, (cell + all - width) % all, (cell + width) % all};
  }

  void init(Cell& cell) const {
    cell.send(cell.self(), exponential(cell.random(), arrivals(cell.self())), Event::begins);
  }

  void handle(Cell& cell, const Event& event) const {
    State& state = cell.state();
    switch (event) {
      case Event::begins:
        ++state.calls;
        state.blocked += !take_channel(cell);
        init(cell);
        break;
      case Event::comes_over:
        ++state.hand_overs;
        state.dropped += !take_channel(cell);
        break;
      case Event::ends:
        --state.busy;
        break;
      case Event::moves:
        --state.busy;
        cell.send_now(neighbors(cell.self())[cell.random().below(4)], Event::comes_over);
        break;
    }
  }

 private:
  // Exponential times have no memory: what is left of a call and of a stay is drawn anew in each cell.
  bool take_channel(Cell& cell) const {
    if (cell.state().busy == options_.channels) return false;
    ++cell.state().busy;
    const double left = exponential(cell.random(), 1 / options_.duration);
    const double stay = options_.stay * exponential(cell.random(), 1);
    cell.send(cell.self(), left < stay ? left : stay, left < stay ? Event::ends : Event::moves);
    return true;
  }

  PcsOptions options_;
};

}  // namespace laxity::models
