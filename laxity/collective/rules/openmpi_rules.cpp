#include "laxity/collective/rules/openmpi_rules.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "laxity/collective/rules/detail/by_communicator.hpp"
#include "laxity/collective/rules/detail/comment.hpp"
#include "laxity/collective/selection/size_range.hpp"

namespace laxity::collective {
namespace {

// The highest algorithm numbers of Open MPI 4.1, and of 5.0 and later. The index is Open MPI's number of the
// collective.
struct Known {
  std::string_view name;
  int highest_4;
  int highest_5;
};
constexpr std::array<Known, 22> known{{{"allgather", 6, 8},
                                       {"allgatherv", 5, 6},
                                       {"allreduce", 6, 7},
                                       {"alltoall", 5, 5},
                                       {"alltoallv", 2, 2},
                                       {"alltoallw", 0, 0},
                                       {"barrier", 6, 6},
                                       {"bcast", 9, 9},
                                       {"exscan", 2, 2},
                                       {"gather", 3, 3},
                                       {"gatherv", 0, 0},
                                       {"reduce", 7, 8},
                                       {"reduce_scatter", 4, 4},
                                       {"reduce_scatter_block", 4, 4},
                                       {"scan", 2, 2},
                                       {"scatter", 3, 3},
                                       {"scatterv", 0, 0},
                                       {"neighbor_allgather", 0, 0},
                                       {"neighbor_allgatherv", 0, 0},
                                       {"neighbor_alltoall", 0, 0},
                                       {"neighbor_alltoallv", 0, 0},
                                       {"neighbor_alltoallw", 0, 0}}};

constexpr int default_fanout = 4;  // Open MPI's default for chains and trees of a forced algorithm

bool is_known(int id) noexcept { return id >= 0 && static_cast<std::size_t>(id) < known.size(); }

MessageRule rule_for(std::uint64_t from_bytes, int algorithm) {
  return {.from_bytes = from_bytes, .algorithm = algorithm, .fanout = algorithm == 0 ? 0 : default_fanout};
}

int chosen(const Selection& selection, ChoiceKind kind) {
  const Candidate* const best = selection.chosen(kind);
  return best == nullptr ? 0 : best->algorithm.id;
}

void add_rule(std::vector<MessageRule>& rules, std::uint64_t from_bytes, int algorithm) {
  if (!rules.empty() && rules.back().algorithm == algorithm) return;
  rules.push_back(rule_for(from_bytes, algorithm));
}

// The rules for one collective and one number of processes, from sizes in ascending order. A barrier has no message, so
// its rule is for all sizes.
CommunicatorRules rules_for_size(const std::vector<const Selection*>& sizes, ChoiceKind kind) {
  const Selection& first = *sizes.front();
  if (first.collective == Collective::barrier) return {first.processes, {rule_for(0, chosen(first, kind))}};
  std::vector<std::uint64_t> bytes;
  for (const Selection* each : sizes) {
    bytes.push_back(message_size_in_rules(each->collective, each->processes, each->bytes));
  }
  const std::vector<SizeRange> ranges = ranges_of(bytes);
  CommunicatorRules rules{first.processes, {rule_for(0, 0)}};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    add_rule(rules.messages, ranges[i].from, chosen(*sizes[i], kind));
    if (i + 1 == sizes.size() || ranges[i].to + 1 < ranges[i + 1].from) add_rule(rules.messages, ranges[i].to + 1, 0);
  }
  return rules;
}

std::string format_classic(const OpenMpiRules& rules, bool with_requests) {
  std::string text = std::to_string(rules.collectives.size()) + " # collectives\n";
  for (const CollectiveRules& collective : rules.collectives) {
    text += std::to_string(collective.collective_id) + " # " +
            std::string(openmpi_collective_name(collective.collective_id)) + "\n" +
            std::to_string(collective.communicators.size()) + " # communicator sizes\n";
    for (const CommunicatorRules& communicator : collective.communicators) {
      text += std::to_string(communicator.from_processes) + ' ' + std::to_string(communicator.messages.size()) +
              " # minimum number of processes, number of rules\n";
      for (const MessageRule& rule : communicator.messages) {
        text += std::to_string(rule.from_bytes) + ' ' + std::to_string(rule.algorithm) + ' ' +
                std::to_string(rule.fanout) + ' ' + std::to_string(rule.segment_bytes);
        if (with_requests) text += ' ' + std::to_string(rule.max_requests);
        text += '\n';
      }
    }
  }
  return text;
}

std::string json_rule(const std::vector<MessageRule>& rules, std::size_t i) {
  const MessageRule& rule = rules[i];
  std::string text = "{\"msg_size_min\": " + std::to_string(rule.from_bytes) + ", \"msg_size_max\": ";
  text += i + 1 < rules.size() ? std::to_string(rules[i + 1].from_bytes - 1) : "\"inf\"";
  text += ", \"alg\": " + std::to_string(rule.algorithm) + ", \"faninout\": " + std::to_string(rule.fanout) +
          ", \"seg_size\": " + std::to_string(rule.segment_bytes) + ", \"reqs\": " + std::to_string(rule.max_requests);
  return text + "}";
}

std::string format_json(const OpenMpiRules& rules) {
  std::string text = "{\n  \"rule_file_version\": 3,\n  \"module\": \"tuned\",\n  \"collectives\": {";
  const char* next_collective = "\n";
  for (const CollectiveRules& collective : rules.collectives) {
    text += next_collective;
    next_collective = ",\n";
    text += "    \"" + std::string(openmpi_collective_name(collective.collective_id)) + "\": [";
    for (std::size_t c = 0; c < collective.communicators.size(); ++c) {
      const CommunicatorRules& communicator = collective.communicators[c];
      text += c == 0 ? "\n" : ",\n";
      text += "      {\"comm_size_min\": " + std::to_string(communicator.from_processes);
      if (c + 1 < collective.communicators.size()) {
        text += ", \"comm_size_max\": " + std::to_string(collective.communicators[c + 1].from_processes - 1);
      }
      text += ", \"rules\": [";
      for (std::size_t i = 0; i < communicator.messages.size(); ++i) {
        text += (i == 0 ? "\n        " : ",\n        ") + json_rule(communicator.messages, i);
      }
      text += "]}";
    }
    text += "\n    ]";
  }
  return text + "\n  }\n}\n";
}

}  // namespace

