// The MPI of the program that a Python wheel installs: chosen when the program starts, by what is installed.
//
// The wheel has the program without MPI. Beside it, in ../lib/laxity, lies the whole program once more for each family
// of MPI libraries with a common binary interface, as a shared object that does not name its MPI. The program loads the
// MPI library, then the shared object, whose calls of MPI the library then resolves. A build from source knows its MPI
// and has nothing to choose.
// Sources: the wheels of mpi4py; the MPICH ABI compatibility initiative; Open MPI's versions of shared libraries.
// Threads: the first one, before any other is started.
#pragma once

#include <optional>
#include <string>

namespace laxity::cli {

/// What was chosen and why, for laxity doctor: "/usr/lib/libmpi.so.40, as LAXITY_MPI = openmpi". Empty in a program
/// that was built for one MPI.
[[nodiscard]] const std::string& mpi_choice();
void set_mpi_choice(std::string choice);

/// Runs the program with the MPI of the launcher that started it, or else with the one that mpirun on PATH belongs to,
/// or else with any that the dynamic linker finds. LAXITY_MPI = openmpi, mpich or none decides instead. Returns the
/// exit code; empty if there is no MPI, or none is wanted, and the program without MPI is to go on. Writes a line to
/// stderr and returns 2 for another value of LAXITY_MPI, and 1 if the MPI of the launcher or of LAXITY_MPI cannot be
/// loaded.
[[nodiscard]] std::optional<int> run_with_installed_mpi(int argc, char** argv);

}  // namespace laxity::cli
