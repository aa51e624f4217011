// A lossless queue of frames from one producer to one consumer; refuses when full.
//
// Frames have positions 0, 1, 2, ...; the frame at position p lies in slot p % slots. A slot opens with its stamp: the
// low half of the position it holds, and the frame's size. Publishing is one store of the stamp, so that payload, size
// and flag travel in the same cache line and a message costs one line transfer. There is no shared tail index.
//
// Invariants: the receiver shows the frame at position `held` (0: an empty frame, there from the start) and has given
// back all slots before position `returned`, which is at most `held`; the sender writes position p only if
// p - returned < slots, so the slot shown is never overwritten. A slot whose stamp is that of the position expected next
// is published; the stamps in memory are the only truth, so an end that attaches, even after its predecessor was killed
// at any point, goes on where that one stood.
//
// A receiver of a deep ring gives slots back some at a time: a sender that waits for room looks at that word, and each
// write to it takes it away. The ring has as many slots more, so that always at least `depth` frames fit beyond the one
// shown, and in a ring of fewer than 128 never more.
//
// Calls are inlined throughout, so that a loop around an end keeps the end's words in registers: between stores to lines
// that come from another core, one store of the sender to a line of its own doubles the time of a frame.
//
// Memory: no pointers, only offsets; the same bytes may be mapped at different addresses. 64-byte aligned.
// Threads: one owns the Sender, one the Receiver; all calls are wait-free. When an end moves to another thread or
// process, the caller orders the old owner's last call before the new one attaches (a join, a message, waitpid).
// Elsewhere: overwriting when full (overwriting_ring.hpp, latest_slot.hpp); memory to put it in (segment.hpp).
#pragma once

