// Selection files of MPICH: which algorithm it uses for which communicator and message, as JSON.
//
// A file of MPICH stands for all that it selects by itself: it looks every call up in the file and stops where nothing is
// found. So the choices are put into MPICH's own selection, which it carries in its library; where nothing was measured,
// that holds: other sizes of communicators and messages, operations that an algorithm cannot do, inter-communicators.
//
// Sizes are compared where MPICH counts bytes alike in all processes: reduce, allreduce, bcast, alltoall, allgather and
// reduce_scatter. For gather and scatter it counts elements, at the root another number than elsewhere: they get one
// algorithm for all sizes.
//
// Source: src/mpi/coll/src/csel.c of MPICH 4.0 and later, and trials of 4.0.2. Threads: pure functions.
// Elsewhere: settings of the environment instead (environment_rules.hpp), reading such files (rules_check.hpp).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "laxity/collective/rules/openmpi_rules.hpp"

namespace laxity::collective {

/// MPICH's own selection, as JSON: that in the library's file (libmpich.so), or the text of a JSON file. Throws Error
/// naming the file if there is none.
[[nodiscard]] std::string mpich_own_selection(const std::filesystem::path& file);

/// `own` with the choices in it. Limits between sizes as in openmpi_rules(). Algorithms that take parameters which no
/// measurement knows are passed over for the next best. Throws UsageError if a choice of this kind was not measured, and
/// Error if `own` is no such selection; `own_name` names it then.
[[nodiscard]] std::string mpich_selection(const std::vector<Selection>& selections, ChoiceKind kind,
                                          const std::string& own, const std::string& own_name);

}  // namespace laxity::collective
