// A lossless queue of frames guarded by a mutex, for comparison with the rings without locks.
//
// For the study of threads against processes, and as the simplest implementation of the contract. Frames are written
// and read in place as in spsc_ring.hpp; the mutex guards the two positions only. A caller waits for the critical
// section of the other end, which is a few instructions long unless its thread is descheduled in it: the effect that is
// studied. The ring is not wait-free and therefore never the default.
//
// Invariants: the receiver shows position `held`, the sender writes position `next`, next - held <= depth + 1, and slot
// p % (depth + 1) holds position p. A critical section changes one word, so the ring is consistent if an owner is
// killed inside it.
//
// Memory: no pointers, only offsets; 64-byte aligned.
// Threads: one owns the Sender, one the Receiver.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <span>
#include <string>

#include "laxity/check.hpp"
#include "laxity/transport/detail/robust_mutex.hpp"
#include "laxity/transport/ring_shape.hpp"
#include "laxity/transport/transport.hpp"

namespace laxity {

class MutexRing {
 public:
  static constexpr bool lossless = true;

  class Sender;
  class Receiver;

  /// Size of the 64-byte aligned memory of a ring of this shape, bytes.
  [[nodiscard]] static std::size_t bytes_needed(RingShape shape) {
    detail::require_valid(shape);
    return sizeof(Header) + (shape.depth + 1) * stride_of(shape);
  }

  /// Makes an empty ring; once, before either end attaches. Throws UsageError if the shape is out of range.
  static void initialize(std::byte* memory, RingShape shape) {
    detail::require_valid(shape);
    LAXITY_CHECK(reinterpret_cast<std::uintptr_t>(memory) % detail::cache_line == 0);
    new (memory) Header(shape);
    new (&View(memory).slot(0)) Slot();  // the empty frame shown first; other slots are made when they are written
  }

  /// Throws UsageError unless the ring in this memory has the shape; `ring` names it in the message.
  static void require_shape(const std::byte* memory, RingShape shape, const std::string& ring) {
    detail::require_same_shape(reinterpret_cast<const Header*>(memory)->shape, shape, ring);
  }

 private:
  struct Slot {
    std::uint64_t bytes = 0;
    [[nodiscard]] std::byte* payload() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
  };

  struct alignas(detail::cache_line) Header {
    explicit Header(RingShape s) noexcept : shape(s) {}
    detail::RobustMutex mutex;
    RingShape shape;
    std::uint64_t held = 0;  // guarded by mutex, written by the receiver
    std::uint64_t next = 1;  // guarded by mutex, written by the sender
  };

  // The ring as an end sees it, with its own copy of the shape.
  struct View {
    explicit View(std::byte* memory) : header(std::launder(reinterpret_cast<Header*>(memory))), shape(header->shape) {}
    [[nodiscard]] Slot& slot(std::uint64_t position) const noexcept {
      auto* slots = reinterpret_cast<std::byte*>(header + 1);
      return *reinterpret_cast<Slot*>(slots + position % (shape.depth + 1) * stride_of(shape));
    }
    [[nodiscard]] Header* operator->() const noexcept { return header; }
    Header* header;
    RingShape shape;  // constant
  };

  [[nodiscard]] static std::size_t stride_of(RingShape shape) noexcept {
    return detail::round_up(sizeof(Slot) + shape.frame_capacity, alignof(Slot));
  }

 public:
  /// The producer's end. One at a time may be attached to a ring.
  class Sender {
   public:
    static constexpr bool lossless = true;

    /// Attaches to an initialized ring and continues after the last published frame.
    explicit Sender(std::byte* memory) : ring_(memory) {
      const std::scoped_lock lock(ring_->mutex);
      next_ = ring_->next;
    }

    [[nodiscard]] std::size_t frame_capacity() const noexcept { return ring_.shape.frame_capacity; }

    /// Room for the next frame, or nullptr when `depth` frames wait.
    [[nodiscard]] std::byte* try_claim() noexcept {
      const std::scoped_lock lock(ring_->mutex);
      if (next_ - ring_->held > ring_.shape.depth) return nullptr;
      return ring_.slot(next_).payload();
    }

    void publish(std::size_t bytes) noexcept {
      LAXITY_DCHECK(bytes <= frame_capacity());
      ring_.slot(next_).bytes = bytes;
      const std::scoped_lock lock(ring_->mutex);
      ring_->next = ++next_;
    }

   private:
    View ring_;
    std::uint64_t next_ = 0;  // the position being written
  };

  /// The consumer's end. One at a time may be attached to a ring.
  class Receiver {
   public:
    /// Attaches to an initialized ring and shows the frame that was shown last.
    explicit Receiver(std::byte* memory) : ring_(memory) {
      const std::scoped_lock lock(ring_->mutex);
      held_ = ring_->held;
      show();
    }

    [[nodiscard]] std::size_t try_step(std::size_t limit) noexcept {
      const std::scoped_lock lock(ring_->mutex);
      const std::uint64_t moved = std::min<std::uint64_t>(limit, ring_->next - 1 - held_);
      if (moved == 0) return 0;
      held_ += moved;
      ring_->held = held_;
      show();
      return moved;
    }

    [[nodiscard]] std::size_t jump() noexcept { return try_step(ring_.shape.depth); }
    [[nodiscard]] std::span<const std::byte> frame() const noexcept { return frame_; }
    [[nodiscard]] std::uint64_t superseded() const noexcept { return 0; }

   private:
    void show() noexcept {
      Slot& slot = ring_.slot(held_);
      frame_ = {};
      if (const std::size_t bytes = slot.bytes; bytes <= ring_.shape.frame_capacity) frame_ = {slot.payload(), bytes};
    }

    View ring_;
    std::uint64_t held_ = 0;
    std::span<const std::byte> frame_;
  };
};

static_assert(Sender<MutexRing::Sender> && Receiver<MutexRing::Receiver>);

}  // namespace laxity
