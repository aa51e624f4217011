#include "laxity/mesh/worker_connector.hpp"

#include "laxity/channel/overflow.hpp"
#include "laxity/error.hpp"
#include "laxity/transport/mutex_ring.hpp"
#include "laxity/transport/shared_memory.hpp"

namespace laxity {

template <class Ring>
std::byte* WorkerConnector::memory(const LinkSpec& link) {
  constexpr std::uint32_t channel_bits = 24;
  const BlockKey key("link", link.key.layer << channel_bits | link.key.channel, link.key.from_worker,
                     link.key.to_worker);
  return ring_in<Ring>(worker_.arena(), key, {link.depth, link.frame_bytes});
}

template <class Visit>
decltype(auto) WorkerConnector::with_ring_of(const LinkSpec& link, Visit&& visit) const {
  if (guard_ == Guard::lock_free) return with_ring(link.overflow, visit);
  if (link.overflow != Overflow::drop_newest)
    throw UsageError("mutex-guarded links refuse when they are full: use overflow drop_newest");
  return visit.template operator()<MutexRing>();
}

AnySender WorkerConnector::sender(const LinkSpec& link) {
  return with_ring_of(link, [&]<class Ring>() { return AnySender(typename Ring::Sender(memory<Ring>(link))); });
}

AnyReceiver WorkerConnector::receiver(const LinkSpec& link) {
  return with_ring_of(link, [&]<class Ring>() { return AnyReceiver(typename Ring::Receiver(memory<Ring>(link))); });
}

LinkRow& WorkerConnector::row(const LinkSpec& link) {
  const std::uint32_t other = link.key.from_worker == worker() ? link.key.to_worker : link.key.from_worker;
  return worker_.counter_table().link(link.key, worker_.neighbour_kind(static_cast<int>(other)), link.channels);
}

}  // namespace laxity
