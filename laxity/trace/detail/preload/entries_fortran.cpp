// The Fortran entry points of all collectives: blocking, nonblocking and persistent, of mpif.h and the module mpi, and
// of mpi_f08, with MPI and PMPI names. They store the call site and forward the call; the bindings then call the C
// entry points (entries_collective.cpp), which record it.
//
// Compilers spell the names of mpif.h and mpi in four ways (mpi_bcast_, mpi_bcast, mpi_bcast__, MPI_BCAST), which are
// aliases of one function in the libraries and here. mpi_f08 has mpi_bcast_f08_ in Open MPI, and mpi_bcast_f08ts_ and
// mpi_bcast_f08ts_large_ in MPICH, whose PMPI names begin with pmpir (barriers have no ts). A test compares the names
// with those of the installed libraries. All arguments are addresses, including those of descriptors; the last one is
// the address of ierror.
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
#define LAXITY_PARAMETERS_4 LAXITY_PARAMETERS_3, void* d
#define LAXITY_NAMES_4 LAXITY_NAMES_3, d
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
#define LAXITY_PARAMETERS_12 LAXITY_PARAMETERS_11, void* l
#define LAXITY_NAMES_12 LAXITY_NAMES_11, l

#define LAXITY_FORTRAN_NAME(function, number)                                   \
  extern "C" LAXITY_EXPORT void function(LAXITY_PARAMETERS_##number) {          \
    static constinit Next<void(LAXITY_PARAMETERS_##number)> next(#function);    \
    forward(__builtin_return_address(0), [&] { next(LAXITY_NAMES_##number); }); \
  }
#define LAXITY_FORTRAN_ALIAS(alias_name, function, number) \
  extern "C" LAXITY_EXPORT void alias_name(LAXITY_PARAMETERS_##number) __attribute__((alias(#function)));
// The four spellings of a name.
#define LAXITY_FORTRAN_SPELLINGS(name, NAME, number) \
  LAXITY_FORTRAN_NAME(name##_, number)               \
  LAXITY_FORTRAN_ALIAS(name, name##_, number)        \
  LAXITY_FORTRAN_ALIAS(name##__, name##_, number)    \
  LAXITY_FORTRAN_ALIAS(NAME, name##_, number)
#define LAXITY_FORTRAN_FORM(name, NAME, number)              \
  LAXITY_FORTRAN_SPELLINGS(mpi_##name, MPI_##NAME, number)   \
  LAXITY_FORTRAN_SPELLINGS(pmpi_##name, PMPI_##NAME, number) \
  LAXITY_FORTRAN_NAME(mpi_##name##_f08_, number)             \
  LAXITY_FORTRAN_NAME(pmpi_##name##_f08_, number)            \
  LAXITY_FORTRAN_NAME(pmpir_##name##_f08_, number)           \
  LAXITY_FORTRAN_NAME(mpi_##name##_f08ts_, number)           \
  LAXITY_FORTRAN_NAME(pmpir_##name##_f08ts_, number)         \
  LAXITY_FORTRAN_NAME(mpi_##name##_f08ts_large_, number)     \
  LAXITY_FORTRAN_NAME(pmpir_##name##_f08ts_large_, number)
// The blocking form with `number` arguments, the nonblocking form, which has a request in addition, and the persistent
// form, which has info and request; MPIX names are those of Open MPI 4.
#define LAXITY_FORTRAN(name, NAME, number, with_request, with_info)             \
  LAXITY_FORTRAN_FORM(name, NAME, number)                                       \
  LAXITY_FORTRAN_FORM(i##name, I##NAME, with_request)                           \
  LAXITY_FORTRAN_FORM(name##_init, NAME##_INIT, with_info)                      \
  LAXITY_FORTRAN_SPELLINGS(mpix_##name##_init, MPIX_##NAME##_INIT, with_info)   \
  LAXITY_FORTRAN_SPELLINGS(pmpix_##name##_init, PMPIX_##NAME##_INIT, with_info) \
  LAXITY_FORTRAN_NAME(mpix_##name##_init_f08_, with_info)                       \
  LAXITY_FORTRAN_NAME(pmpix_##name##_init_f08_, with_info)

LAXITY_FORTRAN(barrier, BARRIER, 2, 3, 4)
LAXITY_FORTRAN(bcast, BCAST, 6, 7, 8)
LAXITY_FORTRAN(gather, GATHER, 9, 10, 11)
LAXITY_FORTRAN(gatherv, GATHERV, 10, 11, 12)
LAXITY_FORTRAN(scatter, SCATTER, 9, 10, 11)
LAXITY_FORTRAN(scatterv, SCATTERV, 10, 11, 12)
LAXITY_FORTRAN(allgather, ALLGATHER, 8, 9, 10)
LAXITY_FORTRAN(allgatherv, ALLGATHERV, 9, 10, 11)
LAXITY_FORTRAN(alltoall, ALLTOALL, 8, 9, 10)
LAXITY_FORTRAN(alltoallv, ALLTOALLV, 10, 11, 12)
LAXITY_FORTRAN(alltoallw, ALLTOALLW, 10, 11, 12)
LAXITY_FORTRAN(reduce, REDUCE, 8, 9, 10)
LAXITY_FORTRAN(allreduce, ALLREDUCE, 7, 8, 9)
LAXITY_FORTRAN(reduce_scatter, REDUCE_SCATTER, 7, 8, 9)
LAXITY_FORTRAN(reduce_scatter_block, REDUCE_SCATTER_BLOCK, 7, 8, 9)
LAXITY_FORTRAN(scan, SCAN, 7, 8, 9)
LAXITY_FORTRAN(exscan, EXSCAN, 7, 8, 9)
LAXITY_FORTRAN(neighbor_allgather, NEIGHBOR_ALLGATHER, 8, 9, 10)
LAXITY_FORTRAN(neighbor_allgatherv, NEIGHBOR_ALLGATHERV, 9, 10, 11)
LAXITY_FORTRAN(neighbor_alltoall, NEIGHBOR_ALLTOALL, 8, 9, 10)
LAXITY_FORTRAN(neighbor_alltoallv, NEIGHBOR_ALLTOALLV, 10, 11, 12)
LAXITY_FORTRAN(neighbor_alltoallw, NEIGHBOR_ALLTOALLW, 10, 11, 12)

}  // namespace laxity::trace::preload
