// A lossless queue over two-sided messages: one message a frame, credit the other way.
//
// The receiver has a slot for the frame shown and `depth` slots with receives posted; the frame at position p lies in
// slot p % (depth + 1). When it moves on, it posts the receives of the slots that it has passed and, now and then,
// tells the sender the position shown: its credit. The sender publishes position p only if
// p - credit <= depth, so a receive is posted for every frame before it is sent (which is what makes ready sends
// legal), nothing waits unexpected inside MPI, and the receiver never has more than `depth` frames to take in.
//
// Messages of one link match in the order of sending, since they share a communicator and a tag.
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

/// How far the receiver has come.
struct MpiCredit {
  std::uint64_t position = 0;  // of the frame shown
  std::uint64_t last = 0;      // 1: nothing more will be said
};

/// Frames side by side, each behind its header, payloads 8-byte aligned.
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
  std::byte* memory_;  // within bytes_, at a cache line
};

class MpiTwoSidedSender : public MpiEnd {
 public:
  static constexpr bool lossless = true;

  MpiTwoSidedSender(const RemoteLink& link, bool ready_sends);

  [[nodiscard]] std::size_t frame_capacity() const noexcept { return capacity_; }

  /// Refuses while the receiver is `depth` frames behind, or all slots are on their way out.
  [[nodiscard]] std::byte* try_claim() noexcept {
    if (published_ == may_publish_ && !take_credit()) return nullptr;
    if (slots_out_ == 0 && !find_slots_out()) return nullptr;
    return slots_.payload(slot_);
  }

  void publish(std::size_t bytes) noexcept { send(bytes, published_ + 1); }

  void connect(const MpiPlace& place) override;
  [[nodiscard]] std::uint64_t position() noexcept override { return published_; }
  void begin_close() noexcept override;
  [[nodiscard]] bool finish_close() noexcept override;

 protected:
  [[nodiscard]] bool is_connected() const noexcept { return place_.frames != MPI_COMM_NULL; }
  /// Sends the claimed frame under that number.
  void send(std::size_t bytes, std::uint64_t sequence) noexcept;

 private:
  [[nodiscard]] bool take_credit() noexcept;
  [[nodiscard]] bool find_slots_out() noexcept;

  std::size_t depth_;
  std::size_t capacity_;
  std::uint64_t type_;
  bool ready_sends_;
  MpiPlace place_;
  std::uint64_t published_ = 0;
  std::uint64_t may_publish_ = 0;  // frames in all; 0 until connected
  std::size_t slot_ = 0;           // of the next frame
  std::size_t slots_out_ = 0;      // slots from there on whose last frames are known to be out
  MpiSlots slots_;
  std::vector<MPI_Request> requests_;  // of each slot: the send that last used it, or null
  std::array<MpiCredit, mpi_credits> credits_{};
  std::array<MPI_Request, mpi_credits> credit_requests_;  // persistent receives
  std::size_t credit_slot_ = 0;                           // whose message comes next
  bool credit_ended_ = true;                              // nothing more comes; true until connected
  MpiFrameHeader last_frame_;
  MPI_Request last_request_ = MPI_REQUEST_NULL;
};

class MpiTwoSidedReceiver : public MpiEnd {
 public:
  explicit MpiTwoSidedReceiver(const RemoteLink& link) : MpiTwoSidedReceiver(link, true) {}

  [[nodiscard]] std::size_t try_step(std::size_t limit) noexcept {
    if (limit > waiting()) look(limit);
    const std::size_t moved = std::min(limit, waiting());
    move(moved);
    return moved;
  }
  [[nodiscard]] std::size_t jump() noexcept { return try_step(depth_); }
  [[nodiscard]] std::span<const std::byte> frame() const noexcept { return frame_; }
  [[nodiscard]] std::uint64_t superseded() const noexcept { return 0; }

  void connect(const MpiPlace& place) override;
  [[nodiscard]] std::uint64_t position() noexcept override {
    look(depth_);
    return come_;
  }
  void begin_close() noexcept override;
  [[nodiscard]] bool finish_close() noexcept override;

 protected:
  /// `lossless`: every number comes; else some were superseded before they were sent.
  MpiTwoSidedReceiver(const RemoteLink& link, bool lossless);
  /// Takes note of frames that have come, until `wanted` wait or all that can.
  void look(std::size_t wanted) noexcept;
  /// Frames that have come behind the one shown.
  [[nodiscard]] std::size_t waiting() const noexcept { return come_ - shown_; }
  /// Shows the frame so many further, posts the receives of those passed, and gives credit if it is time.
  void move(std::size_t frames) noexcept {
    if (frames != 0) show(frames);
    if (shown_ - credited_ >= frames_per_credit_) static_cast<void>(give_credit(false));  // or with a later pull
  }
  [[nodiscard]] std::uint64_t sequence_shown() noexcept { return slots_.header(shown_slot_).sequence; }
  [[nodiscard]] std::uint64_t sequence_come() const noexcept { return sequence_come_; }

 private:
  [[nodiscard]] bool test_next() noexcept;
  [[nodiscard]] bool test_run(std::size_t first, std::size_t slots) noexcept;
  void count_come() noexcept;
  void show(std::size_t frames) noexcept;
  void post(std::size_t first, std::size_t slots) noexcept;
  [[nodiscard]] bool give_credit(bool last) noexcept;

  std::size_t depth_;
  std::size_t capacity_;
  std::uint64_t type_;
  bool lossless_;
  std::size_t frames_per_credit_;
  MpiPlace place_;
  std::uint64_t shown_ = 0;          // position of the frame shown
  std::uint64_t come_ = 0;           // all positions up to this one have come
  std::uint64_t credited_ = 0;       // what the sender was told
  std::uint64_t sequence_come_ = 0;  // number of the frame at come_
  std::size_t shown_slot_ = 0;
  std::size_t next_slot_ = 1;  // of position come_ + 1
  bool ended_ = true;          // the sender's last frame has come; true until connected
  bool closing_ = false;       // what comes is dropped unseen
  std::span<const std::byte> frame_;
  MpiSlots slots_;
  std::vector<MPI_Request> requests_;  // persistent receives, one a slot
  std::vector<char> done_;             // of each slot: its receive has completed and is not posted again
  std::vector<int> indices_;           // what MPI_Testsome found
  std::array<MpiCredit, mpi_credits> credits_{};
  std::array<MPI_Request, mpi_credits> credit_requests_;
  std::size_t credit_slot_ = 0;
  bool credit_ended_ = true;  // the last credit is on its way; true until connected
};

static_assert(Sender<MpiTwoSidedSender> && Receiver<MpiTwoSidedReceiver>);

}  // namespace laxity::detail
