// What a virtual CPU can reach outside itself.
//
// Threads: a peripheral is called by the thread that runs its CPU.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>

#include "workloads/evolution/cpu/instruction.hpp"

namespace laxity::evolution {

using Registers = std::array<float, register_count>;

/// States and messages of a cell, selected by tags. The peripheral takes a tag modulo the number of its states.
template <class P>
concept Peripheral = requires(P& peripheral, Tag tag, float value, const Registers& registers, unsigned cardinal) {
  { peripheral.read_own_state(tag) } noexcept -> std::same_as<float>;
  { peripheral.read_neighbor_state(tag) } noexcept -> std::same_as<float>;
  { peripheral.write_own_state(tag, value) } noexcept;
  { peripheral.add_to_own_state(tag, value) } noexcept;
  { peripheral.multiply_own_state(tag, value) } noexcept;
  { peripheral.send_to_neighbor(tag, registers) };
  { peripheral.send_in_cell(cardinal, tag, registers) };
  { peripheral.broadcast_in_cell(tag, registers) };
};

/// A peripheral that is told of every executed instruction: the registers after it, and whether it has ended its core.
template <class P>
concept TracingPeripheral = requires(P& peripheral, int core, std::size_t position, const Registers& registers,
                                     bool ended) { peripheral.executed(core, position, registers, ended); };

/// A CPU that is alone: states are 0 and messages go nowhere.
struct NoPeripheral {
  [[nodiscard]] static float read_own_state(Tag) noexcept { return 0; }
  [[nodiscard]] static float read_neighbor_state(Tag) noexcept { return 0; }
  static void write_own_state(Tag, float) noexcept {}
  static void add_to_own_state(Tag, float) noexcept {}
  static void multiply_own_state(Tag, float) noexcept {}
  static void send_to_neighbor(Tag, const Registers&) noexcept {}
  static void send_in_cell(unsigned, Tag, const Registers&) noexcept {}
  static void broadcast_in_cell(Tag, const Registers&) noexcept {}
};
static_assert(Peripheral<NoPeripheral>);

}  // namespace laxity::evolution
