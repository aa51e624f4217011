"""Runs the program that $LAXITY_PROGRAM names, as a user would."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["LAXITY_PROGRAM"]


def laxity(*arguments, **environment):
    """Run the program; returns exit code, standard output and standard error."""
    done = subprocess.run(
        [PROGRAM, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **environment},
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


class Errors(unittest.TestCase):
    """Every failure is one line that says what to do, and the exit code tells usage (2) from failure (1)."""

    def expect_one_line(self, code, needle, *arguments, **environment):
        actual, _, complaint = laxity(*arguments, **environment)
        self.assertEqual(actual, code, complaint)
        self.assertEqual(complaint.count("\n"), 1, complaint)
        self.assertTrue(complaint.startswith("laxity: "), complaint)
        self.assertIn(needle, complaint)

    def test_no_subcommand_is_usage(self):
        self.expect_one_line(2, "subcommand")

    def test_unknown_subcommand_suggests_the_nearest(self):
        self.expect_one_line(2, "did you mean doctor?", "docter")

    def test_unknown_option_suggests_the_nearest(self):
        self.expect_one_line(2, "did you mean --dry-run?", "clean", "--dryrun")

    def test_unknown_option_without_a_near_one_suggests_nothing(self):
        code, _, complaint = laxity("clean", "--zzzzzz")
        self.assertEqual(code, 2)
        self.assertNotIn("did you mean", complaint)

    def test_report_of_a_missing_directory_is_usage(self):
        self.expect_one_line(2, "/no/such/directory", "report", "/no/such/directory")

    def test_report_without_python_says_what_to_do(self):
        self.expect_one_line(1, "LAXITY_PYTHON", "report", ".", LAXITY_PYTHON="/no/such/python")

    def test_report_without_the_package_says_what_to_do(self):
        with tempfile.TemporaryDirectory() as folder:
            bare = Path(folder) / "python"  # isolated: sees no package of this user or of an environment
            bare.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
            bare.chmod(0o755)
            self.expect_one_line(1, "has no package laxity", "report", ".", LAXITY_PYTHON=str(bare))


class Help(unittest.TestCase):
    """What the program says about itself."""

    def test_version(self):
        self.assertRegex(laxity("--version")[1], r"^laxity \d+\.\d+\.\d+\n$")

    def test_help_shows_examples_whose_subcommands_exist(self):
        code, text, _ = laxity("--help")
        self.assertEqual(code, 0)
        examples = [line.split() for line in text[text.index("Examples:") :].splitlines()[1:] if line.strip()]
        self.assertGreaterEqual(len(examples), 3)
        for words in examples:
            subcommand = words[words.index("laxity") + 1]  # a launcher may stand in front
            self.assertIn(f"laxity {subcommand}", laxity(subcommand, "--help")[1].partition("Options:")[0])

    def test_manual_page_names_every_option_of_help(self):
        page = laxity("man")[1].replace("\\-", "-")
        for line in laxity("doctor", "--help")[1].splitlines():
            if line.strip().startswith("--"):
                self.assertIn(line.split()[0], page)

    def test_bash_completes_subcommands_and_options(self):
        script = laxity("completion", "bash")[1]
        for typed, index, expected in (("laxity do", 1, "doctor"), ("laxity clean --d", 2, "--dry-run")):
            words = " ".join(typed.split())
            done = subprocess.run(
                ["bash", "-c", f"{script}\nCOMP_WORDS=({words}); COMP_CWORD={index}; _laxity; echo ${{COMPREPLY[@]}}"],
                capture_output=True, text=True, check=True,
            )  # fmt: skip
            self.assertEqual(done.stdout.split(), [expected])

    def test_completions_are_valid_scripts_of_their_shells(self):
        for shell in ("bash", "zsh", "fish"):
            code, script, _ = laxity("completion", shell)
            self.assertEqual(code, 0)
            self.assertIn("doctor", script)
            if shutil.which(shell):
                subprocess.run([shell, "-n"], input=script, text=True, check=True)


class Doctor(unittest.TestCase):
    """The doctor's findings, for people and for programs."""

    def test_every_finding_that_is_not_good_in_json_is_in_the_table(self):
        code, text, _ = laxity("doctor", "--json")
        findings = json.loads(text)
        self.assertEqual(code, int(any(each["health"] == "bad" for each in findings)))
        subjects = {each["subject"] for each in findings}
        asked = {"build", "cores", "hwloc", "shared memory", "process memory", "clock", "Python"}
        self.assertLessEqual(asked, subjects)
        table = laxity("doctor")[1]
        for finding in findings:
            self.assertIn(finding["subject"], table)
            self.assertIn(finding["advice"], table)

    def test_a_missing_interpreter_is_a_note_with_advice(self):
        findings = json.loads(laxity("doctor", "--json", LAXITY_PYTHON="/no/such/python")[1])
        python = next(each for each in findings if each["subject"] == "Python")
        self.assertEqual(python["health"], "note")
        self.assertIn("bootstrap", python["advice"])


class Clean(unittest.TestCase):
    """What dead runs left is removed; nothing else is."""

    def hold_segment(self, name):
        """Start a process that holds a named segment until the test ends, which lets it remove the segment."""
        owner = subprocess.Popen(
            [os.environ["HOLD_SEGMENT"], name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.addCleanup(owner.communicate)
        self.assertEqual(owner.stdout.readline(), "ready\n")
        return owner

    def test_segments_of_dead_runs_go_and_those_of_live_runs_stay(self):
        live, dead = (f"{state}-{os.getpid()}" for state in ("live", "dead"))
        self.hold_segment(live)
        killed = self.hold_segment(dead)
        killed.kill()
        killed.wait()

        code, text, _ = laxity("clean", "--dry-run")
        self.assertEqual(code, 0)
        self.assertRegex(text, f"would remove .*{dead}")
        self.assertNotIn(live, text)
        self.assertIn("laxity clean", laxity("doctor")[1])

        self.assertRegex(laxity("clean")[1], f"removed .*{dead}")
        text = laxity("clean", "--dry-run")[1]
        self.assertNotIn(dead, text)
        self.assertNotIn(live, text)


if __name__ == "__main__":
    unittest.main()
