"""From measurements to a rules file to other messages: what `laxity tune` writes changes what Open MPI runs.

Messages are counted by Open MPI's component pml/monitoring. $LAXITY_EFFORT above 1: all collectives instead of two.
"""

import csv
import functools
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from kit import PROGRAM, InFolder, case, laxity

RUN_COLLECTIVE = os.environ["LAXITY_RUN_COLLECTIVE"]
MPIEXEC = os.environ["LAXITY_MPIEXEC"]
ALL = int(os.environ.get("LAXITY_EFFORT", "1")) > 1
RANKS = 6
BYTES = (64, 4096)
TURNS = 6
FEW = ("alltoall", "reduce")
NAMES = {1: "linear", 5: "binomial"}
COLLECTIVES = (
    "allgather",
    "allreduce",
    "alltoall",
    "barrier",
    "bcast",
    "gather",
    "reduce",
    "reduce_scatter",
    "scatter",
)
COLUMNS = (
    "run,collective,algorithm,algorithm_id,library,version,processes,hosts,bytes,pattern,skew_us,repetition,turn,valid,"
    "last_delay_us,total_delay_us"
)
tune = functools.partial(laxity, "tune")


def run_collective(*arguments, **environment):
    done = subprocess.run(
        [MPIEXEC, "-n", str(RANKS), RUN_COLLECTIVE, *map(str, arguments)],
        capture_output=True, text=True, timeout=100, check=True, env=os.environ | environment,
    )  # fmt: skip
    return done.stdout.strip()


class Runs(InFolder):
    patterns = ("no_delay", "bell", "random")

    def write_table(self, collective, algorithms, best):
        """Write measurements by which `best` is the robust choice at every size, and the worst without delay.

        The library's own choice, 0, is slow.
        """
        with open(self.folder / "arrival.csv", "w", newline="", encoding="ascii") as file:
            rows = csv.writer(file)
            rows.writerow(COLUMNS.split(","))
            for size in BYTES:
                for number, name in {0: "library", **algorithms}.items():
                    for pattern in self.patterns:
                        fast = (number == best) != (pattern == "no_delay")
                        delay = 40 if number == 0 else 10 if fast else 11 if pattern == "no_delay" else 20
                        cell = (
                            0,
                            collective,
                            name,
                            number,
                            "Open MPI",
                            "4.1.4",
                            RANKS,
                            1,
                            size,
                            pattern,
                            9,
                        )
                        for turn in range(TURNS):
                            rows.writerow((*cell, turn, turn, 1, delay, 30))


