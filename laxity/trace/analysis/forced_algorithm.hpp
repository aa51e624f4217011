// The algorithm that an environment variable forced for a traced call.
//
// MPI libraries do not report the algorithm of a call, but the tracer records the variables that force one
// (`OMPI_MCA_coll_tuned_<collective>_algorithm`, `MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM` and its aliases,
// `I_MPI_ADJUST_<COLLECTIVE>`).
// Threads: pure functions. Elsewhere: rules files, which choose by size (laxity/collective/rules/openmpi_rules.hpp).
#pragma once

#include <string>
#include <string_view>

#include "laxity/trace/file/reader.hpp"
#include "laxity/trace/file/record.hpp"

namespace laxity::trace {

/// Whether an environment variable of this name influences the choice of algorithms of this MPI, given the name of its
/// version.
[[nodiscard]] bool chooses_algorithms(std::string_view name, std::string_view mpi) noexcept;

/// The value of the variable, which is a name or the library's number of an algorithm; empty if the library or a rules
/// file chose the algorithm. `call` is a call of `process`.
[[nodiscard]] std::string forced_algorithm(const ProcessDefinitions& process, const Call& call);

}  // namespace laxity::trace
