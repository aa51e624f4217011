#!/usr/bin/env python3
"""Measures what `laxity top` and the observer cost a running job; README.md says how to read it."""

import argparse
import csv
import math
import os
import pty
import subprocess
import tempfile
import threading
import time
from pathlib import Path


def processor_s(pid):
    """Processor time of the first thread of a process so far, seconds."""
    return int(Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[0]) / 1e9


def share_of_processor(job, top=None):
    """What top, or else the observer (the job's first thread), takes of a processor while the job is in full swing.

    Parameters
    ----------
    job
        The job, which has just been started.
    top
        Process of top, if it looks.

    Returns
    -------
    float or None
        Seconds of processor time a second; None if the job had ended too soon to tell.
    """
    looking = top or job.pid
    try:
        job.wait(0.3)
    except subprocess.TimeoutExpired:
        used, at = processor_s(looking), time.perf_counter()
        last = None
        while job.poll() is None:
            time.sleep(0.1)
            try:
                last = (processor_s(looking) - used) / (time.perf_counter() - at) if job.poll() is None else last
            except OSError:
                break  # it has ended between the question and the look
        return last
    return None


def look(program, options, folder, window="0", top=None):
    """Run once; returns updates per second and worker, and what the one who looks takes of a processor."""
    output = Path(folder) / "run"
    command = [program, "color", "--quiet", "--window", window, "--output", str(output), *options]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as job:
        share = share_of_processor(job, top)
    if job.returncode != 0:
        raise subprocess.CalledProcessError(job.returncode, command)
    with (output / "runs.csv").open(newline="") as file:
        rate = float(next(csv.DictReader(file))["updates_per_second_per_worker"])
    for file in output.iterdir():
        file.unlink()
    output.rmdir()
    return rate, share


def look_with_top(program, options, folder):
    """The same, with `laxity top` in a terminal of its own."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(program, [program, "top", "--interval", "0.5"])
    reader = threading.Thread(target=read_all, args=(terminal,))
    reader.start()
    time.sleep(0.5)  # what it takes to start is not what looking takes
    try:
        return look(program, options, folder, top=child)
    finally:
        os.kill(child, 15)
        os.waitpid(child, 0)
        reader.join()
        os.close(terminal)


def read_all(terminal):
    """What a terminal does: read on until there is nobody left who writes."""
    try:
        while os.read(terminal, 1 << 16):
            pass
    except OSError:
        pass


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
    shares = {"top": [], "observer": []}
    with tempfile.TemporaryDirectory() as folder:
        for pair in range(options.pairs):
            alone_first = pair % 2 == 0  # whatever drifts, drifts for both
            for who, measure in (
                ("top", lambda: look_with_top(options.program, job, folder)),
                ("observer", lambda: look(options.program, job, folder, window="0.1")),
            ):
                alone = look(options.program, job, folder)[0] if alone_first else None
                looked_at, share = measure()
                alone = alone or look(options.program, job, folder)[0]
                ratios[who].append(looked_at / alone)
                if share is None:
                    parser.error("--duration: too short to tell what looking takes; give a second or more")
                shares[who].append(share / int(options.threads))
    for who, found in ratios.items():
        median, low, high = median_and_interval(found)
        print(f"{who:<9} updates/s looked at / alone: {median:.4f} [{low:.4f}, {high:.4f}] in {len(found)} pairs")
    for who, found in shares.items():
        median, low, high = (100 * value for value in median_and_interval(found))
        print(f"{who:<9} processor time, % of the workers': {median:.3f} [{low:.3f}, {high:.3f}]")


if __name__ == "__main__":
    main()
