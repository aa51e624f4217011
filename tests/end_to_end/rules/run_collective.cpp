// Runs a collective once per size, with one algorithm or with the library's own choice, while a tool counts its messages.
//
//   run_collective COLLECTIVE ID BYTES...     ID 0: the library's own choice, or that of its rules file
//   run_collective COLLECTIVE list BYTES      the usable algorithms, with their aliases
//
// Process 0 prints one line: "ok", "wrong", or "cannot" if the library refuses the algorithm. For a list it prints one line
// per algorithm: id, name, and the id of the algorithm that runs.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "laxity/collective/aliases.hpp"
#include "laxity/collective/benchmark/algorithms.hpp"
#include "laxity/collective/benchmark/operation.hpp"

namespace {

using namespace laxity::collective;

enum Verdict { ok, cannot, wrong };

// Process 0 collects the result with point-to-point messages, since messages of a collective would be counted, too.
int worst_of_all(int mine) {
  int rank = 0;
  int processes = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  if (rank != 0) MPI_Send(&mine, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  int worst = mine;
  for (int source = 1; rank == 0 && source < processes; ++source) {
    int other = ok;
    MPI_Recv(&other, 1, MPI_INT, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    worst = std::max(worst, other);
  }
  return worst;
}

int verdict(const ForcedAlgorithm& forced, Collective collective, std::size_t bytes) {
  Operation operation(collective, bytes, MPI_COMM_WORLD);
  operation.fill(1);
  laxity::mpi::Result answer;
  {
    const auto active = forced.activate();
    answer = operation.run(forced.communicator());
  }
  return worst_of_all(!answer.succeeded() ? cannot : operation.is_correct(1) ? ok : wrong);
}

void list(const LibraryAlgorithms& algorithms, Collective collective, std::size_t bytes) {
  int processes = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const auto& all = algorithms.of(collective);
  const auto same = aliases(algorithms.library(), collective, all, processes, bytes);
  for (const Algorithm& algorithm : all) {
    if (!is_usable(algorithms.library(), algorithms.version(), collective, algorithm, processes)) continue;
    const auto alias =
        std::find_if(same.begin(), same.end(), [&](const Alias& each) { return each.algorithm == algorithm; });
    std::printf("%d %s %d\n", algorithm.id, algorithm.name.c_str(),
                alias == same.end() ? algorithm.id : alias->runs.id);
  }
}

void run(int rank, Collective collective, int argc, char** argv) {
  const LibraryAlgorithms algorithms;
  if (std::string(argv[2]) == "list") {
    if (rank == 0) list(algorithms, collective, std::stoul(argv[3]));
    return;
  }
  const ForcedAlgorithm forced = algorithms.force(MPI_COMM_WORLD, collective, std::atoi(argv[2]));
  int worst = ok;
  for (int i = 3; i < argc; ++i) worst = std::max(worst, verdict(forced, collective, std::stoul(argv[i])));
  if (rank == 0) std::puts(worst == ok ? "ok" : worst == cannot ? "cannot" : "wrong");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: run_collective COLLECTIVE ID BYTES...\n", stderr);
    return 2;
  }
  enable_algorithm_forcing();
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  run(rank, collective_named(argv[1]), argc, argv);
  MPI_Finalize();
  return 0;
}
