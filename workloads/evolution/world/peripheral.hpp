// What the programs of a cell reach: the states of their cardinal and its neighbor, and messages.
//
// A program reads 44 own states (controls, memory, facts) and 61 of the neighbor (the same, its ids, and comparisons with the
// own cell), and writes 17 (controls and memory); a tag selects one, modulo their number.
// Threads: one worker.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "workloads/evolution/cpu/peripheral.hpp"
#include "workloads/evolution/world/cell.hpp"
#include "workloads/evolution/world/states.hpp"

namespace laxity::evolution {

class CardinalPeripheral {
 public:
  static constexpr std::size_t own_count = CardinalState::writable_count + fact_count;
  static constexpr std::size_t compared_count = 7;
  static constexpr std::size_t neighbor_count = own_count + 2 * CardinalState::id_count + compared_count;

  /// `neighbor` is the state that the neighbor's cardinal has shown last. Messages to it go to `sent`.
  CardinalPeripheral(Cell& cell, std::size_t direction, const CardinalState& neighbor, std::vector<SentPacket>& sent,
                     SentPacket::Sender sender, std::uint32_t max_messages) noexcept
      : cell_(cell),
        own_(cell.cardinals[direction]),
        direction_(direction),
        neighbor_(neighbor),
        sent_(sent),
        sender_(sender),
        max_messages_(max_messages) {}

  [[nodiscard]] float read_own_state(Tag tag) const noexcept { return readable(own_.state, tag % own_count); }

  [[nodiscard]] float read_neighbor_state(Tag tag) const noexcept {
    std::size_t which = tag % neighbor_count;
    if (which < own_count) return readable(neighbor_, which);
    which -= own_count;
    if (which < neighbor_.id_halves.size()) return static_cast<float>(neighbor_.id_halves[which]) * 0x1p-32F;
    return compared(which - neighbor_.id_halves.size());
  }

  void write_own_state(Tag tag, float value) noexcept { writable(tag) = value; }
  void add_to_own_state(Tag tag, float value) noexcept { writable(tag) += value; }
  void multiply_own_state(Tag tag, float value) noexcept { writable(tag) *= value; }

  void send_to_neighbor(Tag tag, const Registers& registers) {
    if (own_.messages_sent == max_messages_) return;  // lost, as a launch without a free core
    ++own_.messages_sent;
    sent_.push_back({sender_, {tag, registers}});
  }
  void send_in_cell(unsigned cardinal, Tag tag, const Registers& registers) {
    deliver(cell_.cardinals[cardinal % directions], tag, registers);
  }
  void broadcast_in_cell(Tag tag, const Registers& registers) {
    for (std::size_t i = 0; i < directions; ++i) {
      if (i != direction_) deliver(cell_.cardinals[i], tag, registers);
    }
  }

 private:
  [[nodiscard]] static float readable(const CardinalState& state, std::size_t which) noexcept {
    constexpr std::size_t writable = CardinalState::writable_count;
    return which < writable ? state.writable[which] : state.facts[which - writable];
  }
  [[nodiscard]] float& writable(Tag tag) noexcept { return own_.state.writable[tag % CardinalState::writable_count]; }

  [[nodiscard]] float compared(std::size_t which) const noexcept {
    const CardinalState& own = own_.state;
    switch (which) {
      case 0:
      case 1:
        return are_kin(own, neighbor_, which) ? 1 : 0;
      case 2:
        return own.id(CardinalState::lineage) == neighbor_.id(CardinalState::lineage) ? 1 : 0;
      case 3:
        return own.fact(Fact::stockpile) - neighbor_.fact(Fact::stockpile);
      case 4:
        return own.fact(Fact::age) - neighbor_.fact(Fact::age);
      case 5:
        return own.fact(Fact::generations) - neighbor_.fact(Fact::generations);
      default:
        return own.fact(Fact::group_size_0) - neighbor_.fact(Fact::group_size_0);
    }
  }

  // A cardinal keeps as many messages as it could launch.
  static void deliver(Cardinal& to, Tag tag, const Registers& registers) {
    if (to.inbox.size() < to.inbox.capacity()) to.inbox.push_back({tag, registers});
  }

  Cell& cell_;
  Cardinal& own_;
  std::size_t direction_;
  const CardinalState& neighbor_;
  std::vector<SentPacket>& sent_;
  SentPacket::Sender sender_;
  std::uint32_t max_messages_;
};
static_assert(Peripheral<CardinalPeripheral>);
static_assert(CardinalPeripheral::own_count == 44 && CardinalPeripheral::neighbor_count == 61);

}  // namespace laxity::evolution
