// Calls every collective on the world, then blocking and nonblocking ones on sub-communicators, in place, on an
// inter-communicator and on a ring of neighbors. Prints a checksum of all received data. The calls in its trace are those of
// expected_calls() in trace_test.py. Requires 4 processes.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { block = 3, most = 4096 };
static int send[most], receive[most];
static unsigned long checksum = 0;

static void look(int count) {
  for (int i = 0; i < count; ++i) checksum = checksum * 31 + (unsigned long)receive[i];
}

static void fill(int rank) {
  for (int i = 0; i < most; ++i) send[i] = rank * 1000 + i;
  memset(receive, 0, sizeof receive);
}

static void world(int rank, int size) {
  int counts[64], places[64], ones[64], bytes[64];
  MPI_Datatype types[64];
  for (int i = 0; i < size; ++i) {
    counts[i] = i + 1;
    places[i] = i * (i + 1) / 2;
    ones[i] = block;
    bytes[i] = i * block * (int)sizeof(int);
    types[i] = MPI_INT;
  }
  const MPI_Comm all = MPI_COMM_WORLD;
  fill(rank);
  MPI_Barrier(all);
  MPI_Bcast(send, 5, MPI_INT, 1, all);
  MPI_Gather(send, block, MPI_INT, receive, block, MPI_INT, 2, all);
  look(block * size);
  MPI_Gatherv(send, rank + 1, MPI_INT, receive, counts, places, MPI_INT, 0, all);
  look(block * size);
  MPI_Scatter(send, block, MPI_INT, receive, block, MPI_INT, 0, all);
  MPI_Scatterv(send, counts, places, MPI_INT, receive, rank + 1, MPI_INT, 3, all);
  MPI_Allgather(send, block, MPI_INT, receive, block, MPI_INT, all);
  look(block * size);
  MPI_Allgatherv(send, rank + 1, MPI_INT, receive, counts, places, MPI_INT, all);
  look(block * size);
  MPI_Alltoall(send, block, MPI_INT, receive, block, MPI_INT, all);
  look(block * size);
  int displacements[64];
  for (int i = 0; i < size; ++i) displacements[i] = i * block;
  MPI_Alltoallv(send, ones, displacements, MPI_INT, receive, ones, displacements, MPI_INT, all);
  MPI_Alltoallw(send, ones, bytes, types, receive, ones, bytes, types, all);
  look(block * size);
  MPI_Reduce(send, receive, 7, MPI_INT, MPI_SUM, 1, all);
  MPI_Allreduce(send, receive, 7, MPI_INT, MPI_SUM, all);
  look(7);
  MPI_Reduce_scatter(send, receive, counts, MPI_INT, MPI_SUM, all);
  MPI_Reduce_scatter_block(send, receive, block, MPI_INT, MPI_SUM, all);
  look(block);
  MPI_Scan(send, receive, 7, MPI_INT, MPI_SUM, all);
  MPI_Exscan(send, receive, 7, MPI_INT, MPI_SUM, all);
  if (rank > 0) look(7);
}

static void in_place(int rank, int size) {
  const MPI_Comm all = MPI_COMM_WORLD;
  fill(rank);
  memcpy(receive, send, sizeof receive);
  MPI_Allreduce(MPI_IN_PLACE, receive, 7, MPI_INT, MPI_MAX, all);
  look(7);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, receive, block, MPI_INT, all);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, receive, block, MPI_INT, all);
  look(block * size);
  if (rank == 0) {
    MPI_Reduce(MPI_IN_PLACE, receive, 7, MPI_INT, MPI_SUM, 0, all);
    MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, receive, block, MPI_INT, 0, all);
    look(block * size);
  } else {
    MPI_Reduce(send, NULL, 7, MPI_INT, MPI_SUM, 0, all);
    MPI_Gather(send, block, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 0, all);
  }
}

