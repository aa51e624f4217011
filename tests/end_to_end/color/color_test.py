"""Runs `laxity color` of the program that $LAXITY_PROGRAM names, as a user would."""

import contextlib
import functools
import itertools
import json
import os
import pty
import random
import re
import resource
import signal
import subprocess
import time
from pathlib import Path

from kit import PROGRAM, InFolder, case, children_of, eventually, laxity, read_manifest, rows, segments, start

color = functools.partial(laxity, "color")


class TestStudy(InFolder):
    def test_all_modes_on_threads_processes_and_both(self):
        output = self.folder / "study"
        code, printed, complaint = color(
            "--workers", "1t,2t,1p,2p,2p2t", "--mode", "0,1,2,3,4", "--duration", 0.1, "--nodes", 64, "--output", output
        )
        assert code == 0, complaint
        runs = rows(output, "runs")
        assert len(runs) == 25
        assert sorted(int(run["run"]) for run in runs) == list(range(25))
        for run in runs:
            assert run["status"] == "done"
            assert int(run["updates_total"]) > 0
            assert int(run["nodes"]) == 64 * int(run["workers"])
        workers = rows(output, "workers")
        assert len(workers) == sum(int(run["workers"]) for run in runs)
        for run in runs:
            updates = sum(int(worker["updates"]) for worker in workers if worker["run"] == run["run"])
            assert updates == int(run["updates_total"])
        assert len(printed.strip().splitlines()) == 5 + 1 + 25 + 1  # partitions, head, treatments, where
        assert read_manifest(output)["status"] == "done"

    def test_isolated_workers_with_a_torus_each_solve_it_and_have_no_links(self):
        output = self.folder / "study"
        code, printed, complaint = color(
            "--workers", "1t,2t,2p", "--mode", "4", "--own-tori", "--duration", 0.3, "--nodes", 256, "--output", output
        )  # fmt: skip
        assert code == 0, complaint
        found = [(run["shape"], run["mesh"]) for run in rows(output, "runs")]
        of_two = [(shape, mesh) for shape in ("2t", "2p") for mesh in ("shared", "own_tori")]
        assert found == [("1t", "shared"), *of_two]
        for run in rows(output, "runs"):
            if run["workers"] == "2":
                assert run["edges"] == str(4 * 512)
            if run["mesh"] == "own_tori":
                assert run["conflicts"] == "0", run
        between = [row for row in rows(output, "qos") if row["from_worker"] != row["to_worker"]]
        assert {row["run"] for row in between} == {"1", "3"}  # links of the shared meshes
        assert "256 nodes each, a torus each" in printed
        assert "on a torus each" in printed
        (self.folder / "edge.edgelist").write_text("0 1\n")
        code, _, complaint = color("--topology", self.folder / "edge.edgelist", "--threads", 2, "--own-tori")
        assert code == 2
        assert "--own-tori: requires the topology torus" in complaint

    def test_a_run_beside_another_program_is_marked_and_repeated(self):
        output = self.folder / "study"
        spinners = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(os.cpu_count() or 1)]
        try:
            arguments = ("--threads", 1, "--nodes", 64, "--duration", 0.3, "--output", output, "--until-quiet")
            code, _, complaint = color(*arguments)
        finally:
            for spinner in spinners:
                spinner.kill()
                spinner.wait()
        assert code == 0, complaint
        assert complaint.count("disturbed (") == 4
        (row,) = rows(output, "disturbances")
        assert row["attempts"] == "5"
        assert "others" in row["disturbance"]
        assert float(row["other_processors"]) > 0.05 * int(row["processors"])
        assert len(rows(output, "runs")) == 1

    def test_a_replayed_run_cannot_be_disturbed(self):
        output = self.folder / "study"
        code, _, complaint = color("--replay", "--threads", 2, "--nodes", 16, "--duration", 0.01, "--output", output)
        assert code == 0, complaint
        assert rows(output, "disturbances") == []

    def test_counts_are_conserved_in_every_snapshot(self):
        output = self.folder / "study"
        code, _, complaint = color(
            "--workers", "2t,2p", "--mode", "3", "--nodes", 1, "--send-depth", 64, "--duration", 0.4, "--window", 0.1,
            "--output", output,
        )  # fmt: skip
        assert code == 0, complaint
        snapshots = [row for row in rows(output, "qos") if row["from_worker"] != row["to_worker"]]
        assert len(snapshots) >= 8
        for row in snapshots:
            count = {name: int(row[name]) for name in ("attempted", "accepted", "received", "pulls", "laden")}
            assert count["accepted"] <= count["attempted"]
            assert count["laden"] <= min(count["pulls"], count["received"])
            for metric in ("delivery_failure_rate", "delivery_clumpiness"):
                assert 0 <= float(row[metric]) <= 1, row
            for metric in ("simstep_period_ns", "simstep_latency_updates", "walltime_latency_ns"):
                assert float(row[metric]) >= 0, row
        # On a busy machine a worker may have no core for a whole window, in which its figures are 0.
        laden = [row for row in snapshots if int(row["laden"]) > 0]
        assert any(float(row["simstep_period_ns"]) > 0 and float(row["walltime_latency_ns"]) > 0 for row in laden)

    def test_what_is_accepted_is_received_or_superseded(self):
        # With a barrier after every update both ends of a link answer the observer at the same update or the next one,
        # and a frame is pulled in the update after its flush: at each end of a window at most two frames are counted at
        # one end of the link only. With 500 frames in a window, of which a machine without other load makes many times
        # more, a transport that loses 1 % exceeds that.
        for packing, overflow in itertools.product(
            ("state", "pooled", "aggregated", "plain"), ("drop_newest", "drop_oldest")
        ):
            output = self.folder / f"{packing}_{overflow}"
            code, _, complaint = color(
                "--workers", "2t,2p", "--mode", "0", "--nodes", 16, "--duration", 0.5, "--window", 0.2,
                "--packing", packing, "--overflow", overflow, "--output", output,
            )  # fmt: skip
            assert code == 0, complaint
            snapshots = [row for row in rows(output, "qos") if row["from_worker"] != row["to_worker"]]
            assert len(snapshots) >= 4
            for row in snapshots:
                # A frame of a StateLayer counts as one message, those of the others as one of each channel.
                frame = 1 if packing == "state" else int(row["channels"])
                missing = int(row["accepted"]) - int(row["superseded"]) - int(row["received"])
                assert abs(missing) <= 4 * frame, row
            assert sum(int(row["attempted"]) for row in snapshots) > 0

    def test_packings_views_and_policies_all_run(self):
        for number, options in enumerate(
            [
                ["--packing", "pooled"],
                ["--packing", "aggregated"],
                ["--packing", "plain"],
                ["--view", "block"],
                ["--overflow", "drop_oldest"],
                ["--overflow", "latest"],
                ["--mutex"],
                ["--send-on-change", "--every", "3"],
                ["--work", "100", "--jitter", "500ns"],
                ["--parts-per-worker", "5", "--react", "migrate", "--view", "block", "--mode", "3"],
            ]
        ):
            output = self.folder / str(number)
            code, _, complaint = color("--workers", "2t,2p", "--duration", 0.1, "--output", output, *options)
            assert code == 0, (options, complaint)
            assert len(rows(output, "runs")) == 2

    def test_aggregated_frames_hold_every_edge_to_a_neighbor(self):
        output = self.folder / "study"
        code, _, complaint = color(
            "--threads", 2, "--packing", "aggregated", "--partition", "random", "--duration", 1, "--output", output
        )  # fmt: skip
        assert code == 0, complaint
        run = rows(output, "runs")[0]  # frames too small for most of them leave about a fifth of the edges in conflict
        assert int(run["conflicts"]) < int(run["edges"]) / 2 / 20

    def test_a_graph_file_and_a_partition_file(self):
        graph = self.folder / "cycle.graph"
        graph.write_text("6 6\n2 6\n1 3\n2 4\n3 5\n4 6\n5 1\n")
        parts = self.folder / "cycle.part"
        parts.write_text("0\n1\n0\n1\n0\n1\n")
        output = self.folder / "study"
        arguments = ("--topology", graph, "--partition", parts, "--threads", 2, "--duration", 0.2, "--output", output)
        code, printed, complaint = color(*arguments)
        assert code == 0, complaint
        assert "12 of 12 edges cut" in printed
        assert "2t, mode 3 none, 6 nodes in all " in printed
        assert rows(output, "runs")[0]["conflicts"] == "0"
        assert rows(output, "runs")[0]["nodes"] == "6"
        manifest = read_manifest(output)
        assert "nodes_per_worker" not in manifest["configuration"], "--nodes, which the file overrules"

        # A study of a version that recorded --nodes, in its table too, is not continued.
        manifest["configuration"]["nodes_per_worker"] = 2048
        (output / "manifest.json").write_text(json.dumps(manifest))
        code, _, complaint = color(*arguments)
        assert code == 2, complaint
        assert "holds another study (nodes_per_worker is no option now)" in complaint

    def test_an_interrupted_study_goes_on_to_the_same_rows(self):
        output = self.folder / "study"
        arguments = ["--workers", "2t,2p", "--mode", "0,3", "--replicates", "3", "--duration", "0.2", "--nodes", "64"]
        with subprocess.Popen(
            [PROGRAM, "color", *arguments, "--output", output],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        ) as study:  # fmt: skip
            table = output / "runs.csv"
            while not table.exists() or table.read_text(encoding="ascii").count("\n") < 3:
                assert study.poll() is None, "the study ended before it had two runs"
                time.sleep(0.001)
            study.send_signal(signal.SIGINT)  # between two runs, most likely
            _, complaint = study.communicate(timeout=20)
            assert study.returncode == 1
        assert "resumes" in complaint
        done = rows(output, "runs")
        assert 0 < len(done) < 12, done
        with open(output / "runs.csv", "a", encoding="ascii") as file:
            file.write("99,0,every")  # as a crash leaves it
        code, printed, complaint = color(*arguments, "--output", output)
        assert code == 0, complaint
        table = re.findall(r"^2[tp], mode \d .* nodes each +(\d+) ", printed, re.MULTILINE)
        assert table == ["3"] * 4, f"the table has the runs before the interruption, too: {printed}"
        whole = rows(output, "runs")
        assert whole[: len(done)] == done
        assert [int(run["run"]) for run in whole] == list(range(12))
        names = ("shape", "mode", "replicate", "seed")
        seeds = [[run[name] for name in names] for run in whole]
        fresh = self.folder / "fresh"
        color(*arguments, "--output", fresh)
        assert seeds == [[run[name] for name in names] for run in rows(fresh, "runs")]

    def ended(self, *arguments, how):
        """Start a study of two processes, let `how` act on it and its first worker; returns code, complaint, output."""
        output = self.folder / "study"
        with start("color", "--processes", 2, "--nodes", 64, "--output", output, *arguments) as study:
            eventually(lambda: len(children_of(study.pid)) == 2)
            time.sleep(0.5)  # they are updating
            workers = children_of(study.pid)
            how(study, workers[0])
            _, complaint = study.communicate(timeout=40)
        assert not any(Path(f"/proc/{worker}").exists() for worker in workers)
        return study.returncode, complaint, output

    def test_a_run_lasts_as_long_as_it_is_told_also_below_a_second(self):
        output = self.folder / "study"
        code, _, complaint = color(
            "--threads", 1, "--nodes", 16, "--duration", 0.3, "--replicates", 8, "--output", output
        )
        assert code == 0, complaint
        elapsed_s = [int(worker["elapsed_ns"]) * 1e-9 for worker in rows(output, "workers")]
        assert min(elapsed_s) >= 0.25  # a timer that ticks once a second ends one of eight earlier, and few as early as
        assert sorted(elapsed_s)[3] < 0.5  # half of them have to

    def test_the_progress_line_is_drawn_at_most_ten_times_a_second(self):
        reader, terminal = pty.openpty()
        begin = time.monotonic()
        with start("color", "--threads", 2, "--duration", 1.5, "--output", self.folder / "out", stderr=terminal) as run:
            assert run.wait(timeout=40) == 0
        seconds = time.monotonic() - begin
        os.close(terminal)
        drawn = b""
        with contextlib.suppress(OSError):  # the end of a terminal
            while piece := os.read(reader, 1 << 16):
                drawn += piece
        os.close(reader)
        assert 3 <= drawn.count(b"%") <= 10 * seconds + 1

    def test_a_signal_to_one_worker_interrupts_the_study_which_repeats_the_run(self):
        arguments = ("--duration", 2, "--replicates", 2)
        code, complaint, output = self.ended(*arguments, how=lambda _, worker: os.kill(worker, signal.SIGTERM))
        assert code == 1
        assert complaint.startswith("laxity: interrupted by signal 15, Terminated, to process 0; "), complaint
        assert rows(output, "runs") == []
        manifest = read_manifest(output)
        assert (manifest["status"], manifest["reason"]) == ("interrupted", "signal 15, Terminated, to process 0")
        code, _, complaint = color("--processes", 2, "--nodes", 64, *arguments, "--output", output)
        assert code == 0, complaint
        assert [run["status"] for run in rows(output, "runs")] == ["done", "done"]
        assert "reason" not in read_manifest(output)

    def test_one_interrupt_ends_a_study_although_a_worker_is_stopped(self):
        def stop(study, worker):
            os.kill(worker, signal.SIGSTOP)
            study.send_signal(signal.SIGINT)

        before = segments()
        code, complaint, output = self.ended("--duration", 60, "--grace", 0.5, how=stop)
        assert code == 1
        assert complaint.startswith(
            "laxity: interrupted by signal 2, Interrupt; worker 0 (process 0, thread 0) was killed: "
            "it did not end within 0.5 s of the request to stop; "
        ), complaint
        assert complaint.count("\n") == 1
        assert read_manifest(output)["status"] == "interrupted"
        assert segments() == before

    def test_a_worker_that_is_stopped_does_not_keep_a_run_from_its_end(self):
        code, complaint, output = self.ended(
            "--duration", 2, "--grace", 0.5, how=lambda _, worker: os.kill(worker, signal.SIGSTOP)
        )
        assert code == 1
        assert "worker 0 (process 0, thread 0) was killed: it did not end within 0.5 s" in complaint
        assert [run["status"] for run in rows(output, "runs")] == ["lost a worker"]

    def test_another_study_in_the_same_directory_is_refused(self):
        output = self.folder / "study"
        assert color("--duration", 0.05, "--output", output)[0] == 0
        code, _, complaint = color("--duration", 0.06, "--output", output)
        assert code == 2, complaint


