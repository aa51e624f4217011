// A run of n workers in one thread, replayed bit by bit from a seed.
//
// Workers make their updates at moments of virtual time: each worker has a mean period, and every update is longer or
// shorter by a random fraction. The order of updates and the faults and delays of the links are functions of the seed
// alone.
// Invariants: equal arguments give equal runs on every machine; virtual time never decreases.
// Threads: one.
// Elsewhere: the faults (transport/impaired.hpp), links in real time (worker_connector.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

#include "laxity/clock/clock.hpp"
#include "laxity/mesh/connector.hpp"
#include "laxity/mesh/layers/aligned_vector.hpp"
#include "laxity/metrics/quality_meter.hpp"
#include "laxity/random.hpp"
#include "laxity/transport/impaired.hpp"

namespace laxity {

struct ReplayOptions {
  std::uint32_t workers = 1;
  std::uint64_t seed = 1;
  std::int64_t period_ns = 1000;      ///< mean virtual time of an update
  double jitter = 0.5;                ///< an update takes period * (1 - jitter + 2 * jitter * u), u uniform in [0, 1)
  std::vector<double> slowness = {};  ///< factor on the period of each worker, at most max_slowness; empty: 1 for all
  Faults faults = {};                 ///< faults of every link between workers
  std::int64_t quality_window_ns = QualityMeter::default_window_ns;  ///< window of the workers' quality of service
  static constexpr double max_slowness = 1e6;
};

/// What an impaired link has lost.
struct ReplayedLosses {
  std::uint64_t frames = 0;           ///< accepted frames
  std::uint32_t newest_messages = 0;  ///< channel messages in the frames after the last one that was not lost
};

/// The links between virtual workers, their schedule and their clock.
class ReplayedRun {
 public:
  /// Throws UsageError for invalid options.
  explicit ReplayedRun(ReplayOptions options);
  ~ReplayedRun();
  ReplayedRun(const ReplayedRun&) = delete;
  ReplayedRun& operator=(const ReplayedRun&) = delete;

  /// The connector of a worker, for Mesh::part(). Valid as long as the run exists.
  [[nodiscard]] Connector& connector(std::uint32_t worker) { return *connectors_.at(worker); }
  [[nodiscard]] ManualClock clock() const noexcept { return clock_; }
  [[nodiscard]] std::uint64_t updates(std::uint32_t worker) const { return updates_.at(worker).read(); }
  /// The quality of service of a worker, as Worker::quality() returns it, over windows of virtual time.
  [[nodiscard]] const WorkerQuality& quality(std::uint32_t worker);

  /// The counters of one link.
  [[nodiscard]] InletObservation inlet(const LinkKey& key) const { return observe(links_.at(key)->inlet); }
  [[nodiscard]] OutletObservation outlet(const LinkKey& key) const { return observe(links_.at(key)->outlet); }
  [[nodiscard]] const ReplayedLosses& losses(const LinkKey& key) const { return links_.at(key)->losses; }
  /// The number of channels that share the link.
  [[nodiscard]] std::uint32_t channels(const LinkKey& key) const { return links_.at(key)->channels; }
  /// Visits all links in the order of their keys.
  void for_each_link(
      const std::function<void(const LinkKey&, const InletObservation&, const OutletObservation&)>& visit) const;

  /// Calls update(worker) until virtual time has reached `until_ns`.
  void run_until(std::int64_t until_ns, const std::function<void(std::uint32_t)>& update);

 private:
  struct Link {
    InletCounters inlet;
    OutletCounters outlet;
    ReplayedLosses losses;
    std::uint32_t channels = 0;
    detail::AlignedVector<std::byte> memory;
  };
  class ReplayedConnector;
  struct WorkerMeter {
    QualityMeter meter;
    std::size_t links_known = 0;  // links of the run when the meter was last given those of its worker
  };
  struct Turn {
    std::int64_t at_ns;
    std::uint32_t worker;
    bool operator>(const Turn& other) const { return std::pair(at_ns, worker) > std::pair(other.at_ns, other.worker); }
  };

  Link& link(const LinkSpec& spec);
  [[nodiscard]] std::vector<WatchedLink> links_of(std::uint32_t worker) const;
  [[nodiscard]] std::int64_t time_of_update(std::uint32_t worker);

  ReplayOptions options_;
  SeededRandom random_;
  ManualClock clock_;
  std::map<LinkKey, std::unique_ptr<Link>> links_;
  std::vector<std::unique_ptr<Connector>> connectors_;
  std::vector<Counter> updates_;
  std::vector<WorkerMeter> meters_;  // of each worker
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
};

}  // namespace laxity
