"""Traces the test programs of MUMPS, a solver in Fortran that Debian builds with Open MPI (package mumps-test).

Their output is unchanged, and the calls are as many as an independent library counts.
"""

import re
import shutil
from collections import Counter
from pathlib import Path

import pytest
from kit import PROGRAM, case
from traced_programs import LIBRARY, MPIS, SOURCES, Traced, read_calls, run

MUMPS = Path("/usr/lib/mumps")
RANKS = 3


class TestMumps(Traced):
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
        counter = self.folder / "counter.so"
        assert run("cc", "-shared", "-fPIC", SOURCES / "fortran_counter.c", "-ldl", "-o", counter)[0] == 0
        for program, text in self.programs():
            launched = (mpi.launch, "-n", RANKS, program)
            code, plain, complaint = self.run_with_input(text, *launched)
            assert code == 0, complaint
            for rank in range(RANKS):
                directory = self.folder / f"{program.name}{rank}"
                code, output, complaint = self.run_with_input(
                    text, PROGRAM, "trace", "--output", directory, "--", *launched,
                    LD_PRELOAD=counter, COUNTED_RANK=str(rank),
                )  # fmt: skip
                assert code == 0, complaint
                assert without_times(output) == without_times(plain)
                counted = {name: int(count) for name, count in re.findall(r"counted (\w+) (\d+)", complaint)}
                traced = Counter(row["collective"] for row in read_calls(directory)[rank])
                assert counted["allreduce"] > 100
                assert {name: traced[name] for name in counted} == counted

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


def without_times(output):
    return [line for line in output.splitlines() if not re.search(r"\btime\b", line, re.IGNORECASE)]
