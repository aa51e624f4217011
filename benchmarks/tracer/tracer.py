"""What tracing costs: per call, and in a program that spends half of its time in all-to-all.

Usage: tracer.py PROGRAM LIBRARY MPIEXEC [--smoke]. Runs with and without the tracer take turns, pair by pair; README.md
says how to read what is printed.
"""

import argparse
import os
import statistics
import subprocess
import tempfile

ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}
MESSAGE_BYTES = (64, 1024, 32768)
RANKS = 2


class Bench:
    """Runs the program with and without the tracer."""

    def __init__(self, program, library, mpiexec):
        self.program, self.library, self.mpiexec = program, library, mpiexec

    def number(self, *arguments, traced=False):
        """Run it once; returns the number that it prints."""
        with tempfile.TemporaryDirectory() as folder:
            words = [self.mpiexec, "-n", str(RANKS)]
            if traced:
                words += ["env", f"LD_PRELOAD={self.library}", f"LAXITY_TRACE_DIR={folder}"]
            words += [self.program, *map(str, arguments)]
            done = subprocess.run(
                words, env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True, check=True, timeout=120
            )
        return float(done.stdout)

    def pairs(self, count, *arguments):
        """Run pairs, the order changing from pair to pair; returns (plain, traced) of each."""
        found = []
        for pair in range(count):
            order = (False, True) if pair % 2 == 0 else (True, False)
            numbers = {traced: self.number(*arguments, traced=traced) for traced in order}
            found.append((numbers[False], numbers[True]))
        return found


def main():
    """Print a line per question."""
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("library")
    parser.add_argument("mpiexec")
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    bench = Bench(options.program, options.library, options.mpiexec)
    pairs = 1 if options.smoke else 9
    calls = 200 if options.smoke else 2000
    costs = [traced - plain for plain, traced in bench.pairs(pairs, "calls", calls)]
    print(f"a call: {statistics.median(costs):.0f} ns more (median of {pairs} pairs, from {min(costs):.0f})")
    for size in MESSAGE_BYTES:
        turns = int(bench.number("fit", size))
        steps = 10 if options.smoke else max(10, int(20e6 / bench.number("half", size, 10, turns)))
        ratios = [traced / plain for plain, traced in bench.pairs(pairs, "half", size, steps, turns)]
        print(
            f"half of the time in all-to-all of {size} B: {100 * (statistics.median(ratios) - 1):+.2f} % "
            f"(median of {pairs} pairs, from {100 * (min(ratios) - 1):+.2f} to {100 * (max(ratios) - 1):+.2f} %)"
        )


if __name__ == "__main__":
    main()
