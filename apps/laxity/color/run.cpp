#include "apps/laxity/color/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "apps/laxity/color/mesh.hpp"
#include "apps/laxity/color/plan.hpp"
#include "apps/laxity/color/print.hpp"
#include "apps/laxity/color/tables.hpp"
#include "apps/laxity/launch/deferred_signals.hpp"
#include "apps/laxity/launch/host_disturbances.hpp"
#include "apps/smpi_ranks/result_file.hpp"
#include "laxity/cli/progress_line.hpp"
#include "laxity/cli/python_interpreter.hpp"
#include "laxity/cli/run_name.hpp"
#include "laxity/error.hpp"
#include "laxity/launch/launcher.hpp"
#include "laxity/metrics/disturbance.hpp"
#include "laxity/metrics/run_directory.hpp"
#include "workloads/coloring/replayed_coloring.hpp"

namespace laxity::cli {
namespace {

// The run directory of a study.
struct Record {
  Record(const std::filesystem::path& output, Manifest manifest)
      : directory(output, std::move(manifest)), tables(output) {}

  RunDirectory directory;
  ColorTables tables;
};

constexpr int max_attempts = 5;  // at a run that is disturbed

class StudyRunner {
 public:
  /// `record` is nullptr but in the rank that writes.
  StudyRunner(const ColorStudy& study, const ColorMeshes& meshes, Record* record)
      : study_(study),
        meshes_(meshes),
        record_(record),
        progress_(study.quiet || record == nullptr),
        treatments_(treatments_of(study)),
        runs_(runs_of(study)) {
    if (study.topology == "torus") return;
    for (ColorTreatment& treatment : treatments_) treatment.graph_nodes = meshes.topology(treatment).nodes();
    for (ColorTreatment& planned : runs_) planned.graph_nodes = meshes.topology(planned).nodes();
  }

  /// Returns false if interrupted.
  bool run_all() {
    std::optional<DeferredSignals> between_runs;
    if (!study_.replay.enabled && !study_.run_elsewhere) between_runs.emplace();
    const auto done_before = static_cast<std::size_t>(
        std::ranges::count_if(runs_, [this](const PlannedRun& planned) { return is_done(planned); }));
    const auto to_do = static_cast<double>(runs_.size() - done_before);
    std::size_t done = 0;
    for (const PlannedRun& planned : runs_) {
      if (is_done(planned)) continue;
      const std::string what = fmt::format("run {} of {}: {}", done_before + done + 1, runs_.size(), title_of(planned));
      const auto progress = [&](double fraction) {
        DeferredSignals::deliver();
        progress_.show((static_cast<double>(done) + fraction) / to_do, what);
      };
      if (!run_one(planned, progress)) return false;
      ++done;
    }
    progress_.clear();
    return true;
  }

  [[nodiscard]] bool lost_workers() const noexcept { return lost_workers_; }
  /// As TeamReport::interruption().
  [[nodiscard]] const std::string& interrupted_by() const noexcept { return interrupted_by_; }

  /// Only in the rank that writes.
  void print() const {
    for (const std::string& line : replays_) fmt::print("{}\n", line);
    print_treatments(tallies_in(record_->directory.path(), treatments_));
  }

 private:
  bool run_one(const PlannedRun& planned, const std::function<void(double)>& progress) {
    const Topology& topology = meshes_.topology(planned);
    const Partition& partition = meshes_.partition(planned);
    const ColoringRun run = make_run(study_, planned, topology, partition);
    Attempt attempt;
    do attempt = attempt_at(planned, run, progress, attempt.number + 1);
    while (study_.until_quiet && attempt.number < max_attempts && is_repeated(attempt));
    const ColoringResult& result = attempt.result;
    if (result.team.interrupted) {
      interrupted_by_ = result.team.interruption();
      return false;
    }
    const bool whole = result.team.all_finished();
    lost_workers_ = lost_workers_ || !whole;
    at_first_rank(study_.ranks, [&] {
      progress_.clear();
      if (!whole) fmt::print(stderr, "laxity: run {} ({}): {}\n", planned.run, title_of(planned), result.team.losses());
      record_->directory.note_placement(planned.shape.text() + ": " + result.placement);
      record_->tables.add(planned, run, result,
                          {.status = whole ? "done" : "lost a worker",
                           .hosts = study_.ranks != nullptr ? study_.ranks->map().hosts() : planned.hosts,
                           .per_channel = study_.per_channel,
                           .picture = is_pictured(planned, run.topology),
                           .disturbances = attempt.disturbances,
                           .attempts = attempt.number});
      if (!study_.result_file.empty()) write_result(study_.result_file, result);
    });
    return study_.ranks == nullptr || !study_.ranks->has_lost_a_rank();
  }

  struct Attempt {
    int number = 0;  // from 1
    ColoringResult result{};
    std::vector<Disturbance> disturbances{};  // by host; none where time is virtual
  };

