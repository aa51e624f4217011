// Links over one-sided puts into a window of the other rank: a queue that refuses, and one that overwrites.
//
// The queue: the receiver has depth + 1 slots in its window, with the frame at position p in slot p % (depth + 1). The
// sender puts a frame without its sequence number, waits until it is in the target's memory (flush), and puts the
// number, which publishes the frame. The receiver polls the number in its own memory and reads in place. After several
// frames it puts the position shown into the sender's window: its credit.
//
// The overwriting queue of the newest `depth` frames: the sender puts frame p into slot p % (depth + spare), then
// `newest` = p. The receiver copies a frame and reads `newest` again: since a frame is put only after the one before it
// has arrived, the copy is complete if the sender cannot have reached its slot again by then. If the sender overtakes
// the receiver during several attempts, the pull shows no new frame.
//
// A put of 8 bytes need not be atomic. A sequence number is compared with the one expected, which a half-written number
// never equals; marks contain their complement.
//
// Memory model: windows must be unified (one copy of memory), which every MPI on cache-coherent hardware provides.
// Threads: one owns the sender, one the receiver.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

#include "laxity/check.hpp"
#include "laxity/transport/detail/mpi_end.hpp"
#include "laxity/transport/detail/mpi_frame.hpp"
#include "laxity/transport/remote_links.hpp"
#include "laxity/transport/ring_shape.hpp"
#include "laxity/transport/transport.hpp"

namespace laxity::detail {

/// A number that the other rank puts here; the complement shows whether it is half written.
struct MpiMark {
  std::uint64_t value = 0;
  std::uint64_t complement = ~std::uint64_t{0};
};

/// The common part of all ends of one-sided links: the window, puts, and reads of numbers that were put.
class MpiOneSidedEnd : public MpiEnd {
 public:
  void connect(const MpiPlace& place) override { place_ = place; }
  void begin_close() noexcept override { place_ = {}; }
  [[nodiscard]] bool finish_close() noexcept override { return true; }

 protected:
  [[nodiscard]] bool is_connected() const noexcept { return place_.window != MPI_WIN_NULL; }
  /// Reads the number at offset `at` of this end's part; acquires the puts before it.
  [[nodiscard]] std::uint64_t number_at(std::size_t at) const noexcept;
  /// Reads the mark at the beginning of this end's part; returns `otherwise` if it is half written.
  [[nodiscard]] std::uint64_t mark_or(std::uint64_t otherwise) const noexcept;
  /// Starts a put into the other end's part.
  void put(const void* from, std::size_t bytes, std::size_t at) noexcept;
  /// Waits until all puts are complete in the target's memory.
  void finish_puts() noexcept;
  /// Puts a number that publishes earlier puts; returns when `from` may be reused.
  void announce(const void* from, std::size_t bytes, std::size_t at) noexcept;
  void announce_mark(std::uint64_t value) noexcept;
  /// MPI's memory barrier for loads of the window.
  void synchronize() noexcept;
  /// After a poll that found nothing: calls MPI now and then, since emulated puts need calls of the target to progress.
  void found_nothing() noexcept;

 private:
  static constexpr unsigned polls_per_call = 16;

  MpiPlace place_;
  MpiMark mark_;
  unsigned polls_ = 0;
};

/// A frame that is written in local memory and then put into a slot of the receiver.
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

/// Distance of slots in a window, bytes.
[[nodiscard]] constexpr std::size_t mpi_slot_stride(std::size_t capacity) noexcept {
  return round_up(mpi_header_bytes + capacity, cache_line);
}

class MpiOneSidedSender final : public MpiOneSidedEnd {
 public:
  static constexpr bool lossless = true;

  explicit MpiOneSidedSender(const RemoteLink& link) : depth_(link.shape.depth), frame_(link) {}

  [[nodiscard]] std::size_t frame_capacity() const noexcept { return frame_.capacity(); }
  [[nodiscard]] std::byte* try_claim() noexcept {
    if (published_ == may_publish_ && !receive_credit()) return nullptr;
    return frame_.payload();
  }
  void publish(std::size_t bytes) noexcept;

  [[nodiscard]] std::size_t window_bytes() const noexcept override { return cache_line; }
  void prepare(std::byte* part) override { new (part) MpiMark(); }
  void connect(const MpiPlace& place) override;
  [[nodiscard]] std::uint64_t position() noexcept override { return published_; }
  void begin_close() noexcept override;

 private:
  [[nodiscard]] bool receive_credit() noexcept;

  std::size_t depth_;
  std::uint64_t published_ = 0;
  std::uint64_t may_publish_ = 0;  // total number of frames; 0 until connected
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
  [[nodiscard]] bool has_arrived(std::uint64_t position, std::size_t slot) const noexcept {
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

/// Slots of an overwriting link beyond its depth: frames that the sender may publish while one is being copied.
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
  std::uint64_t newest_ = 0;   // position announced, when last read
  std::uint64_t passed_ = 0;   // all positions up to this one were shown, passed or superseded
  std::uint64_t superseded_ = 0;
  std::array<std::vector<std::byte>, 2> copies_;  // payloads: the frame shown, and the one being copied
  std::size_t shown_copy_ = 0;
  std::size_t copied_bytes_ = 0;  // of the other copy
  std::span<const std::byte> frame_;
};

static_assert(Sender<MpiOneSidedSender> && Receiver<MpiOneSidedReceiver>);
static_assert(Sender<MpiOverwritingSender> && Receiver<MpiOverwritingReceiver>);

}  // namespace laxity::detail
