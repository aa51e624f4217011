"""Colors graphs on simulated ranks with the program that $LAXITY_PROGRAM names."""

import functools
import os
import shutil
import signal
import statistics
import subprocess
import time

import pytest
from kit import PROGRAM, InFolder, laxity, read_manifest, rows

HAS_SIMGRID = os.environ["LAXITY_HAS_SIMGRID"] == "1"
SMALL = ("--nodes", 64, "--replicates", 1, "--duration", "1ms", "--window", "300us",
         "--rolling", "100us", "--fixed", "200us")  # fmt: skip
scale = functools.partial(laxity, "scale")


class TestWithoutTheSimulator(InFolder):
    def test_one_line_says_what_to_install(self):
        code, _, complaint = scale(environment={"PATH": "/nowhere"})
        assert code == 1
        assert "libsimgrid-dev" in complaint
        assert complaint.count("\n") == 1, complaint

    def test_sizes_that_make_no_sense_are_refused(self):
        for option, value in (("--ranks", 0), ("--nodes", 0), ("--duration", 0), ("--depth", 0), ("--mode", 7)):
            code, _, complaint = scale(option, value)
            assert code == 2, option
            assert option[2:] in complaint


@pytest.mark.skipif(not HAS_SIMGRID, reason="SimGrid is not installed")
class TestScale(InFolder):
    def study(self, name, *arguments, small=SMALL):
        output = self.folder / name
        code, printed, complaint = scale(*arguments, *small, "--output", output)
        assert code == 0, complaint
        assert read_manifest(output)["status"] == "done"
        return output, printed

    def test_every_mode_runs_and_counts_what_it_sends(self):
        output, printed = self.study("modes", "--ranks", "1,4", "--mode", "0,1,2,3,4", "--work", 0)
        runs = rows(output, "runs")
        assert [(run["workers"], run["mode"]) for run in runs[:10]] == [(w, m) for w in "14" for m in "01234"]
        assert runs[10]["fault"] == "slow"
        workers = rows(output, "workers")
        for run in runs:
            mine = [int(worker["updates"]) for worker in workers if worker["run"] == run["run"]]
            assert len(mine) == int(run["workers"])
            assert sum(mine) == int(run["updates_total"])
            if run["mode"] == "0":
                assert len(set(mine)) == 1  # all wait for all
        modes = {run["run"]: run["mode"] for run in runs}
        across = [row for row in rows(output, "qos") if row["neighbor_kind"] == "host"]
        assert across
        for row in across:
            assert int(row["accepted"]) <= int(row["attempted"])
            assert int(row["laden"]) <= int(row["pulls"])
            if modes[row["run"]] == "4":
                assert int(row["received"]) == 0
            else:
                assert int(row["received"]) > 0
        assert "Processes are faster with best effort than in lockstep" in printed
        claims = rows(output, "claims")
        assert {claim["simulated"] for claim in claims} == {"simulated time (SMPI)"}
        assert {claim["verdict"] for claim in claims} == {"cannot be told here"}  # one run of each treatment

    def test_ranks_of_one_host_are_nearer_than_those_of_another(self):
        slow_network = ("--latency", "50us", "--memory-latency", "200ns")
        # Long enough for several snapshots, whatever the machine does meanwhile: computations take their real time.
        small = [{"1ms": "20ms", "300us": "4ms"}.get(word, word) for word in SMALL]
        output, _ = self.study(
            "hosts", "--ranks", 16, "--per-host", "1,4", "--mode", 3, "--work", 0, *slow_network, small=small
        )
        hosts = {run["run"]: run["hosts"] for run in rows(output, "runs")}
        assert [hosts["0"], hosts["1"]] == ["16", "4"]
        near, far = [], []  # of the run with 4 ranks on each host: links within a host, and between hosts
        for row in rows(output, "qos"):
            sender, receiver = int(row["from_worker"]), int(row["to_worker"])
            if sender != receiver and row["run"] == "1":
                (near if sender // 4 == receiver // 4 else far).append(float(row["walltime_latency_ns"]))
        assert statistics.median(near) < 0.5 * statistics.median(far)

    def test_a_study_that_lost_its_tables_makes_the_same_again(self):
        first, _ = self.study("first", "--ranks", 4, "--mode", "0,3", "--work", 0)
        again = self.folder / "again"
        shutil.copytree(first, again, ignore=shutil.ignore_patterns("*.csv"))
        self.study("again", "--ranks", 4, "--mode", "0,3", "--work", 0)
        for table in ("runs.csv", "workers.csv", "qos.csv", "picture.csv"):
            assert (first / table).read_bytes() == (again / table).read_bytes(), table

    def test_ctrl_c_ends_the_simulator_too_and_the_study_goes_on(self):
        output = self.folder / "study"
        arguments = ["--ranks", 16, "--mode", 3, "--work", 0, "--pause", 0, "--nodes", 16, "--duration", "100s"]
        study = subprocess.Popen(
            [PROGRAM, "scale", *map(str, arguments), "--output", str(output)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.cleanup.callback(study.kill)
        log = output / "smpi" / "simulator.log"
        deadline = time.monotonic() + 30
        while not log.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.5)
        study.send_signal(signal.SIGTERM)
        _, complaint = study.communicate(timeout=20)
        assert study.returncode == 1
        assert "interrupted" in complaint
        assert read_manifest(output)["status"] == "interrupted"
        running = subprocess.run(["pgrep", "-f", str(output)], capture_output=True, text=True, check=False)
        assert running.stdout == ""
