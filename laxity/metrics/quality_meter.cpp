#include "laxity/metrics/quality_meter.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "laxity/error.hpp"
#include "laxity/metrics/quality_of_service.hpp"

namespace laxity {
namespace {

// Largest number of updates between two clock readings, in case updates become slower.
constexpr double max_updates_between_readings = 1024;

}  // namespace

std::vector<WatchedLink> links_of_worker(const CounterTable& table, std::uint32_t worker) {
  std::vector<WatchedLink> links;
  table.for_each_link([&](const LinkKey& key, LinkRow& row) {
    const bool sends = key.from_worker == worker, receives = key.to_worker == worker;
    if (sends == receives) return;  // not a link of this worker, or a link within it
    const std::uint32_t other = sends ? key.to_worker : key.from_worker;
    const NeighborKind kind = row.neighbor_kind.load(std::memory_order_relaxed);
    const Counter* updates = kind == NeighborKind::host ? nullptr : &table.worker(static_cast<int>(other)).updates;
    links.push_back({key.layer, other, kind, sends ? &row.inlet : nullptr, receives ? &row.outlet : nullptr, updates});
  });
  return links;
}

QualityMeter::QualityMeter(std::int64_t window_ns) : window_ns_(window_ns) {
  if (window_ns <= 0) throw UsageError("a window of " + std::to_string(window_ns) + " ns: must be longer than 0");
}

void QualityMeter::watch(std::span<const WatchedLink> links) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Link> by_neighbor;
  for (const WatchedLink& row : links) {
    Link& link = by_neighbor[{row.layer, row.neighbor}];
    link.rows.push_back(row);
    if (row.outlet != nullptr) ++link.receiving;
  }
  links_.clear();
  seen_.clear();
  for (auto& [place, link] : by_neighbor) {
    seen_.push_back({.layer = place.first, .neighbor = place.second, .neighbor_kind = link.rows[0].neighbor_kind});
    links_.push_back(std::move(link));
  }
  quality_.links = seen_;
  has_begun_ = false;
  next_reading_ = 0;
}

void QualityMeter::update(std::uint64_t updates, std::int64_t now_ns) noexcept {
  const WorkerObservation now{now_ns, updates};
  const bool is_over = has_begun_ && updates > before_.updates && window_ns(before_, now) >= window_ns_;
  if (is_over) end_window(now);
  if (is_over || !has_begun_) begin_window(now);
  next_reading_ = updates + updates_left(now);
}

void QualityMeter::end_window(const WorkerObservation& now) noexcept {
  ++quality_.window;
  quality_.simstep_period_ns = simstep_period_ns(before_, now);
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Link& link = links_[i];
    const Counts& before = link.before;
    const Counts counts = link.now(now.time_ns);
    LinkQuality& seen = seen_[i];
    seen.delivery_failure_rate = delivery_failure_rate(before.inlet, counts.inlet);
    seen.delivery_clumpiness = delivery_clumpiness(before.outlet, counts.outlet);
    if (link.receiving != 0) {
      seen.simstep_latency_updates =
          simstep_latency_updates(before_, now, before.outlet, counts.outlet, link.receiving);
      seen.walltime_latency_ns = walltime_latency_ns(before_, now, before.outlet, counts.outlet, link.receiving);
    }
    if (link.rows.front().neighbor_updates != nullptr)
      seen.neighbor_period_ns = simstep_period_ns(before.neighbor, counts.neighbor);
  }
}

void QualityMeter::begin_window(const WorkerObservation& now) noexcept {
  has_begun_ = true;
  before_ = now;
  for (Link& link : links_) link.before = link.now(now.time_ns);
}

// The number of updates that fit into the rest of the window, at its rate so far or else at that of the last window.
std::uint64_t QualityMeter::updates_left(const WorkerObservation& now) const noexcept {
  const double period_ns = now.updates > before_.updates ? simstep_period_ns(before_, now) : quality_.simstep_period_ns;
  if (period_ns == 0) return 1;
  const double left = static_cast<double>(window_ns_ - window_ns(before_, now)) / period_ns;
  return static_cast<std::uint64_t>(std::clamp(left, 1.0, max_updates_between_readings));
}

QualityMeter::Counts QualityMeter::Link::now(std::int64_t now_ns) const noexcept {
  Counts counts;
  for (const WatchedLink& row : rows) {
    if (row.inlet != nullptr) {
      counts.inlet.attempted += row.inlet->attempted.read();
      counts.inlet.refused += row.inlet->refused.read();
    }
    if (row.outlet != nullptr) {
      const OutletObservation outlet = observe(*row.outlet);
      counts.outlet.pulls += outlet.pulls;
      counts.outlet.laden += outlet.laden;
      counts.outlet.received += outlet.received;
      counts.outlet.touches += outlet.touches;
    }
  }
  if (const Counter* const updates = rows.front().neighbor_updates; updates != nullptr)
    counts.neighbor = {now_ns, updates->read()};
  return counts;
}

}  // namespace laxity
