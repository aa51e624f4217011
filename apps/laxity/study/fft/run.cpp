#include "apps/laxity/study/fft/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/laxity/launch/mpi_launcher.hpp"
#include "apps/laxity/study/launched_study.hpp"
#include "apps/laxity/trace/traced_job.hpp"
#include "laxity/cli/progress_line.hpp"
#include "laxity/cli/python_interpreter.hpp"
#include "laxity/cli/run_name.hpp"
#include "laxity/cli/subprocess.hpp"
#include "laxity/collective/rules/environment_rules.hpp"
#include "laxity/collective/selection/arrival_table.hpp"
#include "laxity/error.hpp"
#include "laxity/metrics/disturbance.hpp"
#include "laxity/metrics/run_directory.hpp"
#include "laxity/metrics/table_writer.hpp"
#include "laxity/metrics/tables.hpp"
#include "laxity/trace/analysis/conditions.hpp"
#include "laxity/trace/analysis/forced_algorithm.hpp"
#include "laxity/trace/analysis/prediction.hpp"
#include "laxity/trace/analysis/summary.hpp"

namespace laxity::cli {
namespace {

namespace fs = std::filesystem;

constexpr int baseline_runs = 5;
constexpr std::int64_t max_algorithms = 64;  // of one collective, so that numbers of runs stay when a case is left out
constexpr auto alltoall = collective::Collective::alltoall;

/// One number of processes and division of the box.
struct Case {
  int processes = 1;
  std::string decomposition;
  fs::path place;  ///< of its folders, whose names have this beginning

  [[nodiscard]] fs::path folder(std::string_view name) const { return place.string().append("-").append(name); }
  [[nodiscard]] fs::path log() const { return folder("log"); }
};

struct Interrupted {};

/// $LAXITY_TRANSPOSE_FFT, or in the installation or build of this program.
std::string transpose_fft() {
  std::vector<fs::path> places;
  if (const char* chosen = std::getenv("LAXITY_TRANSPOSE_FFT"); chosen != nullptr && *chosen != '\0')
    places = {chosen};
  else
    places = {fs::path(this_program()).parent_path().parent_path() / LAXITY_LIBEXEC_FOLDER / "laxity/transpose_fft",
              LAXITY_BUILT_TRANSPOSE_FFT};
  for (const fs::path& place : places)
    if (fs::exists(place)) return fs::absolute(place).string();
  throw Error("no program transpose_fft at " + places.front().string() +
              "; install KISS FFT (scripts/bootstrap), configure and build, or set LAXITY_TRANSPOSE_FFT to its path");
}

/// Runs a command of this program with variables for the programs that it starts.
void run_laxity(const Variables& variables, const CommandWords& arguments, const fs::path& log) {
  CommandWords words{"env"};
  for (const auto& [name, value] : variables) words.push_back(std::string(name).append("=").append(value));
  words.push_back(this_program());
  words.insert(words.end(), arguments.begin(), arguments.end());
  const auto [code, interrupted] = run_logged(words, log);
  if (interrupted) throw Interrupted{};
  if (code != 0)
    throw Error(
        fmt::format("laxity {} ended with exit code {}; its output is in {}", arguments.front(), code, log.string()));
}

/// What is known of a run from its trace.
struct TracedRun {
  double run_time_s = 0;
  double inside_s = 0;
};

class FftStudy {
 public:
  explicit FftStudy(FftOptions options)
      : options_(std::move(options)),
        program_(transpose_fft()),
        directory_(options_.output, manifest()),
        runs_(directory_.path()),
        disturbances_(directory_.path()),
        progress_(options_.quiet) {
    for (const std::string& decomposition : options_.decompositions) {
      for (const int processes : options_.processes)
        cases_.push_back(
            {processes, decomposition, directory_.path() / fmt::format("{}-{}", decomposition, processes)});
    }
  }

  /// Runs all cases. False if one was left out, which is said.
  bool run() {
    let_root_launch_ranks();
    let_ranks_share_cores(*std::max_element(options_.processes.begin(), options_.processes.end()));
    bool all = true;
    for (std::size_t place = 0; place < cases_.size(); ++place) {
      const Case& each = cases_[place];
      const auto done = static_cast<double>(place);
      try {
        measure(each, predict(each, done), static_cast<std::int64_t>(place) * options_.replicates * max_algorithms,
                done);
      } catch (const UsageError& error) {
        all = false;
        progress_.clear();
        fmt::print(stderr,
                   "laxity: {} is left out: {}; more repetitions are valid on a quiet machine with a core for each "
                   "process: remove {}-* there and repeat the command\n",
                   each.place.filename().string(), error.what(), each.place.string());
      }
    }
    progress_.clear();
    return all;
  }

