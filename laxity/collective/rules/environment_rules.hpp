// Writes choices as environment variables: control variables of MPICH and of Intel MPI.
//
// These settings are coarser than rules files. MPICH accepts one algorithm per collective, for all sizes. Intel MPI accepts
// ranges of message sizes and process counts, but numbers its algorithms differently; the algorithm of the same name is
// chosen.
//
// Source: MPICH's descriptions of MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM; Intel MPI Library Developer Reference, I_MPI_ADJUST
// family. The settings for Intel MPI have not been tested with an Intel MPI.
// Threads: pure functions.
// Elsewhere: MPICH's selection files, which distinguish sizes (mpich_selection.hpp); reading such text (rules_check.hpp).
#pragma once

#include <string>
#include <vector>

#include "laxity/collective/rules/openmpi_rules.hpp"
#include "laxity/collective/selection/selection.hpp"

namespace laxity::collective {

/// Lines MPIR_CVAR_...=value, with comments. For each collective, the algorithm of smallest relative cost over all sizes and
/// process counts. Throws UsageError if a choice of this kind was not measured.
[[nodiscard]] std::string mpich_environment(const std::vector<Selection>& selections, ChoiceKind kind);

/// Lines I_MPI_ADJUST_...=value, with comments. For each size, the algorithm of smallest cost among those that Intel MPI
/// has; a comment names collectives that have none. Throws UsageError if a choice of this kind was not measured.
[[nodiscard]] std::string intel_environment(const std::vector<Selection>& selections, ChoiceKind kind);

}  // namespace laxity::collective
