// A lossless queue of frames from one producer to one consumer; refuses when full.
//
// Frames have positions 0, 1, 2, ...; the frame at position p lies in slot p % (depth + 1). A slot opens with its
// stamp: the low half of the position it holds, and the frame's size. Publishing is one store of the stamp, so that
// payload, size and flag travel in the same cache line and a message costs one line transfer. There is no shared tail
// index.
//
// Invariants: the receiver shows the frame at position `held` (0: an empty frame, there from the start); the sender
// writes position p only if p - held <= depth, so the slot shown is never overwritten and exactly `depth` frames fit
// beyond it. A slot whose stamp is that of the position expected next is published; the stamps in memory are the only
// truth, so an end that attaches, even after its predecessor was killed at any point, goes on where that one stood.
//
// Memory: no pointers, only offsets; the same bytes may be mapped at different addresses. 64-byte aligned.
// Threads: one owns the Sender, one the Receiver; all calls are wait-free. When an end moves to another thread or
// process, the caller orders the old owner's last call before the new one attaches (a join, a message, waitpid).
// Elsewhere: overwriting when full (overwriting_ring.hpp, latest_slot.hpp); memory to put it in (segment.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include "laxity/check.hpp"
#include "laxity/transport/atomics_policy.hpp"
#include "laxity/transport/ring_shape.hpp"
#include "laxity/transport/transport.hpp"

namespace laxity {

template <class Atomics = StdAtomics>
class BasicSpscRing {
 public:
  static constexpr bool lossless = true;

  class Sender;
  class Receiver;

  /// Bytes of 64-byte aligned memory that a ring of this shape takes.
  [[nodiscard]] static std::size_t bytes_needed(RingShape shape) {
    detail::require_valid(shape);
    return sizeof(Header) + (shape.depth + 1) * stride_of(shape);
  }

  /// Makes an empty ring; once, before either end attaches. `first_position` is where counting starts: tests of
  /// wrap-around set it. Throws UsageError if the shape is out of range.
  static void initialise(std::byte* memory, RingShape shape, std::uint64_t first_position = 0) {
    detail::require_valid(shape);
    LAXITY_CHECK(reinterpret_cast<std::uintptr_t>(memory) % detail::cache_line == 0);
    auto* header = new (memory) Header(shape, first_position);
    const std::uint64_t slots = shape.depth + 1;
    for (std::uint64_t ahead = 0; ahead < slots; ++ahead) {
      const std::uint64_t position = first_position + ahead;
      const std::uint64_t holds = ahead == 0 ? position : position - slots;  // "one lap ago": nothing published
      new (header->slot(position % slots)) Slot(stamp_of(holds, 0));
    }
  }

 private:
  static constexpr Site publishes{1, std::memory_order_release};    // P1: hands the frame over, pairs with P2
  static constexpr Site sees_frame{2, std::memory_order_acquire};   // P2
  static constexpr Site gives_back{3, std::memory_order_release};   // P3: hands passed slots back, pairs with P4
  static constexpr Site sees_room{4, std::memory_order_acquire};    // P4
  static constexpr Site fills_batch{5, std::memory_order_relaxed};  // covered by P1 of the batch's first frame
  static constexpr Site reads_own{6, std::memory_order_relaxed};    // what a predecessor of the same side wrote

  struct Slot {
    explicit Slot(std::uint64_t first_stamp) noexcept : stamp(first_stamp) {}
    typename Atomics::template Atomic<std::uint64_t> stamp;
    [[nodiscard]] std::byte* payload() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
  };

  struct Header {
    Header(RingShape s, std::uint64_t first_position) noexcept : shape(s), held(first_position) {}
    RingShape shape;                                                                    // constant
    alignas(detail::cache_line) typename Atomics::template Atomic<std::uint64_t> held;  // written by the receiver
    [[nodiscard]] std::byte* slots() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
    [[nodiscard]] Slot* slot(std::uint64_t number) noexcept {
      return reinterpret_cast<Slot*>(slots() + number * stride_of(shape));
    }
  };

  [[nodiscard]] static std::size_t stride_of(RingShape shape) noexcept {
    return detail::round_up(sizeof(Slot) + shape.frame_capacity, alignof(Slot));
  }
  [[nodiscard]] static std::uint64_t stamp_of(std::uint64_t position, std::size_t bytes) noexcept {
    return position << 32 | bytes;
  }
  [[nodiscard]] static bool holds(std::uint64_t stamp, std::uint64_t position) noexcept {
    return stamp >> 32 == (position & 0xffffffffu);
  }

