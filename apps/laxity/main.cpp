// The laxity command line: collects the subcommands.
//
// In a wheel this is compiled once as the program, and once as a shared object for each family of MPI, which the program
// loads.
// Elsewhere: which of them runs (launch/wheel_mpi.hpp), the list of the subcommands and how they report failure
// (cli/subcommands.hpp), parsing and exit codes (laxity/cli/program.hpp).
#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/launch/wheel_mpi.hpp"
#include "laxity/cli/command.hpp"
#include "laxity/cli/program.hpp"
#include "laxity/version.hpp"

namespace {

constexpr const char* examples = R"(Examples:
  laxity doctor                         what is installed and what works here
  laxity color --help                   every option of the graph coloring study
  laxity color --workers 2t --mode 3    graph coloring on two threads, best effort
  laxity phold --threads 2              optimistic simulation of PHOLD on two threads
  mpirun -n 8 laxity clock              how well the clocks of eight ranks are synchronized
  mpirun -n 8 laxity arrival            collectives when processes arrive at different times
  laxity trace -- mpirun -n 8 ./app     record the collective calls of an MPI program
  laxity report runs/first              write runs/first/report.html
)";

int run(int argc, char** argv) {
  using laxity::cli::Command;
  return laxity::cli::run_program(argc, argv,
                                  {.name = "laxity",
                                   .description = "laxity: parallel programs that do not wait for each other.",
                                   .version = LAXITY_VERSION,
                                   .footer = examples},
                                  [&](Command& program) {
                                    program.require_subcommand(1);
                                    for (auto* add : laxity::cli::subcommands) add(program, argc, argv);
                                  });
}

}  // namespace

#ifdef LAXITY_PROGRAM_MODULE
extern "C" __attribute__((visibility("default"))) int laxity_program(int argc, char** argv, const char* mpi_choice) {
  laxity::cli::set_mpi_choice(mpi_choice);
  return run(argc, argv);
}
#else
int main(int argc, char** argv) {
#ifdef LAXITY_WHEEL
  if (const auto exit_code = laxity::cli::run_with_installed_mpi(argc, argv)) return *exit_code;
#endif
  return run(argc, argv);
}
#endif
