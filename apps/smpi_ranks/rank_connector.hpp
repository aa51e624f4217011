// Connects a mesh over MPI links between ranks of the simulator, each with counters of its own.
//
// Elsewhere: the connector of workers of a team, whose counters are in shared memory (laxity/mesh/worker_connector.hpp).
// Threads: one.
#pragma once

#include <cstdint>
#include <map>

#include "laxity/mesh/connector.hpp"
#include "laxity/transport/remote_links.hpp"

namespace laxity {

/// Counts of one end of a link, or of both ends of a link within a worker.
struct LinkCounts {
  std::uint32_t channels = 0;
  InletObservation inlet;
  OutletObservation outlet;
};

class RankConnector final : public Connector {
 public:
  /// `links` must outlive whatever is connected.
  RankConnector(RemoteLinks& links, int rank) : links_(links), rank_(static_cast<std::uint32_t>(rank)) {}

  [[nodiscard]] std::uint32_t worker() const override { return rank_; }
  [[nodiscard]] AnySender sender(const LinkSpec& link) override;
  [[nodiscard]] AnyReceiver receiver(const LinkSpec& link) override;
  [[nodiscard]] InletCounters& inlet_counters(const LinkSpec& link) override { return row(link).inlet; }
  [[nodiscard]] OutletCounters& outlet_counters(const LinkSpec& link) override { return row(link).outlet; }

  [[nodiscard]] std::map<LinkKey, LinkCounts> observe_links() const;

 private:
  struct Row {
    std::uint32_t channels = 0;
    InletCounters inlet;
    OutletCounters outlet;
  };
  [[nodiscard]] Row& row(const LinkSpec& link);

  RemoteLinks& links_;
  std::uint32_t rank_;
  std::map<LinkKey, Row> rows_;
};

}  // namespace laxity
