// A whole run of n workers in one thread, replayed bit by bit from a seed.
//
// Workers take their updates at moments of virtual time: each has a mean period, every update takes a random part more
// or less of it. The order of updates, the faults of the links and their delays come from the seed alone, never from
// the machine. Invariants: the same arguments give the same run on every machine; virtual time never goes back.
// Threads: one.
// Elsewhere: the faults (transport/impaired.hpp), real links (worker_connector.hpp).
#pragma once

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
  Faults faults = {};                 ///< of every link between workers
  std::int64_t quality_window_ns = QualityMeter::usual_window_ns;  ///< of what workers see of their links
  static constexpr double max_slowness = 1e6;
};

/// Links between workers that live in one thread, and the clock they share.
class ReplayedRun {
 public:
  /// Throws UsageError for options that make no sense.
  explicit ReplayedRun(ReplayOptions options);
  ~ReplayedRun();
  ReplayedRun(const ReplayedRun&) = delete;
  ReplayedRun& operator=(const ReplayedRun&) = delete;

  /// The connector of a worker, for Mesh::part. Lives as long as the run.
  [[nodiscard]] Connector& connector(std::uint32_t worker) { return *connectors_.at(worker); }
  [[nodiscard]] ManualClock clock() const noexcept { return clock_; }
  [[nodiscard]] std::uint64_t updates(std::uint32_t worker) const { return updates_.at(worker).read(); }
  /// What a worker sees, as Worker::quality() does; windows are in virtual time, and as long as the options say.
  [[nodiscard]] const WorkerQuality& quality(std::uint32_t worker);

  /// Counters of one link as they stand.
  [[nodiscard]] InletObservation inlet(const LinkKey& key) const { return observe(links_.at(key)->inlet); }
  [[nodiscard]] OutletObservation outlet(const LinkKey& key) const { return observe(links_.at(key)->outlet); }
  /// Frames that the link accepted and lost.
  [[nodiscard]] std::uint64_t lost(const LinkKey& key) const { return links_.at(key)->faults.lost; }
  /// Channels that share the link.
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
    SenderFaultCounts faults;
    std::uint32_t channels = 0;
    detail::AlignedVector<std::byte> memory;
  };
  class ReplayedConnector;
  struct Sight {
    QualityMeter meter;
    std::size_t links_known = 0;  // when the meter was told of its own
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
  std::vector<Sight> sights_;  // of each worker
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
};

}  // namespace laxity
