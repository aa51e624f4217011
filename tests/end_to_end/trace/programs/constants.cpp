// Compares the tracer's constants with those of mpi.h and prints the differences.
#include <mpi.h>

#include <cstdio>

#include "laxity/trace/detail/preload/abi.hpp"

using laxity::trace::preload::Abi;
using laxity::trace::preload::Handle;

template <class A, class B>
int differ(const char* name, A ours, B theirs) {
  if ((Handle)ours == (Handle)theirs) return 0;
  std::printf("%s: %llx, not %llx\n", name, (unsigned long long)(Handle)theirs, (unsigned long long)(Handle)ours);
  return 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  const Abi* abi = laxity::trace::preload::abi_of(version);
  int wrong = abi == nullptr;
  if (abi != nullptr) {
    wrong += differ("bytes of a handle", abi->handle_bytes, sizeof(MPI_Comm));
    wrong += differ("MPI_IN_PLACE", abi->in_place, MPI_IN_PLACE);
    wrong += differ("MPI_ROOT", abi->root, MPI_ROOT);
    wrong += differ("MPI_PROC_NULL", abi->proc_null, MPI_PROC_NULL);
    wrong += differ("MPI_GRAPH", abi->graph, MPI_GRAPH);
    wrong += differ("MPI_CART", abi->cart, MPI_CART);
    wrong += differ("MPI_DIST_GRAPH", abi->dist_graph, MPI_DIST_GRAPH);
    wrong += differ("MPI_COMM_WORLD", abi->comm_world, MPI_COMM_WORLD);
    wrong += differ("MPI_COMM_NULL", abi->comm_null, MPI_COMM_NULL);
    wrong += differ("MPI_BYTE", abi->byte, MPI_BYTE);
  }
  MPI_Finalize();
  return wrong;
}
