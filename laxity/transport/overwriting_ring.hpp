// A lossy queue of the newest `depth` frames: it never refuses; a frame that is not read in time is superseded.
//
// It generalizes the triple buffer. There are depth + 2 frames: one in each of `depth` entries, a spare one that the
// sender writes, and the one that the receiver shows. An entry is one word: a frame's index, its sequence number, and a
// flag that it is full. The sender publishes by exchanging the spare frame with that of entry (sequence % depth); the
// receiver exchanges the frame it has shown with a full one. Each side does one exchange and no loop that the other could
// prolong: both are wait-free.
//
// Invariants: every frame is in exactly one place (an entry, the sender, the receiver), so no frame is written and read at
// the same time. The receiver accepts only full entries with numbers that it has not passed, so no frame is shown twice.
// Moved + superseded = the difference of sequence numbers: accounting is exact by construction. A receiver that is
// overtaken while it exchanges the oldest frame gets the newest one; those in between count as superseded.
//
// Memory: no pointers, only offsets; the same bytes may be mapped at different addresses. 64-byte aligned.
// Threads: one owns the Sender, one the Receiver. When an end moves to another thread or process, the caller orders the
// last call of the old owner before the new one attaches (a join, a message, waitpid). If an end was killed between its
// exchange and the record for its successor, the ring must be initialized again.
//
// Elsewhere: depth 1 (latest_slot.hpp); the queue that refuses (spsc_ring.hpp).
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
class BasicOverwritingRing {
 public:
  static constexpr bool lossless = false;

  class Sender;
  class Receiver;

  /// Size of the 64-byte aligned memory of a ring of this shape, bytes.
  [[nodiscard]] static std::size_t bytes_needed(RingShape shape) {
    detail::require_valid(shape);
    return sizeof(Header) + shape.depth * sizeof(Entry) + (shape.depth + 2) * stride_of(shape);
  }

  /// Makes an empty ring; once, before either end attaches. Tests of wrap-around set `first_sequence`. Throws UsageError if the shape is out of range.
  static void initialize(std::byte* memory, RingShape shape, std::uint64_t first_sequence = 1) {
    detail::require_valid(shape);
    LAXITY_CHECK(reinterpret_cast<std::uintptr_t>(memory) % detail::cache_line == 0);
    const std::uint64_t depth = shape.depth;
    auto* header = new (memory) Header(shape, first_sequence);
    for (std::uint64_t number = 0; number < depth; ++number) {
      new (header->entries() + number) Entry(Word(first_sequence - 1, number, false));
    }
    for (std::uint64_t number = 0; number < depth + 2; ++number) new (&header->frame(number)) Frame();
  }

  /// Throws UsageError unless the ring in this memory has the shape; `ring` names it in the message.
  static void require_shape(const std::byte* memory, RingShape shape, const std::string& ring) {
    detail::require_same_shape(reinterpret_cast<const Header*>(memory)->shape, shape, ring);
  }

 private:
  static constexpr Site publishes{1, std::memory_order_acq_rel};  // P1: exchanges frames; pairs with P2 both ways
  static constexpr Site exchanges{2, std::memory_order_acq_rel};  // P2
  static constexpr Site peeks{3, std::memory_order_relaxed};      // a hint, or followed by P2
  static constexpr Site records{4, std::memory_order_relaxed};    // read by a successor on the same side only
  static constexpr Site reads_own{5, std::memory_order_relaxed};  // written by a predecessor on the same side

