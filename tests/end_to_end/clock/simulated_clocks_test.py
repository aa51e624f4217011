"""Synchronizes clocks that are up to 1 s and 50 ppm wrong, on 1024 ranks under SMPI, whose time is the true clock."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from kit import InSharedFolder

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "benchmarks" / "clock_sync"
SOURCES = [ROOT / "laxity" / "clock" / f"{name}.cpp"
           for name in ("mpi_sync", "offset_bounds", "clock_model", "clock_identity")]  # fmt: skip
HOSTS, CORES = 32, 32
LARGEST_ERROR_US = 1


def run(*words):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=250, check=False)


@pytest.mark.skipif(not (shutil.which("smpicxx") and shutil.which("smpirun")), reason="no SMPI")
class TestSimulatedClocks(InSharedFolder):
    @classmethod
    def prepare(cls):
        cls.program = cls.folder / "simulated"
        (cls.folder / "hosts").write_text("".join(f"host-{host}\n" * CORES for host in range(HOSTS)), encoding="ascii")
        words = ("-std=c++20", "-O2", f"-I{ROOT}", "-o", cls.program, FOLDER / "simulated_clock_sync.cpp", *SOURCES)
        built = run("smpicxx", *words)
        assert built.returncode == 0, built.stderr

    def errors_us(self, ranks, *arguments):
        """Return the largest errors of the ranks, just after synchronization and 4 s later."""
        done = run(
            "smpirun", "-np", ranks, "-platform", FOLDER / "cluster.xml", "-hostfile", self.folder / "hosts",
            "--log=root.thresh:error", "--cfg=smpi/simulate-computation:no", f"--cfg=smpi/tmpdir:{self.folder}",
            self.program, *arguments,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return [float(error) for error in re.findall(r"largest error ([0-9.]+) us", done.stdout)]

    def test_a_thousand_ranks_agree_to_a_microsecond_for_seconds(self):
        errors = self.errors_us(HOSTS * CORES)
        assert len(errors) == 2
        for error in errors:
            assert error < LARGEST_ERROR_US

    def test_the_same_simulation_gives_the_same_errors(self):
        assert self.errors_us(64) == self.errors_us(64)

    def test_a_line_through_one_point_has_no_drift_and_shows_it(self):
        assert max(self.errors_us(64, 0.001, 1)) > LARGEST_ERROR_US