// Collectives with blocks of different sizes, rooted ones and reductions.
static void more_in_place(int rank, int size) {
  const MPI_Comm all = MPI_COMM_WORLD;
  int counts[64], places[64], ones[64], steps[64], bytes[64];
  MPI_Datatype types[64];
  for (int i = 0; i < size; ++i) {
    counts[i] = i + 1;
    places[i] = i * (i + 1) / 2;
    ones[i] = block;
    steps[i] = i * block;
    bytes[i] = i * block * (int)sizeof(int);
    types[i] = MPI_INT;
  }
  fill(rank);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, receive, counts, places, MPI_INT, all);
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, receive, ones, steps, MPI_INT, all);
  MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, receive, ones, bytes, types, all);
  MPI_Reduce_scatter(MPI_IN_PLACE, receive, counts, MPI_INT, MPI_SUM, all);
  MPI_Reduce_scatter_block(MPI_IN_PLACE, receive, block, MPI_INT, MPI_SUM, all);
  MPI_Scan(MPI_IN_PLACE, receive, 7, MPI_INT, MPI_SUM, all);
  MPI_Exscan(MPI_IN_PLACE, receive, 7, MPI_INT, MPI_SUM, all);
  if (rank == 0) {
    MPI_Gatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, receive, counts, places, MPI_INT, 0, all);
    MPI_Scatter(send, block, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, all);
    MPI_Scatterv(send, counts, places, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, all);
  } else {
    MPI_Gatherv(send, rank + 1, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, 0, all);
    MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, receive, block, MPI_INT, 0, all);
    MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, receive, rank + 1, MPI_INT, 0, all);
  }
  look(block);
}

static void nonblocking(int rank, MPI_Comm comm) {
  MPI_Request requests[3];
  int flag = 0, index = 0, number = 0, slots[3];
  fill(rank);
  MPI_Iallreduce(send, receive, 7, MPI_INT, MPI_SUM, comm, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  look(7);
  MPI_Ibarrier(comm, &requests[0]);
  while (!flag) MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  MPI_Ibcast(receive, 2, MPI_INT, 0, comm, &requests[0]);
  MPI_Ibarrier(comm, &requests[1]);
  requests[2] = MPI_REQUEST_NULL;
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  MPI_Iallgather(send, 1, MPI_INT, receive, 1, MPI_INT, comm, &requests[0]);
  MPI_Waitany(1, requests, &index, MPI_STATUS_IGNORE);
  MPI_Ibarrier(comm, &requests[0]);
  while (number == 0) MPI_Testsome(1, requests, &number, slots, MPI_STATUSES_IGNORE);
}

static void neighbors(int rank, int size) {
  MPI_Comm ring;
  int periodic = 1;
  fill(rank);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  MPI_Neighbor_allgather(send, block, MPI_INT, receive, block, MPI_INT, ring);
  MPI_Neighbor_alltoall(send, block, MPI_INT, receive, block, MPI_INT, ring);
  look(2 * block);
  MPI_Comm_free(&ring);
}

static void inter(int rank, MPI_Comm half) {
  MPI_Comm between;
  fill(rank);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 == 0 ? 1 : 0, 7, &between);
  MPI_Allreduce(send, receive, 5, MPI_INT, MPI_SUM, between);
  look(5);
  const int root = rank % 2 == 1 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  MPI_Bcast(send, 4, MPI_INT, root, between);
  MPI_Alltoall(send, block, MPI_INT, receive, block, MPI_INT, between);
  look(2 * block);
  MPI_Comm_free(&between);
}

int main(int argc, char** argv) {
  int rank, size, granted;
  if (getenv("WITH_THREADS") != NULL) {
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
  } else {
    MPI_Init(&argc, &argv);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  world(rank, size);
  in_place(rank, size);
  more_in_place(rank, size);
  MPI_Comm half, twin;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_dup(half, &twin);
  nonblocking(rank, half);
  MPI_Barrier(twin);
  neighbors(rank, size);
  inter(rank, half);
  MPI_Comm_free(&twin);
  MPI_Comm_free(&half);
  unsigned long sum = 0;
  MPI_Reduce(&checksum, &sum, 1, MPI_UNSIGNED_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("checksum %lu\n", sum);
  MPI_Finalize();
  return 0;
}
