#include "laxity/collective/rules/environment_rules.hpp"

#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "laxity/collective/rules/detail/choice_cost.hpp"

namespace laxity::collective {
namespace {

using detail::by_collective;

struct IntelName {
  Collective collective;
  std::string_view name;  // in Open MPI or MPICH
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

// "5:0-1024@8-8" for the best candidate that Intel MPI has; empty if it has none.
std::string intel_rule(const Selection& selection, ChoiceKind kind, std::size_t from, std::size_t to) {
  const auto id_of = [&](std::string_view name) { return intel_id(selection.collective, name); };
  const Candidate* const best =
      detail::best_candidate(selection, kind, [&](std::string_view name) { return id_of(name).has_value(); });
  if (best == nullptr) return {};
  const std::string processes = std::to_string(selection.processes);
  return std::to_string(*id_of(best->algorithm.name)) + ":" + std::to_string(from) + "-" + std::to_string(to) + "@" +
         processes + "-" + processes;
}

}  // namespace

std::string mpich_environment(const std::vector<Selection>& selections, ChoiceKind kind) {
  std::string text =
      "# Settings of MPICH: one algorithm per collective, for all sizes.\n"
      "# Device collectives would take precedence.\n"
      "MPIR_CVAR_DEVICE_COLLECTIVES=none\n";
  for (const auto& [collective, sizes] : by_collective(selections)) {
    const std::string name = detail::best_over_all_sizes(sizes, kind);
    text += name.empty() ? "# " + std::string(name_of(collective)) + ": no algorithm was measured at every size\n"
                         : "MPIR_CVAR_" + upper_case(name_of(collective)) + "_INTRA_ALGORITHM=" + name + "\n";
  }
  return text;
}

std::string intel_environment(const std::vector<Selection>& selections, ChoiceKind kind) {
  std::string text = "# Settings of Intel MPI, for the names of the measured algorithms.\n";
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
                : "I_MPI_ADJUST_" + upper_case(name_of(collective)) + "=\"" + value + "\"\n";
  }
  return text;
}

}  // namespace laxity::collective
