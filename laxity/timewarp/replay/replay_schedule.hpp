// Which of several virtual workers takes the next turn, and which messages arrive before it: an adversary whose every
// decision comes from a seed.
//
// It has moods of some turns each. A mood prefers some workers and starves others; over every pair of workers messages
// arrive at once, one by one, in bursts, or not at all. Rollbacks come from just that: a worker that runs ahead while
// what was sent to it lies under way.
//
// Invariants: the same seed gives the same decisions on every machine; every eighth mood is fair, so that each worker
// gets a turn and each message arrives within a bounded number of turns. Threads: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "laxity/random.hpp"

namespace laxity::timewarp {

class ReplaySchedule {
 public:
  ReplaySchedule(int workers, std::uint64_t seed);

  /// The worker that takes the next turn.
  [[nodiscard]] int next_worker();

  /// How many of `under_way` messages (1 or more) between two workers arrive before the turn that was drawn last.
  [[nodiscard]] std::size_t arriving(int from, int to, std::size_t under_way);

 private:
  enum class Delivery : std::uint8_t { at_once, one_by_one, bursts, not_at_all };

  void new_mood();
  [[nodiscard]] bool chance(std::uint32_t one_in) { return random_.below(one_in) == 0; }

  int workers_;
  SeededRandom random_;
  std::uint64_t moods_ = 0;
  std::uint32_t turns_left_ = 0;
  bool fair_ = true;
  std::vector<std::uint32_t> weights_;  // of each worker
  std::uint32_t weight_of_all_ = 0;
  std::vector<Delivery> deliveries_;  // of each pair
};

}  // namespace laxity::timewarp
