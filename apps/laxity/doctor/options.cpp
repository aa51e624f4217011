// laxity doctor: what is installed, what works, what to do. The checks use what they test instead of looking it up.
//
// Elsewhere: the checks (run.hpp), their output (print.hpp), laxity clean (clean.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/doctor/print.hpp"
#include "apps/laxity/doctor/run.hpp"
#include "laxity/launch/launcher.hpp"

namespace laxity::cli {
namespace {

void examine(bool json) {
  const auto findings = examine_host();
  if (!is_reporting_rank()) return;
  json ? print_findings_as_json(findings) : print_findings(findings);
  const auto bad = std::ranges::count(findings, Health::bad, &Finding::health);
  if (!json)
    fmt::print("{}\n", bad == 0 ? "everything that a run needs works" : "runs that need what is marked BAD will fail");
  if (bad != 0) throw Exit{1};
}

}  // namespace

void add_doctor(Command& app, int, const char* const*) {
  auto* doctor = app.add_subcommand("doctor", "Test what is installed and what works here, and advise on the rest");
  auto json = std::make_shared<bool>(false);
  doctor->add_flag("--json", *json, "Print one JSON array of {subject, health, found, advice}");
  doctor->footer("Example:\n  laxity doctor --json\n");
  doctor->callback([json] { examine(*json); });
}

}  // namespace laxity::cli
