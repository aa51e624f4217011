// A lossless queue of frames from a single producer to a single consumer (SPSC), which refuses when it is full.
//
// Frames have positions 0, 1, 2, ...; the frame at position p is in slot p % slots. A slot begins with its stamp: the
// low half of its position, and the frame's size. A frame is published by one store of the stamp, so that payload, size
// and flag share a cache line and a message costs one line transfer. There is no shared tail index.
//
// Invariants: the receiver shows the frame at position `held` (0: an empty frame) and has released all slots before
// position `released`, which is at most `held`; the sender writes position p only if p - released < slots, so the slot
// shown is never overwritten. A slot is published if its stamp has the position expected next. The stamps in memory are
// the only state, so an end that attaches continues where its predecessor was, even if that was killed at any point.
//
// The receiver of a deep ring releases several slots at a time, because the sender reads that word while it waits for
// room, and each store to it invalidates the sender's copy. The ring has that number of additional slots, so that
// always at least `depth` frames fit beyond the one shown, and in a ring of less than 128 never more.
//
// All calls are inlined, so that a loop around an end keeps the end's members in registers: between stores to lines
// that come from another core, one store of the sender to a line of its own doubles the time of a frame.
//
// Damage: an end keeps its own copy of the shape and of its position, so memory that another process has overwritten
// cannot lead it outside of the ring; a frame with a length that cannot be is shown as none.
//
// Memory: no pointers, only offsets; the same bytes may be mapped at different addresses. 64-byte aligned.
// Threads: one owns the Sender, one the Receiver; all calls are wait-free. When an end moves to another thread or
// process, the caller orders the last call of the old owner before the new one attaches (a join, a message, waitpid).
// Elsewhere: overwriting when full (overwriting_ring.hpp, latest_slot.hpp); memory for rings (segment.hpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>

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

  /// Size of the 64-byte aligned memory of a ring of this shape, bytes.
  [[nodiscard]] static std::size_t bytes_needed(RingShape shape) {
    detail::require_valid(shape);
    return sizeof(Header) + slots_of(shape) * stride_of(shape);
  }

  /// Makes an empty ring; once, before either end attaches. Tests of wrap-around set `first_position`. Throws
  /// UsageError if the shape is out of range.
  static void initialize(std::byte* memory, RingShape shape, std::uint64_t first_position = 0) {
    detail::require_valid(shape);
    LAXITY_CHECK(reinterpret_cast<std::uintptr_t>(memory) % detail::cache_line == 0);
    auto* header = new (memory) Header(shape, first_position);
    const std::uint64_t slots = slots_of(shape);
    for (std::uint64_t ahead = 0; ahead < slots; ++ahead) {
      const std::uint64_t position = first_position + ahead;
      const std::uint64_t holds =
          ahead == 0 ? position : position - slots;  // the position of one round before: not published
      new (Track(*header).at(position)) Slot(stamp_of(holds, 0));
    }
  }

  /// Throws UsageError unless the ring in this memory has the shape; `ring` names it in the message.
  static void require_shape(const std::byte* memory, RingShape shape, const std::string& ring) {
    detail::require_same_shape(reinterpret_cast<const Header*>(memory)->shape, shape, ring);
  }

 private:
  static constexpr AtomicSite publishes{1, std::memory_order_release};       // P1: publishes a frame, pairs with P2
  static constexpr AtomicSite sees_frame{2, std::memory_order_acquire};      // P2
  static constexpr AtomicSite releases_slots{3, std::memory_order_release};  // P3: releases slots, pairs with P4
  static constexpr AtomicSite sees_room{4, std::memory_order_acquire};       // P4
  static constexpr AtomicSite fills_batch{5, std::memory_order_relaxed};     // covered by P1 of the batch's first frame
  static constexpr AtomicSite reads_own{6, std::memory_order_relaxed};  // written by a predecessor on the same side
  static constexpr AtomicSite notes_own{7, std::memory_order_relaxed};  // for a successor on the same side
  static constexpr AtomicSite guesses{8, std::memory_order_relaxed};    // decides what to prefetch only

  using AtomicWord = typename Atomics::template Atomic<std::uint64_t>;

  struct Slot {
    explicit Slot(std::uint64_t first_stamp) noexcept : stamp(first_stamp) {}
    AtomicWord stamp;
    [[nodiscard]] std::byte* payload() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
  };

  struct Header {
    Header(RingShape s, std::uint64_t first_position) noexcept
        : shape(s), held(first_position), released(first_position) {}
    RingShape shape;                                  // constant
    alignas(detail::cache_line) AtomicWord held;      // the position shown; for a successor of the receiver
    alignas(detail::cache_line) AtomicWord released;  // all slots before it are free; written by the receiver
  };

  // The slots as this process maps them, used in circular order, and the prefetch distance: about thirty lines, which
  // covers the latency between cores. A ring of a few kilobytes does not prefetch, because the lines ahead are in use,
  // nor does one with large frames, which use the bandwidth of memory anyway.
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
    // The slot `bytes` after `slot`, which may be the end of the track: no slot yet.
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
    std::size_t ahead = 0;  // prefetch distance, bytes; 0: none
    std::size_t chunk = 0;  // bytes prefetched at a time: a slot, or the slots in four lines
  };

  [[nodiscard]] static std::size_t stride_of(RingShape shape) noexcept {
    return detail::round_up(sizeof(Slot) + shape.frame_capacity, alignof(Slot));
  }
  // The number of slots that the receiver may have passed without having released them.
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
  /// The producer's end. One at a time may be attached to a ring.
  class alignas(detail::cache_line) Sender {
   public:
    static constexpr bool lossless = true;

    /// Attaches to an initialized ring and continues after the last published frame.
    [[gnu::always_inline]] explicit Sender(std::byte* memory)
        : header_(std::launder(reinterpret_cast<Header*>(memory))),
          track_(*header_),
          released_seen_(header_->released.load(sees_room)),
          position_(released_seen_ + 1),
          slot_(track_.at(position_)),
          stop_(slot_) {
      const std::uint64_t beyond = released_seen_ + slots_;
      while (position_ != beyond && holds(slot_->stamp.load(reads_own), position_)) {
        ++position_;
        slot_ = track_.after(slot_);
      }
      stop_ = slot_;
      // Removes frames that a predecessor has staged and not flushed: they must not be published behind new ones.
      Slot* staged = slot_;
      for (std::uint64_t position = position_; position != beyond; ++position) {
        staged->stamp.store(stamp_of(position - 1, 0), fills_batch);
        staged = track_.after(staged);
      }
    }

    [[nodiscard]] std::size_t frame_capacity() const noexcept { return capacity_; }

    /// Room for the next frame, or nullptr when `depth` frames wait. A refusal publishes the staged frames.
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

    /// Completes the claimed frame, which flush() publishes: a batch needs fewer line transfers.
    [[gnu::always_inline]] void stage(std::size_t bytes) noexcept {
      LAXITY_DCHECK(bytes <= frame_capacity());
      Slot* const slot = slot_;
      const std::uint64_t stamp = stamp_of(position_, bytes);
      advance();
      if (batch_first_ == nullptr) {
        batch_first_ = slot;  // its stamp is stored by flush(); without it the receiver sees none of the batch
        batch_stamp_ = stamp;
      } else {
        slot->stamp.store(stamp, fills_batch);
      }
      if (slot_ >= prefetch_at_) prefetch();
    }

    /// Publishes all staged frames.
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

    // Wraps around at the end, checks for room, and sets stop_, before which claims need neither. False: no room.
    [[nodiscard, gnu::always_inline]] bool start_run() noexcept {
      slot_ = stop_ = track_.round(slot_);
      if (room() == 0) {
        released_seen_ = header_->released.load(sees_room);
        if (room() == 0) {
          flush();
          return false;
        }
      }
      stop_ = Track::behind(slot_, std::min(room(), track_.left(slot_)));
      prefetch_at_ = track_.ahead != 0 ? slot_ : track_.past();
      return true;
    }
    [[nodiscard]] std::size_t room() const noexcept { return (released_seen_ + slots_ - position_) * track_.stride; }

    // Prefetches slots that will be written soon, so that their lines have left the receiver's cache by then. Not a
    // slot that may hold an unread frame: the receiver would lose its lines just before it reads them.
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
    std::size_t capacity_ = header_->shape.frame_capacity;
    std::uint64_t slots_ = slots_of(header_->shape);
    std::uint64_t released_seen_;        // `released` when last read
    std::uint64_t position_;             // of the next frame
    Slot* slot_;                         // of the next frame
    Slot* stop_;                         // claims before it need not check the receiver or the end of the track
    Slot* prefetch_at_ = track_.past();  // frames before it need not prefetch
    Slot* batch_first_ = nullptr;
    std::uint64_t batch_stamp_ = 0;
  };

  /// The consumer's end. One at a time may be attached to a ring.
  class alignas(detail::cache_line) Receiver {
   public:
    /// Attaches to an initialized ring and shows the frame that was shown last.
    [[gnu::always_inline]] explicit Receiver(std::byte* memory)
        : header_(std::launder(reinterpret_cast<Header*>(memory))),
          track_(*header_),
          position_(header_->held.load(reads_own)),
          shown_(track_.at(position_)),
          keeps_(keeps(header_->shape)),
          released_(header_->released.load(reads_own)),
          slots_ahead_(track_.ahead / track_.stride),
          next_(track_.after(shown_)),
          stop_(next_) {
      release_slots(position_);  // those that a killed predecessor has not released
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
      release_slots(position);
      return moved;
    }

    [[nodiscard]] std::size_t jump() noexcept { return try_step(depth_ + keeps_); }
    [[nodiscard]] std::span<const std::byte> frame() const noexcept {
      const std::size_t bytes = shown_->stamp.load(reads_own) & 0xffffffffu;
      if (bytes > capacity_) [[unlikely]]
        return {};
      return {shown_->payload(), bytes};
    }
    [[nodiscard]] std::uint64_t superseded() const noexcept { return 0; }

   private:
    [[gnu::always_inline]] void release_slots(std::uint64_t position) noexcept {
      if (position - released_ <= keeps_) return;
      released_ = position;
      header_->released.store(position, releases_slots);
    }

    // Wraps around at the end, prefetches, and sets stop_, before which steps need neither.
    [[nodiscard, gnu::always_inline]] Slot* start_run(Slot* next, std::uint64_t position) noexcept {
      next = track_.round(next);
      std::size_t run = track_.left(next);
      if (track_.ahead != 0) run = std::min(run, prefetch(next, position));
      stop_ = Track::behind(next, run);
      return next;
    }

    // Prefetches the lines of a frame that is read soon, if many frames wait. If few wait, that would take them from
    // the sender, which is about to write there: so after a miss it does not try again for some frames. Returns the
    // bytes until the next attempt.
    [[nodiscard, gnu::always_inline]] std::size_t prefetch(Slot* next, std::uint64_t position) const noexcept {
      std::byte* const place = track_.ahead_of(next);
      const std::uint64_t stamp = reinterpret_cast<Slot*>(place)->stamp.load(guesses);
      if (!holds(stamp, position + 1 + slots_ahead_)) return pause_after_a_miss * track_.stride;
      detail::for_each_line_in(place, track_.chunk, detail::prefetch_for_reading);
      return track_.chunk;
    }

    static constexpr std::size_t pause_after_a_miss = 64;  // frames

    Header* header_;
    Track track_;
    std::size_t capacity_ = header_->shape.frame_capacity;
    std::size_t depth_ = header_->shape.depth;
    std::uint64_t position_;  // of the frame shown
    Slot* shown_;
    std::uint64_t keeps_;
    std::uint64_t released_;     // slots before it are released
    std::uint64_t slots_ahead_;  // prefetch distance
    Slot* next_;
    Slot* stop_;  // steps before it check stamps only
  };
};

using SpscRing = BasicSpscRing<>;

static_assert(Sender<SpscRing::Sender> && Receiver<SpscRing::Receiver>);

}  // namespace laxity
