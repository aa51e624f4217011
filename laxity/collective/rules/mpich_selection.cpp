#include "laxity/collective/rules/mpich_selection.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "laxity/collective/rules/detail/by_communicator.hpp"
#include "laxity/collective/rules/detail/json_text.hpp"
#include "laxity/collective/selection/size_range.hpp"
#include "laxity/error.hpp"
#include "laxity/text_scanner.hpp"

namespace laxity::collective {
namespace {

using detail::JsonValue;

// Nested conditions with algorithms as leaves: JSON objects whose members keep their order.
struct Branch;
struct Tree {
  std::vector<Branch> branches;
};
struct Branch {
  std::string condition;
  Tree tree;
};

Tree tree_of(const JsonValue& value) {
  Tree tree;
  for (const auto& member : value.members) tree.branches.push_back({std::string(member.key), tree_of(member.value)});
  return tree;
}

void append_to(std::string& text, const Tree& tree, std::size_t depth) {
  text += '{';
  const char* separator = "\n";
  for (const auto& [condition, branch] : tree.branches) {
    text += separator + std::string(2 * depth + 2, ' ') + '"' + condition + "\": ";
    append_to(text, branch, depth + 1);
    separator = ",\n";
  }
  if (!tree.branches.empty()) text += '\n' + std::string(2 * depth, ' ');
  text += '}';
}

Tree leaf(const std::string& algorithm) { return {{Branch{"algorithm=" + algorithm, {}}}}; }
Tree either(const std::string& condition, Tree yes, const std::string& otherwise, Tree no) {
  return {{Branch{condition, std::move(yes)}, Branch{otherwise, std::move(no)}}};
}

// "MPIR_Reduce_intra_binomial", or with "allcomm" for algorithms that work on every communicator.
std::string mpich_name(Collective collective, const std::string& algorithm) {
  std::string name(name_of(collective));
  name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  return "MPIR_" + name + (algorithm == "nb" ? "_allcomm_" : "_intra_") + algorithm;
}

// Algorithms that read parameters from the file, such as the arity of a tree.
bool takes_parameters(std::string_view algorithm) {
  constexpr std::array<std::string_view, 9> known{"ccl",
                                                  "k_brucks",
                                                  "k_dissemination",
                                                  "k_reduce_scatter_allgather",
                                                  "pipelined_tree",
                                                  "recexch",
                                                  "recursive_multiplying",
                                                  "release_gather",
                                                  "tree"};
  return std::find(known.begin(), known.end(), algorithm) != known.end();
}

// The algorithm for the calls that it supports, and MPICH's own selection for others. MPICH does not check what it
// reads from a file.
Tree guarded(Collective collective, const std::string& algorithm, const Tree& own) {
  Tree chosen = leaf(mpich_name(collective, algorithm));
  if (algorithm == "reduce_scatter_gather" || algorithm == "reduce_scatter_allgather") {
    return either("is_op_built_in=yes", either("count<pow2", own, "count=any", std::move(chosen)), "is_op_built_in=no",
                  own);
  }
  if (algorithm == "smp") {
    chosen = either("comm_hierarchy=parent", std::move(chosen), "comm_hierarchy=any", own);
    if (collective != Collective::reduce && collective != Collective::allreduce) return chosen;
  } else if (collective != Collective::reduce_scatter || algorithm == "recursive_doubling") {
    return chosen;
  } else if (algorithm == "noncommutative") {
    return either("is_block_regular=yes", std::move(chosen), "is_block_regular=no", own);
  }
  return either("is_commutative=yes", std::move(chosen), "is_commutative=no", own);
}

// The name of the condition on message sizes; empty if a collective has none.
std::string_view size_condition(Collective collective) {
  switch (collective) {
    case Collective::allgather:
    case Collective::reduce_scatter:
      return "total_msg_size";
    case Collective::barrier:
    case Collective::gather:
    case Collective::scatter:
      return {};
    default:
      return "avg_msg_size";
  }
}

// The chosen algorithm of one size; MPICH's own selection if it is kept.
Tree for_size(const Selection& selection, ChoiceKind kind, const Tree& own) {
  const Candidate* const best = selection.chosen(kind, [](std::string_view name) { return !takes_parameters(name); });
  return best == nullptr ? own : guarded(selection.collective, best->algorithm.name, own);
}

// The tree for one collective and one number of processes, from sizes in ascending order.
Tree for_messages(const std::vector<const Selection*>& sizes, ChoiceKind kind, const Tree& own) {
  const Collective collective = sizes.front()->collective;
  if (collective == Collective::barrier) return for_size(*sizes.front(), kind, own);
  const std::string condition(size_condition(collective));
  if (condition.empty()) return own;
  std::vector<std::uint64_t> bytes;
  for (const Selection* const each : sizes) {
    const auto blocks = condition == "total_msg_size" ? static_cast<std::uint64_t>(each->processes) : 1;
    bytes.push_back(each->bytes * blocks);
  }
  const std::vector<SizeRange> ranges = ranges_of(bytes);
  Tree tree;
  const auto add = [&](std::uint64_t to, Tree branch) {
    constexpr std::uint64_t max_limit = 2147483647;  // MPICH reads an int
    tree.branches.push_back({condition + "<=" + std::to_string(std::min(to, max_limit)), std::move(branch)});
  };
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::uint64_t below = i == 0 ? 0 : ranges[i - 1].to;
    if (below + 1 < ranges[i].from) add(ranges[i].from - 1, own);
    add(ranges[i].to, for_size(*sizes[i], kind, own));
  }
  tree.branches.push_back({condition + "=any", own});
  // With MPI_IN_PLACE, MPICH does not know the message size of an alltoall.
  if (collective == Collective::alltoall) {
    return either("is_sendbuf_inplace=yes", own, "is_sendbuf_inplace=no", std::move(tree));
  }
  return tree;
}

// The choices apply to the measured communicator sizes only. "comm_size<" is avoided, since MPICH reads it as "<=" when
// it follows a condition on messages.
Tree for_communicators(const std::map<int, std::vector<const Selection*>>& by_processes, ChoiceKind kind,
                       const Tree& own) {
  Tree tree;
  int below = 0;
  for (const auto& [processes, sizes] : by_processes) {
    if (processes - 1 > below) tree.branches.push_back({"comm_size<=" + std::to_string(processes - 1), own});
    tree.branches.push_back({"comm_size<=" + std::to_string(processes), for_messages(sizes, kind, own)});
    below = processes;
  }
  tree.branches.push_back({"comm_size=any", own});
  return tree;
}

}  // namespace

