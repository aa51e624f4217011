// The event of a worker whose handler could not be completed, if there is one.
//
// A handler that runs on a state which is rolled back later may throw, or send more events than event memory has room
// for.
// The event is rolled back and suspended until it is irrevocable: then a second failure is the model's or is reported.
//
// Invariant: at most one event of a worker is suspended. Threads: one. Elsewhere: who suspends events
// (optimistic_worker.hpp).
#pragma once

#include <cstddef>

#include "laxity/timewarp/key.hpp"

namespace laxity::timewarp {

class SuspendedEvent {
 public:
  /// `sends`: the number of events that the handler sent if these were too many, otherwise 0.
  void suspend(const Key& key, std::size_t sends) noexcept {
    key_ = key;
    sends_ = sends;
    rounds_ = 0;
  }
  /// The event was processed, or canceled.
  void clear() noexcept {
    key_ = latest_key;
    sends_ = 0;
  }

  [[nodiscard]] bool is(const Key& key) const noexcept { return key == key_; }
  [[nodiscard]] std::size_t sends() const noexcept { return sends_; }

  /// Call when a GVT round has ended with this value, below which no event is pending.
  void new_gvt(const Key& gvt) noexcept {
    if (key_ < gvt) clear();  // it was canceled
    if (is_at(gvt)) ++rounds_;
  }
  /// Whether an event is suspended at this instant.
  [[nodiscard]] bool is_at(const Key& gvt) const noexcept { return key_ != latest_key && key_.instant() == gvt; }
  /// Whether GVT has stood at the event's instant for a whole round, so that all events of that instant were received.
  [[nodiscard]] bool has_settled(const Key& gvt) const noexcept { return key_.instant() == gvt && rounds_ >= 2; }

 private:
  Key key_ = latest_key;  // latest_key: no event is suspended
  std::size_t sends_ = 0;
  int rounds_ = 0;
};

}  // namespace laxity::timewarp
