// A treatment: what varies between the runs of a graph coloring study.
//
// Elsewhere: what all runs of a study have in common (color/study.hpp), the treatments of the experiments of the paper
// (study/best_effort/experiments.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "apps/laxity/launch/team_shape.hpp"
#include "laxity/launch/pacing.hpp"
#include "workloads/coloring/worker_fault.hpp"

namespace laxity::cli {

struct ColorTreatment {
  Shape shape;
  PacingMode mode = PacingMode::none;
  std::uint32_t nodes_per_worker = 2048;  ///< of a torus
  std::uint64_t work = 0;                 ///< synthetic work per update, draws of std::mt19937
  bool mutex = false;                     ///< rings with a mutex instead of lock-free rings
  WorkerFault fault{};                    ///< of one worker
  std::vector<std::string> reactions{};   ///< names from all_reactions()
  int hosts = 1;                          ///< that the workers run on, in studies of hosts
  std::uint32_t parts_per_worker = 1;     ///< into which the nodes of a worker are divided
  bool own_tori = false;                  ///< a torus for each worker, without edges to other workers
  std::uint32_t graph_nodes = 0;          ///< of a graph from a file, which replaces the torus; 0: there is none
};

/// "2t, mode 3 none, 6 nodes in all", "2p, mode 3 none, 1 node each, work 64, mutex, worker 1 slow, cadence", "2r, ..., on 2 hosts",
/// "2p, ..., 64 nodes in 4 parts each, migrate"
[[nodiscard]] std::string title_of(const ColorTreatment& treatment);

/// Names of all reactions to workers that cannot keep up: those of links, and "migrate", which moves parts.
[[nodiscard]] std::vector<std::string> all_reactions();
[[nodiscard]] bool migrates(const ColorTreatment& treatment);

/// "none", "cadence", "cadence+latest"
[[nodiscard]] std::string reactions_of(const ColorTreatment& treatment);

/// "own_tori" or "shared"
[[nodiscard]] std::string_view mesh_of(const ColorTreatment& treatment);

/// "mutex" or "lock-free"
[[nodiscard]] std::string guard_of(const ColorTreatment& treatment);

}  // namespace laxity::cli
