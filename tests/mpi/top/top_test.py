"""Looks with `laxity top`, alone and under $LAXITY_MPIEXEC, at jobs over the ranks of an MPI on this machine."""

import os
import shutil
import signal
import socket
import subprocess

import pytest
from looking import MPIEXEC, PROGRAM, Looking, eventually, ranks_of

ALONE, ON_RANKS = (), (MPIEXEC, "-n", "2")


class TestTopOfRanks(Looking):
    def test_the_ranks_of_a_host_are_one_job_with_all_their_workers(self):
        self.color((MPIEXEC, "-n", "4"))
        for launcher in (ALONE, ON_RANKS):
            (job,) = eventually(lambda launcher=launcher: self.sending(self.running(1, launcher)))
            assert (job["team"], job["host_index"], job["hosts"]) == ("4r", 0, 1)
            assert job["host"] == socket.gethostname()
            assert [host["host"] for host in self.said["hosts"]] == [job["host"]]
            assert [worker["worker"] for worker in job["workers"]] == [0, 1, 2, 3]
            assert sorted(ranks_of(str(self.folder / "run")).items()) == [
                (w["worker"], w["pid"]) for w in job["workers"]
            ]
            assert job["job"] == f"{job['host']}:{job['pid']}"
            assert job["memory_bytes"] > 1 << 20
            assert {w["state"] for w in job["workers"]} == {"running"}

    @staticmethod
    def sending(jobs):
        """Return the jobs if all workers updated and sent between two looks, which on a busy machine they may not."""
        updates = [worker["updates_per_second"] for job in jobs for worker in job["workers"]]
        attempts = [job["neighbor_kinds"]["process"]["attempted_per_second"] for job in jobs]
        return min(*updates, *attempts) > 0 and jobs

    def test_where_each_rank_is_a_host_the_parts_of_a_job_have_one_name(self):
        self.color((MPIEXEC, "-n", "2"), "--threads", "2", "--shared-memory", "off")
        jobs = self.running(2)
        assert [(job["team"], job["host_index"], job["hosts"]) for job in jobs] == [("2r2t", 0, 2), ("2r2t", 1, 2)]
        assert {job["job"] for job in jobs} == {f"{jobs[0]['host']}:{jobs[0]['pid']}"}
        assert [[w["worker"] for w in job["workers"]] for job in jobs] == [[0, 1], [2, 3]]
        for job, own in zip(jobs, ({0, 1}, {2, 3}), strict=True):
            between = [link for link in job["links"] if link["neighbor_kind"] == "host"]
            assert between
            for link in between:  # each end knows its own figures, and no others
                assert ("delivery_failure_rate" in link) == (link["from_worker"] in own)
                assert ("simstep_latency_updates" in link) == (link["to_worker"] in own)

    def test_of_a_simulation_over_ranks_it_tells_virtual_time_and_efficiency(self):
        self.start(
            (MPIEXEC, "-n", "2"), "phold", "--threads", 2, "--end-time", "1e9", "--quiet", "--output",
            self.folder / "run",
        )  # fmt: skip
        (first,) = eventually(lambda: (jobs := self.top()) and jobs[0].get("gvt", 0) > 0 and jobs)
        (later,) = eventually(lambda: (jobs := self.top(ON_RANKS)) and jobs[0]["gvt"] > first["gvt"] and jobs)
        assert later["team"] == "2r2t"
        assert later["efficiency"] > 0
        assert later["efficiency"] <= 1
        assert later["committed_per_second"] > 0
        assert len(later["workers"]) == 4
        assert all(worker["events_committed"] > 0 for worker in later["workers"])

    def test_a_rank_that_stands_still_is_called_stalled(self):
        self.color((MPIEXEC, "-n", "2"))
        (job,) = self.running(1)
        os.kill(job["workers"][1]["pid"], signal.SIGSTOP)
        try:
            eventually(lambda: [w["state"] for w in self.top(ON_RANKS)[0]["workers"]] == ["running", "stalled"])
        finally:
            os.kill(job["workers"][1]["pid"], signal.SIGCONT)
        self.running(1)

    def test_without_a_terminal_it_prints_again_and_again_until_the_job_is_over(self):
        job = self.color((MPIEXEC, "-n", "2"))
        looking = self.start(ON_RANKS, "top", "--interval", "0.2", output=subprocess.PIPE)
        for line in looking.stdout:
            if "2r running" in line:
                job.terminate()
            if str(self.folder) in line and ("2r dead" in line or "2r ended" in line):
                break
        else:
            pytest.fail("top ended before the job was over")
        job.wait()

    @pytest.mark.skipif("mpich" in MPIEXEC, reason="the ranks of this launcher do not see its terminal")
    @pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
    def test_the_terminal_of_the_launcher_shows_a_screen_and_takes_keys(self):
        self.color((MPIEXEC, "-n", "2"))
        self.running(1)
        server = ["tmux", "-L", f"laxity-ranks-{os.getpid()}", "-f", "/dev/null"]
        self.cleanup.callback(subprocess.run, [*server, "kill-server"], capture_output=True, check=False)
        command = (
            f"{MPIEXEC} -n 2 {PROGRAM} top --interval 0.2; echo back at the shell; stty -a | grep -ow icanon; sleep 60"
        )
        subprocess.run([*server, "new-session", "-d", "-x", "60", "-y", "10", "-s", "top", command], check=True)

        def screen():
            shown = subprocess.run([*server, "capture-pane", "-p", "-t", "top"], capture_output=True, check=True)
            return shown.stdout.decode().splitlines()

        def press(key):
            subprocess.run([*server, "send-keys", "-t", "top", key], check=True)

        eventually(lambda: any(line.startswith("0 ") and "running" in line for line in screen()))
        assert all(len(line) <= 60 for line in screen()), screen()
        press("s")
        eventually(lambda: "sort:rate" in screen()[-1])
        press("q")
        eventually(lambda: any("back at the shell" in line for line in screen()))
        eventually(lambda: "icanon" in screen())
