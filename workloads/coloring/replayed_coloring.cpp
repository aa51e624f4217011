// Replays a run and observes it in virtual time.
#include "workloads/coloring/replayed_coloring.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/mesh/message_timing.hpp"
#include "laxity/random.hpp"
#include "workloads/coloring/coloring.hpp"
#include "workloads/coloring/conflicts.hpp"
#include "workloads/coloring/layer_of_packing.hpp"

namespace laxity {
namespace {

// Reads the counters of all links at moments of virtual time, between updates, so they are consistent.
class VirtualObserver {
 public:
  // As many whole windows as fit, centered in the run.
  VirtualObserver(const ReplayedRun& run, std::int64_t duration_ns, std::int64_t window_ns)
      : run_(run), window_ns_(window_ns) {
    if (window_ns == 0 || window_ns > duration_ns) return;
    next_ns_ = duration_ns % window_ns / 2;
    end_ns_ = next_ns_ + duration_ns / window_ns * window_ns;
  }

  [[nodiscard]] bool is_due_before(std::int64_t time_ns) const noexcept {
    return next_ns_ <= std::min(time_ns, end_ns_);
  }
  [[nodiscard]] std::int64_t next_ns() const noexcept { return next_ns_; }

  void observe() {
    LinkObservations now;
    run_.for_each_link([&](const LinkKey& key, const InletObservation& inlet, const OutletObservation& outlet) {
      const bool same_worker = key.from_worker == key.to_worker;
      now[key] = {.neighbor_kind = same_worker ? NeighborKind::same_thread : NeighborKind::thread,
                  .channels = run_.channels(key),
                  .answered = true,
                  .sender = {next_ns_, run_.updates(key.from_worker)},
                  .receiver = {next_ns_, run_.updates(key.to_worker)},
                  .inlet = inlet,
                  .outlet = outlet};
    });
    if (!last_.empty()) add_snapshots(snapshots_, taken_++, last_, now);
    last_ = std::move(now);
    next_ns_ += window_ns_;
  }

  [[nodiscard]] std::vector<LinkSnapshot> take_snapshots() { return std::move(snapshots_); }

 private:
  const ReplayedRun& run_;
  std::int64_t window_ns_;
  std::int64_t next_ns_ = 0;
  std::int64_t end_ns_ = -1;  // before next_ns_: nothing is observed
  int taken_ = 0;
  LinkObservations last_;
  std::vector<LinkSnapshot> snapshots_;
};

// An order-dependent digest of numbers.
class Digest {
 public:
  void add(std::uint64_t number) noexcept { value_ = SeededRandom(value_ ^ number).bits(); }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0;
};

template <class Layer>
class Replay {
 public:
  Replay(const ColoringRun& run, const ReplayOptions& options)
      : run_(run),
        mesh_(run.topology, run.partition, {layer_options(run)}),
        replayed_(options),
        logs_(run.message_log) {
    for (std::uint32_t worker = 0; worker < options.workers; ++worker) {
      workers_.push_back(std::make_unique<Coloring<Layer>>(mesh_, connector_of(worker), run.coloring));
      workers_.back()->part().communicate(communicates(run.pacing.mode));
    }
  }

  ReplayedColoringResult run(const std::function<void(double)>& progress) {
    ReplayedColoringResult result;
    result.coloring.before = colors();
    VirtualObserver observer(replayed_, run_.duration_ns, run_.window_ns);
    constexpr int slices = 100;
    for (int slice = 1; slice <= slices; ++slice) {
      const std::int64_t until_ns = slice == slices ? run_.duration_ns : run_.duration_ns / slices * slice;
      for (; observer.is_due_before(until_ns); observer.observe()) run_until(observer.next_ns());
      run_until(until_ns);
      if (progress) progress(static_cast<double>(slice) / slices);
    }
    result.coloring.snapshots = observer.take_snapshots();
    result.coloring.messages = logs_.collect();
    report(result);
    return result;
  }

