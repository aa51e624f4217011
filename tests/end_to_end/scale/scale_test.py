"""Colors graphs on simulated ranks with the program that $LAXITY_PROGRAM names."""

import csv
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ["LAXITY_PROGRAM"]
HAS_SIMGRID = os.environ["LAXITY_HAS_SIMGRID"] == "1"
SMALL = ("--nodes", 64, "--replicates", 1, "--duration", 1, "--window", 0.3, "--rolling", 0.1, "--fixed", 0.2)


def scale(*arguments, environment=None):
    """Run laxity scale; returns exit code, standard output and standard error."""
    done = subprocess.run(
        [PROGRAM, "scale", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, **(environment or {})},
    )
    return done.returncode, done.stdout, done.stderr


def rows(path):
    """The rows of a table, by column."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


class WithoutTheSimulator(unittest.TestCase):
    def test_one_line_says_what_to_install(self):
        code, _, complaint = scale(environment={"PATH": "/nowhere"})
        self.assertEqual(code, 1)
        self.assertIn("libsimgrid-dev", complaint)
        self.assertEqual(complaint.count("\n"), 1, complaint)

    def test_sizes_that_make_no_sense_are_refused(self):
        for option, value in (("--ranks", 0), ("--nodes", 0), ("--duration", 0), ("--depth", 0), ("--mode", 7)):
            code, _, complaint = scale(option, value)
            self.assertEqual(code, 2, option)
            self.assertIn(option[2:], complaint)


@unittest.skipUnless(HAS_SIMGRID, "SimGrid is not installed")
class Scale(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def study(self, name, *arguments):
        output = self.folder / name
        code, printed, complaint = scale(*arguments, *SMALL, "--output", output)
        self.assertEqual(code, 0, complaint)
        self.assertEqual(json.loads((output / "manifest.json").read_text())["status"], "done")
        return output, printed

    def test_every_mode_runs_and_counts_what_it_sends(self):
        output, printed = self.study("modes", "--ranks", "1,4", "--mode", "0,1,2,3,4", "--work", 0)
        runs = rows(output / "runs.csv")
        self.assertEqual([(run["workers"], run["mode"]) for run in runs[:10]], [(w, m) for w in "14" for m in "01234"])
        self.assertEqual(runs[10]["fault"], "slow")
        workers = rows(output / "workers.csv")
        for run in runs:
            mine = [int(worker["updates"]) for worker in workers if worker["run"] == run["run"]]
            self.assertEqual(len(mine), int(run["workers"]))
            self.assertEqual(sum(mine), int(run["updates_total"]))
            if run["mode"] == "0":
                self.assertEqual(len(set(mine)), 1)  # all wait for all
        modes = {run["run"]: run["mode"] for run in runs}
        across = [row for row in rows(output / "qos.csv") if row["neighbor_kind"] == "host"]
        self.assertTrue(across)
        for row in across:
            self.assertLessEqual(int(row["accepted"]), int(row["attempted"]))
            self.assertLessEqual(int(row["laden"]), int(row["pulls"]))
            if modes[row["run"]] == "4":
                self.assertEqual(int(row["received"]), 0)
            else:
                self.assertGreater(int(row["received"]), 0)
        self.assertIn("of mode 0 at 4 ranks", printed)
        self.assertTrue(rows(output / "claims.csv"))

    def test_a_study_that_lost_its_tables_makes_the_same_again(self):
        first, _ = self.study("first", "--ranks", 4, "--mode", "0,3", "--work", 0)
        again = self.folder / "again"
        shutil.copytree(first, again, ignore=shutil.ignore_patterns("*.csv"))
        self.study("again", "--ranks", 4, "--mode", "0,3", "--work", 0)
        for table in ("runs.csv", "workers.csv", "qos.csv", "picture.csv"):
            self.assertEqual((first / table).read_bytes(), (again / table).read_bytes(), table)

    def test_ctrl_c_ends_the_simulator_too_and_the_study_goes_on(self):
        output = self.folder / "study"
        arguments = ["--ranks", 16, "--mode", 3, "--work", 0, "--pause", 0, "--nodes", 16, "--duration", 100000]
        study = subprocess.Popen(
            [PROGRAM, "scale", *map(str, arguments), "--output", str(output)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.addCleanup(study.kill)
        log = output / "smpi" / "simulator.log"
        deadline = time.monotonic() + 30
        while not log.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.5)
        study.send_signal(signal.SIGTERM)
        _, complaint = study.communicate(timeout=20)
        self.assertEqual(study.returncode, 1)
        self.assertIn("interrupted", complaint)
        self.assertEqual(json.loads((output / "manifest.json").read_text())["status"], "interrupted")
        running = subprocess.run(["pgrep", "-f", str(output)], capture_output=True, text=True, check=False)
        self.assertEqual(running.stdout, "")


if __name__ == "__main__":
    unittest.main()
