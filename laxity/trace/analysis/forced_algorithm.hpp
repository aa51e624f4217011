// Which algorithm a traced call ran with, where that is known: where a setting of the environment forced it.
//
// Libraries do not say what they decide, call by call; but the tracer records the settings that decide for them
// (record.hpp): OMPI_MCA_coll_tuned_<collective>_algorithm, MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM, I_MPI_ADJUST_<COLLECTIVE>.
// Threads: pure functions. Elsewhere: files of rules, which decide by size (laxity/collective/rules/openmpi_rules.hpp).
#pragma once

#include <string>
#include <string_view>

#include "laxity/trace/file/reader.hpp"

namespace laxity::trace {

/// Whether a variable of the environment has a say in the choice of algorithms of this MPI, as it calls itself.
[[nodiscard]] bool chooses_algorithms(std::string_view name, std::string_view mpi) noexcept;

/// As the setting has it, a name or the library's number; empty where the library decided, or a file of rules did. `call`
/// is one of the process.
[[nodiscard]] std::string algorithm_of(const ProcessTrace& process, const Call& call);

}  // namespace laxity::trace
