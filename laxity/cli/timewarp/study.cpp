#include "laxity/cli/timewarp/study.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "laxity/cli/progress_line.hpp"
#include "laxity/cli/python_interpreter.hpp"
#include "laxity/cli/run_name.hpp"
#include "laxity/cli/timewarp/print.hpp"
#include "laxity/launch/placement.hpp"

namespace laxity::cli {
namespace {

class StudyRunner {
 public:
  /// `directory` is null in all ranks but the first, which writes.
  StudyRunner(const SimulationStudy& study, SimulationRuns& runs, RunDirectory* directory)
      : study_(study), runs_(runs), directory_(directory), progress_(study.quiet || directory == nullptr) {}

  /// Returns how the study has ended. It ends at the first run that is interrupted or fails.
  RunEnding run_all() {
    const std::size_t treatments = runs_.treatments();
    for (std::size_t treatment = 0; directory_ != nullptr && treatment < treatments; ++treatment) {
      const timewarp::Engine& engine = runs_.engine(treatment);
      directory_->note_placement(team_of(engine) + ": " +
                                 plan_placement(engine.workers(), engine.options.pin).description);
    }
    // Replicates are the outermost loop, so that a drift of the machine affects all treatments alike.
    for (int replicate = 0; replicate < study_.replicates; ++replicate) {
      for (std::size_t treatment = 0; treatment < treatments; ++treatment, ++number_) {
        if (is_done(number_)) continue;
        RunEnding ending = run_one({number_, treatment, replicate});
        if (ending.end != RunEnd::done) return ending;
      }
    }
    return {};
  }

 private:
  RunEnding run_one(const RunOfStudy& run) {
    RunEnding ending = runs_.run(run, [&](const std::vector<timewarp::Progress>& workers) { show(run, workers); });
    const bool is_single = runs_.treatments() == 1;
    if (ending.end != RunEnd::done || is_single) progress_.clear();
    at_first_rank(study_.ranks, [&] { runs_.record(run, ending); });
    if (directory_ == nullptr) return ending;
    if (ending.end == RunEnd::failed)
      fmt::print(stderr, "laxity: {}{}", ending.reason, ending.reason.ends_with('\n') ? "" : "\n");
    if (ending.end == RunEnd::done && is_single && !study_.quiet) runs_.print_run(run);
    return ending;
  }

  // The first rank decides for all.
  [[nodiscard]] bool is_done(std::int64_t run) const {
    const bool done = directory_ != nullptr && directory_->runs_done().contains(run);
    return study_.ranks != nullptr ? study_.ranks->allgather_values(done ? 1 : 0).front() != 0 : done;
  }

  void show(const RunOfStudy& run, const std::vector<timewarp::Progress>& workers) {
    const double end_time = runs_.end_time(run.treatment);
    const RunProgress progress = progress_of(workers, end_time);
    const std::size_t all = runs_.treatments() * static_cast<std::size_t>(study_.replicates);
    const double done = (static_cast<double>(run.number) + progress.gvt / end_time) / static_cast<double>(all);
    const std::string text = progress_text(runs_.engine(run.treatment), progress, end_time);
    progress_.show(done, fmt::format("run {} of {}: {}", run.number + 1, all, text));
  }

  const SimulationStudy& study_;
  SimulationRuns& runs_;
  RunDirectory* directory_;
  ProgressLine progress_;
  std::int64_t number_ = 0;  // of the next run
};

// To be called in the rank that writes.
void open_directory(const SimulationStudy& study, SimulationRuns& runs, std::optional<RunDirectory>& directory) {
  const std::filesystem::path output = study.output.empty() ? default_output(study.name) : study.output;
  Manifest manifest = manifest_of_this_machine(study.kind, output.filename().string(), study.argc, study.argv);
  manifest.seed = study.seed;
  manifest.configuration = study.configuration;
  manifest.configuration.emplace_back("replicates", std::int64_t{study.replicates});
  manifest.configuration.emplace_back("seed", static_cast<std::int64_t>(study.seed));
  if (study.ranks != nullptr) {
    manifest.versions["mpi"] = study.ranks->library();
    manifest.hosts = study.ranks->map().host_names;
  }
  directory.emplace(output, std::move(manifest));
  runs.open(*directory);
  if (study.quiet) return;
  const std::size_t done = directory->runs_done().size();
  if (done != 0) fmt::print("{}: {} runs are done already\n", output.string(), done);
  runs.print_begin();
}

// What all ranks must have in common.
std::vector<Fact> facts_of(const SimulationStudy& study) {
  std::vector<Fact> facts;
  for (const auto& [name, value] : study.configuration) {
    const auto add = [&, &name = name](const auto& is) {
      if constexpr (
          requires { fmt::join(is, ","); } && !requires { std::string_view(is); })
        facts.emplace_back(name, fmt::format("{}", fmt::join(is, ",")));
      else
        facts.emplace_back(name, fmt::format("{}", is));
    };
    std::visit(add, value);
  }
  facts.emplace_back("seed", std::to_string(study.seed));
  facts.emplace_back("replicates", std::to_string(study.replicates));
  return facts;
}

int finish(const SimulationStudy& study, RunDirectory& directory, const RunEnding& ending) {
  const std::string path = directory.path().string();
  switch (ending.end) {
    case RunEnd::interrupted:
      directory.finish("interrupted", ending.reason);
      fmt::print(stderr,
                 "laxity: interrupted by {}; what was seen is in {}; the same command with --output {} goes on\n",
                 ending.reason, path, path);
      return 1;
    case RunEnd::failed:
      directory.finish("failed");
      return 1;
    case RunEnd::done:
      break;
  }
  directory.finish("done");
  if (!study.quiet) fmt::print("results in {}\n", path);
  return study.report ? run_python_laxity({"report", path}) : 0;
}

}  // namespace

std::string_view name_of(RunEnd end) noexcept {
  switch (end) {
    case RunEnd::done:
      return "done";
    case RunEnd::interrupted:
      return "interrupted";
    case RunEnd::failed:
      break;
  }
  return "failed";
}

int run_study(const SimulationStudy& study, SimulationRuns& runs) {
  study.ranks != nullptr ? study.ranks->agree([&] { runs.check(); }) : runs.check();
  if (study.ranks != nullptr) require_equal_on_ranks(*study.ranks, facts_of(study));
  std::optional<RunDirectory> directory;
  at_first_rank(study.ranks, [&] { open_directory(study, runs, directory); });

  RunEnding ending;
  try {
    ending = StudyRunner(study, runs, directory ? &*directory : nullptr).run_all();
  } catch (...) {
    if (directory) directory->finish("failed");
    throw;
  }
  if (!directory) return ending.end == RunEnd::done ? 0 : 1;
  if (ending.end == RunEnd::done && !study.quiet) runs.print_end(*directory);
  return finish(study, *directory, ending);
}

}  // namespace laxity::cli
