// Commits events: counts them, adds them to the digest and to the event log, and calls the model's commit().
//
// Invariant: every event that belongs to the run is committed once, those of one logical process in the order of keys.
// Threads: one. Elsewhere: which events are committed (fossil_collection.hpp, optimistic_worker.hpp), digests
// (digest.hpp), the event log (event_log.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "laxity/timewarp/context.hpp"
#include "laxity/timewarp/event.hpp"
#include "laxity/timewarp/log/digest.hpp"
#include "laxity/timewarp/log/event_log.hpp"
#include "laxity/timewarp/model.hpp"
#include "laxity/timewarp/result.hpp"
#include "laxity/timewarp/state/history.hpp"
#include "laxity/timewarp/statistics.hpp"

namespace laxity::timewarp {

template <Model M>
class EventCommitter {
 public:
  using Record = HistoryRecord<M>;

  /// `event_log`: the directory of the log, empty for none; a log needs digests. The references must outlive this.
  /// Throws UsageError if the directory has a log of this worker already, SystemError.
  EventCommitter(const Simulation<M>& simulation, int worker, bool digest, const std::string& event_log,
                 Statistics& statistics)
      : model_(simulation.model),
        layout_(simulation.bounds.logical_processes),
        wants_digest_(digest || !event_log.empty()),
        statistics_(statistics),
        collectors_(first_collectors(simulation.model)) {
    if (!event_log.empty()) log_.emplace(event_log, worker, log_header_of(simulation.bounds));
  }

  /// Computes the digest of an event that was processed and may be committed later, if digests are wanted.
  void remember_digest(EventId id, const Record& event, const LpState<M>& after) {
    if (!wants_digest_) return;
    if (digests_.size() <= id) digests_.resize(std::max<std::size_t>(id + 1, 2 * digests_.size()));
    digests_[id] = digest_of(model_, event.view(), after);
  }

  /// Commits an event whose digest was remembered. The record is not read unless there is need. `after`: the state that
  /// the event has left; nullptr if it was not kept.
  void commit(EventId id, const Record& event, const typename M::State* after) {
    commit(event, wants_digest_ ? digests_[id] : 0, after);
  }

  /// Commits an event right after its handler has returned.
  void commit_processed(const Record& event, const LpState<M>& after) {
    commit(event, wants_digest_ ? digest_of(model_, event.view(), after) : 0, &after.model);
  }

  /// Writes what is left of the event log. Throws SystemError.
  void close_log() {
    if (log_) log_->close();
  }

  [[nodiscard]] std::uint64_t digest() const noexcept { return digest_; }
  [[nodiscard]] const CollectorsOf<M>& collectors() const noexcept { return collectors_; }

 private:
  void commit(const Record& event, std::uint64_t digest, [[maybe_unused]] const typename M::State* after) {
    ++statistics_.committed;
    digest_ += digest;
    if (log_) [[unlikely]]
      log_->add(logged(model_, event.view(), digest));
    if constexpr (ModelThatCommits<M>) {
      call_commit(model_, Committed<M>(layout_, event.receiver, event.key, after, collectors_), event.view().payload);
    }
  }

  const M& model_;
  TieLayout layout_;
  bool wants_digest_;
  Statistics& statistics_;
  std::uint64_t digest_ = 0;
  std::vector<std::uint64_t> digests_;  // by event record, of the processed events, if digests are wanted
  std::optional<EventLogWriter> log_;
  [[no_unique_address]] CollectorsOf<M> collectors_;
};

}  // namespace laxity::timewarp
