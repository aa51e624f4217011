#include "apps/laxity/doctor/print.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

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

}  // namespace

void print_findings(const std::vector<Finding>& findings) {
  for (const auto& finding : findings) {
    fmt::print("{:<5} {:<14} {}\n", word_for(finding.health), finding.subject, finding.found);
    if (!finding.advice.empty()) fmt::print("{:<20} -> {}\n", "", finding.advice);
  }
}

void print_findings_as_json(const std::vector<Finding>& findings) {
  auto list = nlohmann::json::array();
  for (const auto& finding : findings) {
    list.push_back({{"subject", finding.subject},
                    {"health", finding.health == Health::bad ? "bad" : word_for(finding.health)},
                    {"found", finding.found},
                    {"advice", finding.advice}});
  }
  fmt::print("{}\n", list.dump(2));
}

}  // namespace laxity::cli
