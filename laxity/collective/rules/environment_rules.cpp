#include "laxity/collective/rules/environment_rules.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "laxity/collective/rules/detail/merit.hpp"

namespace laxity::collective {
namespace {

using detail::best_of_all_sizes;
using detail::by_collective;
using detail::merit;

std::string upper(std::string_view word) {
  std::string text(word);
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

struct IntelName {
  Collective collective;
  std::string_view name;  // as Open MPI or MPICH call it
  int id;                 // in Intel MPI
};
constexpr std::array<IntelName, 29> intel_names{{{Collective::allgather, "recursive_doubling", 1},
                                                 {Collective::allgather, "bruck", 2},
                                                 {Collective::allgather, "brucks", 2},
                                                 {Collective::allgather, "ring", 3},
                                                 {Collective::allreduce, "recursive_doubling", 1},
                                                 {Collective::allreduce, "rabenseifner", 2},
                                                 {Collective::allreduce, "reduce_scatter_allgather", 2},
                                                 {Collective::allreduce, "nonoverlapping", 3},
                                                 {Collective::allreduce, "ring", 8},
                                                 {Collective::alltoall, "modified_bruck", 1},
                                                 {Collective::alltoall, "brucks", 1},
                                                 {Collective::alltoall, "linear", 2},
                                                 {Collective::alltoall, "scattered", 2},
                                                 {Collective::alltoall, "pairwise", 3},
                                                 {Collective::barrier, "bruck", 1},
                                                 {Collective::barrier, "dissemination", 1},
                                                 {Collective::barrier, "k_dissemination", 1},
                                                 {Collective::barrier, "recursive_doubling", 2},
                                                 {Collective::bcast, "binomial", 1},
                                                 {Collective::bcast, "knomial", 8},
                                                 {Collective::gather, "binomial", 1},
                                                 {Collective::reduce, "binomial", 2},
                                                 {Collective::reduce, "rabenseifner", 5},
                                                 {Collective::reduce, "reduce_scatter_gather", 5},
                                                 {Collective::reduce_scatter, "recursive_halving", 1},
                                                 {Collective::reduce_scatter, "pairwise", 2},
                                                 {Collective::reduce_scatter, "recursive_doubling", 3},
                                                 {Collective::reduce_scatter, "non-overlapping", 4},
                                                 {Collective::scatter, "binomial", 1}}};

std::optional<int> intel_id(Collective collective, std::string_view name) {
  for (const IntelName& entry : intel_names) {
    if (entry.collective == collective && entry.name == name) return entry.id;
  }
  return std::nullopt;
}

// "5:0-1024@8-8", of the candidate with the best merit that Intel MPI has; empty if it has none.
std::string intel_rule(const Selection& selection, ChoiceKind kind, std::size_t from, std::size_t to) {
  std::optional<int> best;
  double smallest = 0;
  for (const Candidate& candidate : selection.candidates) {
    const auto id = intel_id(selection.collective, candidate.algorithm.name);
    if (!id) continue;
    const double value = merit(selection, candidate, kind);
    if (!best || value < smallest) {
      best = id;
      smallest = value;
    }
  }
  if (!best) return {};
  const std::string processes = std::to_string(selection.processes);
  return std::to_string(*best) + ":" + std::to_string(from) + "-" + std::to_string(to) + "@" + processes + "-" +
         processes;
}

}  // namespace

std::string mpich_environment(const std::vector<Selection>& selections, ChoiceKind kind) {
  std::string text =
      "# Settings of MPICH: one algorithm for each collective, whatever the size.\n"
      "# Collectives of the device would hide them.\n"
      "MPIR_CVAR_DEVICE_COLLECTIVES=none\n";
  for (const auto& [collective, sizes] : by_collective(selections)) {
    const std::string name = best_of_all_sizes(sizes, kind);
    text += name.empty() ? "# " + std::string(name_of(collective)) + ": no algorithm was measured at every size\n"
                         : "MPIR_CVAR_" + upper(name_of(collective)) + "_INTRA_ALGORITHM=" + name + "\n";
  }
  return text;
}

std::string intel_environment(const std::vector<Selection>& selections, ChoiceKind kind) {
  std::string text = "# Settings of Intel MPI, by the names of the algorithms that were measured.\n";
  for (const auto& [collective, sizes] : by_collective(selections)) {
    std::string value;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const bool is_first = i == 0 || sizes[i - 1]->processes != sizes[i]->processes;
      const std::size_t from = is_first ? 0 : sizes[i - 1]->bytes + 1;
      const std::string rule = intel_rule(*sizes[i], kind, from, sizes[i]->bytes);
      if (!rule.empty()) value += (value.empty() ? "" : ";") + rule;
    }
    text += value.empty()
                ? "# " + std::string(name_of(collective)) + ": Intel MPI has none of the measured algorithms\n"
                : "I_MPI_ADJUST_" + upper(name_of(collective)) + "=\"" + value + "\"\n";
  }
  return text;
}

}  // namespace laxity::collective
