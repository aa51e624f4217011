#include "apps/smpi_ranks/snapshots.hpp"

#include <algorithm>

namespace laxity {

Moments::Moments(std::int64_t begin_ns, std::int64_t duration_ns, std::int64_t window_ns)
    : next_ns_(begin_ns), last_ns_(begin_ns - 1), window_ns_(window_ns) {
  if (window_ns == 0 || window_ns > duration_ns) return;
  next_ns_ += duration_ns % window_ns / 2;
  last_ns_ = next_ns_ + duration_ns / window_ns * window_ns;
}

bool Moments::has_come(std::int64_t now_ns) noexcept {
  if (next_ns_ > last_ns_ || now_ns < next_ns_) return false;
  next_ns_ += window_ns_;
  return true;
}

std::vector<LinkSnapshot> snapshots_of(const std::vector<std::vector<RankObservation>>& ranks) {
  std::size_t observations = ranks.front().size();
  for (const auto& rank : ranks) observations = std::min(observations, rank.size());
  std::vector<LinkSnapshot> snapshots;
  for (std::size_t after = 1; after < observations; ++after) {
    for (std::size_t from = 0; from < ranks.size(); ++from) {
      const RankObservation& sender0 = ranks[from][after - 1];
      const RankObservation& sender1 = ranks[from][after];
      for (const auto& [key, counts] : sender1.links) {
        if (key.from_worker != from) continue;
        const RankObservation& receiver0 = ranks[key.to_worker][after - 1];
        const RankObservation& receiver1 = ranks[key.to_worker][after];
        snapshots.push_back({.snapshot = static_cast<int>(after - 1),
                             .key = key,
                             .neighbor_kind = key.to_worker == from ? NeighborKind::same_thread : NeighborKind::host,
                             .channels = counts.channels,
                             .answered = true,
                             .sender_before = sender0.worker,
                             .sender_after = sender1.worker,
                             .receiver_before = receiver0.worker,
                             .receiver_after = receiver1.worker,
                             .inlet_before = sender0.links.at(key).inlet,
                             .inlet_after = counts.inlet,
                             .outlet_before = receiver0.links.at(key).outlet,
                             .outlet_after = receiver1.links.at(key).outlet});
      }
    }
  }
  return snapshots;
}

}  // namespace laxity
