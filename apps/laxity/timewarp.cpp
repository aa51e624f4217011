// laxity timewarp: picks settings for a model, and finds where two runs part.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/laxity/engine_options.hpp"
#include "apps/laxity/phold_options.hpp"
#include "apps/laxity/progress_line.hpp"
#include "apps/laxity/subcommands.hpp"
#include "laxity/error.hpp"
#include "laxity/timewarp/event_log_difference.hpp"
#include "laxity/timewarp/tuning.hpp"

namespace laxity::cli {
namespace {

using timewarp::LogComparison;
using timewarp::LogDifference;
using timewarp::Tuning;

constexpr const char* examples = R"(Examples:
  laxity timewarp tune phold --threads 2 --receivers remote --remote 0.5
                                                  what to write on the command line for this model
  laxity timewarp tune phold --threads 2 --shape batch --json
                                                  the same for a program to read
  laxity phold --sequential --event-log a; laxity phold --threads 2 --event-log b
  laxity timewarp diff a b                        the first committed event that differs, if any does
)";

// ---- diff ----

std::string event_text(const LogComparison& logs, const timewarp::LoggedEvent& event) {
  const timewarp::TieLayout layout(static_cast<timewarp::LpId>(logs.header.logical_processes));
  const std::uint64_t tie = event.key.tie;
  return fmt::format("time {}, priority {}, for process {}, sent by process {} as its number {}",
                     time_text(logs.header, event.key), event.key.priority(), event.receiver, layout.sender(tie),
                     layout.sequence(tie));
}

std::string difference_text(const LogDifference& found, const std::string& first, const std::string& second) {
  using What = LogDifference::What;
  switch (found.what) {
    case What::only_in_first:
      return fmt::format("only {} has it", first);
    case What::only_in_second:
      return fmt::format("only {} has it", second);
    case What::receiver:
      return fmt::format("in {} it is for process {}", second, found.second.receiver);
    case What::payload:
      return "the event itself differs; what its sender put into it is not a function of what the sender had seen";
    case What::state:
      break;
  }
  return "the same event leaves another state; its handler uses more than its state, its event and its context";
}

// Exit code.
int print_difference(const std::string& first, const std::string& second) {
  const LogComparison logs = timewarp::compare_event_logs(first, second);
  if (!logs.difference) {
    fmt::print("{} and {} are equal: {} committed events\n", first, second, logs.equal);
    return 0;
  }
  const LogDifference& found = *logs.difference;
  fmt::print("{} and {} differ after {} equal committed events\n  {}\n  {}\n", first, second, logs.equal,
             event_text(logs, found.first), difference_text(found, first, second));
  return 1;
}

void add_comparison(CLI::App& app) {
  auto* command = app.add_subcommand("diff", "Name the first committed event in which two runs differ");
  command->footer("Both are what --event-log was given. Exit code: 0 equal, 1 different.");
  auto first = std::make_shared<std::string>();
  auto second = std::make_shared<std::string>();
  command->add_option("first", *first, "Event log of one run")->required();
  command->add_option("second", *second, "Event log of the other")->required();
  command->callback([first, second] {
    if (const int code = print_difference(*first, *second); code != 0) throw CLI::RuntimeError(code);
  });
}

// ---- tune ----

struct TuneOptions {
  PholdModelOptions model;
  EngineOptions engine;
  double seconds = 20;
  int rounds = 7;
  bool json = false;
  bool quiet = false;
};

double seconds_of(const phold::Run& run) {
  const phold::Outcome outcome = run_phold(run);
  if (outcome.end == phold::End::interrupted) throw timewarp::Interrupted();
  if (outcome.end == phold::End::failed) throw Error(outcome.failure);
  return outcome.seconds;
}

// The same model, cut so short that a run takes about so long.
phold::Run shortened(phold::Run run, double seconds) {
  const double end_time = run.end_time;
  run.end_time = std::min(end_time, 4 * (run.model.lookahead + run.model.mean_delay));
  while (run.end_time < end_time && seconds_of(run) < seconds) run.end_time = std::min(end_time, 1.5 * run.end_time);
  return run;
}

// What was given for the model, as one would type it.
std::string model_words(const CLI::App& command, const phold::Run& run) {
  std::string words;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group() == "Model" && option->count() > 0) {
      words += " " + option->get_name() + " " + option->results().back();
    }
  }
  const bool parts_are_given = words.find("--parts ") != std::string::npos;
  if (run.model.receivers == phold::Receivers::remote && !parts_are_given) {
    words += fmt::format(" --parts {}", run.model.parts);  // by default it follows the team
  }
  return words;
}

