// One run of graph coloring on a team of workers: from a topology and a mode to rates, conflicts and quality of service.
//
// Elsewhere: an update (coloring.hpp), a replayed run in virtual time (replayed_coloring.hpp), the runs of a study
//   (apps/laxity/color/study.cpp).
#pragma once

#include <cstddef>
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
#include "workloads/coloring/worker_fault.hpp"

namespace laxity {

/// How frames carry colors: a slot per node, a slot per edge, a record per edge, or a frame per edge.
enum class ColorPacking { state, pooled, aggregated, plain };
[[nodiscard]] std::string_view name_of(ColorPacking packing) noexcept;
/// Throws UsageError that lists the names.
[[nodiscard]] ColorPacking packing_named(std::string_view name);

/// How an update is programmed: node by node, or vectorized over all nodes (requires ColorPacking::state and a uniform
/// degree).
enum class ColoringView { node, block };

struct ColoringRun {
  const Topology& topology;
  const Partition& partition;  ///< parts_per_worker consecutive parts for each worker of the team
  TeamOptions team;
  PacingOptions pacing;
  ColoringOptions coloring;
  ColorPacking packing = ColorPacking::state;
  ColoringView view = ColoringView::node;
  bool mutex = false;  ///< mutex-guarded rings, for comparison
  LayerOptions layer;
  std::int64_t duration_ns = 1'000'000'000;
  std::int64_t window_ns = 0;    ///< length of a snapshot; 0: no snapshots
  std::int64_t interval_ns = 0;  ///< between the starts of two snapshots; 0: consecutive
  std::size_t message_log = 0;   ///< entries of the log of each link between workers, frames; 0: no log
  bool one_way_latency = false;  ///< whether messages between workers carry the time at which they were sent
  WorkerFault fault{};
  std::uint32_t parts_per_worker = 1;  ///< initial number; above 1 parts may migrate
  bool migrates = false;               ///< whether slow workers migrate parts
};

struct ColoringWorkerResult {
  std::uint64_t updates = 0;  ///< of its part; if several, of all its parts divided by parts_per_worker
  std::int64_t elapsed_ns = 0;
  std::int64_t clock_offset_ns = 0;  ///< of the clock of rank 0, by which messages are timed, at the end
  std::int64_t clock_error_ns = 0;   ///< largest error of this offset
};

struct ColoringResult {
  TeamReport team;
  std::string placement;  ///< where the workers ran, in one line
  std::vector<ColoringWorkerResult> workers;
  std::vector<NodeColor> before;  ///< of every node
  std::vector<NodeColor> after;
  std::uint64_t conflicts = 0;  ///< conflicting edges at the end, each undirected edge once
  std::vector<LinkSnapshot> snapshots;
  std::uint64_t moves = 0;              ///< migrations of parts
  std::vector<LoggedFrame> messages{};  ///< the last frames of every link, if logged; by link, in order

  [[nodiscard]] std::uint64_t updates() const noexcept;
  /// Mean over the workers.
  [[nodiscard]] double updates_per_second_per_worker() const noexcept;
};

/// The options of the run's layer. Aggregated frames get room for a color of every edge to a neighbor, because most messages
/// would be refused otherwise.
[[nodiscard]] LayerOptions layer_options(const ColoringRun& run);

/// Throws UsageError if the options contradict each other.
void check(const ColoringRun& run);

/// Runs for run.duration_ns. Collective over ranks; then snapshots and messages are complete at rank 0, all else everywhere.
/// `progress` is called some twenty times a second with the fraction done. Throws UsageError
/// if the options contradict each other, Error if a worker failed.
[[nodiscard]] ColoringResult run_coloring(const ColoringRun& run, const std::function<void(double)>& progress = {});

}  // namespace laxity
