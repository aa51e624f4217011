#!/usr/bin/env python3
"""Measures what `laxity top` and the observer cost a running job; README.md says how to read it."""

import argparse
import csv
import math
import os
import pty
import subprocess
import tempfile
from pathlib import Path


def rate(program, options, folder, window="0"):
    """Run once; returns updates per second and worker."""
    output = Path(folder) / "run"
    command = [program, "color", "--quiet", "--window", window, "--output", str(output), *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with (output / "runs.csv").open(newline="") as file:
        found = float(next(csv.DictReader(file))["updates_per_second_per_worker"])
    for file in output.iterdir():
        file.unlink()
    output.rmdir()
    return found


def rate_under_top(program, options, folder):
    """The same, with `laxity top` in a terminal of its own."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(program, [program, "top", "--interval", "0.5"])
    os.set_blocking(terminal, False)
    try:
        return rate(program, options, folder)
    finally:
        os.kill(child, 15)
        try:
            while os.read(terminal, 1 << 16):
                pass
        except OSError:
            pass  # nothing more to read, or the terminal has gone
        os.waitpid(child, 0)
        os.close(terminal)


def median_and_interval(values):
    """The median and the two ranks between which the true one lies in 95 of 100 cases."""
    ordered = sorted(values)
    count = len(ordered)
    below = max(0, math.floor((count - 1.96 * math.sqrt(count)) / 2))
    return ordered[count // 2], ordered[below], ordered[count - 1 - below]


def main():
    """Run the pairs and print their ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="the laxity that is measured")
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--duration", default="1", help="of a run, seconds")
    parser.add_argument("--nodes", default="2048", help="of each worker")
    parser.add_argument("--threads", default="2")
    options = parser.parse_args()
    job = ["--threads", options.threads, "--nodes", options.nodes, "--duration", options.duration]
    ratios = {"top": [], "observer": []}
    with tempfile.TemporaryDirectory() as folder:
        for pair in range(options.pairs):
            alone_first = pair % 2 == 0  # whatever drifts, drifts for both
            for what, look in (
                ("top", lambda: rate_under_top(options.program, job, folder)),
                ("observer", lambda: rate(options.program, job, folder, window="0.1")),
            ):
                alone = rate(options.program, job, folder) if alone_first else None
                looked_at = look()
                alone = alone or rate(options.program, job, folder)
                ratios[what].append(looked_at / alone)
    for what, found in ratios.items():
        median, low, high = median_and_interval(found)
        print(f"{what:<9} updates/s looked at / alone: {median:.4f} [{low:.4f}, {high:.4f}] in {len(found)} pairs")


if __name__ == "__main__":
    main()
