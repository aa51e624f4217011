// The interface of all ends of links over MPI for MpiLinks, and the handles that users hold.
//
// Threads: an end belongs to one thread; connect and close by the thread that makes the collective calls.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace laxity::detail {

/// The communicators, tag and memory of a connected link. The tag is unique between the two ranks. Credit has its own
/// communicator, because MPI compares an arriving frame with all receives posted in its communicator.
struct MpiPlace {
  MPI_Comm frames = MPI_COMM_NULL;
  MPI_Comm credit = MPI_COMM_NULL;
  int peer = 0;
  int tag = 0;
  MPI_Win window = MPI_WIN_NULL;
  std::byte* here = nullptr;  ///< this end's part of the window; null without one
  MPI_Aint there = 0;         ///< where the other end's part of the window begins
};

/// The number of frames that a receiver passes before it sends its position to the sender (credit): slightly less than
/// half of the depth, so that the sender gets credit before it has no room left.
[[nodiscard]] constexpr std::size_t mpi_frames_per_credit(std::size_t depth) noexcept {
  return depth < 4 ? 1 : depth / 2 - 1;
}

/// The number of credit messages that can be in transit before the link ends: at most depth /
/// mpi_frames_per_credit(depth), and the last one.
inline constexpr std::size_t mpi_credits = 6;

/// MPI counts the bytes of a message by int; a RingShape keeps frames below 2^30 (ring_shape.hpp).
[[nodiscard]] constexpr int mpi_count(std::size_t bytes) noexcept { return static_cast<int>(bytes); }

class MpiEnd {
 public:
  virtual ~MpiEnd() = default;

  /// Size of the part of a window that this end needs for puts of the other one, bytes.
  [[nodiscard]] virtual std::size_t window_bytes() const noexcept { return 0; }
  /// Initializes its part of the window, before the other end can write there.
  virtual void prepare(std::byte* part) { static_cast<void>(part); }
  virtual void connect(const MpiPlace& place) = 0;
  /// Moves frames between MPI and the thread that owns the end, if that is another one (mpi_relay.hpp).
  virtual void relay() noexcept {}
  /// For a sender the number of frames published, for a receiver that of the newest frame received. Lets MPI progress.
  [[nodiscard]] virtual std::uint64_t position() noexcept = 0;
  /// Tells the other end that nothing more will be sent.
  virtual void begin_close() noexcept = 0;
  /// Polls for the same from the other end; true when MPI uses no request and no memory of this
  /// end any more, or a call has failed.
  [[nodiscard]] virtual bool finish_close() noexcept = 0;

  /// The first fault: an unexpected frame or a failed call. An end with a fault refuses and shows no new frame.
  [[nodiscard]] const std::optional<std::string>& fault() const noexcept { return fault_; }
  /// True if a call of MPI has failed: the other end may be gone, and MPI may write to the buffers for ever.
  [[nodiscard]] bool is_lost() const noexcept { return is_lost_; }

 protected:
  /// Records the first fault. It allocates, but once per end only.
  void fail(std::string why) noexcept {
    if (!fault_) fault_ = std::move(why);
  }
  /// Records a fault and returns false if a call of MPI has failed.
  [[nodiscard]] bool succeeded(const char* operation, int code) noexcept {
    if (code == MPI_SUCCESS) [[likely]]
      return true;
    fail_call(operation, code);
    return false;
  }

  /// Takes over the fault of an end that this one uses.
  void adopt(const MpiEnd& other) noexcept {
    fault_ = other.fault_;
    is_lost_ = other.is_lost_;
  }

 private:
  void fail_call(const char* operation, int code) noexcept;

  std::optional<std::string> fault_;
  bool is_lost_ = false;
};

/// A handle of an end that is shared with MpiLinks, which closes it.
template <class End>
class MpiSenderHandle {
 public:
  static constexpr bool lossless = End::lossless;
  explicit MpiSenderHandle(std::shared_ptr<End> end) : end_(std::move(end)) {}
  [[nodiscard]] bool is_lossless() const noexcept
    requires requires(const End& end) { end.is_lossless(); }
  {
    return end_->is_lossless();
  }
  [[nodiscard]] bool delays() const noexcept { return true; }
  [[nodiscard]] std::size_t frame_capacity() const noexcept { return end_->frame_capacity(); }
  [[nodiscard]] std::byte* try_claim() noexcept { return end_->try_claim(); }
  void publish(std::size_t bytes) noexcept { end_->publish(bytes); }

 private:
  std::shared_ptr<End> end_;
};

template <class End>
class MpiReceiverHandle {
 public:
  explicit MpiReceiverHandle(std::shared_ptr<End> end) : end_(std::move(end)) {}
  [[nodiscard]] bool delays() const noexcept { return true; }
  [[nodiscard]] std::size_t try_step(std::size_t limit) noexcept { return end_->try_step(limit); }
  [[nodiscard]] std::size_t jump() noexcept { return end_->jump(); }
  [[nodiscard]] std::span<const std::byte> frame() const noexcept { return end_->frame(); }
  [[nodiscard]] std::uint64_t superseded() const noexcept { return end_->superseded(); }

 private:
  std::shared_ptr<End> end_;
};

}  // namespace laxity::detail