  void finish(const char* status) { directory_.finish(status); }
  [[nodiscard]] const fs::path& path() const noexcept { return directory_.path(); }

  /// The run directories of which the report consists.
  [[nodiscard]] std::vector<std::string> parts() const {
    std::set<std::string> found;  // in a fixed order
    for (const auto& entry : fs::directory_iterator(path()))
      if (is_done_study(entry.path())) found.insert(entry.path().string());
    std::vector<std::string> parts{path().string()};
    parts.insert(parts.end(), found.begin(), found.end());
    return parts;
  }

 private:
  Manifest manifest() const {
    Manifest manifest =
        manifest_of_this_machine("fft", fs::path(options_.output).filename().string(), options_.argc, options_.argv);
    std::vector<std::int64_t> processes(options_.processes.begin(), options_.processes.end());
    manifest.configuration = {{"study", std::string("fft")},
                              {"processes", processes},
                              {"decompositions", options_.decompositions},
                              {"class", options_.size},
                              {"steps", std::int64_t{options_.steps}},
                              {"replicates", std::int64_t{options_.replicates}},
                              {"patterns", options_.patterns}};
    return manifest;
  }

  void show(double cases_done, double part, const Case& each, const std::string& what) {
    progress_.show((cases_done + part) / static_cast<double>(cases_.size()),
                   fmt::format("{} processes, {}: {}", each.processes, each.decomposition, what));
  }

  CommandWords traced_command(const Case& each, const fs::path& output) const {
    CommandWords words{"trace", "--quiet", "--output", output.string(), "--"};
    for (const std::string& word : launcher_of_this_host()) words.push_back(word);
    words.back() = std::to_string(each.processes);
    for (const std::string& word : {program_, std::string("--class"), options_.size, std::string("--steps"),
                                    std::to_string(options_.steps), std::string("--decomposition"), each.decomposition})
      words.push_back(word);
    return words;
  }

  /// Traces the program, measures its exchanges, and predicts its run time with each algorithm.
  trace::RunTimePrediction predict(const Case& each, double cases_done) {
    const fs::path traced = each.folder("trace");
    show(cases_done, 0, each, "trace");
    if (!is_done_study(traced)) trace_median_run(each, traced);
    const trace::Job job = read_synchronized_job(traced);
    std::set<std::uint32_t> processes;
    for (const trace::CollectiveSummary& calls : summarize(job).collectives)
      if (trace::collective_of(calls.kind) == alltoall) processes.insert(job.communicators[calls.communicator].size);
    std::vector<collective::Measurement> measurements;
    for (const std::uint32_t count : processes) {
      const fs::path measured = each.folder(fmt::format("arrival-{}", count));
      show(cases_done, 0.1, each, fmt::format("exchanges among {} processes", count));
      CommandWords words{"arrival", "-n", std::to_string(count), "--for", traced.string(), "--quiet"};
      words.insert(words.end(), {"--output", measured.string()});
      for (const std::string& pattern : options_.patterns) words.insert(words.end(), {"--patterns", pattern});
      if (!is_done_study(measured)) run_laxity({}, words, each.log());
      for (collective::Measurement& cell : collective::read_arrival_table(measured)) {
        library_ = collective::library_of_version(cell.library);
        measurements.push_back(std::move(cell));
      }
    }
    return trace::predict_run_time(job, alltoall, measurements);
  }

  /// Traces the program several times with the library's own choice, and keeps the trace of median run time.
  void trace_median_run(const Case& each, const fs::path& kept) {
    const fs::path baseline = each.folder("baseline");
    fs::remove_all(baseline);
    std::vector<std::pair<std::int64_t, fs::path>> traces;
    for (int number = 0; number < baseline_runs; ++number) {
      const fs::path traced = baseline / std::to_string(number) / kept.filename();
      run_laxity({}, traced_command(each, traced), each.log());
      traces.emplace_back(summarize(read_synchronized_job(traced)).elapsed_ns, traced);
    }
    std::sort(traces.begin(), traces.end());
    fs::remove_all(kept);
    fs::rename(traces[traces.size() / 2].second, kept);
    fs::remove_all(baseline);
  }

