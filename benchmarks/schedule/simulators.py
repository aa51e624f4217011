"""Counts the cells on which schedules and SMPI agree on the best algorithm: simulators.py LAXITY [--smoke].

Both simulate the same study on the same machine. They agree on a cell (a collective, a size and a pattern) if the
algorithm that schedules find best takes in SMPI at most 5 % longer than SMPI's best.
"""

import csv
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

COLLECTIVES = (
    "allgather",
    "allreduce",
    "alltoall",
    "barrier",
    "bcast",
    "gather",
    "reduce",
    "reduce_scatter",
    "scatter",
)
NETWORK = '[[level]]\nname = "network"\nlatency_us = 2\noverhead_us = {}\ngap_per_byte_ns = 0.8\n'
MACHINES = {
    "paper": None,
    "paper, 1 rank per host": 'name = "apart"\neager_limit_bytes = 1\n' + NETWORK.format(0),
    "the same with overhead 0.5 us, eager to 16 KiB": 'name = "eager"\neager_limit_bytes = 16384\n'
    + NETWORK.format(0.5),
}
WITHIN = 1.05


def last_delays_us(laxity, simulator, machine, folder, ranks):
    """Return the last delay by cell and algorithm."""
    output = folder / simulator
    subprocess.run(
        [laxity, "arrival", "--simulate", simulator, "-n", str(ranks), "--machine", machine, "--quiet",
         "--collectives", ",".join(COLLECTIVES), "--sizes", "2,1k,64k", "--output", output],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    with (output / "arrival.csv").open(encoding="utf-8") as table:
        cells = {}
        for row in csv.DictReader(table):
            cell = cells.setdefault((row["collective"], row["bytes"], row["pattern"]), {})
            cell[row["algorithm"]] = float(row["last_delay_us"])
    return cells


def agreement(laxity, machine, ranks):
    """Return the number of cells on which both agree, and of all cells, by collective."""
    agreed, cells = Counter(), Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if MACHINES[machine] is not None:
            (folder / "machine.toml").write_text(MACHINES[machine], encoding="utf-8")
        file = machine if MACHINES[machine] is None else folder / "machine.toml"
        ours, theirs = (last_delays_us(laxity, simulator, file, folder, ranks) for simulator in ("schedule", "smpi"))
    for cell, in_smpi in theirs.items():
        common = [algorithm for algorithm in in_smpi if algorithm in ours[cell]]
        found = min(common, key=ours[cell].get)
        cells[cell[0]] += 1
        agreed[cell[0]] += in_smpi[found] <= WITHIN * min(in_smpi[algorithm] for algorithm in common)
    return agreed, cells


def main():
    """Print the table."""
    laxity, ranks = Path(sys.argv[1]).resolve(), 8 if "--smoke" in sys.argv else 64
    print(f"| machine, {ranks} ranks |", *(f"{name} |" for name in COLLECTIVES), "all |")
    print("|" + "---|" * (len(COLLECTIVES) + 2))
    for machine in MACHINES:
        agreed, cells = agreement(laxity, machine, ranks)
        all_of_it = f"{agreed.total() / cells.total():.0%} |"
        print(
            f"| {machine} |",
            *(f"{agreed[name]} of {cells[name]} |" for name in COLLECTIVES),
            all_of_it,
        )


if __name__ == "__main__":
    main()
