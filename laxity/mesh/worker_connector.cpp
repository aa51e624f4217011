#include "laxity/mesh/worker_connector.hpp"

#include <string>

#include "laxity/channel/overflow.hpp"
#include "laxity/error.hpp"
#include "laxity/transport/limited_sender.hpp"
#include "laxity/transport/mutex_ring.hpp"
#include "laxity/transport/shared_memory.hpp"

namespace laxity {
namespace {

BlockKey block_key(const LinkKey& key) {  // "layer 2 link(0, 1, 0)": from worker 0 to worker 1, channel 0
  return {"layer " + std::to_string(key.layer) + " link", key.from_worker, key.to_worker, key.channel};
}

}  // namespace

template <class Ring>
std::byte* WorkerConnector::memory(const LinkSpec& link) {
  return ring_of<Ring>(link, worker_.arena(), block_key(link.key));
}

std::optional<RemoteLink> WorkerConnector::remote(const LinkSpec& link, std::uint32_t other) const {
  if (worker_.neighbor_kind(static_cast<int>(other)) != NeighborKind::host) return {};
  if (guard_ == LinkGuard::mutex)
    throw UsageError("mutex-guarded links are rings in memory and do not reach other hosts");
  return RemoteLink{.peer = worker_.rank_of(static_cast<int>(other)),
                    .key = block_key(link.key),
                    .shape = {link.depth, link.frame_bytes},
                    .type = link.type,
                    .send_depth = link.send_depth,
                    .overwriting = link.overflow != Overflow::drop_newest};
}

template <class Visit>
decltype(auto) WorkerConnector::with_ring_of(const LinkSpec& link, Visit&& visit) const {
  if (guard_ == LinkGuard::lock_free) return with_ring(ring_policy(link), visit);
  if (ring_policy(link) != Overflow::drop_newest)
    throw UsageError("mutex-guarded links refuse when they are full: use overflow drop_newest");
  return visit.template operator()<MutexRing>();
}

AnySender WorkerConnector::sender(const LinkSpec& link) {
  if (const auto far = remote(link, link.key.to_worker)) return worker_.remote_links()->sender(*far);
  if (link.limit != nullptr && guard_ == LinkGuard::lock_free)
    return LimitedSender(OverwritingRing::Sender(memory<OverwritingRing>(link)), *link.limit);
  return with_ring_of(link, [&]<class Ring>() { return AnySender(typename Ring::Sender(memory<Ring>(link))); });
}

AnyReceiver WorkerConnector::receiver(const LinkSpec& link) {
  if (const auto far = remote(link, link.key.from_worker)) return worker_.remote_links()->receiver(*far);
  return with_ring_of(link, [&]<class Ring>() { return AnyReceiver(typename Ring::Receiver(memory<Ring>(link))); });
}

LinkRow& WorkerConnector::row(const LinkSpec& link) {
  const std::uint32_t other = link.key.from_worker == worker() ? link.key.to_worker : link.key.from_worker;
  return worker_.counter_table().link(link.key, worker_.neighbor_kind(static_cast<int>(other)), link.channels);
}

}  // namespace laxity
