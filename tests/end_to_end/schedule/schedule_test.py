"""`laxity schedule` as a user runs it: lists, text, pictures, GOAL files, and what is refused."""

import re

from kit import InFolder, laxity, read_manifest, rows

LATE = ("--pattern", "last_delayed", "--skew", "20us")


def last_exit_us(output):
    return float(re.search(r"last exit ([\d.]+) us", output)[1])


class TestSchedule(InFolder):
    def test_the_list_has_every_collective_and_its_algorithms(self):
        ended = laxity("schedule", "list")
        assert (ended.code, ended.complaint) == (0, "")
        assert len(ended.output.splitlines()) == 9
        gather = laxity("schedule", "list", "gather").output.split()
        assert gather == ["gather", "basic_linear", "binomial", "linear_sync"]

    def test_show_prints_every_operation_with_its_times(self):
        ended = laxity("schedule", "show", "reduce", "binomial", "--ranks", 8)
        assert (ended.code, ended.complaint) == (0, "")
        assert ended.output.startswith('8 ranks, 14 operations, 7 messages, on the machine "paper"\n')
        assert len(re.findall(r"^rank \d", ended.output, re.MULTILINE)) == 14

    def test_a_schedule_survives_goal_in_both_forms(self):
        text, binary, picture = (self.folder / name for name in ("r.goal", "r.bin", "r.svg"))
        shown = laxity(
            "schedule", "show", "reduce", "in-order_binary", "--ranks", 16, *LATE,
            "--goal", text, "--goal-binary", binary, "--svg", picture,
        )  # fmt: skip
        assert (shown.code, shown.complaint) == (0, "")
        for file in (text, binary):
            ended = laxity("schedule", "run", file, *LATE)
            assert (ended.code, ended.complaint) == (0, "")
            assert last_exit_us(ended.output) == last_exit_us(shown.output)
        assert picture.read_text(encoding="utf-8").count('class="m"') == 16

    def test_a_machine_file_changes_the_times(self):
        machine = self.folder / "slow.toml"
        machine.write_text('name = "slow"\n[[level]]\nname = "all"\nlatency_us = 100\n', encoding="utf-8")
        ended = laxity("schedule", "show", "bcast", "basic_linear", "--ranks", 2, "--machine", machine)
        assert last_exit_us(ended.output) == 100

    def test_1024_ranks_print_a_summary(self):
        ended = laxity("schedule", "show", "alltoall", "pairwise", "--ranks", 1024)
        assert ended.code == 0
        assert len(ended.output.splitlines()) == 2

    def test_a_simulated_study_is_a_run_directory_like_a_measured_one(self):
        study = ("arrival", "--simulate", "schedule", "-n", 64, "--sizes", "2,1k", "--collectives", "reduce,barrier")
        output = self.folder / "study"
        ended = laxity(*study, "--output", output)
        assert (ended.code, ended.complaint) == (0, "")
        assert "reduce, 64 ranks, 2 bytes: the fastest algorithm without delay is binomial" in ended.output
        manifest = read_manifest(output)
        assert (manifest["kind"], manifest["status"]) == ("arrival", "done")
        assert manifest["configuration"]["simulator"] == "schedule"
        assert manifest["configuration"]["hosts"] == 2
        assert 'name = "paper"' in manifest["configuration"]["machine"]
        assert [row["bytes"] for row in rows(output, "runs")] == ["2", "1024", "0"]
        left_out = {(row["bytes"], row["algorithm"]) for row in rows(output, "algorithms") if row["verdict"] == "alias"}
        assert left_out == {("2", "rabenseifner")}
        assert {row["library"] for row in rows(output, "arrival")} == {"simulated"}
        chosen = [row["algorithm"] for row in rows(output, "candidates") if row["robust"] == "1"]
        assert len(chosen) == 3
        smallest = {}
        for row in rows(output, "candidates"):
            smallest[row["run"]] = min(smallest.get(row["run"], float("inf")), float(row["mean"]))
        for row in rows(output, "candidates"):
            if row["robust"] == "1":
                assert float(row["mean"]) == smallest[row["run"]]
        assert laxity("tune", output).code == 2  # it says nothing about a library

        before = (output / "arrival.csv").read_bytes()
        assert laxity(*study, "--output", self.folder / "again").code == 0
        assert (self.folder / "again" / "arrival.csv").read_bytes() == before
        assert laxity(*study, "--output", output, "--machine", "ethernet").code == 2  # not the same study

    def test_bad_input_gets_one_line_and_its_code(self):
        broken = self.folder / "broken.goal"
        broken.write_text("num_ranks 1\nrank 0 {\nl0: send 8 to 0\n}\n", encoding="ascii")
        lonely = self.folder / "lonely.goal"
        lonely.write_text("num_ranks 2\nrank 1 {\nl0: recv 8b from 0 tag 5\n}\n", encoding="ascii")
        for arguments, code, words in (
            (("show", "reduce", "best"), 2, "reduce has linear, chain"),
            (("show", "reduce", "binomial", "--ranks", 4, "--root", 4), 2, "--root 4"),
            (("show", "reduce", "binomial", "--pattern", "bell"), 2, "--skew"),
            (("show", "reduce", "binomial", "--skew", "1us"), 2, "--pattern"),
            (("show", "allreduce", "ring", "--ranks", 200, "--svg", self.folder / "x.svg"), 2, "at most 128"),
            (("run", self.folder / "missing.goal"), 1, "missing.goal"),
            (("run", broken), 1, "broken.goal:3:10: expected a number of bytes"),
            (("run", lonely), 1, "rank 1, operation 0: no message matches the receive from rank 0 with tag 5"),
            (("run", lonely, "--machine", broken), 1, "broken.goal:1:"),
        ):
            ended = laxity("schedule", *arguments)
            assert ended.code == code, (arguments, ended)
            assert words in ended.complaint, (arguments, ended)
            assert ended.complaint.count("\n") == 1, (arguments, ended)