  Attempt attempt_at(const PlannedRun& planned, const ColoringRun& run, const std::function<void(double)>& progress,
                     int number) {
    if (study_.replay.enabled) return {number, replay(planned, run, progress)};
    const HostDisturbances disturbances(study_.ranks);
    const bool elsewhere = study_.run_elsewhere && planned.shape.ranks;
    ColoringResult result = elsewhere ? study_.run_elsewhere(run, planned) : run_coloring(run, progress);
    return {number, std::move(result), disturbances.since_begin()};
  }

  // All ranks know the disturbances of all hosts, and so decide alike.
  [[nodiscard]] bool is_repeated(const Attempt& attempt) {
    if (attempt.result.team.interrupted || (study_.ranks != nullptr && study_.ranks->has_lost_a_rank())) return false;
    const auto disturbed =
        std::ranges::find_if(attempt.disturbances, [](const Disturbance& of_host) { return of_host.kind() != "none"; });
    if (disturbed == attempt.disturbances.end()) return false;
    if (record_ != nullptr) {
      progress_.clear();
      fmt::print(stderr, "laxity: disturbed ({}), the run is repeated\n", disturbed->kind());
    }
    return true;
  }

  // Only the rank that writes knows it.
  [[nodiscard]] bool is_done(const PlannedRun& planned) const {
    const bool done = record_ != nullptr && record_->directory.runs_done().contains(planned.run);
    return study_.ranks != nullptr ? study_.ranks->allgather_values(done ? 1 : 0).front() != 0 : done;
  }

  ColoringResult replay(const PlannedRun& planned, const ColoringRun& run,
                        const std::function<void(double)>& progress) {
    ReplayedColoringResult result = run_replayed_coloring(run, replay_options_of(study_, run), progress);
    replays_.push_back(fmt::format(
        "run {} ({}, mode {}, seed {}): {} conflicts, frames: {} sent, {} refused, {} lost; digest {:016x}",
        planned.run, planned.shape.text(), static_cast<int>(planned.mode), run.coloring.seed, result.coloring.conflicts,
        result.frames_sent, result.frames_refused, result.frames_lost, result.digest));
    return std::move(result.coloring);
  }

  // One run of a study has a picture: the first one of the largest team, in mode 3 if that is among the modes.
  [[nodiscard]] bool is_pictured(const PlannedRun& planned, const Topology& topology) const {
    constexpr std::uint32_t min_nodes = 16, max_nodes = 20'000;
    if (topology.extents().size() != 2 || planned.replicate != 0) return false;
    if (topology.nodes() < min_nodes || topology.nodes() > max_nodes) return false;
    const auto rank = [](const ColorTreatment& treatment) {
      return std::tuple(treatment.shape.workers(), treatment.nodes_per_worker, treatment.mode == PacingMode::none);
    };
    return planned.run == std::ranges::max_element(treatments_, {}, rank) - treatments_.begin();
  }

  const ColorStudy& study_;
  const ColorMeshes& meshes_;
  Record* record_;
  ProgressLine progress_;
  std::vector<ColorTreatment> treatments_;
  std::vector<PlannedRun> runs_;
  std::vector<std::string> replays_;  // one line per replayed run
  bool lost_workers_ = false;
  std::string interrupted_by_;
};

// At the first rank, after all checks: nothing is written before the directory.
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
  if (!study.quiet && done != 0) fmt::print("{}: {} runs are done already, resuming\n", output.string(), done);
  if (!study.quiet) print_meshes(meshes, treatments_of(study));
}

// "interrupted by signal 2, Interrupt"; studies whose runs are programs of their own do not know the signal.
std::string interruption(const std::string& signal) {
  return signal.empty() ? "interrupted" : "interrupted by " + signal;
}

// Records in the directory and on the terminal how the study ended. Returns the exit code.
int conclude(const ColorStudy& study, Record& record, const StudyRunner& runner, bool whole) {
  const std::string output = record.directory.path().string();
  const bool lost_a_rank = study.ranks != nullptr && study.ranks->has_lost_a_rank();
  record.directory.finish(whole ? "done" : lost_a_rank ? "failed" : "interrupted", runner.interrupted_by());
  if (!whole) {
    const std::string why = lost_a_rank ? "a rank was lost" : interruption(runner.interrupted_by());
    fmt::print(stderr, "laxity: {}; the finished runs are in {}; the same command with --output {} resumes\n", why,
               output, output);
    return 1;
  }
  if (!study.quiet) {
    runner.print();
    fmt::print("results in {}\n", output);
  }
  if (study.report)
    if (const int code = run_python_laxity({"report", output}); code != 0) return code;
  return runner.lost_workers() ? 1 : 0;
}

}  // namespace

int run_color_study(const ColorStudy& study) {
  if (const auto launch = launched(); study.ranks == nullptr && launch && launch->size > 1)
    throw UsageError("this study starts its own workers: run it without " + launch->launcher);
  std::unique_ptr<const ColorMeshes> meshes;
  const auto prepare = [&] {
    check_options(study);
    meshes = std::make_unique<const ColorMeshes>(study, treatments_of(study));
    check_runs(study, *meshes);
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
