// Runs a collective once for each number of bytes, and prints for every rank the number of messages and bytes that it sent
// in each call, as a preloaded counter reports them. one_collective NAME BYTES...
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { max_ranks = 64, max_bytes = 1 << 20 };

struct Sent {
  long messages, bytes;
};
struct Sent messages_sent(void) __attribute__((weak));  // the total so far; defined in message_counter.c

static int send[max_bytes], receive[max_bytes];

static int is(const char* name, const char* wanted) { return strcmp(name, wanted) == 0; }

static void run(const char* name, int count, int ranks) {
  const MPI_Comm all = MPI_COMM_WORLD;
  int counts[max_ranks];
  for (int rank = 0; rank < ranks; ++rank) counts[rank] = count;
  if (is(name, "allgather")) MPI_Allgather(send, count, MPI_INT, receive, count, MPI_INT, all);
  if (is(name, "allreduce")) MPI_Allreduce(send, receive, count, MPI_INT, MPI_SUM, all);
  if (is(name, "alltoall")) MPI_Alltoall(send, count, MPI_INT, receive, count, MPI_INT, all);
  if (is(name, "barrier")) MPI_Barrier(all);
  if (is(name, "bcast")) MPI_Bcast(send, count, MPI_INT, 0, all);
  if (is(name, "gather")) MPI_Gather(send, count, MPI_INT, receive, count, MPI_INT, 0, all);
  if (is(name, "reduce")) MPI_Reduce(send, receive, count, MPI_INT, MPI_SUM, 0, all);
  if (is(name, "reduce_scatter")) MPI_Reduce_scatter(send, receive, counts, MPI_INT, MPI_SUM, all);
  if (is(name, "scatter")) MPI_Scatter(send, count, MPI_INT, receive, count, MPI_INT, 0, all);
}

int main(int argc, char** argv) {
  int rank = 0, ranks = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 2; i < argc; ++i) {
    const struct Sent before = messages_sent();
    run(argv[1], atoi(argv[i]) / (int)sizeof(int), ranks);
    const struct Sent after = messages_sent();
    printf("%d %s %ld %ld\n", rank, argv[i], after.messages - before.messages, after.bytes - before.bytes);
  }
  MPI_Finalize();
  return 0;
}
