// Snapshots of links: what the two ends of a directed link counted between two observations.
//
// Threads: plain values and pure functions.
// Elsewhere: taking observations (observer.hpp), the metrics of a snapshot (quality_of_service.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "laxity/metrics/observation.hpp"

namespace laxity {

/// Both ends of a link, or of one channel, in one observation.
struct LinkObservation {
  NeighborKind neighbor_kind = NeighborKind::same_thread;
  std::uint32_t channels = 0;  ///< that share the link
  bool answered = false;       ///< both workers answered; else counters were read while their worker was running
  WorkerObservation sender{}, receiver{};
  InletObservation inlet{};
  OutletObservation outlet{};
};
using LinkObservations = std::map<LinkKey, LinkObservation>;

/// One link, or several channels of one directed link summed, in one snapshot.
struct LinkSnapshot {
  int snapshot = 0;  ///< number of the window, from 0; a window without observations leaves its number unused
  LinkKey key{};     ///< channel is 0 where channels were summed
  NeighborKind neighbor_kind = NeighborKind::same_thread;
  std::uint32_t channels = 0;         ///< that share the link
  std::uint32_t summed_channels = 1;  ///< rows of the counter table that were summed
  bool answered = false;              ///< both workers answered in both observations
  WorkerObservation sender_before{}, sender_after{};
  WorkerObservation receiver_before{}, receiver_after{};
  InletObservation inlet_before{}, inlet_after{};
  OutletObservation outlet_before{}, outlet_after{};
};

/// The snapshot between two observations of a link.
[[nodiscard]] LinkSnapshot make_snapshot(int number, const LinkKey& key, const LinkObservation& before,
                                         const LinkObservation& after);

/// Appends the snapshots of all links that both observations have, in the order of their keys.
void add_snapshots(std::vector<LinkSnapshot>& snapshots, int number, const LinkObservations& before,
                   const LinkObservations& after);

/// Sums the channels between the same two workers in the same layer: one entry per snapshot and directed link, in
/// order.
[[nodiscard]] std::vector<LinkSnapshot> sum_channels(const std::vector<LinkSnapshot>& snapshots);

}  // namespace laxity
