"""What the tests of `laxity trace` share: the installed MPIs, the programs and the calls that they make."""

import csv
import os
import shutil
from pathlib import Path
from typing import NamedTuple

import kit
import pytest
from kit import PROGRAM, InSharedFolder

LIBRARY = os.environ["LAXITY_TRACE_LIBRARY"]
SOURCES = Path(__file__).parent / "programs"
PROCESSES = 4
INT = 4


class Mpi(NamedTuple):
    name: str
    compile_c: str
    compile_cxx: str
    compile_fortran: str
    launch: str


def installed():
    """Find the MPIs by Debian's names; where there are none, the one without a name."""
    found = [
        Mpi(
            name,
            f"mpicc.{name}",
            f"mpicxx.{name}",
            f"mpifort.{name}",
            f"mpiexec.{name}",
        )
        for name in ("openmpi", "mpich")
        if shutil.which(f"mpicc.{name}") and shutil.which(f"mpiexec.{name}")
    ]
    if not found and shutil.which("mpicc") and shutil.which("mpiexec"):
        found = [Mpi("mpi", "mpicc", "mpicxx", "mpifort", "mpiexec")]
    return found


MPIS = installed()


class Call(NamedTuple):
    collective: str
    sent: int
    received: int
    communicator_size: int = PROCESSES
    start: str = "blocking"
    in_place: bool = False
    root: int = -1


def rooted(name, rank, root, at_root, elsewhere):
    sent, received = at_root if rank == root else elsewhere
    return Call(name, sent, received, root=root)


def calls_on_the_world(rank):
    own, all_of_all = INT * (rank + 1), INT * 10
    return [
        Call("barrier", 0, 0),
        rooted("bcast", rank, 1, (20, 0), (0, 20)),
        rooted("gather", rank, 2, (12, 48), (12, 0)),
        rooted("gatherv", rank, 0, (own, all_of_all), (own, 0)),
        rooted("scatter", rank, 0, (48, 12), (0, 12)),
        rooted("scatterv", rank, 3, (all_of_all, own), (0, own)),
        Call("allgather", 12, 48),
        Call("allgatherv", own, all_of_all),
        *(Call(name, 48, 48) for name in ("alltoall", "alltoallv", "alltoallw")),
        rooted("reduce", rank, 1, (28, 28), (28, 0)),
        Call("allreduce", 28, 28),
        Call("reduce_scatter", all_of_all, own),
        Call("reduce_scatter_block", 48, 12),
        Call("scan", 28, 28),
        Call("exscan", 28, 28 if rank > 0 else 0),
    ]


def calls_in_place(rank):
    at_root = rank == 0
    return [
        Call("allreduce", 28, 28, in_place=True),
        Call("allgather", 12, 48, in_place=True),
        Call("alltoall", 48, 48, in_place=True),
        rooted("reduce", rank, 0, (28, 28), (28, 0))._replace(in_place=at_root),
        rooted("gather", rank, 0, (12, 48), (12, 0))._replace(in_place=at_root),
    ]


def more_calls_in_place(rank):
    own, all_of_all = INT * (rank + 1), INT * 10
    everywhere = [
        Call("allgatherv", own, all_of_all),
        *(Call(name, 48, 48) for name in ("alltoallv", "alltoallw")),
        Call("reduce_scatter", all_of_all, own),
        Call("reduce_scatter_block", 48, 12),
        Call("scan", 28, 28),
        Call("exscan", 28, 28 if rank > 0 else 0),
    ]
    at_the_root = [
        rooted("gatherv", rank, 0, (own, all_of_all), (own, 0)),
        rooted("scatter", rank, 0, (48, 12), (0, 12)),
        rooted("scatterv", rank, 0, (all_of_all, own), (0, own)),
    ]
    return [
        *(call._replace(in_place=True) for call in everywhere),
        *(call._replace(in_place=rank == 0) for call in at_the_root),
    ]


