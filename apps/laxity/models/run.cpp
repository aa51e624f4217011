#include "apps/laxity/models/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "apps/laxity/cli/progress_line.hpp"
#include "apps/laxity/cli/run_name.hpp"
#include "apps/laxity/launch/python_interpreter.hpp"
#include "apps/laxity/models/print.hpp"
#include "apps/laxity/timewarp/print.hpp"
#include "laxity/launch/placement.hpp"
#include "laxity/metrics/run_directory.hpp"
#include "laxity/metrics/table_writer.hpp"
#include "laxity/metrics/tables.hpp"

namespace laxity::cli {
namespace {

void write(const RunDirectory& directory, const std::string& model, std::uint64_t seed, const timewarp::Engine& engine,
           const models::ComparedRun& run) {
  TableWriter<tables::comparisons> comparisons(directory.path());
  for (const models::Comparison& comparison : run.comparisons) {
    for (const models::Compared& point : comparison.points) {
      comparisons.add(column<"run">(0), column<"quantity">(comparison.quantity), column<"by">(comparison.by),
                      column<"x">(point.x), column<"simulated">(point.simulated), column<"expected">(point.expected));
    }
  }
  comparisons.flush();
  const timewarp::Statistics total = run.total();
  const int threads = engine.sequential ? 1 : engine.options.threads;
  const int processes = engine.sequential ? 1 : std::max(1, engine.options.processes);
  TableWriter<tables::model_runs> runs(directory.path());  // written last: its row marks the run as complete
  runs.add(column<"run">(0), column<"model">(model), column<"seed">(seed), column<"team">(team_of(engine)),
           column<"threads">(threads), column<"processes">(processes), column<"workers">(engine.workers()),
           column<"queue">(name_of(engine.queue)), column<"seconds">(run.seconds), column<"committed">(total.committed),
           column<"processed">(total.processed), column<"rolled_back">(total.rolled_back),
           column<"committed_per_second">(run.committed_per_second()), column<"efficiency">(total.efficiency()),
           column<"digest">(fmt::format("{:016x}", run.digest)), column<"status">("done"));
  runs.flush();
}

Manifest manifest_of(const ModelCommand& command, const timewarp::Engine& engine, const std::filesystem::path& output) {
  Manifest manifest = manifest_of_this_machine("model", output.filename().string(), command.argc, command.argv);
  const Configuration configuration = command.model->configuration();
  manifest.seed = command.seed;
  manifest.configuration = {
      {"model", command.name}, {"team", team_of(engine)}, {"end_time", command.model->end_time()}};
  manifest.configuration.insert(manifest.configuration.end(), configuration.begin(), configuration.end());
  return manifest;
}

}  // namespace

int run_model(const ModelCommand& command) {
  const timewarp::Engine engine = command.engine.engine();
  const std::filesystem::path output = command.output.empty() ? default_output(command.name) : command.output;
  const double end_time = command.model->end_time();
  // The run checks its options, so that nothing is written if they make no sense.
  ProgressLine line(command.quiet);
  const models::ComparedRun done =
      command.model->run(end_time, command.seed, engine, [&](const std::vector<timewarp::Progress>& workers) {
        const RunProgress progress = progress_of(workers, end_time);
        line.show(progress.gvt / end_time, progress_text(engine, progress, end_time));
      });
  line.clear();
  RunDirectory directory(output, manifest_of(command, engine, output));
  directory.note_placement(team_of(engine) + ": " + plan_placement(engine.workers(), engine.options.pin).description);
  if (!directory.runs_done().contains(0)) write(directory, command.name, command.seed, engine, done);
  directory.finish("done");
  if (!command.quiet) {
    print_comparisons(engine, command.seed, done);
    fmt::print("results in {}\n", output.string());
  }
  return command.report ? run_python_laxity({"report", output.string()}) : 0;
}

}  // namespace laxity::cli
