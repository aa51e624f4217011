#include "laxity/collective/benchmark/arrival_block.hpp"

namespace laxity::collective {

std::vector<DelayedCall> delayed_calls(const ArrivalBlock& block, int processes,
                                       const std::vector<double>& no_delay_s) {
  std::vector<DelayedCall> calls;
  for (std::size_t at = 0; at < no_delay_s.size(); ++at) {
    for (const SkewPolicy& skew : block.skews) {
      for (const Pattern pattern : block.patterns) {
        if (pattern == Pattern::no_delay) continue;
        calls.push_back({at, make_pattern(pattern, processes, skew.skew_s(no_delay_s, at), block.seed)});
      }
    }
    for (const ArrivalPattern& pattern : block.custom_patterns) calls.push_back({at, pattern});
  }
  return calls;
}

ArrivalCell simulated_cell(ArrivalCell cell, double last_delay_us, double total_delay_us) {
  cell.repetitions = {{.turn = 0, .valid = true, .last_delay_us = last_delay_us, .total_delay_us = total_delay_us}};
  return cell;
}

}  // namespace laxity::collective
