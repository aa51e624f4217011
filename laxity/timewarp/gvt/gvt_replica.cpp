#include "laxity/timewarp/gvt/gvt_replica.hpp"

#include <algorithm>
#include <cstring>

#include "laxity/transport/remote_links.hpp"
#include "laxity/transport/shared_memory.hpp"
#include "laxity/transport/spsc_ring.hpp"

namespace laxity::timewarp {
namespace {

// Only this worker accesses its replica, so the words need no memory order.
constexpr AtomicSite own{1, std::memory_order_relaxed};
constexpr std::size_t states_in_flight = 4;

}  // namespace

GvtReplica::GvtReplica(Worker& worker)
    : memory_(GvtSharedState::bytes_needed(worker.size()) + alignof(GvtSharedState)),
      shared_(reinterpret_cast<GvtSharedState*>(memory_.data() + -reinterpret_cast<std::uintptr_t>(memory_.data()) %
                                                                     alignof(GvtSharedState))),
      worker_(worker.id()) {
  const RingShape shape{.depth = states_in_flight, .frame_capacity = sizeof(State)};
  const auto key = [](int from, int to) {
    return BlockKey("gvt_state", static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to));
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
  bool all_current = true;
  for (Link& link : links_) {
    if (changed) link.is_current = false;
    if (!link.is_current) {
      if (std::byte* frame = link.sender.try_claim(); frame != nullptr) {
        std::memcpy(frame, &state_, sizeof state_);
        link.sender.publish(sizeof state_);
        link.is_current = true;
      }
    }
    all_current = all_current && link.is_current;
    if (link.receiver.jump() == 0) continue;
    State theirs;
    std::memcpy(&theirs, link.receiver.frame().data(), sizeof theirs);
    copy(link.other, theirs);
  }
  return all_current;
}

GvtReplica::State GvtReplica::own_state() const noexcept {
  const auto& words = shared_->workers()[worker_];
  return {words.joined.load(own), words.sent.load(own), words.received.load(own), words.reported.load(own),
          words.time.load(own),   words.tie.load(own),  words.ends.load(own)};
}

void GvtReplica::copy(int worker, const State& state) noexcept {
  auto& words = shared_->workers()[worker];
  const auto [joined, sent, received, reported, time, tie, ends] = state;
  words.joined.store(joined, own);
  words.sent.store(sent, own);
  words.received.store(received, own);
  words.reported.store(reported, own);
  words.time.store(time, own);
  words.tie.store(tie, own);
  words.ends.store(ends, own);
  // A round that a worker has joined was started.
  shared_->started.store(std::max(shared_->started.load(own), joined), own);
}

}  // namespace laxity::timewarp
