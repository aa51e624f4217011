// Links between the parts of a mesh that has more parts than workers: rings in the memory that all workers share, so
// that any of them can take up an end where another has left it.
//
// To the mesh a part is what a worker is otherwise: links and partition go by numbers of parts. Counters go by workers,
// as all tables do: a link counts between the homes of its two parts, as a channel of its own there, wherever they are
// now. So a part that moves keeps its counts, and each row has one writer, the owner of the part.
// Invariants: both ends of a link, and every owner of an end, name the same ring and the same row.
// Threads: the owner of the part, in set-up and when it takes the part up.
// Elsewhere: who owns it (part_owners.hpp), links of meshes with a part for each worker (worker_connector.hpp).
#pragma once

#include <cstdint>

#include "laxity/launch/worker.hpp"
#include "laxity/mesh/connector.hpp"

namespace laxity {

class PartConnector final : public Connector {
 public:
  /// For `part` of those of a mesh that has `parts_per_worker` for each worker of the team. The team must outlive every
  /// part that was built with it. Throws UsageError if workers are on several nodes, which share no memory.
  PartConnector(Worker& worker, std::uint32_t parts_per_worker, std::uint32_t part);

  /// The number of the part: what a mesh takes for a worker.
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
