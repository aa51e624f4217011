// Another interposition library: counts barriers and all-reduces with MPI_ names and forwards them to PMPI_ names.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static int seen = 0;

int MPI_Barrier(MPI_Comm comm) {
  ++seen;
  return PMPI_Barrier(comm);
}

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ++seen;
  return PMPI_Allreduce(send, receive, count, type, op, comm);
}

int MPI_Finalize(void) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) fprintf(stderr, "other tool: %d\n", seen);
  return PMPI_Finalize();
}
