// Calls the large-count collectives (MPI 4.0) on the world in the order of collectives.c, then nonblocking, persistent, in
// place, on a ring of neighbors, and with a count that exceeds an int. Prints a checksum of all received data. Requires
// 4 processes.
#include <mpi.h>
#include <stdio.h>

enum { block = 3, ranks = 4, most = 64 };
static int send[most], receive[most];
static unsigned long checksum = 0;

static void look(int count) {
  for (int i = 0; i < count; ++i) checksum = checksum * 31 + (unsigned long)receive[i];
}

static void world(int rank) {
  const MPI_Count counts[ranks] = {1, 2, 3, 4}, blocks[ranks] = {block, block, block, block};
  const MPI_Aint places[ranks] = {0, 1, 3, 6}, steps[ranks] = {0, block, 2 * block, 3 * block};
  const MPI_Aint bytes[ranks] = {0, block * sizeof(int), 2 * block * sizeof(int), 3 * block * sizeof(int)};
  const MPI_Datatype types[ranks] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
  const MPI_Comm all = MPI_COMM_WORLD;
  MPI_Bcast_c(send, 5, MPI_INT, 1, all);
  MPI_Gather_c(send, block, MPI_INT, receive, block, MPI_INT, 2, all);
  MPI_Gatherv_c(send, rank + 1, MPI_INT, receive, counts, places, MPI_INT, 0, all);
  look(block * ranks);
  MPI_Scatter_c(send, block, MPI_INT, receive, block, MPI_INT, 0, all);
  MPI_Scatterv_c(send, counts, places, MPI_INT, receive, rank + 1, MPI_INT, 3, all);
  MPI_Allgather_c(send, block, MPI_INT, receive, block, MPI_INT, all);
  MPI_Allgatherv_c(send, rank + 1, MPI_INT, receive, counts, places, MPI_INT, all);
  MPI_Alltoall_c(send, block, MPI_INT, receive, block, MPI_INT, all);
  look(block * ranks);
  MPI_Alltoallv_c(send, blocks, steps, MPI_INT, receive, blocks, steps, MPI_INT, all);
  MPI_Alltoallw_c(send, blocks, bytes, types, receive, blocks, bytes, types, all);
  look(block * ranks);
  MPI_Reduce_c(send, receive, 7, MPI_INT, MPI_SUM, 1, all);
  MPI_Allreduce_c(send, receive, 7, MPI_INT, MPI_SUM, all);
  MPI_Reduce_scatter_c(send, receive, counts, MPI_INT, MPI_SUM, all);
  MPI_Reduce_scatter_block_c(send, receive, block, MPI_INT, MPI_SUM, all);
  MPI_Scan_c(send, receive, 7, MPI_INT, MPI_SUM, all);
  MPI_Exscan_c(send, receive, 7, MPI_INT, MPI_SUM, all);
  if (rank > 0) look(7);
}

static void other_ways(void) {
  const MPI_Comm all = MPI_COMM_WORLD;
  MPI_Request request;
  MPI_Iallreduce_c(send, receive, 7, MPI_INT, MPI_SUM, all, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Allreduce_init_c(send, receive, 7, MPI_INT, MPI_SUM, all, MPI_INFO_NULL, &request);
  for (int start = 0; start < 2; ++start) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  look(7);
  PMPI_Alltoall_c(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, receive, block, MPI_INT, all);
  look(block * ranks);
}

static void neighbors(void) {
  MPI_Comm ring;
  const int size = ranks, periodic = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  MPI_Neighbor_allgather_c(send, block, MPI_INT, receive, block, MPI_INT, ring);
  MPI_Neighbor_alltoall_c(send, block, MPI_INT, receive, block, MPI_INT, ring);
  look(2 * block);
  MPI_Comm_free(&ring);
}

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < most; ++i) send[i] = rank * 1000 + i;
  world(rank);
  other_ways();
  neighbors();
  MPI_Bcast_c(send, 3000000000, MPI_BYTE, 0, MPI_COMM_SELF);  // a single process moves no data
  unsigned long sum = 0;
  MPI_Reduce(&checksum, &sum, 1, MPI_UNSIGNED_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("checksum %lu\n", sum);
  MPI_Finalize();
  return 0;
}
