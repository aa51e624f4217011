! Collectives through mpif.h (-DUSE_MPIF), the module mpi (-DUSE_MPI) or mpi_f08 (-DUSE_F08).
program collectives
#if defined(USE_F08)
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  implicit none
#if defined(USE_MPIF)
  include 'mpif.h'
#endif
#if defined(USE_F08)
  type(MPI_Request) :: request
  type(MPI_Comm) :: half
#else
  integer :: request, half
#endif
  integer :: rank, processes, ierror, i
  integer :: values(64), sums(64)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, processes, ierror)
  do i = 1, 64
    values(i) = rank * 100 + i
  end do
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call MPI_Bcast(values, 5, MPI_INTEGER, 1, MPI_COMM_WORLD, ierror)
  call MPI_Allreduce(values, sums, 7, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_Allreduce(MPI_IN_PLACE, values, 7, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_Alltoall(values, 3, MPI_INTEGER, sums, 3, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, ierror)
  call MPI_Iallreduce(values, sums, 7, MPI_INTEGER, MPI_SUM, half, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Comm_free(half, ierror)
  if (rank == 0) print '(a,i0)', 'sum ', sum(sums(1:7))
  call MPI_Finalize(ierror)
end program collectives
