"""Traces jobs with several threads per process, with several programs, and jobs of which a part is traced."""

import json
import os
import resource
import shutil
from collections import Counter
from itertools import pairwise

from kit import PROGRAM
from traced_programs import (
    LIBRARY,
    PROCESSES,
    Traced,
    as_call,
    expected_calls,
    read_calls,
    read_table,
    run,
)


class TestThreads(Traced):
    def test_calls_of_several_threads_are_recorded_with_their_thread(self):
        for mpi in self.each_mpi():
            program = self.built(mpi, "threads.c", "-pthread")
            directory, output, _ = self.traced(mpi, program, processes=2)
            assert output == "sums 400 400 400 2\n"
            for rows in read_calls(directory).values():
                blocking = Counter((row["thread"], row["collective"]) for row in rows if row["start"] == "blocking")
                assert blocking == {
                    ("0", "barrier"): 1,
                    **{(str(i), "allreduce"): 200 for i in range(3)},
                }
                assert len({row["communicator"] for row in rows}) == 4
                of_thread = {row["communicator"]: row["thread"] for row in rows if row["start"] == "blocking"}
                (handed_over,) = (row for row in rows if row["start"] == "nonblocking")
                assert handed_over["thread"] == of_thread[handed_over["communicator"]] != "0"
                assert handed_over["completing_thread"] == "0"
                self.assert_slices_do_not_overlap(rows)
            (run_of,) = read_table(directory, "runs")
            assert 0 < float(run_of["share_in_collectives"]) <= 1
            for row in read_table(directory, "processes"):
                assert float(row["inside_s"]) <= float(row["elapsed_s"])

    def assert_slices_do_not_overlap(self, rows):
        for thread in {row["thread"] for row in rows}:
            ends = [(int(row["arrival_ns"]), int(row["return_ns"])) for row in rows if row["thread"] == thread]
            assert all(end <= begin for (_, end), (begin, _) in pairwise(sorted(ends)))

    def test_every_thread_has_a_lane_of_its_own(self):
        mpi = self.some_mpi()
        directory, _, _ = self.traced(mpi, self.built(mpi, "threads.c", "-pthread"), processes=2)
        code, text, _ = run(PROGRAM, "trace", "export", directory, "--format", "json")
        events = json.loads(text)["traceEvents"]
        names = {event["args"]["name"] for event in events if event["name"] == "thread_name"}
        assert code == 0
        assert names == {f"rank {rank}{thread}" for rank in (0, 1) for thread in ("", ", thread 1", ", thread 2")}
        lanes = Counter(event["tid"] for event in events if event["ph"] == "X")
        assert sorted(lanes.values()) == sorted([201 + 1, 200, 201] * 2)


class TestManyCalls(Traced):
    def test_every_call_is_in_the_summary_which_needs_little_memory(self):
        """A hundred thousand calls, and ten million with the long tests, which took 1.85 GB when calls were kept."""
        calls = 10_000_000 if int(os.environ.get("LAXITY_EFFORT", "1")) > 1 else 100_000
        for mpi in self.each_mpi():
            program = self.built(mpi, "cases.c", "-ldl")
            directory, _, complaint = self.traced(mpi, program, "many", calls // 2, processes=2)
            assert f"2 of 2 processes, {calls} calls recorded" in complaint
            assert [int(row["calls"]) for row in read_table(directory, "collectives")] == [calls // 2] * 2
            assert 50_000 <= len(read_table(directory, "calls")) <= 100_000
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
            assert run(PROGRAM, "trace", "summary", directory)[0] == 0
            assert max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) < 300_000, "KiB of any child"


class TestPartlyTraced(Traced):
    """The tracer calls no collective of MPI unless all processes have agreed to it."""

    def assert_output_is_unchanged(self, mpi, traced, plain):
        code, output, complaint = run(mpi.launch, *traced)
        assert code == 0, complaint
        assert output == run(mpi.launch, *plain)[1]

    def test_programs_of_several_contexts_are_one_job(self):
        for mpi in self.each_mpi():
            first = self.built(mpi, "collectives.c")
            second = self.built(mpi, "collectives.c", "-DSECOND")
            directory = self.folder / f"contexts_{mpi.name}"
            launched = (mpi.launch, "-n", 1, first, ":", "-n", 3, second)
            code, output, complaint = run(PROGRAM, "trace", "--output", directory, "--", *launched)
            assert code == 0, complaint
            assert output == run(*launched)[1]
            assert "4 of 4 processes" in complaint
            self.assert_calls(directory, expected_calls)
            assert len(list((directory / "trace").iterdir())) == PROCESSES

    def test_a_context_without_the_tracer_is_left_alone(self):
        for mpi in self.each_mpi():
            program = self.built(mpi, "collectives.c")
            directory = self.folder / f"one_context_{mpi.name}"
            tracer = ("env", f"LD_PRELOAD={LIBRARY}", f"LAXITY_TRACE_DIR={directory}")
            for traced_ranks in ((0, 1), (2, 3)):
                contexts = [("-n", 2, *(tracer if 0 in traced_ranks else ()), program), ":",
                            ("-n", 2, *(tracer if 2 in traced_ranks else ()), program)]  # fmt: skip
                words = [
                    word for context in contexts for word in (context if isinstance(context, tuple) else (context,))
                ]
                self.assert_output_is_unchanged(mpi, words, ("-n", PROCESSES, program))
                ranks = read_calls(directory)
                assert sorted(ranks) == list(traced_ranks)
                for rank, rows in ranks.items():
                    assert [as_call(row) for row in rows] == expected_calls(rank)
                _, summary, _ = run(PROGRAM, "trace", "summary", directory)
                assert summary.startswith("2 of 4 processes"), summary
                assert "not synchronized" not in summary, "processes of one host read the same clock"
                shutil.rmtree(directory)

    def test_one_process_without_the_tracer(self):
        for mpi in self.each_mpi():
            program = self.built(mpi, "collectives.c")
            directory = self.folder / f"all_but_one_{mpi.name}"
            script = f"if [ ${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}} != 2 ]; then export LD_PRELOAD={LIBRARY}; fi; exec $0"
            words = (
                "-n",
                PROCESSES,
                "env",
                f"LAXITY_TRACE_DIR={directory}",
                "sh",
                "-c",
                script,
                program,
            )
            self.assert_output_is_unchanged(mpi, words, ("-n", PROCESSES, program))
            assert sorted(read_calls(directory)) == [0, 1, 3]

    def test_jobs_at_the_same_time_in_one_folder_stay_apart(self):
        for mpi in self.each_mpi():
            program = self.built(mpi, "cases.c")
            directory = self.folder / f"together_{mpi.name}"
            job = f"{mpi.launch} -n 2 {program} children"
            code, _, complaint = run("sh", "-c", f"{job} & {job} & wait; {job}", LD_PRELOAD=LIBRARY,
                                     LAXITY_TRACE_DIR=directory)  # fmt: skip
            assert code == 0, complaint
            jobs = Counter(path.name.split("-")[0] for path in directory.iterdir())
            assert sorted(jobs.values()) == [2, 2, 2], "each job has its own number and leaves nothing else"
