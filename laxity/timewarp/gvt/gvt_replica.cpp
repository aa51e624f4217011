#include "laxity/timewarp/gvt/gvt_replica.hpp"

#include <algorithm>
#include <cstring>

#include "laxity/transport/remote_links.hpp"
#include "laxity/transport/shared_memory.hpp"
#include "laxity/transport/spsc_ring.hpp"

namespace laxity::timewarp {
namespace {

// Only this worker touches its board, so its words need no order among each other.
constexpr Site own{1, std::memory_order_relaxed};
constexpr std::size_t states_under_way = 4;

}  // namespace

GvtReplica::GvtReplica(Worker& worker)
    : memory_(GvtSharedState::bytes_needed(worker.size()) + alignof(GvtSharedState)),
      board_(reinterpret_cast<GvtSharedState*>(memory_.data() + -reinterpret_cast<std::uintptr_t>(memory_.data()) %
                                                                    alignof(GvtSharedState))),
      worker_(worker.id()) {
  const RingShape shape{.depth = states_under_way, .frame_capacity = sizeof(State)};
  const auto key = [](int from, int to) {
    return BlockKey("gvt_seat", static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to));
  };
  for (int other = 0; other < worker.size(); ++other) {
    if (other == worker_) continue;
    const BlockKey out = key(worker_, other), in = key(other, worker_);
    if (worker.neighbor_kind(other) == NeighborKind::host) {
      RemoteLinks& links = *worker.remote_links();
      const int peer = worker.rank_of(other);
      links_.push_back({other, links.sender({.peer = peer, .key = out, .shape = shape}),
                        links.receiver({.peer = peer, .key = in, .shape = shape})});
    } else {
      links_.push_back({other, AnySender(shared_sender<SpscRing>(worker.arena(), out, shape)),
                        AnyReceiver(shared_receiver<SpscRing>(worker.arena(), in, shape))});
    }
  }
}

bool GvtReplica::exchange() noexcept {
  const State now = own_state();
  const bool changed = now != state_;
  state_ = now;
  bool all_told = true;
  for (Link& link : links_) {
    if (changed) link.told = false;
    if (!link.told) {
      if (std::byte* room = link.sender.try_claim(); room != nullptr) {
        std::memcpy(room, &state_, sizeof state_);
        link.sender.publish(sizeof state_);
        link.told = true;
      }
    }
    all_told = all_told && link.told;
    if (link.receiver.jump() == 0) continue;
    State theirs;
    std::memcpy(&theirs, link.receiver.frame().data(), sizeof theirs);
    copy(link.other, theirs);
  }
  return all_told;
}

GvtReplica::State GvtReplica::own_state() const noexcept {
  const auto& seat = board_->seats()[worker_];
  return {seat.joined.load(own), seat.sent.load(own), seat.received.load(own), seat.reported.load(own),
          seat.time.load(own),   seat.tie.load(own),  seat.ends.load(own)};
}

void GvtReplica::copy(int worker, const State& state) noexcept {
  auto& seat = board_->seats()[worker];
  const auto [joined, sent, received, reported, time, tie, ends] = state;
  seat.joined.store(joined, own);
  seat.sent.store(sent, own);
  seat.received.store(received, own);
  seat.reported.store(reported, own);
  seat.time.store(time, own);
  seat.tie.store(tie, own);
  seat.ends.store(ends, own);
  // Who has joined a round has seen it started.
  board_->started.store(std::max(board_->started.load(own), joined), own);
}

}  // namespace laxity::timewarp