def nonblocking_calls(rank):
    bcast = (8, 0) if rank // 2 == 0 else (0, 8)
    calls = [
        Call("allreduce", 28, 28),
        Call("barrier", 0, 0),
        Call("bcast", *bcast, root=0),
        Call("barrier", 0, 0),
        Call("allgather", 4, 8),
        Call("barrier", 0, 0),
    ]
    return [call._replace(communicator_size=2, start="nonblocking") for call in calls]


def calls_between_groups(rank):
    if rank % 2 == 1:
        bcast = Call("bcast", 0, 16, 2, root=0)
    elif rank == 0:
        bcast = Call("bcast", 16, 0, 2, root=-2)
    else:
        bcast = Call("bcast", 0, 0, 2, root=-3)
    return [Call("allreduce", 20, 20, 2), bcast, Call("alltoall", 24, 24, 2)]


def expected_calls(rank):
    """All calls of programs/collectives.c, in order."""
    return [
        *calls_on_the_world(rank),
        *calls_in_place(rank),
        *more_calls_in_place(rank),
        *nonblocking_calls(rank),
        Call("barrier", 0, 0, 2),
        Call("neighbor_allgather", 12, 24),
        Call("neighbor_alltoall", 24, 24),
        *calls_between_groups(rank),
        rooted("reduce", rank, 0, (8, 8), (8, 0)),
    ]


ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}


def run(*words, **environment):
    return kit.run(*words, environment={**ENVIRONMENT, **environment})


def read_calls(directory):
    """Export a trace; returns the calls of each rank in the order of their arrivals, as rows of the table."""
    code, table, complaint = run(PROGRAM, "trace", "export", directory)
    assert code == 0, complaint
    rows = sorted(csv.DictReader(table.splitlines()), key=lambda row: int(row["arrival_ns"]))
    ranks = {}
    for row in rows:
        ranks.setdefault(int(row["rank"]), []).append(row)
    return ranks


def read_table(directory, name):
    with open(directory / f"{name}.csv", newline="", encoding="ascii") as file:
        return list(csv.DictReader(file))


def as_call(row):
    return Call(
        row["collective"], int(row["bytes_sent"]), int(row["bytes_received"]), int(row["communicator_size"]),
        row["start"], row["in_place"] == "1", int(row["root"]),
    )  # fmt: skip


class Traced(InSharedFolder):
    @classmethod
    def prepare(cls):
        cls.runs = 0

    def each_mpi(self, compiler="compile_c"):
        """List the MPIs that have this compiler; the test is skipped if there is none."""
        usable = [mpi for mpi in MPIS if shutil.which(getattr(mpi, compiler))]
        if not usable:
            pytest.skip(f"no MPI with {compiler}")
        return usable

    def some_mpi(self):
        if not MPIS:
            pytest.skip("no MPI")
        return MPIS[0]

    def built(self, mpi, source, *flags, compiler="compile_c"):
        program = self.folder / f"{source.replace('.', '_')}{''.join(flags)}_{mpi.name}".replace("/", "_")
        if not program.exists():
            code, _, complaint = run(getattr(mpi, compiler), *flags, "-O1", SOURCES / source, "-o", program)
            assert code == 0, complaint
        return program

    def has_large_counts(self, mpi):
        program = self.folder / f"large_counts_{mpi.name}"
        return run(mpi.compile_c, SOURCES / "large_counts.c", "-o", program)[0] == 0

    def traced(self, mpi, *command, options=(), processes=PROCESSES, code=0, **environment):
        """Trace a command; returns the directory, and the command's output, which is that without a tracer."""
        type(self).runs += 1
        directory = self.folder / f"run{self.runs}"
        launched = (mpi.launch, "-n", processes, *command)
        got, output, complaint = run(
            PROGRAM,
            "trace",
            "--output",
            directory,
            *options,
            "--",
            *launched,
            **environment,
        )
        if code is not None:
            assert got == code, complaint
            assert output == run(*launched, **environment)[1]
        return directory, output, complaint

    def assert_calls(self, directory, expected):
        ranks = read_calls(directory)
        assert sorted(ranks) == list(range(PROCESSES))
        for rank, rows in ranks.items():
            assert [as_call(row) for row in rows] == expected(rank), f"rank {rank}"
            assert all(row["completed"] == "1" for row in rows)
        return ranks