  // The value of an entry: the low 43 bits of a sequence number, the index of a frame (20 bits), and the flag that it is
  // full. Differences are right as long as the ends are less than 2^42 frames apart.
  class Word {
   public:
    Word(std::uint64_t sequence, std::uint64_t frame, bool full) noexcept
        : bits_(sequence << 21 | frame << 1 | (full ? 1 : 0)) {}
    explicit Word(std::uint64_t bits) noexcept : bits_(bits) {}
    [[nodiscard]] std::uint64_t bits() const noexcept { return bits_; }
    [[nodiscard]] bool full() const noexcept { return (bits_ & 1) != 0; }
    [[nodiscard]] std::uint64_t frame() const noexcept { return bits_ >> 1 & 0xfffff; }
    /// This word's sequence number minus another one.
    [[nodiscard]] std::int64_t ahead_of(std::uint64_t sequence) const noexcept {
      return static_cast<std::int64_t>((bits_ >> 21 << 21) - (sequence << 21)) >> 21;
    }

   private:
    std::uint64_t bits_;
  };
  using AtomicWord = typename Atomics::template Atomic<std::uint64_t>;

  struct alignas(detail::cache_line) Entry {
    explicit Entry(Word first) noexcept : word(first.bits()) {}
    AtomicWord word;
  };

  struct Frame {
    typename Atomics::template Plain<std::uint64_t> bytes{0};
    [[nodiscard]] std::byte* payload() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
  };

  // The state of an end, for its successor; that of the receiver is also read by a sender with a limit.
  struct alignas(detail::cache_line) Record {
    Record(std::uint64_t sequence, std::uint64_t frame_number) noexcept
        : next(sequence), frame(frame_number), superseded(0) {}
    AtomicWord next;        // sequence number written or expected next
    AtomicWord frame;       // the frame it owns
    AtomicWord superseded;  // receiver only
  };

  struct Header {
    Header(RingShape s, std::uint64_t first_sequence) noexcept
        : shape(s), sender(first_sequence, s.depth), receiver(first_sequence, s.depth + 1) {}
    RingShape shape;  // constant
    Record sender;
    Record receiver;

    [[nodiscard]] Entry* entries() noexcept { return reinterpret_cast<Entry*>(this + 1); }
    [[nodiscard]] Entry& entry(std::uint64_t sequence) noexcept { return entries()[sequence % shape.depth]; }
    [[nodiscard]] Frame& frame(std::uint64_t number) noexcept {
      return *reinterpret_cast<Frame*>(reinterpret_cast<std::byte*>(entries() + shape.depth) +
                                       number * stride_of(shape));
    }
  };

  [[nodiscard]] static std::size_t stride_of(RingShape shape) noexcept {
    return detail::round_up(sizeof(Frame) + shape.frame_capacity, detail::cache_line);
  }

 public:
  /// The producer's end. One at a time may be attached to a ring.
  class Sender {
   public:
    static constexpr bool lossless = false;

    /// Attaches to an initialized ring and continues after the last published frame.
    explicit Sender(std::byte* memory) : header_(std::launder(reinterpret_cast<Header*>(memory))) {
      next_ = header_->sender.next.load(reads_own);
      passed_seen_ = header_->receiver.next.load(peeks);
      spare_ = header_->sender.frame.load(reads_own);
    }

    [[nodiscard]] std::size_t frame_capacity() const noexcept { return header_->shape.frame_capacity; }

    /// Room for the next frame; never refuses.
    [[nodiscard]] std::byte* try_claim() noexcept { return header_->frame(spare_).payload(); }

    /// True if at least this number of published frames wait that the receiver has not passed, as far as is known here:
    /// the receiver may have moved further, so a sender with a limit may refuse too often, never too seldom.
    [[nodiscard]] bool are_waiting(std::uint64_t frames) noexcept {
      if (next_ - passed_seen_ >= frames) passed_seen_ = header_->receiver.next.load(peeks);
      return next_ - passed_seen_ >= frames;
    }

    /// Makes the claimed frame visible; supersedes the oldest when `depth` frames wait.
    void publish(std::size_t bytes) noexcept {
      LAXITY_DCHECK(bytes <= frame_capacity());
      header_->frame(spare_).bytes.set(bytes);
      const Word displaced(header_->entry(next_).word.exchange(Word(next_, spare_, true).bits(), publishes));
      spare_ = displaced.frame();
      ++next_;
      header_->sender.next.store(next_, records);
      header_->sender.frame.store(spare_, records);
    }

