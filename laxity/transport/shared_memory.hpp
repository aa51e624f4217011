// Rings between processes of one host: forked workers find them in an arena, other processes attach by name.
//
// Threads: set-up only; the ends are those of the ring.
// Elsewhere: the memory (segment.hpp, arena.hpp), ends in one process (link.hpp).
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <typeinfo>
#include <utility>

#include "laxity/transport/arena.hpp"
#include "laxity/transport/link.hpp"
#include "laxity/transport/payload_type.hpp"
#include "laxity/transport/ring_shape.hpp"
#include "laxity/transport/segment.hpp"

namespace laxity {

/// The memory of the ring of this key, initialized by the first request. Both ends pass the same shape and type; throws
/// UsageError if the shapes differ, TypeMismatch if the types do, and what Arena::find_or_create throws.
template <class Ring>
[[nodiscard]] std::byte* ring_in(Arena& arena, const BlockKey& key, RingShape shape, const PayloadType& type = {}) {
  std::byte* const memory = arena.find_or_create(
      key, Ring::bytes_needed(shape), [shape](std::byte* block) { Ring::initialize(block, shape); },
      std::chrono::seconds(30), type);
  Ring::require_shape(memory, shape, key.text());
  return memory;
}

/// The sending end of the ring of this key, for one worker of those that share the arena.
template <class Ring>
[[nodiscard]] typename Ring::Sender shared_sender(Arena& arena, const BlockKey& key, RingShape shape,
                                                  const PayloadType& type = {}) {
  return typename Ring::Sender(ring_in<Ring>(arena, key, shape, type));
}

/// The receiving end of the ring of this key, for one worker of those that share the arena.
template <class Ring>
[[nodiscard]] typename Ring::Receiver shared_receiver(Arena& arena, const BlockKey& key, RingShape shape,
                                                      const PayloadType& type = {}) {
  return typename Ring::Receiver(ring_in<Ring>(arena, key, shape, type));
}

namespace detail {

inline constexpr std::size_t named_ring_offset = 256;  // the ring follows its description

/// Writes the description of the ring in a segment, after the ring is initialized: another process may attach then.
void describe_ring(std::byte* segment, const char* family, RingShape shape);
/// Throws Error naming `name` and both descriptions if the description is missing or different.
void require_description(const Segment& segment, const std::string& name, const char* family, RingShape shape,
                         std::size_t ring_bytes);

}  // namespace detail

/// A ring that other processes can attach to by name. One process creates it; each end is used by one process at a
/// time. The name exists as long as the creator's object or one of its ends; attached processes keep the memory.
template <class Ring>
class NamedRing {
 public:
  using Sender = KeepingMemory<typename Ring::Sender>;
  using Receiver = KeepingMemory<typename Ring::Receiver>;

  /// Throws like Segment::create_named, and UsageError if the shape is out of range.
  [[nodiscard]] static NamedRing create(const std::string& name, RingShape shape) {
    Segment segment = Segment::create_named(name, detail::named_ring_offset + Ring::bytes_needed(shape));
    Ring::initialize(segment.data() + detail::named_ring_offset, shape);
    detail::describe_ring(segment.data(), typeid(Ring).name(), shape);
    return NamedRing(std::move(segment));
  }

  /// Throws like Segment::open_named, and Error if the ring there is of another family or shape, or not finished yet.
  [[nodiscard]] static NamedRing attach(const std::string& name, RingShape shape) {
    Segment segment = Segment::open_named(name);
    detail::require_description(segment, name, typeid(Ring).name(), shape, Ring::bytes_needed(shape));
    return NamedRing(std::move(segment));
  }

  [[nodiscard]] Sender sender() const { return {segment_, memory()}; }
  [[nodiscard]] Receiver receiver() const { return {segment_, memory()}; }

 private:
  explicit NamedRing(Segment segment) : segment_(std::make_shared<const Segment>(std::move(segment))) {}
  [[nodiscard]] std::byte* memory() const noexcept { return segment_->data() + detail::named_ring_offset; }

  std::shared_ptr<const Segment> segment_;
};

}  // namespace laxity
