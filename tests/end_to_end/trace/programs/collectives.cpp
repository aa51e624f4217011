// A C++ program: the collectives of one iteration of a solver.
#include <mpi.h>

#include <cstdio>
#include <numeric>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<double> values(100, rank + 1.0);
  std::vector<double> sums(100);
  for (int step = 0; step < 3; ++step) {
    MPI_Allreduce(values.data(), sums.data(), 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(sums.data(), 10, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) std::printf("sum %g\n", std::accumulate(sums.begin(), sums.end(), 0.0));
  MPI_Finalize();
}
