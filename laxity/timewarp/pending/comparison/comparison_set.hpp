// For comparison only: one of the other pending-event sets, chosen at run time.
//
// An engine is a template of its set, and takes GCC a second to compile. With this class there is one engine for all
// sets that are there for comparison. Each operation costs a call and a jump, which the default set does not have.
//
// Threads: one. Elsewhere: the default set, which engines use without this (bucket_queue.hpp).
#pragma once

#include <cstddef>
#include <span>
#include <variant>

#include "laxity/timewarp/engine.hpp"
#include "laxity/timewarp/pending/comparison/ladder_queue.hpp"
#include "laxity/timewarp/pending/comparison/three_tier_heap.hpp"
#include "laxity/timewarp/pending/comparison/two_tier_ladder.hpp"
#include "laxity/timewarp/pending/heap_queue.hpp"
#include "laxity/timewarp/pending/pending_event.hpp"

namespace laxity::timewarp {

/// A PendingSet.
class ComparisonSet {
 public:
  ComparisonSet();  ///< a heap
  /// Throws UsageError for the bucket queue.
  explicit ComparisonSet(Queue queue);
  ComparisonSet(const ComparisonSet& other);
  ~ComparisonSet();

  void push(const PendingEvent& event);
  [[nodiscard]] const PendingEvent* top();
  void pop();
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] std::span<const PendingEvent> upcoming() const noexcept;

 private:
  std::variant<HeapQueue<4>, LadderQueue, TwoTierLadder, ThreeTierHeap> set_;
};

}  // namespace laxity::timewarp
