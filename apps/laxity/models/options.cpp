#include "apps/laxity/models/options.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "apps/laxity/models/run.hpp"

namespace laxity::cli {
namespace {

void add_shared_options(Command& command, ModelCommand& options) {
  options.engine.add_team(command);
  options.engine.add_parts(command);
  options.engine.add_event_log(command);
  command.add_option("--seed", options.seed, "Seed")->group("Model")->capture_default_str();
  command.add_option("--check", options.check, "Run no simulation; check that every event can be rolled back")
      ->group("Engine")
      ->one_of({"purity", "rollback"});
  const auto* const group = "Output";
  command.add_option("--output", options.output, "Run directory; runs/" + options.name + "-<time> if not given")
      ->group(group);
  command.add_flag("--report", options.report, "Write report.html at the end")->group(group);
  command.add_flag("--quiet", options.quiet, "No progress line and no table")->group(group);
}

void check_handlers(const ModelCommand& options) {
  const auto how = options.check == "purity" ? timewarp::Check::purity : timewarp::Check::rollback;
  const std::uint64_t events = options.model->check_handlers(options.seed, how);
  fmt::print("{} events can be rolled back ({})\n", events, options.check);
}

}  // namespace

void add_model_command(Command& command, std::shared_ptr<ModelOptions> model, const std::string& name, int argc,
                       const char* const* argv) {
  auto options = std::make_shared<ModelCommand>(ModelCommand{std::move(model), name, argc, argv});
  options->model->add(command);
  add_shared_options(command, *options);
  command.callback([options] {
    if (!options->check.empty()) return check_handlers(*options);
    if (const int code = run_model(*options); code != 0) throw Exit{code};
  });
}

}  // namespace laxity::cli
