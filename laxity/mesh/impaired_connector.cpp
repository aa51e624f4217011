#include "laxity/mesh/impaired_connector.hpp"

#include "laxity/clock/clock.hpp"

namespace laxity {

AnySender ImpairedConnector::sender(const LinkSpec& link) {
  if (!is_impaired_(link.key)) return inner().sender(link);
  const LinkKey& key = link.key;
  const std::uint64_t of_link = (std::uint64_t{key.from_worker} << 32 | key.to_worker) ^
                                (std::uint64_t{key.layer} << 56 | std::uint64_t{key.channel} << 8);
  return ImpairedSender(inner().sender(with_room_for(impairment_bytes, link)), faults_, seed_ ^ of_link, SteadyClock{});
}

AnyReceiver ImpairedConnector::receiver(const LinkSpec& link) {
  if (!is_impaired_(link.key)) return inner().receiver(link);
  return ImpairedReceiver(inner().receiver(with_room_for(impairment_bytes, link)), faults_, link.frame_bytes,
                          SteadyClock{});
}

}  // namespace laxity
