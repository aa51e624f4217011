// laxity timewarp: begins a model (new_model.cpp), measures which parts of the engine suit a model (run.cpp), compares the
// event logs of two runs.
#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/timewarp/new_model.hpp"
#include "apps/laxity/timewarp/run.hpp"
#include "laxity/cli/command.hpp"
#include "laxity/cli/timewarp/model_command.hpp"

namespace laxity::cli {
namespace {

constexpr const char* timewarp_examples = R"(Examples:
  laxity timewarp tune phold --threads 2 --receivers remote --remote 0.5
                                                  print the options that suit this model
  laxity timewarp tune phold --threads 2 --shape batch --json
                                                  the same as JSON
  laxity timewarp tune epidemic --threads 2 --side 16
                                                  for another model: epidemic, pcs, queueing
  laxity timewarp new shops                       a folder with a model of your own, which builds, runs and tests
  laxity phold --sequential --event-log a; laxity phold --threads 2 --event-log b
  laxity timewarp diff a b                        the first committed event that differs, if any does
)";

}  // namespace

void add_timewarp(Command& app, int, const char* const*) {
  auto* command =
      app.add_subcommand("timewarp", "Optimistic simulation: begin a model, tune the engine, compare two runs");
  command->require_subcommand(1);
  command->footer(timewarp_examples);
  add_new_model(*command);
  add_timewarp_tuning(*command);
  add_log_comparison(*command);
}

}  // namespace laxity::cli
