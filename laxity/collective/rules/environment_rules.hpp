// Choices as settings of the environment: control variables of MPICH and of Intel MPI.
//
// Coarser than rules files. MPICH takes one algorithm for each collective, whatever the size. Intel MPI takes ranges of
// sizes and processes, but its numbers are its own: where something else was measured, the algorithm of the same name is
// taken, and the text says so.
//
// Source: MPICH's descriptions of MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM; Intel MPI Library Developer Reference, I_MPI_ADJUST
// family. Intel MPI's part was not tried on an Intel MPI.
// Threads: pure functions.
// Elsewhere: files of MPICH that tell sizes apart (mpich_selection.hpp), reading such text (rules_check.hpp).
#pragma once

#include <string>
#include <vector>

#include "laxity/collective/rules/openmpi_rules.hpp"

namespace laxity::collective {

/// Lines MPIR_CVAR_...=value, with comments. For each collective the algorithm with the smallest mean over all sizes and
/// numbers of processes, of what decides a choice of this kind. Throws UsageError if that was not measured.
[[nodiscard]] std::string mpich_environment(const std::vector<Selection>& selections, ChoiceKind kind);

/// Lines I_MPI_ADJUST_...=value, with comments; of the algorithms that Intel MPI has, the best by what decides a choice of
/// this kind. Collectives without such an algorithm are left out and said to be. Throws as above.
[[nodiscard]] std::string intel_environment(const std::vector<Selection>& selections, ChoiceKind kind);

}  // namespace laxity::collective
