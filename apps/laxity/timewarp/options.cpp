// laxity timewarp: compares the event logs of two runs; measures which parts of the engine suit a model (run.cpp).
#include <memory>
#include <string>

#include "apps/laxity/cli/command.hpp"
#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/timewarp/print.hpp"
#include "apps/laxity/timewarp/run.hpp"
#include "laxity/timewarp/log/event_log_difference.hpp"

namespace laxity::cli {
namespace {

constexpr const char* examples = R"(Examples:
  laxity timewarp tune phold --threads 2 --receivers remote --remote 0.5
                                                  print the options that suit this model
  laxity timewarp tune phold --threads 2 --shape batch --json
                                                  the same as JSON
  laxity timewarp tune epidemic --threads 2 --side 16
                                                  for another model: epidemic, pcs, queueing
  laxity phold --sequential --event-log a; laxity phold --threads 2 --event-log b
  laxity timewarp diff a b                        the first committed event that differs, if any does
)";

// Exit code.
int compare(const std::string& first, const std::string& second) {
  const timewarp::LogComparison logs = timewarp::compare_event_logs(first, second);
  print_difference(logs, first, second);
  return logs.difference ? 1 : 0;
}

void add_comparison(Command& app) {
  auto* command = app.add_subcommand("diff", "Print the first committed event in which two runs differ");
  command->footer(
      "Both arguments are directories that --event-log wrote. Exit code: 0 if the logs are equal, 1 if they differ.");
  auto first = std::make_shared<std::string>();
  auto second = std::make_shared<std::string>();
  command->add_option("first", *first, "Event log of one run")->required();
  command->add_option("second", *second, "Event log of the other")->required();
  command->callback([first, second] {
    if (const int code = compare(*first, *second); code != 0) throw Exit{code};
  });
}

}  // namespace

void add_timewarp(Command& app, int, const char* const*) {
  auto* command = app.add_subcommand("timewarp", "Optimistic simulation: tune the engine, compare two runs");
  command->require_subcommand(1);
  command->footer(examples);
  add_timewarp_tuning(*command);
  add_comparison(*command);
}

}  // namespace laxity::cli
