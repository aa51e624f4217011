// Detects the kind of a rules file. Checks the algorithms of Open MPI's rules in every form.
#include "laxity/collective/rules/rules_check.hpp"

#include <algorithm>
#include <array>

#include "laxity/collective/rules/detail/rules_reader.hpp"

namespace laxity::collective {
namespace {

constexpr std::array<std::string_view, 6> kinds{
    "a rules file of Open MPI, version 1", "a rules file of Open MPI, version 2", "a rules file of Open MPI, JSON",
    "a selection file of MPICH, JSON",     "control variables of MPICH",          "variables of Intel MPI"};

// The first line that is neither empty nor a comment; empty if there is none.
std::string_view first_content(std::string_view text) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || line[first] == '#') continue;
    return line.substr(first);
  }
  return {};
}

RulesKind kind_of(std::string_view text) {
  std::string_view line = first_content(text);
  if (line.starts_with("export ")) line.remove_prefix(7);
  if (line.starts_with('{')) {
    const auto mpich = text.find("\"collective=");
    const auto openmpi = text.find("\"collectives\"");
    return mpich < openmpi ? RulesKind::mpich_json : RulesKind::openmpi_json;
  }
  if (line.starts_with("MPIR_")) return RulesKind::mpich_environment;
  if (line.starts_with("I_MPI_")) return RulesKind::intel_environment;
  if (text.starts_with("rule-file-version-")) return RulesKind::openmpi_version_2;
  return RulesKind::openmpi_version_1;
}

}  // namespace

std::string_view name_of(RulesKind kind) noexcept { return kinds[static_cast<std::size_t>(kind)]; }

RulesCheck check_rules(std::string_view text, const std::string& file) {
  RulesCheck check;
  check.kind = kind_of(text);
  detail::RulesReader reader(text, file, check);
  switch (check.kind) {
    case RulesKind::openmpi_version_1:
      detail::read_classic_rules(reader, OpenMpiForm::version_1);
      break;
    case RulesKind::openmpi_version_2:
      detail::read_classic_rules(reader, OpenMpiForm::version_2);
      break;
    case RulesKind::openmpi_json:
      detail::read_openmpi_json(reader);
      break;
    case RulesKind::mpich_json:
      detail::read_mpich_json(reader);
      break;
    case RulesKind::mpich_environment:
    case RulesKind::intel_environment:
      detail::read_environment(reader);
      break;
  }
  return check;
}

RulesCheck check_rules_file(const std::string& path) {
  return check_rules(laxity::detail::read_whole_file(path), path);
}

namespace detail {

void RulesReader::check_algorithm(const char* where, int collective_id, const MessageRule& rule, int smallest,
                                  int largest, OpenMpiForm form) {
  const std::string collective(openmpi_collective_name(collective_id));
  const int highest = openmpi_highest_algorithm(collective_id, form);
  if (rule.algorithm > highest) {
    fail(where,
         collective + " has " +
             (highest == 0 ? std::string("no algorithms to choose from") : "algorithms 1.." + std::to_string(highest)) +
             " (0: the library decides), not " + std::to_string(rule.algorithm) + "; Open MPI would refuse the call");
  }
  const bool is_chain = (collective == "reduce" || collective == "bcast") && rule.algorithm == 2;
  if (is_chain && rule.fanout == 0) {
    warn(where, "algorithm 2 of " + collective + " with FANINOUT 0 is a pipeline, not a chain; write 4");
  }
  const bool is_for_two = ((collective == "alltoall" || collective == "barrier") && rule.algorithm == 5) ||
                          (collective == "allgather" && rule.algorithm == 6);
  if (is_for_two && (smallest < 2 || largest > 2)) {
    warn(where, "algorithm " + std::to_string(rule.algorithm) + " of " + collective +
                    " supports two processes only; Open MPI would refuse calls of any other number");
  }
}

}  // namespace detail
}  // namespace laxity::collective
