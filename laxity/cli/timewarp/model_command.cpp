#include "laxity/cli/timewarp/model_command.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "laxity/cli/program_on_ranks.hpp"
#include "laxity/cli/timewarp/engine_options.hpp"
#include "laxity/cli/timewarp/model_study.hpp"
#include "laxity/cli/timewarp/print.hpp"
#include "laxity/error.hpp"
#include "laxity/timewarp/log/event_log_difference.hpp"

namespace laxity::cli {
namespace {

struct ModelCommand {
  std::shared_ptr<ModelOptions> model;
  SimulationStudy study;
  EngineOptions engine{};
  std::string check{};    ///< "purity", "rollback", or empty for a run
  std::string compare{};  ///< directory of the event log to compare with, or empty
};

void add_shared_options(Command& command, ModelCommand& options) {
  options.engine.add_team(command);
  command
      .add_option("--replicates", options.study.replicates, "Runs, each with the next seed, for intervals of the means")
      ->group("Team")
      ->capture_default_str()
      ->at_least(1);
  options.engine.add_parts(command);
  options.engine.add_event_log(command);
  options.engine.add_ranks(command);
  command.add_option("--seed", options.study.seed, "Seed; replicates use the following ones")
      ->group("Model")
      ->capture_default_str();
  command.add_option("--check", options.check, "Run no simulation; check that every event can be rolled back")
      ->group("Engine")
      ->one_of({"purity", "rollback"});
  command
      .add_option("--compare", options.compare,
                  "Directory of the event log of an earlier run; print the first committed event that differs")
      ->group("Engine");
  const auto* const group = "Output";
  command
      .add_option("--output", options.study.output,
                  "Run directory; runs/" + options.study.name + "-<time> if not given")
      ->group(group);
  command.add_flag("--report", options.study.report, "Write report.html at the end")->group(group);
  command.add_flag("--quiet", options.study.quiet, "No progress line and no table")->group(group);
}

void check_handlers(const ModelCommand& options) {
  const auto how = options.check == "purity" ? timewarp::Check::purity : timewarp::Check::rollback;
  const std::uint64_t events = options.model->check_handlers(options.study.seed, how);
  fmt::print("{} events can be rolled back ({})\n", events, options.check);
}

// Exit code.
int compare_logs(const std::string& first, const std::string& second) {
  const timewarp::LogComparison logs = timewarp::compare_event_logs(first, second);
  print_difference(logs, first, second);
  return logs.difference ? 1 : 0;
}

// Exit code. Collective over ranks.
int run_model(ModelCommand& options, Ranks* ranks) {
  timewarp::Engine engine;
  const auto prepare = [&] {
    engine = options.engine.engine(ranks);
    const std::string& log = engine.options.worker.event_log;
    if (!log.empty() && options.study.replicates > 1)
      throw UsageError("--event-log takes one run: leave out --replicates");
    if (!options.compare.empty() && log.empty()) throw UsageError("--compare needs --event-log, the log of this run");
    options.study.ranks = ranks;
    options.study.configuration = {
        {"model", options.study.name}, {"team", team_of(engine)}, {"end_time", options.model->end_time()}};
    const Configuration of_model = options.model->configuration();
    options.study.configuration.insert(options.study.configuration.end(), of_model.begin(), of_model.end());
  };
  ranks != nullptr ? ranks->agree(prepare) : prepare();
  if (const int code = run_model_study(options.study, *options.model, engine); code != 0) return code;
  if (options.compare.empty() || (ranks != nullptr && !ranks->is_first())) return 0;
  return compare_logs(options.compare, engine.options.worker.event_log);
}

}  // namespace

void add_model_command(Command& command, std::shared_ptr<ModelOptions> model, const std::string& name, int argc,
                       const char* const* argv) {
  auto options = std::make_shared<ModelCommand>();
  options->model = std::move(model);
  options->study.kind = "model";
  options->study.name = name;
  options->study.argc = argc;
  options->study.argv = argv;
  options->model->add(command);
  add_shared_options(command, *options);
  command.callback([options, chosen = &command] {
    if (chosen->has_chosen_subcommand()) return;
    if (!options->check.empty()) return check_handlers(*options);
    run_on_ranks(options->engine.rank_options(), [&](Ranks* ranks) { return run_model(*options, ranks); });
  });
}

void add_log_comparison(Command& app) {
  auto* command = app.add_subcommand("diff", "Print the first committed event in which two runs differ");
  command->footer(
      "Both arguments are directories that --event-log wrote. Exit code: 0 if the logs are equal, 1 if they differ.");
  auto first = std::make_shared<std::string>();
  auto second = std::make_shared<std::string>();
  command->add_option("first", *first, "Event log of one run")->required();
  command->add_option("second", *second, "Event log of the other")->required();
  command->callback([first, second] {
    if (const int code = compare_logs(*first, *second); code != 0) throw Exit{code};
  });
}

}  // namespace laxity::cli
