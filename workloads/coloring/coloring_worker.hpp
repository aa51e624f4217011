// One worker of a run of graph coloring: builds its parts, updates them until it is asked to stop, and writes its results to
// memory that it shares with the supervisor.
//
// Threads: ColoringResults is a view of shared memory; each element is written by one worker.
// Elsewhere: the supervisor (coloring_run.cpp), an update (coloring.hpp).
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>

#include "laxity/clock/clock.hpp"
#include "laxity/clock/clock_model.hpp"
#include "laxity/launch/pacing.hpp"
#include "laxity/launch/team.hpp"
#include "laxity/mesh/impaired_connector.hpp"
#include "laxity/mesh/message_log.hpp"
#include "laxity/mesh/message_timing.hpp"
#include "laxity/mesh/migration/migratable_parts.hpp"
#include "laxity/mesh/migration/part_connector.hpp"
#include "laxity/mesh/worker_connector.hpp"
#include "workloads/coloring/coloring.hpp"
#include "workloads/coloring/coloring_run.hpp"

namespace laxity {

/// The results of all workers, and the colors of all nodes before and after the run, in shared memory.
class ColoringResults {
 public:
  ColoringResults(Arena& arena, int workers, std::uint32_t nodes)
      : workers_(reinterpret_cast<ColoringWorkerResult*>(
            block(arena, "results", sizeof(ColoringWorkerResult) * static_cast<std::size_t>(workers)))),
        before_(reinterpret_cast<NodeColor*>(block(arena, "before", nodes))),
        after_(reinterpret_cast<NodeColor*>(block(arena, "after", nodes))) {}

  [[nodiscard]] ColoringWorkerResult& worker(int id) const noexcept { return workers_[id]; }
  [[nodiscard]] NodeColor* before() const noexcept { return before_; }
  [[nodiscard]] NodeColor* after() const noexcept { return after_; }

  /// Merges the results of the workers of all hosts, on all hosts. Collective.
  void allreduce_or(Team& team, std::uint32_t nodes) const {
    team.allreduce_or(std::as_writable_bytes(std::span(workers_, static_cast<std::size_t>(team.size()))));
    team.allreduce_or(std::as_writable_bytes(std::span(before_, nodes)));
    team.allreduce_or(std::as_writable_bytes(std::span(after_, nodes)));
  }

 private:
  static std::byte* block(Arena& arena, const char* kind, std::size_t bytes) {
    return arena.find_or_create(BlockKey(kind), bytes, [](std::byte*) {});
  }
  ColoringWorkerResult* workers_;
  NodeColor* before_;
  NodeColor* after_;
};

/// The log of one link, if the run has message logs.
[[nodiscard]] inline LinkLog log_of(const ColoringRun& run, Arena& arena, const LinkKey& key) {
  constexpr std::uint32_t channel_bits = 24;
  const BlockKey block("messages", key.layer << channel_bits | key.channel, key.from_worker, key.to_worker);
  const std::size_t bytes = LinkLog::bytes_needed(run.message_log);
  return {arena.find_or_create(block, bytes, [](std::byte*) {}), run.message_log};
}

template <class Layer>
class ColoringWorker {
 public:
  /// `clock`: from SteadyClock to the clock by which messages are timed.
  ColoringWorker(const ColoringRun& run, const Mesh<Layer>& mesh, const ColoringResults& results, Worker& worker,
                 const ClockModel& clock = {})
      : run_(run), mesh_(mesh), results_(results), worker_(worker), clock_(SteadyClock{}, clock) {}

  /// Runs with one part per worker.
  void work() {
    WorkerConnector links(worker_, run_.mutex ? LinkGuard::mutex : LinkGuard::lock_free);
    const WorkerFault& fault = run_.fault;
    ImpairedConnector impaired(
        links, {.loss = WorkerFault::loss_of_bad_link, .delay_ns = std::max<std::int64_t>(0, fault.pause_ns)},
        run_.coloring.seed, [&](const LinkKey& key) {
          const auto worker = static_cast<std::uint32_t>(fault.worker);
          return key.from_worker == worker || key.to_worker == worker;
        });
    Connector& between = fault.kind == WorkerFault::Kind::link ? static_cast<Connector&>(impaired) : links;
    const auto now = [this] { return clock_.now_ns(); };
    TimingConnector timing(between, now);
    Connector& timed = run_.one_way_latency ? static_cast<Connector&>(timing) : between;
    LoggingConnector logging(
        timed, [this](const LinkKey& key) { return log_of(run_, worker_.arena(), key); }, now);
    Connector& connector = run_.message_log != 0 ? static_cast<Connector&>(logging) : timed;
    Coloring<Layer> coloring(mesh_, connector, run_.coloring);
    write_colors(coloring, results_.before());
    coloring.part().communicate(communicates(run_.pacing.mode));
    if (!worker_.barrier()) return;

    ColoringWorkerResult& result = results_.worker(worker_.id());
    const bool reacts = !run_.layer.reactions.empty();
    with_view([&](auto update) {
      const auto react = [&] {
        if (reacts) coloring.part().react(worker_.quality());
      };
      result.elapsed_ns = update_until_the_end([&] { update(coloring); }, react);
    });
    result.updates = worker_.updates();
    write_colors(coloring, results_.after());
  }

