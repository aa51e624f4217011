#include "laxity/cli/timewarp/tuning_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "laxity/cli/progress_line.hpp"
#include "laxity/cli/timewarp/engine_options.hpp"
#include "laxity/cli/timewarp/print.hpp"
#include "laxity/error.hpp"
#include "laxity/timewarp/result.hpp"
#include "laxity/timewarp/tuning.hpp"

namespace laxity::cli {
namespace {

using timewarp::Engine;
using timewarp::Tuning;

class TunableModel final : public Tunable {
 public:
  explicit TunableModel(std::shared_ptr<ModelOptions> options) : options_(std::move(options)) {}

  void add(Command& command) override {
    options_->add(command);
    command.add_option("--seed", seed_, "Seed")->group("Model")->capture_default_str();
  }
  void begin(const Engine& engine) override { options_->check(engine); }
  [[nodiscard]] double end_time() const override { return options_->end_time(); }
  [[nodiscard]] MeasuredRun run(double end_time, const Engine& engine) override {
    const timewarp::ComparedRun run = options_->run(end_time, seed_, engine, {});
    return {run.seconds, run.committed_per_second()};
  }

 private:
  std::shared_ptr<ModelOptions> options_;
  std::uint64_t seed_ = 1;
};

struct TuningCommand {
  std::string program;
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

void check(const TuningCommand& options) {
  if (options.rounds < 1 || options.rounds > 1000) {
    throw UsageError(fmt::format("--rounds {}: must be 1 to 1000", options.rounds));
  }
}

void run_tune(const Command& command, const TuningCommand& options) {
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
      fmt::format("{}{} {}", options.program, model_options(command, model), words_of(tuning.engine));
  options.json ? print_tuning_as_json(tuning, line) : print_tuning(tuning, line);
}

}  // namespace

std::unique_ptr<Tunable> tunable(std::shared_ptr<ModelOptions> model) {
  return std::make_unique<TunableModel>(std::move(model));
}

void add_tuning_command(Command& command, std::unique_ptr<Tunable> model, const std::string& program) {
  auto options = std::make_shared<TuningCommand>(TuningCommand{.program = program, .model = std::move(model)});
  options->engine.add_team(command);
  options->model->add(command);
  options->engine.add_parts(command);
  command
      .add_duration("--duration", options->seconds, "Approximate duration of all runs together",
                    {.min_s = 1e-3, .max_s = 86400})
      ->capture_default_str();
  command.add_option("--rounds", options->rounds, "Runs of each choice, alternating with those of the others")
      ->capture_default_str();
  command.add_flag("--json", options->json, "Print all measurements as JSON");
  command.add_flag("--quiet", options->quiet, "No progress line");
  command.callback([chosen = &command, options] { run_tune(*chosen, *options); });
}

}  // namespace laxity::cli
