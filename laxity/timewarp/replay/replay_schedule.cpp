#include "laxity/timewarp/replay/replay_schedule.hpp"

#include <numeric>

namespace laxity::timewarp {

namespace {
constexpr std::uint64_t phases_until_fair = 8;
constexpr std::uint32_t max_turns = 100;
constexpr std::uint32_t max_turns_of_long = 1000;
}  // namespace

ReplaySchedule::ReplaySchedule(int workers, std::uint64_t seed)
    : workers_(workers),
      random_(seed),
      weights_(static_cast<std::size_t>(workers)),
      deliveries_(static_cast<std::size_t>(workers) * static_cast<std::size_t>(workers)) {}

int ReplaySchedule::next_worker() {
  if (remaining_turns_ == 0) begin_phase();
  --remaining_turns_;
  if (fair_) return static_cast<int>(remaining_turns_ % static_cast<std::uint32_t>(workers_));
  std::uint32_t drawn = random_.below(total_weight_);
  int worker = 0;
  while (drawn >= weights_[static_cast<std::size_t>(worker)]) drawn -= weights_[static_cast<std::size_t>(worker++)];
  return worker;
}

std::size_t ReplaySchedule::arriving(int from, int to, std::size_t in_flight) {
  const auto link = static_cast<std::size_t>(from) * static_cast<std::size_t>(workers_) + static_cast<std::size_t>(to);
  switch (deliveries_[link]) {
    case Delivery::at_once:
      return in_flight;
    case Delivery::one_by_one:
      return chance(2) ? 1 : 0;
    case Delivery::bursts:
      return chance(16) ? in_flight : 0;
    case Delivery::not_at_all:
      return 0;
  }
  return 0;
}

void ReplaySchedule::begin_phase() {
  fair_ = ++phases_ % phases_until_fair == 0;
  remaining_turns_ = 1 + random_.below(chance(16) ? max_turns_of_long : max_turns);
  if (fair_) remaining_turns_ += 2 * static_cast<std::uint32_t>(workers_);
  constexpr std::uint32_t choices[] = {0, 1, 1, 8};
  do {
    for (std::uint32_t& weight : weights_) weight = choices[random_.below(4)];
    total_weight_ = std::accumulate(weights_.begin(), weights_.end(), 0U);
  } while (total_weight_ == 0);
  for (Delivery& delivery : deliveries_) {
    delivery = fair_ ? Delivery::at_once : static_cast<Delivery>(random_.below(4));
  }
}

}  // namespace laxity::timewarp
