#include "laxity/mesh/migration/part_connector.hpp"

#include <cstddef>

#include "laxity/error.hpp"
#include "laxity/transport/shared_memory.hpp"

namespace laxity {

PartConnector::PartConnector(Worker& worker, std::uint32_t parts_per_worker, std::uint32_t part)
    : worker_(worker), parts_per_worker_(parts_per_worker), part_(part) {
  if (worker.remote_links() != nullptr)
    throw UsageError("parts migrate between the workers of one host: use one part per worker on several hosts");
}

template <class Ring>
std::byte* PartConnector::memory(const LinkSpec& link) {
  const BlockKey key("part link", link.key.layer, link.key.from_worker, link.key.to_worker);
  return ring_of<Ring>(link, worker_.arena(), key);
}

AnySender PartConnector::sender(const LinkSpec& link) {
  return with_ring(link.overflow, [&]<class Ring>() { return AnySender(typename Ring::Sender(memory<Ring>(link))); });
}

AnyReceiver PartConnector::receiver(const LinkSpec& link) {
  return with_ring(link.overflow,
                   [&]<class Ring>() { return AnyReceiver(typename Ring::Receiver(memory<Ring>(link))); });
}

LinkRow& PartConnector::row(const LinkSpec& link) {
  if (link.key.channel != 0)
    throw UsageError(
        "a mesh with several parts per worker has one link between two parts: use a packed layer, not PlainLayer");
  const std::uint32_t k = parts_per_worker_, from = link.key.from_worker, to = link.key.to_worker;
  const LinkKey key{link.key.layer, from / k, to / k, from % k * k + to % k};
  const auto process_of = [this](std::uint32_t worker) { return worker_.rank_of(static_cast<int>(worker)); };
  const NeighborKind kind = key.from_worker == key.to_worker                           ? NeighborKind::same_thread
                            : process_of(key.from_worker) == process_of(key.to_worker) ? NeighborKind::thread
                                                                                       : NeighborKind::process;
  return worker_.counter_table().link(key, kind, link.channels);
}

}  // namespace laxity
