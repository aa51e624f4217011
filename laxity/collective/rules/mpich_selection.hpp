// Writes selection files of MPICH: JSON that maps communicators and messages to algorithms.
//
// A selection file replaces MPICH's own selection: MPICH looks up every call in the file and aborts if it finds no
// algorithm. The choices are therefore inserted into MPICH's own selection, which is embedded in its library. MPICH's
// own selection remains in force for communicators and messages that were not measured, for operations that an
// algorithm does not support, and for inter-communicators.
//
// Message sizes are distinguished where MPICH counts the same number of bytes in all processes: reduce, allreduce,
// bcast, alltoall, allgather and reduce_scatter. Gather and scatter, where the root counts another number of elements
// than the other processes, keep MPICH's own selection, since a choice for them would apply to all sizes.
//
// Source: src/mpi/coll/src/csel.c of MPICH 4.0 and later, and trials of 4.0.2. Threads: pure functions.
// Elsewhere: reading such files (rules_check.hpp).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "laxity/collective/rules/openmpi_rules.hpp"
#include "laxity/collective/selection/selection.hpp"

namespace laxity::collective {

/// MPICH's own selection as JSON: embedded in the file of the library (libmpich.so), or the content of a JSON file.
/// Throws Error naming the file if it contains none.
[[nodiscard]] std::string mpich_own_selection(const std::filesystem::path& file);

/// `own` with the choices inserted, for the communicators and sizes of openmpi_rules(). Algorithms with parameters,
/// which are unknown here, are skipped for the next best. Throws UsageError if no choice of this kind was measured, and
/// Error naming `own_name` if `own` is not a selection.
[[nodiscard]] std::string mpich_selection(const std::vector<Selection>& selections, ChoiceKind kind,
                                          const std::string& own, const std::string& own_name);

}  // namespace laxity::collective