std::string mpich_own_selection(const std::filesystem::path& file) {
  std::string content = laxity::detail::read_whole_file(file.string());
  // The library embeds several selections; only the one that names MPIR_ algorithms is meant.
  constexpr std::string_view begins = "{\"collective=", mark = "\"algorithm=MPIR_";
  for (std::size_t at = content.find(begins); at != std::string::npos; at = content.find(begins, at + 1)) {
    std::string text = content.substr(at, content.find('\0', at) - at);
    if (text.find(mark) != std::string::npos) return text;
  }
  const std::size_t first = content.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && content[first] == '{') return content;
  throw Error(file.string() +
              ": contains no selection of algorithms; libmpich.so of MPICH 4.0 and later releases contains one");
}

std::string mpich_selection(const std::vector<Selection>& selections, ChoiceKind kind, const std::string& own,
                            const std::string& own_name) {
  Tree file = tree_of(detail::parse_json(own, laxity::detail::TextScanner(own_name, own)));
  for (const auto& [collective, by_processes] : detail::by_communicator(selections, kind)) {
    const std::string condition = "collective=" + std::string(name_of(collective));
    const auto of_name = [](const std::string& name) {
      return [&name](const auto& branch) { return branch.condition == name; };
    };
    const auto found = std::find_if(file.branches.begin(), file.branches.end(), of_name(condition));
    const std::string inside = "comm_type=intra";
    if (found == file.branches.end() || found->tree.branches.empty() || found->tree.branches[0].condition != inside) {
      std::string what = own_name;
      throw Error(what.append(": expected a \"")
                      .append(condition)
                      .append("\" that begins with \"")
                      .append(inside)
                      .append("\""));
    }
    Tree& intra = found->tree.branches[0].tree;
    intra = for_communicators(by_processes, kind, intra);
  }
  std::string text;
  append_to(text, file, 0);
  return text + '\n';
}

}  // namespace laxity::collective
