"""From measurements to a selection file of MPICH to other messages, counted where MPICH hands them to UCX."""

import csv
import re
import shutil
from pathlib import Path

import kit
import pytest
from kit import PROGRAM, InSharedFolder, case

SOURCES = Path(__file__).parent
RANKS = 6
BYTES = (64, 4096)
TURNS = 6
ALGORITHMS = {
    "allgather": ("brucks", "ring"),
    "allreduce": ("recursive_doubling", "reduce_scatter_allgather"),
    "alltoall": ("brucks", "pairwise", "scattered"),
    "barrier": ("dissemination",),
    "bcast": ("binomial", "scatter_ring_allgather"),
    "gather": ("binomial", "nb"),
    "reduce": ("binomial", "reduce_scatter_gather"),
    "reduce_scatter": ("pairwise", "recursive_doubling", "recursive_halving"),
    "scatter": ("binomial", "nb"),
}
UNSIZED = (
    "gather",
    "scatter",
)  # of these MPICH does not know one size in all processes
COLUMNS = (
    "run,collective,algorithm,algorithm_id,library,version,processes,hosts,bytes,pattern,skew_us,repetition,turn,valid,"
    "last_delay_us,total_delay_us"
)


def run(*words, **environment):
    return kit.run(*words, environment=environment)


def is_usable():
    """MPICH with UCX is installed: its compiler wrapper, its launcher, and the library that messages go to."""
    if not shutil.which("mpicc.mpich") or not shutil.which("mpiexec.mpich"):
        return False
    return (
        "ucp"
        in run(
            "sh",
            "-c",
            "ldd $(ldconfig -p | sed -n 's/.*libmpich.so.* => //p' | head -1)",
        )[1]
    )


@pytest.mark.skipif(not (is_usable()), reason="no MPICH with UCX")
class TestSelectionFile(InSharedFolder):
    @classmethod
    def prepare(cls):
        cls.counter = cls.folder / "counter.so"
        cls.collective = cls.folder / "one_collective"
        for words in (("-shared", "-fPIC", SOURCES / "message_counter.c", "-o", cls.counter, "-ldl"),
                      (SOURCES / "one_collective.c", "-o", cls.collective)):  # fmt: skip
            code, _, complaint = run("mpicc.mpich", *words)
            assert code == 0, complaint
        cls.library = re.search(r"libmpich.so\S* => (\S+)", run("ldd", cls.collective)[1]).group(1)

    def messages(self, collective, *sizes, ranks=RANKS, **environment):
        """Count what each rank sends in a call of each size."""
        code, out, complaint = run(
            "mpiexec.mpich", "-n", ranks, self.collective, collective, *sizes,
            LD_PRELOAD=str(self.counter), MPIR_CVAR_NOLOCAL="1", MPIR_CVAR_DEVICE_COLLECTIVES="none", **environment,
        )  # fmt: skip
        assert code == 0, complaint
        return sorted(out.splitlines())

    def selection_of(self, collective, best):
        """Write measurements by which `best` is the robust choice at every size, and tune by them."""
        with open(self.folder / "arrival.csv", "w", newline="", encoding="ascii") as file:
            rows = csv.writer(file)
            rows.writerow(COLUMNS.split(","))
            for size in BYTES:
                for number, name in enumerate(("library", *ALGORITHMS[collective])):
                    for pattern in ("no_delay", "bell"):
                        delay = 10 if name == best else 20
                        cell = (
                            0,
                            collective,
                            name,
                            number,
                            "MPICH",
                            "4.0.2",
                            RANKS,
                            1,
                            size,
                            pattern,
                            9,
                        )
                        for turn in range(TURNS):
                            rows.writerow((*cell, turn, turn, 1, delay, 30))
        output = self.folder / f"{collective}-{best}.json"
        words = (
            "tune",
            self.folder,
            "--mpi",
            "mpich",
            "--mpich-library",
            self.library,
            "--output",
            output,
        )
        code, out, complaint = run(PROGRAM, *words)
        assert (code, complaint) == (0, ""), out
        assert run(PROGRAM, "tune", "check", output)[:1] == (0,)
        return {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": str(output)}

    def test_a_selection_file_gives_the_messages_of_its_algorithm(self):
        for collective, algorithms in ALGORITHMS.items():
            if collective in UNSIZED:
                continue
            kinds = set()
            for name in algorithms:
                with case(f"{collective} {name}"):
                    variable = f"MPIR_CVAR_{collective.upper()}_INTRA_ALGORITHM"
                    forced = self.messages(collective, *BYTES, **{variable: name})
                    under = self.messages(collective, *BYTES, **self.selection_of(collective, name))
                    assert under == forced
                    assert any(int(line.split()[2]) for line in under), "nothing was sent"
                    kinds.add(tuple(under))
            if len(algorithms) > 1:
                assert len(kinds) >= 2, f"{collective}: no two algorithms differ"

    def test_mpichs_own_selection_remains_for_unmeasured_calls(self):
        for collective in ("alltoall", "reduce"):
            environment = self.selection_of(collective, ALGORITHMS[collective][-1])
            for ranks, size in (
                (RANKS, 4 * BYTES[1]),
                (RANKS, BYTES[0] // 4),
                (RANKS, 512),
                (RANKS - 2, BYTES[0]),
                (RANKS + 1, BYTES[0]),
            ):
                with case(f"{collective} of {size} bytes on {ranks} ranks"):
                    own = self.messages(collective, size, ranks=ranks)
                    assert self.messages(collective, size, ranks=ranks, **environment) == own
            other = self.messages("allreduce", *BYTES)
            assert self.messages("allreduce", *BYTES, **environment) == other

    def test_mpichs_own_selection_remains_where_sizes_cannot_be_distinguished(self):
        for collective in UNSIZED:
            for name in ALGORITHMS[collective]:
                with case(f"{collective} {name}"):
                    own = self.messages(collective, *BYTES)
                    assert self.messages(collective, *BYTES, **self.selection_of(collective, name)) == own

    def test_a_file_without_a_selection_is_an_error(self):
        self.selection_of("reduce", "binomial")
        words = ("tune", self.folder, "--mpi", "mpich", "--output", self.folder / "x")
        code, _, complaint = run(PROGRAM, *words, "--mpich-library", self.counter)
        assert code == 1
        assert str(self.counter) in complaint
        code, _, complaint = run(PROGRAM, *words)
        if "libmpich" not in run("ldd", PROGRAM)[1]:  # otherwise it is found
            assert code == 2
            assert "--mpich-library" in complaint
