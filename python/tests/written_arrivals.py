"""Run directories of `laxity arrival` with a known truth."""

from dataclasses import dataclass, field
from pathlib import Path

from written import write_directory

# Microseconds by pattern and algorithm: "tree" is fastest when all arrive together, "chain" suffers least.
TRUTH = {
    "no_delay": {(0, "library"): 20.0, (1, "linear"): 30.0, (2, "chain"): 12.0, (5, "tree"): 10.0},
    "ascending": {(0, "library"): 20.0, (1, "linear"): 30.0, (2, "chain"): 5.0, (5, "tree"): 20.0},
    "last_delayed": {(0, "library"): 16.0, (1, "linear"): 15.0, (2, "chain"): 8.0, (5, "tree"): 16.0},
}
# The means of the normalized rows; the choice is made by the command line, so the tests say it.
MEANS = {"library": 8 / 3, "linear": 3 + 7 / 24, "chain": 3.2 / 3, "tree": 7 / 3}
CHOICES = {"robust": "chain", "no_delay": "tree"}


@dataclass
class Measured:
    """What to write; the same for every size."""

    name: str = "eight-ranks"
    collective: str = "reduce"
    sizes: tuple[int, ...] = (8, 1024)
    repetitions: int = 5
    late: int = 1  # of the repetitions; not valid, and far off
    status: str = "done"
    truth: dict = field(default_factory=lambda: TRUTH)
    choices: dict = field(default_factory=lambda: CHOICES)  # empty: undecided
    simulated: bool = False


def write_arrivals(path: Path, measured: Measured | None = None) -> Path:
    measured = measured or Measured()
    lines = {"runs": [], "algorithms": [], "arrival": [], "cells": [], "candidates": []}
    for run, size in enumerate(measured.sizes):
        cells = [(pattern, *algorithm) for pattern, row in measured.truth.items() for algorithm in row]
        for pattern, number, algorithm in cells:
            exact = measured.truth[pattern][number, algorithm]
            skew = 0 if pattern == "no_delay" else 20
            for repetition in range(measured.repetitions):
                valid = repetition >= measured.late
                last = exact + (repetition - measured.late) * 1e-3 if valid else 1e4
                lines["arrival"].append(
                    f"{run},{measured.collective},{algorithm},{number},Open MPI,4.1.4,8,1,{size},{pattern},{skew},"
                    f"{repetition},{repetition},{int(valid)},{last},{last + skew}"
                )
            valid = measured.repetitions - measured.late
            lines["cells"].append(
                f"{run},{measured.collective},{size},{algorithm},{number},{pattern},{skew},{measured.repetitions},{valid},"
                f"{int(valid >= 6)},{exact if valid else 0},{exact if valid else 0},{exact if valid else 0}"
            )
        for number, algorithm in measured.truth["no_delay"]:
            lines["algorithms"].append(f"{run},{measured.collective},{size},{algorithm},{number},right")
            if measured.choices:
                lines["candidates"].append(_candidate(run, measured, size, number, algorithm))
        every = len(cells) * measured.repetitions
        valid = len(cells) * (measured.repetitions - measured.late)
        lines["runs"].append(f"{run},{measured.collective},{size},8,1,0,4,{len(cells)},{every},{valid},0.5,done")
    configuration = {"library": "Open MPI 4.1.4", "processes": 8}
    if measured.simulated:
        configuration = {"library": "simulated paper", "processes": 8, "simulator": "schedule"}
    manifest = {"name": measured.name, "status": measured.status, "configuration": configuration}
    return write_directory(path, "arrival", lines, **manifest)


def _candidate(run: int, measured: Measured, size: int, number: int, algorithm: str) -> dict:
    mean = MEANS.get(algorithm, 1)
    ratio = mean / MEANS["library"]
    marks = {kind: int(chosen == algorithm) for kind, chosen in measured.choices.items()}
    return {
        "run": run, "collective": measured.collective, "bytes": size, "algorithm": algorithm, "algorithm_id": number,
        "conditions": 3, "shared": 3, "repetitions": 4, "mean": mean,
        "worst": 2, "worst_pattern": "ascending",
        "ratio": ratio, "ratio_low": 0.9 * ratio, "ratio_high": 1.1 * ratio, **marks,
    }  # fmt: skip
