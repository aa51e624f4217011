// A lossy queue of the newest `depth` frames: never refuses, a frame that is not taken in time is superseded.
//
// A triple buffer made wider. There are depth + 2 frames: one in each of `depth` entries, a spare one that the sender
// writes, and the one that the receiver shows. An entry is one word: a frame's number, its sequence number, and whether
// it is full. Publishing exchanges the spare frame into entry (sequence % depth) and gets back the frame that lay
// there; taking exchanges the shown frame for a full one. Each side does one exchange and no loop that the other could
// prolong: both are wait-free.
//
// Invariants: every frame is in exactly one place (an entry, the sender, the receiver), so nobody writes what another
// reads. The receiver takes only full entries with numbers it has not passed, so nothing old comes back. Moved +
// superseded = the distance in sequence numbers: accounting is exact by construction. A receiver that is overtaken
// in the middle of taking the oldest frame gets the newest one; those in between count as superseded.
//
// Memory: no pointers, only offsets; the same bytes may be mapped at different addresses. 64-byte aligned.
// Threads: one owns the Sender, one the Receiver. When an end moves to another thread or process, the caller orders the
// old owner's last call before the new one attaches (a join, a message, waitpid). An end that was killed between its
// exchange and the record it keeps for its successor leaves a ring that must be initialized anew.
//
// Elsewhere: depth 1 (latest_slot.hpp); the queue that refuses (spsc_ring.hpp).
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
class BasicOverwritingRing {
 public:
  static constexpr bool lossless = false;

  class Sender;
  class Receiver;

  /// Bytes of 64-byte aligned memory that a ring of this shape takes.
  [[nodiscard]] static std::size_t bytes_needed(RingShape shape) {
    detail::require_valid(shape);
    return sizeof(Header) + shape.depth * sizeof(Entry) + (shape.depth + 2) * stride_of(shape);
  }

  /// Makes an empty ring; once, before either end attaches. `first_sequence` is where counting starts: tests of
  /// wrap-around set it. Throws UsageError if the shape is out of range.
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

 private:
  static constexpr Site puts{
      1, std::memory_order_acq_rel};  // P1: hands a frame over, gets one back; pairs with P2 both ways
  static constexpr Site takes{2, std::memory_order_acq_rel};      // P2
  static constexpr Site looks{3, std::memory_order_relaxed};      // what is found is taken by P2, or only a hint
  static constexpr Site records{4, std::memory_order_relaxed};    // read by the next owner of the same side only
  static constexpr Site reads_own{5, std::memory_order_relaxed};  // what a predecessor of the same side wrote

  // What an entry holds: the low 43 bits of a sequence number, a frame's number (20 bits), and whether the frame is
  // full. Distances stay right as long as the ends are less than 2^42 frames apart.
  class Word {
   public:
    Word(std::uint64_t sequence, std::uint64_t frame, bool full) noexcept
        : bits_(sequence << 21 | frame << 1 | (full ? 1 : 0)) {}
    explicit Word(std::uint64_t bits) noexcept : bits_(bits) {}
    [[nodiscard]] std::uint64_t bits() const noexcept { return bits_; }
    [[nodiscard]] bool full() const noexcept { return (bits_ & 1) != 0; }
    [[nodiscard]] std::uint64_t frame() const noexcept { return bits_ >> 1 & 0xfffff; }
    /// How far this word's sequence number is ahead of another; negative if behind.
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

  // Where an end stands, for its next owner; and where the receiver stands, for a sender that holds back.
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
  /// The producer's end. Several may follow one another on the same memory, one at a time.
  class Sender {
   public:
    static constexpr bool lossless = false;

    /// Attaches to an initialized ring and goes on behind the last published frame.
    explicit Sender(std::byte* memory) : header_(std::launder(reinterpret_cast<Header*>(memory))) {
      next_ = header_->sender.next.load(reads_own);
      passed_seen_ = header_->receiver.next.load(looks);
      spare_ = header_->sender.frame.load(reads_own);
    }

    [[nodiscard]] std::size_t frame_capacity() const noexcept { return header_->shape.frame_capacity; }

    /// Room for the next frame; never refuses.
    [[nodiscard]] std::byte* try_claim() noexcept { return header_->frame(spare_).payload(); }

    /// Whether so many published frames wait that the receiver has not passed. It may be further on than is seen here,
    /// never less far; nothing but how often a sender holds back depends on it.
    [[nodiscard]] bool are_waiting(std::uint64_t frames) noexcept {
      if (next_ - passed_seen_ >= frames) passed_seen_ = header_->receiver.next.load(looks);
      return next_ - passed_seen_ >= frames;
    }

    /// Makes the claimed frame visible; supersedes the oldest when `depth` frames wait.
    void publish(std::size_t bytes) noexcept {
      LAXITY_DCHECK(bytes <= frame_capacity());
      header_->frame(spare_).bytes.set(bytes);
      const Word displaced(header_->entry(next_).word.exchange(Word(next_, spare_, true).bits(), puts));
      spare_ = displaced.frame();
      ++next_;
      header_->sender.next.store(next_, records);
      header_->sender.frame.store(spare_, records);
    }

   private:
    Header* header_;
    std::uint64_t next_;         // sequence number of the frame being written
    std::uint64_t spare_;        // the frame being written
    std::uint64_t passed_seen_;  // what the receiver expected when last looked at
  };

  /// The consumer's end. Several may follow one another on the same memory, one at a time.
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
      Word oldest(header_->entry(next_).word.load(looks));
      if (limit == 0 || !oldest.full() || oldest.ahead_of(next_) < 0) return 0;
      // Moves on to the oldest frame still there. The sender may go on meanwhile, so the search is bounded.
      for (std::uint64_t tries = 0; tries < depth && oldest.ahead_of(next_) > 0; ++tries) {
        supersede(static_cast<std::uint64_t>(oldest.ahead_of(next_)) - depth + 1);  // ahead by a multiple of depth
        oldest = Word(header_->entry(next_).word.load(looks));
      }
      return take(last_of_run(std::min<std::uint64_t>(limit, depth)));
    }

    [[nodiscard]] std::size_t jump() noexcept { return try_step(header_->shape.depth); }
    [[nodiscard]] std::span<const std::byte> frame() const noexcept { return frame_; }
    [[nodiscard]] std::uint64_t superseded() const noexcept { return superseded_; }

   private:
    // The last of up to `limit` full entries in unbroken order from next_, at least next_ itself.
    [[nodiscard]] std::uint64_t last_of_run(std::uint64_t limit) noexcept {
      std::uint64_t last = next_;
      for (; last - next_ + 1 < limit; ++last) {
        const Word following(header_->entry(last + 1).word.load(looks));
        if (!following.full() || following.ahead_of(last + 1) != 0) break;
      }
      return last;
    }

    // Takes the frame of `wanted`, or the newer one that has replaced it. Returns how many frames that moves.
    [[nodiscard]] std::size_t take(std::uint64_t wanted) noexcept {
      const Word found(header_->entry(wanted).word.exchange(Word(wanted, shown_, false).bits(), takes));
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
