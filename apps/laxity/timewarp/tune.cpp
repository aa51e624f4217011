#include "apps/laxity/timewarp/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "apps/laxity/cli/command.hpp"
#include "apps/laxity/cli/progress_line.hpp"
#include "apps/laxity/models/model_options.hpp"
#include "apps/laxity/phold/model_options.hpp"
#include "apps/laxity/timewarp/engine_options.hpp"
#include "laxity/error.hpp"
#include "laxity/timewarp/tuning.hpp"

namespace laxity::cli {
namespace {

using timewarp::Engine;
using timewarp::Tuning;

struct Measured {
  double seconds = 0;
  double committed_per_second = 0;
};

// A model as tuning sees it.
class Tunable {
 public:
  virtual ~Tunable() = default;
  virtual void add(Command& command) = 0;
  /// What it is to be called with, and the engine to begin with; once, first. Throws UsageError.
  virtual void begin(const Engine& engine) = 0;
  [[nodiscard]] virtual double end_time() const = 0;
  /// Throws timewarp::Interrupted, and Error if there is not enough event memory.
  [[nodiscard]] virtual Measured run(double end_time, const Engine& engine) = 0;
  /// What has to be said beside the options given, so that another team runs the same model.
  [[nodiscard]] virtual std::string more_words(const std::string& /*given*/) const { return {}; }
};

class TunablePhold final : public Tunable {
 public:
  void add(Command& command) override { options_.add(command); }
  void begin(const Engine& engine) override {
    run_ = options_.run(engine);
    check(run_);
  }
  [[nodiscard]] double end_time() const override { return run_.end_time; }
  [[nodiscard]] Measured run(double end_time, const Engine& engine) override {
    phold::Run run = run_;
    run.end_time = end_time;
    run.engine = engine;
    const phold::Outcome outcome = run_phold(run);
    if (outcome.end == phold::End::interrupted) throw timewarp::Interrupted();
    if (outcome.end == phold::End::failed) throw Error(outcome.failure);
    return {outcome.seconds, outcome.committed_per_second()};
  }
  [[nodiscard]] std::string more_words(const std::string& given) const override {
    const bool needed = run_.model.receivers == phold::Receivers::remote && given.find("--parts ") == std::string::npos;
    return needed ? fmt::format(" --parts {}", run_.model.parts) : "";  // by default it follows the team
  }

 private:
  PholdModelOptions options_;
  phold::Run run_;
};

class TunableModel final : public Tunable {
 public:
  explicit TunableModel(std::shared_ptr<ModelOptions> options) : options_(std::move(options)) {}

  void add(Command& command) override {
    options_->add(command);
    command.add_option("--seed", seed_, "Seed")->group("Model")->capture_default_str();
  }
  void begin(const Engine&) override { static_cast<void>(options_->configuration()); }
  [[nodiscard]] double end_time() const override { return options_->end_time(); }
  [[nodiscard]] Measured run(double end_time, const Engine& engine) override {
    const models::ComparedRun run = options_->run(end_time, seed_, engine, {});
    std::uint64_t committed = 0;
    for (const timewarp::Statistics& worker : run.workers) committed += worker.committed;
    return {run.seconds, run.seconds > 0 ? static_cast<double>(committed) / run.seconds : 0};
  }

 private:
  std::shared_ptr<ModelOptions> options_;
  std::uint64_t seed_ = 1;
};

struct TuneCommand {
  std::string name;
  std::unique_ptr<Tunable> model;
  EngineOptions engine{};
  double seconds = 20;
  int rounds = 7;
  bool json = false;
  bool quiet = false;
};

// The end time of a run that takes about so long, at most the model's own.
double shortened(Tunable& model, const Engine& engine, double seconds) {
  const double whole = model.end_time();
  double end_time = whole / 1024;
  while (end_time < whole && model.run(end_time, engine).seconds < seconds) end_time = std::min(whole, 1.5 * end_time);
  return end_time;
}

// What was given for the model, as one would type it.
std::string model_words(const Command& command, const Tunable& model) {
  std::string words;
  for (const auto& [name, value] : command.given_options("Model")) words += " " + name + " " + value;
  return words + model.more_words(words);
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

void check(const TuneCommand& options) {
  if (options.rounds < 1 || options.rounds > 1000) {
    throw UsageError(fmt::format("--rounds {}: must be 1 to 1000", options.rounds));
  }
  if (!(options.seconds > 0 && options.seconds <= 86400)) {
    throw UsageError(fmt::format("--seconds {}: must be in (0, 86400]", options.seconds));
  }
}

void run_tune(const Command& command, const TuneCommand& options) {
  check(options);
  const Engine engine = options.engine.engine();
  if (engine.sequential) throw UsageError("--sequential: there is nothing to tune but --queue; name a team");
  Tunable& model = *options.model;
  model.begin(engine);
  ProgressLine progress(options.quiet || options.json);
  const int runs = timewarp::runs_of_tuning(engine, options.rounds);
  const double end_time = shortened(model, engine, options.seconds / runs);
  const auto measure = [&](const Engine& tried) {
    try {
      return model.run(end_time, tried).committed_per_second;
    } catch (const timewarp::Interrupted&) {
      throw;
    } catch (const SystemError&) {
      throw;
    } catch (const UsageError&) {
      throw;
    } catch (const Error&) {
      return 0.0;  // it ran out of memory
    }
  };
  const Tuning tuning = timewarp::tune(engine, measure, options.rounds, [&](int made, int all) {
    progress.show(static_cast<double>(made) / all, fmt::format("run {} of {}", made + 1, all));
  });
  progress.clear();
  const std::string line =
      fmt::format("laxity {}{} {}", options.name, model_words(command, model), words_of(tuning.engine));
  if (options.json) return print_json(tuning, line);
  for (const timewarp::TuningStep& step : tuning.steps) fmt::print("{}\n", words_of(step));
  fmt::print("{:.2f} M committed events per second with\n  {}\n", tuning.rate * 1e-6, line);
}

void add_model(Command& tune, const std::string& name, std::unique_ptr<Tunable> model) {
  auto* command = tune.add_subcommand(name, "Tune for laxity " + name);
  auto options = std::make_shared<TuneCommand>(TuneCommand{.name = name, .model = std::move(model)});
  options->engine.add_team(*command);
  options->model->add(*command);
  options->engine.add_parts(*command);
  command->add_option("--seconds", options->seconds, "How long to measure, about")->capture_default_str();
  command->add_option("--rounds", options->rounds, "Runs of each choice, in turns with the others")
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print everything measured as JSON");
  command->add_flag("--quiet", options->quiet, "No progress line");
  command->callback([command, options] { run_tune(*command, *options); });
}

}  // namespace

void add_timewarp_tuning(Command& timewarp) {
  auto* tune = timewarp.add_subcommand("tune", "Measure short runs of a model and pick the parts of the engine");
  tune->require_subcommand(1);
  add_model(*tune, "phold", std::make_unique<TunablePhold>());
  add_model(*tune, "epidemic", std::make_unique<TunableModel>(epidemic_options()));
  add_model(*tune, "pcs", std::make_unique<TunableModel>(pcs_options()));
  add_model(*tune, "queueing", std::make_unique<TunableModel>(queueing_options()));
}

}  // namespace laxity::cli
