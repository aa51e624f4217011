"""Jobs over the ranks of an MPI and what `laxity top` says of them, for the tests of this folder."""

import contextlib
import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from kit import PROGRAM, InFolder, eventually

MPIEXEC = os.environ["LAXITY_MPIEXEC"]
TWO_HOSTS = os.environ["LAXITY_TWO_HOSTS"]
PATIENCE = 40  # seconds until something must have happened, on the slowest machine


def ranks_of(*words):
    """Processes of the program whose command line has these words, by rank."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # gone, or somebody else's
            line = (process / "cmdline").read_text().split("\0")
            if not os.path.samefile(process / "exe", PROGRAM) or not set(words) <= set(line):
                continue
            environment = (process / "environ").read_text().split("\0")
            rank = next(value for value in environment if re.match(r"(OMPI_COMM_WORLD|PMI)_RANK=", value))
            found[int(rank.split("=")[1])] = int(process.name)
    return found


class Looking(InFolder):
    @pytest.fixture(autouse=True)
    def _nothing_is_left(self, _in_folder):
        yield self.cleanup.callback(lambda: eventually(lambda: not ranks_of(str(self.folder / "run"))))

    def start(self, launcher, *arguments, output=subprocess.DEVNULL):
        """Start the program under a launcher; it is ended after the test, as Ctrl-C would."""
        job = subprocess.Popen(
            [*launcher, PROGRAM, *map(str, arguments)], stdout=output, stderr=subprocess.DEVNULL, text=True
        )

        def end():
            job.terminate()
            try:
                job.wait(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                job.kill()
                job.wait()
            if job.stdout:
                job.stdout.close()

        self.cleanup.callback(end)
        return job

    def color(self, launcher, *arguments):
        """Start graph coloring that goes on until it is ended."""
        return self.start(
            launcher, "color", "--nodes", 16, "--duration", 300, "--quiet", "--output", self.folder / "run", *arguments
        )

    def top(self, launcher=()):
        """What top says of the jobs of this test, by host."""
        words = [*launcher, PROGRAM, "top", "--once", "--json", "--interval", "0.2"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as looking:
            try:
                said, complaint = looking.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                looking.terminate()  # and not killed, so that it takes down what it has set up
                raise
        assert looking.returncode == 0, complaint
        self.said = json.loads(said)
        jobs = [job for job in self.said["jobs"] if str(self.folder) in job["command"]]
        return sorted(jobs, key=lambda job: job["host_index"])

    def running(self, hosts, launcher=()):
        """The same, once that many hosts are there and all their workers run."""

        def look():
            jobs = self.top(launcher)
            states = [job["state"] for job in jobs]
            moving = all(worker["updates_per_second"] > 0 for job in jobs for worker in job.get("workers", ()))
            return jobs if states == ["running"] * hosts and moving else None

        return eventually(look)
