#include "laxity/transport/detail/mpi_one_sided.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

namespace laxity::detail {
namespace {

constexpr std::size_t sequence_bytes = sizeof(MpiFrameHeader::sequence);
constexpr int tries_per_pull = 4;  // attempts to copy a frame before the pull gives up

}  // namespace

std::uint64_t MpiOneSidedEnd::number_at(std::size_t at) const noexcept {
  auto& word = *reinterpret_cast<std::uint64_t*>(place_.here + at);
  return std::atomic_ref(word).load(std::memory_order_acquire);  // pairs with the flush between the sender's puts
}

std::uint64_t MpiOneSidedEnd::mark_or(std::uint64_t otherwise) const noexcept {
  const std::uint64_t value = number_at(offsetof(MpiMark, value));
  return number_at(offsetof(MpiMark, complement)) == ~value ? value : otherwise;
}

void MpiOneSidedEnd::put(const void* from, std::size_t bytes, std::size_t at) noexcept {
  const int count = mpi_count(bytes);
  const auto place = place_.there + static_cast<MPI_Aint>(at);
  static_cast<void>(
      succeeded("MPI_Put", MPI_Put(from, count, MPI_BYTE, place_.peer, place, count, MPI_BYTE, place_.window)));
}

void MpiOneSidedEnd::finish_puts() noexcept {
  static_cast<void>(succeeded("MPI_Win_flush", MPI_Win_flush(place_.peer, place_.window)));
}

// The put is complete in the target's memory after the next finish_puts() at the latest.
void MpiOneSidedEnd::announce(const void* from, std::size_t bytes, std::size_t at) noexcept {
  put(from, bytes, at);
  static_cast<void>(succeeded("MPI_Win_flush_local", MPI_Win_flush_local(place_.peer, place_.window)));
}

void MpiOneSidedEnd::announce_mark(std::uint64_t value) noexcept {
  mark_ = {value, ~value};
  announce(&mark_, sizeof mark_, 0);
}

void MpiOneSidedEnd::synchronize() noexcept {
  static_cast<void>(succeeded("MPI_Win_sync", MPI_Win_sync(place_.window)));
}

void MpiOneSidedEnd::found_nothing() noexcept {
  if (!is_connected() || ++polls_ % polls_per_call != 0) return;
  int arrived = 0;
  static_cast<void>(
      succeeded("MPI_Iprobe", MPI_Iprobe(place_.peer, place_.tag, place_.frames, &arrived, MPI_STATUS_IGNORE)));
}

MpiOutgoingFrame::MpiOutgoingFrame(const RemoteLink& link)
    : capacity_(link.shape.frame_capacity),
      type_(link.type.hash),
      bytes_(mpi_header_bytes + capacity_ + cache_line),
      payload_(bytes_.data() + -reinterpret_cast<std::uintptr_t>(bytes_.data()) % cache_line + mpi_header_bytes) {}

void MpiOutgoingFrame::close(std::uint64_t sequence, std::size_t bytes) noexcept {
  LAXITY_DCHECK(bytes <= capacity_);
  const MpiFrameHeader header{.sequence = sequence, .type = type_, .bytes = bytes};
  std::memcpy(payload_ - mpi_header_bytes, &header, sizeof header);
}

void MpiOneSidedSender::connect(const MpiPlace& place) {
  MpiOneSidedEnd::connect(place);
  may_publish_ = depth_;
}

void MpiOneSidedSender::publish(std::size_t bytes) noexcept {
  frame_.close(++published_, bytes);
  const std::size_t at = slot_ * mpi_slot_stride(frame_.capacity());
  put(frame_.header() + sequence_bytes, mpi_header_bytes - sequence_bytes + bytes, at + sequence_bytes);
  finish_puts();
  announce(frame_.header(), sequence_bytes, at);
  slot_ = slot_ == depth_ ? 0 : slot_ + 1;
  if (fault()) may_publish_ = published_;
}

bool MpiOneSidedSender::receive_credit() noexcept {
  if (!is_connected() || fault()) return false;
  may_publish_ = mark_or(may_publish_ - depth_) + depth_;
  if (published_ != may_publish_) return true;
  found_nothing();
  return false;
}

void MpiOneSidedSender::begin_close() noexcept {
  MpiOneSidedEnd::begin_close();
  may_publish_ = published_;
}

MpiOneSidedReceiver::MpiOneSidedReceiver(const RemoteLink& link)
    : depth_(link.shape.depth),
      capacity_(link.shape.frame_capacity),
      type_(link.type.hash),
      stride_(mpi_slot_stride(capacity_)),
      frames_per_credit_(mpi_frames_per_credit(depth_)) {}

void MpiOneSidedReceiver::prepare(std::byte* part) {
  slots_ = part;
  std::fill_n(part, window_bytes(), std::byte{0});  // no frame has position 0
}

std::size_t MpiOneSidedReceiver::try_step(std::size_t limit) noexcept {
  if (!is_connected() || fault()) return 0;
  std::size_t moved = 0;
  std::size_t slot = after(shown_slot_);
  limit = std::min(limit, depth_);  // frames published meanwhile are left to the next pull
  while (moved < limit && has_arrived(shown_ + 1, slot) && accept(shown_ + 1, slot)) {
    shown_slot_ = slot;
    ++shown_;
    ++moved;
    slot = after(slot);
  }
  if (moved == 0) {
    found_nothing();
    return 0;
  }
  if (shown_ - credited_ >= frames_per_credit_) {
    credited_ = shown_;
    announce_mark(shown_);
  }
  return moved;
}

bool MpiOneSidedReceiver::accept(std::uint64_t position, std::size_t slot) noexcept {
  const std::byte* const place = slots_ + slot * stride_;
  MpiFrameHeader header;
  std::memcpy(&header, place, sizeof header);
  if (!is_expected(header, position, type_, capacity_)) {
    fail(why_unexpected(header, position, type_, capacity_));
    return false;
  }
  frame_ = {place + mpi_header_bytes, header.bytes};
  return true;
}

std::uint64_t MpiOneSidedReceiver::position() noexcept {
  std::uint64_t arrived = shown_;
  if (!is_connected()) return arrived;
  for (std::size_t slot = after(shown_slot_); arrived - shown_ < depth_ && has_arrived(arrived + 1, slot);
       slot = after(slot)) {
    ++arrived;
  }
  found_nothing();
  return arrived;
}

void MpiOneSidedReceiver::begin_close() noexcept {
  MpiOneSidedEnd::begin_close();
  frame_ = {};
}

void MpiOverwritingSender::publish(std::size_t bytes) noexcept {
  frame_.close(++published_, bytes);
  put(frame_.header(), mpi_header_bytes + bytes, cache_line + published_ % slots_ * mpi_slot_stride(frame_.capacity()));
  finish_puts();
  announce_mark(published_);
}

MpiOverwritingReceiver::MpiOverwritingReceiver(const RemoteLink& link)
    : depth_(link.shape.depth),
      capacity_(link.shape.frame_capacity),
      type_(link.type.hash),
      stride_(mpi_slot_stride(capacity_)) {
  for (std::vector<std::byte>& copy : copies_) copy.resize(capacity_);
}

void MpiOverwritingReceiver::prepare(std::byte* part) {
  part_ = part;
  std::fill_n(part, window_bytes(), std::byte{0});
  new (part) MpiMark();
}

std::size_t MpiOverwritingReceiver::try_step(std::size_t limit) noexcept {
  if (!is_connected() || fault() || limit == 0) return 0;
  for (int tries = 0; tries < tries_per_pull; ++tries) {
    newest_ = mark_or(newest_);
    if (newest_ == passed_) {
      found_nothing();
      return 0;
    }
    const std::uint64_t oldest = newest_ - passed_ > depth_ ? newest_ - depth_ + 1 : passed_ + 1;
    const std::uint64_t wanted = std::min<std::uint64_t>(oldest + limit - 1, newest_);
    if (!copy_out(wanted)) continue;
    superseded_ += oldest - passed_ - 1;
    passed_ = wanted;
    shown_copy_ = 1 - shown_copy_;
    frame_ = {copies_[shown_copy_].data(), copied_bytes_};
    return wanted - oldest + 1;
  }
  return 0;
}

// True if the copy is complete and the frame is the one expected. The sender may be putting the frame after the newest
// announced, and even the one after that while its announcement is in transit.
bool MpiOverwritingReceiver::copy_out(std::uint64_t position) noexcept {
  const std::size_t slots = depth_ + mpi_spare_slots;
  const std::byte* const place = part_ + cache_line + position % slots * stride_;
  MpiFrameHeader header;
  std::memcpy(&header, place, sizeof header);
  copied_bytes_ = std::min<std::size_t>(header.bytes, capacity_);  // may be half written
  if (copied_bytes_ != 0) std::memcpy(copies_[1 - shown_copy_].data(), place + mpi_header_bytes, copied_bytes_);
  synchronize();                                             // orders the copy before the next read
  const std::uint64_t announced = mark_or(newest_ + slots);  // half written: treated as far ahead
  if (announced + 2 - position >= slots) return false;
  if (is_expected(header, position, type_, capacity_)) return true;
  fail(why_unexpected(header, position, type_, capacity_));
  return false;
}

std::uint64_t MpiOverwritingReceiver::position() noexcept {
  if (!is_connected()) return newest_;
  newest_ = mark_or(newest_);
  found_nothing();
  return newest_;
}

void MpiOverwritingReceiver::begin_close() noexcept {
  MpiOneSidedEnd::begin_close();
  frame_ = {};
}

}  // namespace laxity::detail