void print_json(const Tuning& tuning, const std::string& command) {
  nlohmann::ordered_json steps = nlohmann::ordered_json::array();
  for (const timewarp::TuningStep& step : tuning.steps) {
    nlohmann::ordered_json choices = nlohmann::ordered_json::array();
    for (const timewarp::TuningChoice& choice : step.choices) {
      choices.push_back({{"name", choice.name},
                         {"ratio", choice.ratio},
                         {"rounds_ahead", choice.rounds_ahead},
                         {"committed_per_second", choice.rates}});
    }
    steps.push_back({{"part", step.part}, {"chosen", step.choices[step.chosen].name}, {"choices", choices}});
  }
  const nlohmann::ordered_json whole = {
      {"command", command}, {"committed_per_second", tuning.rate}, {"steps", std::move(steps)}};
  fmt::print("{}\n", whole.dump(2));
}

void run_tune(const CLI::App& command, const TuneOptions& options) {
  if (options.rounds < 1 || options.rounds > 1000) {
    throw UsageError(fmt::format("--rounds {}: must be 1 to 1000", options.rounds));
  }
  if (!(options.seconds > 0 && options.seconds <= 86400)) {
    throw UsageError(fmt::format("--seconds {}: must be in (0, 86400]", options.seconds));
  }
  timewarp::Engine engine = options.engine.engine();
  if (engine.sequential) throw UsageError("--sequential: there is nothing to tune but --queue; name a team");
  const phold::Run whole = options.model.run(engine);
  check(whole);
  ProgressLine progress(options.quiet || options.json);
  const int runs = timewarp::runs_of_tuning(engine, options.rounds);
  phold::Run run = shortened(whole, options.seconds / runs);
  const auto measure = [&run](const timewarp::Engine& tried) {
    run.engine = tried;
    const phold::Outcome outcome = run_phold(run);
    if (outcome.end == phold::End::interrupted) throw timewarp::Interrupted();
    return outcome.committed_per_second();  // of one that ran out of memory, little
  };
  const Tuning tuning = timewarp::tune(engine, measure, options.rounds, [&](int made, int all) {
    progress.show(static_cast<double>(made) / all, fmt::format("run {} of {}", made + 1, all));
  });
  progress.clear();
  const std::string line = fmt::format("laxity phold{} {}", model_words(command, whole), words_of(tuning.engine));
  if (options.json) return print_json(tuning, line);
  for (const timewarp::TuningStep& step : tuning.steps) fmt::print("{}\n", words_of(step));
  fmt::print("{:.2f} M committed events per second with\n  {}\n", tuning.rate * 1e-6, line);
}

void add_tuning(CLI::App& app) {
  auto* tune = app.add_subcommand("tune", "Measure short runs of a model and pick the parts of the engine");
  tune->require_subcommand(1);
  auto* command = tune->add_subcommand("phold", "Tune for PHOLD");
  auto options = std::make_shared<TuneOptions>();
  options->engine.add_team(*command);
  options->model.add(*command);
  options->engine.add_parts(*command);
  command->add_option("--seconds", options->seconds, "How long to measure, about")->capture_default_str();
  command->add_option("--rounds", options->rounds, "Runs of each choice, in turns with the others")
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print everything measured as JSON");
  command->add_flag("--quiet", options->quiet, "No progress line");
  command->callback([command, options] { run_tune(*command, *options); });
}

}  // namespace

void add_timewarp(CLI::App& app) {
  auto* command = app.add_subcommand("timewarp", "Optimistic simulation: pick settings, compare runs");
  command->require_subcommand(1);
  command->footer(examples);
  add_tuning(*command);
  add_comparison(*command);
}

}  // namespace laxity::cli
