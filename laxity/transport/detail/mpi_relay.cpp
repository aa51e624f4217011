#include "laxity/transport/detail/mpi_relay.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "laxity/check.hpp"
#include "laxity/transport/link.hpp"
#include "laxity/transport/overwriting_ring.hpp"
#include "laxity/transport/spsc_ring.hpp"

namespace laxity::detail {
namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

struct AnyLink {
  AnySender sender;
  AnyReceiver receiver;
};

template <class Ring>
AnyLink any_link(RingShape shape) {
  auto [sender, receiver] = make_link<Ring>(shape);
  return {std::move(sender), std::move(receiver)};
}

AnyLink ring_of(const RemoteLink& link, std::size_t depth) {
  const RingShape shape{depth, link.shape.frame_capacity + mpi_relay_bytes};
  return link.overwriting ? any_link<OverwritingRing>(shape) : any_link<SpscRing>(shape);
}

// Room for all frames that a lossless link may hold while it settles: the depth, of which a ring may exceed 2 %, at each
// of three places, and the frame that waits between two of them.
std::size_t room_of_receiver(const RemoteLink& link) {
  return link.overwriting ? link.shape.depth : 4 * link.shape.depth;
}

}  // namespace

void MpiRelays::relay_all() noexcept {
  for (MpiEnd* const end : ends_) end->relay();
}

void MpiRelays::relay_next() noexcept {
  if (ends_.empty()) return;
  next_ = (next_ + 1) % ends_.size();
  ends_[next_]->relay();
}

void MpiRelayedEnd::connect(const MpiPlace& place) {
  over_mpi_->connect(place);
  open_.store(true, std::memory_order_relaxed);
}

void MpiRelayedEnd::begin_close() noexcept {
  open_.store(false, std::memory_order_relaxed);
  over_mpi_->begin_close();
}

bool MpiRelayedEnd::finish_close() noexcept {
  const bool finished = over_mpi_->finish_close();
  adopt_fault();
  return finished;
}

void MpiRelayedEnd::adopt_fault() noexcept {
  if (!over_mpi_->fault()) [[likely]]
    return;
  adopt(*over_mpi_);
  open_.store(false, std::memory_order_relaxed);
}

MpiRelayedSender::MpiRelayedSender(const RemoteLink& link, std::shared_ptr<MpiEnd> over_mpi, AnySender to_mpi,
                                   std::shared_ptr<MpiRelays> relays)
    : MpiRelayedEnd(std::move(over_mpi), std::move(relays)), to_mpi_(std::move(to_mpi)), depth_(link.shape.depth) {
  AnyLink ring = ring_of(link, depth_);
  to_relay_ = std::move(ring.sender);
  from_owner_ = std::move(ring.receiver);
}

std::byte* MpiRelayedSender::try_claim() noexcept {
  if (!is_open()) return nullptr;
  claimed_ = to_relay_.try_claim();
  if (claimed_ == nullptr && relays().is_this_thread()) {
    relay();
    relays().relay_next();
    claimed_ = to_relay_.try_claim();
  }
  return claimed_ == nullptr ? nullptr : claimed_ + mpi_relay_bytes;
}

void MpiRelayedSender::publish(std::size_t bytes) noexcept {
  ++published_;
  std::memcpy(claimed_, &published_, sizeof published_);
  to_relay_.publish(mpi_relay_bytes + bytes);
  if (relays().is_this_thread()) relay();
}

// At most as many frames as fit into the ring, since its owner may go on publishing.
void MpiRelayedSender::relay() noexcept {
  if (!is_open()) return;
  for (std::size_t sent = 0; sent <= depth_; ++sent) {
    holds_frame_ = holds_frame_ || from_owner_.try_step(1) != 0;
    std::byte* const room = holds_frame_ ? to_mpi_.try_claim() : nullptr;
    if (room == nullptr) break;
    std::ranges::copy(from_owner_.frame(), room);
    to_mpi_.publish(from_owner_.frame().size());
    holds_frame_ = false;
  }
  static_cast<void>(over_mpi().position());  // sends the frame that an overwriting end has kept
  adopt_fault();
}

std::uint64_t MpiRelayedSender::position() noexcept {
  relay();
  return published_;
}

MpiRelayedReceiver::MpiRelayedReceiver(const RemoteLink& link, std::shared_ptr<MpiEnd> over_mpi, AnyReceiver from_mpi,
                                       std::shared_ptr<MpiRelays> relays)
    : MpiRelayedEnd(std::move(over_mpi), std::move(relays)),
      max_waiting_(link.overwriting ? unlimited : link.shape.depth),
      room_(room_of_receiver(link)),
      from_mpi_(std::move(from_mpi)) {
  AnyLink ring = ring_of(link, room_);
  from_relay_ = std::move(ring.receiver);
  to_owner_ = std::move(ring.sender);
}

std::size_t MpiRelayedReceiver::try_step(std::size_t limit) noexcept {
  if (!is_open()) return 0;
  if (relays().is_this_thread()) relay();
  const std::size_t moved = from_relay_.try_step(limit);
  if (moved == 0) {
    if (relays().is_this_thread()) relays().relay_next();
    return 0;
  }
  const std::span<const std::byte> shown = from_relay_.frame();
  std::uint64_t number = 0;
  std::memcpy(&number, shown.data(), sizeof number);
  frame_ = shown.subspan(mpi_relay_bytes);
  const std::uint64_t taken = taken_.load(std::memory_order_relaxed) + moved;
  superseded_ = number - taken;
  taken_.store(taken, std::memory_order_relaxed);
  return moved;
}

void MpiRelayedReceiver::relay_up_to(std::size_t waiting) noexcept {
  if (!is_open()) return;
  for (std::size_t received = 0; received < room_; ++received) {
    if (relayed_ - taken_.load(std::memory_order_relaxed) >= waiting || from_mpi_.try_step(1) == 0) break;
    const std::span<const std::byte> frame = from_mpi_.frame();
    std::byte* const room = to_owner_.try_claim();
    LAXITY_CHECK(room != nullptr);
    std::ranges::copy(frame, room);
    to_owner_.publish(frame.size());
    std::memcpy(&last_number_, frame.data(), sizeof last_number_);
    ++relayed_;
  }
  adopt_fault();
}

std::uint64_t MpiRelayedReceiver::position() noexcept {
  relay_up_to(unlimited);
  return last_number_;
}

void MpiRelayedReceiver::begin_close() noexcept {
  MpiRelayedEnd::begin_close();
  frame_ = {};
}

}  // namespace laxity::detail
