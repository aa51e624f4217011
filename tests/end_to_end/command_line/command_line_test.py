"""Runs the program that $LAXITY_PROGRAM names, as a user would."""

import json
import os
import re
import resource
import shutil
import subprocess
import sys

import pytest
from kit import InFolder, laxity


class TestErrors(InFolder):
    """Every failure is one line that says what to do, and the exit code tells usage (2) from failure (1)."""

    def expect_one_line(self, code, needle, *arguments, **options):
        actual, _, complaint = laxity(*arguments, **options)
        assert actual == code, complaint
        assert complaint.count("\n") == 1, complaint
        assert complaint.startswith("laxity: "), complaint
        assert needle in complaint

    def test_no_subcommand_is_usage(self):
        self.expect_one_line(2, "subcommand")

    def test_unknown_subcommand_suggests_the_nearest(self):
        self.expect_one_line(2, "did you mean doctor?", "docter")

    def test_unknown_option_suggests_the_nearest(self):
        self.expect_one_line(2, "did you mean --dry-run?", "clean", "--dryrun")

    def test_unknown_option_without_a_near_one_suggests_nothing(self):
        code, _, complaint = laxity("clean", "--zzzzzz")
        assert code == 2
        assert "did you mean" not in complaint

    def test_report_of_a_missing_directory_is_usage(self):
        self.expect_one_line(2, "/no/such/directory", "report", "/no/such/directory")

    def test_report_without_python_says_what_to_do(self):
        self.expect_one_line(1, "LAXITY_PYTHON", "report", ".", environment={"LAXITY_PYTHON": "/no/such/python"})

    @pytest.mark.skipif(bool(os.environ["LAXITY_SANITIZE"]), reason="a sanitizer reserves terabytes of address space")
    def test_the_limit_of_memory_is_named(self):
        def limited():
            resource.setrlimit(resource.RLIMIT_AS, (500 << 20, 500 << 20))

        color = ("color", "--workers", "2t", "--output", self.folder / "out")
        self.expect_one_line(1, "address space is 512000 KiB: ulimit -v", *color, preexec_fn=limited)

    def test_the_limit_of_file_sizes_is_named(self):
        def limited():
            resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

        for team, what in (("2p", "shared memory"), ("2t", "picture.csv")):
            color = ("color", "--workers", team, "--duration", 0.1, "--quiet", "--output", self.folder / team)
            for needle in (what, "(the limit of file sizes and shared memory is 8 KiB: ulimit -f)"):
                self.expect_one_line(1, needle, *color, preexec_fn=limited)

    def test_report_without_the_package_says_what_to_do(self):
        bare = self.folder / "python"  # isolated: sees no package of this user or of an environment
        bare.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
        bare.chmod(0o755)
        self.expect_one_line(1, "has no package laxity", "report", ".", environment={"LAXITY_PYTHON": str(bare)})


class TestWithoutMpi(InFolder):
    """A program that was built without MPI says so at once, and writes nothing."""

    def test_commands_that_need_ranks_end_with_what_to_install(self):
        findings = json.loads(laxity("doctor", "--json")[1])
        if not any("built without MPI" in each["found"] for each in findings):
            pytest.skip("built with MPI")
        for command in (["clock"], ["arrival"], ["study", "hosts"], ["study", "faulty-host", "--ranks", 2]):
            code, _, complaint = laxity(*command, cwd=self.folder)
            assert code == 1
            assert "built without MPI; install one" in complaint
            assert complaint.count("\n") == 1
        assert not list(self.folder.iterdir())


class TestReport(InFolder):
    """Options of the Python package are those of the program."""

    def test_report_passes_on_where_the_page_goes_and_whether_it_is_shown(self):
        python = self.folder / "python"
        python.write_text('#!/bin/sh\n[ "$1" = -c ] && echo 3.11.0 && echo 0.1.0 || echo "$@"\n')
        python.chmod(0o755)
        given = ("report", self.folder, "--output", "page.html", "--open")
        code, said, complaint = laxity(*given, environment={"LAXITY_PYTHON": str(python)})
        assert code == 0, complaint
        assert said == f"-m laxity report {self.folder} --output page.html --open\n"


