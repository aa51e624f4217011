// Links between the parts of a mesh that has several parts per worker: rings in memory that all workers share, so that
// any worker can attach to an end that another has released.
//
// To the mesh a part is what a worker is otherwise: links and partition use numbers of parts. Counters use numbers of
// workers, as all tables do: a link is counted between the initial owners of its two parts, as a channel of its own. So
// a part keeps its counters when it migrates, and each row has one writer, the owner of the part.
// Invariants: both ends of a link, and every owner of an end, use the same ring and the same row.
// Threads: the owner of the part, when it builds the part.
// Elsewhere: ownership (part_owners.hpp), links of meshes with one part per worker (worker_connector.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "laxity/launch/worker.hpp"
#include "laxity/mesh/connector.hpp"

namespace laxity {

class PartConnector final : public Connector {
 public:
  /// For one `part` of a mesh with `parts_per_worker` parts for each worker of the team. The team must outlive every
  /// part built with the connector. Throws UsageError if the workers are on several hosts, which share no memory.
  PartConnector(Worker& worker, std::uint32_t parts_per_worker, std::uint32_t part);

  /// The number of the part, which is a worker to the mesh.
  [[nodiscard]] std::uint32_t worker() const override { return part_; }
  [[nodiscard]] AnySender sender(const LinkSpec& link) override;
  [[nodiscard]] AnyReceiver receiver(const LinkSpec& link) override;
  [[nodiscard]] InletCounters& inlet_counters(const LinkSpec& link) override { return row(link).inlet; }
  [[nodiscard]] OutletCounters& outlet_counters(const LinkSpec& link) override { return row(link).outlet; }

 private:
  template <class Ring>
  [[nodiscard]] std::byte* memory(const LinkSpec& link);
  [[nodiscard]] LinkRow& row(const LinkSpec& link);

  Worker& worker_;
  std::uint32_t parts_per_worker_;
  std::uint32_t part_;
};

}  // namespace laxity