class TestSimulated(InFolder):
    """`--replay`: virtual workers in one thread, replayed bit by bit from the seed."""

    FAULTS = ("--loss", 0.2, "--delay", "3us", "--delay-spread", "20us", "--overtaking", 4, "--stall", 0.01,
              "--stall-time", "100us", "--slow", "2:8", "--freeze", "4ms", 0.006)  # fmt: skip

    def simulate(self, name, *arguments, seed=7):
        """Simulate four workers; returns the run directory and what was printed about each run."""
        output = self.folder / name
        code, printed, complaint = color(
            "--replay", "--workers", "4t", "--nodes", 64, "--duration", 0.02, "--seed", seed, "--output", output,
            *arguments,
        )  # fmt: skip
        assert code == 0, complaint
        return output, [line for line in printed.splitlines() if line.startswith("run ")]

    def assert_same_tables(self, first, second):
        for table in ("runs", "workers", "qos", "picture"):
            assert (first / f"{table}.csv").read_bytes() == (second / f"{table}.csv").read_bytes(), table

    def test_the_same_seed_gives_the_same_run_and_another_seed_another(self):
        for packing in ("state", "pooled", "aggregated", "plain"):
            arguments = (*self.FAULTS, "--packing", packing, "--replicates", 2, "--mode", "3,4")
            first, told = self.simulate(f"{packing}-first", *arguments)
            again, told_again = self.simulate(f"{packing}-again", *arguments)
            assert len(told) == 4
            assert told == told_again
            self.assert_same_tables(first, again)
            digests = {line.split("digest ")[1] for line in told}
            assert len(digests) == 4, told
            _, told_other = self.simulate(f"{packing}-other", *arguments, seed=1007)
            assert digests.isdisjoint(line.split("digest ")[1] for line in told_other)

    def test_both_views_give_the_same_run(self):
        _, by_node = self.simulate("node", *self.FAULTS)
        _, by_block = self.simulate("block", *self.FAULTS, "--view", "block")
        assert by_node == by_block

    def test_every_frame_is_lost_with_loss_1_and_none_without_faults(self):
        output, (told,) = self.simulate("lost", "--loss", 1)
        sent, refused, lost = (int(word) for word in re.findall(r"(\d+) (?:sent|refused|lost)", told))
        assert sent > 0
        assert (refused, lost) == (0, sent)
        between = [row for row in rows(output, "qos") if row["from_worker"] != row["to_worker"]]
        assert between
        for row in between:
            assert int(row["accepted"]) > 0
            assert row["received"] == "0"
        output, (told,) = self.simulate("whole")
        assert "0 lost" in told
        assert read_manifest(output)["configuration"]["replayed"] is True

    def test_a_slow_worker_makes_fewer_updates(self):
        output, _ = self.simulate("slow", "--slow", "2:8,3:0.5", "--period-spread", 0)
        updates = [int(row["updates"]) for row in rows(output, "workers")]
        assert updates == [1999, 1999, 249, 3999]  # the first ends one period after the start

    def test_time_is_virtual(self):
        output, _ = self.simulate("virtual", "--window", 0.005)
        (run,) = rows(output, "runs")
        assert run["duration_ns"] == "20000000"
        assert {row["elapsed_ns"] for row in rows(output, "workers")} == {"20000000"}
        snapshots = rows(output, "qos")
        assert {row["snapshot"] for row in snapshots} == {"0", "1", "2", "3"}
        assert {(row["window_ns"], row["answered"]) for row in snapshots} == {("5000000", "1")}

    def test_rows_per_channel_add_up_to_the_rows_per_link(self):
        faults = ("--packing", "plain", "--loss", 0.2, "--slow", "0:4", "--window", 0.01)
        summed, _ = self.simulate("summed", *faults)
        apart, _ = self.simulate("apart", *faults, "--per-channel")
        counts = ("channels", "attempted", "accepted", "superseded", "pulls", "laden", "received", "touches")
        sums, channels = {}, {}
        for row in rows(apart, "qos"):
            link = tuple(row[name] for name in ("snapshot", "from_worker", "to_worker"))
            channels.setdefault(link, set()).add(row["channel"])
            for name in counts:
                sums[link, name] = sums.get((link, name), 0) + int(row[name])
        links = rows(summed, "qos")
        assert len(channels) == len(links)
        for row in links:
            link = tuple(row[name] for name in ("snapshot", "from_worker", "to_worker"))
            assert {name: int(row[name]) for name in counts} == {name: sums[link, name] for name in counts}
            assert len(channels[link]) == int(row["channels"]), "every channel has its row"
        assert len(rows(apart, "qos")) > 3 * len(links)

    def test_an_interrupted_simulation_goes_on(self):
        whole, _ = self.simulate("whole", "--replicates", 3)
        cut, _ = self.simulate("cut", "--replicates", 3)
        lines = (cut / "runs.csv").read_text().splitlines(keepends=True)
        (cut / "runs.csv").write_text("".join(lines[:2]))
        cut, told = self.simulate("cut", "--replicates", 3)
        assert len(told) == 2, "the first run is done already"
        for table in ("runs", "workers", "qos"):
            assert rows(cut, table) == rows(whole, table)

    def test_bad_values(self):
        for arguments, needle in [
            (["--loss", 1.5], "--loss 1.5"),
            (["--loss", "nan"], "--loss"),
            (["--loss", "much"], "--loss"),
            (["--stall", -1], "--stall"),
            (["--delay", -1], "--delay -1"),
            (["--delay-spread", 101], "--delay-spread 101: must be 0s to 100s"),
            (["--stall-time", -5], "--stall-time"),
            (["--overtaking", 0], "--overtaking 0"),
            (["--overtaking", 10**9], "--overtaking"),
            (["--period", 0], "--period 0"),
            (["--period-spread", 1], "--period-spread 1"),
            (["--slow", "4:2"], "there are 4 workers"),
            (["--slow", "1:0"], "1:0"),
            (["--slow", "quick"], "quick"),
            (["--freeze", 2, 1], "--freeze 2 1"),
            (["--freeze", 1, "later"], "--freeze later: not a duration"),
            (["--mode", 0], "barrier"),
            (["--duration", 100000], "--period"),
            (["--mutex"], "--mutex"),
            (["--jitter", "5ns"], "--jitter"),
        ]:
            with case(arguments):
                code, _, complaint = color("--replay", "--threads", 4, "--output", self.folder / "out", *arguments)
                assert code == 2, complaint
                assert complaint.count("\n") == 1, complaint
                assert needle in complaint
                assert not (self.folder / "out").exists(), "something was written"
        assert "--threads" in color("--replay", "--workers", "2p")[2]
        assert color("--loss", 0.1)[0] == 2, "a fault without --replay"


