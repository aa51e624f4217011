// Takes snapshots of the counters of a running team, from outside and without disturbing it.
//
// A snapshot is a pair of observations one window apart; the end of one is the beginning of the next, unless snapshots
// are asked for at longer intervals.
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
