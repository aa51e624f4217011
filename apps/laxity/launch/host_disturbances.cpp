#include "apps/laxity/launch/host_disturbances.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "laxity/clock/clock_identity.hpp"

namespace laxity::cli {

template <class T>
std::vector<T> HostDisturbances::of_all_ranks(const T& mine) const {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(ranks_, mine);
  if (ranks_ > 1) allgather_(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}

HostDisturbances::HostDisturbances(Ranks* ranks)
    : team_(ranks != nullptr && !ranks->has_lost_a_rank() ? ranks : nullptr),
      rank_(team_ != nullptr ? static_cast<std::size_t>(team_->map().rank) : 0),
      ranks_(team_ != nullptr ? static_cast<std::size_t>(team_->map().ranks()) : 1),
      allgather_([this](auto mine, auto of_all) { team_->allgather(mine, of_all); }),
      meter_(meter_of_this_host()) {}

HostDisturbances::HostDisturbances(int rank, int ranks, Allgather allgather)
    : rank_(static_cast<std::size_t>(rank)),
      ranks_(static_cast<std::size_t>(ranks)),
      allgather_(std::move(allgather)),
      meter_(meter_of_this_host()) {}

// Also finds the leaders.
DisturbanceMeter HostDisturbances::meter_of_this_host() {
  struct Place {
    ClockIdentity machine;
    cpu_set_t processors;
  };
  const std::vector<Place> places = of_all_ranks(Place{steady_clock_identity(), usable_processors()});
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    const auto same = [&](const Place& other) {
      return other.machine == places[rank].machine && other.machine != unshared_clock;
    };
    const auto first = std::ranges::find_if(places, same);
    leaders_.push_back(first == places.end() ? rank : static_cast<std::size_t>(first - places.begin()));
  }
  cpu_set_t processors = places[rank_].processors;
  for (std::size_t rank = 0; rank < ranks_; ++rank)
    if (leaders_[rank] == leaders_[rank_]) CPU_OR(&processors, &processors, &places[rank].processors);
  return DisturbanceMeter(processors);
}

std::vector<Disturbance> HostDisturbances::since_begin() const {
  if (team_ != nullptr && team_->has_lost_a_rank()) return {meter_.since_begin()};
  const std::vector<std::int64_t> cpu_ns = of_all_ranks(meter_.own_cpu_ns());
  std::int64_t cpu_ns_here = 0;
  for (std::size_t rank = 0; rank < ranks_; ++rank)
    if (leaders_[rank] == leaders_[rank_]) cpu_ns_here += cpu_ns[rank];
  const std::vector<Disturbance> of_rank = of_all_ranks(meter_.since_begin(cpu_ns_here));
  std::vector<Disturbance> of_host;
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    if (leaders_[rank] != rank) continue;
    Disturbance host = of_rank[rank];
    for (std::size_t other = rank + 1; other < ranks_; ++other)
      if (leaders_[other] == rank) host.involuntary_switches += of_rank[other].involuntary_switches;
    of_host.push_back(host);
  }
  return of_host;
}

}  // namespace laxity::cli
