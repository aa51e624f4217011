// A lossless queue over two-sided messages: one message per frame, and credit in the other direction.
//
// The receiver has a slot for the frame shown and `depth` slots with posted receives; the frame at position p is in
// slot p % (depth + 1). When it moves, it posts the receives of the slots that it has passed and, after several frames,
// sends the position shown to the sender: its credit. The sender publishes position p only if p - credit <= depth, so a
// receive is posted for every frame before it is sent (which ready sends require), MPI never has to buffer an
// unexpected message, and at most `depth` frames wait at the receiver.
//
// Messages of one link match in the order of sending, since they share a communicator and a tag.
//
// At the end every posted receive is matched, and none is canceled: the receiver stops posting and sends its last
// credit; from that the sender knows how many receives are left, and sends as many empty frames. The receiver sends a
// credit message for each receive of the sender.
//
// Threads: one owns the sender, one the receiver. Elsewhere: overwriting when full (mpi_replacing.hpp).
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "laxity/check.hpp"
#include "laxity/transport/detail/mpi_end.hpp"
#include "laxity/transport/detail/mpi_frame.hpp"
#include "laxity/transport/remote_links.hpp"
#include "laxity/transport/transport.hpp"

namespace laxity::detail {

/// The message with which a receiver gives credit to its sender.
struct MpiCredit {
  std::uint64_t position = 0;  // of the frame shown
  std::uint64_t last = 0;      // 1: no receive is posted any more; no message follows that matters
};

/// Slots in contiguous memory, each with a header and an 8-byte aligned payload.
class MpiSlots {
 public:
  MpiSlots(std::size_t slots, std::size_t capacity);
  [[nodiscard]] std::size_t size() const noexcept { return slots_; }
  [[nodiscard]] std::size_t after(std::size_t slot) const noexcept { return slot + 1 == slots_ ? 0 : slot + 1; }
  [[nodiscard]] MpiFrameHeader& header(std::size_t slot) noexcept {
    return *reinterpret_cast<MpiFrameHeader*>(memory_ + slot * stride_);
  }
  [[nodiscard]] std::byte* payload(std::size_t slot) noexcept { return memory_ + slot * stride_ + mpi_header_bytes; }

 private:
  std::size_t slots_;
  std::size_t stride_;
  std::vector<std::byte> bytes_;
  std::byte* memory_;  // aligned to a cache line within bytes_
};

class MpiTwoSidedSender : public MpiEnd {
 public:
  static constexpr bool lossless = true;

  MpiTwoSidedSender(const RemoteLink& link, bool ready_sends);

  [[nodiscard]] std::size_t frame_capacity() const noexcept { return capacity_; }

  /// Refuses while the receiver is `depth` frames behind or all slots are being sent.
  [[nodiscard]] std::byte* try_claim() noexcept {
    if (published_ == may_publish_ && !receive_credit()) return nullptr;
    if (free_slots_ == 0 && !find_free_slots()) return nullptr;
    return slots_.payload(slot_);
  }

  void publish(std::size_t bytes) noexcept { send(bytes, published_ + 1); }

  void connect(const MpiPlace& place) override;
  [[nodiscard]] std::uint64_t position() noexcept override { return published_; }
  void begin_close() noexcept override {}
  [[nodiscard]] bool finish_close() noexcept override;

 protected:
  [[nodiscard]] bool is_connected() const noexcept { return place_.frames != MPI_COMM_NULL; }
  /// Sends the claimed frame with this sequence number.
  void send(std::size_t bytes, std::uint64_t sequence) noexcept;

 private:
  [[nodiscard]] bool receive_credit() noexcept;
  [[nodiscard]] bool find_free_slots() noexcept;

