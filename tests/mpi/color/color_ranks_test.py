"""Runs `mpirun laxity color` as a user would: $LAXITY_MPIEXEC starts the ranks of $LAXITY_PROGRAM."""

import contextlib
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import kit
import pytest
from kit import PROGRAM, InFolder, case, read_manifest, rows, segments

MPIEXEC = os.environ["LAXITY_MPIEXEC"]
FOREIGN_MPIEXEC = os.environ.get("LAXITY_FOREIGN_MPIEXEC", "")

SURVIVAL = ("--with-ft", "ulfm")  # Open MPI 5: a rank may die and the others go on


def survives():
    """Whether the MPI goes on when one of its ranks has died."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        tried = subprocess.run([MPIEXEC, *SURVIVAL, "-n", "1", "true"], capture_output=True, timeout=60, check=False)
        return tried.returncode == 0
    return False


SURVIVES = survives()
SRUN = ["srun", "--mpi=pmi2" if "mpich" in MPIEXEC else "--mpi=pmix", "--overcommit"]


def has_slurm():
    with contextlib.suppress(FileNotFoundError, subprocess.TimeoutExpired):
        return subprocess.run([*SRUN, "-n", "2", "true"], capture_output=True, timeout=20, check=False).returncode == 0
    return False


def on_ranks(ranks, *arguments, mpiexec=MPIEXEC):
    """Run the program on a number of ranks to its end; see `kit.run`."""
    return kit.run(mpiexec, "-n", ranks, PROGRAM, *arguments)


def ours(complaint):
    """Lines of standard error that are not the launcher's."""
    return [line for line in complaint.splitlines() if line.startswith("laxity: ")]


