// Writes choices as environment variables of Intel MPI, and single algorithms as those of any library.
//
// Intel MPI accepts ranges of message sizes and process counts. It numbers its algorithms differently; the algorithm of
// the same name is chosen. No choices are written as MPICH's variables: they accept one algorithm per collective, for
// all sizes and communicators, of which most were not measured.
//
// Source: Intel MPI Library Developer Reference, I_MPI_ADJUST family. The settings have not been tested with an Intel
// MPI.
// Threads: pure functions.
// Elsewhere: MPICH's selection files, which distinguish sizes (mpich_selection.hpp); reading such text
// (rules_check.hpp).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "laxity/collective/selection/selection.hpp"

namespace laxity::collective {

/// Lines I_MPI_ADJUST_...=value, after the lines of `comment`. For each size, the algorithm of smallest cost among
/// those that Intel MPI has, for the messages that the size stands for; a comment names collectives for which its own
/// choice is kept. Throws UsageError if no choice of this kind was measured.
[[nodiscard]] std::string intel_environment(const std::vector<Selection>& selections, ChoiceKind kind,
                                            std::string_view comment = {});

/// The variables, as (name, value), that make all calls of a collective use one algorithm; none for id 0, the library's
/// own choice. Throws UsageError if the library is neither Open MPI nor MPICH.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> forcing_environment(Library library,
                                                                                   Collective collective,
                                                                                   const Algorithm& algorithm);

}  // namespace laxity::collective
