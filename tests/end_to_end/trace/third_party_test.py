"""Traces test programs of others: the output is unchanged, and an independent library counts as many calls.

MUMPS (Debian's package mumps-test) calls MPI from Fortran and is built with Open MPI. ScaLAPACK (scalapack-mpi-test)
calls MPI from C and is built with Open MPI and with MPICH.
"""

import re
import shutil
from collections import Counter
from pathlib import Path

import pytest
from kit import PROGRAM, case
from traced_programs import LIBRARY, MPIS, SOURCES, Traced, read_calls, run

MUMPS = Path("/usr/lib/mumps")


class Counted(Traced):
    """Programs whose collectives another interposition library counts, too."""

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.counter = cls.folder / "counter.so"
        code, _, complaint = run("cc", "-shared", "-fPIC", SOURCES / "collective_counter.c", "-ldl", "-o", cls.counter)
        assert code == 0, complaint

    def assert_calls_are_those_counted(self, directory, complaint, ranks):
        counted = {rank: Counter() for rank in range(ranks)}
        for rank, name, count in re.findall(r"^counted (\d+) (\w+) (\d+)$", complaint, re.MULTILINE):
            counted[int(rank)][name] = int(count)
        traced = {
            rank: Counter(row["collective"] for row in rows if row["collective"] in counted[rank])
            for rank, rows in read_calls(directory).items()
        }
        assert traced == counted
        assert all(sum(counts.values()) > 100 for counts in counted.values())


class TestMumps(Counted):
    RANKS = 3

    def launcher(self):
        mpi = next((mpi for mpi in MPIS if mpi.name == "openmpi"), None)
        if mpi is None or not MUMPS.is_dir():
            pytest.skip("no Open MPI, or no package mumps-test")
        return mpi

    def programs(self):
        for letter, kind in (("s", "real"), ("d", "real"), ("c", "cmplx"), ("z", "cmplx")):
            with case(program=f"{letter}simpletest"):
                yield MUMPS / f"{letter}simpletest", MUMPS / f"input_simpletest_{kind}"

    def run_with_input(self, text, *words, **environment):
        return run("sh", "-c", 'file=$0; exec "$@" < $file', text, *words, **environment)

    def test_the_output_is_unchanged_and_the_calls_are_those_that_another_library_counts(self):
        mpi = self.launcher()
        for program, text in self.programs():
            launched = (mpi.launch, "-n", self.RANKS, program)
            code, plain, complaint = self.run_with_input(text, *launched)
            assert code == 0, complaint
            directory = self.folder / program.name
            traced = (PROGRAM, "trace", "--output", directory, "--", *launched)
            code, output, complaint = self.run_with_input(text, *traced, LD_PRELOAD=self.counter)
            assert code == 0, complaint
            assert without_times(output) == without_times(plain)
            self.assert_calls_are_those_counted(directory, complaint, self.RANKS)

    def test_four_processes_of_which_two_are_traced(self):
        mpi = self.launcher()
        directory = self.folder / "two_of_four"
        program, text = next(self.programs())
        tracer = ("env", f"LD_PRELOAD={LIBRARY}", f"LAXITY_TRACE_DIR={directory}")
        plain = self.run_with_input(text, mpi.launch, "-n", 4, program)[1]
        words = (mpi.launch, "-n", 2, program, ":", "-n", 2, *tracer, program)
        code, output, complaint = self.run_with_input(text, *words)
        assert code == 0, complaint
        assert without_times(output) == without_times(plain)
        assert sorted(read_calls(directory)) == [2, 3]
        shutil.rmtree(directory)


class TestScalapack(Counted):
    """Inverses of small matrices on one and on two processes, the first two of the four process grids of the input."""

    RANKS = 2

    def programs(self):
        """List the MPIs for which the programs are installed, with the programs."""
        folders = {mpi: next(Path("/usr/lib").glob(f"*/scalapack/{mpi.name}-tests"), None) for mpi in MPIS}
        if not any(folders.values()):
            pytest.skip("no package scalapack-mpi-test")
        text = Path("/usr/share/scalapack/INV.dat").read_text(encoding="ascii")
        text, replaced = re.subn(r"^4(\s+number of process grids)", r"2\1", text, flags=re.MULTILINE)
        assert replaced == 1
        (self.folder / "INV.dat").write_text(text, encoding="ascii")
        for mpi, folder in folders.items():
            for name in ("xdinv", "xzinv") if folder else ():
                with case(mpi=mpi.name, program=name):
                    yield mpi, folder / name

    def test_the_output_is_unchanged_and_the_calls_are_those_that_another_library_counts(self):
        for mpi, program in self.programs():
            launched = ("env", "-C", self.folder, mpi.launch, "-n", self.RANKS, program)
            code, plain, complaint = run(*launched)
            assert code == 0, complaint
            assert "160 tests completed and passed residual checks" in plain
            directory = self.folder / f"{program.name}_{mpi.name}"
            traced = (PROGRAM, "trace", "--output", directory, "--", *launched)
            code, output, complaint = run(*traced, LD_PRELOAD=self.counter)
            assert code == 0, complaint
            assert without_times(output) == without_times(plain)
            self.assert_calls_are_those_counted(directory, complaint, self.RANKS)


def without_times(output):
    """List the lines without those of MUMPS that name a time, and those of ScaLAPACK without times and rates."""
    lines = [line for line in output.splitlines() if not re.search(r"\btime\b", line, re.IGNORECASE)]
    return [re.sub(r"^(WALL( +\d+){4}).*?( +\S+ +\S+ +\w+)$", r"\1\3", line) for line in lines]
