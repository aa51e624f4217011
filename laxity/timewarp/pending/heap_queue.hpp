// A pending-event set as a d-ary heap in one array.
//
// Source: Williams, Algorithm 232: Heapsort (CACM 7, 1964); four children instead of two after LaMarca and Ladner, The
// influence of caches on the performance of heaps (ACM JEA 1, 1996): half the levels, and siblings are adjacent.
//
// Cost: O(log n) for a push or a pop, for any distribution of times. No allocation once the array has grown.
// Threads: one. Elsewhere: sets that adapt to the distribution of times (bucket_queue.hpp, ladder_queue.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "laxity/check.hpp"
#include "laxity/timewarp/pending/pending_event.hpp"

namespace laxity::timewarp {

/// A PendingSet. Node i has the children arity * i + 1 ... arity * i + arity.
template <std::size_t arity = 4>
class HeapQueue {
  static_assert(arity >= 2);

 public:
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  [[nodiscard]] const PendingEvent* top() const noexcept { return nodes_.empty() ? nullptr : nodes_.data(); }
  /// The children of the first event, one of which is next.
  [[nodiscard]] std::span<const PendingEvent> upcoming() const noexcept {
    if (nodes_.size() < 2) return {};
    return {&nodes_[1], std::min(arity, nodes_.size() - 1)};
  }

  void push(const PendingEvent& event) {
    nodes_.push_back(event);
    rise(nodes_.size() - 1, event);
  }

  void pop() {
    LAXITY_DCHECK(!nodes_.empty());
    const PendingEvent last = nodes_.back();
    nodes_.pop_back();
    if (nodes_.empty()) return;
    // The last node nearly always has a late time. So the hole sinks to a leaf without comparisons with it, then it
    // rises.
    std::size_t hole = 0;
    while (arity * hole + arity < nodes_.size()) {
      prefetch_children_of(arity * hole + 1);
      const std::size_t child = first_of(arity * hole + 1, arity * hole + arity + 1);
      nodes_[hole] = nodes_[child];
      hole = child;
    }
    if (arity * hole + 1 < nodes_.size()) {
      const std::size_t child = first_of(arity * hole + 1, nodes_.size());
      nodes_[hole] = nodes_[child];
      hole = child;
    }
    rise(hole, last);
  }

 private:
  // The first of the nodes begin ... end - 1. The result is unpredictable, so distinct times are compared without a
  // branch; prefetch_children_of() prefetches what a predicted branch would have loaded speculatively.
  std::size_t first_of(std::size_t begin, std::size_t end) const noexcept {
    std::size_t first = begin;
    for (std::size_t node = begin + 1; node < end; ++node) {
      if (nodes_[node].key.time == nodes_[first].key.time) [[unlikely]] {
        if (before(nodes_[node], nodes_[first])) first = node;
      } else {
        first = nodes_[node].key.time < nodes_[first].key.time ? node : first;
      }
    }
    return first;
  }

  // Prefetches the children of a node and of its siblings, which are adjacent, before the next node is known.
  // Always inlined: GCC 12 considers a function that only prefetches free of effects, and drops calls to it.
  [[gnu::always_inline]] void prefetch_children_of(std::size_t child) const noexcept {
    const std::size_t begin = arity * child + 1;
    if (begin >= nodes_.size()) return;
    const auto* bytes = reinterpret_cast<const std::byte*>(&nodes_[begin]);
    for (std::size_t at = 0; at < arity * arity * sizeof(PendingEvent); at += 64) __builtin_prefetch(bytes + at);
  }

  // Moves the hole up to the place of `event` and stores it there.
  void rise(std::size_t hole, const PendingEvent& event) noexcept {
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / arity;
      if (!before(event, nodes_[parent])) break;
      nodes_[hole] = nodes_[parent];
      hole = parent;
    }
    nodes_[hole] = event;
  }

  std::vector<PendingEvent> nodes_;
};

}  // namespace laxity::timewarp
