"""What graph coloring on the ranks of an MPI keeps of its speed, beside isolated ranks and forked processes.

Usage: coloring_ranks.py PROGRAM MPIEXEC [--smoke]. Prints a line for each question; README.md says how to read them.
"""

import argparse
import csv
import math
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

# What lets any launcher start more ranks than there are cores, as root too; ranks are placed by laxity.
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
}


class Bench:
    """Runs studies of two treatments that take turns."""

    def __init__(self, program, mpiexec, smoke):
        self.program, self.mpiexec = program, mpiexec
        self.length = (
            ["--duration", "0.1", "--replicates", "1"] if smoke else ["--duration", "0.5", "--replicates", "7"]
        )

    def study(self, ranks, *arguments):
        """Run a study on ranks, or on forked processes if there are 0; returns the rows of runs.csv and of qos.csv."""
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "run"
            launcher = [self.mpiexec, "-n", str(ranks)] if ranks else []
            command = [*launcher, self.program, "color", "--quiet", *self.length, "--output", str(output), *arguments]
            subprocess.run(command, check=True, env={**os.environ, **ENVIRONMENT}, stdout=subprocess.DEVNULL)
            return tuple(self.rows(output / f"{table}.csv") for table in ("runs", "qos"))

    @staticmethod
    def rows(path):
        with open(path, newline="", encoding="ascii") as file:
            return list(csv.DictReader(file))

    def ratio(self, ranks, mode, to_mode, *arguments):
        """Median over replicates of the rate in one mode over that in another one."""
        runs, _ = self.study(ranks, "--mode", f"{mode},{to_mode}", *arguments)
        rates = {(run["mode"], run["replicate"]): float(run["updates_per_second_per_worker"]) for run in runs}
        return statistics.median(
            rate / rates[str(to_mode), replicate] for (which, replicate), rate in rates.items() if which == str(mode)
        )

    def shares(self, ranks, *arguments):
        """Medians over replicates: the rate in mode 3 over that without communication, and over that in mode 4."""
        runs, _ = self.study(ranks, "--mode", "3,4", "--own-tori", *arguments)
        rates = {
            (run["mesh"], run["mode"], run["replicate"]): float(run["updates_per_second_per_worker"]) for run in runs
        }
        free = {replicate: rate for (mesh, mode, replicate), rate in rates.items() if (mesh, mode) == ("shared", "3")}
        return tuple(
            statistics.median(rate / rates[mesh, "4", replicate] for replicate, rate in free.items())
            for mesh in ("own_tori", "shared")
        )

    def period_and_failures(self, ranks, *arguments):
        """Median simstep period, ns, and the largest delivery failure rate between workers, one node per worker.

        The rate is nan if no two observations fell into the runs, as may be in a moment on a busy machine.
        """
        team = () if ranks else ("--processes", "2")
        runs, qos = self.study(ranks, "--nodes", "1", "--send-depth", "64", *team, *arguments)
        period = statistics.median(1e9 / float(run["updates_per_second_per_worker"]) for run in runs)
        between = [float(row["delivery_failure_rate"]) for row in qos if row["from_worker"] != row["to_worker"]]
        return period, max(between, default=math.nan)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("mpiexec")
    parser.add_argument("--smoke", action="store_true", help="a moment each, only to see that they run")
    words = parser.parse_args()
    bench = Bench(words.program, words.mpiexec, words.smoke)

    for what, arguments in (("2 ranks, 2048 nodes each", ()), ("over messages only", ("--shared-memory", "off"))):
        alone, of_mode_4 = bench.shares(2, *arguments)
        print(f"mode 3 / without communication, {what:<25}{alone:8.2f}   / mode 4 {of_mode_4:.2f}")
    for ranks, goal in ((4, 1.4), (8, 1.8)):
        ratio = bench.ratio(ranks, 3, 0, "--nodes", "64", "--jitter", "20us")
        print(f"mode 3 / mode 0, {ranks} ranks, jitter of mean 20 us     {ratio:8.2f}   goal >= {goal}")
    forked, _ = bench.period_and_failures(0)
    shared, refused = bench.period_and_failures(2)
    print(f"1 node per worker, period, forked processes      {forked:8.1f} ns")
    print(f"                           ranks                 {shared:8.1f} ns, {shared / forked:.2f} x   goal <= 1.1 x")
    print(f"  largest delivery failure rate                  {refused:8.4f}   goal 0")
    for variant in ("two_sided", "ready_send", "one_sided"):
        period, refused = bench.period_and_failures(2, "--shared-memory", "off", "--messages", variant)
        goal = "goal <= 350 ns" if variant == "two_sided" else ""
        print(f"  messages only, {variant:<32}{period:8.1f} ns   {goal}, refused {refused:.4f}")


if __name__ == "__main__":
    sys.exit(main())
