#include "apps/laxity/timewarp/run.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "apps/laxity/models/models.hpp"
#include "apps/laxity/phold/model_options.hpp"
#include "laxity/cli/command.hpp"
#include "laxity/cli/timewarp/tuning_command.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

using timewarp::Engine;

class TunablePhold final : public Tunable {
 public:
  void add(Command& command) override { options_.add(command); }
  void begin(const Engine& engine) override {
    run_ = options_.run(engine);
    check(run_);
  }
  [[nodiscard]] double end_time() const override { return run_.end_time; }
  [[nodiscard]] MeasuredRun run(double end_time, const Engine& engine) override {
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

void add_model(Command& tune, const std::string& name, std::unique_ptr<Tunable> model) {
  add_tuning_command(*tune.add_subcommand(name, "Tune for laxity " + name), std::move(model), "laxity " + name);
}

}  // namespace

void add_timewarp_tuning(Command& timewarp) {
  auto* tune = timewarp.add_subcommand("tune", "Measure which parts of the engine suit a model");
  tune->require_subcommand(1);
  add_model(*tune, "phold", std::make_unique<TunablePhold>());
  add_model(*tune, "epidemic", tunable(epidemic_options()));
  add_model(*tune, "pcs", tunable(pcs_options()));
  add_model(*tune, "queueing", tunable(queueing_options()));
}

}  // namespace laxity::cli
