#include <stdio.h>

int MPI_Init(int*, char***);
int MPI_Barrier(int);
int MPI_Finalize(void);

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  printf("barrier %d\n", MPI_Barrier(42));
  return MPI_Finalize();
}
