// Two kinds of links made of puts into memory of the other rank: a queue that refuses, and one that overwrites.
//
// The queue: the receiver has depth + 1 slots in its window, the frame at position p in slot p % (depth + 1). The
// sender puts a frame but for its sequence number, waits until that is in the target's memory (flush), and puts the
// number, which publishes it. The receiver looks at the number in its own memory and reads in place. Now and
// then it puts the position shown into the sender's window: its credit.
//
// The overwriting queue of the newest `depth` frames: frame p goes to slot p % (depth + spare), then the sender puts
// `newest` = p. The receiver copies a frame out and looks at `newest` again: as a frame is put only after the one
// before it was there, a copy is whole if by then the sender cannot have come round to its slot. A sender that laps
// the receiver in several copies running costs that pull its frame, nothing else.
//
// Numbers that travel: a put of 8 bytes need not be atomic. A sequence number is compared with the one expected, so
// that a half-written one is never taken for it; marks carry their complement.
//
// Memory model: windows must be unified (one copy of memory), which every MPI on cache-coherent machines provides.
// Threads: one owns the sender, one the receiver.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "laxity/check.hpp"
#include "laxity/transport/detail/mpi_end.hpp"
#include "laxity/transport/detail/mpi_frame.hpp"
#include "laxity/transport/remote_links.hpp"
#include "laxity/transport/ring_shape.hpp"
#include "laxity/transport/transport.hpp"

namespace laxity::detail {

/// A number that the other rank puts here, and that tells when it is half written.
struct MpiMark {
  std::uint64_t value = 0;
  std::uint64_t complement = ~std::uint64_t{0};
};

/// What all ends of one-sided links share: where they lie, puts, and looks at what was put.
class MpiOneSidedEnd : public MpiEnd {
 public:
  void connect(const MpiPlace& place) override { place_ = place; }
  void begin_close() noexcept override { place_ = {}; }
  [[nodiscard]] bool finish_close() noexcept override { return true; }

 protected:
  [[nodiscard]] bool is_connected() const noexcept { return place_.window != MPI_WIN_NULL; }
  /// The number that was put at `at` of this end's part; acquires what was put before it.
  [[nodiscard]] std::uint64_t number_at(std::size_t at) const noexcept;
  /// The mark at the beginning of this end's part, or `otherwise` if it is half written.
  [[nodiscard]] std::uint64_t mark_or(std::uint64_t otherwise) const noexcept;
  /// Begins to put into the other end's part.
  void put(const void* from, std::size_t bytes, std::size_t at) noexcept;
  /// Waits until all that was put is there.
  void finish_puts() noexcept;
  /// Puts a number that says something about what is there already; `from` may then change.
  void announce(const void* from, std::size_t bytes, std::size_t at) noexcept;
  void announce_mark(std::uint64_t value) noexcept;
  /// MPI's memory barrier: loads of the window before and after it stay on their sides.
  void synchronize() noexcept;
  /// Where MPI emulates puts in software they need the target's calls: makes one in a while of looks that found nothing.
  void found_nothing() noexcept;

 private:
  static constexpr unsigned looks_per_call = 16;

  MpiPlace place_;
  MpiMark mark_;
  unsigned looks_ = 0;
};

/// A frame that is written here and put there, and the shape of the slots there.
class MpiOutgoingFrame {
 public:
  MpiOutgoingFrame(const RemoteLink& link);
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::byte* payload() noexcept { return payload_; }
  [[nodiscard]] std::byte* header() noexcept { return payload_ - mpi_header_bytes; }
  /// Completes the header of the frame in payload().
  void close(std::uint64_t sequence, std::size_t bytes) noexcept;

 private:
  std::size_t capacity_;
  std::uint64_t type_;
  std::vector<std::byte> bytes_;
  std::byte* payload_;
};

/// From slot to slot in a window.
[[nodiscard]] constexpr std::size_t mpi_slot_stride(std::size_t capacity) noexcept {
  return round_up(mpi_header_bytes + capacity, cache_line);
}

class MpiOneSidedSender final : public MpiOneSidedEnd {
 public:
  static constexpr bool lossless = true;

  explicit MpiOneSidedSender(const RemoteLink& link) : depth_(link.shape.depth), frame_(link) {}

  [[nodiscard]] std::size_t frame_capacity() const noexcept { return frame_.capacity(); }
  [[nodiscard]] std::byte* try_claim() noexcept {
    if (published_ == may_publish_ && !take_credit()) return nullptr;
    return frame_.payload();
  }
  void publish(std::size_t bytes) noexcept;

  [[nodiscard]] std::size_t window_bytes() const noexcept override { return cache_line; }
  void prepare(std::byte* part) override { new (part) MpiMark(); }
  void connect(const MpiPlace& place) override;
  [[nodiscard]] std::uint64_t position() noexcept override { return published_; }
  void begin_close() noexcept override;

