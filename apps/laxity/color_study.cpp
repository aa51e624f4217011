#include "apps/laxity/color_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>

#include "apps/laxity/progress_line.hpp"
#include "apps/laxity/python_interpreter.hpp"
#include "laxity/error.hpp"
#include "laxity/mesh/generators.hpp"
#include "laxity/mesh/graph_file.hpp"
#include "laxity/mesh/partition_report.hpp"
#include "laxity/metrics/run_directory.hpp"
#include "laxity/metrics/run_tables.hpp"
#include "workloads/coloring/simulated_coloring.hpp"

namespace laxity::cli {
namespace {

struct Treatment {
  std::int64_t run;
  Shape shape;
  Mode mode;
  int replicate;
};

// Replicates are the outermost loop: what drifts on the machine drifts for all treatments alike.
std::vector<Treatment> treatments_of(const ColorStudy& study) {
  std::vector<Treatment> treatments;
  for (int replicate = 0; replicate < study.replicates; ++replicate)
    for (const Shape& shape : study.shapes)
      for (const Mode mode : study.modes)
        treatments.push_back({static_cast<std::int64_t>(treatments.size()), shape, mode, replicate});
  return treatments;
}

Topology make_topology(const ColorStudy& study, int workers) {
  if (study.topology != "torus") {
    GraphFileOptions options;
    if (!study.graph_format.empty()) options.format = graph_format_named(study.graph_format);
    return read_graph_file(study.topology, options);
  }
  const std::uint64_t nodes = std::uint64_t{study.nodes_per_worker} * static_cast<std::uint64_t>(workers);
  if (nodes == 0 || nodes > Topology::max_nodes)
    throw UsageError(fmt::format("{} nodes per worker, {} workers: a mesh has 1 to {} nodes", study.nodes_per_worker,
                                 workers, Topology::max_nodes));
  auto extents = topologies::near_cube(static_cast<std::uint32_t>(nodes), 2);
  std::ranges::sort(extents);  // the longer rows lie along memory
  return topologies::torus(extents);
}

Partition make_partition(const ColorStudy& study, const Topology& topology, const Shape& shape) {
  const auto workers = static_cast<std::uint32_t>(shape.workers());
  const std::string& how = study.partition;
  if (how == "blocks")
    return topology.extents().empty() ? partitions::contiguous(topology, workers)
                                      : partitions::blocks(topology, workers);
  if (how == "contiguous") return partitions::contiguous(topology, workers);
  if (how == "round-robin") return partitions::round_robin(topology, workers);
  if (how == "random") return partitions::random(topology, workers, study.coloring.seed);
  if (how == "metis") {
    if (shape.processes > 1 && shape.threads > 1)
      return partitions::metis_two_levels(topology, static_cast<std::uint32_t>(shape.processes),
                                          static_cast<std::uint32_t>(shape.threads), study.coloring.seed);
    return partitions::metis(topology, workers, study.coloring.seed);
  }
  if (!std::filesystem::exists(how))
    throw UsageError("partition " + how +
                     ": no such file, and not one of blocks, contiguous, round-robin, random, metis");
  return partitions::from_file(topology, workers, how);
}

Configuration configuration_of(const ColorStudy& study) {
  std::vector<std::string> shapes;
  std::vector<std::int64_t> modes;
  for (const Shape& shape : study.shapes) shapes.push_back(shape.text());
  for (const Mode mode : study.modes) modes.push_back(static_cast<int>(mode));
  Configuration configuration{
      {"shapes", shapes},
      {"modes", modes},
      {"replicates", std::int64_t{study.replicates}},
      {"duration_s", study.duration_s},
      {"window_s", study.window_s},
      {"per_channel", study.per_channel},
      {"nodes_per_worker", std::int64_t{study.nodes_per_worker}},
      {"topology", study.topology},
      {"partition", study.partition},
      {"colors", std::int64_t{study.coloring.colors}},
      {"learning_rate", std::round(static_cast<double>(study.coloring.learning_rate) * 1e6) / 1e6},
      {"work", static_cast<std::int64_t>(study.coloring.work)},
      {"jitter_ns", study.coloring.jitter_ns},
      {"packing", std::string(name_of(study.packing))},
      {"view", std::string(study.view == View::block ? "block" : "node")},
      {"guard", std::string(study.mutex ? "mutex" : "lock-free")},
      {"send_depth", static_cast<std::int64_t>(study.layer.send_depth)},
      {"receive_depth", static_cast<std::int64_t>(study.layer.receive_depth)},
      {"overflow", std::string(to_string(study.layer.overflow))},
      {"every", std::int64_t{study.layer.every}},
      {"send_on_change", study.layer.send_on_change},
      {"pin", study.pin},
      {"seed", static_cast<std::int64_t>(study.coloring.seed)}};
  if (study.simulation.asked_for) study.simulation.add_to(configuration);
  return configuration;
}

void check_study(const ColorStudy& study) {
  if (study.replicates < 1) throw UsageError("--replicates: at least 1");
  if (!(study.duration_s > 0 && study.duration_s <= 1e6)) throw UsageError("--duration: must be longer than 0 seconds");
  if (!(study.window_s >= 0)) throw UsageError("--window: must not be negative");
  for (const Shape& shape : study.shapes)
    if (shape.workers() > Team::max_workers)
      throw UsageError(fmt::format("team {}: at most {} workers", shape.text(), Team::max_workers));
  if (!study.simulation.asked_for) return;
  study.simulation.check();
  for (const Shape& shape : study.shapes)
    if (shape.processes != 0)
      throw UsageError(fmt::format("team {}: virtual workers are counted by --threads or --workers {}t", shape.text(),
                                   shape.workers()));
}

ColoringRun make_run(const ColorStudy& study, const Treatment& treatment, const Topology& topology,
                     const Partition& partition) {
  ColoringRun run{.topology = topology,
                  .partition = partition,
                  .team = {},
                  .pacing = {},
                  .coloring = study.coloring,
                  .layer = study.layer};
  run.team.threads = treatment.shape.threads;
  run.team.processes = treatment.shape.processes;
  run.team.pin = study.pin == "always" ? Pin::always : study.pin == "never" ? Pin::never : Pin::automatic;
  // Who waits for a lost worker waits for ever; who waits for nobody goes on.
  run.team.on_loss = treatment.mode == Mode::none || treatment.mode == Mode::isolated ? OnLoss::go_on : OnLoss::end;
  run.pacing.mode = treatment.mode;
  run.coloring.seed = study.coloring.seed + static_cast<std::uint64_t>(treatment.replicate);
  run.packing = study.packing;
  run.view = study.view;
  run.mutex = study.mutex;
  run.duration_ns = std::llround(study.duration_s * 1e9);
  run.window_ns = std::llround(std::min(study.window_s, study.duration_s * 2 / 3) * 1e9);
  return run;
}

SimulationOptions simulation_of(const ColorStudy& study, const ColoringRun& run) {
  return study.simulation.for_run(run.partition.workers(), run.coloring.seed, run.duration_ns);
}

// All that can be wrong with a run, before anything is written.
void check_run(const ColorStudy& study, const ColoringRun& run) {
  if (study.simulation.asked_for)
    check(run, simulation_of(study, run));
  else
    check(run);
}

// The mesh of each shape, made once; runs refer to it.
class Meshes {
 public:
  explicit Meshes(const ColorStudy& study) {
    for (const Shape& shape : study.shapes) {
      Topology topology = make_topology(study, shape.workers());
      Partition partition = make_partition(study, topology, shape);
      meshes_.insert_or_assign(shape.text(), MeshOf{std::move(topology), std::move(partition)});
    }
  }
  [[nodiscard]] const Topology& topology(const Shape& shape) const { return meshes_.at(shape.text()).topology; }
  [[nodiscard]] const Partition& partition(const Shape& shape) const { return meshes_.at(shape.text()).partition; }

