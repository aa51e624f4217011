// A model that verifies that payloads are received unchanged.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "laxity/error.hpp"
#include "laxity/timewarp/context.hpp"

namespace laxity::timewarp {

template <std::size_t words>
struct Block {
  std::array<std::uint64_t, words> of;
};

// Parcels wander among processes; each word of a parcel depends on its number of hops.
template <std::size_t words>
struct Post {
  using Time = double;
  struct State {
    std::uint64_t sum = 0;
    std::uint64_t handled = 0;
  };
  using Event = Block<words>;
  std::uint64_t until_handled = ~std::uint64_t{0};

  void init(Context<Post>& lp) const {
    for (int i = 0; i < 4; ++i) send(lp, lp.random().bits());
  }
  void handle(Context<Post>& lp, const Event& event) const {
    State& state = lp.state();
    ++state.handled;
    for (std::size_t i = 0; i < words; ++i) {
      if (event.of[i] != event.of[0] + i) throw Error("a parcel was opened");
      state.sum += event.of[i];
    }
    send(lp, event.of[0] + state.sum);
  }
  [[nodiscard]] bool ends(LpId, const State& state) const { return state.handled >= until_handled; }

 private:
  static void send(Context<Post>& lp, std::uint64_t first) {
    Event event;
    for (std::size_t i = 0; i < words; ++i) event.of[i] = first + i;
    lp.send(lp.random().below(lp.logical_processes()), lp.random().unit() + 1e-3, event);
  }
};

}  // namespace laxity::timewarp
