// The smallest part of an unknown MPI that a program needs to start.
#include <string.h>

int MPI_Init(int* argc, char*** argv) { return (argc != 0 && argv != 0) ? 0 : 1; }
int MPI_Get_library_version(char* version, int* length) {
  strcpy(version, "Unheard-of MPI 9");
  *length = (int)strlen(version);
  return 0;
}
int MPI_Barrier(int communicator) { return communicator; }
int MPI_Finalize(void) { return 0; }
