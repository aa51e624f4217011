#include "workloads/coloring/coloring_run.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "laxity/clock/clock.hpp"
#include "laxity/error.hpp"
#include "laxity/launch/rank_snapshots.hpp"
#include "laxity/mesh/partition_report.hpp"
#include "laxity/mesh/worker_connector.hpp"
#include "workloads/coloring/coloring.hpp"
#include "workloads/coloring/conflicts.hpp"
#include "workloads/coloring/layer_of_packing.hpp"

namespace laxity {
namespace {

constexpr std::array<std::string_view, 4> packing_names{"state", "pooled", "aggregated", "plain"};

// Where workers leave their results, in memory that they share with the supervisor. A colour per node, twice.
class Results {
 public:
  Results(Arena& arena, int workers, std::uint32_t nodes)
      : workers_(reinterpret_cast<ColoringWorkerResult*>(
            block(arena, "results", sizeof(ColoringWorkerResult) * static_cast<std::size_t>(workers)))),
        before_(reinterpret_cast<Color*>(block(arena, "before", nodes))),
        after_(reinterpret_cast<Color*>(block(arena, "after", nodes))) {}

  [[nodiscard]] ColoringWorkerResult& worker(int id) const noexcept { return workers_[id]; }
  [[nodiscard]] Color* before() const noexcept { return before_; }
  [[nodiscard]] Color* after() const noexcept { return after_; }

  /// Brings what workers of other nodes have left to this one; collective.
  void unite(Team& team, std::uint32_t nodes) const {
    team.unite(std::as_writable_bytes(std::span(workers_, static_cast<std::size_t>(team.size()))));
    team.unite(std::as_writable_bytes(std::span(before_, nodes)));
    team.unite(std::as_writable_bytes(std::span(after_, nodes)));
  }

 private:
  static std::byte* block(Arena& arena, const char* kind, std::size_t bytes) {
    return arena.find_or_create(BlockKey(kind), bytes, [](std::byte*) {});
  }
  ColoringWorkerResult* workers_;
  Color* before_;
  Color* after_;
};

void write_colors(std::span<const Color> colors, const Share& share, Color* of_node) {
  for (std::uint32_t i = 0; i < colors.size(); ++i) of_node[share.id(i)] = colors[i];
}

LinkLog log_of(const ColoringRun& run, Arena& arena, const LinkKey& key) {
  constexpr std::uint32_t channel_bits = 24;
  const BlockKey block("messages", key.layer << channel_bits | key.channel, key.from_worker, key.to_worker);
  const std::size_t bytes = LinkLog::bytes_needed(run.message_log);
  return {arena.find_or_create(block, bytes, [](std::byte*) {}), run.message_log};
}

// Times count from the first entry.
std::vector<LoggedFrame> messages_of(const ColoringRun& run, Team& team) {
  std::vector<LinkKey> keys;
  team.counter_table().for_each_link([&](const LinkKey& key, LinkRow&) {
    if (key.from_worker != key.to_worker) keys.push_back(key);
  });
  std::ranges::sort(keys);
  std::vector<LoggedFrame> messages;
  for (const LinkKey& key : keys)
    std::ranges::copy(log_of(run, team.arena(), key).collect(key), std::back_inserter(messages));
  count_from_first(messages);
  return messages;
}

template <class Layer>
void work(const ColoringRun& run, const Mesh<Layer>& mesh, const Results& results, Worker& worker) {
  WorkerConnector links(worker, run.mutex ? Guard::mutex : Guard::lock_free);
  LoggingConnector logging(
      links, [&](const LinkKey& key) { return log_of(run, worker.arena(), key); },
      [] { return SteadyClock{}.now_ns(); });
  Connector& connector = run.message_log != 0 ? static_cast<Connector&>(logging) : links;
  Coloring<Layer> coloring(mesh, connector, run.coloring);
  const Share& share = coloring.part().share();
  write_colors(coloring.colors(), share, results.before());
  coloring.part().communicate(communicates(run.pacing.mode));
  if (!worker.barrier()) return;

  ColoringWorkerResult& result = results.worker(worker.id());
  const SteadyClock clock;
  const std::int64_t begin_ns = clock.now_ns();
  {
    Pacer pacer(run.pacing, worker.pacing_barrier());
    const bool slowed = run.hindrance.slows(worker.id());
    const bool reacts = !run.layer.reactions.empty();
    const auto loop = [&](auto&& update) {
      bool whole = true;
      while (whole && !worker.stop_requested()) {
        update();
        if (slowed) std::this_thread::sleep_for(std::chrono::nanoseconds(run.hindrance.pause_ns));
        worker.update_done();
        if (reacts) coloring.part().react(worker.quality());
        whole = pacer.after_update();
      }
    };
    if constexpr (std::same_as<Layer, State<Color>>) {
      if (run.view == View::block)
        loop([&] { coloring.update_blocks(); });
      else
        loop([&] { coloring.update(); });
    } else {
      loop([&] { coloring.update(); });
    }
    result = {worker.updates(), clock.now_ns() - begin_ns};
  }
  write_colors(coloring.colors(), share, results.after());
}

// What the parent does while workers run: ends the run when its time is over, takes the snapshot, says how far it is.
class Supervision {
 public:
  Supervision(const ColoringRun& run, Team& team, const std::function<void(double)>& progress)
      : run_(run), team_(team), progress_(progress), stopped_(run.hindrance, team) {}