class TestHelp:
    """What the program says about itself."""

    def test_version(self):
        assert re.search(r"^laxity \d+\.\d+\.\d+\n$", laxity("--version")[1])

    def test_help_shows_examples_whose_subcommands_exist(self):
        code, text, _ = laxity("--help")
        assert code == 0
        examples = [line.split() for line in text[text.index("Examples:") :].splitlines()[1:] if line.strip()]
        assert len(examples) >= 3
        for words in examples:
            subcommand = words[words.index("laxity") + 1]  # a launcher may stand in front
            assert f"laxity {subcommand}" in laxity(subcommand, "--help")[1].partition("Options:")[0]

    def test_a_study_says_how_large_it_is_and_how_large_in_the_paper(self):
        for study, small, paper in (
            ("performance", "1t 2t 1p 2p with 2048 nodes per worker; 22 treatments, 5 replicates of 1s: ", "64p"),
            ("weak-scaling", "2p 4p 8p with 1 and 2048 nodes per worker; 6 treatments, 5 replicates of 2s: ", "256p"),
        ):
            text = laxity("study", study, "--help")[1]
            assert f"Size by default: {small}" in text
            assert re.search(rf"--paper +As in the paper: .*\b{paper} with .*replicates of", text)

    def test_help_of_the_studies_shows_their_examples_and_no_others(self):
        text = laxity("study", "--help")[1]
        assert "laxity study custom --vary" in text
        assert "laxity doctor" not in text

    def test_every_option_of_an_example_is_an_option_of_its_command(self):
        helps = {}

        def collect(path):
            helps[path] = text = laxity(*path, "--help")[1]
            listed = re.search(r"\nSubcommands:\n((?:  .*\n)+)", text)
            for name in re.findall(r"^  (\S+)", listed[1] if listed else "", re.MULTILINE):
                collect((*path, name))

        collect(())
        assert len(helps) > 30
        tried = 0
        for text in helps.values():
            for command in re.findall(r"\blaxity ([a-z][^\n;&#]*)", text[text.find("Example") :]):
                words = command.partition("   ")[0].partition(" -- ")[0].split()  # a comment, another program
                path = ()
                while len(path) < len(words) and (*path, words[len(path)]) in helps:
                    path = (*path, words[len(path)])
                for word in words:
                    if word.startswith("--"):
                        tried += 1
                        assert re.search(rf"{word}\b", helps[path]), f"laxity {command}"
        assert tried > 100

    def test_manual_page_names_every_option_of_help(self):
        page = laxity("man")[1].replace("\\-", "-")
        for line in laxity("doctor", "--help")[1].splitlines():
            if line.strip().startswith("--"):
                assert line.split()[0] in page

    def test_bash_completes_subcommands_and_options(self):
        script = laxity("completion", "bash")[1]
        for typed, index, expected in (
            ("laxity do", 1, "doctor"),
            ("laxity clean --d", 2, "--dry-run"),
            ("laxity color --mode best", 3, "best-effort"),
            ("laxity phold --threads 2 --queue two", 5, "two-tier-ladder"),
            ("laxity study work --teams thr", 4, "threads"),
            ("laxity trace export --format ot", 4, "otf2"),
            ("laxity color --output Make", 3, ""),  # bash completes the name of a file
        ):
            words = " ".join(typed.split())
            done = subprocess.run(
                ["bash", "-c", f"{script}\nCOMP_WORDS=({words}); COMP_CWORD={index}; _laxity; echo ${{COMPREPLY[@]}}"],
                capture_output=True, text=True, check=True,
            )  # fmt: skip
            assert done.stdout.split() == expected.split(), typed

    def test_completions_are_valid_scripts_of_their_shells(self):
        for shell in ("bash", "zsh", "fish"):
            code, script, _ = laxity("completion", shell)
            assert code == 0
            assert "doctor" in script
            if shutil.which(shell):
                subprocess.run([shell, "-n"], input=script, text=True, check=True)


class TestDoctor:
    """The doctor's findings, for people and for programs."""

    def test_every_finding_that_is_not_good_in_json_is_in_the_table(self):
        code, text, _ = laxity("doctor", "--json")
        findings = json.loads(text)
        assert code == int(any(each["health"] == "bad" for each in findings))
        subjects = {each["subject"] for each in findings}
        asked = {"build", "cores", "hwloc", "shared memory", "process memory", "clock", "Python"}
        assert asked <= subjects
        table = laxity("doctor")[1]
        for finding in findings:
            assert finding["subject"] in table
            assert finding["advice"] in table

    def test_a_missing_interpreter_is_a_note_with_advice(self):
        findings = json.loads(laxity("doctor", "--json", environment={"LAXITY_PYTHON": "/no/such/python"})[1])
        python = next(each for each in findings if each["subject"] == "Python")
        assert python["health"] == "note"
        assert "bootstrap" in python["advice"]


class TestClean(InFolder):
    """The shared memory of dead runs is removed, and nothing else."""

    def hold_segment(self, name):
        """Start a process that holds a named segment until the test ends, which lets it remove the segment."""
        owner = subprocess.Popen(
            [os.environ["HOLD_SEGMENT"], name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.cleanup.callback(owner.communicate)
        assert owner.stdout.readline() == "ready\n"
        return owner

    def test_segments_of_dead_runs_go_and_those_of_live_runs_stay(self):
        live, dead = (f"{state}-{os.getpid()}" for state in ("live", "dead"))
        self.hold_segment(live)
        killed = self.hold_segment(dead)
        killed.kill()
        killed.wait()

        code, text, _ = laxity("clean", "--dry-run")
        assert code == 0
        assert re.search(f"would remove .*{dead}", text), text
        assert live not in text
        assert "laxity clean" in laxity("doctor")[1]

        assert re.search(f"removed .*{dead}", laxity("clean")[1])
        text = laxity("clean", "--dry-run")[1]
        assert dead not in text
        assert live not in text
