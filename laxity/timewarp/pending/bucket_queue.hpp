// The default pending-event set: buckets of the bits of time, subdivided when they are reached.
//
// An event is in one of three parts: `far_`, unsorted, beyond all buckets; the buckets of the rungs, unsorted; or the
// bottom, sorted, from which events are popped. A bucket that is reached and holds more than a few events becomes a
// rung of narrower buckets. An event that is pushed before the first open bucket is late: it is kept beside the bottom
// until a late event is the next one. Then the late events are merged into the bottom if they are many compared to it,
// otherwise they are moved to a heap. The widths of buckets are powers of two in the bits of time. The bits order like
// the times, so a subtraction and a shift find the bucket, and denormals, huge times, doubles and integers need no
// special case.
//
// Cost: a push appends to one of about a thousand places, which fit in the second-level cache; every event is moved
// about three times. Events of one instant are never subdivided but sorted by receiver, in linear time.
//
// Source: a variant of the ladder queue of Tang, Goh and Thng, ACM TOMACS 15 (2005), see ladder_queue.hpp. It differs
// in the subdivision by bits, in the far part, which is divided at its median instead of its extremes, and in the
// treatment of instants.
// Invariants: far_ >= far_from_ > open buckets of outer rungs > those of inner rungs > bottom, late and heap. Threads:
// one.
// Elsewhere: what happens once in many events, behind a call (bucket_queue.cpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "laxity/timewarp/key.hpp"
#include "laxity/timewarp/pending/pending_event.hpp"

namespace laxity::timewarp {

class BucketQueue {
 public:
  void push(const PendingEvent& event) {
    ++size_;
    const std::uint64_t time = event.key.time;
    if (time >= far_from_) {
      far_.push_back(event);
      return;
    }
    for (std::size_t outer = 0; outer < depth_; ++outer) {
      Rung& rung = rungs_[outer];
      if (time >= rung.open_from) {
        append(rung.buckets[(time - rung.start) >> rung.shift], event);
        return;
      }
    }
    if (late_.empty() || before(event, late_[first_late_])) first_late_ = late_.size();
    late_.push_back(event);
  }

  [[nodiscard]] const PendingEvent* top() { return bottom_is_next() ? &bottom_[cursor_] : find_top(); }

  void pop() {
    if (bottom_is_next()) {
      --size_;
      ++cursor_;
    } else {
      find_and_pop();
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Events to prefetch: those of a bucket that has just been subdivided; once, those of the next narrow bucket when
  /// the bucket before it has become the bottom; the next few events of a long bottom.
  [[nodiscard]] std::span<const PendingEvent> upcoming() noexcept {
    if (was_subdivided_) {
      was_subdivided_ = false;
      return {scratch_.data(), std::min(scratch_.size(), far_ahead)};
    }
    if (hinted_ < bottom_.size()) {
      const std::size_t begin = std::max(hinted_, cursor_);
      hinted_ = std::min(cursor_ + 8, bottom_.size());
      return begin < hinted_ ? std::span(&bottom_[begin], hinted_ - begin) : std::span<const PendingEvent>{};
    }
    if (next_is_hinted_ || depth_ == 0) return {};
    next_is_hinted_ = true;
    const Rung& rung = rungs_[depth_ - 1];
    for (std::size_t next = rung.next; next < std::min(rung.next + 4, rung.buckets.size()); ++next) {
      const Bucket& bucket = rung.buckets[next];
      if (bucket.size > 0) return {chunks_[bucket.chunk].events.data(), bucket.filled};
    }
    return {};
  }

 private:
  static constexpr std::size_t far_ahead = 512;  // events whose records fit in the second-level cache beside other data

  // Buckets are lists of chunks, so that they grow and shrink without allocation.
  struct alignas(64) Chunk {
    static constexpr std::uint32_t capacity = 10;
    std::uint32_t next;
    std::array<PendingEvent, capacity> events;
  };
  static constexpr std::uint32_t no_chunk = ~std::uint32_t{0};

  struct Bucket {
    std::uint32_t chunk = no_chunk;  // the chunk being filled; full ones follow
    std::uint32_t filled = 0;        // events in that chunk
    std::uint32_t size = 0;          // events in the bucket
  };

  struct Rung {
    std::uint64_t start = 0;
    std::uint64_t open_from = 0;  // start of the first open bucket, which was not reached yet
    int shift = 0;                // the width of a bucket is 2^shift
    std::size_t next = 0;         // the first open bucket
    std::vector<Bucket> buckets;
  };

  // True for nearly all pops.
  [[nodiscard]] bool bottom_is_next() const noexcept {
    return cursor_ != bottom_.size() && heap_.empty() && late_.empty();
  }

  [[nodiscard]] const PendingEvent* find_top();
  void find_and_pop();
  void merge_late();
  [[nodiscard]] bool heap_is_next() const noexcept;
  [[nodiscard]] bool late_is_next() const noexcept;

  void append(Bucket& bucket, const PendingEvent& event) {
    if (bucket.chunk == no_chunk || bucket.filled == Chunk::capacity) {
      const std::uint32_t fresh = allocate_chunk();
      chunks_[fresh].next = bucket.chunk;
      bucket.chunk = fresh;
      bucket.filled = 0;
    }
    chunks_[bucket.chunk].events[bucket.filled++] = event;
    ++bucket.size;
  }

  [[nodiscard]] std::uint32_t allocate_chunk() {
    if (free_chunk_ == no_chunk) {
      chunks_.emplace_back();
      return static_cast<std::uint32_t>(chunks_.size() - 1);
    }
    const std::uint32_t chunk = free_chunk_;
    free_chunk_ = chunks_[chunk].next;
    return chunk;
  }

  template <class Visit>
  void drain(Bucket& bucket, Visit visit);
  void refill();
  void subdivide(Rung& outer, std::size_t reached);
  void add_rung(std::uint64_t start, int shift, std::size_t buckets);
  void spill_far();
  void move_first_time_to_bottom(std::uint64_t time);
  [[nodiscard]] std::uint64_t far_median() const noexcept;
  void sort(std::vector<PendingEvent>& events);
  [[nodiscard]] bool group_by_receiver(std::vector<PendingEvent>& events);

  std::size_t size_ = 0;
  std::uint64_t far_from_ = 0;
  std::vector<PendingEvent> far_;
  std::vector<Rung> rungs_;  // outermost first; those from depth_ on are spare
  std::size_t depth_ = 0;
  std::vector<PendingEvent> bottom_;  // sorted; those before cursor_ are gone
  std::size_t cursor_ = 0;
  bool was_subdivided_ = false;     // a bucket, whose events lie in scratch_; upcoming() has not named them yet
  std::size_t hinted_ = 0;          // those of the bottom before it were named by upcoming()
  bool next_is_hinted_ = false;     // and so were those of the bucket that comes next
  std::vector<PendingEvent> late_;  // in no order
  std::size_t first_late_ = 0;
  std::vector<PendingEvent> heap_;  // those late ones that were too few for the bottom
  std::vector<Chunk> chunks_;
  std::uint32_t free_chunk_ = no_chunk;
  std::vector<PendingEvent> scratch_;
  std::vector<std::size_t> ends_;
};

static_assert(PendingSet<BucketQueue>);

}  // namespace laxity::timewarp
