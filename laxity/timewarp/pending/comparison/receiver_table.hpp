// Numbers the receivers that a pending-event set has seen 0, 1, 2, ...: a worker owns few of the 2^32 possible ones.
//
// Open addressing with linear probing, at most half full; hashing by Knuth, The Art of Computer Programming 3, 6.4
// (multiplication by the golden ratio), which spreads contiguous and strided numbers evenly.
//
// Threads: one. Receivers are never forgotten.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "laxity/timewarp/key.hpp"

namespace laxity::timewarp {

class ReceiverTable {
 public:
  /// How many receivers were seen.
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }

  /// The number of this receiver, size() before the call if it is new.
  [[nodiscard]] std::uint32_t number_of(LpId receiver) {
    Slot* slot = &slot_of(receiver);
    if (slot->number == none) {
      if (2 * (std::size_t{size_} + 1) > slots_.size()) {
        grow();
        slot = &slot_of(receiver);
      }
      *slot = {receiver, size_++};
    }
    return slot->number;
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  struct Slot {
    LpId receiver = 0;
    std::uint32_t number = none;
  };

  // The receiver's slot, or the free one where it belongs.
  Slot& slot_of(LpId receiver) noexcept {
    const int unused_bits = 64 - std::countr_zero(slots_.size());
    std::size_t at = (receiver * std::uint64_t{0x9e3779b97f4a7c15}) >> unused_bits;
    while (slots_[at].number != none && slots_[at].receiver != receiver) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number != none) slot_of(slot.receiver) = slot;
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(64);  // a power of two
  std::uint32_t size_ = 0;
};

}  // namespace laxity::timewarp
