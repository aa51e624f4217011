#include "laxity/timewarp/replay/replay_schedule.hpp"

#include <numeric>

namespace laxity::timewarp {

namespace {
constexpr std::uint64_t moods_until_fair = 8;
constexpr std::uint32_t usual_turns = 100;
constexpr std::uint32_t long_turns = 1000;
}  // namespace

ReplaySchedule::ReplaySchedule(int workers, std::uint64_t seed)
    : workers_(workers),
      random_(seed),
      weights_(static_cast<std::size_t>(workers)),
      deliveries_(static_cast<std::size_t>(workers) * static_cast<std::size_t>(workers)) {}

int ReplaySchedule::next_worker() {
  if (turns_left_ == 0) new_mood();
  --turns_left_;
  if (fair_) return static_cast<int>(turns_left_ % static_cast<std::uint32_t>(workers_));
  std::uint32_t drawn = random_.below(weight_of_all_);
  int worker = 0;
  while (drawn >= weights_[static_cast<std::size_t>(worker)]) drawn -= weights_[static_cast<std::size_t>(worker++)];
  return worker;
}

std::size_t ReplaySchedule::arriving(int from, int to, std::size_t under_way) {
  const auto link = static_cast<std::size_t>(from) * static_cast<std::size_t>(workers_) + static_cast<std::size_t>(to);
  switch (deliveries_[link]) {
    case Delivery::at_once:
      return under_way;
    case Delivery::one_by_one:
      return chance(2) ? 1 : 0;
    case Delivery::bursts:
      return chance(16) ? under_way : 0;
    case Delivery::not_at_all:
      return 0;
  }
  return 0;
}

void ReplaySchedule::new_mood() {
  fair_ = ++moods_ % moods_until_fair == 0;
  turns_left_ = 1 + random_.below(chance(16) ? long_turns : usual_turns);
  if (fair_) turns_left_ += 2 * static_cast<std::uint32_t>(workers_);
  constexpr std::uint32_t likings[] = {0, 1, 1, 8};
  do {
    for (std::uint32_t& weight : weights_) weight = likings[random_.below(4)];
    weight_of_all_ = std::accumulate(weights_.begin(), weights_.end(), 0U);
  } while (weight_of_all_ == 0);
  for (Delivery& delivery : deliveries_) {
    delivery = fair_ ? Delivery::at_once : static_cast<Delivery>(random_.below(4));
  }
}

}  // namespace laxity::timewarp