#include <algorithm>
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
    return sizeof(Header) + slots_of(shape) * stride_of(shape);
  }

  /// Makes an empty ring; once, before either end attaches. `first_position` is where counting starts: tests of
  /// wrap-around set it. Throws UsageError if the shape is out of range.
  static void initialize(std::byte* memory, RingShape shape, std::uint64_t first_position = 0) {
    detail::require_valid(shape);
    LAXITY_CHECK(reinterpret_cast<std::uintptr_t>(memory) % detail::cache_line == 0);
    auto* header = new (memory) Header(shape, first_position);
    const std::uint64_t slots = slots_of(shape);
    for (std::uint64_t ahead = 0; ahead < slots; ++ahead) {
      const std::uint64_t position = first_position + ahead;
      const std::uint64_t holds = ahead == 0 ? position : position - slots;  // "one lap ago": nothing published
      new (Track(*header).at(position)) Slot(stamp_of(holds, 0));
    }
  }

 private:
  static constexpr Site publishes{1, std::memory_order_release};    // P1: hands the frame over, pairs with P2
  static constexpr Site sees_frame{2, std::memory_order_acquire};   // P2
  static constexpr Site gives_back{3, std::memory_order_release};   // P3: hands passed slots back, pairs with P4
  static constexpr Site sees_room{4, std::memory_order_acquire};    // P4
  static constexpr Site fills_batch{5, std::memory_order_relaxed};  // covered by P1 of the batch's first frame
  static constexpr Site reads_own{6, std::memory_order_relaxed};    // what a predecessor of the same side wrote
  static constexpr Site notes_own{7, std::memory_order_relaxed};    // for a successor on the same side
  static constexpr Site guesses{8, std::memory_order_relaxed};      // decides what to prefetch, and nothing else

  using AtomicWord = typename Atomics::template Atomic<std::uint64_t>;

  struct Slot {
    explicit Slot(std::uint64_t first_stamp) noexcept : stamp(first_stamp) {}
    AtomicWord stamp;
    [[nodiscard]] std::byte* payload() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
  };

  struct Header {
    Header(RingShape s, std::uint64_t first_position) noexcept
        : shape(s), held(first_position), returned(first_position) {}
    RingShape shape;                                  // constant
    alignas(detail::cache_line) AtomicWord held;      // the position shown; the receiver's, for its successor
    alignas(detail::cache_line) AtomicWord returned;  // what the sender may count on; written by the receiver
  };

  // The slots where this process sees them, one after the other and round again, and how far ahead of its own an end
  // prefetches: some thirty lines, which covers the latency between cores. Not at all in a ring of a few kilobytes, because
  // the lines ahead are in use there, nor with large frames, which keep the memory system busy by themselves.
  struct Track {
    explicit Track(Header& header) noexcept
        : stride(stride_of(header.shape)),
          first(reinterpret_cast<std::byte*>(&header + 1)),
          end(first + slots_of(header.shape) * stride) {
      constexpr std::size_t distance = 2048;
      if (stride <= distance / 2 && static_cast<std::size_t>(end - first) >= 2 * distance) {
        ahead = distance / stride * stride;
        chunk = std::max(4 * detail::cache_line / stride, std::size_t{1}) * stride;
      }
    }
    [[nodiscard]] Slot* at(std::uint64_t position) const noexcept {
      const std::uint64_t slots = static_cast<std::uint64_t>(end - first) / stride;
      return reinterpret_cast<Slot*>(first + position % slots * stride);
    }
    // What lies `bytes` (at most what is left of the track) behind `slot`; the end is no slot yet.
    [[nodiscard]] static Slot* behind(Slot* slot, std::size_t bytes) noexcept {
      return reinterpret_cast<Slot*>(reinterpret_cast<std::byte*>(slot) + bytes);
    }
    [[nodiscard]] Slot* past() const noexcept { return reinterpret_cast<Slot*>(end); }
    [[nodiscard]] std::size_t left(Slot* slot) const noexcept {
      return static_cast<std::size_t>(end - reinterpret_cast<std::byte*>(slot));
    }
    [[nodiscard]] Slot* round(Slot* slot) const noexcept {
      return left(slot) == 0 ? reinterpret_cast<Slot*>(first) : slot;
    }
    [[nodiscard]] Slot* after(Slot* slot) const noexcept { return round(behind(slot, stride)); }
    [[nodiscard]] std::byte* ahead_of(Slot* slot) const noexcept {
      std::byte* const place = reinterpret_cast<std::byte*>(slot) + ahead;
      return place < end ? place : place - (end - first);
    }
    std::size_t stride;
    std::byte* first;
    std::byte* end;
    std::size_t ahead = 0;  // bytes; 0: does not prefetch
    std::size_t chunk = 0;  // bytes prefetched at a time: a slot, or as many as four lines hold
  };

  [[nodiscard]] static std::size_t stride_of(RingShape shape) noexcept {
    return detail::round_up(sizeof(Slot) + shape.frame_capacity, alignof(Slot));
  }
  // Slots that the receiver may have passed without having given them back.
  [[nodiscard]] static std::uint64_t keeps(RingShape shape) noexcept {
    return shape.depth < 128 ? 0 : shape.depth / 64;
  }
  [[nodiscard]] static std::uint64_t slots_of(RingShape shape) noexcept { return shape.depth + keeps(shape) + 1; }
  [[nodiscard]] static std::uint64_t stamp_of(std::uint64_t position, std::size_t bytes) noexcept {
    return position << 32 | bytes;
  }
  [[nodiscard]] static bool holds(std::uint64_t stamp, std::uint64_t position) noexcept {
    return stamp >> 32 == (position & 0xffffffffu);
  }

 public:
  /// The producer's end. Several may follow one another on the same memory, one at a time.
  class alignas(detail::cache_line) Sender {
   public:
    static constexpr bool lossless = true;

    /// Attaches to an initialized ring and goes on behind the last published frame.
    [[gnu::always_inline]] explicit Sender(std::byte* memory)
        : header_(std::launder(reinterpret_cast<Header*>(memory))),
          track_(*header_),
          returned_seen_(header_->returned.load(sees_room)),
          position_(returned_seen_ + 1),
          slot_(track_.at(position_)),
          stop_(slot_) {
      const std::uint64_t beyond = returned_seen_ + slots_;
      while (position_ != beyond && holds(slot_->stamp.load(reads_own), position_)) {
        ++position_;
        slot_ = track_.after(slot_);
      }
      stop_ = slot_;
      // A predecessor may have staged frames and never flushed them: they must not come alive behind ours.
      Slot* staged = slot_;
      for (std::uint64_t position = position_; position != beyond; ++position) {
        staged->stamp.store(stamp_of(position - 1, 0), fills_batch);
        staged = track_.after(staged);
      }
    }

    [[nodiscard]] std::size_t frame_capacity() const noexcept { return header_->shape.frame_capacity; }

    /// Room for the next frame, or nullptr when `depth` frames wait. A refusal publishes what is staged.
    [[nodiscard, gnu::always_inline]] std::byte* try_claim() noexcept {
      if (slot_ >= stop_ && !start_run()) return nullptr;
      return slot_->payload();
    }

    /// Makes the claimed frame visible at once, and all staged ones before it.
    [[gnu::always_inline]] void publish(std::size_t bytes) noexcept {
      LAXITY_DCHECK(bytes <= frame_capacity());
      Slot* const slot = slot_;
      const std::uint64_t stamp = stamp_of(position_, bytes);
      advance();
      slot->stamp.store(stamp, publishes);
      flush();
      if (slot_ >= prefetch_at_) prefetch();
    }

    /// Finishes the claimed frame but keeps it from the receiver until flush(): a batch costs fewer line transfers.
    [[gnu::always_inline]] void stage(std::size_t bytes) noexcept {
      LAXITY_DCHECK(bytes <= frame_capacity());
      Slot* const slot = slot_;
      const std::uint64_t stamp = stamp_of(position_, bytes);
      advance();
      if (batch_first_ == nullptr) {
        batch_first_ = slot;  // its stamp waits for the flush; without it the receiver reaches none of the batch
        batch_stamp_ = stamp;
      } else {
        slot->stamp.store(stamp, fills_batch);
      }
      if (slot_ >= prefetch_at_) prefetch();
    }

    /// Makes all staged frames visible.
    [[gnu::always_inline]] void flush() noexcept {
      if (batch_first_ == nullptr) return;
      batch_first_->stamp.store(batch_stamp_, publishes);
      batch_first_ = nullptr;
    }

   private:
    [[gnu::always_inline]] void advance() noexcept {
      slot_ = Track::behind(slot_, track_.stride);
      ++position_;
    }

    // Goes round the end, looks for room, and sets stop_ so that the next claims need none of it. False: no room.
    [[nodiscard, gnu::always_inline]] bool start_run() noexcept {
      slot_ = stop_ = track_.round(slot_);
      if (room() == 0) {
        returned_seen_ = header_->returned.load(sees_room);
        if (room() == 0) {
          flush();
          return false;
        }
      }
      stop_ = Track::behind(slot_, std::min(room(), track_.left(slot_)));
      prefetch_at_ = track_.ahead != 0 ? slot_ : track_.past();
      return true;
    }
    [[nodiscard]] std::size_t room() const noexcept { return (returned_seen_ + slots_ - position_) * track_.stride; }

    // Asks for slots that will be written in a while, so that their lines have left the receiver's cache by then. Not for
    // one that may hold a frame unread: that would take its lines from the receiver just before it comes to read them.
    [[gnu::always_inline]] void prefetch() noexcept {
      if (room() < track_.ahead + track_.chunk) {
        prefetch_at_ = track_.past();
        return;
      }
      const std::byte* const place = track_.ahead_of(slot_);
      for (std::size_t line = 0; line < track_.chunk; line += detail::cache_line) {
        detail::prefetch_for_writing(place + line);
      }
      prefetch_at_ = Track::behind(slot_, track_.chunk);
    }

    Header* header_;
    Track track_;
    std::uint64_t slots_ = slots_of(header_->shape);
    std::uint64_t returned_seen_;        // what the receiver had given back when last looked at
    std::uint64_t position_;             // of the frame written next
    Slot* slot_;                         // where it goes
    Slot* stop_;                         // claims before it need not look at the receiver or the end of the track
    Slot* prefetch_at_ = track_.past();  // frames that end before it need not prefetch
    Slot* batch_first_ = nullptr;
    std::uint64_t batch_stamp_ = 0;
  };

  /// The consumer's end. Several may follow one another on the same memory, one at a time.
  class alignas(detail::cache_line) Receiver {
   public:
    /// Attaches to an initialized ring and shows the frame that was shown last.
    [[gnu::always_inline]] explicit Receiver(std::byte* memory)
        : header_(std::launder(reinterpret_cast<Header*>(memory))),
          track_(*header_),
          position_(header_->held.load(reads_own)),
          shown_(track_.at(position_)),
          keeps_(keeps(header_->shape)),
          returned_(header_->returned.load(reads_own)),
          slots_ahead_(track_.ahead / track_.stride),
          next_(track_.after(shown_)),
          stop_(next_) {
      give_back(position_);  // what a predecessor that was killed had no time for
    }

    [[nodiscard, gnu::always_inline]] std::size_t try_step(std::size_t limit) noexcept {
      std::uint64_t position = position_;
      Slot* shown = shown_;
      Slot* next = next_;
      std::size_t moved = 0;
      for (; moved < limit && holds(next->stamp.load(sees_frame), position + 1); ++moved) {
        ++position;
        shown = next;
        next = Track::behind(next, track_.stride);
        if (next >= stop_) next = start_run(next, position);
      }
      if (moved == 0) return 0;
      position_ = position;
      next_ = next;
      shown_ = shown;
      header_->held.store(position, notes_own);
      give_back(position);
      return moved;
    }

    [[nodiscard]] std::size_t jump() noexcept { return try_step(header_->shape.depth + keeps_); }
    [[nodiscard]] std::span<const std::byte> frame() const noexcept {
      return {shown_->payload(), shown_->stamp.load(reads_own) & 0xffffffffu};
    }
    [[nodiscard]] std::uint64_t superseded() const noexcept { return 0; }

   private:
    [[gnu::always_inline]] void give_back(std::uint64_t position) noexcept {
      if (position - returned_ <= keeps_) return;
      returned_ = position;
      header_->returned.store(position, gives_back);
    }

    // Goes round the end, prefetches, and sets stop_ so that the next steps need nothing of it.
    [[nodiscard, gnu::always_inline]] Slot* start_run(Slot* next, std::uint64_t position) noexcept {
      next = track_.round(next);
      std::size_t run = track_.left(next);
      if (track_.ahead != 0) run = std::min(run, prefetch(next, position));
      stop_ = Track::behind(next, run);
      return next;
    }

    // While many frames wait, asks for the lines of one that comes in a while. While few do, that would take them from the
    // sender, which is about to write there: so a look that finds nothing is the last for some frames. Returns the bytes
    // until the next look.
    [[nodiscard, gnu::always_inline]] std::size_t prefetch(Slot* next, std::uint64_t position) const noexcept {
      std::byte* const place = track_.ahead_of(next);
      const std::uint64_t stamp = reinterpret_cast<Slot*>(place)->stamp.load(guesses);
      if (!holds(stamp, position + 1 + slots_ahead_)) return pause_after_a_miss * track_.stride;
      detail::each_line_opening_in(place, track_.chunk, detail::prefetch_for_reading);
      return track_.chunk;
    }

    static constexpr std::size_t pause_after_a_miss = 64;  // frames

    Header* header_;
    Track track_;
    std::uint64_t position_;  // of the frame shown
    Slot* shown_;
    std::uint64_t keeps_;
    std::uint64_t returned_;     // up to here slots were given back
    std::uint64_t slots_ahead_;  // of the next, the one prefetched
    Slot* next_;
    Slot* stop_;  // before it there is nothing but stamps to look at
  };
};

using SpscRing = BasicSpscRing<>;

static_assert(Sender<SpscRing::Sender> && Receiver<SpscRing::Receiver>);

}  // namespace laxity
