#include "laxity/timewarp/pending/bucket_queue.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "laxity/check.hpp"

namespace laxity::timewarp {
namespace {

constexpr std::size_t sorted_at_once = 24;  // events of a bucket that is not subdivided
constexpr std::size_t moved_for_late = 8;   // events of the bottom that may be moved for each late event
constexpr std::size_t outer_buckets = 1024;
constexpr int max_split_bits = 6;

struct Later {
  bool operator()(const PendingEvent& a, const PendingEvent& b) const noexcept { return before(b, a); }
};

void insertion_sort(PendingEvent* first, PendingEvent* last) {
  for (PendingEvent* next = first; next < last; ++next) {
    if (next == first || !before(*next, next[-1])) continue;
    const PendingEvent moved = *next;
    PendingEvent* hole = next;
    do {
      *hole = hole[-1];
      --hole;
    } while (hole != first && before(moved, hole[-1]));
    *hole = moved;
  }
}

bool are_of_one_instant(const std::vector<PendingEvent>& events) noexcept {
  const Key instant = events.front().key.instant();
  return std::all_of(events.begin(), events.end(),
                     [instant](const PendingEvent& event) { return event.key.instant() == instant; });
}

}  // namespace

const PendingEvent* BucketQueue::find_top() {
  if (cursor_ == bottom_.size() && heap_.empty() && late_.empty()) {
    if (size_ == 0) return nullptr;
    refill();
  }
  if (late_is_next()) return &late_[first_late_];
  return heap_is_next() ? &heap_.front() : &bottom_[cursor_];
}

void BucketQueue::find_and_pop() {
  const PendingEvent* const next = find_top();
  if (next == nullptr) return;
  --size_;
  if (!late_.empty() && next == &late_[first_late_]) {
    late_[first_late_] = late_.back();
    late_.pop_back();
    if (!late_.empty()) merge_late();
  } else if (!heap_.empty() && next == &heap_.front()) {
    std::pop_heap(heap_.begin(), heap_.end(), Later{});
    heap_.pop_back();
  } else {
    ++cursor_;
  }
}

bool BucketQueue::heap_is_next() const noexcept {
  return !heap_.empty() && (cursor_ == bottom_.size() || before(heap_.front(), bottom_[cursor_]));
}

// Of equal keys (one canceled, one sent again) those of the bottom and the heap come first, as top() may have returned
// one of them.
bool BucketQueue::late_is_next() const noexcept {
  if (late_.empty()) return false;
  const PendingEvent& late = late_[first_late_];
  return (cursor_ == bottom_.size() || before(late, bottom_[cursor_])) &&
         (heap_.empty() || before(late, heap_.front()));
}

// The cost is amortized: each late event moves a few events of the bottom, or goes through the heap.
void BucketQueue::merge_late() {
  if (late_.size() * moved_for_late < bottom_.size() - cursor_) {
    for (const PendingEvent& event : late_) {
      heap_.push_back(event);
      std::push_heap(heap_.begin(), heap_.end(), Later{});
    }
  } else {
    sort(late_);
    scratch_.resize(late_.size() + bottom_.size() - cursor_);
    std::merge(bottom_.begin() + static_cast<std::ptrdiff_t>(cursor_), bottom_.end(), late_.begin(), late_.end(),
               scratch_.begin(), before);
    bottom_.swap(scratch_);
    cursor_ = hinted_ = 0;
  }
  late_.clear();
}

// Empties the bucket; calls visit(event) for each event.
template <class Visit>
void BucketQueue::drain(Bucket& bucket, Visit visit) {
  std::uint32_t chunk = bucket.chunk;
  std::uint32_t filled = bucket.filled;
  while (chunk != no_chunk) {
    const std::uint32_t next = chunks_[chunk].next;
    for (std::size_t offset = 0; next != no_chunk && offset < sizeof(Chunk); offset += 64) {
      __builtin_prefetch(reinterpret_cast<const std::byte*>(&chunks_[next]) + offset, 1);
    }
    for (std::uint32_t i = 0; i < filled; ++i) {
      const PendingEvent event = chunks_[chunk].events[i];  // a copy, as visit() may reallocate the chunks
      visit(event);
    }
    chunks_[chunk].next = free_chunk_;
    free_chunk_ = chunk;
    chunk = next;
    filled = Chunk::capacity;
  }
  bucket = Bucket{};
}

// Fills the bottom with the next events. Requires size_ > 0 and an empty bottom.
void BucketQueue::refill() {
  bottom_.clear();
  cursor_ = 0;
  const bool was_hinted = next_is_hinted_;
  next_is_hinted_ = false;
  while (bottom_.empty()) {
    if (depth_ == 0) {
      spill_far();
      continue;
    }
    Rung& rung = rungs_[depth_ - 1];
    while (rung.next < rung.buckets.size() && rung.buckets[rung.next].size == 0) ++rung.next;
    if (rung.next == rung.buckets.size()) {
      --depth_;
      continue;
    }
    const std::size_t reached = rung.next++;
    rung.open_from = rung.start + (static_cast<std::uint64_t>(rung.next) << rung.shift);
    if (rung.shift == 0 || rung.buckets[reached].size <= sorted_at_once) {
      drain(rung.buckets[reached], [this](const PendingEvent& event) { bottom_.push_back(event); });
      sort(bottom_);
    } else {
      subdivide(rung, reached);
    }
  }
  hinted_ = was_hinted && bottom_.size() <= sorted_at_once ? bottom_.size() : 0;
}

// Makes a bucket a rung, or the bottom if all its events have the same time.
void BucketQueue::subdivide(Rung& outer, std::size_t reached) {
  scratch_.clear();
  drain(outer.buckets[reached], [this](const PendingEvent& event) { scratch_.push_back(event); });
  const std::uint64_t time = scratch_.front().key.time;
  if (std::all_of(scratch_.begin(), scratch_.end(), [time](const auto& event) { return event.key.time == time; })) {
    bottom_.swap(scratch_);
    sort(bottom_);
    return;
  }
  const int wanted = static_cast<int>(std::bit_width(scratch_.size() / 4));
  const int bits = std::min({wanted, max_split_bits, outer.shift});
  const std::uint64_t start = outer.start + (static_cast<std::uint64_t>(reached) << outer.shift);
  add_rung(start, outer.shift - bits, std::size_t{1} << bits);
  Rung& inner = rungs_[depth_ - 1];
  for (const PendingEvent& event : scratch_) {
    append(inner.buckets[(event.key.time - start) >> inner.shift], event);
  }
  was_subdivided_ = true;
}

// May invalidate references to rungs.
void BucketQueue::add_rung(std::uint64_t start, int shift, std::size_t buckets) {
  if (depth_ == rungs_.size()) rungs_.emplace_back();
  Rung& rung = rungs_[depth_++];
  rung.start = start;
  rung.open_from = start;
  rung.shift = shift;
  rung.next = 0;
  rung.buckets.assign(buckets, Bucket{});
}

// Moves the first part of the far events to a new outermost rung, or those of the first time to the bottom.
void BucketQueue::spill_far() {
  LAXITY_DCHECK(!far_.empty());
  const auto [first, last] = std::minmax_element(far_.begin(), far_.end(),
                                                 [](const auto& a, const auto& b) { return a.key.time < b.key.time; });
  const std::uint64_t start = first->key.time;
  const std::uint64_t range = last->key.time - start;
  if (far_.size() <= sorted_at_once) {
    bottom_.swap(far_);
    far_from_ = start + range + 1;
    sort(bottom_);
    return;
  }
  // The width that gives each bucket of the first half about `share` events.
  const std::uint64_t half_range = far_median() - start;
  const std::size_t share = std::max<std::size_t>(8, far_.size() / (outer_buckets * 3 / 4));
  const std::uint64_t halves = std::max<std::size_t>(1, far_.size() / 2 / share);
  if (half_range == 0) {
    move_first_time_to_bottom(start);
    return;
  }
  const int shift = static_cast<int>(std::bit_width(std::max<std::uint64_t>(1, half_range / halves))) - 1;
  const std::size_t buckets = std::min<std::uint64_t>(outer_buckets, (range >> shift) + 1);
  add_rung(start, shift, buckets);
  far_from_ = start + (static_cast<std::uint64_t>(buckets) << shift);
  Rung& rung = rungs_[0];
  std::size_t kept = 0;
  for (const PendingEvent& event : far_) {
    if (event.key.time < far_from_) {
      append(rung.buckets[(event.key.time - start) >> shift], event);
    } else {
      far_[kept++] = event;
    }
  }
  far_.resize(kept);
}

void BucketQueue::move_first_time_to_bottom(std::uint64_t time) {
  std::size_t kept = 0;
  for (const PendingEvent& event : far_) {
    if (event.key.time == time) {
      bottom_.push_back(event);
    } else {
      far_[kept++] = event;
    }
  }
  far_.resize(kept);
  far_from_ = time + 1;
  sort(bottom_);
}

std::uint64_t BucketQueue::far_median() const noexcept {
  std::array<std::uint64_t, 63> sample;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    sample[i] = far_[(2 * i + 1) * far_.size() / (2 * sample.size())].key.time;
  }
  const auto middle = sample.begin() + sample.size() / 2;
  std::nth_element(sample.begin(), middle, sample.end());
  return *middle;
}

