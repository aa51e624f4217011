"""Runs `laxity study faulty-host` on two emulated hosts: one is stopped for two seconds, the other one continues."""

import csv
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["LAXITY_PROGRAM"]
TWO_HOSTS = (os.environ["LAXITY_TWO_HOSTS"], "--mpiexec", os.environ["LAXITY_MPIEXEC"])


def rows(directory, table):
    with open(directory / f"{table}.csv", newline="", encoding="ascii") as file:
        return list(csv.DictReader(file))


def networks():
    return set(subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout.split())


def segments():
    return {name for name in os.listdir("/dev/shm") if "laxity" in name}


def processes_with(word):
    lines = (process / "cmdline" for process in Path("/proc").glob("[0-9]*"))
    found = []
    for line in lines:
        try:
            found += [line] if word in line.read_text() else []
        except OSError:  # gone
            continue
    return found


class FaultyHost(unittest.TestCase):
    def test_one_host_is_stopped_and_the_other_continues(self):
        before = networks(), segments()
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "study"
            launcher = " ".join((*TWO_HOSTS, "--loss", "0.01"))
            study = subprocess.run(
                [PROGRAM, "study", "faulty-host", "--launcher", launcher, "--replicates", "1", "--frozen", "2",
                 "--window", "0.25", "--output", output],
                capture_output=True, text=True, timeout=80, check=False,
            )  # fmt: skip
            self.assertEqual(study.returncode, 0, study.stderr)
            self.assertEqual(processes_with(folder), [], "a process is left")
            runs, workers, qos = (rows(output, table) for table in ("runs", "workers", "qos"))
        self.assertEqual((networks(), segments()), before)

        self.assertEqual([(run["shape"], run["hosts"], run["fault"], run["status"]) for run in runs],
                         [("2r", "2", "none", "done"), ("2r", "2", "freeze", "done")])  # fmt: skip
        self.assertTrue(all(int(worker["updates"]) > 0 for worker in workers))
        for row in qos:
            self.assertLessEqual(int(row["accepted"]), int(row["attempted"]))
            self.assertLessEqual(int(row["laden"]), min(int(row["pulls"]), int(row["received"])))

        def seen(worker):
            """Updates of a worker in each window of the second run in which somebody could look at it."""
            own = [row for row in qos if (row["run"], row["from_worker"], row["to_worker"]) == ("1", worker, worker)]
            return {int(row["snapshot"]): int(row["updates"]) for row in own}, [int(row["window_ns"]) for row in own]

        (well, _), (frozen, windows) = seen("0"), seen("1")
        self.assertGreater(max(windows), 1e9, "the host was not stopped")
        meanwhile = set(well) - set(frozen)
        self.assertGreaterEqual(len(meanwhile), 3, (well, frozen))
        self.assertTrue(all(well[window] > 0 for window in meanwhile), well)


if __name__ == "__main__":
    if subprocess.run([*TWO_HOSTS, "true"], check=False).returncode == 77:
        sys.exit(77)  # it has said why
    unittest.main()
