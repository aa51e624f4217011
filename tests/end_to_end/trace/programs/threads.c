// Three threads of each process make collective calls at the same time, each on its own communicator, and the first one waits
// for an operation that another has started. Prints the sums. Requires MPI_THREAD_MULTIPLE.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { threads = 3, calls = 200 };
static MPI_Comm comms[threads];
static MPI_Request handed_over;
static int one = 1, sums[threads], sum_handed_over;

static void* run(void* which) {
  const int number = *(const int*)which;
  for (int i = 0; i < calls; ++i) {
    int sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comms[number]);
    sums[number] += sum;
  }
  if (number == 2) MPI_Iallreduce(&one, &sum_handed_over, 1, MPI_INT, MPI_SUM, comms[2], &handed_over);
  return NULL;
}

int main(int argc, char** argv) {
  int rank, granted, numbers[threads] = {0, 1, 2};
  pthread_t others[threads];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
  if (granted != MPI_THREAD_MULTIPLE) return 77;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < threads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 1; i < threads; ++i) pthread_create(&others[i], NULL, run, &numbers[i]);
  run(&numbers[0]);
  for (int i = 1; i < threads; ++i) pthread_join(others[i], NULL);
  MPI_Wait(&handed_over, MPI_STATUS_IGNORE);
  if (rank == 0) printf("sums %d %d %d %d\n", sums[0], sums[1], sums[2], sum_handed_over);
  for (int i = 0; i < threads; ++i) MPI_Comm_free(&comms[i]);
  MPI_Finalize();
  return 0;
}
