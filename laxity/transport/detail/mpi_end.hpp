// What MpiLinks asks of every end that it has made, whatever the variant, and the handle that users hold.
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

/// Where a connected link lies. The tag is its own between the two ranks, in both communicators. Credit has one to itself
/// because a frame that comes is compared with the receives posted in its communicator, from the first one on.
struct MpiPlace {
  MPI_Comm frames = MPI_COMM_NULL;
  MPI_Comm credit = MPI_COMM_NULL;
  int peer = 0;
  int tag = 0;
  MPI_Win window = MPI_WIN_NULL;
  std::byte* here = nullptr;  ///< this end's part of the window; null without one
  MPI_Aint there = 0;         ///< where the other end's part of the window begins
};

/// Frames that a receiver passes before it tells its sender how far it has come (credit): not quite half of the depth, so
/// that the sender hears of room well before it has run out of it.
[[nodiscard]] constexpr std::size_t mpi_frames_per_credit(std::size_t depth) noexcept {
  return depth < 4 ? 1 : depth / 2 - 1;
}

/// Words of credit that can be under way at once: at most depth / mpi_frames_per_credit(depth), and the last one.
inline constexpr std::size_t mpi_credits = 6;

/// A message's bytes are counted by int in MPI; ring shapes keep frames below 2^30 (ring_shape.hpp).
[[nodiscard]] constexpr int mpi_count(std::size_t bytes) noexcept { return static_cast<int>(bytes); }

class MpiEnd {
 public:
  virtual ~MpiEnd() = default;

  /// Bytes of a window that this end wants to be written by the other one.
  [[nodiscard]] virtual std::size_t window_bytes() const noexcept { return 0; }
  /// Lays out its part of the window; before anybody can write there.
  virtual void prepare(std::byte* part) { static_cast<void>(part); }
  virtual void connect(const MpiPlace& place) = 0;
  /// Of a sender: frames published. Of a receiver: number of the newest frame that has come. Lets MPI make progress.
  [[nodiscard]] virtual std::uint64_t position() noexcept = 0;
  /// Tells the other end that nothing more will be sent, and what came last.
  virtual void begin_close() noexcept = 0;
  /// One step of waiting for the same from the other end; true when no request and no memory is in use by MPI any more.
  [[nodiscard]] virtual bool finish_close() noexcept = 0;

  /// What went wrong first: an unexpected frame or a call that failed. Such an end refuses and shows nothing new.
  [[nodiscard]] const std::optional<std::string>& fault() const noexcept { return fault_; }

 protected:
  /// Allocates, as an end does this once.
  void fail(std::string why) noexcept {
    if (!fault_) fault_ = std::move(why);
  }
  /// A call of MPI failed: the other end need not be there any more.
  [[nodiscard]] bool is_lost() const noexcept { return is_lost_; }
  /// False, and a fault, if a call of MPI failed.
  [[nodiscard]] bool succeeded(const char* operation, int code) noexcept {
    if (code == MPI_SUCCESS) [[likely]]
      return true;
    fail_call(operation, code);
    return false;
  }

 private:
  void fail_call(const char* operation, int code) noexcept;

  std::optional<std::string> fault_;
  bool is_lost_ = false;
};

/// An end shared with the MpiLinks that will close it.
template <class End>
class MpiSenderHandle {
 public:
  static constexpr bool lossless = End::lossless;
  explicit MpiSenderHandle(std::shared_ptr<End> end) : end_(std::move(end)) {}
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
  [[nodiscard]] std::size_t try_step(std::size_t limit) noexcept { return end_->try_step(limit); }
  [[nodiscard]] std::size_t jump() noexcept { return end_->jump(); }
  [[nodiscard]] std::span<const std::byte> frame() const noexcept { return end_->frame(); }
  [[nodiscard]] std::uint64_t superseded() const noexcept { return end_->superseded(); }

 private:
  std::shared_ptr<End> end_;
};

}  // namespace laxity::detail
