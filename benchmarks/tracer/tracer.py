"""Measures the overhead of tracing, per call and in a program that spends half of its time in all-to-all.

Usage: tracer.py PROGRAM LIBRARY MPIEXEC [--whole PROGRAM] [--smoke]. Runs with and without the tracer alternate in
pairs; README.md explains the output.
"""

import argparse
import functools
import os
import statistics
import subprocess
import tempfile
import time

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
RANKS_OF_WHOLE = 4  # for half of the time in all-to-all


class Bench:
    """Runs the program with and without the tracer."""

    def __init__(self, program, library, mpiexec):
        self.program, self.library, self.mpiexec = program, library, mpiexec

    def printed(self, program, *arguments, ranks=RANKS, traced=False):
        """Run a program once and return its output."""
        with tempfile.TemporaryDirectory() as folder:
            words = [self.mpiexec, "-n", str(ranks)]
            if traced:
                words += ["env", f"LD_PRELOAD={self.library}", f"LAXITY_TRACE_DIR={folder}"]
            words += [program, *map(str, arguments)]
            done = subprocess.run(
                words, env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True, check=True, timeout=120
            )
        return done.stdout

    def number(self, *arguments, traced=False):
        """Run the program of this benchmark and return the number that it prints."""
        return float(self.printed(self.program, *arguments, traced=traced))

    def seconds(self, program, *arguments, traced=False):
        """Return the wall time of a program from launch to end."""
        start = time.perf_counter()
        self.printed(program, *arguments, ranks=RANKS_OF_WHOLE, traced=traced)
        return time.perf_counter() - start


def pairs_of(count, measure):
    """Measure pairs in alternating order and return (plain, traced) of each."""
    found = []
    for pair in range(count):
        order = (False, True) if pair % 2 == 0 else (True, False)
        numbers = {traced: measure(traced=traced) for traced in order}
        found.append((numbers[False], numbers[True]))
    return found


def more(pairs):
    """Format the relative overhead of the traced runs."""
    ratios = [traced / plain for plain, traced in pairs]
    return (
        f"{100 * (statistics.median(ratios) - 1):+.2f} % (median of {len(pairs)} pairs, "
        f"from {100 * (min(ratios) - 1):+.2f} to {100 * (max(ratios) - 1):+.2f} %)"
    )


def main():
    """Print one line per measurement."""
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("library")
    parser.add_argument("mpiexec")
    parser.add_argument("--whole", help="a program to run as a whole: apps/transpose_fft")
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    bench = Bench(options.program, options.library, options.mpiexec)
    pairs = 1 if options.smoke else 9
    calls = 200 if options.smoke else 2000
    costs = [traced - plain for plain, traced in pairs_of(pairs, functools.partial(bench.number, "calls", calls))]
    print(f"a call: {statistics.median(costs):.0f} ns more (median of {pairs} pairs, from {min(costs):.0f})")
    for size in MESSAGE_BYTES:
        turns = int(bench.number("fit", size))
        plain_ns = bench.number("half", size, 10, turns)
        steps = 10 if options.smoke else max(10, int(20e6 / plain_ns))
        found = pairs_of(pairs, functools.partial(bench.number, "half", size, steps, turns))
        plain_us = statistics.median(plain for plain, _ in found) * 1e-3
        print(f"half of the time in all-to-all of {size} B, {plain_us:.1f} us together: {more(found)}")
    if options.whole:
        words = ("--steps", 2 if options.smoke else 100)
        found = pairs_of(pairs, functools.partial(bench.seconds, options.whole, *words))
        print(f"transposes of class S, from launch to end: {more(found)}")


if __name__ == "__main__":
    main()