def ranks_below(pid):
    """Processes of the program that `pid` or one of its children has started, in the order of their numbers."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in map(int, (task / "children").read_text(encoding="ascii").split()):
            found += [child] if runs_program(child) else ranks_below(child)
    return sorted(found)


def runs_program(pid):
    try:
        return os.path.samefile(os.readlink(f"/proc/{pid}/exe"), PROGRAM)
    except OSError:  # gone, or dead and not yet reaped
        return False


class TestOnRanks(InFolder):
    @pytest.fixture(autouse=True)
    def _nothing_is_left(self, _in_folder):
        before = segments()
        yield
        assert segments() - before == set(), "left behind in /dev/shm"

    def color(self, ranks, *arguments, name="run"):
        output = self.folder / str(name)
        code, printed, complaint = on_ranks(ranks, "color", "--output", output, *arguments)
        assert code == 0, complaint
        return output, printed

    def check_study(self, output, ranks, threads, kinds):
        """What holds for every study: a row for each worker, counts that add up, conflicts that the picture shows."""
        workers = rows(output, "workers")
        runs = rows(output, "runs")
        shape = f"{ranks}r" if threads == 1 else f"{ranks}r{threads}t"
        for run in runs:
            assert (run["shape"], run["status"]) == (shape, "done")
            mine = [worker for worker in workers if worker["run"] == run["run"]]
            assert [int(worker["worker"]) for worker in mine] == list(range(ranks * threads))
            assert [int(worker["process"]) for worker in mine] == [i // threads for i in range(ranks * threads)]
            assert sum(int(worker["updates"]) for worker in mine) == int(run["updates_total"])
            assert all(int(worker["updates"]) > 0 for worker in mine), mine
        assert {row["neighbor_kind"] for row in rows(output, "qos")} == kinds
        for row in rows(output, "qos"):
            count = {name: int(row[name]) for name in ("attempted", "accepted", "received", "pulls", "laden")}
            assert count["accepted"] <= count["attempted"]
            assert count["laden"] <= min(count["pulls"], count["received"])
            assert int(row["neighbor_kind"] == "same_thread") <= (row["from_worker"] == row["to_worker"])
        self.check_picture(output, runs)
        manifest = read_manifest(output)
        assert manifest["status"] == "done"
        assert len(manifest["hosts"]) == ranks
        assert "mpi" in manifest["versions"]

    def check_picture(self, output, runs):
        """Count conflicts anew from the colors of all nodes, which the ranks have written."""
        after = [row for row in rows(output, "picture") if row["when"] == "after"]
        assert after, "no picture"
        (run,) = [run for run in runs if run["run"] == after[0]["run"]]
        color = {(int(row["x"]), int(row["y"])): row["color"] for row in after}
        width, height = 1 + max(x for x, _ in color), 1 + max(y for _, y in color)
        assert len(color) == int(run["nodes"])
        conflicts = sum(color[x, y] == color[(x + 1) % width, y] for x, y in color)
        conflicts += sum(color[x, y] == color[x, (y + 1) % height] for x, y in color)
        assert conflicts == int(run["conflicts"])

    def study_nodes(self, different=f"{MPIEXEC} -n 2"):
        """Run the study of nodes with one short run of each treatment; its nodes are this one unless said otherwise."""
        done = subprocess.run(
            [PROGRAM, "study", "hosts", "--same", f"{MPIEXEC} -n 2", "--different", different, "--replicates", "1",
             "--duration", "1.5", "--window", "0.3", "--output", self.folder / "hosts"],
            capture_output=True, text=True, timeout=200, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    def test_ranks_of_one_machine_do_not_disturb_one_another(self):
        for shared in ("on", "off"):
            output, _ = self.color(
                2, "--shared-memory", shared, "--nodes", 64, "--duration", 0.4, "--window", 0.2, name=f"seen-{shared}"
            )
            (row,) = rows(output, "disturbances")
            assert row["host"] == "0", "both ranks see the same machine"
            processors = int(row["processors"])
            assert float(row["other_processors"]) <= processors

    def test_messages_between_ranks_are_timed_and_logged_by_one_clock(self):
        for threads, shared in ((1, "on"), (1, "off"), (2, "off")):
            for duration in (0.6, 3, 15):  # on a busy machine few messages arrive in a moment
                output, _ = self.color(
                    2, "--threads", threads, "--shared-memory", shared, "--nodes", 64, "--duration", duration,
                    "--window", duration / 2, "--one-way-latency", "--message-log", 64,
                    name=f"{threads}-{shared}-{duration}",
                )  # fmt: skip
                between = [row for row in rows(output, "qos") if row["from_worker"] != row["to_worker"]]
                timed = [row for row in between if int(row["timed"]) > 0]
                logged = rows(output, "messages")
                crossing = [
                    row for row in logged if int(row["from_worker"]) // threads != int(row["to_worker"]) // threads
                ]
                seen = [row for row in crossing if row["fate"] != "unseen"]
                if timed and seen:
                    break
            assert timed, "no message was timed"
            assert all(float(row["one_way_latency_ns"]) > 0 for row in timed), "the ranks read one clock"
            assert all(int(row["timed"]) <= int(row["laden"]) for row in timed)
            for worker in rows(output, "workers"):
                assert (worker["clock_offset_ns"], worker["clock_error_ns"]) == ("0", "0"), "the ranks read one clock"
            workers = {str(worker) for worker in range(2 * threads)}
            assert {row["from_worker"] for row in logged} <= workers
            assert seen, "no message between ranks has both its ends"
            assert all(int(row["seen_ns"]) > int(row["sent_ns"]) for row in seen)

    def test_the_study_of_nodes_starts_its_ranks_itself_and_goes_on(self):
        code, printed, complaint = self.study_nodes()
        assert code == 0, complaint
        assert "on 2 hosts" in printed
        runs = rows(self.folder / "hosts", "runs")
        found = [(run["shape"], run["hosts"], run["status"]) for run in runs]
        assert found == [("2r", "1", "done"), ("2r", "2", "done")]
        observed = [row for row in rows(self.folder / "hosts", "qos") if row["from_worker"] != row["to_worker"]]
        assert {row["run"] for row in observed} == {"0", "1"}
        assert {row["neighbor_kind"] for row in observed} == {"process"}
        assert all(int(row["attempted"]) > 0 for row in observed)
        assert read_manifest(self.folder / "hosts")["configuration"]["one_way_latency"] is True
        code, _, complaint = self.study_nodes()
        assert code == 0, complaint
        assert rows(self.folder / "hosts", "runs") == runs, "what was done is not done again"

    def test_a_launcher_that_cannot_start_ranks_is_named_and_nothing_is_left(self):
        code, _, complaint = self.study_nodes("no-such-launcher -n 2")
        assert code == 1
        (line,) = ours(complaint)
        assert "no-such-launcher" in line
        assert not (self.folder / "hosts").exists()

    def test_all_modes_on_two_ranks_that_share_memory(self):
        output, printed = self.color(2, "--mode", "0,1,2,3,4", "--duration", 0.6, "--nodes", 64)
        self.check_study(output, 2, 1, {"same_thread", "process"})
        assert len(printed.strip().splitlines()) == 1 + 1 + 5 + 1, printed  # once, not once a rank

    def test_all_modes_on_two_ranks_of_two_threads_over_messages_only(self):
        for threads in ("all", "one"):
            output, _ = self.color(2, "--threads", 2, "--mode", "0,1,2,3,4", "--duration", 0.6, "--nodes", 64,
                                   "--shared-memory", "off", "--mpi-threads", threads, name=threads)  # fmt: skip
            self.check_study(output, 2, 2, {"same_thread", "thread", "host"})
            assert read_manifest(output)["configuration"]["mpi_threads"] == threads

    def test_four_ranks_and_two_by_two(self):
        output, _ = self.color(4, "--mode", "0,3", "--duration", 0.6, "--nodes", 64, name="four")
        self.check_study(output, 4, 1, {"same_thread", "process"})
        output, _ = self.color(2, "--threads", 2, "--mode", "0,3", "--duration", 0.6, "--nodes", 64, name="two")
        self.check_study(output, 2, 2, {"same_thread", "thread", "process"})

    def test_every_variant_and_policy_over_messages_only(self):
        for number, options in enumerate(
            [
                ["--messages", "ready_send", "--packing", "plain"],
                ["--messages", "one_sided", "--packing", "aggregated"],
                ["--overflow", "drop_oldest", "--packing", "pooled"],
                ["--overflow", "latest", "--send-on-change", "--every", "2"],
            ]
        ):
            output, _ = self.color(2, "--duration", 0.6, "--nodes", 16, "--shared-memory", "off", *options, name=number)
            self.check_study(output, 2, 1, {"same_thread", "host"})

    def test_parts_may_move_between_ranks_that_share_memory(self):
        output, _ = self.color(
            2, "--threads", 2, "--duration", 0.6, "--nodes", 64, "--parts-per-worker", 3, "--react", "migrate"
        )
        self.check_study(output, 2, 2, {"same_thread", "thread", "process"})

    def test_a_study_goes_on_where_it_stopped(self):
        arguments = ("--mode", "3,4", "--duration", 0.1, "--nodes", 16)
        output, _ = self.color(2, *arguments)
        lines = (output / "runs.csv").read_text().splitlines(keepends=True)
        (output / "runs.csv").write_text("".join(lines[:2]))
        _, printed = self.color(2, *arguments)
        assert "1 runs are done already" in printed
        assert [run["run"] for run in rows(output, "runs")] == ["0", "1"]

    def test_what_is_wrong_is_said_once(self):
        out = self.folder / "out"
        for arguments, expected, needle in [
            (["--bogus"], 2, "--bogus"),
            (["--workers", "2t", "--output", out], 2, "--threads"),
            (["--processes", 2, "--output", out], 2, "--threads"),
            (["--replay", "--threads", 2, "--output", out], 2, "without"),
            (["--messages", "pigeons", "--output", out], 2, "pigeons"),
            (["--mutex", "--shared-memory", "off", "--output", out], 1, "mutex"),
            (["--parts-per-worker", 2, "--shared-memory", "off", "--output", out], 2, "several hosts"),
            (["--topology", "/no/such.graph", "--output", out], 1, "/no/such.graph"),
            (["--output", "/proc/nowhere/run"], 1, "/proc/nowhere"),
        ]:
            with case(arguments):
                code, _, complaint = on_ranks(2, "color", "--duration", 0.05, *arguments)
                assert code == expected, complaint
                assert len(ours(complaint)) == 1, complaint
                assert needle in ours(complaint)[0]

    @pytest.mark.skipif(
        not (FOREIGN_MPIEXEC and "NOTFOUND" not in FOREIGN_MPIEXEC), reason="there is no launcher of another MPI"
    )
    def test_the_launcher_of_another_mpi_is_named(self):
        code, _, complaint = on_ranks(2, "color", "--output", self.folder / "out", mpiexec=FOREIGN_MPIEXEC)
        assert code == 1, complaint
        assert len(ours(complaint)) == 1, complaint
        assert "was built with" in ours(complaint)[0]
        assert not (self.folder / "out").exists()

    def test_srun_that_tells_nothing_of_the_others_is_named(self):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PMI", "OMPI_COMM"))}
        done = subprocess.run(
            [PROGRAM, "color", "--output", self.folder / "out"],
            capture_output=True, text=True, timeout=100, check=False,
            env={**environment, "SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "2"},
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (1, ""), done.stderr
        (line,) = done.stderr.splitlines()
        assert "started by srun of Slurm" in line
        assert "srun --mpi=pmix (Open MPI) or --mpi=pmi2 (MPICH)" in line
        assert not (self.folder / "out").exists()

    def test_slurm_starts_the_ranks(self):
        if not has_slurm():
            pytest.skip("no Slurm that starts programs")
        output = self.folder / "out"
        done = subprocess.run(
            [*SRUN, "-n", "3", PROGRAM, "color", "--threads", "2", "--nodes", "64", "--mode", "3", "--replicates", "1",
             "--duration", "0.3", "--output", output],
            capture_output=True, text=True, timeout=100, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        (run,) = rows(output, "runs")
        assert run["shape"] == "3r2t"

    def start_and_wait(self, output, ranks=2, duration=0.4, launcher=(), options=()):
        """Start a study; return when its first run is done."""
        study = subprocess.Popen(
            [MPIEXEC, *launcher, "-n", str(ranks), PROGRAM, "color", "--replicates", "50", "--duration", str(duration),
             "--nodes", "16", "--output", str(output), *options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if (output / "runs.csv").exists() and rows(output, "runs"):
                return study
            time.sleep(0.05)
        study.kill()
        raise self.failureException("no run was done in a minute")

    def test_a_killed_rank_ends_the_job_and_leaves_what_was_done(self):
        output = self.folder / "killed"
        with self.start_and_wait(output) as study:
            victims = ranks_below(study.pid)
            assert len(victims) == 2
            os.kill(victims[-1], signal.SIGKILL)
            told, _ = study.communicate(timeout=60)  # MPICH's launcher complains to standard output
        assert study.returncode != 0
        assert "was killed" in told or "signal 9" in told or "KILLED" in told, told
        assert len([run for run in rows(output, "runs") if run["status"] == "done"]) >= 1
        deadline = time.monotonic() + 20  # the launcher's own patience with the ranks that are left
        while any(map(runs_program, victims)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not any(map(runs_program, victims)), "a rank is left"

    def test_a_stopped_rank_is_named_after_the_grace_period_and_does_not_keep_the_run_from_its_end(self):
        for memory in ("on", "off"):
            with case(shared_memory=memory):
                output = self.folder / f"stopped-{memory}"
                options = ("--mode", "3", "--shared-memory", memory, "--grace", "0.5")
                with self.start_and_wait(output, 2, 2, options=options) as study:
                    time.sleep(0.5)  # into the second run
                    victims = ranks_below(study.pid)
                    os.kill(victims[1], signal.SIGSTOP)
                    told, _ = study.communicate(timeout=60)
                assert study.returncode != 0
                within = 0.5 if memory == "on" else 1  # other hosts are given twice the time
                (line,) = [line for line in ours(told) if "rank 1" in line]
                assert (
                    f"worker 1 (rank 1, thread 0) was killed: it did not end within {within} s of the request to stop"
                    in line
                )
                assert [run["status"] for run in rows(output, "runs")] == ["done", "lost a worker"]
                deadline = time.monotonic() + 20
                while any(map(runs_program, victims)) and time.monotonic() < deadline:
                    time.sleep(0.05)
                assert not any(map(runs_program, victims)), "a rank is left"

    @pytest.mark.skipif(not SURVIVES, reason="this MPI ends all ranks when one dies")
    def test_the_others_go_on_to_the_end_of_the_run_where_the_mpi_survives(self):
        for memory in ("on", "off"):
            for victim in (2, 0):
                with case(shared_memory=memory, victim=victim):
                    output = self.folder / f"survived-{memory}-{victim}"
                    with self.start_and_wait(
                        output, 3, 2, SURVIVAL, ["--mode", "3", "--shared-memory", memory]
                    ) as study:
                        time.sleep(0.5)  # into the second run
                        os.kill(ranks_below(study.pid)[victim], signal.SIGKILL)
                        told, _ = study.communicate(timeout=60)
                    assert study.returncode == 1, told
                    assert f"worker {victim} (rank {victim}, thread 0) was killed" in told
                    done, *rest = rows(output, "runs")
                    assert [run["status"] for run in rest] == (["lost a worker"] if victim else [])
                    if victim:  # rank 0 has kept the time; a run cut short would have made a quarter of the updates
                        first, second = (self.updates_of_worker_0(output, run["run"]) for run in (done, *rest))
                        assert second > first / 2

    def updates_of_worker_0(self, output, run):
        found = [row for row in rows(output, "workers") if row["run"] == run and row["worker"] == "0"]
        return int(found[0]["updates"])

    def test_an_interrupted_study_says_so(self):
        output = self.folder / "interrupted"
        with self.start_and_wait(output) as study:
            study.send_signal(signal.SIGINT)
            study.communicate(timeout=60)
        if "mpich" not in MPIEXEC:  # whose launcher may end with 0 after Ctrl-C, whatever its ranks end with
            assert study.returncode != 0
        assert len([run for run in rows(output, "runs") if run["status"] == "done"]) >= 1

    def test_doctor_tells_what_the_ranks_find(self):
        code, printed, complaint = on_ranks(2, "doctor", "--json")
        assert code == 0, complaint
        (finding,) = [finding for finding in json.loads(printed) if finding["subject"] == "MPI"]
        assert "2 ranks on 1 host" in finding["found"]
        assert "MPI_THREAD" in finding["found"]
