"""Runs `laxity timewarp` of the program that $LAXITY_PROGRAM names, as a user would."""

import json
import os
import re
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["LAXITY_PROGRAM"]
SMALL = ("--lps", 200, "--events-per-lp", 5, "--end-time", 60, "--quiet")
QUICK = ("--lps", 100, "--events-per-lp", 2, "--end-time", 50, "--seconds", 0.1, "--rounds", 2, "--quiet")


def laxity(*arguments):
    """Returns exit code, standard output and standard error."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=200, check=False)
    return done.returncode, done.stdout, done.stderr


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def logged(self, name, *arguments):
        """Run PHOLD with an event log; returns its directory."""
        log = self.folder / name
        code, _, complaint = laxity(
            "phold", *SMALL, "--event-log", log, "--output", self.folder / f"{name}-run", *arguments
        )
        self.assertEqual(code, 0, complaint)
        return log


class Diff(InFolder):
    def test_runs_of_all_engines_are_equal(self):
        first = self.logged("first", "--sequential")
        for name, team in {
            "threads": ["--threads", 3],
            "processes": ["--processes", 2],
            "shared": ["--threads", 2, "--events", "shared"],
            "queues": ["--threads", 2, "--exchange", "lock-free", "--queues", 2],
        }.items():
            code, printed, complaint = laxity("timewarp", "diff", first, self.logged(name, *team))
            self.assertEqual((code, complaint), (0, ""), printed)
            self.assertRegex(printed, r"are equal: [1-9]\d+ committed events\n$")

    def test_the_first_event_that_differs_is_named(self):
        first = self.logged("first", "--threads", 2)
        # Until its receiver is drawn from fewer processes, everything is the same.
        other = self.logged("other", "--threads", 2, "--receivers", "range", "--range", 150)
        code, printed, _ = laxity("timewarp", "diff", first, other)
        self.assertEqual(code, 1)
        found = re.search(
            r"differ after (\d+) equal committed events\n  time ([\d.e-]+), priority 0, for process \d+, "
            r"sent by process \d+ as its number \d+\n  (.*)\n$",
            printed,
        )
        self.assertTrue(found, printed)
        self.assertGreater(int(found[1]), 0)

    def test_the_same_events_that_leave_other_states(self):
        first = self.logged("first", "--sequential")
        file = self.folder / "first" / "worker-0.events"
        changed = bytearray(file.read_bytes())
        (self.folder / "changed").mkdir()
        changed[32 + 8 + 40 * 100 + 24] ^= 1  # header, count, 100 events; the digest of the next
        (self.folder / "changed" / "worker-0.events").write_bytes(changed)
        code, printed, _ = laxity("timewarp", "diff", first, self.folder / "changed")
        self.assertEqual(code, 1)
        self.assertIn("differ after 100 equal committed events", printed)
        self.assertIn("leaves another state", printed)

    def test_what_cannot_be_compared(self):
        first = self.logged("first", "--sequential")
        batch = self.logged("batch", "--sequential", "--shape", "batch")
        cut = self.folder / "cut"
        cut.mkdir()
        (cut / "worker-0.events").write_bytes((first / "worker-0.events").read_bytes()[:-1])
        for other, expected, needle in [
            (batch, 2, "different models"),
            (self.folder / "none", 2, "none"),
            (self.folder, 2, "no event log"),
            (cut, 1, "worker-0.events, byte 32"),
        ]:
            code, _, complaint = laxity("timewarp", "diff", first, other)
            self.assertEqual(code, expected, complaint)
            self.assertEqual(complaint.count("\n"), 1, complaint)
            self.assertIn(needle, complaint)

    def test_a_log_is_not_overwritten(self):
        log = self.logged("first", "--sequential")
        for more, needle in [([], "already"), (["--replicates", 2], "--replicates")]:
            output = self.folder / "again"
            code, _, complaint = laxity("phold", *SMALL, "--event-log", log, "--output", output, *more)
            self.assertEqual(code, 2, complaint)
            self.assertIn(needle, complaint)
            self.assertFalse(output.exists(), "something was written")


class Tune(InFolder):
    def test_what_it_says_can_be_typed(self):
        for team in (["--threads", 2], ["--processes", 2]):
            code, printed, complaint = laxity(
                "timewarp", "tune", "phold", *QUICK, "--receivers", "remote", "--remote", 0.25, *team
            )
            self.assertEqual((code, complaint), (0, ""))
            lines = printed.splitlines()
            for part in ("pending-event set", "optimism control", "GVT interval", "turn", "team"):
                self.assertTrue(any(line.startswith(f"{part}: ") for line in lines), printed)
            command = shlex.split(lines[-1].strip())
            self.assertEqual(command[:2], ["laxity", "phold"])
            self.assertIn("--remote 0.25", lines[-1])
            self.assertIn("--parts 2", lines[-1])
            code, _, complaint = laxity(*command[1:], "--quiet", "--output", self.folder / "-".join(map(str, team)))
            self.assertEqual(code, 0, complaint)

    def test_every_model_can_be_tuned(self):
        for model in (
            ["epidemic", "--side", 2, "--population", 50, "--end-time", 20],
            ["pcs", "--width", 4, "--height", 2, "--end-time", 50],
            ["queueing", "--stations", 10, "--end-time", 300],
        ):
            code, printed, complaint = laxity(
                "timewarp", "tune", *model, "--threads", 2, "--seconds", 0.1, "--rounds", 1, "--quiet"
            )
            self.assertEqual((code, complaint), (0, ""))
            command = shlex.split(printed.splitlines()[-1].strip())
            self.assertEqual(command[: 1 + len(model)], ["laxity", *map(str, model)])
            code, _, complaint = laxity(*command[1:], "--quiet", "--output", self.folder / model[0])
            self.assertEqual(code, 0, complaint)

    def test_everything_measured_as_json(self):
        code, printed, complaint = laxity("timewarp", "tune", "phold", *QUICK, "--threads", 2, "--json")
        self.assertEqual((code, complaint), (0, ""))
        found = json.loads(printed)
        self.assertTrue(found["command"].startswith("laxity phold --lps 100 "))
        self.assertEqual(found["steps"][0]["part"], "pending-event set")
        for step in found["steps"]:
            names = [choice["name"] for choice in step["choices"]]
            self.assertIn(step["chosen"], names)
            self.assertEqual(len(set(names)), len(names))
            self.assertEqual(step["choices"][0]["ratio"], 1)
            self.assertTrue(all(len(choice["committed_per_second"]) == 2 for choice in step["choices"]))

    def test_bad_input(self):
        for arguments, needle in [
            (["--sequential"], "--sequential"),
            (["--threads", 2, "--rounds", 0], "--rounds 0"),
            (["--threads", 2, "--seconds", -1], "--seconds -1"),
            (["--threads", 2, "--lps", 0], "--lps 0"),
            (["--threads", 2, "--event-log", "a"], "--event-log"),
        ]:
            code, _, complaint = laxity("timewarp", "tune", "phold", *arguments)
            self.assertEqual(code, 2, complaint)
            self.assertEqual(complaint.count("\n"), 1, complaint)
            self.assertIn(needle, complaint)
        code, _, complaint = laxity("timewarp", "tune", "queueing", "--threads", 2, "--min-load", 2)
        self.assertEqual(code, 2, complaint)
        self.assertIn("--min-load", complaint)


if __name__ == "__main__":
    unittest.main()
