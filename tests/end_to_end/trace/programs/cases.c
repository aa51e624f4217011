// Programs that end, start children, fail or wait in unusual ways; the first argument selects one.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#if MPI_VERSION >= 4
#define ALLREDUCE_INIT MPI_Allreduce_init
#else
#define ALLREDUCE_INIT MPIX_Allreduce_init
#endif

static int rank, size;

// Rank 1 is killed after a thousand calls.
static void killed(void) {
  int one = 1, sum = 0;
  for (int i = 0; i < 1000; ++i) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 1) raise(SIGKILL);
  for (;;) MPI_Barrier(MPI_COMM_WORLD);
}

// Children that are not MPI programs, with and without exec.
static void children(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  fflush(stdout);
  if (rank == 0 && system("echo preload=$LD_PRELOAD") != 0) abort();
  const pid_t child = fork();
  if (child == 0) _exit(3);
  int status = 0;
  waitpid(child, &status, 0);
  if (rank == 0) printf("child %d\n", WEXITSTATUS(status));
  MPI_Barrier(MPI_COMM_WORLD);
}

static void persistent(void) {
  MPI_Request requests[2];
  int one = 1, sums[2];
  for (int i = 0; i < 2; ++i) {
    ALLREDUCE_INIT(&one, &sums[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);
  }
  for (int i = 0; i < 5; ++i) {
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }
  MPI_Startall(2, requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  if (rank == 0) printf("sums %d %d\n", sums[0], sums[1]);
  for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
}

// Return codes and errno are those of MPI.
static void errors(void) {
  int value = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  errno = 77;
  const int code = MPI_Bcast(&value, 1, MPI_INT, size + 5, MPI_COMM_WORLD);
  int class = 0;
  const int kept = errno;
  MPI_Error_class(code, &class);
  printf("%s errno %d\n", class == MPI_ERR_ROOT ? "MPI_ERR_ROOT" : "another error", kept);
}

// As many calls as the second argument says.
static void many(long calls) {
  int one = 1, sum = 0;
  for (long i = 0; i < calls; ++i) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
}

// Looks up MPI functions as mpi4py does.
static void asks(void) { printf("MPI_Bcast_c is %sthere\n", dlsym(RTLD_DEFAULT, "MPI_Bcast_c") ? "" : "not "); }

int main(int argc, char** argv) {
  const char* which = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(which, "killed") == 0) killed();
  if (strcmp(which, "children") == 0) children();
  if (strcmp(which, "persistent") == 0) persistent();
  if (strcmp(which, "errors") == 0) errors();
  if (strcmp(which, "asks") == 0) asks();
  if (strcmp(which, "many") == 0) many(atol(argv[2]));
  if (strcmp(which, "no_finalize") == 0) {
    MPI_Barrier(MPI_COMM_SELF);
    return 0;
  }
  MPI_Finalize();
  return 0;
}
