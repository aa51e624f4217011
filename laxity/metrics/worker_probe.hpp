// The worker's side of an observation: counts updates and answers the observer at the end of an update.
//
// Invariants: an update costs an increment and a comparison; the clock and the links are read only for an answer.
// Threads: one probe per worker, used by that worker alone.
// Elsewhere: the protocol (counter_table.hpp), the observer's side (observer.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "laxity/clock/clock.hpp"
#include "laxity/metrics/counter_table.hpp"

namespace laxity {

class WorkerProbe {
 public:
  /// Attaches to the row of worker `id`; the row must not have another probe.
  WorkerProbe(CounterTable table, int id);

  /// Counts one update and answers a request of the observer. Called at the end of each update.
  template <Clock C>
  void update_done(const C& clock) noexcept {
    counters_->updates.add();
    if (counters_->request.load(std::memory_order_relaxed) != answered_) [[unlikely]]
      answer(clock.now_ns());
  }

  [[nodiscard]] std::uint64_t updates() const noexcept { return counters_->updates.read(); }

 private:
  // Not inline: keeps the loop of the worker small.
  void answer(std::int64_t now_ns) noexcept;
  void find_links();

  CounterTable table_;
  WorkerCounters* counters_;
  std::uint64_t answered_;
  std::uint32_t id_;
  std::size_t links_known_ = 0;     // table_.links() when the two lists were made
  std::vector<LinkRow*> outgoing_;  // rows whose inlet this worker writes
  std::vector<LinkRow*> incoming_;  // rows whose outlet this worker writes
};

}  // namespace laxity