class TestBadInput(InFolder):
    """One line that names what, where and what to do; nothing is started."""

    def expect(self, code, needles, *arguments, **options):
        actual, _, complaint = color("--duration", 0.05, "--output", self.folder / "out", *arguments, **options)
        assert actual == code, complaint
        assert complaint.count("\n") == 1, complaint
        for needle in needles:
            assert needle in complaint

    def test_more_links_than_memory_is_reserved_for(self):
        torus = ("--nodes", 16, "--threads", 2, "--partition", "round-robin", "--packing", "plain")
        self.expect(2, ["66 links", "at most 65", "--max-links 66"], *torus, "--max-links", 65)
        code, _, complaint = color(*torus, "--max-links", 66, "--duration", 0.1, "--output", self.folder / "out")
        assert code == 0, complaint

    def test_missing_graph_file(self):
        self.expect(1, ["/no/such.graph"], "--topology", "/no/such.graph")

    def test_malformed_graph_file_names_line_and_column(self):
        graph = self.folder / "bad.graph"
        graph.write_text("3 2\n2\n1 x\n2\n")
        self.expect(1, [f"{graph}:3:3:"], "--topology", graph)

    def test_more_workers_than_nodes(self):
        graph = self.folder / "small.edgelist"
        graph.write_text("0 1\n1 2\n")
        self.expect(2, ["3", "4"], "--topology", graph, "--threads", 4, "--partition", "contiguous")

    def test_unknown_option(self):
        self.expect(2, ["did you mean --threads?"], "--thread", 2)

    def test_unwritable_output(self):
        code, _, complaint = color("--output", "/proc/nowhere/run")
        assert code == 1, complaint
        assert "/proc/nowhere" in complaint

    def test_zero_duration(self):
        code, _, complaint = color("--duration", 0, "--output", self.folder / "out")
        assert code == 2
        assert "duration" in complaint

    def test_values_out_of_range(self):
        for arguments, needle in [
            (["--mode", "5"], "5"),
            (["--mode", "better-effort"], "3 best-effort"),
            (["--duration", "1e9"], "--duration 1e9: must be 1ns to 1000000s"),
            (["--duration", "5 days"], "write 1.5s, 200ms, 20us"),
            (["--duration", "nan"], "--duration nan: not a duration"),
            (["--window", "-1s"], "--window -1s: must be 0s"),
            (["--jitter", "500"], "--jitter 500: must be 0s to 1s"),
            (["--threads", "0"], "--threads 0: must be at least 1"),
            (["--processes", "0"], "--processes 0: must be at least 1"),
            (["--replicates", "0"], "--replicates 0: must be at least 1"),
            (["--message-log", "-1"], "--message-log -1: must not be negative"),
            (["--nodes", "-1"], "--nodes -1: must not be negative"),
            (["--workers", "2x"], "2x"),
            (["--workers", "0t"], "0t"),
            (["--colors", "1"], "colors 1"),
            (["--nodes", "0"], "0 nodes"),
            (["--send-depth", "0"], "send depth 0"),
            (["--packing", "crate"], "crate"),
            (["--overflow", "burst"], "burst"),
            (["--partition", "magic"], "magic"),
            (["--react", "migrate"], "2 parts per worker"),
            (["--parts-per-worker", "0"], "--parts-per-worker 0"),
            (["--parts-per-worker", "2", "--nodes", "1"], "one part per node"),
            (["--parts-per-worker", "2", "--packing", "plain"], "packing state"),
            (["--parts-per-worker", "2", "--react", "cadence"], "migrate alone"),
            (["--view", "block", "--packing", "plain"], "block view"),
            (["--send-on-change", "--packing", "pooled"], "send_on_change"),
            (["--mutex", "--overflow", "latest", "--threads", "2"], "drop_newest"),
            (
                [
                    "--per-channel",
                    "--packing",
                    "plain",
                    "--partition",
                    "random",
                    "--threads",
                    "2",
                    "--window",
                    "0.0001",
                    "--replicates",
                    "20",
                ],
                "--per-channel",
            ),
        ]:
            with case(arguments):
                given = [] if "--duration" in arguments else ["--duration", 0.05]
                actual, _, complaint = color("--output", self.folder / "out", *given, *arguments)
                assert actual != 0
                assert needle in complaint
                assert not (self.folder / "out").exists(), "something was written"

    def test_full_disk(self):
        def little_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

        self.expect(1, [".csv"], "--nodes", 2048, preexec_fn=little_room)


