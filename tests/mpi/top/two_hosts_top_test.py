"""Looks with `laxity top` at a job on two emulated hosts, from both: $LAXITY_TWO_HOSTS starts ranks on them."""

import os
import signal
import subprocess

import pytest
from kit import run
from looking import MPIEXEC, TWO_HOSTS, Looking, eventually, ranks_of

ON_BOTH = (TWO_HOSTS, "--mpiexec", MPIEXEC)

pytestmark = pytest.mark.skipif(run(*ON_BOTH, "true").code == 77, reason="this system cannot emulate two hosts")


class TestTopOfTwoHosts(Looking):
    def test_one_command_shows_the_job_on_both_hosts(self):
        self.color(ON_BOTH)
        jobs = self.running(2, ON_BOTH)
        assert [host["host"] for host in self.said["hosts"]] == ["host-a", "host-b"]
        assert not any(host["silent"] for host in self.said["hosts"])
        assert [(job["host"], job["host_index"], job["hosts"]) for job in jobs] == [("host-a", 0, 2), ("host-b", 1, 2)]
        assert {job["job"] for job in jobs} == {f"host-a:{jobs[0]['pid']}"}
        assert [[w["worker"] for w in job["workers"]] for job in jobs] == [[0], [1]]
        for job in jobs:
            assert job["team"] == "2r"
            assert job["workers"][0]["updates_per_second"] > 0
            assert "host" in job["neighbor_kinds"]

        os.kill(jobs[1]["pid"], signal.SIGSTOP)
        try:
            eventually(lambda: [job["state"] for job in self.top(ON_BOTH)] == ["running", "stalled"])
        finally:
            os.kill(jobs[1]["pid"], signal.SIGCONT)
        self.running(2, ON_BOTH)

    def test_a_host_that_tells_nothing_more_is_silent_and_a_job_that_died_is_dead(self):
        job = self.color(ON_BOTH)
        self.running(2)
        looking = self.start(ON_BOTH, "top", "--interval", "0.21", output=subprocess.PIPE)
        lines = (line for line in looking.stdout if str(self.folder) in line)

        def until(*needles):
            assert any(all(needle in line for needle in needles) for line in lines), f"{needles} was not shown"

        until("host 2 of 2", "running")
        reporter = ranks_of("top", "0.21")[1]
        os.kill(reporter, signal.SIGSTOP)
        try:
            until("host 2 of 2", "silent")
            until("host 1 of 2", "running")
        finally:
            os.kill(reporter, signal.SIGCONT)
        until("host 2 of 2", "running")
        for rank in ranks_of("color", str(self.folder / "run")).values():
            os.kill(rank, signal.SIGKILL)
        until("host 1 of 2", "dead")
        until("host 2 of 2", "dead")
        job.wait()
