// A pending-event set as a d-ary heap in one array.
//
// Source: Williams, Algorithm 232: Heapsort (CACM 7, 1964); four children instead of two after LaMarca and Ladner, The
// influence of caches on the performance of heaps (ACM JEA 1, 1996): half the levels, and siblings lie side by side.
//
// Cost: O(log n) a push or pop, whatever the times are. No allocation once the array has grown.
// Threads: one. Elsewhere: sets that use how times are spread (ladder_queue.hpp, bucket_queue.hpp).
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
  /// One of these is next.
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
    // The last node is nearly always a late one. So let the hole sink to a leaf without looking at it, then let it rise.
    std::size_t hole = 0;
    while (arity * hole + arity < nodes_.size()) {
      fetch_children_of(arity * hole + 1);
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
  // The first by order of nodes begin ... end - 1. Which one it is cannot be predicted, so distinct times are compared
  // without a branch; fetch_children_of() makes up for what a predicted branch would have loaded ahead.
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

  // Asks for the grandchildren below a first child, all of which lie side by side, before it is known who is next.
  // Inlined always: GCC 12 takes a function that only prefetches for one without effect, and drops calls of it.
  [[gnu::always_inline]] void fetch_children_of(std::size_t child) const noexcept {
    const std::size_t begin = arity * child + 1;
    if (begin >= nodes_.size()) return;
    const auto* bytes = reinterpret_cast<const std::byte*>(&nodes_[begin]);
    for (std::size_t at = 0; at < arity * arity * sizeof(PendingEvent); at += 64) __builtin_prefetch(bytes + at);
  }

  // Puts `event` at the hole or above it.
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
