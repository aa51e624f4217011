// Checks a run, supervises its team and collects the results.
#include "workloads/coloring/coloring_run.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>

#include "laxity/clock/clock.hpp"
#include "laxity/error.hpp"
#include "laxity/launch/rank_snapshots.hpp"
#include "laxity/launch/timed_run.hpp"
#include "laxity/mesh/migration/part_owners.hpp"
#include "laxity/mesh/partitions/partition_report.hpp"
#include "workloads/coloring/coloring_worker.hpp"
#include "workloads/coloring/conflicts.hpp"
#include "workloads/coloring/layer_of_packing.hpp"

namespace laxity {
namespace {

constexpr std::array<std::string_view, 4> packing_names{"state", "pooled", "aggregated", "plain"};

// The logged frames of all links. Collective over ranks; complete at rank 0.
std::vector<LoggedFrame> messages_of(const ColoringRun& run, Team& team) {
  LinkLogs logs(run.message_log);
  team.counter_table().for_each_link([&](const LinkKey& key, LinkRow&) {
    if (key.from_worker != key.to_worker) logs.add(key, log_of(run, team.arena(), key));
  });
  if (Ranks* const ranks = run.team.ranks; ranks != nullptr && !ranks->has_lost_a_rank()) {
    const bool sends = ranks->map().leads_host() && !ranks->is_first();
    for (const auto& packed : ranks->gatherv(sends ? logs.packed() : std::vector<std::byte>{})) logs.add(packed);
  }
  return logs.collect();
}

// The clock by which the messages of a run are timed: that of rank 0.
class MessageClock {
 public:
  /// Collective over ranks.
  explicit MessageClock(const ColoringRun& run)
      : ranks_(run.one_way_latency || run.message_log != 0 ? run.team.ranks : nullptr) {
    if (ranks_ != nullptr) clock_ = ranks_->synchronize_clock();
  }
  [[nodiscard]] const ClockModel& model() const noexcept { return clock_.model; }

  /// Collective over ranks, after the run: measures again, and writes what the workers of this rank have to add to
  /// their clock, and its largest error.
  void write_error(const ColoringResults& results, int threads) const {
    if (ranks_ == nullptr) return;
    const RankClock again = ranks_->synchronize_clock();
    const std::int64_t now_ns = SteadyClock{}.now_ns();
    const std::int64_t global_ns = clock_.model.to_global(now_ns);
    const std::int64_t strayed_ns = std::abs(global_ns - again.model.to_global(now_ns));
    for (int id = ranks_->map().rank * threads; id < (ranks_->map().rank + 1) * threads; ++id) {
      results.worker(id).clock_offset_ns = global_ns - now_ns;
      results.worker(id).clock_error_ns = strayed_ns + std::max(clock_.error_ns, again.error_ns);
    }
  }

 private:
  Ranks* ranks_;
  RankClock clock_{};
};

// An observation takes two ticks of the supervisor, one to request and one to read, so short windows need a shorter tick.
TeamOptions team_options(const ColoringRun& run) {
  TeamOptions options = run.team;
  const std::chrono::milliseconds of_window(run.window_ns / 4'000'000);
  if (run.window_ns != 0) options.tick = std::clamp(of_window, std::chrono::milliseconds(1), options.tick);
  return options;
}

template <class Layer>
ColoringResult run_with(const ColoringRun& run, const std::function<void(double)>& progress) {
  const Mesh<Layer> mesh(run.topology, run.partition, {layer_options(run)});
  const MessageClock clock(run);
  Team team(team_options(run));
  const ColoringResults shared(team.arena(), team.size(), run.topology.nodes());
  StoppedWorker stopped(run.fault, team);
  FrozenHost frozen(run.fault, team, run.duration_ns);
  TimedRun timed(team, {run.duration_ns, run.window_ns, run.interval_ns},
                 [&](std::int64_t elapsed_ns, double fraction) {
                   stopped.tick(fraction);
                   frozen.tick(elapsed_ns);
                   if (progress) progress(fraction);
                 });
  ColoringResult result;
  const auto work = [&](Worker& worker) {
    if constexpr (std::same_as<Layer, StateLayer<NodeColor>>)
      if (run.parts_per_worker > 1) return color_in_parts(run, mesh, shared, worker);
    ColoringWorker<Layer>(run, mesh, shared, worker, clock.model()).work();
  };
  result.team = team.run(work, [&] { timed.tick(); });
  result.placement = team.placement().description;
  result.snapshots = timed.snapshots();
  if (run.message_log != 0) result.messages = messages_of(run, team);
  if (Ranks* const ranks = run.team.ranks; ranks != nullptr && !ranks->has_lost_a_rank()) {
    clock.write_error(shared, run.team.threads);
    shared.allreduce_or(team, run.topology.nodes());
    result.snapshots = snapshots_of_all_ranks(*ranks, run.team.threads, result.snapshots);
  }
  if (run.parts_per_worker > 1)
    result.moves = PartOwners(team.arena(), static_cast<std::uint32_t>(team.size()), run.parts_per_worker).moves();
  for (int id = 0; id < team.size(); ++id) result.workers.push_back(shared.worker(id));
  result.before.assign(shared.before(), shared.before() + run.topology.nodes());
  result.after.assign(shared.after(), shared.after() + run.topology.nodes());
  result.conflicts = conflicting_edges(run.topology, result.after);
  return result;
}

}  // namespace

LayerOptions layer_options(const ColoringRun& run) {
  LayerOptions options = run.layer;
  if (run.packing != ColorPacking::aggregated) return options;
  for (const PartitionReport::Worker& worker : report_partition(run.topology, run.partition).workers)
    options.max_bytes = std::max<std::size_t>(
        options.max_bytes, sizeof(PackHeader) + worker.cut_outputs * aggregated_record_bytes(sizeof(NodeColor)));
  return options;
}

std::string_view name_of(ColorPacking packing) noexcept { return packing_names[static_cast<std::size_t>(packing)]; }

ColorPacking packing_named(std::string_view name) {
  for (std::size_t i = 0; i < packing_names.size(); ++i)
    if (packing_names[i] == name) return static_cast<ColorPacking>(i);
  throw UsageError("packing " + std::string(name) + ": must be state, pooled, aggregated or plain");
}

std::uint64_t ColoringResult::updates() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& worker : workers) sum += worker.updates;
  return sum;
}

