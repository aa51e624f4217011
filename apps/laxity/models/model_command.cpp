#include "apps/laxity/models/model_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "apps/laxity/cli/command.hpp"
#include "apps/laxity/cli/progress_line.hpp"
#include "apps/laxity/cli/run_name.hpp"
#include "apps/laxity/launch/python_interpreter.hpp"
#include "apps/laxity/timewarp/engine_options.hpp"
#include "laxity/clock/clock.hpp"
#include "laxity/launch/placement.hpp"
#include "laxity/metrics/run_directory.hpp"
#include "laxity/metrics/table_writer.hpp"
#include "laxity/metrics/tables.hpp"

namespace laxity::cli {
namespace {

using models::ComparedRun;
using models::Comparison;

timewarp::Statistics total_of(const ComparedRun& run) {
  timewarp::Statistics total;
  for (const timewarp::Statistics& worker : run.workers) total += worker;
  return total;
}

double rate_of(const ComparedRun& run) {
  return run.seconds > 0 ? static_cast<double>(total_of(run).committed) / run.seconds : 0;
}

void write(const RunDirectory& directory, const std::string& model, std::uint64_t seed, const timewarp::Engine& engine,
           const ComparedRun& run) {
  TableWriter<tables::comparisons> comparisons(directory.path());
  for (const Comparison& comparison : run.comparisons) {
    for (const models::Compared& point : comparison.points) {
      comparisons.add(column<"run">(0), column<"quantity">(comparison.quantity), column<"by">(comparison.by),
                      column<"x">(point.x), column<"simulated">(point.simulated), column<"expected">(point.expected));
    }
  }
  comparisons.flush();
  const timewarp::Statistics total = total_of(run);
  const int threads = engine.sequential ? 1 : engine.options.threads;
  const int processes = engine.sequential ? 1 : std::max(1, engine.options.processes);
  TableWriter<tables::model_runs> runs(directory.path());  // written last: its row marks the run as complete
  runs.add(column<"run">(0), column<"model">(model), column<"seed">(seed), column<"team">(team_of(engine)),
           column<"threads">(threads), column<"processes">(processes), column<"workers">(engine.workers()),
           column<"queue">(name_of(engine.queue)), column<"seconds">(run.seconds), column<"committed">(total.committed),
           column<"processed">(total.processed), column<"rolled_back">(total.rolled_back),
           column<"committed_per_second">(rate_of(run)), column<"efficiency">(total.efficiency()),
           column<"digest">(fmt::format("{:016x}", run.digest)), column<"status">("done"));
  runs.flush();
}

void print(const timewarp::Engine& engine, std::uint64_t seed, const ComparedRun& run) {
  const timewarp::Statistics total = total_of(run);
  fmt::print("{}, seed {}: {} events in {:.3f} s: {:.2f} M/s, efficiency {:.2f} %", team_of(engine), seed,
             total.committed, run.seconds, rate_of(run) * 1e-6, 100 * total.efficiency());
  if (engine.options.worker.digest) fmt::print(", digest {:016x}", run.digest);
  fmt::print("\n");
  constexpr std::size_t max_rows = 12;
  for (const Comparison& comparison : run.comparisons) {
    fmt::print("  {:>18} {:>18} {:>18}   ({})\n", comparison.by, "simulated", "in theory", comparison.quantity);
    const std::size_t step = std::max<std::size_t>(1, comparison.points.size() / max_rows);
    double simulated = 0, expected = 0;
    for (std::size_t i = 0; i < comparison.points.size(); ++i) {
      const models::Compared& point = comparison.points[i];
      simulated += point.simulated;
      expected += point.expected;
      if (i % step == 0) fmt::print("  {:>18.4g} {:>18.5g} {:>18.5g}\n", point.x, point.simulated, point.expected);
    }
    if (expected > 0) fmt::print("  over all, simulated ÷ theory = {:.4f}\n", simulated / expected);
  }
}

struct ModelCommand {
  std::shared_ptr<ModelOptions> model;
  std::string name;
  int argc;
  const char* const* argv;
  EngineOptions engine{};
  std::uint64_t seed = 1;
  std::string check{};
  std::string output{};
  bool report = false;
  bool quiet = false;
};

void add_shared_options(Command& command, ModelCommand& options) {
  options.engine.add_team(command);
  options.engine.add_parts(command);
  options.engine.add_event_log(command);
  command.add_option("--seed", options.seed, "Seed")->group("Model")->capture_default_str();
  command.add_option("--check", options.check, "Run no simulation; check that the handlers can be rolled back")
      ->group("Engine")
      ->one_of({"purity", "rollback"});
  const auto* const group = "Output";
  command.add_option("--output", options.output, "Run directory; runs/" + options.name + "-<time> if not given")
      ->group(group);
  command.add_flag("--report", options.report, "Write report.html at the end")->group(group);
  command.add_flag("--quiet", options.quiet, "No progress line and no table")->group(group);
}

void execute(const ModelCommand& options) {
  const timewarp::Engine engine = options.engine.engine();
  const std::filesystem::path output = options.output.empty() ? default_output(options.name) : options.output;
  const Configuration configuration = options.model->configuration();
  const double end_time = options.model->end_time();
  // The run comes first: it may find that its options make no sense, and is made anew each time anyway.
  ProgressLine progress(options.quiet);
  const auto watch = [&](const std::vector<timewarp::Progress>& workers) {
    double gvt = end_time;
    for (const timewarp::Progress& worker : workers) gvt = std::min(gvt, worker.gvt);
    progress.show(gvt / end_time, fmt::format("{}, GVT {:.4g} of {:.4g}", team_of(engine), gvt, end_time));
  };
  const ComparedRun done = options.model->run(end_time, options.seed, engine, watch);
  progress.clear();
  Manifest manifest = manifest_of_this_machine("model", output.filename().string(), options.argc, options.argv);
  manifest.seed = options.seed;
  manifest.configuration = {{"model", options.name}, {"team", team_of(engine)}, {"end_time", end_time}};
  manifest.configuration.insert(manifest.configuration.end(), configuration.begin(), configuration.end());
  RunDirectory directory(output, std::move(manifest));
  directory.note_placement(team_of(engine) + ": " + plan_placement(engine.workers(), engine.options.pin).description);
  if (!directory.runs_done().contains(0)) write(directory, options.name, options.seed, engine, done);
  directory.finish("done");
  if (!options.quiet) print(engine, options.seed, done);
  if (!options.quiet) fmt::print("results in {}\n", output.string());
  if (!options.report) return;
  if (const int code = run_python_laxity({"report", output.string()}); code != 0) throw Exit{code};
}

}  // namespace

void add_model_command(Command& command, std::shared_ptr<ModelOptions> model, const std::string& name, int argc,
                       const char* const* argv) {
  auto options = std::make_shared<ModelCommand>(ModelCommand{std::move(model), name, argc, argv});
  options->model->add(command);
  add_shared_options(command, *options);
  command.callback([options] {
    if (options->check.empty()) return execute(*options);
    const auto how = options->check == "purity" ? timewarp::Check::purity : timewarp::Check::rollback;
    const std::uint64_t checked = options->model->check_handlers(options->seed, how);
    fmt::print("{} events can be rolled back ({})\n", checked, options->check);
  });
}

}  // namespace laxity::cli
