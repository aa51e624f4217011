#include "laxity/collective/rules/environment_rules.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "laxity/collective/rules/detail/by_communicator.hpp"
#include "laxity/collective/rules/detail/comment.hpp"
#include "laxity/collective/selection/size_range.hpp"
#include "laxity/error.hpp"

namespace laxity::collective {
namespace {

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

// "5:512-2048@8-8" for the best algorithm that Intel MPI has; empty if its own choice is kept.
std::string intel_rule(const Selection& selection, ChoiceKind kind, const SizeRange& range) {
  const auto id_of = [&](std::string_view name) { return intel_id(selection.collective, name); };
  const Candidate* const best = selection.chosen(kind, [&](std::string_view name) { return id_of(name).has_value(); });
  if (best == nullptr) return {};
  const std::string processes = std::to_string(selection.processes);
  return std::to_string(*id_of(best->algorithm.name)) + ":" + std::to_string(range.from) + "-" +
         std::to_string(range.to) + "@" + processes + "-" + processes;
}

}  // namespace

std::string intel_environment(const std::vector<Selection>& selections, ChoiceKind kind, std::string_view comment) {
  std::string text =
      "# Settings of Intel MPI, for the names of the measured algorithms.\n" + detail::as_comment(comment);
  for (const auto& [collective, by_processes] : detail::by_communicator(selections, kind)) {
    std::string value;
    for (const auto& [processes, sizes] : by_processes) {
      std::vector<std::uint64_t> bytes;
      for (const Selection* const each : sizes) bytes.push_back(each->bytes);
      const std::vector<SizeRange> ranges = ranges_of(bytes);
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        const std::string rule = intel_rule(*sizes[i], kind, ranges[i]);
        if (!rule.empty()) value += (value.empty() ? "" : ";") + rule;
      }
    }
    text += value.empty() ? "# " + std::string(name_of(collective)) + ": Intel MPI's own choice is kept\n"
                          : "I_MPI_ADJUST_" + upper_case(name_of(collective)) + "=\"" + value + "\"\n";
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> forcing_environment(Library library, Collective collective,
                                                                     const Algorithm& algorithm) {
  if (algorithm.id == 0) return {};
  if (library == Library::open_mpi) {
    return {{"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"},
            {"OMPI_MCA_coll_tuned_" + std::string(name_of(collective)) + "_algorithm", std::to_string(algorithm.id)}};
  }
  if (library == Library::mpich) {
    return {{"MPIR_CVAR_DEVICE_COLLECTIVES", "none"},
            {"MPIR_CVAR_" + upper_case(name_of(collective)) + "_INTRA_ALGORITHM", algorithm.name}};
  }
  throw UsageError("algorithms of " + std::string(name_of(library)) + " cannot be forced by the environment");
}

}  // namespace laxity::collective