  void tick() {
    const std::int64_t now_ns = clock_.now_ns();
    if (begin_ns_ == 0) {
      if (!team_.all_are_updating()) return;
      begin_ns_ = now_ns;
      if (run_.window_ns != 0) observe();
    }
    const std::int64_t passed_ns = now_ns - begin_ns_;
    stopped_.tick(static_cast<double>(passed_ns) / static_cast<double>(run_.duration_ns));
    if (observer_) observer_->poll(now_ns);
    // An observation under way is finished first, so that its workers can still answer.
    const bool waits = observer_ && observer_->is_waiting();
    if (passed_ns >= run_.duration_ns && !waits) team_.request_stop();
    if (progress_) progress_(std::min(1.0, static_cast<double>(passed_ns) / static_cast<double>(run_.duration_ns)));
  }

  [[nodiscard]] std::vector<LinkSnapshot> snapshots() const {
    return observer_ ? observer_->snapshots() : std::vector<LinkSnapshot>{};
  }

 private:
  // As many whole windows as fit, in the middle of the run; with an interval, the first after one, as in the papers.
  void observe() {
    const std::int64_t windows = std::max<std::int64_t>(1, run_.duration_ns / run_.window_ns);
    const std::int64_t rest_ns = run_.duration_ns - windows * run_.window_ns;
    const std::int64_t first_ns = run_.interval_ns != 0 ? run_.interval_ns : std::max<std::int64_t>(1, rest_ns / 2);
    observer_.emplace(
        team_.counter_table(),
        ObserverOptions{.first_after_ns = first_ns, .window_ns = run_.window_ns, .interval_ns = run_.interval_ns},
        begin_ns_);
  }