class TestKilledWorkers(InFolder):
    def kill_one(self, mode, seed):
        output = self.folder / f"run{mode}-{seed}"
        with subprocess.Popen(
            [PROGRAM, "color", "--processes", "3", "--mode", str(mode), "--duration", "1.2", "--nodes", "64", "--quiet",
             "--output", output],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ) as study:  # fmt: skip
            while len(children_of(study.pid)) < 3:
                time.sleep(0.005)
            children = children_of(study.pid)
            time.sleep(random.Random(seed).uniform(0, 0.4))
            victim = random.Random(seed).randrange(3)
            os.kill(children[victim], signal.SIGKILL)
            begin = time.monotonic()
            _, complaint = study.communicate(timeout=20)
            took = time.monotonic() - begin
        assert study.returncode == 1, complaint
        assert "was killed: signal 9" in complaint
        for child in children:
            assert not Path(f"/proc/{child}").exists(), "a worker was left behind"
        (run,) = rows(output, "runs")
        assert run["status"] == "lost a worker"
        return took, rows(output, "workers")

    def test_in_mode_3_the_others_go_on_to_the_end(self):
        for seed in range(5):
            _, workers = self.kill_one(3, seed)
            finished = [worker for worker in workers if worker["status"] == "finished"]
            assert len(finished) == 2, workers
            for worker in finished:
                assert int(worker["elapsed_ns"]) > 1_000_000_000

    def test_in_modes_with_barriers_the_others_end_at_once(self):
        for mode in (0, 1, 2):
            for seed in range(3):
                self.kill_one(mode, 100 * mode + seed)
