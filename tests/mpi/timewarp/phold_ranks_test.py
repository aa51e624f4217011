"""Runs `mpirun laxity phold` as a user would: $LAXITY_MPIEXEC starts the ranks of $LAXITY_PROGRAM."""

import csv
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["LAXITY_PROGRAM"]
MPIEXEC = os.environ["LAXITY_MPIEXEC"]
MODEL = ("--lps", 200, "--events-per-lp", 5, "--receivers", "remote", "--remote", 0.3, "--parts", 2, "--digest")


def run(command):
    """Exit code, standard output and standard error."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


def on_ranks(ranks, *arguments):
    return run([MPIEXEC, "-n", ranks, PROGRAM, "phold", *arguments])


def rows(directory, table):
    with open(directory / f"{table}.csv", newline="", encoding="ascii") as file:
        return list(csv.DictReader(file))


class PholdOnRanks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_the_events_of_the_sequential_run_are_committed_however_ranks_are_joined(self):
        code, _, complaint = run([PROGRAM, "phold", "--sequential", *MODEL, "--output", self.folder / "alone"])
        self.assertEqual(code, 0, complaint)
        (alone,) = rows(self.folder / "alone", "runs")
        for ranks, threads, shared in ((2, 1, "on"), (2, 1, "off"), (2, 2, "off"), (4, 1, "on"), (3, 1, "off")):
            with self.subTest(ranks=ranks, threads=threads, shared=shared):
                output = self.folder / f"{ranks}-{threads}-{shared}"
                code, printed, complaint = on_ranks(
                    ranks, *MODEL, "--threads", threads, "--shared-memory", shared, "--output", output
                )
                self.assertEqual(code, 0, complaint)
                self.assertEqual(printed.count("results in"), 1)
                (one,) = rows(output, "runs")
                self.assertEqual((one["committed"], one["digest"]), (alone["committed"], alone["digest"]))
                self.assertEqual(one["team"], f"{ranks}r" + (f"{threads}t" if threads > 1 else ""))
                self.assertEqual(len(rows(output, "workers")), ranks * threads)
                manifest = json.loads((output / "manifest.json").read_text())
                self.assertEqual(manifest["status"], "done")
                self.assertIn("mpi", manifest["versions"])
        self.assertEqual([name for name in os.listdir("/dev/shm") if "laxity" in name], [])

    def test_what_contradicts_the_launcher_is_refused_once(self):
        between_threads = (("--exchange", "mutex"), ("--events", "shared"))
        for options in (("--sequential",), ("--processes", 2), *between_threads, ("--lps", 1)):
            with self.subTest(options):
                code, _, complaint = on_ranks(2, *options, "--output", self.folder / "refused")
                self.assertEqual(code, 2, complaint)
                ours = [line for line in complaint.splitlines() if line.startswith("laxity: ")]
                self.assertEqual(len(ours), 1, complaint)
                self.assertFalse((self.folder / "refused").exists())


if __name__ == "__main__":
    unittest.main()