 private:
  struct MeshOf {
    Topology topology;
    Partition partition;
  };
  std::map<std::string, MeshOf> meshes_;
};

// With packing plain every cut edge is a channel with a row of its own in each snapshot.
void check_rows(const ColorStudy& study, const Meshes& meshes) {
  if (!study.per_channel || study.packing != Packing::plain) return;
  constexpr double most_rows = 1e6;
  double rows = 0;
  for (const Treatment& treatment : treatments_of(study)) {
    const Topology& topology = meshes.topology(treatment.shape);
    const Partition& partition = meshes.partition(treatment.shape);
    const ColoringRun run = make_run(study, treatment, topology, partition);
    if (run.window_ns == 0) return;
    const double snapshots = std::max(1.0, std::floor(study.duration_s * 1e9 / static_cast<double>(run.window_ns)));
    rows += snapshots * static_cast<double>(report_partition(topology, partition).cut_edges + partition.workers());
  }
  if (rows > most_rows)
    throw UsageError(
        fmt::format("--per-channel: {:.3g} rows in qos.csv, at most {:.0e}: take a smaller mesh, a better "
                    "partition, longer windows or fewer runs",
                    rows, most_rows));
}

std::string partition_line(const Topology& topology, const Partition& partition) {
  const PartitionReport report = report_partition(topology, partition);
  const auto most = std::ranges::max_element(report.workers, {}, &PartitionReport::Worker::neighbours);
  return fmt::format("{} nodes, {} of {} edges cut, balance {:.2f}, at most {} neighbours per worker", topology.nodes(),
                     report.cut_edges, report.edges, report.balance, most->neighbours);
}

// What a treatment came to, for the table on the terminal.
struct Tally {
  std::vector<double> rates;
  std::vector<double> conflicts;
};

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

class StudyRunner {
 public:
  StudyRunner(const ColorStudy& study, const Meshes& meshes, RunDirectory& directory)
      : study_(study),
        meshes_(meshes),
        directory_(directory),
        tables_(directory),
        progress_(study.quiet),
        treatments_(treatments_of(study)) {}

