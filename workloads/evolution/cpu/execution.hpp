// How the virtual CPU executes instructions: one switch over decoded steps.
//
// Elsewhere: what each instruction does, in words (instruction.cpp); scheduling and matching (virtual_cpu.hpp).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "workloads/evolution/cpu/virtual_cpu.hpp"

namespace laxity::evolution {
namespace detail {

[[nodiscard]] inline std::uint32_t bits_of(float value) noexcept { return std::bit_cast<std::uint32_t>(value); }
[[nodiscard]] inline float float_of(std::uint32_t bits) noexcept { return std::bit_cast<float>(bits); }
[[nodiscard]] inline float truth(bool value) noexcept { return value ? 1.F : 0.F; }

// Shifted left by a positive number of bits, right by a negative one, rounded toward 0; by 32 or more: 0; by NaN: unchanged.
[[nodiscard]] inline float shifted(float value, float by) noexcept {
  if (std::isnan(by)) return value;
  const int distance = static_cast<int>(std::clamp(by, -32.F, 32.F));
  const std::uint64_t bits = bits_of(value);
  return float_of(static_cast<std::uint32_t>(distance >= 0 ? bits << distance : bits >> -distance));
}

// Instructions that calculate with registers only: a from b, c or itself.
[[gnu::always_inline]] inline void calculate(Opcode opcode, float& a, float b, float c) noexcept {
  using enum Opcode;
  switch (opcode) {
    case add:
      a = b + c;
      break;
    case divide:
      a = b / c;
      break;
    case modulo:
      a = std::fmod(b, c);
      break;
    case multiply:
      a = b * c;
      break;
    case subtract:
      a = b - c;
      break;
    case bitwise_and:
      a = float_of(bits_of(b) & bits_of(c));
      break;
    case bitwise_not:
      a = float_of(~bits_of(b));
      break;
    case bitwise_or:
      a = float_of(bits_of(b) | bits_of(c));
      break;
    case bitwise_shift:
      a = shifted(b, c);
      break;
    case bitwise_xor:
      a = float_of(bits_of(b) ^ bits_of(c));
      break;
    case count_ones:
      a = static_cast<float>(std::popcount(bits_of(b)));
      break;
    case equal:
      a = truth(b == c);
      break;
    case greater_than:
      a = truth(b > c);
      break;
    case less_than:
      a = truth(b < c);
      break;
    case logical_and:
      a = truth(b != 0 && c != 0);
      break;
    case logical_or:
      a = truth(b != 0 || c != 0);
      break;
    case not_equal:
      a = truth(b != c);
      break;
    case decrement:
      a -= 1;
      break;
    case increment:
      a += 1;
      break;
    case negate:
      a = -a;
      break;
    case logical_not:
      a = truth(a == 0);
      break;
    default:
      break;  // the other instructions (VirtualCpu::run_slice)
  }
}

[[nodiscard]] inline float probability_of_tag(Tag tag) noexcept { return static_cast<float>(tag) / 0x1p64F; }

}  // namespace detail

template <class Change>
void VirtualCpu::change_global(Tag tag, JumpTable table, Change change) {
  const int anchor = match_global_unregulated(tag, table);
  if (anchor >= 0) regulators_[static_cast<std::size_t>(table)].change(anchor, last_version_, change);
}

template <class Change>
void VirtualCpu::change_local(Core& core, Tag tag, Change change) {
  const int anchor = match_local_unregulated(core, tag);
  if (anchor >= 0) core.regulators.change(anchor, change);
}

template <Peripheral P>
std::uint64_t VirtualCpu::run(int slices, P& peripheral, SeededRandom& random) {
  std::uint64_t executed = 0;
  for (; slices > 0 && !order_.empty(); --slices) {
    if (turn_ >= order_.size()) turn_ = 0;
    const Slice slice = run_slice(cores_[order_[turn_]], peripheral, random);
    executed += slice.instructions;
    if (slice.ended) {
      end_core();
    } else {
      ++turn_;
    }
  }
  return executed;
}

template <Peripheral P>
VirtualCpu::Slice VirtualCpu::run_slice(Core& core, P& peripheral, SeededRandom& random) {
  const auto length = static_cast<std::uint32_t>(slice_length_);
  if constexpr (!TracingPeripheral<P>) {
    return execute(core, length, peripheral, random);
  } else {  // one by one, so that the loop of a run knows nothing of tracing
    const auto number = static_cast<int>(&core - cores_.data());
    for (std::uint32_t executed = 1; executed <= length; ++executed) {
      const std::size_t position = core.position < program_->size() ? core.position : 0;
      const bool ended = execute(core, 1, peripheral, random).ended;
      peripheral.executed(number, position, core.registers, ended);
      if (ended) return {executed, true};
    }
    return {length, false};
  }
}

template <Peripheral P>
VirtualCpu::Slice VirtualCpu::execute(Core& core, std::uint32_t length, P& peripheral, SeededRandom& random) {
  using enum Opcode;
  using detail::truth;
  const LoadedProgram::Step* const steps = program_->steps();
  const LoadedProgram::Step* step = steps + core.position;
  Registers& r = core.registers;
  const auto tag = [&] { return program_->tag(static_cast<std::size_t>(step - steps)); };
  // The jumps go to the step before the anchor, because every instruction is followed by ++step.
  const auto jump_global = [&] {
    const int anchor = match_global(tag(), JumpTable::internal);
    if (anchor < 0) return false;
    step = steps + program_->global_anchors(JumpTable::internal)[static_cast<std::size_t>(anchor)].position - 1;
    core.module = Core::no_module;
    core.regulators.reset();
    return true;
  };
  const auto jump_local = [&] {
    const int anchor = match_local(core, tag());
    if (anchor < 0) return;
    const auto anchors = program_->local_anchors(static_cast<std::size_t>(core.module));
    step = steps + anchors[static_cast<std::size_t>(anchor)].position - 1;
  };
  const auto get_global = [&](JumpTable table) {
    const int anchor = match_global_unregulated(tag(), table);
    if (anchor >= 0) r[step->a] = regulator(table, anchor).state();
  };
  for (std::uint32_t left = length; left > 0; --left, ++step) {
    float& a = r[step->a];
    const auto adjust = [&](Regulator& regulator) { regulator.adjust(a); };
    const auto decay = [&](Regulator& regulator) { regulator.decay(a); };
    const auto set = [&](Regulator& regulator) { regulator.set(a); };
    const auto end = [&] { return Slice{length - left + 1, true}; };
    switch (static_cast<Opcode>(step->opcode)) {
      case fork_if:
        if (a != 0 && core.fork_count < Core::max_forks)
          core.forks[core.fork_count++] = static_cast<std::uint16_t>(step - steps);
        break;
      case nop_a:
      case nop_b:
      case nop_c:
      case local_anchor:
        break;
      case terminate_if:
        if (a != 0) return end();
        break;
      case global_anchor:
        if (core.module != Core::no_module && !program_->local_anchors(static_cast<std::size_t>(core.module)).empty()) {
          return end();
        }
        core.module = step->number();
        break;
      case global_jump_if:
        if (a != 0 && !jump_global()) return end();
        break;
      case global_jump_if_not:
        if (a == 0 && !jump_global()) return end();
        break;
      case global_regulator_adjust:
        change_global(tag(), JumpTable::internal, adjust);
        break;
      case global_regulator_decay:
        change_global(tag(), JumpTable::internal, decay);
        break;
      case global_regulator_get:
        get_global(JumpTable::internal);
        break;
      case global_regulator_set:
        change_global(tag(), JumpTable::internal, set);
        break;
      case local_jump_if:
        if (a != 0) jump_local();
        break;
      case local_jump_if_not:
        if (a == 0) jump_local();
        break;
      case local_regulator_adjust:
        change_local(core, tag(), adjust);
        break;
      case local_regulator_decay:
        change_local(core, tag(), decay);
        break;
      case local_regulator_get:
        if (const int anchor = match_local_unregulated(core, tag()); anchor >= 0) {
          a = core.regulators.get(anchor).state();
        }
        break;
      case local_regulator_set:
        change_local(core, tag(), set);
        break;
      case random_fill:
        a = detail::float_of(static_cast<std::uint32_t>(random.bits()));
        break;
      case random_bool:
        a = truth(random.unit() < detail::probability_of_tag(tag()));
        break;
      case random_draw:
        a = constant_of_tag(random.bits());
        break;
      case load_constant:
        a = program_->constant(*step);
        break;
      case exposed_regulator_adjust:
        change_global(tag(), JumpTable::exposed, adjust);
        break;
      case exposed_regulator_decay:
        change_global(tag(), JumpTable::exposed, decay);
        break;
      case exposed_regulator_get:
        get_global(JumpTable::exposed);
        break;
      case exposed_regulator_set:
        change_global(tag(), JumpTable::exposed, set);
        break;
      case add_to_own_state:
        peripheral.add_to_own_state(tag(), a);
        break;
      case broadcast_in_cell_if:
        if (a != 0) peripheral.broadcast_in_cell(tag(), r);
        break;
      case multiply_own_state:
        peripheral.multiply_own_state(tag(), a);
        break;
      case read_neighbor_state:
        a = peripheral.read_neighbor_state(tag());
        break;
      case read_own_state:
        a = peripheral.read_own_state(tag());
        break;
      case send_to_neighbor_if:
        if (a != 0) peripheral.send_to_neighbor(tag(), r);
        break;
      case send_in_cell_if:
        if (a != 0) peripheral.send_in_cell(unsigned{step->a} + step->b + step->c, tag(), r);
        break;
      case write_own_state_if:
        if (a != 0) peripheral.write_own_state(tag(), a);
        break;
      default:
        if (step->opcode == LoadedProgram::wrap_step) {
          step = steps - 1;
          ++left;
        } else {
          detail::calculate(static_cast<Opcode>(step->opcode), a, r[step->b], r[step->c]);
        }
    }
  }
  core.position = static_cast<std::uint32_t>(step - steps);
  return {length, false};
}

}  // namespace laxity::evolution