   private:
    Header* header_;
    std::uint64_t next_;         // sequence number of the frame being written
    std::uint64_t spare_;        // the frame being written
    std::uint64_t passed_seen_;  // the sequence number that the receiver expected when last read
  };

  /// The consumer's end. One at a time may be attached to a ring.
  class Receiver {
   public:
    /// Attaches to an initialized ring and shows the frame that was shown last.
    explicit Receiver(std::byte* memory) : header_(std::launder(reinterpret_cast<Header*>(memory))) {
      next_ = header_->receiver.next.load(reads_own);
      superseded_ = header_->receiver.superseded.load(reads_own);
      show(header_->receiver.frame.load(reads_own));
    }

    [[nodiscard]] std::size_t try_step(std::size_t limit) noexcept {
      const std::uint64_t depth = header_->shape.depth;
      Word oldest(header_->entry(next_).word.load(peeks));
      if (limit == 0 || !oldest.full() || oldest.ahead_of(next_) < 0) return 0;
      // Moves to the oldest frame that is left. The sender may publish meanwhile, so the search is bounded.
      for (std::uint64_t tries = 0; tries < depth && oldest.ahead_of(next_) > 0; ++tries) {
        supersede(static_cast<std::uint64_t>(oldest.ahead_of(next_)) - depth + 1);  // ahead by a multiple of depth
        oldest = Word(header_->entry(next_).word.load(peeks));
      }
      return take(last_of_run(std::min<std::uint64_t>(limit, depth)));
    }

    [[nodiscard]] std::size_t jump() noexcept { return try_step(header_->shape.depth); }
    [[nodiscard]] std::span<const std::byte> frame() const noexcept { return frame_; }
    [[nodiscard]] std::uint64_t superseded() const noexcept { return superseded_; }

   private:
    // The last of up to `limit` full entries with consecutive numbers from next_, at least next_ itself.
    [[nodiscard]] std::uint64_t last_of_run(std::uint64_t limit) noexcept {
      std::uint64_t last = next_;
      for (; last - next_ + 1 < limit; ++last) {
        const Word following(header_->entry(last + 1).word.load(peeks));
        if (!following.full() || following.ahead_of(last + 1) != 0) break;
      }
      return last;
    }

    // Shows the frame of `wanted`, or a newer one that has replaced it. Returns the number of frames moved.
    [[nodiscard]] std::size_t take(std::uint64_t wanted) noexcept {
      const Word found(header_->entry(wanted).word.exchange(Word(wanted, shown_, false).bits(), exchanges));
      std::uint64_t moved = wanted - next_ + 1;
      if (const std::int64_t overtaken = found.ahead_of(wanted); overtaken > 0) {
        supersede(moved - 1 + static_cast<std::uint64_t>(overtaken));
        moved = 1;
      }
      next_ += moved;
      show(found.frame());
      header_->receiver.next.store(next_, records);
      header_->receiver.frame.store(shown_, records);
      return moved;
    }

    void supersede(std::uint64_t frames) noexcept {
      next_ += frames;
      superseded_ += frames;
      header_->receiver.superseded.store(superseded_, records);
    }

    void show(std::uint64_t number) noexcept {
      shown_ = number;
      Frame& frame = header_->frame(number);
      frame_ = {frame.payload(), frame.bytes.get()};
    }

    Header* header_;
    std::uint64_t next_;   // sequence number of the frame expected next
    std::uint64_t shown_;  // the frame shown
    std::uint64_t superseded_;
    std::span<const std::byte> frame_;
  };
};

using OverwritingRing = BasicOverwritingRing<>;

static_assert(Sender<OverwritingRing::Sender> && Receiver<OverwritingRing::Receiver>);

}  // namespace laxity