 private:
  [[nodiscard]] bool take_credit() noexcept;

  std::size_t depth_;
  std::uint64_t published_ = 0;
  std::uint64_t may_publish_ = 0;  // frames in all; 0 until connected
  std::size_t slot_ = 1;           // of the next frame
  MpiOutgoingFrame frame_;
};

class MpiOneSidedReceiver final : public MpiOneSidedEnd {
 public:
  explicit MpiOneSidedReceiver(const RemoteLink& link);

  [[nodiscard]] std::size_t try_step(std::size_t limit) noexcept;
  [[nodiscard]] std::size_t jump() noexcept { return try_step(depth_); }
  [[nodiscard]] std::span<const std::byte> frame() const noexcept { return frame_; }
  [[nodiscard]] std::uint64_t superseded() const noexcept { return 0; }

  [[nodiscard]] std::size_t window_bytes() const noexcept override { return (depth_ + 1) * stride_; }
  void prepare(std::byte* part) override;
  [[nodiscard]] std::uint64_t position() noexcept override;
  void begin_close() noexcept override;

 private:
  [[nodiscard]] std::size_t after(std::size_t slot) const noexcept { return slot == depth_ ? 0 : slot + 1; }
  [[nodiscard]] bool has_come(std::uint64_t position, std::size_t slot) const noexcept {
    return number_at(slot * stride_) == position;
  }
  [[nodiscard]] bool accept(std::uint64_t position, std::size_t slot) noexcept;

  std::size_t depth_;
  std::size_t capacity_;
  std::uint64_t type_;
  std::size_t stride_;
  std::size_t frames_per_credit_;
  std::byte* slots_ = nullptr;  // in the window
  std::uint64_t shown_ = 0;
  std::uint64_t credited_ = 0;
  std::size_t shown_slot_ = 0;
  std::span<const std::byte> frame_;
};

/// Slots of an overwriting link beyond its depth: how many frames the sender may publish while one is copied out.
inline constexpr std::size_t mpi_spare_slots = 4;

class MpiOverwritingSender final : public MpiOneSidedEnd {
 public:
  static constexpr bool lossless = false;

  explicit MpiOverwritingSender(const RemoteLink& link) : slots_(link.shape.depth + mpi_spare_slots), frame_(link) {}

  [[nodiscard]] std::size_t frame_capacity() const noexcept { return frame_.capacity(); }
  /// Refuses only before connect() and after close().
  [[nodiscard]] std::byte* try_claim() noexcept { return is_connected() && !fault() ? frame_.payload() : nullptr; }
  void publish(std::size_t bytes) noexcept;

  [[nodiscard]] std::uint64_t position() noexcept override { return published_; }

 private:
  std::size_t slots_;
  std::uint64_t published_ = 0;
  MpiOutgoingFrame frame_;
};

class MpiOverwritingReceiver final : public MpiOneSidedEnd {
 public:
  explicit MpiOverwritingReceiver(const RemoteLink& link);

  [[nodiscard]] std::size_t try_step(std::size_t limit) noexcept;
  [[nodiscard]] std::size_t jump() noexcept { return try_step(depth_); }
  [[nodiscard]] std::span<const std::byte> frame() const noexcept { return frame_; }
  [[nodiscard]] std::uint64_t superseded() const noexcept { return superseded_; }

  [[nodiscard]] std::size_t window_bytes() const noexcept override {
    return cache_line + (depth_ + mpi_spare_slots) * stride_;
  }
  void prepare(std::byte* part) override;
  [[nodiscard]] std::uint64_t position() noexcept override;
  void begin_close() noexcept override;

 private:
  [[nodiscard]] bool copy_out(std::uint64_t position) noexcept;

  std::size_t depth_;
  std::size_t capacity_;
  std::uint64_t type_;
  std::size_t stride_;
  std::byte* part_ = nullptr;  // in the window: the mark `newest`, then the slots
  std::uint64_t newest_ = 0;   // position announced, when last looked at
  std::uint64_t passed_ = 0;   // all positions up to this one were shown, passed or superseded
  std::uint64_t superseded_ = 0;
  std::array<std::vector<std::byte>, 2> copies_;  // payloads: the frame shown, and the one being copied out
  std::size_t shown_copy_ = 0;
  std::size_t copied_bytes_ = 0;  // of the other copy
  std::span<const std::byte> frame_;
};

static_assert(Sender<MpiOneSidedSender> && Receiver<MpiOneSidedReceiver>);
static_assert(Sender<MpiOverwritingSender> && Receiver<MpiOverwritingReceiver>);

}  // namespace laxity::detail
