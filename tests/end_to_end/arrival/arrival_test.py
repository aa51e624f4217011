"""Runs `laxity arrival` and `laxity clock` of the program that $LAXITY_PROGRAM names, as a user would."""

import csv
import json
import os

from kit import PROGRAM, InFolder, case, laxity, read_manifest, rows

LAUNCHER = os.environ["LAXITY_MPIEXEC"]
RANKS = 2
SMALL = (
    "--collectives", "reduce,alltoall", "--sizes", "8,1k", "--patterns", "ascending,last_delayed", "--skew", "100us",
    "--repetitions", 3, "--cell-budget", 0.02,
)  # fmt: skip


class TestArrival(InFolder):
    def test_one_launch_measures_all_cells(self):
        output = self.folder / "study"
        code, said, complaint = laxity("arrival", "-n", RANKS, *SMALL, "--output", output)
        assert code == 0, complaint
        assert str(output) in said
        manifest = read_manifest(output)
        assert (manifest["kind"], manifest["status"]) == ("arrival", "done")
        assert manifest["configuration"]["processes"] == RANKS

        runs = rows(output, "runs")
        assert [(run["collective"], run["bytes"]) for run in runs] == [
            ("reduce", "8"),
            ("reduce", "1024"),
            ("alltoall", "8"),
            ("alltoall", "1024"),
        ]
        right = {(row["run"], row["algorithm_id"]) for row in rows(output, "algorithms") if row["verdict"] == "right"}
        cells = {(row["run"], row["algorithm_id"], row["pattern"]) for row in rows(output, "arrival")}
        wanted = {(*one, pattern) for one in right for pattern in ("no_delay", "ascending", "last_delayed")}
        assert cells == wanted
        assert "wrong" not in {row["verdict"] for row in rows(output, "algorithms")}
        assert {row["run"] for row in rows(output, "arrival") if row["algorithm"] == "library"} == {"0", "1", "2", "3"}
        assert len(rows(output, "cells")) == len(cells)
        assert {row["measured"] for row in rows(output, "cells")} == {"0"}  # three repetitions are too few
        assert "undecided: the library's own choice is kept" in said

    def test_an_interrupted_study_measures_only_the_missing_runs(self):
        output = self.folder / "study"
        small = ("arrival", "-n", RANKS, *SMALL, "--output", output)
        assert laxity(*small)[0] == 0
        before = (output / "arrival.csv").read_bytes()
        runs = (output / "runs.csv").read_text(encoding="utf-8").splitlines(keepends=True)
        assert laxity(*small)[0] == 0
        assert (output / "arrival.csv").read_bytes() == before

        (output / "runs.csv").write_text("".join(runs[:-1]), encoding="utf-8")  # the last run did not end
        assert laxity(*small)[0] == 0
        assert [row["run"] for row in rows(output, "runs")] == ["0", "1", "2", "3"]

    def test_a_pattern_file_is_measured_with_its_own_skew(self):
        pattern = self.folder / "app.txt"
        pattern.write_text("# name: of_my_application\n0\n5e-05\n", encoding="utf-8")
        output = self.folder / "study"
        code, _, complaint = laxity(
            "arrival",
            "-n",
            RANKS,
            *SMALL,
            "--pattern-file",
            pattern,
            "--output",
            output,
        )
        assert code == 0, complaint
        skews = {row["skew_us"] for row in rows(output, "arrival") if row["pattern"] == "of_my_application"}
        assert skews == {"50"}

    def test_the_skew_can_be_the_largest_skew_of_a_trace(self):
        traced = self.folder / "trace"
        program = (
            PROGRAM,
            "arrival",
            *SMALL,
            "--output",
            self.folder / "of_the_program",
        )
        code, _, complaint = laxity("trace", "--output", traced, "--", LAUNCHER, "-n", RANKS, *program)
        assert code == 0, complaint
        small = SMALL[:6]
        output = self.folder / "study"
        code, _, complaint = laxity("arrival", "-n", RANKS, *small, "--repetitions", 2, "--cell-budget", 0.01,
                                    "--skew-of", traced, "--output", output)  # fmt: skip
        assert code == 0, complaint
        skews = {float(row["skew_us"]) for row in rows(output, "arrival") if row["pattern"] != "no_delay"}
        largest = max(float(row["max_skew_us"]) for row in rows(traced, "collectives")
                      if row["collective"] in ("reduce", "alltoall"))  # fmt: skip
        assert len(skews) == 1
        assert abs(skews.pop() - largest) <= 1e-3 * largest
        code, _, complaint = laxity("arrival", "-n", RANKS, "--collectives", "scatter", "--skew-of", traced,
                                    "--output", self.folder / "x")  # fmt: skip
        assert code == 2
        assert "no call of these collectives" in complaint

    def test_choices_are_written_for_the_report(self):
        output = self.folder / "study"
        effort = (
            "--patterns",
            "last_delayed",
            "--repetitions",
            12,
            "--cell-budget",
            2,
            "--tolerance",
            "1s",
        )
        code, said, complaint = laxity("arrival", "-n", RANKS, "--collectives", "allreduce", "--sizes", "64k", *effort,
                                       "--output", output)  # fmt: skip
        assert code == 0, complaint
        cells, candidates = rows(output, "cells"), rows(output, "candidates")
        assert {row["measured"] for row in cells} == {"1"}
        for row in cells:
            assert float(row["low_us"]) <= float(row["last_delay_us"]) <= float(row["high_us"])
        assert {row["algorithm"] for row in candidates} == {row["algorithm"] for row in cells}
        assert [row["ratio"] for row in candidates if row["algorithm"] == "library"] == ["1"]
        chosen = [row for row in candidates if row["robust"] == "1"]
        assert len(chosen) == 1
        assert (f"{chosen[0]['algorithm']} (" in said) or chosen[0]["algorithm"] == "library"

    def test_a_trace_says_what_to_measure(self):
        traced = self.folder / "trace"
        program = (
            PROGRAM,
            "arrival",
            *SMALL,
            "--output",
            self.folder / "of_the_program",
        )
        code, _, complaint = laxity("trace", "--output", traced, "--", LAUNCHER, "-n", RANKS, *program)
        assert code == 0, complaint
        output = self.folder / "study"
        little = (
            "--patterns",
            "last_delayed",
            "--repetitions",
            2,
            "--cell-budget",
            0.01,
        )
        code, said, complaint = laxity("arrival", "--for", traced, *little, "--output", output)
        assert code == 0, complaint
        assert read_manifest(output)["configuration"]["processes"] == RANKS
        sizes = rows(output, "application")
        assert {"reduce", "alltoall", "allreduce"} <= {row["collective"] for row in sizes}
        runs = {(row["collective"], row["bytes"]) for row in rows(output, "runs")}
        assert {(row["collective"], row["measured_bytes"]) for row in sizes} == runs
        calls = {(row["collective"], row["bytes"]): 0 for row in sizes}
        for row in rows(traced, "calls"):
            key = (row["collective"], row["bytes"])
            if key in calls and row["start"] == "blocking":
                calls[key] += 1
        for row in sizes:
            assert int(row["calls"]) == calls[row["collective"], row["bytes"]]
            assert float(row["median_skew_us"]) <= float(row["max_skew_us"])
            assert int(row["bytes"]) in range(int(row["measured_bytes"]) // 2, 2 * int(row["measured_bytes"]) + 1)
            assert f" {row['calls']} " in said
        skews = {(row["bytes"], row["skew_us"]) for row in rows(output, "arrival") if row["collective"] == "alltoall"}
        for row in sizes:
            if row["collective"] == "alltoall":
                for skew in ("median_skew_us", "max_skew_us"):
                    assert any(size == row["bytes"] and abs(float(us) - float(row[skew])) < 0.01 for size, us in skews)
        code, _, complaint = laxity("arrival", "--for", traced, "-n", RANKS + 1, "--output", self.folder / "x")
        assert code == 2
        assert f"most calls are on {RANKS} processes" in complaint
        assert laxity("arrival", "--for", traced, "--sizes", "8")[0] == 2

    def test_invalid_options_are_usage_errors(self):
        for arguments in (
            ("--collectives", "shuffle"),
            ("--skew", "much"),
            ("--patterns", "zigzag"),
            ("--sizes", "0"),
            ("--algorithms", "99"),
        ):
            with case(arguments=arguments):
                assert (
                    laxity(
                        "arrival",
                        "-n",
                        RANKS,
                        *arguments,
                        "--output",
                        self.folder / "x",
                    )[0]
                    == 2
                )


class TestClock(InFolder):
    def test_ranks_on_one_host_have_one_clock(self):
        code, said, complaint = laxity("clock", "-n", RANKS, "--after", 0, "--starts", 50, "--json")
        assert code == 0, complaint
        report = json.loads(said)
        assert report["processes"] == RANKS
        assert [error["error_us"] for error in report["errors"]] == [0.0] * RANKS
        assert report["starts_in_time"] <= report["starts"]

    def test_wrong_clocks_are_corrected(self):
        code, said, complaint = laxity(
            "clock",
            "-n",
            RANKS,
            "--after",
            0,
            "--starts",
            0,
            "--wrong-clocks",
            "--fit-window",
            0.05,
            "--csv",
        )
        assert code == 0, complaint
        errors = list(csv.DictReader(said.splitlines()))
        assert [error["rank"] for error in errors] == [str(rank) for rank in range(RANKS)]
        for error in errors:
            assert abs(float(error["error_us"])) < 5000  # of offsets up to a second

    def test_invalid_options_are_usage_errors(self):
        assert laxity("clock", "-n", RANKS, "--after", -1)[0] == 2
        assert laxity("clock", "-n", RANKS, "--json", "--csv")[0] == 2