  // A place in the ring: a position and its slot, moved together so that no division is needed on the way.
  struct Cursor {
    Cursor(Header& header, std::uint64_t at)
        : position(at),
          stride(stride_of(header.shape)),
          first(header.slots()),
          last(first + header.shape.depth * stride),
          place(first + at % (header.shape.depth + 1) * stride) {}
    [[nodiscard]] Slot& slot() const noexcept { return *reinterpret_cast<Slot*>(place); }
    [[nodiscard]] Slot& next_slot() const noexcept {
      return *reinterpret_cast<Slot*>(place == last ? first : place + stride);
    }
    void advance() noexcept {
      ++position;
      place = place == last ? first : place + stride;
    }
    std::uint64_t position;
    std::size_t stride;
    std::byte* first;
    std::byte* last;
    std::byte* place;
  };

 public:
  /// The producer's end. Several may follow one another on the same memory, one at a time.
  class Sender {
   public:
    static constexpr bool lossless = true;

    /// Attaches to an initialised ring and goes on behind the last published frame.
    explicit Sender(std::byte* memory)
        : header_(std::launder(reinterpret_cast<Header*>(memory))),
          held_seen_(header_->held.load(sees_room)),
          next_(*header_, held_seen_ + 1) {
      const std::uint64_t newest_possible = held_seen_ + header_->shape.depth;
      while (next_.position != newest_possible + 1 && holds(next_.slot().stamp.load(reads_own), next_.position)) {
        next_.advance();
      }
      // A predecessor may have staged frames and never flushed them: they must not come alive behind ours.
      for (Cursor staged = next_; staged.position != newest_possible + 1; staged.advance()) {
        staged.slot().stamp.store(stamp_of(staged.position - 1, 0), fills_batch);
      }
    }

    [[nodiscard]] std::size_t frame_capacity() const noexcept { return header_->shape.frame_capacity; }

    /// Room for the next frame, or nullptr when `depth` frames wait. A refusal publishes what is staged.
    [[nodiscard]] std::byte* try_claim() noexcept {
      if (is_full()) {
        held_seen_ = header_->held.load(sees_room);
        if (is_full()) {
          flush();
          return nullptr;
        }
      }
      return next_.slot().payload();
    }

    /// Makes the claimed frame visible at once, and all staged ones before it.
    void publish(std::size_t bytes) noexcept {
      stage(bytes);
      flush();
    }

    /// Finishes the claimed frame but may keep it from the receiver until flush(): a batch costs fewer line transfers.
    void stage(std::size_t bytes) noexcept {
      LAXITY_DCHECK(bytes <= frame_capacity());
      const std::uint64_t stamp = stamp_of(next_.position, bytes);
      if (batch_first_ == nullptr) {
        batch_first_ =
            &next_.slot();  // its stamp waits for the flush; without it the receiver reaches none of the batch
        batch_stamp_ = stamp;
      } else {
        next_.slot().stamp.store(stamp, fills_batch);
      }
      next_.advance();
    }

    /// Makes all staged frames visible.
    void flush() noexcept {
      if (batch_first_ == nullptr) return;
      batch_first_->stamp.store(batch_stamp_, publishes);
      batch_first_ = nullptr;
    }

   private:
    [[nodiscard]] bool is_full() const noexcept { return next_.position - held_seen_ > header_->shape.depth; }

    Header* header_;
    std::uint64_t held_seen_;  // the receiver's position when last looked at
    Cursor next_;
    Slot* batch_first_ = nullptr;
    std::uint64_t batch_stamp_ = 0;
  };

  /// The consumer's end. Several may follow one another on the same memory, one at a time.
  class Receiver {
   public:
    /// Attaches to an initialised ring and shows the frame that was shown last.
    explicit Receiver(std::byte* memory)
        : header_(std::launder(reinterpret_cast<Header*>(memory))), shown_(*header_, header_->held.load(reads_own)) {
      show(shown_.slot().stamp.load(reads_own));
    }

    [[nodiscard]] std::size_t try_step(std::size_t limit) noexcept {
      std::size_t moved = 0;
      std::uint64_t stamp = 0;
      while (moved < limit) {
        const std::uint64_t next_stamp = shown_.next_slot().stamp.load(sees_frame);
        if (!holds(next_stamp, shown_.position + 1)) break;
        shown_.advance();
        stamp = next_stamp;
        ++moved;
      }
      if (moved != 0) {
        header_->held.store(shown_.position, gives_back);
        show(stamp);
      }
      return moved;
    }

    [[nodiscard]] std::size_t jump() noexcept { return try_step(header_->shape.depth); }
    [[nodiscard]] std::span<const std::byte> frame() const noexcept { return frame_; }
    [[nodiscard]] std::uint64_t superseded() const noexcept { return 0; }

   private:
    void show(std::uint64_t stamp) noexcept { frame_ = {shown_.slot().payload(), stamp & 0xffffffffu}; }

    Header* header_;
    Cursor shown_;
    std::span<const std::byte> frame_;
  };
};

using SpscRing = BasicSpscRing<>;

static_assert(Sender<SpscRing::Sender> && Receiver<SpscRing::Receiver>);

}  // namespace laxity
