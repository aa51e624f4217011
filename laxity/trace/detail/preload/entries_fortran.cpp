// The Fortran entry points of all collectives: of mpif.h and the module mpi (mpi_bcast_), and of mpi_f08 (mpi_bcast_f08_ in
// Open MPI, mpi_bcast_f08ts_ in MPICH). They store the call site and forward the call; the bindings then call the C entry
// points (entries_collective.cpp), which record it.
//
// All arguments are addresses, including those of descriptors; the last one is the address of ierror.
#include <utility>

#include "laxity/trace/detail/preload/call_sites.hpp"
#include "laxity/trace/detail/preload/next.hpp"
#include "laxity/trace/detail/preload/traced_call.hpp"

namespace laxity::trace::preload {
namespace {

template <class CallNext>
void forward(const void* return_address, CallNext next) {
  const void* outer = std::exchange(fortran_return_address, return_address);
  next();
  fortran_return_address = outer;
}

}  // namespace

#define LAXITY_PARAMETERS_2 void *a, void *b
#define LAXITY_NAMES_2 a, b
#define LAXITY_PARAMETERS_3 LAXITY_PARAMETERS_2, void* c
#define LAXITY_NAMES_3 LAXITY_NAMES_2, c
#define LAXITY_PARAMETERS_6 LAXITY_PARAMETERS_3, void *d, void *e, void *f
#define LAXITY_NAMES_6 LAXITY_NAMES_3, d, e, f
#define LAXITY_PARAMETERS_7 LAXITY_PARAMETERS_6, void* g
#define LAXITY_NAMES_7 LAXITY_NAMES_6, g
#define LAXITY_PARAMETERS_8 LAXITY_PARAMETERS_7, void* h
#define LAXITY_NAMES_8 LAXITY_NAMES_7, h
#define LAXITY_PARAMETERS_9 LAXITY_PARAMETERS_8, void* i
#define LAXITY_NAMES_9 LAXITY_NAMES_8, i
#define LAXITY_PARAMETERS_10 LAXITY_PARAMETERS_9, void* j
#define LAXITY_NAMES_10 LAXITY_NAMES_9, j
#define LAXITY_PARAMETERS_11 LAXITY_PARAMETERS_10, void* k
#define LAXITY_NAMES_11 LAXITY_NAMES_10, k

#define LAXITY_FORTRAN_NAME(function, number)                                   \
  extern "C" LAXITY_EXPORT void function(LAXITY_PARAMETERS_##number) {          \
    static constinit Next<void(LAXITY_PARAMETERS_##number)> next(#function);    \
    forward(__builtin_return_address(0), [&] { next(LAXITY_NAMES_##number); }); \
  }
#define LAXITY_FORTRAN_NAMES(name, number)       \
  LAXITY_FORTRAN_NAME(mpi_##name##_, number)     \
  LAXITY_FORTRAN_NAME(mpi_##name##_f08_, number) \
  LAXITY_FORTRAN_NAME(mpi_##name##_f08ts_, number)
// The blocking form with `number` arguments, and the nonblocking form, which has a request in addition.
#define LAXITY_FORTRAN(name, number, with_request) \
  LAXITY_FORTRAN_NAMES(name, number)               \
  LAXITY_FORTRAN_NAMES(i##name, with_request)

LAXITY_FORTRAN(barrier, 2, 3)
LAXITY_FORTRAN(bcast, 6, 7)
LAXITY_FORTRAN(gather, 9, 10)
LAXITY_FORTRAN(gatherv, 10, 11)
LAXITY_FORTRAN(scatter, 9, 10)
LAXITY_FORTRAN(scatterv, 10, 11)
LAXITY_FORTRAN(allgather, 8, 9)
LAXITY_FORTRAN(allgatherv, 9, 10)
LAXITY_FORTRAN(alltoall, 8, 9)
LAXITY_FORTRAN(alltoallv, 10, 11)
LAXITY_FORTRAN(alltoallw, 10, 11)
LAXITY_FORTRAN(reduce, 8, 9)
LAXITY_FORTRAN(allreduce, 7, 8)
LAXITY_FORTRAN(reduce_scatter, 7, 8)
LAXITY_FORTRAN(reduce_scatter_block, 7, 8)
LAXITY_FORTRAN(scan, 7, 8)
LAXITY_FORTRAN(exscan, 7, 8)
LAXITY_FORTRAN(neighbor_allgather, 8, 9)
LAXITY_FORTRAN(neighbor_allgatherv, 9, 10)
LAXITY_FORTRAN(neighbor_alltoall, 8, 9)
LAXITY_FORTRAN(neighbor_alltoallv, 10, 11)
LAXITY_FORTRAN(neighbor_alltoallw, 10, 11)

}  // namespace laxity::trace::preload