  /// Runs with several parts per worker, which may migrate.
  void work_on_parts()
    requires Serializable<Layer>
  {
    MigratableParts<Coloring<Layer>> parts(
        worker_, run_.parts_per_worker, [this](std::uint32_t part, Archive* arrived) { return build(part, arrived); });
    parts.for_each([this](Coloring<Layer>& coloring) { write_colors(coloring, results_.before()); });
    if (!worker_.barrier()) return;

    ColoringWorkerResult& result = results_.worker(worker_.id());
    std::uint64_t updates = 0;  // of single parts
    with_view([&](auto update) {
      const auto react = [&] {
        updates += parts.size();
        if (run_.migrates) parts.react(worker_.quality());
      };
      result.elapsed_ns = update_until_the_end([&] { parts.for_each(update); }, react);
    });
    result.updates = updates / run_.parts_per_worker;
    // After the barrier all migrations are visible. If workers were lost the barrier fails, and the parts here are written.
    static_cast<void>(worker_.barrier());
    parts.receive();
    parts.for_each([this](Coloring<Layer>& coloring) { write_colors(coloring, results_.after()); });
  }

 private:
  // Without communication (mode 4) the parts of one worker do not communicate with each other either.
  [[nodiscard]] std::unique_ptr<Coloring<Layer>> build(std::uint32_t part, Archive* arrived) {
    PartConnector connector(worker_, run_.parts_per_worker, part);
    auto coloring = arrived == nullptr ? std::make_unique<Coloring<Layer>>(mesh_, connector, run_.coloring)
                                       : std::make_unique<Coloring<Layer>>(mesh_, connector, run_.coloring, *arrived);
    coloring->part().communicate(communicates(run_.pacing.mode));
    return coloring;
  }

  /// Calls run(update) with the update function of the view of the run.
  template <class Run>
  void with_view(Run&& run) {
    if constexpr (std::same_as<Layer, StateLayer<NodeColor>>)
      if (run_.view == ColoringView::block) return run([](Coloring<Layer>& coloring) { coloring.update_blocks(); });
    run([](Coloring<Layer>& coloring) { coloring.update(); });
  }

  /// Returns the time from the start of the first update to the end of the last, ns.
  template <class Update, class React>
  std::int64_t update_until_the_end(Update&& update, React&& react) {
    Worker& worker = worker_;  // a local reference: the compiler must assume that stores of colors may change worker_
    const SteadyClock clock;
    const std::int64_t begin_ns = clock.now_ns();
    Pacer pacer(run_.pacing, worker.pacing_barrier());
    const bool slowed = run_.fault.slows(worker.id());
    const std::chrono::nanoseconds pause(run_.fault.pause_ns);
    bool whole = true;
    while (whole && !worker.stop_requested()) {
      update();
      if (slowed) std::this_thread::sleep_for(pause);
      worker.update_done();
      react();
      whole = pacer.after_update();
    }
    return clock.now_ns() - begin_ns;
  }

  static void write_colors(Coloring<Layer>& coloring, NodeColor* of_node) {
    const std::span<NodeColor> colors = coloring.colors();
    const LocalNodes& local_nodes = coloring.part().local_nodes();
    for (std::uint32_t i = 0; i < colors.size(); ++i) of_node[local_nodes.id(i)] = colors[i];
  }

  const ColoringRun& run_;
  const Mesh<Layer>& mesh_;
  const ColoringResults& results_;
  Worker& worker_;
  ModeledClock<SteadyClock> clock_;
};

/// ColoringWorker::work_on_parts(), in a translation unit of its own: work() is then the only caller of an update, which is
/// inlined there and a tenth faster for small parts.
void color_in_parts(const ColoringRun& run, const Mesh<StateLayer<NodeColor>>& mesh, const ColoringResults& results,
                    Worker& worker);

}  // namespace laxity
