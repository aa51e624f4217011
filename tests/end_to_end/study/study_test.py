"""Runs the studies of best-effort communication with the program that $LAXITY_PROGRAM names."""

import functools
import os
import signal
import statistics
import subprocess
import time

import pytest
from kit import PROGRAM, InFolder, laxity, read_manifest, rows

RANKS_RUN = os.environ["LAXITY_RANKS_RUN"] == "1"
study = functools.partial(laxity, "study")


class TestStudies(InFolder):
    @pytest.fixture(autouse=True)
    def _in_a_directory_of_its_own(self, _in_folder):
        self.output = self.folder / "study"

    def whole(self, *arguments):
        code, printed, complaint = study(*arguments, "--output", self.output)
        assert code == 0, complaint
        manifest = read_manifest(self.output)
        assert manifest["status"] == "done"
        assert manifest["configuration"]["study"] == arguments[0]
        return rows(self.output, "runs"), rows(self.output, "qos"), printed

    def test_work_is_added_to_every_update(self):
        runs, qos, _ = self.whole("work", "--units", "0,100000", "--replicates", 2, "--duration", 0.3, "--window", 0.1)
        assert [run["work"] for run in runs] == ["0", "100000"] * 2
        period = {run["run"]: [] for run in runs}
        for row in qos:
            period[row["run"]].append(float(row["simstep_period_ns"]))
        assert min(period["1"]) > 100_000  # a draw takes longer than a nanosecond on any machine
        assert min(period["0"]) < min(period["1"])

    @pytest.mark.skipif(not RANKS_RUN, reason="no MPI, or a sanitizer that reports the leaks of the MPI")
    def test_threads_and_processes_with_and_without_a_mutex(self):
        runs, qos, _ = self.whole("threads-vs-processes", "--replicates", 1, "--duration", 1, "--window", 0.3)
        found = [(run["shape"], run["guard"]) for run in runs]
        guarded = [("2t", "mutex"), ("2p", "mutex")]
        assert found == [("2t", "lock-free"), ("2p", "lock-free"), ("2r", "lock-free"), *guarded]
        kinds = {row["run"]: row["neighbor_kind"] for row in qos if row["from_worker"] != row["to_worker"]}
        assert kinds["2"] == "host"  # the ranks exchange messages, although they are on one host
        assert kinds["1"] == "process"

    def test_a_worker_is_slowed_or_stopped_and_the_others_go_on(self):
        runs, qos, _ = self.whole(
            "faulty", "--workers", 3, "--replicates", 1, "--duration", 1, "--window", 0.2, "--pause", "5ms"
        )
        assert [run["fault"] for run in runs] == ["none", "slow", "link", "stop"]
        lost = [row for row in qos if row["run"] == "2" and "1" in (row["from_worker"], row["to_worker"])]
        lost = [row for row in lost if row["from_worker"] != row["to_worker"]]
        others = [row for row in qos if row["run"] == "2" and {row["from_worker"], row["to_worker"]} == {"0", "2"}]
        arrived, of_others = (
            sum(int(row["received"]) for row in some) / sum(int(row["accepted"]) for row in some)
            for some in (lost, others)
        )
        assert arrived < 0.7
        assert of_others > arrived + 0.2
        assert {run["status"] for run in runs} == {"done"}
        workers = {(row["run"], row["worker"]): int(row["updates"]) for row in rows(self.output, "workers")}
        assert workers["1", "1"] < 300  # 5 ms at least each, in a second and what stopping takes
        assert workers["1", "0"] > 10 * workers["1", "1"]
        still = [row for row in qos if row["run"] == "3" and row["to_worker"] == "1" and row["updates"] == "0"]
        assert still, "worker 1 never stood still"
        assert {row["answered"] for row in still} == {"0"}

    def test_a_slow_worker_makes_no_median_between_others_worse_by_ten_percent(self):
        # The papers' claim on a faulty member. Virtual workers: neither the machine nor its load has a part in it.
        _, qos, _ = self.whole(
            "faulty", "--replay", "--workers", 16, "--replicates", 1, "--duration", 0.2, "--window", 0.05
        )
        qos = [row for row in qos if row["from_worker"] != row["to_worker"]]

        def median(run, metric, slow_worker):
            has_end = [
                row
                for row in qos
                if row["run"] == run and ("8" in (row["from_worker"], row["to_worker"])) is slow_worker
            ]
            return statistics.median(float(row[metric]) for row in has_end)

        for metric in ("simstep_period_ns", "simstep_latency_updates", "walltime_latency_ns", "delivery_clumpiness"):
            assert median("1", metric, False) <= 1.1 * median("0", metric, False), metric
        assert median("1", "delivery_failure_rate", False) == 0
        assert median("1", "simstep_latency_updates", True) > 10 * median("0", "simstep_latency_updates", True)
        assert median("1", "delivery_failure_rate", True) > 0.1

    def test_workers_of_a_fault_do_not_outnumber_the_cores(self):
        for name in ("faulty", "react"):
            self.output = self.output.with_name(name)
            runs, _, _ = self.whole(name, "--replicates", 1, "--duration", 0.05, "--window", 0.02)
            assert {int(run["workers"]) for run in runs} == {max(2, min(64, len(os.sched_getaffinity(0))))}

    def test_each_reaction_runs_beside_a_slow_worker(self):
        runs, qos, _ = self.whole(
            "react", "--replay", "--workers", 4, "--replicates", 1, "--duration", 0.2, "--window", 0.05
        )
        assert [(run["fault"], run["reaction"]) for run in runs] == [
            ("none", "none"),
            ("slow", "none"),
            ("slow", "cadence"),
            ("slow", "depth"),
            ("slow", "latest"),
        ]
        reaction = {run["run"]: (run["fault"], run["reaction"]) for run in runs}
        last = [row for row in qos if row["snapshot"] == "3" and row["from_worker"] != "2" and row["to_worker"] == "2"]
        failure = {reaction[row["run"]]: float(row["delivery_failure_rate"]) for row in last}
        assert failure["none", "none"] == 0
        assert failure["slow", "none"] > 0.3  # 64 of some 100 frames have room
        assert failure["slow", "depth"] == failure["slow", "none"]
        assert failure["slow", "cadence"] < 0.2
        assert failure["slow", "latest"] == 0
        superseded = {reaction[row["run"]]: int(row["superseded"]) for row in last}
        assert superseded["slow", "latest"] > 0

    def test_parts_leave_a_slow_worker(self):
        for teams in ("threads", "processes"):
            self.output = self.output.with_name(teams)
            runs, _, printed = self.whole(
                "react", "--teams", teams, "--workers", 3, "--nodes", 256, "--replicates", 1, "--duration", 0.8,
                "--window", 0.1, "--pause", "40ms"
            )  # fmt: skip
            in_parts = {(run["fault"], run["reaction"]): run for run in runs if run["parts_per_worker"] == "4"}
            assert set(in_parts) == {("none", "none"), ("slow", "none"), ("slow", "migrate")}
            assert {run["moves"] for run in runs if run["reaction"] != "migrate"} == {"0"}
            moved = in_parts["slow", "migrate"]
            assert int(moved["moves"]) >= 1
            assert {run["nodes_per_worker"] for run in runs} == {"256"}
            assert {run["status"] for run in runs} == {"done"}
            assert "moves" in printed
            assert "256 nodes in 4 parts each, worker 1 slow, migrate" in printed

    def test_performance_has_every_mode_of_every_team(self):
        runs, _, printed = self.whole(
            "performance",
            "--workers",
            "1,2",
            "--teams",
            "threads",
            "--replicates",
            1,
            "--duration",
            0.05,
            "--nodes",
            64,
        )
        expected = [(w, str(m), "shared") for w in "12" for m in range(5)] + [("2", "4", "own_tori")]
        assert [(run["workers"], run["mode"], run["mesh"]) for run in runs] == expected
        assert "share of mode 4" in printed

    def test_evolution_has_every_mode_of_every_team(self):
        options = ["--teams", "threads", "--workers", "1,2", "--replicates", 1, "--cells", 25]
        runs, _, printed = self.whole("evolution", *options, "--duration", 0.1, "--window", 0.05)
        assert [(run["workers"], run["mode"]) for run in runs] == [(w, str(m)) for w in "12" for m in range(5)]
        assert "2t, mode 4 isolated" in printed
        assert read_manifest(self.output)["configuration"]["study"] == "evolution"

    def test_an_interrupted_simulated_study_goes_on_to_the_same_rows(self):
        options = [
            "weak-scaling",
            "--replay",
            "--workers",
            "4,16",
            "--replicates",
            6,
            "--duration",
            0.1,
            "--window",
            0.025,
        ]
        whole = self.output.with_name("whole")
        code, _, complaint = study(*options, "--output", whole)
        assert code == 0, complaint
        for end in (signal.SIGINT, signal.SIGKILL):
            with subprocess.Popen(
                [PROGRAM, "study", *map(str, options), "--output", str(self.output)],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            ) as interrupted:
                deadline = time.monotonic() + 60
                runs = self.output / "runs.csv"
                before = len(rows(self.output, "runs")) if runs.exists() else 0
                while time.monotonic() < deadline and (
                    not runs.exists() or len(rows(self.output, "runs")) < before + 2
                ):
                    time.sleep(0.005)
                interrupted.send_signal(end)
                interrupted.communicate(timeout=60)
        code, _, complaint = study(*options, "--output", self.output)
        assert code == 0, complaint
        for table in ("runs", "workers", "qos", "picture"):
            resumed, at_once = ({tuple(row.values()) for row in rows(path, table)} for path in (self.output, whole))
            assert resumed == at_once, table
            assert len(rows(self.output, table)) == len(rows(whole, table)), table

    def test_all_studies_of_the_papers_are_one_command_that_resumes(self):
        options = ("papers", "--only", "work,faulty", "--replicates", 2, "--duration", "400ms", "--output", self.output)
        code, printed, complaint = study(*options)
        assert code == 0, complaint
        assert "1 of 2: work: running; about 3 min" in printed
        assert read_manifest(self.output / "faulty")["status"] == "done"
        page = (self.output / "evidence.html").read_text(encoding="utf-8")
        assert 'href="faulty/report.html"' in page
        assert page.count("<tr") > 60  # claims that no run says anything about, too
        assert "laxity study timewarp" in page
        claims = rows(self.output, "claims")
        assert {claim["claim"] for claim in claims} >= {"A faulty member makes no median worse"}
        assert {claim["verdict"] for claim in claims} <= {"holds", "does not hold", "cannot be told here"}
        written = (self.output / "work" / "runs.csv").read_bytes()
        code, printed, complaint = study(*options)
        assert code == 0, complaint
        assert printed.count("done already") == 2
        assert (self.output / "work" / "runs.csv").read_bytes() == written

    def test_any_program_can_be_studied(self):
        job = [PROGRAM, "color", "--threads", "{n}", "--nodes", 16, "--duration", 0.5, "--window", 0, "--quiet"]
        job += ["--output", self.output.with_name("run-{run}")]
        options = ["custom", "--vary", "n=1,2", "--replicates", 2, "--window", 0.05, "--output", self.output]
        code, _, complaint = study(*options, "--", *job)
        assert code == 0, complaint
        runs = rows(self.output, "runs")
        assert {row["run"] for row in rows(self.output, "disturbances")} == {run["run"] for run in runs}
        assert [(run["treatment"], run["shape"], run["status"]) for run in runs] == [
            ("1", "1t", "done"),
            ("2", "2t", "done"),
        ] * 2
        assert all(float(run["updates_per_second_per_worker"]) > 0 for run in runs)
        links = {(row["from_worker"], row["to_worker"]) for row in rows(self.output, "qos") if row["run"] == "1"}
        assert links == {("0", "0"), ("0", "1"), ("1", "0"), ("1", "1")}
        code, _, complaint = study(*options, "--", *job)  # all is done: nothing runs again
        assert code == 0, complaint
        assert rows(self.output, "runs") == runs

    def test_a_program_that_fails_or_has_no_team_is_said(self):
        code, _, complaint = study("custom", "--replicates", 1, "--output", self.output, "--", "false")
        assert code == 1
        assert "exit code 1" in complaint
        code, _, complaint = study("custom", "--replicates", 1, "--output", self.output.with_name("b"), "--", "true")
        assert code == 1
        assert "no team was seen" in complaint
        for values, needle in (
            ("1,2", "{n}"),
            ("1,,2", "value 2 must have 1 to 200 printable characters"),
            ("1,a\tb", "value 2 must have 1 to 200 printable characters"),
            ("3,4,3", "the value 3 is there twice"),
        ):
            code, _, complaint = study("custom", "--vary", f"n={values}", "--", "true")
            assert code == 2, complaint
            assert needle in complaint

    def test_sizes_that_make_no_sense_are_usage(self):
        for arguments, needle in (
            (("performance", "--workers", 0), "--workers 0"),
            (("work", "--replicates", 0), "--replicates"),
            (("faulty", "--pause", 0), "--pause"),
            (("weak-scaling", "--interval", 0.1, "--duration", 1, "--window", 1), "--interval"),
            (("faulty", "--replay", "--teams", "threads"), "--teams"),
        ):
            code, _, complaint = study(*arguments)
            assert code == 2, (arguments, complaint)
            assert needle in complaint
