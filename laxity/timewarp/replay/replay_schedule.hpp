// An adversarial schedule of virtual workers, derived from a seed: which worker takes the next turn, and which messages
// arrive before it.
//
// The schedule consists of phases of random length. In a phase some workers are preferred and others starve; for every
// pair of workers messages arrive at once, one by one, in bursts, or not at all. This causes many rollbacks, as workers
// run ahead while messages to them are in flight.
//
// Invariants: the same seed gives the same schedule on every host; every eighth phase is fair, so that each worker
// takes a turn and each message arrives within a bounded number of turns. Threads: one.
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

  /// The number of messages between two workers, of `in_flight` >= 1, that arrive before the turn of next_worker().
  [[nodiscard]] std::size_t arriving(int from, int to, std::size_t in_flight);

 private:
  enum class Delivery : std::uint8_t { at_once, one_by_one, bursts, not_at_all };

  void begin_phase();
  [[nodiscard]] bool chance(std::uint32_t one_in) { return random_.below(one_in) == 0; }

  int workers_;
  SeededRandom random_;
  std::uint64_t phases_ = 0;
  std::uint32_t remaining_turns_ = 0;
  bool fair_ = true;
  std::vector<std::uint32_t> weights_;  // by worker
  std::uint32_t total_weight_ = 0;
  std::vector<Delivery> deliveries_;  // by pair of workers
};

}  // namespace laxity::timewarp
