// A lossy queue of the newest `depth` frames: it never refuses; a frame that is not read in time is superseded.
//
// It generalizes the triple buffer. There are depth + 2 frames: one in each of `depth` entries, a spare one that the
// sender writes, and the one that the receiver shows. An entry is one word: a frame's index, its sequence number, and a
// flag that it is full. The sender publishes by exchanging the spare frame with that of entry (sequence % depth); the
// receiver exchanges the frame it has shown with a full one. Each side does one exchange and no loop that the other
// could prolong: both are wait-free.
//
// Invariants: every frame is in exactly one place (an entry, the sender, the receiver), so no frame is written and read
// at the same time. The receiver accepts only full entries with numbers that it has not passed, so no frame is shown
// twice. Moved + superseded = the difference of sequence numbers: accounting is exact by construction. A receiver that
// is overtaken while it exchanges the oldest frame gets the newest one; those in between count as superseded.
//
// Memory: no pointers, only offsets; the same bytes may be mapped at different addresses. 64-byte aligned.
// Threads: one owns the Sender, one the Receiver. When an end moves to another thread or process, the caller orders the
// last call of the old owner before the new one attaches (a join, a message, waitpid).
//
// Successors: an end notes the number of an exchange before it and the frame that it got after it. If the end was
// killed in between, its successor finds the frame by elimination: it is the one that is in no entry and does not
// belong to the other end. Only if both ends were killed so, none is found, and attaching fails.
// Damage: an end keeps its own copy of the shape and checks every index and length, so memory that another process has
// overwritten cannot lead it outside of the ring; a frame that cannot be is shown as none.
//
// Elsewhere: depth 1 (latest_slot.hpp); the queue that refuses (spsc_ring.hpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "laxity/check.hpp"
#include "laxity/error.hpp"
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

  /// Makes an empty ring; once, before either end attaches. Tests of wrap-around set `first_sequence`. Throws
  /// UsageError if the shape is out of range.
  static void initialize(std::byte* memory, RingShape shape, std::uint64_t first_sequence = 1) {
    detail::require_valid(shape);
    LAXITY_CHECK(reinterpret_cast<std::uintptr_t>(memory) % detail::cache_line == 0);
    const std::uint64_t depth = shape.depth;
    new (memory) Header(shape, first_sequence);
    const View ring(memory);
    for (std::uint64_t number = 0; number < depth; ++number) {
      new (ring.entries() + number) Entry(Word(first_sequence - 1, number, false));
    }
    for (std::uint64_t number = 0; number < depth + 2; ++number) new (&ring.frame(number)) Frame();
  }

  /// Throws UsageError unless the ring in this memory has the shape; `ring` names it in the message.
  static void require_shape(const std::byte* memory, RingShape shape, const std::string& ring) {
    detail::require_same_shape(reinterpret_cast<const Header*>(memory)->shape, shape, ring);
  }

 private:
  static constexpr AtomicSite publishes{1, std::memory_order_acq_rel};  // P1: exchanges frames; pairs with P2 both ways
  static constexpr AtomicSite exchanges{2, std::memory_order_acq_rel};  // P2
  static constexpr AtomicSite peeks{3, std::memory_order_relaxed};      // a hint, or followed by P2
  static constexpr AtomicSite records{4, std::memory_order_relaxed};    // for a successor, see find_frame_of_killed()
  static constexpr AtomicSite reads_own{5, std::memory_order_relaxed};  // written by a predecessor on the same side

  // The value of an entry: the low 43 bits of a sequence number, the index of a frame (20 bits), and the flag that it
  // is full. Differences are right as long as the ends are less than 2^42 frames apart.
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

  // A frame begins with its length (30 bits) and the low bits of its sequence number.
  struct Frame {
    typename Atomics::template Plain<std::uint64_t> tag{0};
    [[nodiscard]] std::byte* payload() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
    void set(std::uint64_t sequence, std::size_t bytes) noexcept { tag.set(sequence << 30 | bytes); }
    [[nodiscard]] std::size_t bytes() const noexcept { return tag.get() & ((1u << 30) - 1); }
    /// The sequence number minus another one.
    [[nodiscard]] std::int64_t ahead_of(std::uint64_t sequence) const noexcept {
      return static_cast<std::int64_t>((tag.get() >> 30 << 30) - (sequence << 30)) >> 30;
    }
  };

  // The state of an end, for a successor of either side; that of the receiver is also read by a sender with a limit.
  struct alignas(detail::cache_line) Record {
    Record(std::uint64_t sequence, std::uint64_t frame_number) noexcept
        : next(sequence), owned(Word(sequence, frame_number, false).bits()), begun(sequence - 1), superseded(0) {}
    AtomicWord next;        // sequence number written or expected next
    AtomicWord owned;       // the same, and the frame that the end owns
    AtomicWord begun;       // sequence number of the last exchange begun
    AtomicWord superseded;  // receiver only

    void begin(std::uint64_t sequence) noexcept { begun.store(sequence, records); }
    void complete(std::uint64_t sequence, std::uint64_t frame) noexcept {
      owned.store(Word(sequence, frame, false).bits(), records);
      next.store(sequence, records);
    }
    // The frame that the end owns; none between begin() and complete(), where it was killed if it is not running.
    [[nodiscard]] std::optional<std::uint64_t> frame() noexcept {
      const std::uint64_t last = begun.load(reads_own);
      const Word word(owned.load(reads_own));
      if (word.ahead_of(last) <= 0) return std::nullopt;
      return word.frame();
    }
  };

  struct Header {
    Header(RingShape s, std::uint64_t first_sequence) noexcept
        : shape(s), sender(first_sequence, s.depth), receiver(first_sequence, s.depth + 1) {}
    RingShape shape;  // constant
    Record sender;
    Record receiver;
  };

  // The ring as an end sees it, with its own copy of the shape.
  struct View {
    explicit View(std::byte* memory)
        : header(std::launder(reinterpret_cast<Header*>(memory))), shape(header->shape), stride(stride_of(shape)) {}
    [[nodiscard]] Entry* entries() const noexcept { return reinterpret_cast<Entry*>(header + 1); }
    [[nodiscard]] Entry& entry(std::uint64_t sequence) const noexcept { return entries()[sequence % shape.depth]; }
    [[nodiscard]] bool has_frame(std::uint64_t number) const noexcept { return number < shape.depth + 2; }
    [[nodiscard]] Frame& frame(std::uint64_t number) const noexcept {
      return *reinterpret_cast<Frame*>(reinterpret_cast<std::byte*>(entries() + shape.depth) + number * stride);
    }
    Header* header;
    RingShape shape;
    std::size_t stride;
  };

  // The frame of an end that was killed during an exchange. Every other frame is in an entry or belongs to the other
  // end, which may be running: it is seen there sooner or later, and this one never is. Relaxed loads suffice: the
  // exchange of the killed end happened before, so its entry, and the number of an exchange of the other end that it
  // has seen the result of, are seen here; and the other end stores number and frame in one word.
  [[nodiscard]] static std::uint64_t find_frame_of_killed(const View& ring, Record& other) {
    constexpr int patience = 10'000;  // looks; one suffices if the other end is at rest
    std::vector<bool> seen(ring.shape.depth + 2);
    const auto see = [&](std::uint64_t number) {
      if (ring.has_frame(number)) seen[number] = true;
    };
    for (int look = 0; look < patience; ++look) {
      for (std::uint64_t number = 0; number < ring.shape.depth; ++number)
        see(Word(ring.entry(number).word.load(peeks)).frame());
      if (const auto frame = other.frame()) see(*frame);
      if (std::ranges::count(seen, false) == 1)
        return static_cast<std::uint64_t>(std::ranges::find(seen, false) - seen.begin());
      std::this_thread::yield();
    }
    throw Error(
        "overwriting ring: both ends were killed during an exchange, or its memory is damaged; make a new ring");
  }

  [[nodiscard]] static std::size_t stride_of(RingShape shape) noexcept {
    return detail::round_up(sizeof(Frame) + shape.frame_capacity, detail::cache_line);
  }

 public:
  /// The producer's end. One at a time may be attached to a ring.
  class Sender {
   public:
    static constexpr bool lossless = false;

    /// Attaches to an initialized ring and continues after the last published frame. Throws Error if that is unknown,
    /// because both ends were killed during an exchange.
    explicit Sender(std::byte* memory) : ring_(memory) {
      Record& own = ring_.header->sender;
      next_ = own.next.load(reads_own);
      passed_seen_ = ring_.header->receiver.next.load(peeks);
      spare_ = Word(own.owned.load(reads_own)).frame();
      if (!own.frame()) complete(find_frame_of_killed(ring_, ring_.header->receiver));
      if (!ring_.has_frame(spare_)) throw Error("overwriting ring: its memory is damaged; make a new ring");
    }

    [[nodiscard]] std::size_t frame_capacity() const noexcept { return ring_.shape.frame_capacity; }

    /// Room for the next frame; never refuses.
    [[nodiscard]] std::byte* try_claim() noexcept { return ring_.frame(spare_).payload(); }

    /// True if at least this number of published frames wait that the receiver has not passed, as far as is known here:
    /// the receiver may have moved further, so a sender with a limit may refuse too often, never too seldom.
    [[nodiscard]] bool are_waiting(std::uint64_t frames) noexcept {
      if (next_ - passed_seen_ >= frames) passed_seen_ = ring_.header->receiver.next.load(peeks);
      return next_ - passed_seen_ >= frames;
    }

    /// Makes the claimed frame visible; supersedes the oldest when `depth` frames wait.
    void publish(std::size_t bytes) noexcept {
      LAXITY_DCHECK(bytes <= frame_capacity());
      ring_.frame(spare_).set(next_, bytes);
      ring_.header->sender.begin(next_);
      const Word displaced(ring_.entry(next_).word.exchange(Word(next_, spare_, true).bits(), publishes));
      ++next_;
      if (ring_.has_frame(displaced.frame())) spare_ = displaced.frame();
      ring_.header->sender.complete(next_, spare_);
    }

   private:
    // The predecessor has exchanged its frame if it owned another one at its end.
    void complete(std::uint64_t frame) noexcept {
      if (frame == spare_) return;
      spare_ = frame;
      ring_.header->sender.complete(++next_, spare_);
    }

    View ring_;
    std::uint64_t next_;         // sequence number of the frame being written
    std::uint64_t spare_;        // the frame being written
    std::uint64_t passed_seen_;  // the sequence number that the receiver expected when last read
  };

  /// The consumer's end. One at a time may be attached to a ring.
  class Receiver {
   public:
    /// Attaches to an initialized ring and shows the frame that was shown last.
    /// Throws Error if that is unknown, because both ends were killed during an exchange.
    explicit Receiver(std::byte* memory) : ring_(memory) {
      Record& own = ring_.header->receiver;
      next_ = own.next.load(reads_own);
      superseded_ = own.superseded.load(reads_own);
      shown_ = Word(own.owned.load(reads_own)).frame();
      if (!own.frame()) complete(find_frame_of_killed(ring_, ring_.header->sender));
      if (!ring_.has_frame(shown_)) throw Error("overwriting ring: its memory is damaged; make a new ring");
      show(shown_);
    }

    [[nodiscard]] std::size_t try_step(std::size_t limit) noexcept {
      const std::uint64_t depth = ring_.shape.depth;
      Word oldest(ring_.entry(next_).word.load(peeks));
      if (limit == 0 || !oldest.full() || oldest.ahead_of(next_) < 0) return 0;
      // Moves to the oldest frame that is left. The sender may publish meanwhile, so the search is bounded.
      for (std::uint64_t tries = 0; tries < depth && oldest.ahead_of(next_) > 0; ++tries) {
        supersede(static_cast<std::uint64_t>(oldest.ahead_of(next_)) - depth + 1);  // ahead by a multiple of depth
        oldest = Word(ring_.entry(next_).word.load(peeks));
      }
      return take(last_of_run(std::min<std::uint64_t>(limit, depth)));
    }

    [[nodiscard]] std::size_t jump() noexcept { return try_step(ring_.shape.depth); }
    [[nodiscard]] std::span<const std::byte> frame() const noexcept { return frame_; }
    [[nodiscard]] std::uint64_t superseded() const noexcept { return superseded_; }

   private:
    // The last of up to `limit` full entries with consecutive numbers from next_, at least next_ itself.
    [[nodiscard]] std::uint64_t last_of_run(std::uint64_t limit) noexcept {
      std::uint64_t last = next_;
      for (; last - next_ + 1 < limit; ++last) {
        const Word following(ring_.entry(last + 1).word.load(peeks));
        if (!following.full() || following.ahead_of(last + 1) != 0) break;
      }
      return last;
    }

    // Shows the frame of `wanted`, or a newer one that has replaced it. Returns the number of frames moved.
    [[nodiscard]] std::size_t take(std::uint64_t wanted) noexcept {
      ring_.header->receiver.begin(wanted);
      const Word found(ring_.entry(wanted).word.exchange(Word(wanted, shown_, false).bits(), exchanges));
      std::uint64_t moved = wanted - next_ + 1;
      if (const std::int64_t overtaken = found.ahead_of(wanted); overtaken > 0) {
        supersede(moved - 1 + static_cast<std::uint64_t>(overtaken));
        moved = 1;
      }
      next_ += moved;
      show(found.frame());
      complete();
      return moved;
    }

    // The predecessor has exchanged its frame if it owned another one at its end: that one is shown. Those before it
    // count as superseded, because it is not known which of them were shown.
    void complete(std::uint64_t frame) noexcept {
      if (frame == shown_) return;
      shown_ = frame;
      if (const std::int64_t passed = ring_.frame(frame).ahead_of(next_); passed > 0)
        supersede(static_cast<std::uint64_t>(passed));
      ++next_;
      complete();
    }
    void complete() noexcept {
      ring_.header->receiver.complete(next_, shown_);
      ring_.header->receiver.superseded.store(superseded_, records);  // last, so that a successor counts nothing twice
    }

    void supersede(std::uint64_t frames) noexcept {
      next_ += frames;
      superseded_ += frames;
    }

    void show(std::uint64_t number) noexcept {
      frame_ = {};
      if (!ring_.has_frame(number)) return;
      shown_ = number;
      Frame& frame = ring_.frame(number);
      if (frame.bytes() <= ring_.shape.frame_capacity) frame_ = {frame.payload(), frame.bytes()};
    }

    View ring_;
    std::uint64_t next_;   // sequence number of the frame expected next
    std::uint64_t shown_;  // the frame shown
    std::uint64_t superseded_;
    std::span<const std::byte> frame_;
  };
};

using OverwritingRing = BasicOverwritingRing<>;

static_assert(Sender<OverwritingRing::Sender> && Receiver<OverwritingRing::Receiver>);

}  // namespace laxity
