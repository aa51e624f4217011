// One run of graph coloring on a team of workers: from a topology and a mode to rates, conflicts and quality of
// service.
//
// Elsewhere: what a worker does in an update (coloring.hpp), the same in one thread and virtual time
// (replayed_coloring.hpp), many runs in a study (apps/laxity/color/study.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "laxity/launch/pacing.hpp"
#include "laxity/launch/team.hpp"
#include "laxity/mesh/layers/layer_options.hpp"
#include "laxity/mesh/message_log.hpp"
#include "laxity/mesh/partitions/partition.hpp"
#include "laxity/mesh/topology.hpp"
#include "laxity/metrics/observer.hpp"
#include "workloads/coloring/color_learner.hpp"
#include "workloads/coloring/hindrance.hpp"

namespace laxity {

/// How colors travel: a slot per node and frame, a slot per edge and frame, records in a frame, a frame per edge.
enum class Packing { state, pooled, aggregated, plain };
[[nodiscard]] std::string_view name_of(Packing packing) noexcept;
/// Throws UsageError that lists the names.
[[nodiscard]] Packing packing_named(std::string_view name);

/// How an update is programmed: node by node, or vectorized over all nodes (Packing::state and a uniform degree only).
enum class View { node, block };

struct ColoringRun {
  const Topology& topology;
  const Partition& partition;  ///< with parts_per_worker parts for each worker of the team, one after the other
  TeamOptions team;
  PacingOptions pacing;
  ColoringOptions coloring;
  Packing packing = Packing::state;
  View view = View::node;
  bool mutex = false;  ///< mutex-guarded rings instead of lock-free ones, for comparison
  LayerOptions layer;
  std::int64_t duration_ns = 1'000'000'000;
  std::int64_t window_ns = 0;    ///< length of a snapshot; 0: no snapshots
  std::int64_t interval_ns = 0;  ///< from the beginning of a snapshot to that of the next; 0: one follows the other
  std::size_t message_log = 0;   ///< frames at each end of a link between workers that are logged; 0: none
  Hindrance hindrance{};
  std::uint32_t parts_per_worker = 1;  ///< more than 1: a worker may have more parts or fewer as the run goes on
  bool migrates = false;               ///< whether a slow worker gives parts away
};

struct ColoringWorkerResult {
  std::uint64_t updates = 0;  ///< of its part; of several parts, the mean over as many as it begins with
  std::int64_t elapsed_ns = 0;
};

struct ColoringResult {
  TeamReport team;
  std::string placement;  ///< where workers ran, one line
  std::vector<ColoringWorkerResult> workers;
  std::vector<Color> before;  ///< of every node
  std::vector<Color> after;
  std::uint64_t conflicts = 0;  ///< conflicting edges at the end, each undirected edge once
  std::vector<LinkSnapshot> snapshots;
  std::uint64_t moves = 0;              ///< of parts from one worker to another
  std::vector<LoggedFrame> messages{};  ///< the last of every link, if asked for; link by link, in order

  [[nodiscard]] std::uint64_t updates() const noexcept;
  /// Mean over the workers.
  [[nodiscard]] double updates_per_second_per_worker() const noexcept;
};

/// What the run asks of its layer; aggregated frames hold a color for every edge to a neighbor, or most would be
/// refused.
[[nodiscard]] LayerOptions layer_options(const ColoringRun& run);

/// Throws UsageError if the options contradict each other.
void check(const ColoringRun& run);

/// Runs for run.duration_ns. Collective over ranks; then snapshots are complete at rank 0, all else everywhere.
/// `progress` is called some twenty times a second with the fraction done. Throws UsageError
/// if the options contradict each other, Error if a worker failed.
[[nodiscard]] ColoringResult run_coloring(const ColoringRun& run, const std::function<void(double)>& progress = {});

}  // namespace laxity
