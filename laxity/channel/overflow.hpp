// What a channel does with a message when its buffer is full, and the ring that implements it.
//
// Elsewhere: the rings themselves (transport/).
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "laxity/transport/any_transport.hpp"
#include "laxity/transport/latest_slot.hpp"
#include "laxity/transport/overwriting_ring.hpp"
#include "laxity/transport/spsc_ring.hpp"

namespace laxity {

enum class Overflow {
  drop_newest,  ///< the put is refused; accepted messages are delivered in order
  drop_oldest,  ///< the oldest undelivered message is overwritten
  latest,       ///< only the newest message is kept, whatever the depth
};

[[nodiscard]] constexpr std::string_view to_string(Overflow overflow) noexcept {
  constexpr std::string_view names[] = {"drop_newest", "drop_oldest", "latest"};
  return names[static_cast<int>(overflow)];
}

[[nodiscard]] constexpr std::optional<Overflow> overflow_named(std::string_view name) noexcept {
  for (auto overflow : {Overflow::drop_newest, Overflow::drop_oldest, Overflow::latest})
    if (to_string(overflow) == name) return overflow;
  return std::nullopt;
}

/// Calls `visit.template operator()<Ring>()` with the ring type that implements the policy.
template <class Visit>
decltype(auto) with_ring(Overflow overflow, Visit&& visit) {
  switch (overflow) {
    case Overflow::drop_oldest:
      return visit.template operator()<OverwritingRing>();
    case Overflow::latest:
      return visit.template operator()<LatestSlot>();
    case Overflow::drop_newest:
      break;
  }
  return visit.template operator()<SpscRing>();
}

}  // namespace laxity
