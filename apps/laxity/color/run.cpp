#include "apps/laxity/color/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
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
#include "apps/laxity/launch/host_disturbances.hpp"
#include "apps/laxity/launch/team_study.hpp"
#include "apps/smpi_ranks/result_file.hpp"
#include "laxity/cli/run_name.hpp"
#include "laxity/error.hpp"
#include "laxity/launch/launcher.hpp"
#include "laxity/metrics/disturbance.hpp"
#include "laxity/metrics/run_directory.hpp"
#include "workloads/coloring/replayed_coloring.hpp"

namespace laxity::cli {
namespace {

using Record = StudyRecord<ColorTables>;

constexpr int max_attempts = 5;  // at a run that is disturbed

class ColorRunner {
 public:
  /// `record` is nullptr but in the rank that writes.
  ColorRunner(const ColorStudy& study, const ColorMeshes& meshes, Record* record)
      : study_(study),
        meshes_(meshes),
        record_(record),
        treatments_(treatments_of(study)),
        runs_(runs_of(study)),
        loop_({.ranks = study.ranks,
               .defers_signals = !study.replay.enabled && !study.run_elsewhere,
               .report = study.report,
               .quiet = study.quiet},
              record == nullptr ? nullptr : &record->directory) {
    if (study.topology == "torus") return;
    for (ColorTreatment& treatment : treatments_) treatment.graph_nodes = meshes.topology(treatment).nodes();
    for (ColorTreatment& planned : runs_) planned.graph_nodes = meshes.topology(planned).nodes();
  }

  /// As TeamStudy::run().
  int run_all() {
    std::vector<TeamStudy::Run> runs;
    for (const PlannedRun& planned : runs_) runs.push_back(listed(planned));
    return loop_.run(
        runs, [this](std::size_t index, const auto& progress) { return run_one(runs_[index], progress); },
        [this] { print(); });
  }

 private:
  static TeamStudy::Run listed(const PlannedRun& planned) {
    return {planned.run, planned.shape.text(), title_of(planned)};
  }

  bool run_one(const PlannedRun& planned, const std::function<void(double)>& progress) {
    const ColoringRun run = make_run(study_, planned, meshes_.topology(planned), meshes_.partition(planned));
    Attempt attempt;
    do attempt = attempt_at(planned, run, progress, attempt.number + 1);
    while (study_.until_quiet && attempt.number < max_attempts && is_repeated(attempt));
    return loop_.record(listed(planned), attempt.result.team, attempt.result.placement,
                        [&] { add_rows(planned, run, attempt); });
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
    loop_.warn(fmt::format("disturbed ({}), the run is repeated", disturbed->kind()));
    return true;
  }

  void add_rows(const PlannedRun& planned, const ColoringRun& run, const Attempt& attempt) {
    const ColoringResult& result = attempt.result;
    record_->tables.add(planned, run, result,
                        {.status = result.team.all_finished() ? "done" : "lost a worker",
                         .hosts = study_.ranks != nullptr ? study_.ranks->map().hosts() : planned.hosts,
                         .per_channel = study_.per_channel,
                         .picture = is_pictured(planned, run.topology),
                         .disturbances = attempt.disturbances,
                         .attempts = attempt.number});
    if (!study_.result_file.empty()) write_result(study_.result_file, result);
  }

  void print() const {
    for (const std::string& line : replays_) fmt::print("{}\n", line);
    print_treatments(tallies_in(record_->directory.path(), treatments_));
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
  std::vector<ColorTreatment> treatments_;
  std::vector<PlannedRun> runs_;
  std::vector<std::string> replays_;  // one line per replayed run
  TeamStudy loop_;
};

// At the first rank, after all checks: nothing is written before the directory.
void open_record(const ColorStudy& study, const ColorMeshes& meshes, std::optional<Record>& record) {
  const std::filesystem::path output = study.output.empty() ? default_output(study.name) : study.output;
  Manifest manifest = manifest_of_team_study("coloring", output, study.ranks, study.argc, study.argv);
  manifest.seed = study.coloring.seed;
  manifest.configuration = configuration_of(study);
  record.emplace(output, std::move(manifest));
  const std::size_t done = record->directory.runs_done().size();
  if (!study.quiet && done != 0) fmt::print("{}: {} runs are done already, resuming\n", output.string(), done);
  if (!study.quiet) print_meshes(meshes, treatments_of(study));
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
  return ColorRunner(study, *meshes, record ? &*record : nullptr).run_all();
}

}  // namespace laxity::cli
