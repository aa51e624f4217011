#include "laxity/schedule/detail/matching.hpp"

#include <cstddef>

namespace laxity::schedule::detail {
namespace {

bool fits(const Envelope& a, const Envelope& b) noexcept {
  const auto same = [](std::uint32_t x, std::uint32_t y) { return x == y || x == any || y == any; };
  return same(a.source, b.source) && same(a.tag, b.tag);
}

std::size_t hash(const Envelope& envelope) noexcept {
  std::uint64_t h = (std::uint64_t{envelope.destination} << 32 | envelope.source) * 0x9e3779b97f4a7c15U;
  h ^= (h >> 32) + envelope.tag * 0xc2b2ae3d27d4eb4fU;
  return static_cast<std::size_t>(h ^ h >> 29);
}

}  // namespace

Matching::Matching(std::size_t ops, bool wildcards)
    : wildcards_(wildcards), next_(ops, none), envelopes_(wildcards ? ops : 0), buckets_(1024) {}

std::uint32_t Matching::post(std::uint32_t receive, const Envelope& wanted) {
  Bucket& bucket = bucket_of(wanted);
  const std::uint32_t message = take_first(bucket.unexpected, wanted);
  if (message == none)
    append(bucket.posted, receive, wanted);
  else
    erase_if_empty(bucket);
  return message;
}

std::uint32_t Matching::arrive(std::uint32_t message, const Envelope& envelope) {
  Bucket& bucket = bucket_of(envelope);
  const std::uint32_t receive = take_first(bucket.posted, envelope);
  if (receive == none)
    append(bucket.unexpected, message, envelope);
  else
    erase_if_empty(bucket);
  return receive;
}

Matching::Bucket& Matching::bucket_of(const Envelope& envelope) {
  const Envelope key = wildcards_ ? Envelope{.destination = envelope.destination} : envelope;
  for (std::size_t i = hash(key);; ++i) {
    Bucket& bucket = buckets_[i & (buckets_.size() - 1)];
    if (bucket.key == key) return bucket;
    if (bucket.key.destination != none) continue;
    if (2 * (used_ + 1) > buckets_.size()) {
      grow();
      return bucket_of(envelope);
    }
    ++used_;
    bucket.key = key;
    return bucket;
  }
}

void Matching::grow() {
  std::vector<Bucket> old(buckets_.size() * 2);
  old.swap(buckets_);
  for (const Bucket& bucket : old) {
    if (bucket.key.destination == none) continue;
    std::size_t i = hash(bucket.key);
    while (buckets_[i & (buckets_.size() - 1)].key.destination != none) ++i;
    buckets_[i & (buckets_.size() - 1)] = bucket;
  }
}

// Linear probing without marks for what was erased: buckets behind move into the gap if they may lie there.
void Matching::erase_if_empty(Bucket& bucket) {
  if (bucket.posted.head != none || bucket.unexpected.head != none) return;
  const std::size_t mask = buckets_.size() - 1;
  std::size_t gap = static_cast<std::size_t>(&bucket - buckets_.data());
  for (std::size_t i = (gap + 1) & mask; buckets_[i].key.destination != none; i = (i + 1) & mask) {
    const std::size_t distance_from_home = (i - hash(buckets_[i].key)) & mask;
    if (distance_from_home < ((i - gap) & mask)) continue;
    buckets_[gap] = buckets_[i];
    gap = i;
  }
  buckets_[gap] = Bucket{};
  --used_;
}

void Matching::append(List& list, std::uint32_t op, const Envelope& envelope) {
  if (wildcards_) envelopes_[op] = envelope;
  next_[op] = none;
  if (list.head == none)
    list.head = op;
  else
    next_[list.tail] = op;
  list.tail = op;
}

std::uint32_t Matching::take_first(List& list, const Envelope& fitting) {
  std::uint32_t before = none;
  std::uint32_t op = list.head;
  while (op != none && wildcards_ && !fits(envelopes_[op], fitting)) {
    before = op;
    op = next_[op];
  }
  if (op == none) return none;
  (before == none ? list.head : next_[before]) = next_[op];
  if (list.tail == op) list.tail = before;
  return op;
}

}  // namespace laxity::schedule::detail