  /// Runs the program with each algorithm in turns, in an order that rotates.
  void measure(const Case& each, const trace::RunTimePrediction& prediction, std::int64_t first_run,
               double cases_done) {
    const std::size_t all = prediction.algorithms.size();
    const double runs = static_cast<double>(all) * options_.replicates;
    for (int replicate = 0; replicate < options_.replicates; ++replicate) {
      for (std::size_t turn = 0; turn < all; ++turn) {
        const std::size_t place = static_cast<std::size_t>(replicate) * all + turn;
        const std::int64_t run = first_run + static_cast<std::int64_t>(place);
        if (directory_.runs_done().contains(run)) continue;
        const auto& predicted = prediction.algorithms[(turn + static_cast<std::size_t>(replicate)) % all];
        show(cases_done, 0.5 + 0.5 * static_cast<double>(place) / runs, each, predicted.algorithm.name);
        const DisturbanceMeter meter;
        const TracedRun measured = run_with(each, predicted.algorithm);
        add_rows(disturbances_, run, std::vector{meter.since_begin()});
        runs_.add(column<"run">(run), column<"processes">(each.processes), column<"decomposition">(each.decomposition),
                  column<"algorithm">(predicted.algorithm.name), column<"algorithm_id">(predicted.algorithm.id),
                  column<"replicate">(replicate), column<"calls">(prediction.calls),
                  column<"other_s">(prediction.other_s), column<"no_delay_s">(predicted.no_delay_s),
                  column<"robust_s">(predicted.robust_s), column<"traced_s">(predicted.traced_s),
                  column<"run_time_s">(measured.run_time_s), column<"inside_s">(measured.inside_s),
                  column<"status">("done"));
        runs_.flush();
      }
    }
  }

  TracedRun run_with(const Case& each, const collective::Algorithm& algorithm) {
    const fs::path traced = each.folder("run");
    fs::remove_all(traced);
    const Variables variables = collective::forcing_environment(library_, alltoall, algorithm);
    run_laxity(variables, traced_command(each, traced), each.log());
    const trace::Job job = read_synchronized_job(traced);
    const std::string wanted = variables.empty() ? std::string() : variables.back().second;
    const trace::Summary summary = summarize(job, [&](const trace::CollectiveCall& call, const trace::CallFigures&) {
      if (trace::collective_of(call.kind) != alltoall) return;
      const trace::Participation& part = call.parts.front();
      if (forced_algorithm(job.processes[part.process], part.call) != wanted)
        throw Error("the MPI library did not get the choice of " + algorithm.name + "; is MPI configured elsewhere?");
    });
    fs::remove_all(traced);
    const double processes = static_cast<double>(job.processes.size()) * 1e9;
    return {static_cast<double>(summary.elapsed_ns) / processes, static_cast<double>(summary.inside_ns) / processes};
  }

  FftOptions options_;
  std::string program_;
  RunDirectory directory_;
  TableWriter<tables::fft_runs> runs_;
  DisturbancesTable disturbances_;
  ProgressLine progress_;
  std::vector<Case> cases_;
  collective::Library library_ = collective::Library::other;
};

}  // namespace

int run_fft_study(FftOptions options) {
  if (options.output.empty()) options.output = default_output("fft");
  FftStudy study(options);
  bool all = false;
  try {
    all = study.run();
  } catch (const Interrupted&) {
    study.finish("interrupted");
    fmt::print(stderr, "laxity: interrupted; the same command with --output {} resumes\n", study.path().string());
    return 1;
  } catch (...) {
    study.finish("failed");
    throw;
  }
  study.finish(all ? "done" : "failed");
  if (!options.quiet) fmt::print("results in {}\n", study.path().string());
  if (!options.report) return all ? 0 : 1;
  CommandWords words{"report"};
  const auto parts = study.parts();
  words.insert(words.end(), parts.begin(), parts.end());
  words.insert(words.end(), {"--output", (study.path() / "report.html").string()});
  if (const int code = run_python_laxity(words); code != 0) return code;
  return all ? 0 : 1;
}

}  // namespace laxity::cli
