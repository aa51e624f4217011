// Takes snapshots of the counters of a running team without disturbing it.
//
// A snapshot is a pair of observations one window apart. The second observation of a snapshot is the first one of the
// next, unless snapshots are requested at longer intervals.
// Threads: used by one thread, of any process that maps the table; that is the supervisor of a team, which calls poll()
// at every turn. Nothing here blocks or spins. Elsewhere: the protocol (counter_table.hpp), the formulas
// (quality_of_service.hpp), the file (team_tables.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "laxity/metrics/counter_table.hpp"
#include "laxity/metrics/link_snapshot.hpp"

namespace laxity {

struct ObserverOptions {
  std::int64_t first_after_ns = 1'000'000'000;  ///< time from the start to the first observation
  std::int64_t window_ns = 1'000'000'000;       ///< time between the two observations of a snapshot
  std::int64_t interval_ns = 0;  ///< time between the beginnings of snapshots; 0: each begins where the previous ends
  std::int64_t patience_ns =
      100'000'000;  ///< time to wait for answers; the counters of other workers are read as they are
};

class Observer {
 public:
  /// Times are those of SteadyClock. Throws UsageError for times that are not positive.
  Observer(CounterTable table, const ObserverOptions& options, std::int64_t start_ns);

  /// Requests an observation or collects the answers, if that is due. Otherwise costs a few loads.
  void poll(std::int64_t now_ns);

  /// True between the request for an observation and its end. If the team stops in between, its answers are lost.
  [[nodiscard]] bool is_waiting() const noexcept { return asking_; }

  /// Snapshots so far, one entry per row of the counter table.
  [[nodiscard]] const std::vector<LinkSnapshot>& snapshots() const noexcept { return snapshots_; }
  [[nodiscard]] int snapshots_taken() const noexcept { return snapshots_taken_; }

 private:
  void ask(std::int64_t now_ns);
  [[nodiscard]] bool all_have_answered_or_ended() const;
  [[nodiscard]] LinkObservations collect(std::int64_t now_ns) const;
  void add_snapshot(const LinkObservations& before, const LinkObservations& after);

  CounterTable table_;
  ObserverOptions options_;
  std::uint64_t request_;  // number of the last observation asked for
  bool asking_ = false;    // between ask() and collect()
  std::int64_t asked_ns_ = 0;
  std::int64_t next_ns_;  // when to ask next
  LinkObservations last_;
  bool has_last_ = false;
  int snapshots_taken_ = 0;
  int next_number_ = 0;
  int missed_ = 0;  // windows, before the last observation was asked for
  std::vector<LinkSnapshot> snapshots_;
};

}  // namespace laxity
