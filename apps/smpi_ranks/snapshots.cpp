#include "apps/smpi_ranks/snapshots.hpp"

#include <algorithm>
#include <utility>

namespace laxity {

ObservationTimes::ObservationTimes(std::int64_t begin_ns, std::int64_t duration_ns, std::int64_t window_ns)
    : next_ns_(begin_ns), last_ns_(begin_ns - 1), window_ns_(window_ns) {
  if (window_ns == 0 || window_ns > duration_ns) return;
  next_ns_ += duration_ns % window_ns / 2;
  last_ns_ = next_ns_ + duration_ns / window_ns * window_ns;
}

bool ObservationTimes::is_due(std::int64_t now_ns) noexcept {
  if (next_ns_ > last_ns_ || now_ns < next_ns_) return false;
  next_ns_ += window_ns_;
  return true;
}

namespace {

// One observation of all ranks. Each rank counted its own ends of its links.
LinkObservations join(const std::vector<std::vector<RankObservation>>& ranks, std::size_t number) {
  LinkObservations links;
  for (std::size_t from = 0; from < ranks.size(); ++from) {
    const RankObservation& sender = ranks[from][number];
    for (const auto& [key, counts] : sender.links) {
      if (key.from_worker != from) continue;
      const RankObservation& receiver = ranks[key.to_worker][number];
      links[key] = {.neighbor_kind = key.to_worker == from ? NeighborKind::same_thread : NeighborKind::host,
                    .channels = counts.channels,
                    .answered = true,
                    .sender = sender.worker,
                    .receiver = receiver.worker,
                    .inlet = counts.inlet,
                    .outlet = receiver.links.at(key).outlet};
    }
  }
  return links;
}

}  // namespace

std::vector<LinkSnapshot> snapshots_of(const std::vector<std::vector<RankObservation>>& ranks) {
  std::size_t observations = ranks.front().size();
  for (const auto& rank : ranks) observations = std::min(observations, rank.size());
  std::vector<LinkSnapshot> snapshots;
  LinkObservations before;
  for (std::size_t number = 0; number < observations; ++number) {
    LinkObservations after = join(ranks, number);
    if (number > 0) add_snapshots(snapshots, static_cast<int>(number) - 1, before, after);
    before = std::move(after);
  }
  return snapshots;
}

}  // namespace laxity