double ColoringResult::updates_per_second_per_worker() const noexcept {
  double sum = 0;
  for (const auto& worker : workers)
    if (worker.elapsed_ns > 0)
      sum += static_cast<double>(worker.updates) * 1e9 / static_cast<double>(worker.elapsed_ns);
  return workers.empty() ? 0 : sum / static_cast<double>(workers.size());
}

namespace {

// Throws for options that exclude several parts per worker.
void check_parts(const ColoringRun& run) {
  if (run.parts_per_worker < 1 || run.parts_per_worker > PartOwners::max_parts_per_worker)
    throw UsageError(std::to_string(run.parts_per_worker) + " parts per worker: must be 1 to " +
                     std::to_string(PartOwners::max_parts_per_worker));
  if (run.parts_per_worker == 1) {
    if (run.migrates) throw UsageError("a worker keeps its last part: migration needs at least 2 parts per worker");
    return;
  }
  const auto forbid = [](bool asked_for, const std::string& what) {
    if (asked_for) throw UsageError("several parts per worker: " + what);
  };
  forbid(run.packing != ColorPacking::state, "they need packing state, not " + std::string(name_of(run.packing)));
  forbid(run.team.ranks != nullptr && run.team.ranks->map().hosts() > 1,
         "they migrate through shared memory, and these workers are on several hosts");
  forbid(run.mutex, "their links cannot be guarded by a mutex");
  forbid(run.message_log != 0, "their messages cannot be logged");
  forbid(run.one_way_latency, "their messages cannot be timed");
  forbid(run.fault.kind == WorkerFault::Kind::link, "their links cannot be impaired");
  forbid(!run.layer.reactions.empty(), "reactions that tune links do not apply: use migrate alone");
}

}  // namespace

void check(const ColoringRun& run) {
  const auto& coloring = run.coloring;
  if (coloring.colors < 2 || coloring.colors > 250)
    throw UsageError("colors " + std::to_string(coloring.colors) + ": must be 2 to 250");
  if (!(coloring.learning_rate > 0 && coloring.learning_rate < 1))
    throw UsageError("learning rate " + std::to_string(coloring.learning_rate) + ": must be between 0 and 1");
  if (coloring.jitter_ns < 0) throw UsageError("jitter: must not be negative");
  if (run.duration_ns <= 0) throw UsageError("duration: must be positive");
  if (run.window_ns < 0) throw UsageError("window: must not be negative");
  check(run.fault, run.team);
  if (run.fault.kind == WorkerFault::Kind::freeze && run.fault.pause_ns >= run.duration_ns)
    throw UsageError("a host cannot be frozen for as long as the run: make the run longer");
  if (run.layer.send_depth == 0) throw UsageError("send depth 0: must be at least 1");
  if (run.layer.every == 0) throw UsageError("every 0: must be at least 1");
  if (run.view == ColoringView::block && run.packing != ColorPacking::state)
    throw UsageError("the block view needs packing state, not " + std::string(name_of(run.packing)));
  if (run.view == ColoringView::block && run.topology.uniform_degree().value_or(0) == 0)
    throw UsageError("the block view needs a graph whose nodes have equal numbers of neighbors; use the node view");
  check_parts(run);
  const int processes = run.team.ranks != nullptr ? run.team.ranks->map().ranks() : std::max(run.team.processes, 1);
  const auto workers = static_cast<std::uint32_t>(processes * run.team.threads);
  if (run.partition.workers() != workers * run.parts_per_worker)
    throw UsageError("the partition has " + std::to_string(run.partition.workers()) + " parts, and " +
                     std::to_string(workers) + " workers need " + std::to_string(run.parts_per_worker) + " each");
  if (run.layer.send_on_change && run.packing != ColorPacking::state)
    throw UsageError("send_on_change needs packing state, not " + std::string(name_of(run.packing)));
  if (has_limits(run.layer) && run.mutex)
    throw UsageError(
        "the limit of mutex-guarded links cannot be tuned: use lock-free links, or only the reaction cadence");
  if (run.mutex && run.layer.overflow != Overflow::drop_newest)
    throw UsageError("mutex-guarded links refuse when they are full: use overflow drop_newest");
}

ColoringResult run_coloring(const ColoringRun& run, const std::function<void(double)>& progress) {
  check(run);
  return with_layer_of(run.packing, [&]<class Layer>() { return run_with<Layer>(run, progress); });
}

}  // namespace laxity