  const ColoringRun& run_;
  Team& team_;
  const std::function<void(double)>& progress_;
  StoppedWorker stopped_;
  std::optional<Observer> observer_;
  SteadyClock clock_;
  std::int64_t begin_ns_ = 0;
};

template <class Layer>
ColoringResult run_with(const ColoringRun& run, const std::function<void(double)>& progress) {
  const Mesh<Layer> mesh(run.topology, run.partition, {layer_options(run)});
  Team team(run.team);
  const Results shared(team.arena(), team.size(), run.topology.nodes());
  Supervision supervision(run, team, progress);
  ColoringResult result;
  result.team = team.run([&](Worker& worker) { work(run, mesh, shared, worker); }, [&] { supervision.tick(); });
  result.placement = team.placement().description;
  result.snapshots = supervision.snapshots();
  if (run.message_log != 0) result.messages = messages_of(run, team);
  if (Ranks* const ranks = run.team.ranks; ranks != nullptr && !ranks->has_lost_a_rank()) {
    shared.unite(team, run.topology.nodes());
    result.snapshots = snapshots_of_all_ranks(*ranks, run.team.threads, result.snapshots);
  }
  for (int id = 0; id < team.size(); ++id) result.workers.push_back(shared.worker(id));
  result.before.assign(shared.before(), shared.before() + run.topology.nodes());
  result.after.assign(shared.after(), shared.after() + run.topology.nodes());
  result.conflicts = conflicting_edges(run.topology, result.after);
  return result;
}

}  // namespace

LayerOptions layer_options(const ColoringRun& run) {
  LayerOptions options = run.layer;
  if (run.packing != Packing::aggregated) return options;
  for (const PartitionReport::Worker& worker : report_partition(run.topology, run.partition).workers)
    options.max_bytes = std::max<std::size_t>(
        options.max_bytes, sizeof(PackHeader) + worker.cut_outputs * aggregate_record_bytes(sizeof(Color)));
  return options;
}

std::string_view name_of(Packing packing) noexcept { return packing_names[static_cast<std::size_t>(packing)]; }

Packing packing_named(std::string_view name) {
  for (std::size_t i = 0; i < packing_names.size(); ++i)
    if (packing_names[i] == name) return static_cast<Packing>(i);
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

void check(const ColoringRun& run) {
  const auto& coloring = run.coloring;
  if (coloring.colors < 2 || coloring.colors > 250)
    throw UsageError("colors " + std::to_string(coloring.colors) + ": must be 2 to 250");
  if (!(coloring.learning_rate > 0 && coloring.learning_rate < 1))
    throw UsageError("learning rate " + std::to_string(coloring.learning_rate) + ": must be between 0 and 1");
  if (coloring.jitter_ns < 0) throw UsageError("jitter: must not be negative");
  if (run.duration_ns <= 0) throw UsageError("duration: must be longer than 0 seconds");
  if (run.window_ns < 0) throw UsageError("window: must not be negative");
  check(run.hindrance, run.team);
  if (run.layer.send_depth == 0) throw UsageError("send depth 0: a channel holds at least one message");
  if (run.layer.every == 0) throw UsageError("every 0: communicate in every n-th update, n at least 1");
  if (run.view == View::block && run.packing != Packing::state)
    throw UsageError("the block view needs packing state, not " + std::string(name_of(run.packing)));
  if (run.view == View::block && run.topology.uniform_degree().value_or(0) == 0)
    throw UsageError(
        "the block view needs a graph whose nodes all have the same number of neighbours; use the node view");
  const int processes = run.team.ranks != nullptr ? run.team.ranks->map().ranks() : std::max(run.team.processes, 1);
  if (run.partition.workers() != static_cast<std::uint32_t>(processes * run.team.threads))
    throw UsageError("the partition is for " + std::to_string(run.partition.workers()) + " workers, the team has " +
                     std::to_string(processes * run.team.threads));
  if (run.layer.send_on_change && run.packing != Packing::state)
    throw UsageError("send_on_change needs packing state, not " + std::string(name_of(run.packing)));
  if (has_limits(run.layer) && run.mutex)
    throw UsageError("mutex-guarded links cannot be turned: use lock-free ones, or no reaction but cadence");
  if (run.message_log != 0 && run.team.ranks != nullptr)
    throw UsageError("messages are logged between threads and forked processes, not between ranks of an MPI");
  if (run.mutex && run.layer.overflow != Overflow::drop_newest)
    throw UsageError("mutex-guarded links refuse when they are full: use overflow drop_newest");
}

ColoringResult run_coloring(const ColoringRun& run, const std::function<void(double)>& progress) {
  check(run);
  return with_layer_of(run.packing, [&]<class Layer>() { return run_with<Layer>(run, progress); });
}

}  // namespace laxity
