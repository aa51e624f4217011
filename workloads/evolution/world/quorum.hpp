// How a cell estimates the size of its kin group: every cell sets one random bit of 64, the bits spread among kin, and the
// number of known bits is the size.
//
// Source: the quorum counting of DISHTINY, whose pairs of cells alternate requests and answers, so that one lost message stops
// them for ever, and which forgets dead cells by a list of recently withdrawn bits, which fails if messages are late. Here every
// message carries the whole state that matters to the neighbor, so that the next one replaces a lost one; and a bit that has
// been withdrawn is learned again only when no cell depends on the withdrawn knowledge (the diffusing computation of Dijkstra
// and Scholten, Information Processing Letters 11, 1980).
//
// Invariants: a known bit is the own one or was learned from exactly one neighbor, its parent. The parents of a bit lead to its
// owner and never form a cycle, because a cell that loses its parent finds another one only after its children have let go of
// the bit; so the bits of dead cells vanish, whatever is lost or late.
// The estimate is biased low by cells that draw the same bit: 12 cells read as 11.0 on average, 24 as 20.1, 36 as 27.7.
// Threads: one.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "laxity/random.hpp"

namespace laxity::evolution {

inline constexpr std::size_t directions = 4;  ///< of a cell's neighbors on the torus

/// Counts round trips with all four neighbors, by sequence numbers that each side echoes. Belongs to a place of the torus, and
/// survives the cells that live there.
class RoundTrips {
 public:
  /// What a message carries besides its contents.
  struct Stamp {
    std::uint32_t sequence;  ///< of the sender's messages
    std::uint32_t echo;      ///< newest sequence number that the sender has seen from the receiver
  };

  [[nodiscard]] Stamp stamp(std::size_t direction) const noexcept { return {sequence_, seen_[direction]}; }

  /// Takes the stamps of the newest messages, once per update. True: another round trip with every neighbor is complete.
  bool receive(const std::array<Stamp, directions>& stamps) noexcept {
    ++sequence_;
    bool complete = true;
    for (std::size_t i = 0; i < directions; ++i) {
      seen_[i] = stamps[i].sequence;
      complete = complete && static_cast<std::int32_t>(stamps[i].echo - begin_) >= 0;  // sequence numbers may wrap
    }
    if (complete) begin_ = sequence_;
    return complete;
  }

 private:
  std::uint32_t sequence_ = 1;  // of the next messages
  std::uint32_t begin_ = 1;     // of the first messages of this round trip
  std::array<std::uint32_t, directions> seen_{};
};

/// The quorum of one cell at one kin level.
class Quorum {
 public:
  /// A set of bits, one per cell of the group.
  using Bits = std::uint64_t;

  /// What a cell tells a neighbor. A receiver that is no kin takes `known` for 0.
  struct Message {
    Bits known = 0;      ///< but not those that were learned from the receiver
    Bits dependent = 0;  ///< learned from the receiver, and still known or being withdrawn here or further on
  };

  /// Starts anew, as the only known cell of its group, and withdraws what the cell before has spread.
  void found(SeededRandom& random) noexcept {
    waiting_ |= own_;
    for (std::size_t i = 0; i < directions; ++i) withdraw(i, learned_[i]);
    const Bits taken = leaving();
    do own_ = Bits{1} << random.below(64);
    while ((own_ & taken) != 0 && taken != ~Bits{0});
  }

  [[nodiscard]] Message message_to(std::size_t direction) const noexcept {
    return {known() & ~learned_[direction], learned_[direction] | lost_[direction]};
  }

  /// Takes the newest message of every neighbor, once per update. `round_trip_complete` is what RoundTrips says.
  void receive(const std::array<Message, directions>& messages, bool round_trip_complete) noexcept {
    Bits children = 0;
    for (std::size_t i = 0; i < directions; ++i) {
      withdraw(i, learned_[i] & ~messages[i].known);
      children |= messages[i].dependent;
    }
    if (round_trip_complete) {
      noticed_ |= announced_;
      announced_ = std::exchange(waiting_, 0);
    }
    const Bits done = noticed_ & ~children;
    noticed_ &= ~done;
    for (Bits& lost : lost_) lost &= ~done;
    for (std::size_t i = 0; i < directions; ++i) learned_[i] |= messages[i].known & ~known() & ~leaving();
  }

  [[nodiscard]] Bits known() const noexcept {
    Bits bits = own_;
    for (const Bits learned : learned_) bits |= learned;
    return bits;
  }
  /// Estimated number of cells of the group, at least 1 once founded.
  [[nodiscard]] int size() const noexcept { return std::popcount(known()); }

 private:
  void withdraw(std::size_t direction, Bits bits) noexcept {
    learned_[direction] &= ~bits;
    lost_[direction] |= bits;
    waiting_ |= bits;
  }
  [[nodiscard]] Bits leaving() const noexcept { return waiting_ | announced_ | noticed_; }

  Bits own_ = 0;
  std::array<Bits, directions> learned_{};  // from each neighbor
  std::array<Bits, directions> lost_{};     // learned from each neighbor, withdrawn, and still leaving
  // Bits that are being withdrawn:
  Bits waiting_ = 0;    // for the next round trip to begin
  Bits announced_ = 0;  // during this round trip
  Bits noticed_ = 0;    // by all neighbors; leaving as long as a neighbor depends on them
};

}  // namespace laxity::evolution
