#include "apps/laxity/timewarp/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "apps/laxity/cli/command.hpp"
#include "apps/laxity/cli/progress_line.hpp"
#include "apps/laxity/models/model_options.hpp"
#include "apps/laxity/phold/model_options.hpp"
#include "apps/laxity/timewarp/engine_options.hpp"
#include "apps/laxity/timewarp/print.hpp"
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

// A model and its options, for the tuning.
class Tunable {
 public:
  virtual ~Tunable() = default;
  virtual void add(Command& command) = 0;
  /// Takes the options and the engine at the start. To be called once, before the others. Throws UsageError.
  virtual void begin(const Engine& engine) = 0;
  [[nodiscard]] virtual double end_time() const = 0;
  /// Throws timewarp::Interrupted, and Error if there is not enough event memory.
  [[nodiscard]] virtual Measured run(double end_time, const Engine& engine) = 0;
  /// Further options that another team needs to run the same model.
  [[nodiscard]] virtual std::string further_options(const std::string& /*given*/) const { return {}; }
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
    if (outcome.end == phold::End::interrupted) throw timewarp::Interrupted(outcome.failure);
    if (outcome.end == phold::End::failed) throw Error(outcome.failure);
    return {outcome.seconds, outcome.committed_per_second()};
  }
  [[nodiscard]] std::string further_options(const std::string& given) const override {
    const bool needed = run_.model.receivers == phold::Receivers::remote && given.find("--parts ") == std::string::npos;
    return needed ? fmt::format(" --parts {}", run_.model.parts) : "";  // the default depends on the team
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
    return {run.seconds, run.committed_per_second()};
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

// The end time of a run of about `seconds`, at most the model's own.
double shortened(Tunable& model, const Engine& engine, double seconds) {
  const double whole = model.end_time();
  double end_time = whole / 1024;
  while (end_time < whole && model.run(end_time, engine).seconds < seconds) end_time = std::min(whole, 1.5 * end_time);
  return end_time;
}

// The options of the model that the command line has given, as one would type them.
std::string model_options(const Command& command, const Tunable& model) {
  std::string words;
  for (const auto& [name, value] : command.given_options("Model"))
    words.append(" ").append(name).append(" ").append(value);
  return words + model.further_options(words);
}

void check(const TuneCommand& options) {
  if (options.rounds < 1 || options.rounds > 1000) {
    throw UsageError(fmt::format("--rounds {}: must be 1 to 1000", options.rounds));
  }
}

void run_tune(const Command& command, const TuneCommand& options) {
  check(options);
  const Engine engine = options.engine.engine();
  if (engine.sequential)
    throw UsageError("--sequential: the sequential engine has only --queue to choose; name a team");
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
      return 0.0;  // out of event memory
    }
  };
  const Tuning tuning = timewarp::tune(engine, measure, options.rounds, [&](int made, int all) {
    progress.show(static_cast<double>(made) / all, fmt::format("run {} of {}", made + 1, all));
  });
  progress.clear();
  const std::string line =
      fmt::format("laxity {}{} {}", options.name, model_options(command, model), words_of(tuning.engine));
  options.json ? print_tuning_as_json(tuning, line) : print_tuning(tuning, line);
}

void add_model(Command& tune, const std::string& name, std::unique_ptr<Tunable> model) {
  auto* command = tune.add_subcommand(name, "Tune for laxity " + name);
  auto options = std::make_shared<TuneCommand>(TuneCommand{.name = name, .model = std::move(model)});
  options->engine.add_team(*command);
  options->model->add(*command);
  options->engine.add_parts(*command);
  command
      ->add_duration("--duration", options->seconds, "Approximate duration of all runs together",
                     {.min_s = 1e-3, .max_s = 86400})
      ->capture_default_str();
  command->add_option("--rounds", options->rounds, "Runs of each choice, alternating with those of the others")
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print all measurements as JSON");
  command->add_flag("--quiet", options->quiet, "No progress line");
  command->callback([command, options] { run_tune(*command, *options); });
}

}  // namespace

void add_timewarp_tuning(Command& timewarp) {
  auto* tune = timewarp.add_subcommand("tune", "Measure which parts of the engine suit a model");
  tune->require_subcommand(1);
  add_model(*tune, "phold", std::make_unique<TunablePhold>());
  add_model(*tune, "epidemic", std::make_unique<TunableModel>(epidemic_options()));
  add_model(*tune, "pcs", std::make_unique<TunableModel>(pcs_options()));
  add_model(*tune, "queueing", std::make_unique<TunableModel>(queueing_options()));
}

}  // namespace laxity::cli
