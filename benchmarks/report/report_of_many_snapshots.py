#!/usr/bin/env python3
"""Measures time and size of `laxity report` for a study of 100,000 snapshots; see README.md."""

import argparse
import csv
import subprocess
import tempfile
import time
from pathlib import Path


def repeat_snapshots(table, wanted):
    """Add the rows of qos.csv again, as later snapshots, until there are `wanted` snapshots; return both counts."""
    with table.open(newline="") as file:
        reader = csv.DictReader(file)
        rows, names = list(reader), reader.fieldnames
    snapshots = len({(row["run"], row["snapshot"]) for row in rows})
    later = 1 + max(int(row["snapshot"]) for row in rows)
    times = -(-wanted // snapshots)
    with table.open("w", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        for time_round in range(times):
            for row in rows:
                writer.writerow({**row, "snapshot": int(row["snapshot"]) + time_round * later})
    return times * snapshots, times * len(rows)


def main():
    """Run the study, report it, and print the time and the size of the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="the laxity that is measured")
    parser.add_argument("--snapshots", type=int, default=100_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        study = Path(folder) / "study"
        words = ["study", "work", "--workers", "2", "--replicates", "10", "--window", "0.01", "--duration", "2"]
        subprocess.run([options.program, *words, "--output", str(study)], check=True, stdout=subprocess.DEVNULL)
        snapshots, rows = repeat_snapshots(study / "qos.csv", options.snapshots)
        begin = time.perf_counter()
        subprocess.run([options.program, "report", str(study)], check=True, stdout=subprocess.DEVNULL)
        took = time.perf_counter() - begin
        size = (study / "report.html").stat().st_size / 1e6
    print(f"{snapshots} snapshots ({rows} rows): report in {took:.1f} s, {size:.2f} MB")


if __name__ == "__main__":
    main()
