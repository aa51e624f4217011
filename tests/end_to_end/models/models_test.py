"""Runs `laxity queueing`, `pcs` and `epidemic` of the program that $LAXITY_PROGRAM names, as a user would."""

import re

from kit import InFolder, case, laxity, read_manifest, rows

PLACES = "place,population,infected\nnorth,2000,40\nsouth,500,0\nisland,100,0\n"
TRAVEL = "from,north,south,island\nnorth,0,0.02,0.001\nsouth,0.1,0,0\nisland,0,0.05,0\n"
MODELS = {
    "queueing": ("--stations", 40, "--warm-up", 20, "--end-time", 120),
    "pcs": ("--width", 6, "--height", 4, "--dwell-time", 1, "--end-time", 60),
    "epidemic": ("--side", 3, "--population", 50, "--end-time", 40),
}


class Runs(InFolder):
    def run_of(self, name, *arguments):
        output = self.folder / name
        code, printed, complaint = laxity(*arguments, "--output", output)
        assert (code, complaint) == (0, ""), arguments
        (run,) = rows(output, "runs")
        assert run["status"] == "done"
        return output, run, printed


def compared_in(output):
    """The rows of both comparisons of the queueing network, in the order of the table."""
    compared = rows(output, "comparisons")
    quantities = list(dict.fromkeys(row["quantity"] for row in compared))
    assert quantities == ["mean customers at a station", "share of arriving customers"]
    return [[row for row in compared if row["quantity"] == quantity] for quantity in quantities]


