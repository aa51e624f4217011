// A program of uneven work and collectives, to be tuned: in each round every rank computes for a random time, then all
// exchange blocks (alltoall) and, with a second argument, sum a vector (allreduce).
//
//   mpirun -n 8 collective_loop ROUNDS ALLTOALL_BYTES [ALLREDUCE_BYTES]
#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "laxity/random.hpp"

namespace {

// Adds numbers, `steps` of them; a step takes about a nanosecond.
double work(std::uint32_t steps) {
  volatile double sum = 0;
  for (std::uint32_t step = 0; step < steps; ++step) sum = sum + 1.0 / (step + 1.0);
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 3) {
    std::fputs("collective_loop: expected ROUNDS ALLTOALL_BYTES [ALLREDUCE_BYTES]\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rounds = std::atoi(argv[1]), block = std::atoi(argv[2]), vector = argc > 3 ? std::atoi(argv[3]) : 0;
  constexpr std::uint32_t max_steps = 100'000;
  std::vector<char> sent(static_cast<std::size_t>(block) * static_cast<std::size_t>(ranks)), received(sent.size());
  std::vector<char> summand(static_cast<std::size_t>(vector)), sum(summand.size());
  laxity::SeededRandom random(static_cast<std::uint64_t>(rank));
  for (int round = 0; round < rounds; ++round) {
    work(random.below(max_steps));
    MPI_Alltoall(sent.data(), block, MPI_CHAR, received.data(), block, MPI_CHAR, MPI_COMM_WORLD);
    if (vector > 0) MPI_Allreduce(summand.data(), sum.data(), vector, MPI_CHAR, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
