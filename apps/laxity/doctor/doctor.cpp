// laxity doctor: what is installed, what works, what to do. What can be tried is tried, not looked up.
//
// Elsewhere: the checks themselves (doctor/checks.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/laxity/cli/command.hpp"
#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/doctor/checks.hpp"
#include "laxity/launch/launcher.hpp"

namespace laxity::cli {
namespace {

const char* word_for(Health health) {
  switch (health) {
    case Health::good:
      return "ok";
    case Health::note:
      return "note";
    case Health::bad:
      return "BAD";
  }
  return "";
}

void print_table(const std::vector<Finding>& findings) {
  for (const auto& finding : findings) {
    fmt::print("{:<5} {:<14} {}\n", word_for(finding.health), finding.subject, finding.found);
    if (!finding.advice.empty()) fmt::print("{:<20} -> {}\n", "", finding.advice);
  }
}

void print_json(const std::vector<Finding>& findings) {
  auto list = nlohmann::json::array();
  for (const auto& finding : findings) {
    list.push_back({{"subject", finding.subject},
                    {"health", finding.health == Health::bad ? "bad" : word_for(finding.health)},
                    {"found", finding.found},
                    {"advice", finding.advice}});
  }
  fmt::print("{}\n", list.dump(2));
}

void examine(bool json) {
  const auto findings = examine_machine();
  if (!is_reporting_rank()) return;  // the ranks of a launcher took part, and the first tells
  json ? print_json(findings) : print_table(findings);
  const auto bad = std::ranges::count(findings, Health::bad, &Finding::health);
  if (!json)
    fmt::print("{}\n", bad == 0 ? "everything that a run needs works" : "what is marked BAD keeps runs from working");
  if (bad != 0) throw Exit{1};
}

}  // namespace

void add_doctor(Command& app) {
  auto* doctor = app.add_subcommand("doctor", "Say what is installed, what works here, and what to do about the rest");
  auto json = std::make_shared<bool>(false);
  doctor->add_flag("--json", *json, "Print one JSON array of {subject, health, found, advice}");
  doctor->footer("Example:\n  laxity doctor --json\n");
  doctor->callback([json] { examine(*json); });
}

}  // namespace laxity::cli
