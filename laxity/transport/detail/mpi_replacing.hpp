// Overwriting links over two-sided messages, for MPIs without puts or with puts that need the target's calls.
//
// A link is a queue (mpi_two_sided.hpp) and one frame kept at the sender: without credit the frame published last waits
// there, and a newer one replaces it; it is sent by the sender's next claim, or by settle(). At the receiver the frame
// shown is a copy, so that frames which are not among the newest `depth` can be skipped, and credit be sent, at any
// time.
// Sequence numbers count published frames: their gaps are the superseded ones.
//
// Unlike with puts (mpi_one_sided.hpp), a frame is replaced only by a call of the sender: a receiver that was stopped
// for long sees frames from the beginning of that time first.
//
// Threads: one owns the sender, one the receiver.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "laxity/transport/detail/mpi_two_sided.hpp"
#include "laxity/transport/remote_links.hpp"
#include "laxity/transport/transport.hpp"

namespace laxity::detail {

/// The queue of an overwriting link: deep enough for credit to arrive while `depth` of its frames wait.
[[nodiscard]] inline RemoteLink mpi_queue_of(RemoteLink link) noexcept {
  link.shape.depth = 2 * link.shape.depth + 2;
  link.send_depth = 0;
  return link;
}

class MpiReplacingSender final : public MpiTwoSidedSender {
 public:
  static constexpr bool lossless = false;

  MpiReplacingSender(const RemoteLink& link, bool ready_sends)
      : MpiTwoSidedSender(mpi_queue_of(link), ready_sends), kept_(link.shape.frame_capacity) {}

  /// Refuses only before connect() and after close().
  [[nodiscard]] std::byte* try_claim() noexcept;
  void publish(std::size_t bytes) noexcept;

  /// Sends the frame that waits for credit if credit has arrived.
  [[nodiscard]] std::uint64_t position() noexcept override;

 private:
  void send_kept() noexcept;

  std::uint64_t numbered_ = 0;    // frames published
  std::byte* claimed_ = nullptr;  // room of the queue or of kept_; null: none claimed
  std::vector<std::byte> kept_;   // the frame that waits for credit
  std::size_t kept_bytes_ = 0;
  bool keeps_frame_ = false;
};

class MpiReplacingReceiver final : public MpiTwoSidedReceiver {
 public:
  explicit MpiReplacingReceiver(const RemoteLink& link);

  [[nodiscard]] std::size_t try_step(std::size_t limit) noexcept;
  [[nodiscard]] std::size_t jump() noexcept { return try_step(depth_); }
  [[nodiscard]] std::span<const std::byte> frame() const noexcept { return frame_; }
  [[nodiscard]] std::uint64_t superseded() const noexcept { return superseded_; }

  [[nodiscard]] std::uint64_t position() noexcept override;
  void begin_close() noexcept override;

 private:
  void skip_old_frames() noexcept;

  std::size_t depth_;
  std::uint64_t moved_ = 0;
  std::uint64_t superseded_ = 0;
  std::array<std::vector<std::byte>, 2> copies_;  // the frame shown, and the next one
  std::size_t shown_copy_ = 0;
  std::span<const std::byte> frame_;
};

static_assert(Sender<MpiReplacingSender> && Receiver<MpiReplacingReceiver>);

}  // namespace laxity::detail