class TestModels(Runs):
    def test_all_engines_give_the_same(self):
        for model, arguments in MODELS.items():
            found = set()
            for number, engine in enumerate(
                (
                    ["--sequential"],
                    ["--sequential", "--queue", "three-tier-heap"],
                    ["--threads", 3],
                    ["--threads", 2, "--events", "shared"],
                    ["--threads", 2, "--exchange", "mutex", "--queues", 2],
                    ["--processes", 2, "--optimism", "none", "--queue", "ladder"],
                )
            ):
                output, run, _ = self.run_of(f"{model}-{number}", model, *arguments, "--digest", *engine)
                assert run["model"] == model
                assert int(run["committed"]) > 500
                found.add((run["digest"], run["committed"], (output / "comparisons.csv").read_text()))
            assert len(found) == 1, model

    def test_what_is_written_and_printed(self):
        output, run, printed = self.run_of("a", "queueing", *MODELS["queueing"], "--threads", 2, "--seed", 7)
        assert "2t, seed 7: " in printed
        assert "over all, simulated ÷ theory = " in printed
        manifest = read_manifest(output)
        assert (manifest["kind"], manifest["status"], manifest["seed"]) == ("model", "done", 7)
        assert manifest["configuration"]["stations"] == 40
        customers, found = compared_in(output)
        assert len(customers) == 40
        assert abs(float(customers[-1]["expected"]) - 4) <= 0.5e-7
        assert [float(row["x"]) for row in found] == list(range(20))
        assert run["seed"] == "7"

    def test_two_logs_of_a_model_are_equal(self):
        for number, engine in enumerate((["--sequential"], ["--threads", 2])):
            log = self.folder / f"log-{number}"
            self.run_of(str(number), "pcs", *MODELS["pcs"], "--event-log", log, *engine)
        code, printed, _ = laxity("timewarp", "diff", self.folder / "log-0", self.folder / "log-1")
        assert code == 0, printed

    def test_their_handlers_can_be_rolled_back(self):
        for model, options in MODELS.items():
            for how in ("purity", "rollback"):
                code, printed, complaint = laxity(model, *options, "--check", how)
                assert (code, complaint) == (0, "")
                assert re.search(rf"^[1-9]\d+ events can be rolled back \({how}\)\n$", printed), printed

    def test_replicates_give_intervals_and_are_resumed(self):
        arguments = ("queueing", *MODELS["queueing"], "--sequential", "--seed", 5, "--replicates", 4)
        output, _, printed = self.replicates_of("a", *arguments)
        assert [run["seed"] for run in rows(output, "runs")] == ["5", "6", "7", "8"]
        assert "means of 4 replicates; ± is half of the 95 % interval" in printed
        assert re.search(r"^  \d+ of 40 intervals contain the theory$", printed, re.MULTILINE), printed
        first, *_, last = (compared_in(output)[0][station::40] for station in range(40))
        assert len(first) == len(last) == 4
        mean = sum(float(row["simulated"]) for row in first) / 4
        assert re.search(rf"^ +0\.2 +{mean:.5g} ", printed, re.MULTILINE), printed
        runs, compared = (output / "runs.csv").read_text(), (output / "comparisons.csv").read_text()
        _, _, printed = self.replicates_of("a", *arguments)
        assert "4 runs are done already" in printed
        assert "means of 4 replicates" in printed
        assert (output / "runs.csv").read_text() == runs
        assert (output / "comparisons.csv").read_text() == compared

    def replicates_of(self, name, *arguments):
        output = self.folder / name
        code, printed, complaint = laxity(*arguments, "--output", output)
        assert (code, complaint) == (0, ""), arguments
        return output, read_manifest(output), printed

    def test_a_run_is_compared_with_the_log_of_another(self):
        def log_of(name, *arguments):
            log = self.folder / f"log-{name}"
            options = ("--event-log", log, "--output", self.folder / name, "--quiet")
            return log, *laxity("pcs", *MODELS["pcs"], *arguments, *options)

        first, code, _, _ = log_of("first", "--sequential")
        assert code == 0
        second, code, printed, _ = log_of("second", "--threads", 2, "--compare", first)
        assert (code, printed.split(" committed events")[0].split(":")[0]) == (0, f"{first} and {second} are equal")
        _, code, printed, _ = log_of("other", "--sequential", "--seed", 2, "--compare", first)
        assert code == 1
        assert " differ after " in printed
        code, _, complaint = laxity("pcs", "--compare", first)
        assert (code, complaint) == (2, "laxity: --compare needs --event-log, the log of this run\n")

    def test_an_epidemic_in_places_of_a_file(self):
        (self.folder / "places.csv").write_text(PLACES)
        (self.folder / "travel.csv").write_text(TRAVEL)
        files = ("--places", self.folder / "places.csv", "--travel", self.folder / "travel.csv")
        output, _, _ = self.run_of("a", "epidemic", *files, "--end-time", 60)
        compared = rows(output, "comparisons")
        assert (compared[0]["simulated"], compared[0]["expected"]) == ("40", "40")
        assert max(float(row["simulated"]) for row in compared) > 200

    def test_bad_input(self):
        (self.folder / "places.csv").write_text(PLACES)
        (self.folder / "travel.csv").write_text(TRAVEL.replace("0.05", "much"))
        places, travel = self.folder / "places.csv", self.folder / "travel.csv"
        for arguments, expected, needle in [
            (["queueing", "--stations", 0], 2, "--stations 0"),
            (["queueing", "--max-load", 1], 2, "--max-load 1"),
            (["queueing", "--routing-probability", "nan"], 2, "--routing-probability nan"),
            (["queueing", "--end-time", 10], 2, "--end-time 10"),
            (["pcs", "--channels", -1], 2, "--channels -1"),
            (["pcs", "--dwell-time", 0], 2, "--dwell-time 0"),
            (
                ["pcs", "--threads", 2, "--width", 1, "--height", 1],
                2,
                "2 workers (threads times processes) for 1 logical",
            ),
            (["epidemic", "--latent-period", 0], 2, "--latent-period 0"),
            (["epidemic", "--side", 0], 2, "--side 0"),
            (["epidemic", "--places", places], 2, "--travel"),
            (["epidemic", "--places", places, "--travel", self.folder / "none.csv"], 2, "none.csv"),
            (["epidemic", "--places", places, "--travel", travel], 1, "travel.csv:4:3:"),
        ]:
            with case(arguments):
                code, _, complaint = laxity(*arguments, "--quiet", "--output", self.folder / "out")
                assert code == expected, complaint
                assert complaint.count("\n") == 1, complaint
                assert needle in complaint
                assert not (self.folder / "out").exists(), "something was written"
