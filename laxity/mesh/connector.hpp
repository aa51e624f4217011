// The interface through which a mesh obtains its links: separates the mesh from the transports that carry its frames.
//
// Elsewhere: rings in shared memory and messages between hosts for the workers of a team (worker_connector.hpp),
//   impaired links in one thread for a replayed run (replay.hpp), impaired links in real time (impaired_connector.hpp),
//   links between parts that migrate (migration/part_connector.hpp); wrappers that time or log the frames
//   (message_timing.hpp, message_log.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "laxity/channel/overflow.hpp"
#include "laxity/metrics/counters.hpp"
#include "laxity/metrics/observation.hpp"
#include "laxity/transport/any_transport.hpp"
#include "laxity/transport/payload_type.hpp"
#include "laxity/transport/shared_memory.hpp"

namespace laxity {

/// One direction of a link between two workers. Both ends use the same values.
struct LinkSpec {
  LinkKey key;
  std::uint32_t channels = 1;   ///< channels that share the link
  std::size_t depth = 2;        ///< frames
  std::size_t frame_bytes = 0;  ///< largest frame
  Overflow overflow = Overflow::drop_newest;
  std::size_t send_depth = 0;          ///< frames in flight in a network, of `depth`; 0: all
  const std::size_t* limit = nullptr;  ///< if set, at both ends: tunable limit of frames that wait (LimitedSender)
  PayloadType type{};                  ///< the layer, which is of the same type at both ends
};

/// The ring of a link in memory that workers share. Throws TypeMismatch naming the layer and the workers, and what
/// ring_in() throws.
template <class Ring>
[[nodiscard]] std::byte* ring_of(const LinkSpec& link, Arena& arena, const BlockKey& key) {
  try {
    return ring_in<Ring>(arena, key, {link.depth, link.frame_bytes}, link.type);
  } catch (const TypeMismatch& mismatch) {
    throw TypeMismatch("layer " + std::to_string(link.key.layer) + ", link from worker " +
                           std::to_string(link.key.from_worker) + " to worker " + std::to_string(link.key.to_worker),
                       mismatch.here(), mismatch.there());
  }
}

/// The policy of the ring that a link needs: a ring with a tunable limit overwrites.
[[nodiscard]] inline Overflow ring_policy(const LinkSpec& link) noexcept {
  return link.limit != nullptr ? Overflow::drop_oldest : link.overflow;
}

/// Makes the ends of the links of one worker. Called during set-up, by that worker's thread.
class Connector {
 public:
  virtual ~Connector() = default;

  /// The worker whose ends this connector makes.
  [[nodiscard]] virtual std::uint32_t worker() const = 0;
  [[nodiscard]] virtual AnySender sender(const LinkSpec& link) = 0;
  [[nodiscard]] virtual AnyReceiver receiver(const LinkSpec& link) = 0;
  /// The counters of the ends of a link. A link inside the worker (key.from_worker == key.to_worker) has counters and
  /// no transport.
  [[nodiscard]] virtual InletCounters& inlet_counters(const LinkSpec& link) = 0;
  [[nodiscard]] virtual OutletCounters& outlet_counters(const LinkSpec& link) = 0;
};

/// Wraps another connector, which must outlive this one: a subclass makes other ends around those of `inner()`, whose
/// worker and counters stay.
class ConnectorDecorator : public Connector {
 public:
  explicit ConnectorDecorator(Connector& inner) noexcept : inner_(inner) {}

  [[nodiscard]] std::uint32_t worker() const final { return inner_.worker(); }
  [[nodiscard]] InletCounters& inlet_counters(const LinkSpec& link) final { return inner_.inlet_counters(link); }
  [[nodiscard]] OutletCounters& outlet_counters(const LinkSpec& link) final { return inner_.outlet_counters(link); }

 protected:
  [[nodiscard]] Connector& inner() const noexcept { return inner_; }
  /// The specification of an inner link whose frames have room for `bytes` more.
  [[nodiscard]] static LinkSpec with_room_for(std::size_t bytes, LinkSpec link) noexcept {
    link.frame_bytes += bytes;
    return link;
  }

 private:
  Connector& inner_;
};

}  // namespace laxity
