#include "laxity/transport/detail/mpi_replacing.hpp"

#include <algorithm>
#include <limits>

namespace laxity::detail {

std::byte* MpiReplacingSender::try_claim() noexcept {
  if (!is_connected() || fault()) return nullptr;
  if (claimed_ != nullptr) return claimed_;
  send_kept();
  if (!keeps_frame_) claimed_ = MpiTwoSidedSender::try_claim();
  if (claimed_ == nullptr) claimed_ = kept_.data();
  return claimed_;
}

void MpiReplacingSender::publish(std::size_t bytes) noexcept {
  ++numbered_;
  if (claimed_ == kept_.data()) {
    keeps_frame_ = true;
    kept_bytes_ = bytes;
  } else {
    send(bytes, numbered_);
  }
  claimed_ = nullptr;
}

std::uint64_t MpiReplacingSender::position() noexcept {
  send_kept();
  return numbered_;
}

// Not while its memory is claimed: the frame written there will replace it.
void MpiReplacingSender::send_kept() noexcept {
  if (!keeps_frame_ || claimed_ != nullptr) return;
  std::byte* const room = MpiTwoSidedSender::try_claim();
  if (room == nullptr) return;
  std::copy_n(kept_.data(), kept_bytes_, room);
  send(kept_bytes_, numbered_);
  keeps_frame_ = false;
}

MpiReplacingReceiver::MpiReplacingReceiver(const RemoteLink& link)
    : MpiTwoSidedReceiver(mpi_queue_of(link), false), depth_(link.shape.depth) {
  for (std::vector<std::byte>& copy : copies_) copy.resize(link.shape.frame_capacity);
}

std::size_t MpiReplacingReceiver::try_step(std::size_t limit) noexcept {
  if (limit == 0) return 0;
  skip_old_frames();
  const std::size_t moved = std::min(limit, waiting());
  move(moved);
  if (moved == 0) return 0;
  moved_ += moved;
  superseded_ = sequence_shown() - moved_;
  const std::span<const std::byte> received = MpiTwoSidedReceiver::frame();
  shown_copy_ = 1 - shown_copy_;
  std::copy_n(received.data(), received.size(), copies_[shown_copy_].data());
  frame_ = std::span(copies_[shown_copy_]).first(received.size());
  return moved;
}

// Skips all frames received but the newest `depth`.
void MpiReplacingReceiver::skip_old_frames() noexcept {
  poll(std::numeric_limits<std::size_t>::max());
  if (waiting() > depth_) move(waiting() - depth_);
}

std::uint64_t MpiReplacingReceiver::position() noexcept {
  skip_old_frames();
  return sequence_received();
}

void MpiReplacingReceiver::begin_close() noexcept {
  MpiTwoSidedReceiver::begin_close();
  frame_ = {};
}

}  // namespace laxity::detail
