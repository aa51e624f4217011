#!/usr/bin/env python3
"""Does the engine's memory grow with the length of a run?

Runs PHOLD (continuous shape, 10,000 processes of 20 events) to about a billion events and reads the resident memory of
the program while it works; prints it after 10^7, 10^8 and 10^9 committed events. About two minutes where nothing else
runs.

usage: memory_growth.py PROGRAM [--events N] [-- laxity phold options, default --threads 1]
"""

import argparse
import csv
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EVENTS_PER_UNIT = 200_000 / 11  # pending ÷ mean delay


def resident_mib(pid):
    """Of the process, or None when it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:
        return None
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else None


def run(program, events, options):
    """Returns [(seconds since the start, MiB)] and [(seconds, committed)]."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "run"
        command = [
            program,
            "phold",
            *options,
            "--end-time",
            str(events / EVENTS_PER_UNIT),
            "--quiet",
            "--output",
            output,
        ]
        start = time.monotonic()
        with subprocess.Popen(list(map(str, command))) as process:
            memory = []
            while process.poll() is None:
                resident = resident_mib(process.pid)
                if resident is not None:
                    memory.append((time.monotonic() - start, resident))
                time.sleep(0.05 if len(memory) < 200 else 0.5)
        if process.returncode != 0:
            sys.exit("memory_growth: the run failed")
        committed = {}
        with open(output / "timewarp.csv", newline="", encoding="ascii") as table:
            for row in csv.DictReader(table):
                moment = float(row["wall_time_s"])
                committed[moment] = committed.get(moment, 0) + int(row["committed"])
    return memory, sorted(committed.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--events", type=float, default=1e9)
    parser.add_argument("options", nargs="*", default=[])
    arguments = parser.parse_args()
    memory, committed = run(arguments.program, arguments.events, arguments.options or ["--threads", "1"])
    last = committed[-1][1]
    for count in [power for power in (1e7, 1e8, 1e9) if power < last] + [last]:
        moment = next(seconds for seconds, so_far in committed if so_far >= count)
        resident = min(memory, key=lambda seen: abs(seen[0] - moment))[1]
        print(f"{count:>13,.0f} events: {resident:.1f} MiB resident")


if __name__ == "__main__":
    main()
