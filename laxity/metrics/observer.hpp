// Takes snapshots of the counters of a running team, from outside and without disturbing it.
//
// A snapshot is a pair of observations one window apart; the end of one is the beginning of the next, unless snapshots
// are asked for at longer intervals.
// Threads: used by one thread, of any process that maps the table; that is the supervisor of a team, which calls poll()
// at every turn. Nothing here blocks or spins. Elsewhere: the protocol (counter_table.hpp), the formulas
// (quality_of_service.hpp), the file (run_tables.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "laxity/metrics/counter_table.hpp"
#include "laxity/metrics/observation.hpp"

namespace laxity {

/// One link, or several channels of one directed link summed, in one snapshot.
struct LinkSnapshot {
  int snapshot = 0;  ///< counts windows from 0; one that nobody could look at is left out
  LinkKey key{};     ///< channel is 0 where channels were summed
  NeighborKind neighbor_kind = NeighborKind::same_thread;
  std::uint32_t channels = 0;         ///< that share the link
  std::uint32_t summed_channels = 1;  ///< rows of the counter table in here
  bool answered = false;              ///< both workers answered at both ends; else some counts were read as they stood
  WorkerObservation sender_before{}, sender_after{};
  WorkerObservation receiver_before{}, receiver_after{};
  InletObservation inlet_before{}, inlet_after{};
  OutletObservation outlet_before{}, outlet_after{};
};

/// Sums the channels between the same two workers in the same layer; one entry per snapshot and directed link, in
/// order.
[[nodiscard]] std::vector<LinkSnapshot> sum_channels(const std::vector<LinkSnapshot>& snapshots);

struct ObserverOptions {
  std::int64_t first_after_ns = 1'000'000'000;  ///< from the start to the first observation
  std::int64_t window_ns = 1'000'000'000;       ///< between the two observations of a snapshot
  std::int64_t interval_ns = 0;            ///< between the beginnings of snapshots; 0: each ends where the next begins
  std::int64_t patience_ns = 100'000'000;  ///< wait for answers; whoever takes longer is read as it stands
};

class Observer {
 public:
  /// Times are those of SteadyClock. Throws UsageError for times that are not positive.
  Observer(CounterTable table, const ObserverOptions& options, std::int64_t start_ns);

  /// Does what is due: asks for an observation, or collects answers. Costs a few loads when nothing is.
  void poll(std::int64_t now_ns);

  /// True between asking for an observation and having it: a supervisor that stops the team now loses its answers.
  [[nodiscard]] bool is_waiting() const noexcept { return asking_; }

  /// Snapshots so far, one entry per row of the counter table.
  [[nodiscard]] const std::vector<LinkSnapshot>& snapshots() const noexcept { return snapshots_; }
  [[nodiscard]] int snapshots_taken() const noexcept { return snapshots_taken_; }

 private:
  struct LinkObservation {
    NeighborKind neighbor_kind;
    std::uint32_t channels;
    InletObservation inlet;
    OutletObservation outlet;
  };
  struct Observation {
    std::vector<WorkerObservation> workers;
    std::vector<bool> answered;
    std::map<LinkKey, LinkObservation> links;
  };

  void ask(std::int64_t now_ns);
  [[nodiscard]] bool all_have_answered_or_ended() const;
  [[nodiscard]] Observation collect(std::int64_t now_ns) const;
  void add_snapshot(const Observation& before, const Observation& after);

  CounterTable table_;
  ObserverOptions options_;
  std::uint64_t request_;  // number of the last observation asked for
  bool asking_ = false;    // between ask() and collect()
  std::int64_t asked_ns_ = 0;
  std::int64_t next_ns_;  // when to ask next
  Observation last_;
  bool has_last_ = false;
  int snapshots_taken_ = 0;
  int next_number_ = 0;
  int missed_ = 0;  // windows, before the last observation was asked for
  std::vector<LinkSnapshot> snapshots_;
};

}  // namespace laxity
