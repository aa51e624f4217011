// laxity timewarp: finds where two runs part; picks settings for a model (timewarp/tune.cpp).
#include <fmt/format.h>

#include <memory>
#include <string>

#include "apps/laxity/cli/command.hpp"
#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/timewarp/tune.hpp"
#include "laxity/timewarp/log/event_log_difference.hpp"

namespace laxity::cli {
namespace {

using timewarp::LogComparison;
using timewarp::LogDifference;

constexpr const char* examples = R"(Examples:
  laxity timewarp tune phold --threads 2 --receivers remote --remote 0.5
                                                  what to write on the command line for this model
  laxity timewarp tune phold --threads 2 --shape batch --json
                                                  the same for a program to read
  laxity timewarp tune epidemic --threads 2 --side 16
                                                  for another model: epidemic, pcs, queueing
  laxity phold --sequential --event-log a; laxity phold --threads 2 --event-log b
  laxity timewarp diff a b                        the first committed event that differs, if any does
)";

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

void add_comparison(Command& app) {
  auto* command = app.add_subcommand("diff", "Name the first committed event in which two runs differ");
  command->footer("Both are what --event-log was given. Exit code: 0 equal, 1 different.");
  auto first = std::make_shared<std::string>();
  auto second = std::make_shared<std::string>();
  command->add_option("first", *first, "Event log of one run")->required();
  command->add_option("second", *second, "Event log of the other")->required();
  command->callback([first, second] {
    if (const int code = print_difference(*first, *second); code != 0) throw Exit{code};
  });
}

}  // namespace

void add_timewarp(Command& app, int, const char* const*) {
  auto* command = app.add_subcommand("timewarp", "Optimistic simulation: pick settings, compare runs");
  command->require_subcommand(1);
  command->footer(examples);
  add_timewarp_tuning(*command);
  add_comparison(*command);
}

}  // namespace laxity::cli
