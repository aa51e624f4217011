"""Runs `laxity timewarp` of the program that $LAXITY_PROGRAM names, as a user would."""

import json
import re
import shlex

from kit import InFolder, case, laxity

SMALL = ("--lps", 200, "--events-per-lp", 5, "--end-time", 60, "--quiet")
QUICK = ("--lps", 100, "--events-per-lp", 2, "--end-time", 50, "--duration", 0.1, "--rounds", 2, "--quiet")


class Runs(InFolder):
    def logged(self, name, *arguments):
        """Run PHOLD with an event log; returns its directory."""
        log = self.folder / name
        code, _, complaint = laxity(
            "phold", *SMALL, "--event-log", log, "--output", self.folder / f"{name}-run", *arguments
        )
        assert code == 0, complaint
        return log


class TestDiff(Runs):
    def test_runs_of_all_engines_are_equal(self):
        first = self.logged("first", "--sequential")
        for name, team in {
            "threads": ["--threads", 3],
            "processes": ["--processes", 2],
            "shared": ["--threads", 2, "--events", "shared"],
            "queues": ["--threads", 2, "--exchange", "lock-free", "--queues", 2],
        }.items():
            code, printed, complaint = laxity("timewarp", "diff", first, self.logged(name, *team))
            assert (code, complaint) == (0, ""), printed
            assert re.search(r"are equal: [1-9]\d+ committed events\n$", printed), printed

    def test_the_first_event_that_differs_is_named(self):
        first = self.logged("first", "--threads", 2)
        # Until its receiver is drawn from fewer processes, everything is the same.
        other = self.logged("other", "--threads", 2, "--receivers", "range", "--range", 150)
        code, printed, _ = laxity("timewarp", "diff", first, other)
        assert code == 1
        found = re.search(
            r"differ after (\d+) equal committed events\n  time ([\d.e-]+), priority 0, for process \d+, "
            r"sent by process \d+ as its number \d+\n  (.*)\n$",
            printed,
        )
        assert found, printed
        assert int(found[1]) > 0

    def test_the_same_events_that_leave_other_states(self):
        first = self.logged("first", "--sequential")
        file = self.folder / "first" / "worker-0.events"
        changed = bytearray(file.read_bytes())
        (self.folder / "changed").mkdir()
        changed[32 + 8 + 40 * 100 + 24] ^= 1  # header, count, 100 events; the digest of the next
        (self.folder / "changed" / "worker-0.events").write_bytes(changed)
        code, printed, _ = laxity("timewarp", "diff", first, self.folder / "changed")
        assert code == 1
        assert "differ after 100 equal committed events" in printed
        assert "the states after the event differ" in printed

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
            assert code == expected, complaint
            assert complaint.count("\n") == 1, complaint
            assert needle in complaint

    def test_a_log_is_not_overwritten(self):
        log = self.logged("first", "--sequential")
        for more, needle in [([], "already"), (["--replicates", 2], "--replicates")]:
            output = self.folder / "again"
            code, _, complaint = laxity("phold", *SMALL, "--event-log", log, "--output", output, *more)
            assert code == 2, complaint
            assert needle in complaint
            assert not output.exists(), "something was written"


class TestTune(Runs):
    def test_what_it_says_can_be_typed(self):
        for team in (["--threads", 2], ["--processes", 2]):
            code, printed, complaint = laxity(
                "timewarp", "tune", "phold", *QUICK, "--receivers", "remote", "--remote", 0.25, *team
            )
            assert (code, complaint) == (0, "")
            lines = printed.splitlines()
            for part in ("pending-event set", "optimism control", "GVT interval", "turn", "team"):
                assert any(line.startswith(f"{part}: ") for line in lines), printed
            command = shlex.split(lines[-1].strip())
            assert command[:2] == ["laxity", "phold"]
            assert "--remote 0.25" in lines[-1]
            assert "--parts 2" in lines[-1]
            code, _, complaint = laxity(*command[1:], "--quiet", "--output", self.folder / "-".join(map(str, team)))
            assert code == 0, complaint

    def test_every_model_can_be_tuned(self):
        for model in (
            ["epidemic", "--side", 2, "--population", 50, "--end-time", 20],
            ["pcs", "--width", 4, "--height", 2, "--end-time", 50],
            ["queueing", "--stations", 10, "--end-time", 300],
        ):
            code, printed, complaint = laxity(
                "timewarp", "tune", *model, "--threads", 2, "--duration", 0.1, "--rounds", 1, "--quiet"
            )
            assert (code, complaint) == (0, "")
            command = shlex.split(printed.splitlines()[-1].strip())
            assert command[: 1 + len(model)] == ["laxity", *map(str, model)]
            code, _, complaint = laxity(*command[1:], "--quiet", "--output", self.folder / model[0])
            assert code == 0, complaint

    def test_everything_measured_as_json(self):
        code, printed, complaint = laxity("timewarp", "tune", "phold", *QUICK, "--threads", 2, "--json")
        assert (code, complaint) == (0, "")
        found = json.loads(printed)
        assert found["command"].startswith("laxity phold --lps 100 ")
        assert found["steps"][0]["part"] == "pending-event set"
        for step in found["steps"]:
            names = [choice["name"] for choice in step["choices"]]
            assert step["chosen"] in names
            assert len(set(names)) == len(names)
            assert step["choices"][0]["ratio"] == 1
            assert all(len(choice["committed_per_second"]) == 2 for choice in step["choices"])

    def test_bad_input(self):
        for arguments, needle in [
            (["--sequential"], "--sequential"),
            (["--threads", 2, "--rounds", 0], "--rounds 0"),
            (["--threads", 2, "--duration", -1], "--duration -1"),
            (["--threads", 2, "--lps", 0], "--lps 0"),
            (["--threads", 2, "--event-log", "a"], "--event-log"),
        ]:
            code, _, complaint = laxity("timewarp", "tune", "phold", *arguments)
            assert code == 2, complaint
            assert complaint.count("\n") == 1, complaint
            assert needle in complaint
        code, _, complaint = laxity("timewarp", "tune", "queueing", "--threads", 2, "--min-load", 2)
        assert code == 2, complaint
        assert "--min-load" in complaint


class TestNew(InFolder):
    """What is written is built in tests/end_to_end/consumer."""

    def test_a_name_that_is_no_identifier_is_refused(self):
        for name, rule in [
            ("7up", "must be an identifier"),
            ("token-ring", "must be an identifier"),
            ("../ring", "must be an identifier"),
            ("", "must be an identifier"),
            ("test", "CMake keeps it"),
        ]:
            with case(name):
                code, printed, complaint = laxity("timewarp", "new", name, cwd=self.folder)
                assert (code, printed) == (2, ""), complaint
                assert complaint.startswith(f"laxity: name {name}: "), complaint
                assert rule in complaint
                assert complaint.count("\n") == 1
                assert not list(self.folder.iterdir())

    def test_an_existing_folder_is_refused_and_kept(self):
        (self.folder / "ring").mkdir()
        (self.folder / "ring" / "main.cpp").write_text("mine")
        code, _, complaint = laxity("timewarp", "new", "ring", cwd=self.folder)
        assert code == 2
        assert complaint == "laxity: name ring: there is such a file or folder already; take another name\n"
        assert [(entry.name, entry.read_text()) for entry in (self.folder / "ring").iterdir()] == [("main.cpp", "mine")]