 private:
  Connector& connector_of(std::uint32_t worker) {
    const auto now = [this] { return replayed_.clock().now_ns(); };
    Connector& links = replayed_.connector(worker);
    Connector& timed =
        run_.one_way_latency ? *timing_.emplace_back(std::make_unique<TimingConnector>(links, now)) : links;
    if (run_.message_log == 0) return timed;
    const auto place = [this](const LinkKey& key) { return logs_.at(key); };
    return *logging_.emplace_back(std::make_unique<LoggingConnector>(timed, place, now));
  }

  void run_until(std::int64_t until_ns) {
    replayed_.run_until(until_ns, [this](std::uint32_t worker) {
      if constexpr (std::same_as<Layer, StateLayer<NodeColor>>) {
        run_.view == ColoringView::block ? workers_[worker]->update_blocks() : workers_[worker]->update();
      } else {
        workers_[worker]->update();
      }
      if (!run_.layer.reactions.empty()) workers_[worker]->part().react(replayed_.quality(worker));
    });
  }

  [[nodiscard]] std::vector<NodeColor> colors() {
    std::vector<NodeColor> all(run_.topology.nodes());
    for (auto& worker : workers_)
      for (auto node : worker->part().nodes()) all[node.id()] = worker->colors()[node.index()];
    return all;
  }

  void report(ReplayedColoringResult& result) {
    ColoringResult& coloring = result.coloring;
    coloring.placement = "replayed in one thread";
    coloring.after = colors();
    coloring.conflicts = conflicting_edges(run_.topology, coloring.after);
    Digest digest;
    for (const NodeColor color : coloring.after) digest.add(color);
    for (std::uint32_t worker = 0; worker < workers_.size(); ++worker) {
      const std::uint64_t updates = replayed_.updates(worker);
      coloring.workers.push_back({updates, run_.duration_ns});
      const int thread = static_cast<int>(worker), threads = static_cast<int>(workers_.size());
      coloring.team.workers.push_back({{.thread = thread, .threads = threads}, WorkerState::finished, {}});
      digest.add(updates);
    }
    replayed_.for_each_link([&](const LinkKey& key, const InletObservation& in, const OutletObservation& out) {
      for (const std::uint64_t number :
           {std::uint64_t{key.layer}, std::uint64_t{key.from_worker}, std::uint64_t{key.to_worker},
            std::uint64_t{key.channel}, in.attempted, in.refused, in.superseded, in.unchanged, out.pulls, out.laden,
            out.received, out.superseded, out.touches, replayed_.losses(key).frames})
        digest.add(number);
      if (key.from_worker == key.to_worker) return;
      result.frames_sent += in.attempted - in.refused - in.unchanged;
      result.frames_refused += in.refused;
      result.frames_lost += replayed_.losses(key).frames;
    });
    result.digest = digest.value();
  }

  const ColoringRun& run_;
  Mesh<Layer> mesh_;
  ReplayedRun replayed_;
  LinkLogs logs_;
  std::vector<std::unique_ptr<TimingConnector>> timing_;
  std::vector<std::unique_ptr<LoggingConnector>> logging_;
  std::vector<std::unique_ptr<Coloring<Layer>>> workers_;
};

}  // namespace

void check(const ColoringRun& run, const ReplayOptions& replay) {
  check(run);
  if (run.parts_per_worker != 1) throw UsageError("a replayed run has one part per worker, which does not migrate");
  if (replay.workers != run.partition.workers())
    throw UsageError("the partition is for " + std::to_string(run.partition.workers()) + " workers, " +
                     std::to_string(replay.workers) + " are replayed");
  if (run.pacing.mode != PacingMode::none && run.pacing.mode != PacingMode::isolated)
    throw UsageError("mode " + std::to_string(static_cast<int>(run.pacing.mode)) +
                     ": a replayed run has no barriers; only modes 3 and 4 can be replayed");
  const ReplayedRun throws_if_invalid(replay);
}

ReplayedColoringResult run_replayed_coloring(const ColoringRun& run, const ReplayOptions& replay,
                                             const std::function<void(double)>& progress) {
  check(run, replay);
  return with_layer_of(run.packing, [&]<class Layer>() { return Replay<Layer>(run, replay).run(progress); });
}

}  // namespace laxity
