#include "apps/laxity/color/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "apps/laxity/cli/progress_line.hpp"
#include "apps/laxity/cli/run_name.hpp"
#include "apps/laxity/color/mesh.hpp"
#include "apps/laxity/launch/python_interpreter.hpp"
#include "apps/smpi_ranks/result_file.hpp"
#include "laxity/error.hpp"
#include "laxity/launch/launcher.hpp"
#include "laxity/mesh/partitions/partition_report.hpp"
#include "laxity/metrics/run_directory.hpp"
#include "laxity/metrics/run_tables.hpp"
#include "workloads/coloring/replayed_coloring.hpp"

namespace laxity::cli {
namespace {

struct PlannedRun : ColorTreatment {
  std::int64_t run = 0;
  int replicate = 0;
};

std::vector<ColorTreatment> treatments_of(const ColorStudy& study) {
  if (!study.treatments.empty()) return study.treatments;
  std::vector<ColorTreatment> treatments;
  for (const Shape& shape : study.shapes)
    for (const Mode mode : study.modes)
      treatments.push_back({.shape = shape,
                            .mode = mode,
                            .nodes_per_worker = study.nodes_per_worker,
                            .work = study.coloring.work,
                            .mutex = study.mutex,
                            .hindrance = study.hindrance,
                            .reactions = study.reactions,
                            .parts_per_worker = study.parts_per_worker});
  return treatments;
}

// Replicates are the outermost loop: what drifts on the machine drifts for all treatments alike.
std::vector<PlannedRun> runs_of(const ColorStudy& study) {
  std::vector<PlannedRun> runs;
  for (int replicate = 0; replicate < study.replicates; ++replicate)
    for (const ColorTreatment& treatment : treatments_of(study))
      runs.push_back({treatment, static_cast<std::int64_t>(runs.size()), replicate});
  return runs;
}

void add_if_new(auto& values, const auto& value) {
  if (std::ranges::find(values, value) == values.end()) values.push_back(value);
}

Configuration configuration_of(const ColorStudy& study) {
  std::vector<std::string> shapes, titles;
  std::vector<std::int64_t> modes;
  for (const ColorTreatment& treatment : treatments_of(study)) {
    add_if_new(shapes, treatment.shape.text());
    add_if_new(modes, static_cast<int>(treatment.mode));
    titles.push_back(title_of(treatment));
  }
  Configuration configuration{
      {"study", study.name},
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
  if (study.message_log != 0) configuration.emplace_back("message_log", static_cast<std::int64_t>(study.message_log));
  if (!study.reactions.empty()) configuration.emplace_back("reactions", study.reactions);
  if (study.parts_per_worker != 1) configuration.emplace_back("parts_per_worker", std::int64_t{study.parts_per_worker});
  if (!study.treatments.empty()) {
    // What differs between treatments is no option of the whole study.
    std::erase_if(configuration, [](const auto& option) {
      return option.first == "nodes_per_worker" || option.first == "work" || option.first == "guard";
    });
    configuration.emplace_back("treatments", titles);
    configuration.emplace_back("interval_s", study.interval_s);
    configuration.emplace_back("pause_ns", study.treatments.front().hindrance.pause_ns);
  }
  if (study.ranks != nullptr) {
    configuration.emplace_back("shared_memory", study.shared_memory);
    if (study.ranks->map().hosts() > 1)
      configuration.emplace_back("messages", study.mpi_variant.empty() ? "recommended" : study.mpi_variant);
  }
  if (study.simulation.asked_for) study.simulation.add_to(configuration);
  configuration.insert(configuration.end(), study.elsewhere.begin(), study.elsewhere.end());
  return configuration;
}

void check_study(const ColorStudy& study) {
  if (study.replicates < 1) throw UsageError("--replicates: at least 1");
  if (!(study.duration_s > 0 && study.duration_s <= 1e6)) throw UsageError("--duration: must be longer than 0 seconds");
  if (!(study.window_s >= 0)) throw UsageError("--window: must not be negative");
  if (!(study.interval_s == 0 || (study.interval_s > study.window_s && study.interval_s < study.duration_s)))
    throw UsageError("--interval: must be longer than a snapshot and shorter than a run");
  const std::vector<ColorTreatment> treatments = treatments_of(study);
  for (const ColorTreatment& treatment : treatments)
    if (treatment.shape.workers() > Team::max_workers)
      throw UsageError(fmt::format("team {}: at most {} workers", treatment.shape.text(), Team::max_workers));
  if (!study.simulation.asked_for) return;
  study.simulation.check();
  for (const ColorTreatment& treatment : treatments)
    if (const Shape& shape = treatment.shape; shape.processes != 0)
      throw UsageError(fmt::format("team {}: virtual workers are counted by --threads or --workers {}t", shape.text(),
                                   shape.workers()));
}

ColoringRun make_run(const ColorStudy& study, const PlannedRun& planned, const Topology& topology,
                     const Partition& partition) {
  ColoringRun run{.topology = topology,
                  .partition = partition,
                  .team = {},
                  .pacing = {},
                  .coloring = study.coloring,
                  .layer = study.layer};
  run.team.threads = planned.shape.threads;
  run.team.ranks = study.ranks;
  if (study.ranks == nullptr) run.team.processes = planned.shape.processes;
  run.team.pin = study.pin == "always" ? Pin::always : study.pin == "never" ? Pin::never : Pin::automatic;
  // Who waits for a lost worker waits for ever; who waits for nobody goes on.
  run.team.on_loss = planned.mode == Mode::none || planned.mode == Mode::isolated ? OnLoss::go_on : OnLoss::end;
  run.pacing.mode = planned.mode;
  run.coloring.seed = study.coloring.seed + static_cast<std::uint64_t>(planned.replicate);
  run.packing = study.packing;
  run.view = study.view;
  run.mutex = planned.mutex;
  run.hindrance = planned.hindrance;
  run.parts_per_worker = planned.parts_per_worker;
  run.migrates = migrates(planned);
  for (const std::string& name : planned.reactions)
    if (std::ranges::find(reaction_names, name) != reaction_names.end())
      run.layer.reactions.push_back(reaction_named(name));
  run.coloring.work = planned.work;
  run.message_log = study.message_log;
  run.duration_ns = std::llround(study.duration_s * 1e9);
  run.window_ns = std::llround(std::min(study.window_s, study.duration_s * 2 / 3) * 1e9);
  run.interval_ns = std::llround(study.interval_s * 1e9);
  return run;
}

ReplayOptions simulation_of(const ColorStudy& study, const ColoringRun& run) {
  ReplayOptions options = study.simulation.for_run(run.partition.workers(), run.coloring.seed, run.duration_ns);
  if (run.hindrance.fault != Fault::slow) return options;
  options.slowness.resize(options.workers, 1.0);
  options.slowness.at(static_cast<std::size_t>(run.hindrance.worker)) *=
      1 + static_cast<double>(run.hindrance.pause_ns) / static_cast<double>(options.period_ns);
  return options;
}

// All that can be wrong with a run, before anything is written.
void check_run(const ColorStudy& study, const ColoringRun& run) {
  if (study.simulation.asked_for)
    check(run, simulation_of(study, run));
  else
    check(run);
}

// With packing plain every cut edge is a channel with a row of its own in each snapshot.
void check_rows(const ColorStudy& study, const ColorMeshes& meshes) {
  if (!study.per_channel || study.packing != Packing::plain) return;
  constexpr double most_rows = 1e6;
  double rows = 0;
  for (const PlannedRun& planned : runs_of(study)) {
    const Topology& topology = meshes.topology(planned);
    const Partition& partition = meshes.partition(planned);
    const ColoringRun run = make_run(study, planned, topology, partition);
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

void check_messages(const ColorStudy& study, const ColorMeshes& meshes) {
  if (study.message_log == 0) return;
  constexpr double most_rows = 1e6;
  double rows = 0;
  for (const PlannedRun& planned : runs_of(study)) {
    const PartitionReport report = report_partition(meshes.topology(planned), meshes.partition(planned));
    std::uint64_t links = 0;
    for (const auto& worker : report.workers)
      links += study.packing == Packing::plain ? worker.cut_outputs : worker.neighbors;
    rows += static_cast<double>(links) * static_cast<double>(study.message_log);
  }
  if (rows > most_rows)
    throw UsageError(fmt::format("--message-log {}: {:.3g} rows in messages.csv, at most {:.0e}", study.message_log,
                                 rows, most_rows));
}

// What a treatment came to, for the table on the terminal.
struct Tally {
  std::vector<double> rates;
  std::vector<double> conflicts;
  std::vector<double> moves;
};

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// What a study leaves behind.
struct Record {
  Record(const std::filesystem::path& output, Manifest manifest)
      : directory(output, std::move(manifest), table_formats()), tables(directory) {}

  RunDirectory directory;
  RunTables tables;
};

class StudyRunner {
 public:
  /// `record` is there in the rank that writes.
  StudyRunner(const ColorStudy& study, const ColorMeshes& meshes, Record* record)
      : study_(study),
        meshes_(meshes),
        record_(record),
        progress_(study.quiet || record == nullptr),
        treatments_(treatments_of(study)),
        runs_(runs_of(study)),
        tallies_(treatments_.size()) {}

  /// False: interrupted.
  bool run_all() {
    const auto done_before = static_cast<std::size_t>(
        std::ranges::count_if(runs_, [this](const PlannedRun& planned) { return is_done(planned); }));
    const auto to_do = static_cast<double>(runs_.size() - done_before);
    std::size_t done = 0;
    for (const PlannedRun& planned : runs_) {
      if (is_done(planned)) continue;
      const std::string what = fmt::format("run {} of {}: {}", done_before + done + 1, runs_.size(), title_of(planned));
      const auto progress = [&](double fraction) {
        progress_.show((static_cast<double>(done) + fraction) / to_do, what);
      };
      if (!run_one(planned, progress)) return false;
      ++done;
    }
    progress_.clear();
    return true;
  }

  [[nodiscard]] bool lost_workers() const noexcept { return lost_workers_; }

  void print_table() const {
    for (const std::string& line : replays_) fmt::print("{}\n", line);
    std::size_t width = 9;
    for (const ColorTreatment& treatment : treatments_) width = std::max(width, title_of(treatment).size());
    const bool show_moves = std::ranges::any_of(treatments_, migrates);
    fmt::print("{:<{}} {:>4} {:>22} {:>17} {:>10}{}\n", "treatment", width, "runs", "updates/s per worker",
               "share of mode 4", "conflicts", show_moves ? "      moves" : "");
    for (std::size_t which = 0; which < treatments_.size(); ++which) {
      const Tally& tally = tallies_[which];
      if (tally.rates.empty()) continue;
      const double rate = mean(tally.rates);
      const double isolated = isolated_rate(treatments_[which]);
      fmt::print("{:<{}} {:>4} {:>22.0f} {:>17} {:>10.1f}{}\n", title_of(treatments_[which]), width, tally.rates.size(),
                 rate, isolated > 0 ? fmt::format("{:.2f}", rate / isolated) : "", mean(tally.conflicts),
                 show_moves ? fmt::format(" {:>10.1f}", mean(tally.moves)) : "");
    }
  }

 private:
  bool run_one(const PlannedRun& planned, const std::function<void(double)>& progress) {
    const Topology& topology = meshes_.topology(planned);
    const Partition& partition = meshes_.partition(planned);
    const ColoringRun run = make_run(study_, planned, topology, partition);
    const ColoringResult result = study_.run_elsewhere          ? study_.run_elsewhere(run, planned)
                                  : study_.simulation.asked_for ? simulate(planned, run, progress)
                                                                : run_coloring(run, progress);
    if (result.team.interrupted) return false;
    const bool whole = result.team.all_finished();
    lost_workers_ = lost_workers_ || !whole;
    at_first_rank(study_.ranks, [&] {
      progress_.clear();
      if (!whole) fmt::print(stderr, "laxity: run {} ({}): {}\n", planned.run, title_of(planned), result.team.losses());
      record_->directory.note_placement(planned.shape.text() + ": " + result.placement);
      write(planned, run, result, whole ? "done" : "lost a worker");
      if (!study_.result_file.empty()) write_result(study_.result_file, result);
    });
    Tally& tally = tallies_[static_cast<std::size_t>(planned.run) % treatments_.size()];
    tally.rates.push_back(result.updates_per_second_per_worker());
    tally.conflicts.push_back(static_cast<double>(result.conflicts));
    tally.moves.push_back(static_cast<double>(result.moves));
    return study_.ranks == nullptr || !study_.ranks->has_lost_a_rank();
  }

  // The rank that writes knows.
  [[nodiscard]] bool is_done(const PlannedRun& planned) const {
    const bool done = record_ != nullptr && record_->directory.runs_done().contains(planned.run);
    return study_.ranks != nullptr ? study_.ranks->allgather_values(done ? 1 : 0).front() != 0 : done;
  }

  // Of the treatment that differs in nothing but that its workers do not communicate; 0 if there is none.
  [[nodiscard]] double isolated_rate(ColorTreatment treatment) const {
    treatment.mode = Mode::isolated;
    for (std::size_t which = 0; which < treatments_.size(); ++which)
      if (title_of(treatments_[which]) == title_of(treatment)) return mean(tallies_[which].rates);
    return 0;
  }

  ColoringResult simulate(const PlannedRun& planned, const ColoringRun& run,
                          const std::function<void(double)>& progress) {
    ReplayedColoringResult result = run_replayed_coloring(run, simulation_of(study_, run), progress);
    replays_.push_back(fmt::format(
        "run {} ({}, mode {}, seed {}): {} conflicts, frames: {} sent, {} refused, {} lost; digest {:016x}",
        planned.run, planned.shape.text(), static_cast<int>(planned.mode), run.coloring.seed, result.coloring.conflicts,
        result.frames_sent, result.frames_refused, result.frames_lost, result.digest));
    return std::move(result.coloring);
  }

  void write(const PlannedRun& planned, const ColoringRun& run, const ColoringResult& result,
             const std::string& status) {
    for (const WorkerEnd& end : result.team.workers) {
      const ColoringWorkerResult& worker = result.workers[static_cast<std::size_t>(end.place.id())];
      record_->tables.add(WorkerRow{planned.run, end.place.id(), end.place.process, end.place.thread, worker.updates,
                                    worker.elapsed_ns, std::string(name_of(end.state))});
    }
    for (const LinkSnapshot& row : study_.per_channel ? result.snapshots : sum_channels(result.snapshots))
      record_->tables.add(planned.run, row);
    for (const LoggedFrame& frame : result.messages)
      record_->tables.add(MessageRow{planned.run, frame.key, frame.number, frame.sent_ns, frame.seen_ns,
                                     frame.refused_before, name_of(frame.fate)});
    if (is_pictured(planned, run.topology)) write_picture(planned, run.topology, result);
    const int processes = planned.shape.processes == 0 ? 1 : planned.shape.processes;
    record_->tables.finish_run(
        {.run = planned.run,
         .mode = static_cast<int>(planned.mode),
         .mode_name = std::string(laxity::name_of(planned.mode)),
         .shape = planned.shape.text(),
         .threads = planned.shape.threads,
         .processes = processes,
         .workers = planned.shape.workers(),
         .replicate = planned.replicate,
         .seed = run.coloring.seed,
         .nodes_per_worker = run.topology.nodes() / static_cast<std::uint32_t>(planned.shape.workers()),
         .duration_ns = run.duration_ns,
         .nodes = run.topology.nodes(),
         .edges = run.topology.edges(),
         .updates_total = result.updates(),
         .updates_per_second_per_worker = result.updates_per_second_per_worker(),
         .conflicts = result.conflicts,
         .work = planned.work,
         .guard = guard_of(planned),
         .fault = std::string(laxity::name_of(planned.hindrance.fault)),
         .reaction = reactions_of(planned),
         .parts_per_worker = planned.parts_per_worker,
         .moves = result.moves,
         .hosts = study_.ranks != nullptr ? study_.ranks->map().hosts() : planned.hosts,
         .status = status});
  }

  // One picture a study: the first run of its largest team, best effort if that is among the modes.
  [[nodiscard]] bool is_pictured(const PlannedRun& planned, const Topology& topology) const {
    constexpr std::uint32_t least_nodes = 16, most_nodes = 20'000;
    if (topology.extents().size() != 2 || planned.replicate != 0) return false;
    if (topology.nodes() < least_nodes || topology.nodes() > most_nodes) return false;
    const auto rank = [](const ColorTreatment& treatment) {
      return std::tuple(treatment.shape.workers(), treatment.nodes_per_worker, treatment.mode == Mode::none);
    };
    return planned.run == std::ranges::max_element(treatments_, {}, rank) - treatments_.begin();
  }

  void write_picture(const PlannedRun& planned, const Topology& topology, const ColoringResult& result) {
    const std::uint32_t columns = topology.extents()[1];
    for (const bool after : {false, true}) {
      const auto& colors = after ? result.after : result.before;
      for (std::uint32_t node = 0; node < topology.nodes(); ++node)
        record_->tables.add(PictureRow{planned.run, after, node, node % columns, node / columns, colors[node]});
    }
  }

  const ColorStudy& study_;
  const ColorMeshes& meshes_;
  Record* record_;
  ProgressLine progress_;
  std::vector<ColorTreatment> treatments_;
  std::vector<PlannedRun> runs_;
  std::vector<Tally> tallies_;        // by treatment
  std::vector<std::string> replays_;  // a line for each simulated run
  bool lost_workers_ = false;
};

// A line for each mesh, not for each treatment.
void print_meshes(const ColorMeshes& meshes, const std::vector<ColorTreatment>& treatments) {
  std::vector<std::string> lines;
  for (const ColorTreatment& treatment : treatments) {
    std::string line = fmt::format("{}: {}", treatment.shape.text(), meshes.description(treatment));
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
  }
  for (const std::string& line : lines) fmt::print("{}\n", line);
}

// Of rank 0 if there are ranks; all is checked, and the directory is the first thing written.
void open_record(const ColorStudy& study, const ColorMeshes& meshes, std::optional<Record>& record) {
  const std::filesystem::path output = study.output.empty() ? default_output(study.name) : study.output;
  Manifest manifest = manifest_of_this_machine("coloring", output.filename().string(), study.argc, study.argv);
  manifest.seed = study.coloring.seed;
  manifest.configuration = configuration_of(study);
  if (study.ranks != nullptr) {
    manifest.versions["mpi"] = study.ranks->library();
    manifest.hosts = study.ranks->map().host_names;
  }
  record.emplace(output, std::move(manifest));
  const std::size_t done = record->directory.runs_done().size();
  if (!study.quiet && done != 0) fmt::print("{}: {} runs are done already, going on\n", output.string(), done);
  if (!study.quiet) print_meshes(meshes, treatments_of(study));
}

// Says how the study ended, in its directory and on the terminal. Exit code.
int conclude(const ColorStudy& study, Record& record, const StudyRunner& runner, bool whole) {
  const std::string output = record.directory.path().string();
  const bool lost_a_rank = study.ranks != nullptr && study.ranks->has_lost_a_rank();
  record.directory.finish(whole ? "done" : lost_a_rank ? "failed" : "interrupted");
  if (!whole) {
    fmt::print(stderr, "laxity: {}; what is done is in {}; the same command with --output {} goes on\n",
               lost_a_rank ? "a rank was lost" : "interrupted", output, output);
    return 1;
  }
  if (!study.quiet) {
    runner.print_table();
    fmt::print("results in {}\n", output);
  }
  if (study.report)
    if (const int code = run_python_laxity({"report", output}); code != 0) return code;
  return runner.lost_workers() ? 1 : 0;
}

}  // namespace

int run_color_study(const ColorStudy& study) {
  if (const auto launch = launched(); study.ranks == nullptr && launch && launch->size > 1)
    throw UsageError("this study makes its own workers: start it without " + launch->launcher);
  std::unique_ptr<const ColorMeshes> meshes;
  const auto prepare = [&] {
    check_study(study);
    meshes = std::make_unique<const ColorMeshes>(study, treatments_of(study));
    for (const PlannedRun& planned : runs_of(study))
      check_run(study, make_run(study, planned, meshes->topology(planned), meshes->partition(planned)));
    check_rows(study, *meshes);
    check_messages(study, *meshes);
  };
  study.ranks != nullptr ? study.ranks->agree(prepare) : prepare();
  std::optional<Record> record;
  at_first_rank(study.ranks, [&] { open_record(study, *meshes, record); });

  StudyRunner runner(study, *meshes, record ? &*record : nullptr);
  bool whole = false;
  try {
    whole = runner.run_all();
  } catch (...) {
    if (record) record->directory.finish("failed");
    throw;
  }
  int code = whole && !runner.lost_workers() ? 0 : 1;
  at_first_rank(study.ranks, [&] { code = conclude(study, *record, runner, whole); });
  return code;
}

}  // namespace laxity::cli