  /// False: interrupted.
  bool run_all() {
    std::size_t done = directory_.runs_done().size();
    for (const Treatment& treatment : treatments_) {
      if (directory_.runs_done().contains(treatment.run)) continue;
      const auto before = static_cast<double>(done);
      const auto progress = [&](double fraction) {
        progress_.show(
            (before + fraction) / static_cast<double>(treatments_.size()),
            fmt::format("run {} of {}: {}, mode {} ({})", done + 1, treatments_.size(), treatment.shape.text(),
                        static_cast<int>(treatment.mode), laxity::name_of(treatment.mode)));
      };
      if (!run_one(treatment, progress)) return false;
      ++done;
    }
    progress_.clear();
    return true;
  }

  [[nodiscard]] bool lost_workers() const noexcept { return lost_workers_; }

  void print_table() const {
    for (const std::string& line : replays_) fmt::print("{}\n", line);
    fmt::print("{:<7} {:<16} {:>4} {:>22} {:>17} {:>10}\n", "team", "mode", "runs", "updates/s per worker",
               "share of mode 4", "conflicts");
    for (const Shape& shape : study_.shapes) {
      for (const Mode mode : study_.modes) {
        const auto tally = tallies_.find({shape.text(), mode});
        if (tally == tallies_.end()) continue;
        const double rate = mean(tally->second.rates);
        const auto isolated = tallies_.find({shape.text(), Mode::isolated});
        const std::string share =
            isolated == tallies_.end() ? "" : fmt::format("{:.2f}", rate / mean(isolated->second.rates));
        fmt::print("{:<7} {} {:<14} {:>4} {:>22.0f} {:>17} {:>10.1f}\n", shape.text(), static_cast<int>(mode),
                   laxity::name_of(mode), tally->second.rates.size(), rate, share, mean(tally->second.conflicts));
      }
    }
  }

