// Where a mesh gets its links from: the seam between a mesh and what carries its frames.
//
// A worker of a team gets links in shared memory (worker_connector.hpp), a simulated run gets impaired ones in one
// thread (replay.hpp); a transport of your own plugs in here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "laxity/channel/overflow.hpp"
#include "laxity/metrics/counters.hpp"
#include "laxity/metrics/observation.hpp"
#include "laxity/transport/any_transport.hpp"

namespace laxity {

/// One direction of traffic between two workers. Both ends ask with the same numbers.
struct LinkSpec {
  LinkKey key;
  std::uint32_t channels = 1;   ///< channels that share it
  std::size_t depth = 2;        ///< frames
  std::size_t frame_bytes = 0;  ///< largest frame
  Overflow overflow = Overflow::drop_newest;
  std::size_t send_depth = 0;          ///< of the depth, frames that a network may have on their way at once; 0: all
  const std::size_t* limit = nullptr;  ///< if set at both ends: of frames that may wait, as LimitedSender obeys it
};

/// Which ring a link needs: one whose limit may be turned overwrites.
[[nodiscard]] inline Overflow ring_policy(const LinkSpec& link) noexcept {
  return link.limit != nullptr ? Overflow::drop_oldest : link.overflow;
}

/// Makes the ends of links for one worker. Called in set-up only, by that worker's thread.
class Connector {
 public:
  virtual ~Connector() = default;

  /// The worker whose ends this makes.
  [[nodiscard]] virtual std::uint32_t worker() const = 0;
  [[nodiscard]] virtual AnySender sender(const LinkSpec& link) = 0;
  [[nodiscard]] virtual AnyReceiver receiver(const LinkSpec& link) = 0;
  /// Where the ends of a link count. A link inside the worker (key.from_worker == key.to_worker) has counters and no
  /// transport.
  [[nodiscard]] virtual InletCounters& inlet_counters(const LinkSpec& link) = 0;
  [[nodiscard]] virtual OutletCounters& outlet_counters(const LinkSpec& link) = 0;
};

}  // namespace laxity
