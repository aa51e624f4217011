// A link: both ends of a ring with the memory that they share, for one thread or two threads of a process.
//
// Threads: either end may be moved to another thread before its first use there.
// Elsewhere: ends in different processes (shared_memory.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "laxity/transport/ring_shape.hpp"
#include "laxity/transport/transport.hpp"

namespace laxity {

/// An end of a ring that shares the ownership of its memory.
template <class End>
class KeepingMemory : public End {
 public:
  /// `owner` owns `memory`, which is an initialized ring.
  KeepingMemory(std::shared_ptr<const void> owner, std::byte* memory) : End(memory), owner_(std::move(owner)) {}

 private:
  std::shared_ptr<const void> owner_;
};

template <class Ring>
struct Link {
  using Sender = KeepingMemory<typename Ring::Sender>;
  using Receiver = KeepingMemory<typename Ring::Receiver>;
  Sender sender;
  Receiver receiver;
};

/// A new, empty ring for threads of this process; `auto [sender, receiver] = make_link<SpscRing>({.depth = 2,
/// .frame_capacity = 64})`. Throws UsageError if the shape is out of range, std::bad_alloc if there is no memory.
template <class Ring>
[[nodiscard]] Link<Ring> make_link(RingShape shape) {
  constexpr std::align_val_t alignment{detail::cache_line};
  auto* memory = static_cast<std::byte*>(::operator new(Ring::bytes_needed(shape), alignment));
  const std::shared_ptr<const void> owner(memory, [](const void* allocated) {
    ::operator delete(const_cast<void*>(allocated), std::align_val_t{detail::cache_line});
  });
  Ring::initialize(memory, shape);
  return {{owner, memory}, {owner, memory}};
}

}  // namespace laxity
