#include "laxity/mesh/impaired_connector.hpp"

#include "laxity/clock/clock.hpp"

namespace laxity {
namespace {

LinkSpec with_room_for_faults(LinkSpec link) {
  link.frame_bytes += impairment_bytes;
  return link;
}

}  // namespace

AnySender ImpairedConnector::sender(const LinkSpec& link) {
  if (!is_impaired_(link.key)) return inner_.sender(link);
  const LinkKey& key = link.key;
  const std::uint64_t of_link = (std::uint64_t{key.from_worker} << 32 | key.to_worker) ^
                                (std::uint64_t{key.layer} << 56 | std::uint64_t{key.channel} << 8);
  return ImpairedSender(inner_.sender(with_room_for_faults(link)), faults_, seed_ ^ of_link, SteadyClock{});
}

AnyReceiver ImpairedConnector::receiver(const LinkSpec& link) {
  if (!is_impaired_(link.key)) return inner_.receiver(link);
  return ImpairedReceiver(inner_.receiver(with_room_for_faults(link)), faults_, link.frame_bytes, SteadyClock{});
}

}  // namespace laxity
