"""Looks with `laxity top` at jobs that start, stall and die, with the program that $LAXITY_PROGRAM names."""

import json
import os
import shutil
import signal
import subprocess
import time

import pytest
from kit import PROGRAM, InFolder, eventually, segments

PATIENCE = 20  # seconds until something must have happened, on the slowest machine


def top(pid, interval=0.2):
    """What top says of the job of this process; None if it knows none."""
    done = subprocess.run(
        [PROGRAM, "top", str(pid), "--once", "--json", "--interval", str(interval)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode != 0:
        assert f"process {pid} is not a running job" in done.stderr, done.stderr
        return None
    return json.loads(done.stdout)["jobs"][0]


class TestTop(InFolder):
    def start(self, *arguments):
        job = subprocess.Popen(
            [
                PROGRAM,
                "color",
                "--nodes",
                "16",
                "--duration",
                "60",
                "--quiet",
                "--output",
                self.folder / "run",
                *arguments,
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

        def end():
            job.kill()
            job.wait()

        self.cleanup.callback(end)
        return job

    def running(self, job):
        def look():
            found = top(job.pid)
            return found if found and found["state"] == "running" else None

        return eventually(look)

    def test_a_job_is_there_from_its_start_to_its_end(self):
        job = self.start("--threads", "2")
        found = self.running(job)
        assert found["team"] == "2t"
        assert "color --nodes 16" in found["command"]
        assert found["updates_per_second"] > 0
        assert found["memory_bytes"] > 1 << 20
        assert [worker["worker"] for worker in found["workers"]] == [0, 1]
        for worker in found["workers"]:
            assert worker["state"] == "running"
            assert worker["simstep_period_ns"] > 0
            assert worker["delivery_failure_rate"] <= 1
        assert found["neighbor_kinds"]["thread"]["links"] == 2
        job.send_signal(signal.SIGINT)
        job.wait(timeout=PATIENCE)
        assert top(job.pid) is None

    def test_of_a_simulation_it_tells_virtual_time_and_efficiency(self):
        job = subprocess.Popen(
            [PROGRAM, "phold", "--threads", "2", "--end-time", "1e9", "--quiet", "--output", self.folder / "phold"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.cleanup.callback(job.wait)
        self.cleanup.callback(job.kill)
        first = eventually(lambda: (found := top(job.pid)) and found.get("gvt", 0) > 0 and found)
        later = eventually(lambda: (found := top(job.pid)) and found["gvt"] > first["gvt"] and found)
        assert later["efficiency"] > 0
        assert later["efficiency"] <= 1
        assert sum(worker["events_committed"] for worker in later["workers"]) > 0
        for worker in later["workers"]:
            assert worker["events_committed"] <= worker["events_processed"]
        assert "gvt" not in self.running(self.start("--threads", "2"))

    def test_a_stalled_worker_is_called_stalled_and_the_other_goes_on(self):
        job = self.start("--processes", "2")
        pids = {worker["worker"]: worker["pid"] for worker in self.running(job)["workers"]}
        assert pids[0] != pids[1]
        os.kill(pids[1], signal.SIGSTOP)
        try:
            states = eventually(
                lambda: (s := [w["state"] for w in top(job.pid)["workers"]]) == ["running", "stalled"] and s
            )
            assert states == ["running", "stalled"]
        finally:
            os.kill(pids[1], signal.SIGCONT)
        assert eventually(lambda: top(job.pid)["workers"][1]["state"] == "running") is True

    def test_a_killed_worker_is_called_killed(self):
        job = self.start("--processes", "2")
        pid = self.running(job)["workers"][1]["pid"]
        os.kill(pid, signal.SIGKILL)
        eventually(lambda: top(job.pid)["workers"][1]["state"] == "killed")
        assert top(job.pid)["workers"][0]["state"] == "running"

    def test_a_job_that_dies_while_it_is_looked_at_is_shown_as_dead(self):
        job = self.start("--threads", "2")
        self.running(job)
        with subprocess.Popen(
            [PROGRAM, "top", str(job.pid), "--once", "--json", "--interval", "6"], stdout=subprocess.PIPE, text=True
        ) as looking:
            time.sleep(3)  # it has read once, also on a loaded machine
            job.kill()
            job.wait()
            printed, _ = looking.communicate(timeout=PATIENCE)
        found = json.loads(printed)["jobs"][0]
        assert found["state"] == "dead"
        assert {worker["state"] for worker in found["workers"]} == {"dead"}

    def test_nothing_is_left_behind_by_a_job_that_was_killed(self):
        before = segments()
        job = self.start("--processes", "2")
        self.running(job)
        job.kill()
        job.wait()
        assert segments() - before == set()
        assert top(job.pid) is None

    def test_without_a_terminal_it_says_what_to_do(self):
        done = subprocess.run([PROGRAM, "top"], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        assert done.returncode == 2
        assert "--once" in done.stderr

    def test_in_a_terminal_of_forty_by_ten(self):
        if shutil.which("tmux") is None:
            pytest.skip("tmux is not installed")
        job = self.start("--processes", "2")
        workers = self.running(job)["workers"]
        server = ["tmux", "-L", f"laxity-test-{os.getpid()}", "-f", "/dev/null"]
        self.cleanup.callback(subprocess.run, [*server, "kill-server"], capture_output=True, check=False)
        command = f"{PROGRAM} top {job.pid} --interval 0.2; echo back at the shell; sleep 60"
        subprocess.run([*server, "new-session", "-d", "-x", "40", "-y", "10", "-s", "top", command], check=True)

        def screen():
            shown = subprocess.run(
                [*server, "capture-pane", "-p", "-t", "top"], capture_output=True, text=True, check=True
            )
            return shown.stdout.splitlines()

        def press(key):
            subprocess.run([*server, "send-keys", "-t", "top", key], check=True)

        eventually(lambda: any("running" in line and line.startswith("0") for line in screen()))
        assert len(screen()) <= 10
        assert all(len(line) <= 40 for line in screen()), screen()
        press("s")
        eventually(lambda: "sort:rate" in screen()[-1])
        press("Enter")
        eventually(lambda: any("channels of worker" in line for line in screen()))
        press("Escape")
        eventually(lambda: not any("channels of worker" in line for line in screen()))
        os.kill(workers[1]["pid"], signal.SIGSTOP)
        eventually(lambda: any("stalled" in line for line in screen()))
        os.kill(workers[1]["pid"], signal.SIGCONT)
        job.kill()
        eventually(lambda: any("dead" in line for line in screen()))
        press("q")
        eventually(lambda: any("back at the shell" in line for line in screen()))
