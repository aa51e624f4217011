// Links between the workers of a team: rings in shared memory inside a host, messages between hosts; counters in the
// team's table.
//
// A link between hosts refuses until all workers have passed Worker::barrier() after they made their ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "laxity/launch/worker.hpp"
#include "laxity/mesh/connector.hpp"
#include "laxity/transport/remote_links.hpp"

namespace laxity {

/// How the rings of a team's links are synchronized.
enum class LinkGuard {
  lock_free,
  mutex,  ///< one lock per ring, to measure the cost of locks; only with Overflow::drop_newest
};

class WorkerConnector final : public Connector {
 public:
  /// The worker must outlive its connector; the team must outlive every part that was built with it.
  explicit WorkerConnector(Worker& worker, LinkGuard guard = LinkGuard::lock_free) : worker_(worker), guard_(guard) {}

  [[nodiscard]] std::uint32_t worker() const override { return static_cast<std::uint32_t>(worker_.id()); }
  [[nodiscard]] AnySender sender(const LinkSpec& link) override;
  [[nodiscard]] AnyReceiver receiver(const LinkSpec& link) override;
  [[nodiscard]] InletCounters& inlet_counters(const LinkSpec& link) override { return row(link).inlet; }
  [[nodiscard]] OutletCounters& outlet_counters(const LinkSpec& link) override { return row(link).outlet; }

 private:
  template <class Ring>
  [[nodiscard]] std::byte* memory(const LinkSpec& link);
  /// Options of links to workers of other hosts.
  [[nodiscard]] std::optional<RemoteLink> remote(const LinkSpec& link, std::uint32_t other) const;
  [[nodiscard]] LinkRow& row(const LinkSpec& link);
  /// Calls visit.template operator()<Ring>() with the ring type of the link. Throws UsageError if the guard has none.
  template <class Visit>
  decltype(auto) with_ring_of(const LinkSpec& link, Visit&& visit) const;

  Worker& worker_;
  LinkGuard guard_;
};

}  // namespace laxity
