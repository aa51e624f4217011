"""Runs the studies of best-effort communication with the program that $LAXITY_PROGRAM names."""

import csv
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ["LAXITY_PROGRAM"]


def study(*arguments):
    """Run a study; returns exit code, standard output and standard error."""
    done = subprocess.run(
        [PROGRAM, "study", *map(str, arguments)], capture_output=True, text=True, timeout=100, check=False
    )
    return done.returncode, done.stdout, done.stderr


def rows(path):
    """The rows of a table, by column."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


class Studies(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.output = Path(temporary.name) / "study"

    def whole(self, *arguments):
        code, printed, complaint = study(*arguments, "--output", self.output)
        self.assertEqual(code, 0, complaint)
        manifest = json.loads((self.output / "manifest.json").read_text())
        self.assertEqual(manifest["status"], "done")
        self.assertEqual(manifest["configuration"]["study"], arguments[0])
        return rows(self.output / "runs.csv"), rows(self.output / "qos.csv"), printed

    def test_work_is_added_to_every_update(self):
        runs, qos, _ = self.whole("work", "--units", "0,100000", "--replicates", 2, "--duration", 0.3, "--window", 0.1)
        self.assertEqual([run["work"] for run in runs], ["0", "100000"] * 2)
        period = {run["run"]: [] for run in runs}
        for row in qos:
            period[row["run"]].append(float(row["simstep_period_ns"]))
        self.assertGreater(min(period["1"]), 100_000)  # a draw takes longer than a nanosecond on any machine
        self.assertLess(min(period["0"]), min(period["1"]))

    def test_threads_and_processes_with_and_without_a_mutex(self):
        runs, _, _ = self.whole("threads-vs-processes", "--replicates", 1, "--duration", 0.2)
        found = [(run["shape"], run["guard"]) for run in runs]
        self.assertEqual(found, [("2t", "lock-free"), ("2p", "lock-free"), ("2t", "mutex"), ("2p", "mutex")])

    def test_a_worker_is_slowed_or_stopped_and_the_others_go_on(self):
        runs, qos, _ = self.whole(
            "faulty", "--workers", 3, "--replicates", 1, "--duration", 1, "--window", 0.2, "--pause", 5
        )
        self.assertEqual([run["fault"] for run in runs], ["none", "slow", "stop"])
        self.assertEqual({run["status"] for run in runs}, {"done"})
        workers = {(row["run"], row["worker"]): int(row["updates"]) for row in rows(self.output / "workers.csv")}
        self.assertLess(workers["1", "1"], 300)  # 5 ms at least each, in a second and what stopping takes
        self.assertGreater(workers["1", "0"], 10 * workers["1", "1"])
        still = [row for row in qos if row["run"] == "2" and row["to_worker"] == "1" and row["updates"] == "0"]
        self.assertTrue(still, "worker 1 never stood still")
        self.assertEqual({row["answered"] for row in still}, {"0"})

    def test_each_reaction_runs_beside_a_slow_worker(self):
        runs, qos, _ = self.whole(
            "react", "--replay", "--workers", 4, "--replicates", 1, "--duration", 0.2, "--window", 0.05
        )
        self.assertEqual(
            [(run["fault"], run["reaction"]) for run in runs],
            [("none", "none"), ("slow", "none"), ("slow", "cadence"), ("slow", "depth"), ("slow", "latest")],
        )
        reaction = {run["run"]: (run["fault"], run["reaction"]) for run in runs}
        last = [row for row in qos if row["snapshot"] == "3" and row["from_worker"] != "2" and row["to_worker"] == "2"]
        failure = {reaction[row["run"]]: float(row["delivery_failure_rate"]) for row in last}
        self.assertEqual(failure["none", "none"], 0)
        self.assertGreater(failure["slow", "none"], 0.3)  # 64 of some 100 frames have room
        self.assertEqual(failure["slow", "depth"], failure["slow", "none"])
        self.assertLess(failure["slow", "cadence"], 0.2)
        self.assertEqual(failure["slow", "latest"], 0)
        superseded = {reaction[row["run"]]: int(row["superseded"]) for row in last}
        self.assertGreater(superseded["slow", "latest"], 0)

    def test_parts_leave_a_slow_worker(self):
        for teams in ("threads", "processes"):
            self.output = self.output.with_name(teams)
            runs, _, printed = self.whole(
                "react", "--teams", teams, "--workers", 3, "--nodes", 256, "--replicates", 1, "--duration", 0.8,
                "--window", 0.1, "--pause", 40
            )  # fmt: skip
            in_parts = {(run["fault"], run["reaction"]): run for run in runs if run["parts_per_worker"] == "4"}
            self.assertEqual(set(in_parts), {("none", "none"), ("slow", "none"), ("slow", "migrate")})
            self.assertEqual({run["moves"] for run in runs if run["reaction"] != "migrate"}, {"0"})
            moved = in_parts["slow", "migrate"]
            self.assertGreaterEqual(int(moved["moves"]), 1)
            self.assertEqual({run["nodes_per_worker"] for run in runs}, {"256"})
            self.assertEqual({run["status"] for run in runs}, {"done"})
            self.assertIn("moves", printed)
            self.assertIn("256 nodes in 4 parts each, worker 1 slow, migrate", printed)

    def test_performance_has_every_mode_of_every_team(self):
        runs, _, printed = self.whole(
            "performance",
            "--workers",
            "1,2",
            "--teams",
            "threads",
            "--replicates",
            1,
            "--duration",
            0.05,
            "--nodes",
            64,
        )
        self.assertEqual([(run["workers"], run["mode"]) for run in runs], [(w, str(m)) for w in "12" for m in range(5)])
        self.assertIn("share of mode 4", printed)

    def test_an_interrupted_simulated_study_goes_on_to_the_same_rows(self):
        options = [
            "weak-scaling",
            "--replay",
            "--workers",
            "4,16",
            "--replicates",
            6,
            "--duration",
            0.2,
            "--window",
            0.05,
        ]
        whole = self.output.with_name("whole")
        code, _, complaint = study(*options, "--output", whole)
        self.assertEqual(code, 0, complaint)
        for end in (signal.SIGINT, signal.SIGKILL):
            with subprocess.Popen(
                [PROGRAM, "study", *map(str, options), "--output", str(self.output)],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            ) as interrupted:
                deadline = time.monotonic() + 20
                runs = self.output / "runs.csv"
                before = len(rows(runs)) if runs.exists() else 0
                while time.monotonic() < deadline and (not runs.exists() or len(rows(runs)) < before + 2):
                    time.sleep(0.005)
                interrupted.send_signal(end)
                interrupted.communicate(timeout=20)
        code, _, complaint = study(*options, "--output", self.output)
        self.assertEqual(code, 0, complaint)
        for table in ("runs.csv", "workers.csv", "qos.csv", "picture.csv"):
            resumed, at_once = ({tuple(row.values()) for row in rows(path / table)} for path in (self.output, whole))
            self.assertEqual(resumed, at_once, table)
            self.assertEqual(len(rows(self.output / table)), len(rows(whole / table)), table)

    def test_any_program_can_be_studied(self):
        job = [PROGRAM, "color", "--threads", "{n}", "--nodes", 16, "--duration", 0.5, "--window", 0, "--quiet"]
        job += ["--output", self.output.with_name("run-{run}")]
        options = ["custom", "--vary", "n=1,2", "--replicates", 2, "--window", 0.05, "--output", self.output]
        code, _, complaint = study(*options, "--", *job)
        self.assertEqual(code, 0, complaint)
        runs = rows(self.output / "runs.csv")
        self.assertEqual(
            [(run["treatment"], run["shape"], run["status"]) for run in runs],
            [("1", "1t", "done"), ("2", "2t", "done")] * 2,
        )
        self.assertTrue(all(float(run["updates_per_second_per_worker"]) > 0 for run in runs))
        links = {(row["from_worker"], row["to_worker"]) for row in rows(self.output / "qos.csv") if row["run"] == "1"}
        self.assertEqual(links, {("0", "0"), ("0", "1"), ("1", "0"), ("1", "1")})
        code, _, complaint = study(*options, "--", *job)  # all is done: nothing runs again
        self.assertEqual(code, 0, complaint)
        self.assertEqual(rows(self.output / "runs.csv"), runs)

    def test_a_program_that_fails_or_has_no_team_is_said(self):
        code, _, complaint = study("custom", "--replicates", 1, "--output", self.output, "--", "false")
        self.assertEqual(code, 1)
        self.assertIn("exit code 1", complaint)
        code, _, complaint = study("custom", "--replicates", 1, "--output", self.output.with_name("b"), "--", "true")
        self.assertEqual(code, 1)
        self.assertIn("no team was seen", complaint)
        code, _, complaint = study("custom", "--vary", "n=1,2", "--", "true")
        self.assertEqual(code, 2)
        self.assertIn("{n}", complaint)

    def test_sizes_that_make_no_sense_are_usage(self):
        for arguments, needle in (
            (("performance", "--workers", 0), "--workers 0"),
            (("work", "--replicates", 0), "--replicates"),
            (("faulty", "--pause", 0), "--pause"),
            (("weak-scaling", "--interval", 0.1, "--duration", 1, "--window", 1), "--interval"),
            (("faulty", "--replay", "--teams", "threads"), "--teams"),
        ):
            code, _, complaint = study(*arguments)
            self.assertEqual(code, 2, (arguments, complaint))
            self.assertIn(needle, complaint)


if __name__ == "__main__":
    unittest.main()