void BucketQueue::sort(std::vector<PendingEvent>& events) {
  if (events.size() > 4 * sorted_at_once && are_of_one_instant(events) && group_by_receiver(events)) return;
  if (events.size() > 2 * sorted_at_once) {
    std::sort(events.begin(), events.end(), before);
  } else {
    insertion_sort(events.data(), events.data() + events.size());
  }
}

// Counting sort by receiver, then by key. False: there are too many possible receivers for the number of events.
bool BucketQueue::group_by_receiver(std::vector<PendingEvent>& events) {
  const auto [least, most] = std::minmax_element(events.begin(), events.end(),
                                                 [](const auto& a, const auto& b) { return a.receiver < b.receiver; });
  const LpId first = least->receiver;
  const std::size_t receivers = std::size_t{most->receiver} - first + 1;
  if (receivers > 4 * events.size()) return false;
  ends_.assign(receivers + 1, 0);
  for (const PendingEvent& event : events) ++ends_[event.receiver - first + 1];
  for (std::size_t i = 1; i <= receivers; ++i) ends_[i] += ends_[i - 1];
  scratch_.resize(events.size());
  for (const PendingEvent& event : events) scratch_[ends_[event.receiver - first]++] = event;
  events.swap(scratch_);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < receivers; ++i) {  // ends_[i] has moved to the end of receiver i
    const std::size_t end = ends_[i];
    if (end - begin > 4 * sorted_at_once) {
      std::sort(events.begin() + static_cast<std::ptrdiff_t>(begin), events.begin() + static_cast<std::ptrdiff_t>(end),
                before);
    } else {
      insertion_sort(events.data() + begin, events.data() + end);
    }
    begin = end;
  }
  return true;
}

}  // namespace laxity::timewarp
