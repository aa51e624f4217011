"""Runs `laxity phold` of the program that $LAXITY_PROGRAM names, as a user would."""

import functools
import os
import random
import re
import signal
import subprocess
import time
from pathlib import Path

from kit import PROGRAM, InFolder, case, children_of, laxity, read_manifest, rows, segments

SMALL = ("--lps", 200, "--events-per-lp", 5, "--digest")
ENDLESS = ("--end-time", 10**9, "--lps", 1000)
phold = functools.partial(laxity, "phold")


class Runs(InFolder):
    def run_of(self, name, *arguments):
        """Run once; returns the directory and its only row of runs.csv."""
        output = self.folder / name
        code, _, complaint = phold("--output", output, *arguments)
        assert code == 0, (arguments, complaint)
        (run,) = rows(output, "runs")
        assert [row["run"] for row in rows(output, "disturbances")] == ["0"]
        assert run["status"] == "done"
        return output, run

    def started(self, *arguments):
        """Start a run that will not end by itself; returns once its workers work."""
        study = subprocess.Popen(
            [PROGRAM, "phold", *map(str, arguments), "--output", str(self.folder / "out")],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.cleanup.callback(study.kill)
        deadline = time.monotonic() + 30
        while not (self.folder / "out" / "manifest.json").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        return study


class TestResults(Runs):
    TEAMS = (
        ["--sequential"],
        ["--threads", 1],
        ["--threads", 3],
        ["--processes", 2],
        ["--processes", 2, "--threads", 2],
    )

    def test_all_teams_commit_the_same_events(self):
        models = (
            ["--end-time", 60],
            ["--shape", "batch", "--end-time", 20],
            ["--shape", "batch", "--end-time", 500, "--until-handled", 60],
            ["--receivers", "range", "--range", 10, "--end-time", 40],
            ["--receivers", "remote", "--remote", 0.9, "--parts", 4, "--end-time", 40],
            ["--receivers", "remote", "--remote", 0.5, "--parts", 3, "--min-delay", 0, "--end-time", 40],
        )
        for number, model in enumerate(models):
            digests = {}
            for team in self.TEAMS:
                name = f"{number}-{'-'.join(map(str, team))}"
                _, run = self.run_of(name, *SMALL, *model, *team)
                digests[name] = (run["digest"], run["committed"])
            assert len(set(digests.values())) == 1, digests

    def test_all_queues_and_controls_commit_the_same_events(self):
        found = set()
        for queue in ("bucket", "heap", "ladder", "two-tier-ladder", "three-tier-heap"):
            for optimism in ("none", "adaptive", "scale-free"):
                for team in (["--sequential"], ["--threads", 2]):
                    name = f"{queue}-{optimism}-{team[0]}"
                    options = ("--queue", queue, "--optimism", optimism, "--end-time", 40, *team)
                    _, run = self.run_of(name, *SMALL, *options)
                    assert (run["queue"], run["optimism"]) == (queue, optimism)
                    found.add((run["digest"], run["committed"]))
        assert len(found) == 1, found

    def test_all_exchanges_commit_the_same_events(self):
        found = set()
        for exchange in ("rings", "mutex", "spin-lock", "lock-free"):
            options = ("--exchange", exchange, "--queues", 2, "--end-time", 40, "--threads", 2)
            _, run = self.run_of(exchange, *SMALL, *options)
            assert (run["exchange"], run["queues"]) == (exchange, "2")
            found.add((run["digest"], run["committed"]))
        for team in (["--processes", 2], ["--processes", 2, "--threads", 2]):
            options = ("--exchange", "attach", "--end-time", 40, *team)
            _, run = self.run_of(f"attach{len(team)}", *SMALL, *options)
            assert run["exchange"] == "attach"
            found.add((run["digest"], run["committed"]))
        assert len(found) == 1, found

    def test_shared_events_are_the_same_events_as_copied_ones(self):
        for exchange in ("rings", "mutex", "lock-free"):
            found = set()
            for events in ("copied", "shared"):
                options = ("--exchange", exchange, "--events", events, "--end-time", 40, "--threads", 2)
                output, run = self.run_of(f"{exchange}-{events}", *SMALL, *options)
                assert run["events"] == events
                found.add((run["digest"], run["committed"]))
                shared = sum(int(worker["shared_events"]) for worker in rows(output, "workers"))
                assert (shared > 0) == (events == "shared")
            assert len(found) == 1, found

    def test_all_ways_of_saving_states_commit_the_same_events(self):
        for shape in ("continuous", "batch"):
            found = set()
            for saving in ("copy", "periodic", "reverse"):
                for team in (["--threads", 2], ["--processes", 2]):
                    options = ("--state-saving", saving, "--shape", shape, "--end-time", 30, *team)
                    _, run = self.run_of(f"{shape}-{saving}-{team[0]}", *SMALL, *options)
                    found.add((run["digest"], run["committed"]))
            assert len(found) == 1, found

    def test_its_handlers_can_be_rolled_back(self):
        for how in ("purity", "rollback"):
            for saving in ("copy", "periodic", "reverse"):
                options = ("--lps", 50, "--end-time", 30, "--state-saving", saving)
                code, printed, complaint = phold("--check", how, *options)
                assert code == 0, complaint
                assert re.search(rf"^[1-9]\d+ events can be rolled back \({how}\)\n$", printed), printed

    def test_a_whole_number_is_an_end_time_like_any_other_in_the_batch_shape(self):
        _, exact = self.run_of("exact", *SMALL, "--sequential", "--shape", "batch", "--end-time", 11)
        _, between = self.run_of("between", *SMALL, "--sequential", "--shape", "batch", "--end-time", 10.5)
        _, before = self.run_of("before", *SMALL, "--sequential", "--shape", "batch", "--end-time", 10)
        assert exact["digest"] == between["digest"]
        assert exact["digest"] != before["digest"]

    def test_the_share_of_remote_events_is_the_one_asked_for(self):
        output, _ = self.run_of(
            "remote", "--threads", 2, "--lps", 400, "--receivers", "remote", "--remote", 0.3, "--end-time", 100
        )
        remote, local = (
            sum(int(row[name]) for row in rows(output, "workers")) for name in ("remote_events", "local_events")
        )
        assert abs(remote / (remote + local) - 0.3) <= 0.02

    def test_without_remote_events_there_is_no_rollback(self):
        _, run = self.run_of(
            "apart", "--threads", 2, "--lps", 400, "--receivers", "remote", "--remote", 0, "--end-time", 50
        )
        assert (run["rolled_back"], run["remote_events"], run["efficiency"]) == ("0", "0", "1")

    def test_the_tables_agree(self):
        output, run = self.run_of("tables", "--processes", 2, "--lps", 1000, "--shape", "batch", "--end-time", 300)
        workers = rows(output, "workers")
        assert [(w["worker"], w["process"], w["thread"]) for w in workers] == [("0", "0", "0"), ("1", "1", "0")]
        for column in ("committed", "processed", "rolled_back", "remote_events", "anti_messages"):
            assert sum(int(w[column]) for w in workers) == int(run[column]), column
        assert sum(int(w["primary_rollbacks"]) + int(w["secondary_rollbacks"]) for w in workers) == int(
            run["rollbacks"]
        )
        assert int(run["processed"]) == int(run["committed"]) + int(run["rolled_back"])
        for worker in ("0", "1"):
            seen = [row for row in rows(output, "timewarp") if row["worker"] == worker]
            assert len(seen) > 3
            for column in ("wall_time_s", "gvt", "committed", "processed", "rolled_back", "gvt"):
                values = [float(row[column]) for row in seen]
                assert values == sorted(values), f"{column} goes back"
            assert float(seen[-1]["gvt"]) <= 300
        manifest = read_manifest(output)
        assert (manifest["kind"], manifest["status"]) == ("phold", "done")
        assert manifest["configuration"]["shape"] == "batch"

    def test_what_is_printed(self):
        code, printed, _ = phold(*SMALL, "--threads", 2, "--end-time", 50, "--output", self.folder / "out")
        assert code == 0
        lines = printed.splitlines()
        (run,) = rows(self.folder / "out", "runs")
        assert "200 logical processes, 5 events each" in lines[0]
        assert f"{run['committed']} events" in lines[1]
        assert f"digest {run['digest']}" in lines[1]
        assert [line.split()[0] for line in lines[2:5]] == ["worker", "0", "1"]
        code, printed, _ = phold(*SMALL, "--quiet", "--end-time", 5, "--output", self.folder / "quiet")
        assert (code, printed) == (0, "")


class TestReplicates(Runs):
    def test_each_has_its_seed_and_what_is_done_is_not_repeated(self):
        arguments = (
            *SMALL,
            "--sequential",
            "--replicates",
            3,
            "--seed",
            5,
            "--end-time",
            20,
            "--output",
            self.folder / "out",
        )
        assert phold(*arguments)[0] == 0
        whole = rows(self.folder / "out", "runs")
        assert [run["seed"] for run in whole] == ["5", "6", "7"]
        assert len({run["digest"] for run in whole}) == 3
        lines = (self.folder / "out" / "runs.csv").read_text().splitlines(keepends=True)
        (self.folder / "out" / "runs.csv").write_text("".join(lines[:3]))
        code, printed, _ = phold(*arguments)
        assert code == 0
        assert "2 runs are done already" in printed
        again = rows(self.folder / "out", "runs")
        assert [run["seconds"] for run in again][:2] == [run["seconds"] for run in whole][:2]
        assert [run["digest"] for run in again] == [run["digest"] for run in whole]

    def test_another_model_in_the_same_directory_is_refused(self):
        self.run_of("out", *SMALL, "--end-time", 5)
        code, _, complaint = phold(*SMALL, "--end-time", 6, "--output", self.folder / "out")
        assert code == 2
        assert "end_time was 5.0, now 6.0" in complaint


class TestStudyOfFigures(Runs):
    SHORT = ("--lps", 200, "--events-per-lp", 5, "--events", 5000, "--replicates", 2)

    def study(self, *arguments):
        done = subprocess.run(
            [PROGRAM, "study", "timewarp", *map(str, arguments), "--output", str(self.folder / "out")],
            capture_output=True, text=True, timeout=100, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    def test_every_treatment_is_run_as_often_as_asked(self):
        code, printed, complaint = self.study(*self.SHORT)
        assert code == 0, complaint
        runs = rows(self.folder / "out", "runs")
        treatments = {}
        for run in runs:
            key = tuple(
                run[name]
                for name in (
                    *("figure", "shape", "receivers", "range", "remote"),
                    *("team", "queue", "exchange", "queues", "events", "memory", "optimism"),
                )
            )
            treatments.setdefault(key, []).append(run["seed"])
        assert all(seeds == ["1", "2"] for seeds in treatments.values()), treatments
        figures = [key[0] for key in treatments]
        # both shapes: 5 queues; 3 controls and 3 kinds of worker in 2 ranges (of 200 processes); rings and 3 kinds of 3
        # numbers of queues, 2 kinds of processes; 4 configurations, 3 shares; 4 teams, 5 shares
        assert {figure: figures.count(figure) for figure in figures} == {
            "queues": 10,
            "optimism": 12,
            "exchange": 24,
            "events": 24,
            "range": 12,
            "remote": 40,
        }
        assert len(printed.strip().splitlines()) == 1 + 122 + 1
        # Whatever is compared simulates the same model.
        for figure in ("queues", "range", "optimism", "exchange", "events", "remote"):
            for shape in ("continuous", "batch"):
                same = {}
                for run in runs:
                    if (run["figure"], run["shape"]) == (figure, shape):
                        same.setdefault((run["range"], run["remote"], run["seed"]), set()).add(run["committed"])
                assert all(len(committed) == 1 for committed in same.values()), same

    def test_it_goes_on_where_it_stopped(self):
        arguments = (*self.SHORT, "--figures", "queues")
        assert self.study(*arguments)[0] == 0
        table = self.folder / "out" / "runs.csv"
        lines = table.read_text().splitlines(keepends=True)
        table.write_text("".join(lines[:8]))
        code, printed, complaint = self.study(*arguments)
        assert code == 0, complaint
        assert "7 runs are done already" in printed
        runs_shown = [int(line.split()[-4]) for line in printed.splitlines() if line.startswith("queues")]
        assert runs_shown == [2] * 10, f"the table has the runs before the interruption, too: {printed}"
        whole = table.read_text().splitlines(keepends=True)
        assert (whole[:8], len(whole)) == (lines[:8], 21)

    def test_bad_values(self):
        for arguments, needle in [
            (["--figures", "cubes"], "cubes"),
            (["--workers", 1], "--workers 1"),
            (["--lps", 5], "--lps 5"),
            (["--lps", 100, "--events-per-lp", 5, "--events", 999], "--events 999: must be 1000 to"),
            (["--events", "nan"], "--events"),
            (["--events-per-lp", 0], "--events-per-lp 0"),
            (["--lps", 10, "--workers", 11], "--workers 11"),
            (["--replicates", 0], "--replicates 0"),
        ]:
            with case(arguments):
                code, _, complaint = self.study(*arguments)
                assert code == 2, complaint
                assert complaint.count("\n") == 1, complaint
                assert needle in complaint
                assert not (self.folder / "out").exists(), "something was written"


class TestBadInput(Runs):
    def test_one_line_that_names_the_option(self):
        for arguments, needle in [
            (["--lps", 0], "--lps 0"),
            (["--lps", -5], "--lps -5"),
            (["--lps", 10**12], "--lps"),
            (["--events-per-lp", 0], "--events-per-lp 0"),
            (["--lps", 2, "--threads", 3], "3 workers (threads times processes) for 2 logical processes"),
            (
                ["--lps", 2, "--threads", 1, "--processes", 3],
                "3 workers (threads times processes) for 2 logical processes",
            ),
            (["--threads", 0], "--threads 0"),
            (["--threads", -1], "--threads -1"),
            (["--processes", -1], "--processes -1"),
            (["--threads", 100000], "100000 workers"),
            (["--end-time", -1], "--end-time -1"),
            (["--end-time", 0], "--end-time 0"),
            (["--end-time", "nan"], "--end-time nan"),
            (["--end-time", "inf"], "--end-time inf"),
            (["--remote", 1.5], "--remote 1.5"),
            (["--remote", -0.1], "--remote -0.1"),
            (["--remote", "nan"], "--remote nan"),
            (["--range", 0], "--range 0"),
            (["--parts", 0], "--parts 0"),
            (["--parts", 300, "--lps", 200], "--parts 300"),
            (["--mean-delay", -1], "--mean-delay -1"),
            (["--mean-delay", 0, "--min-delay", 0], "--min-delay 0: must be positive if mean_delay is 0"),
            (["--min-delay", "nan"], "--min-delay nan"),
            (["--shape", "batch", "--min-delay", 0.5], "--min-delay 0.5"),
            (["--shape", "round"], "round"),
            (["--receivers", "all"], "all"),
            (["--queue", "stack"], "--queue stack"),
            (["--optimism", "wild"], "wild"),
            (["--exchange", "pipes"], "pipes"),
            (["--exchange", "mutex", "--processes", 2], "--exchange mutex: requires that all workers are threads"),
            (["--exchange", "mutex", "--queue", "heap"], "requires the bucket queue"),
            (["--exchange", "attach", "--threads", 2], "--exchange attach: requires several processes"),
            (["--exchange", "attach", "--processes", 2, "--queue", "heap"], "requires the bucket queue"),
            (["--exchange", "mutex", "--queues", 0], "--queues 0"),
            (["--events", "moved"], "--events moved: must be copied or shared"),
            (
                ["--events", "shared", "--processes", 2],
                "--events shared: requires that all workers are threads of one process",
            ),
            (["--check", "taste"], "taste"),
            (["--end-time", 1], "--end-time 1: must be later than --min-delay (1)"),
            (["--threads", 0], "--threads 0: must be at least 1"),
            (["--processes", 0], "--processes 0: must be at least 1"),
            (["--state-saving", "none"], "--state-saving none: must be copy, periodic or reverse"),
            (["--state-saving", "reverse", "--queue", "heap"], "requires the bucket queue"),
            (["--gvt-interval", 0], "--gvt-interval 0"),
            (["--turn", 0], "--turn 0"),
            (["--max-events", 10], "--max-events 10"),
            (["--replicates", 0], "--replicates 0"),
            (["--sequential", "--threads", 2], "--sequential"),
            (["--thread", 2], "did you mean --threads?"),
        ]:
            with case(arguments):
                code, _, complaint = phold("--end-time", 5, "--output", self.folder / "out", *arguments)
                if "--end-time" in arguments:
                    code, _, complaint = phold("--output", self.folder / "out", *arguments)
                assert code == 2, complaint
                assert complaint.count("\n") == 1, complaint
                assert needle in complaint
                assert not (self.folder / "out").exists(), "something was written"

    def test_an_output_that_cannot_be_written_is_named(self):
        code, _, complaint = phold("--output", "/proc/nowhere/run", "--end-time", 5)
        assert code == 1
        assert complaint.count("\n") == 1, complaint
        assert "/proc/nowhere" in complaint

    def test_event_memory_used_up_names_the_worker(self):
        code, _, complaint = phold(
            "--threads", 2, "--lps", 1000, "--max-events", 1024, "--end-time", 50, "--output", self.folder / "out"
        )
        assert code == 1
        assert "event memory of worker" in complaint
        (run,) = rows(self.folder / "out", "runs")
        assert run["status"] == "failed"


class TestInterruption(Runs):
    def test_ctrl_c_ends_it_and_what_was_seen_is_kept(self):
        for number, team in enumerate((["--sequential"], ["--threads", 2], ["--processes", 2])):
            with case(team):
                self.folder = Path(self.folder) / str(number)
                self.folder.mkdir()
                with self.started(*ENDLESS, *team) as study:
                    time.sleep(2)
                    study.send_signal(signal.SIGINT)
                    _, complaint = study.communicate(timeout=20)
                assert study.returncode == 1
                assert complaint.count("\n") == 1, complaint
                assert "interrupted" in complaint
                output = self.folder / "out"
                (run,) = rows(output, "runs")
                assert run["status"] == "interrupted"
                assert int(run["committed"]) > 0
                assert len(rows(output, "timewarp")) > 3
                assert read_manifest(output)["status"] == "interrupted"

    def test_an_interrupted_run_is_made_again(self):
        with self.started(*ENDLESS, "--threads", 2) as study:
            time.sleep(0.3)
            study.send_signal(signal.SIGINT)
            study.communicate(timeout=20)
        manifest = self.folder / "out" / "manifest.json"
        manifest.write_text(manifest.read_text().replace("1000000000.0", "5.0"))
        arguments = ("--lps", 1000, "--end-time", 5, "--threads", 2)
        self.run_of("out", *arguments)
        assert {row["run"] for row in rows(self.folder / "out", "workers")} == {"0"}
        assert len(rows(self.folder / "out", "workers")) == 2


class TestKilledWorkers(Runs):
    def test_the_end_is_clear_and_nothing_is_left(self):
        before = segments()
        for seed in range(3):
            with case(seed):
                self.folder = Path(self.folder) / str(seed)
                self.folder.mkdir()
                study = self.started(*ENDLESS, "--processes", 3)
                deadline = time.monotonic() + 30
                while len(children_of(study.pid)) < 3 and time.monotonic() < deadline:
                    time.sleep(0.005)
                children = children_of(study.pid)
                time.sleep(random.Random(seed).uniform(0, 0.5))
                victim = random.Random(seed).randrange(3)
                os.kill(children[victim], signal.SIGKILL)
                _, complaint = study.communicate(timeout=20)
                assert study.returncode == 1, complaint
                assert f"worker {victim} (process {victim}" in complaint
                assert "was killed: signal 9" in complaint
                for child in children:
                    assert not Path(f"/proc/{child}").exists(), "a worker was left behind"
                (run,) = rows(self.folder / "out", "runs")
                assert run["status"] == "failed"
        assert segments() - before == set()
