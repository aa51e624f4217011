// Numbers the receivers of the events in a pending-event set 0, 1, 2, ..., since a worker owns few of the 2^32 possible
// ones.
//
// A hash table with open addressing and linear probing, at most half full. Source of the hash function: Knuth, The Art
// of Computer Programming 3, 6.4 (multiplication by the golden ratio), which spreads contiguous and strided numbers
// evenly.
//
// Invariant: a receiver keeps its number; receivers are never removed. Threads: one.
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
  /// Number of receivers in the table.
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }

  /// The number of this receiver; a new receiver gets the next one.
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

  // The slot of the receiver, or the free slot in which it would be stored.
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