  std::size_t depth_;
  std::size_t capacity_;
  std::uint64_t type_;
  bool ready_sends_;
  MpiPlace place_;
  std::uint64_t published_ = 0;
  std::uint64_t may_publish_ = 0;  // total number of frames; 0 until connected
  std::size_t slot_ = 0;           // of the next frame
  std::size_t free_slots_ = 0;     // number of slots from there on whose last frames are known to be sent
  MpiSlots slots_;
  std::vector<MPI_Request> requests_;  // of each slot: the last send from it, or null
  std::array<MpiCredit, mpi_credits> credits_{};
  std::array<MPI_Request, mpi_credits> credit_requests_;  // persistent receives
  std::size_t credit_slot_ = 0;                           // of the next message
  bool credit_ended_ = true;                              // no message follows; true until connected
};

class MpiTwoSidedReceiver : public MpiEnd {
 public:
  explicit MpiTwoSidedReceiver(const RemoteLink& link) : MpiTwoSidedReceiver(link, true) {}

  [[nodiscard]] std::size_t try_step(std::size_t limit) noexcept {
    if (limit > waiting()) poll(limit);
    const std::size_t moved = std::min(limit, waiting());
    move(moved);
    return moved;
  }
  [[nodiscard]] std::size_t jump() noexcept { return try_step(depth_); }
  [[nodiscard]] std::span<const std::byte> frame() const noexcept { return frame_; }
  [[nodiscard]] std::uint64_t superseded() const noexcept { return 0; }

  void connect(const MpiPlace& place) override;
  [[nodiscard]] std::uint64_t position() noexcept override {
    poll(depth_);
    return received_;
  }
  void begin_close() noexcept override;
  [[nodiscard]] bool finish_close() noexcept override;

 protected:
  /// `lossless`: sequence numbers are consecutive; otherwise frames may have been superseded before they were sent.
  MpiTwoSidedReceiver(const RemoteLink& link, bool lossless);
  /// Polls for arrived frames until `wanted` wait or no more have arrived.
  void poll(std::size_t wanted) noexcept;
  /// The number of frames received after the one shown.
  [[nodiscard]] std::size_t waiting() const noexcept { return received_ - shown_; }
  /// Shows the frame at a distance of `frames`, posts the receives of those passed, and sends credit if it is due.
  void move(std::size_t frames) noexcept {
    if (frames != 0) show(frames);
    if (shown_ - credited_ >= frames_per_credit_) static_cast<void>(send_credit(false));  // retried by a later pull
  }
  [[nodiscard]] std::uint64_t sequence_shown() noexcept { return slots_.header(shown_slot_).sequence; }
  [[nodiscard]] std::uint64_t sequence_received() const noexcept { return sequence_received_; }

 private:
  [[nodiscard]] bool test_next() noexcept;
  [[nodiscard]] bool test_run(std::size_t first, std::size_t slots) noexcept;
  void count_received() noexcept;
  void show(std::size_t frames) noexcept;
  void post(std::size_t first, std::size_t slots) noexcept;
  [[nodiscard]] bool send_credit(bool last) noexcept;

  std::size_t depth_;
  std::size_t capacity_;
  std::uint64_t type_;
  bool lossless_;
  std::size_t frames_per_credit_;
  MpiPlace place_;
  std::uint64_t shown_ = 0;              // position of the frame shown
  std::uint64_t received_ = 0;           // all positions up to this one were received
  std::uint64_t credited_ = 0;           // position of the last credit
  std::uint64_t sequence_received_ = 0;  // of the frame at received_
  std::size_t shown_slot_ = 0;
  std::size_t next_slot_ = 1;  // of position received_ + 1
  bool ended_ = true;          // nothing is received; true until connected and from begin_close() on
  std::span<const std::byte> frame_;
  MpiSlots slots_;
  std::vector<MPI_Request> requests_;  // persistent receives, one a slot
  std::vector<char> done_;             // of each slot: its receive has completed and is not posted again
  std::vector<int> indices_;           // output of MPI_Testsome
  std::array<MpiCredit, mpi_credits> credits_{};
  std::array<MPI_Request, mpi_credits> credit_requests_;
  std::size_t credit_slot_ = 0;
  std::size_t last_credits_ = mpi_credits;  // messages sent that say so: one, and one for each receive of the sender
};

static_assert(Sender<MpiTwoSidedSender> && Receiver<MpiTwoSidedReceiver>);

}  // namespace laxity::detail
