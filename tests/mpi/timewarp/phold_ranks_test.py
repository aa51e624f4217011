"""Runs `mpirun laxity phold` as a user would: $LAXITY_MPIEXEC starts the ranks of $LAXITY_PROGRAM."""

import os

from kit import PROGRAM, InFolder, case, laxity, read_manifest, rows, run

MPIEXEC = os.environ["LAXITY_MPIEXEC"]
MODEL = ("--lps", 200, "--events-per-lp", 5, "--receivers", "remote", "--remote", 0.3, "--parts", 2, "--digest")


def on_ranks(ranks, *arguments):
    return run(MPIEXEC, "-n", ranks, PROGRAM, "phold", *arguments)


class TestModelsOnRanks(InFolder):
    def test_ranks_run_one_simulation(self):
        arguments = ("pcs", "--width", 6, "--height", 4, "--end-time", 60, "--digest", "--replicates", 2)
        code, _, complaint = laxity(*arguments, "--sequential", "--output", self.folder / "alone")
        assert (code, complaint) == (0, "")
        code, printed, complaint = run(MPIEXEC, "-n", 2, PROGRAM, *arguments, "--output", self.folder / "ranks")
        assert code == 0, complaint
        assert printed.count("2r, seed ") == 2, printed
        alone, ranks = (rows(self.folder / name, "runs") for name in ("alone", "ranks"))
        assert [run["digest"] for run in ranks] == [run["digest"] for run in alone]
        assert [run["workers"] for run in ranks] == ["2", "2"]


class TestPholdOnRanks(InFolder):
    def test_the_events_of_the_sequential_run_are_committed_however_ranks_are_joined(self):
        code, _, complaint = laxity("phold", "--sequential", *MODEL, "--output", self.folder / "alone")
        assert code == 0, complaint
        (alone,) = rows(self.folder / "alone", "runs")
        for ranks, threads, shared, sends in (
            (2, 1, "on", "all"), (2, 1, "off", "all"), (2, 2, "off", "all"), (2, 2, "off", "one"), (4, 1, "on", "all"),
            (3, 1, "off", "all"),
        ):  # fmt: skip
            with case(ranks=ranks, threads=threads, shared=shared, sends=sends):
                output = self.folder / f"{ranks}-{threads}-{shared}-{sends}"
                code, printed, complaint = on_ranks(
                    ranks, *MODEL, "--threads", threads, "--shared-memory", shared, "--mpi-threads", sends,
                    "--output", output,
                )  # fmt: skip
                assert code == 0, complaint
                assert printed.count("results in") == 1
                (one,) = rows(output, "runs")
                assert (one["committed"], one["digest"]) == (alone["committed"], alone["digest"])
                assert one["team"] == f"{ranks}r" + (f"{threads}t" if threads > 1 else "")
                assert len(rows(output, "workers")) == ranks * threads
                manifest = read_manifest(output)
                assert manifest["status"] == "done"
                assert "mpi" in manifest["versions"]
        assert [name for name in os.listdir("/dev/shm") if "laxity" in name] == []

    def test_what_contradicts_the_launcher_is_refused_once(self):
        between_threads = (("--exchange", "mutex"), ("--events", "shared"))
        for options in (("--sequential",), ("--processes", 2), *between_threads, ("--lps", 1)):
            with case(options):
                code, _, complaint = on_ranks(2, *options, "--output", self.folder / "refused")
                assert code == 2, complaint
                ours = [line for line in complaint.splitlines() if line.startswith("laxity: ")]
                assert len(ours) == 1, complaint
                assert not (self.folder / "refused").exists()

    def test_ranks_that_disagree_end_before_the_run(self):
        for option, value in (("--seed", 2), ("--lps", 300), ("--remote", 0.9)):
            with case(option):
                output = self.folder / "refused"
                options = dict(zip(MODEL[:-1:2], MODEL[1:-1:2], strict=True))
                one = (PROGRAM, "phold", "--output", output)
                given, other = (
                    [word for pair in choice.items() for word in pair]
                    for choice in ({"--seed": 1} | options, {"--seed": 1} | options | {option: value})
                )
                code, _, complaint = run(MPIEXEC, "-n", 1, *one, *given, ":", "-n", 1, *one, *other)
                assert code == 2, complaint
                ours = [line for line in complaint.splitlines() if line.startswith("laxity: ")]
                assert len(ours) == 1, complaint
                name = option.removeprefix("--")
                assert f"the ranks disagree: rank 0 has {name} = " in ours[0]
                assert not output.exists()
