"""The collectives of a Python program: buffers, in place, nonblocking, on a part of the processes."""

from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
rank = world.Get_rank()
values = array("i", range(rank, rank + 7))
sums = array("i", bytes(4 * 7))
world.Barrier()
world.Bcast([values, 5, MPI.INT], root=1)
world.Allreduce([values, 7, MPI.INT], [sums, 7, MPI.INT], op=MPI.SUM)
world.Allreduce(MPI.IN_PLACE, [values, 7, MPI.INT], op=MPI.SUM)
half = world.Split(rank % 2, rank)
half.Iallreduce([values, 7, MPI.INT], [sums, 7, MPI.INT], op=MPI.SUM).Wait()
half.Free()
if rank == 0:
    print("sums", *sums)
