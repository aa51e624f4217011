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
        code, _, complaint = laxity("arrival", "-n", RANKS, *SMALL, "--pattern-file", pattern, "--output", output)
        assert code == 0, complaint
        skews = {row["skew_us"] for row in rows(output, "arrival") if row["pattern"] == "of_my_application"}
        assert skews == {"50"}

    def test_the_skew_can_be_the_largest_skew_of_a_trace(self):
        traced = self.folder / "trace"
        program = (PROGRAM, "arrival", *SMALL, "--output", self.folder / "of_the_program")
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

    def test_invalid_options_are_usage_errors(self):
        for arguments in (
            ("--collectives", "shuffle"),
            ("--skew", "much"),
            ("--patterns", "zigzag"),
            ("--sizes", "0"),
            ("--algorithms", "99"),
        ):
            with case(arguments=arguments):
                assert laxity("arrival", "-n", RANKS, *arguments, "--output", self.folder / "x")[0] == 2


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
            "clock", "-n", RANKS, "--after", 0, "--starts", 0, "--wrong-clocks", "--fit-window", 0.05, "--csv"
        )
        assert code == 0, complaint
        errors = list(csv.DictReader(said.splitlines()))
        assert [error["rank"] for error in errors] == [str(rank) for rank in range(RANKS)]
        for error in errors:
            assert abs(float(error["error_us"])) < 5000  # of offsets up to a second

    def test_invalid_options_are_usage_errors(self):
        assert laxity("clock", "-n", RANKS, "--after", -1)[0] == 2
        assert laxity("clock", "-n", RANKS, "--json", "--csv")[0] == 2
