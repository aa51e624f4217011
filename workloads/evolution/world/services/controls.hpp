// The controls of a cardinal: from time to time they fall back to their defaults, and sometimes one is defective.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "workloads/evolution/world/services/context.hpp"

namespace laxity::evolution {

/// Controls and regulators return to their defaults; memory stays.
inline void return_to_baseline(Cell& cell) {
  for (Cardinal& cardinal : cell.cardinals) {
    std::fill_n(cardinal.state.writable.begin(), control_count, 0.F);
    cardinal.cpu.decay_regulators();
  }
}

/// Each control takes a random value with the probability of a defect, at most one of a cardinal at a time.
inline void disturb_controls(Cell& cell, ServiceContext& context) noexcept {
  const double probability = context.parameters.control_defect * static_cast<double>(control_count);
  for (Cardinal& cardinal : cell.cardinals) {
    if (context.random.unit() >= probability) continue;
    const std::size_t which = context.random.below(control_count);
    cardinal.state.writable[which] = std::bit_cast<float>(static_cast<std::uint32_t>(context.random.bits()));
  }
}

}  // namespace laxity::evolution