int openmpi_id(Collective collective) noexcept {
  int id = 0;
  while (known[static_cast<std::size_t>(id)].name != name_of(collective)) ++id;
  return id;
}

std::string_view openmpi_collective_name(int collective_id) noexcept {
  return is_known(collective_id) ? known[static_cast<std::size_t>(collective_id)].name : std::string_view();
}

int openmpi_highest_algorithm(int collective_id, OpenMpiForm form) noexcept {
  if (!is_known(collective_id)) return 0;
  const Known& entry = known[static_cast<std::size_t>(collective_id)];
  return form == OpenMpiForm::version_1 ? entry.highest_4 : entry.highest_5;
}

std::uint64_t message_size_in_rules(Collective collective, int processes, std::size_t bytes) noexcept {
  if (collective == Collective::barrier) return 0;
  return has_block_per_process(collective) ? bytes * static_cast<std::uint64_t>(processes) : bytes;
}

OpenMpiRules openmpi_rules(const std::vector<Selection>& selections, ChoiceKind kind) {
  OpenMpiRules rules;
  for (const auto& [collective, by_processes] : detail::by_communicator(selections, kind)) {
    CollectiveRules of_collective{openmpi_id(collective), {}};
    std::vector<CommunicatorRules>& entries = of_collective.communicators;
    // Open MPI applies an entry to larger communicators up to the next entry, and the first one to smaller ones, too.
    if (by_processes.begin()->first > 1) entries.push_back({1, {rule_for(0, 0)}});
    for (const auto& [processes, sizes] : by_processes) {
      if (!entries.empty() && entries.back().from_processes == processes) entries.pop_back();
      entries.push_back(rules_for_size(sizes, kind));
      entries.push_back({processes + 1, {rule_for(0, 0)}});
    }
    rules.collectives.push_back(std::move(of_collective));
  }
  return rules;
}

std::string format_rules(const OpenMpiRules& rules, OpenMpiForm form, std::string_view comment) {
  if (form == OpenMpiForm::json) return format_json(rules);
  // The version must be the first line of the file, before any comment.
  const std::string text =
      (form == OpenMpiForm::version_2 ? "rule-file-version-2\n" : "") + detail::as_comment(comment);
  return text + format_classic(rules, form == OpenMpiForm::version_2);
}

}  // namespace laxity::collective
