// Ends of links over MPI for several threads of a process of which only one may call MPI: that thread relays their
// frames.
//
// A relayed end is a ring in memory between its thread and the communicating thread, which moves frames between the
// ring and an end over MPI. The thread that communicates may also own ends; they relay in every call, so that a loop of
// this thread that waits for a frame or for room relays for all other threads, too.
//
// Invariants: a relayed frame begins with its number among those published (8 bytes); gaps between the numbers of
// received frames are superseded frames. A lossless link holds at most three times its depth: in the ring of the
// sender, in MPI, and in the ring of the receiver, whose further room is for frames that settle.
//
// Threads: one owns each end; connect(), relay(), position() and the calls that close belong to the communicating one.
// Elsewhere: links whose ends call MPI themselves (mpi_two_sided.hpp, mpi_one_sided.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "laxity/transport/any_transport.hpp"
#include "laxity/transport/detail/mpi_end.hpp"
#include "laxity/transport/remote_links.hpp"

namespace laxity::detail {

/// The connected relayed ends of a process. Made by the thread that communicates, which alone calls the functions that
/// are not const.
class MpiRelays {
 public:
  [[nodiscard]] bool is_this_thread() const noexcept { return std::this_thread::get_id() == communicating_; }
  void add(MpiEnd& end) { ends_.push_back(&end); }
  void relay_all() noexcept;
  /// Relays for one end, for another one in each call.
  void relay_next() noexcept;

 private:
  std::thread::id communicating_ = std::this_thread::get_id();
  std::vector<MpiEnd*> ends_;
  std::size_t next_ = 0;
};

/// The size of the number that a relayed frame begins with, bytes; it keeps the payload 8-byte aligned.
inline constexpr std::size_t mpi_relay_bytes = sizeof(std::uint64_t);

/// The link over MPI of a relayed link.
[[nodiscard]] inline RemoteLink mpi_relayed(RemoteLink link) noexcept {
  link.shape.frame_capacity += mpi_relay_bytes;
  return link;
}

/// What both relayed ends have: an end over MPI. Faults of that end become its own.
class MpiRelayedEnd : public MpiEnd {
 public:
  [[nodiscard]] std::size_t window_bytes() const noexcept override { return over_mpi_->window_bytes(); }
  void prepare(std::byte* part) override { over_mpi_->prepare(part); }
  void connect(const MpiPlace& place) override;
  void begin_close() noexcept override;
  [[nodiscard]] bool finish_close() noexcept override;

 protected:
  MpiRelayedEnd(std::shared_ptr<MpiEnd> over_mpi, std::shared_ptr<MpiRelays> relays)
      : over_mpi_(std::move(over_mpi)), relays_(std::move(relays)) {}

  /// False before connect(), after begin_close() and after a fault. Any thread.
  [[nodiscard]] bool is_open() const noexcept { return open_.load(std::memory_order_relaxed); }
  [[nodiscard]] MpiEnd& over_mpi() noexcept { return *over_mpi_; }
  [[nodiscard]] MpiRelays& relays() const noexcept { return *relays_; }
  void adopt_fault() noexcept;

 private:
  std::shared_ptr<MpiEnd> over_mpi_;
  std::shared_ptr<MpiRelays> relays_;
  std::atomic<bool> open_{false};
};

class MpiRelayedSender final : public MpiRelayedEnd {
 public:
  static constexpr bool lossless = false;  // not known before run time, see is_lossless()

  /// `to_mpi` is the handle of `over_mpi`, an end of mpi_relayed(link).
  MpiRelayedSender(const RemoteLink& link, std::shared_ptr<MpiEnd> over_mpi, AnySender to_mpi,
                   std::shared_ptr<MpiRelays> relays);

  [[nodiscard]] bool is_lossless() const noexcept { return to_mpi_.is_lossless(); }
  [[nodiscard]] std::size_t frame_capacity() const noexcept { return to_mpi_.frame_capacity() - mpi_relay_bytes; }
  [[nodiscard]] std::byte* try_claim() noexcept;
  void publish(std::size_t bytes) noexcept;

  void relay() noexcept override;
  [[nodiscard]] std::uint64_t position() noexcept override;

 private:
  AnySender to_relay_;
  std::byte* claimed_ = nullptr;
  std::uint64_t published_ = 0;

  alignas(64) AnyReceiver from_owner_;  // from here on: of the communicating thread
  AnySender to_mpi_;
  std::size_t depth_;
  bool holds_frame_ = false;  // from_owner_ shows a frame that has to be sent
};

class MpiRelayedReceiver final : public MpiRelayedEnd {
 public:
  /// `from_mpi` is the handle of `over_mpi`, an end of mpi_relayed(link).
  MpiRelayedReceiver(const RemoteLink& link, std::shared_ptr<MpiEnd> over_mpi, AnyReceiver from_mpi,
                     std::shared_ptr<MpiRelays> relays);

  [[nodiscard]] std::size_t try_step(std::size_t limit) noexcept;
  [[nodiscard]] std::size_t jump() noexcept { return try_step(room_); }
  [[nodiscard]] std::span<const std::byte> frame() const noexcept { return frame_; }
  [[nodiscard]] std::uint64_t superseded() const noexcept { return superseded_; }

  void begin_close() noexcept override;
  void relay() noexcept override { relay_up_to(max_waiting_); }
  [[nodiscard]] std::uint64_t position() noexcept override;

 private:
  /// Receives frames until `waiting` of them have not been taken by the owner.
  void relay_up_to(std::size_t waiting) noexcept;

  std::size_t max_waiting_;  // frames that the owner has not taken
  std::size_t room_;         // frames of the ring
  AnyReceiver from_relay_;
  std::span<const std::byte> frame_;
  std::uint64_t superseded_ = 0;
  std::atomic<std::uint64_t> taken_{0};  // frames, by the owner

  alignas(64) AnyReceiver from_mpi_;  // from here on: of the communicating thread
  AnySender to_owner_;
  std::uint64_t relayed_ = 0;      // frames
  std::uint64_t last_number_ = 0;  // of the last of them
};

}  // namespace laxity::detail