 private:
  bool run_one(const Treatment& treatment, const std::function<void(double)>& progress) {
    const Topology& topology = meshes_.topology(treatment.shape);
    const Partition& partition = meshes_.partition(treatment.shape);
    const ColoringRun run = make_run(study_, treatment, topology, partition);
    const ColoringResult result =
        study_.simulation.asked_for ? simulate(treatment, run, progress) : run_coloring(run, progress);
    directory_.note_placement(treatment.shape.text() + ": " + result.placement);
    if (result.team.interrupted) return false;
    const bool whole = result.team.all_finished();
    if (!whole) {
      progress_.clear();
      fmt::print(stderr, "laxity: run {} ({}, mode {}): {}", treatment.run, treatment.shape.text(),
                 static_cast<int>(treatment.mode), result.team.losses());
      lost_workers_ = true;
    }
    write(treatment, run, result, whole ? "done" : "lost a worker");
    Tally& tally = tallies_[{treatment.shape.text(), treatment.mode}];
    tally.rates.push_back(result.updates_per_second_per_worker());
    tally.conflicts.push_back(static_cast<double>(result.conflicts));
    return true;
  }

  ColoringResult simulate(const Treatment& treatment, const ColoringRun& run,
                          const std::function<void(double)>& progress) {
    SimulatedColoringResult result = run_simulated_coloring(run, simulation_of(study_, run), progress);
    replays_.push_back(fmt::format(
        "run {} ({}, mode {}, seed {}): {} conflicts, frames: {} sent, {} refused, {} lost; digest {:016x}",
        treatment.run, treatment.shape.text(), static_cast<int>(treatment.mode), run.coloring.seed,
        result.coloring.conflicts, result.frames_sent, result.frames_refused, result.frames_lost, result.digest));
    return std::move(result.coloring);
  }

  void write(const Treatment& treatment, const ColoringRun& run, const ColoringResult& result,
             const std::string& status) {
    for (const WorkerEnd& end : result.team.workers) {
      const ColoringWorkerResult& worker = result.workers[static_cast<std::size_t>(end.place.id())];
      tables_.add(WorkerRow{treatment.run, end.place.id(), end.place.process, end.place.thread, worker.updates,
                            worker.elapsed_ns, std::string(name_of(end.state))});
    }
    for (const LinkSnapshot& row : study_.per_channel ? result.snapshots : sum_channels(result.snapshots))
      tables_.add(treatment.run, row);
    if (is_pictured(treatment, run.topology)) write_picture(treatment, run.topology, result);
    const int processes = treatment.shape.processes == 0 ? 1 : treatment.shape.processes;
    tables_.finish_run({.run = treatment.run,
                        .mode = static_cast<int>(treatment.mode),
                        .mode_name = std::string(laxity::name_of(treatment.mode)),
                        .shape = treatment.shape.text(),
                        .threads = treatment.shape.threads,
                        .processes = processes,
                        .workers = treatment.shape.workers(),
                        .replicate = treatment.replicate,
                        .seed = run.coloring.seed,
                        .nodes_per_worker = run.topology.nodes() / run.partition.workers(),
                        .duration_ns = run.duration_ns,
                        .nodes = run.topology.nodes(),
                        .edges = run.topology.edges(),
                        .updates_total = result.updates(),
                        .updates_per_second_per_worker = result.updates_per_second_per_worker(),
                        .conflicts = result.conflicts,
                        .status = status});
  }

  // One picture a study: the first run of its largest team, best effort if that is among the modes.
  [[nodiscard]] bool is_pictured(const Treatment& treatment, const Topology& topology) const {
    constexpr std::uint32_t most_nodes = 20'000;
    if (topology.extents().size() != 2 || topology.nodes() > most_nodes || treatment.replicate != 0) return false;
    const auto largest =
        std::ranges::max_element(study_.shapes, {}, [](const Shape& shape) { return shape.workers(); });
    const bool best_effort = std::ranges::find(study_.modes, Mode::none) != study_.modes.end();
    return treatment.shape.text() == largest->text() &&
           treatment.mode == (best_effort ? Mode::none : study_.modes.front());
  }

