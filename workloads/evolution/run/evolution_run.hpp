// One run of a world on a team of workers: from parameters and a mode to rates, histories and quality of service.
//
// Elsewhere: an update (world/world.hpp), the runs of a study (apps/laxity/evolve/world_study.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "laxity/launch/pacing.hpp"
#include "laxity/launch/team.hpp"
#include "laxity/mesh/partitions/partition.hpp"
#include "laxity/mesh/topology.hpp"
#include "laxity/metrics/link_snapshot.hpp"
#include "workloads/evolution/lineage/birth_record.hpp"
#include "workloads/evolution/run/picture_record.hpp"
#include "workloads/evolution/world/world.hpp"

namespace laxity::evolution {

struct EvolutionRun {
  const Topology& topology;    ///< world_topology()
  const Partition& partition;  ///< a part for each worker of the team
  TeamOptions team;
  PacingOptions pacing;
  Parameters parameters;
  std::vector<Genome> ancestors{};  ///< empty: random genomes
  std::uint64_t seed = 1;
  std::size_t send_depth = 2;                ///< frames in flight to a neighbor, on each layer
  std::int64_t duration_ns = 1'000'000'000;  ///< if updates is 0
  std::uint64_t updates = 0;                 ///< of each worker, also before it is resumed; 0: what the duration allows
  std::int64_t window_ns = 0;                ///< length of a snapshot; 0, or a number of updates: no snapshots
  std::int64_t jitter_ns = 0;                ///< mean of an exponentially distributed delay of each update
  std::uint32_t pictures = 0;                ///< at most; at least half of them if the run is long enough
  bool record_births = false;
  std::string checkpoint{};               ///< directory for checkpoints (world/checkpoint.hpp); empty: none are made
  std::uint64_t checkpoint_interval = 0;  ///< updates of each worker; 0: only at the end
  std::string resume{};                   ///< directory with the checkpoint that the run continues; empty: a new world
};

/// A worker at one moment of a run.
struct HistoryEntry {
  std::uint64_t update = 0;
  std::int64_t elapsed_ns = 0;  ///< since its first update
  Census census{};
  Tallies tallies{};
};

struct EvolutionWorkerResult {
  std::uint64_t updates = 0;    ///< in this run
  std::int64_t elapsed_ns = 0;  ///< from the first update to the last
  ResourceAccount account{};
  double stock = 0;  ///< sum of all stockpiles at the end
  std::uint64_t hash = 0;
};

/// A cell at the end of a run.
struct CellAtEnd {
  std::uint64_t lineage = 0;
  std::uint64_t individual = 0;  ///< number in the record of births
  std::uint64_t strata = 0;
  std::array<std::uint64_t, kin_levels> kin{};
  double stockpile = 0;
  std::uint32_t age = 0;  ///< updates
  std::uint32_t program_length = 0;
  std::uint32_t generations = 0;  ///< births since the first ancestor
  std::uint32_t alive = 0;
};

struct EvolutionResult {
  TeamReport team;
  std::string placement;  ///< where the workers ran, in one line
  std::vector<EvolutionWorkerResult> workers;
  std::vector<std::vector<HistoryEntry>> histories;  ///< of each worker, at equal numbers of updates, and at its end
  std::vector<CellAtEnd> cells;                      ///< of every node of the topology
  std::vector<Picture> pictures;
  std::vector<std::vector<BirthRecord::Birth>> births;  ///< of each worker; empty if they are not recorded
  std::vector<LinkSnapshot> snapshots;

  [[nodiscard]] std::uint64_t updates() const noexcept;
  /// Mean over the workers.
  [[nodiscard]] double updates_per_second_per_worker() const noexcept;
};

/// Throws UsageError if the options contradict each other.
void check(const EvolutionRun& run);

/// Runs for a duration or a number of updates. Collective over ranks; then snapshots and births are complete at rank 0, all
/// else everywhere. `progress` is called some twenty times a second with the fraction done. Throws UsageError if the options
/// contradict each other, Error if a worker failed.
[[nodiscard]] EvolutionResult run_evolution(const EvolutionRun& run, const std::function<void(double)>& progress = {});

}  // namespace laxity::evolution