def is_open_mpi():
    """Whether the launcher is that of Open MPI, one of whose components counts messages."""
    return "Open" in subprocess.run([MPIEXEC, "--version"], capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(not is_open_mpi(), reason="only Open MPI counts messages")
class TestRulesThatWork(Runs):
    def messages(self, *arguments, **environment):
        """Count the messages of a run: sender, receiver, bytes and number, sorted."""
        with tempfile.TemporaryDirectory() as folder:
            monitoring = {
                "OMPI_MCA_pml_monitoring_enable": "2",
                "OMPI_MCA_pml_monitoring_enable_output": "3",
                "OMPI_MCA_pml_monitoring_filename": f"{folder}/messages",
            }
            verdict = run_collective(*arguments, **monitoring, **environment)
            rows = []
            for file in Path(folder).iterdir():
                lines = file.read_text(encoding="ascii").splitlines()
                rows += [line.split("\t")[1:5] for line in lines if line.startswith("I\t")]  # of the library itself
        assert verdict == "ok", arguments
        return sorted(rows)

    def algorithms(self, collective, size):
        """List id: (name, id of what runs) of the algorithms that can be used."""
        lines = run_collective(collective, "list", size).splitlines()
        return {int(line.split()[0]): (line.split()[1], int(line.split()[2])) for line in lines}

    def check(self, collective):
        algorithms = self.algorithms(collective, BYTES[0])
        assert len(algorithms) >= 3
        names = {number: name for number, (name, _) in algorithms.items()}
        forced = {}
        for number, name in names.items():
            forced[number] = self.messages(collective, number, *BYTES)
            self.write_table(collective, names, number)
            rules = self.folder / f"{collective}-{number}.conf"
            code, out, err = tune(self.folder, "--output", rules)
            assert (code, err) == (0, "")
            assert f"{name} ({number})" in out
            assert tune("check", rules)[0] == 0
            under = self.messages(
                collective, 0, *BYTES,
                OMPI_MCA_coll_tuned_use_dynamic_rules="1", OMPI_MCA_coll_tuned_dynamic_rules_filename=str(rules),
            )  # fmt: skip
            assert under == forced[number], f"{collective} under rules for {name}"
        kinds = {tuple(map(tuple, rows)) for rows in forced.values()}
        assert len(kinds) >= 2, "no two algorithms differ, so nothing was shown"

    def test_a_rules_file_gives_the_messages_of_its_algorithm(self):
        for collective in COLLECTIVES if ALL else FEW:
            with case(collective):
                self.check(collective)

    def test_an_alias_sends_the_messages_of_its_equivalent(self):
        for collective in COLLECTIVES if ALL else FEW:
            for size in (4, 4096) if ALL else (4,):
                for number, (name, runs) in self.algorithms(collective, size).items():
                    if runs == number:
                        continue
                    with case(f"{collective} {name} at {size} bytes"):
                        assert self.messages(collective, number, size) == self.messages(collective, runs, size)


class TestChecking(Runs):
    def write(self, text):
        path = self.folder / "rules.conf"
        path.write_text(text, encoding="ascii")
        return path

    def test_errors_are_reported_with_line_and_column(self):
        broken = {
            "1\n11\n1\n1 1\n0 5 4\n": ":6:1: ",
            "rule-file-version-7\n1\n": ":1:19: ",
            "1\n11\n1\n1 1\n0 010 4 0\n": ":5:3: ",
            "1\n11\n1\n8 1\n0 5 4 0\n": ":4:1: ",
        }
        for text, place in broken.items():
            code, out, _ = tune("check", self.write(text))
            assert code == 1, text
            assert place in out

    def test_a_missing_file_is_an_error(self):
        code, out, _ = tune("check", self.folder / "nowhere.conf")
        assert code == 1
        assert "nowhere.conf" in out

    def test_a_file_with_errors_is_not_applied(self):
        code, _, err = tune("apply", "--rules", self.write("1\n11\n"), "--", "true")
        assert code != 0
        assert "rules.conf:3:1" in err


class TestChoosing(Runs):
    def test_every_kind_of_file_is_written_and_passes_the_check(self):
        self.write_table("reduce", NAMES, 5)
        for mpi in ("openmpi", "openmpi5", "openmpi6", "intel"):
            output = self.folder / mpi
            code, out, err = tune(self.folder, "--mpi", mpi, "--output", output)
            assert (code, err) == (0, ""), mpi
            assert "binomial (5) takes 0." in out
            assert tune("check", output)[:1] == (0,), mpi

    def test_the_choice_without_delay_has_its_own_file(self):
        self.write_table("reduce", NAMES, 5)
        naive = self.folder / "naive.conf"
        assert tune(self.folder, "--no-delay-output", naive)[0] == 0
        text = naive.read_text(encoding="ascii")
        assert "\n0 0 0 0\n32 1 4 0\n129 0 0 0\n2048 1 4 0\n8193 0 0 0\n" in text

    def test_the_file_says_how_sure_each_choice_is(self):
        self.write_table("reduce", NAMES, 5)
        rules = self.folder / "robust.conf"
        assert tune(self.folder, "--output", rules)[0] == 0
        words = "binomial (5) takes 0.26 times as long as the library's own choice (95 % interval 0.26 to 0.26)"
        often = "under 3 of 3 conditions, each with at least 6 valid repetitions."
        assert f"# reduce, 6 processes, 64 bytes: {words} {often}\n" in rules.read_text(encoding="ascii")

    def test_choices_need_no_measurement_without_delay(self):
        self.patterns = ("bell", "random")
        self.write_table("reduce", NAMES, 5)
        rules = self.folder / "robust.conf"
        code, out, err = tune(self.folder, "--output", rules)
        assert (code, err) == (0, "")
        assert "binomial (5) takes 0.25" in out
        assert "\n32 5 4 0\n" in rules.read_text(encoding="ascii")
        code, _, err = tune(self.folder, "--no-delay-output", rules)
        assert code == 2
        assert "without delay" in err
        code, out, err = tune("apply", "--measured", self.folder, "--repeat", 2, "--", "true")
        assert (code, err) == (0, "")
        assert "no_delay" not in out

    def test_without_the_librarys_own_choice_nothing_is_chosen(self):
        self.write_table("reduce", NAMES, 5)
        arrival = self.folder / "arrival.csv"
        lines = arrival.read_text(encoding="ascii").splitlines(keepends=True)
        arrival.write_text(
            "".join(line for line in lines if ",library,0," not in line),
            encoding="ascii",
        )
        rules = self.folder / "robust.conf"
        code, out, err = tune(self.folder, "--output", rules)
        assert (code, err) == (0, "")
        assert "undecided: the library's own choice is kept, since it was not measured" in out
        text = rules.read_text(encoding="ascii")
        assert set(re.findall(r"^\d+ (\d+) \d+ \d+$", text, re.MULTILINE)) == {"0"}
        assert tune("check", rules)[0] == 0
        code, out, _ = tune("apply", "--measured", self.folder, "--", "false")
        assert code == 0, "the program need not run"
        assert "recommended: the library's own choice" in out

    def test_one_size_of_two_runs_cannot_be_compared(self):
        self.write_table("reduce", NAMES, 5)
        other = self.folder / "other"
        other.mkdir()
        shutil.copy(self.folder / "arrival.csv", other)
        code, _, err = tune(self.folder, other, "--output", self.folder / "x")
        assert code == 2
        assert "name one of them" in err

    def test_a_trace_decides_for_its_own_calls(self):
        trace = self.folder / "trace"
        command = [PROGRAM, "trace", "--output", trace, "--", MPIEXEC, "-n", RANKS]
        command += [RUN_COLLECTIVE, "reduce", 0, BYTES[1]]
        done = subprocess.run(
            list(map(str, command)),
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        self.write_table("reduce", NAMES, 5)
        rules = self.folder / "app.conf"
        code, out, err = tune(self.folder, "--trace", trace, "--traced-output", rules)
        assert (code, err) == (0, "")
        assert out.count("In the application (") == 1, out  # one of the two sizes
        assert f"reduce, {RANKS} processes, {BYTES[1]} bytes" in out
        assert tune("check", rules)[0] == 0
        code, _, err = tune(self.folder, "--trace", self.folder, "--traced-output", rules)
        assert code == 2
        assert "no trace files" in err

    def test_a_table_of_another_library_is_refused(self):
        self.write_table("reduce", NAMES, 5)
        code, _, err = tune(self.folder, "--mpi", "mpich", "--output", self.folder / "x")
        assert code == 2
        assert "Open MPI 4.1.4" in err

    def test_apply_compares_the_choices_from_measurements_and_a_trace(self):
        trace = self.folder / "trace"
        program = [
            MPIEXEC,
            "-n",
            str(RANKS),
            RUN_COLLECTIVE,
            "reduce",
            "0",
            str(BYTES[1]),
        ]
        traced = [PROGRAM, "trace", "--output", trace, "--", *program]
        done = subprocess.run(traced, capture_output=True, text=True, timeout=100, check=False)
        assert done.returncode == 0, done.stderr
        self.write_table("reduce", NAMES, 5)
        table = self.folder / "times.csv"
        words = ("--measured", self.folder, "--repeat", 2, "--output", table)
        code, out, err = tune("apply", *words, "--trace", trace, "--", *program)
        assert (code, err) == (0, "")
        assert "binomial (5) takes 0." in out
        with open(table, newline="", encoding="ascii") as file:
            order = [(row["repetition"], row["rules"]) for row in csv.DictReader(file)]
        choices = ["library", "no_delay", "robust", "traced"]
        assert order == [("0", name) for name in choices] + [("1", name) for name in choices[1:] + choices[:1]]
        assert "\n2048 1 4 0\n" in (self.folder / "rules" / "no_delay").read_text(encoding="ascii")
        assert "\n2048 5 4 0\n" in (self.folder / "rules" / "robust").read_text(encoding="ascii")
        lines = out.splitlines()
        header = next(place for place, line in enumerate(lines) if line.startswith("rules "))
        shown = lines[header + 1 : header + 5]  # name, run time and its interval, ratio and its interval, verdict
        assert [line.split()[0] for line in shown] == choices
        for line in shown:
            numbers = [float(word) for word in line.removesuffix("cannot be told").split()[1:] if word != ".."]
            assert len(numbers) == (4 if line.startswith("library") else 6), line
            assert numbers[1] <= numbers[0] <= numbers[2], line

    def test_without_a_trace_three_choices_are_compared(self):
        self.write_table("reduce", NAMES, 5)
        code, out, err = tune("apply", "--measured", self.folder, "--repeat", 2, "--", "true")
        assert (code, err) == (0, "")
        lines = out.splitlines()
        header = next(place for place, line in enumerate(lines) if line.startswith("rules "))
        assert [line.split()[0] for line in lines[header + 1 : header + 4]] == [
            "library",
            "no_delay",
            "robust",
        ]

    def test_apply_without_rules_is_a_usage_error(self):
        code, _, err = tune("apply", "--", "true")
        assert code == 2
        assert "--measured" in err

    def test_the_form_of_the_file_follows_the_measured_library(self):
        self.write_table("reduce", NAMES, 5)
        rules = self.folder / "rules.conf"
        assert tune(self.folder, "--output", rules)[0] == 0
        assert "version 1" in tune("check", rules)[1]
        arrival = self.folder / "arrival.csv"
        arrival.write_text(
            arrival.read_text(encoding="ascii").replace("4.1.4", "5.0.8"),
            encoding="ascii",
        )
        assert tune(self.folder, "--output", rules)[0] == 0
        assert rules.read_text(encoding="ascii").startswith("rule-file-version-2\n")

    def test_run_times_are_compared_and_written_to_a_table(self):
        self.write_table("reduce", NAMES, 5)
        rules = self.folder / "tuned.conf"
        table = self.folder / "times.csv"
        tune(self.folder, "--output", rules)
        code, out, err = tune(
            "apply",
            "--rules",
            f"robust={rules}",
            "--repeat",
            3,
            "--output",
            table,
            "--",
            "true",
        )
        assert (code, err) == (0, "")
        assert "robust" in out
        with open(table, newline="", encoding="ascii") as file:
            rows = list(csv.DictReader(file))
        assert sorted(row["rules"] for row in rows) == ["library"] * 3 + ["robust"] * 3
        twice = ("--rules", f"robust={rules}", "--rules", f"again={rules}")
        assert "robust and again have the same rules" in tune("apply", *twice, "--repeat", 2, "--", "true")[1]
        slow = self.folder / "slow"
        slow.write_text(
            "#!/bin/sh\nsleep 0.2\n[ -z $OMPI_MCA_coll_tuned_use_dynamic_rules ] || sleep 0.6\n",
            encoding="ascii",
        )
        slow.chmod(0o755)
        out = tune("apply", "--rules", f"robust={rules}", "--repeat", 6, "--", slow)[1]
        assert "  worse\n" in out
        assert "not recommended: robust was measured to be slower" in out
        assert "\nrecommended: the library's own choice" in out
        fast = slow.read_text(encoding="ascii").replace("[ -z", "[ ! -z")
        slow.write_text(fast, encoding="ascii")
        out = tune("apply", "--rules", f"robust={rules}", "--repeat", 6, "--", slow)[1]
        assert "  better\n" in out
        assert "recommended: robust, with OMPI_MCA_coll_tuned_use_dynamic_rules=1 " in out
        code, _, err = tune("apply", "--rules", rules, "--", "false")
        assert code == 1
        assert "exit code 1" in err