  void write_picture(const Treatment& treatment, const Topology& topology, const ColoringResult& result) {
    const std::uint32_t columns = topology.extents()[1];
    for (const bool after : {false, true}) {
      const auto& colors = after ? result.after : result.before;
      for (std::uint32_t node = 0; node < topology.nodes(); ++node)
        tables_.add(PictureRow{treatment.run, after, node, node % columns, node / columns, colors[node]});
    }
  }

  const ColorStudy& study_;
  const Meshes& meshes_;
  RunDirectory& directory_;
  RunTables tables_;
  ProgressLine progress_;
  std::vector<Treatment> treatments_;
  std::map<std::pair<std::string, Mode>, Tally> tallies_;
  std::vector<std::string> replays_;  // a line for each simulated run
  bool lost_workers_ = false;
};

std::string default_output() {
  std::string time = utc_now();  // 2021-05-23T10:02:51Z
  std::erase_if(time, [](char letter) { return letter == ':' || letter == '-'; });
  return "runs/color-" + time;
}

}  // namespace

std::string Shape::text() const {
  if (processes == 0) return fmt::format("{}t", threads);
  return threads == 1 ? fmt::format("{}p", processes) : fmt::format("{}p{}t", processes, threads);
}

Shape shape_named(const std::string& text) {
  int processes = 0, threads = 0, end = 0;
  const auto whole = [&] { return end == static_cast<int>(text.size()); };
  if (std::sscanf(text.c_str(), "%4dt%n", &threads, &end) == 1 && whole() && threads > 0) return {threads, 0};
  end = 0;
  if (std::sscanf(text.c_str(), "%4dp%n", &processes, &end) == 1 && whole() && processes > 0) return {1, processes};
  end = 0;
  if (std::sscanf(text.c_str(), "%4dp%4dt%n", &processes, &threads, &end) == 2 && whole() && processes > 0 &&
      threads > 0)
    return {threads, processes};
  throw UsageError("team '" + text +
                   "': write 2t for two threads, 2p for two processes, 2p3t for two of three threads each");
}

int run_color_study(const ColorStudy& study) {
  check_study(study);
  const Meshes meshes(study);
  for (const Treatment& treatment : treatments_of(study))
    check_run(study, make_run(study, treatment, meshes.topology(treatment.shape), meshes.partition(treatment.shape)));
  check_rows(study, meshes);
  const std::filesystem::path output = study.output.empty() ? default_output() : study.output;
  Manifest manifest = manifest_of_this_machine("coloring", output.filename().string(), study.argc, study.argv);
  manifest.seed = study.coloring.seed;
  manifest.configuration = configuration_of(study);
  RunDirectory directory(output, std::move(manifest), table_formats());
  if (!study.quiet && !directory.runs_done().empty())
    fmt::print("{}: {} runs are done already, going on\n", output.string(), directory.runs_done().size());

  if (!study.quiet)
    for (const Shape& shape : study.shapes)
      fmt::print("{}: {}\n", shape.text(), partition_line(meshes.topology(shape), meshes.partition(shape)));
  StudyRunner runner(study, meshes, directory);
  bool whole = false;
  try {
    whole = runner.run_all();
  } catch (...) {
    directory.finish("failed");
    throw;
  }
  directory.finish(whole ? "done" : "interrupted");
  if (!whole) {
    fmt::print(stderr, "laxity: interrupted; what is done is in {}; the same command with --output {} goes on\n",
               output.string(), output.string());
    return 1;
  }
  if (!study.quiet) {
    runner.print_table();
    fmt::print("results in {}\n", output.string());
  }
  if (study.report)
    if (const int code = run_python_laxity({"report", output.string()}); code != 0) return code;
  return runner.lost_workers() ? 1 : 0;
}

}  // namespace laxity::cli
