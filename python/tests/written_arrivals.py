"""Run directories of `laxity arrival` with a known truth."""

from dataclasses import dataclass, field
from pathlib import Path

from written import write_directory

# Microseconds by pattern and algorithm: "tree" is fastest when all arrive together, "chain" suffers least.
TRUTH = {
    "no_delay": {(1, "linear"): 30.0, (2, "chain"): 12.0, (5, "tree"): 10.0},
    "ascending": {(1, "linear"): 30.0, (2, "chain"): 5.0, (5, "tree"): 20.0},
    "last_delayed": {(1, "linear"): 15.0, (2, "chain"): 8.0, (5, "tree"): 16.0},
}


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


def write_arrivals(path: Path, measured: Measured | None = None) -> Path:
    measured = measured or Measured()
    lines = {"runs": [], "algorithms": [], "arrival": []}
    for run, size in enumerate(measured.sizes):
        cells = [(pattern, *algorithm) for pattern, row in measured.truth.items() for algorithm in row]
        for pattern, number, algorithm in cells:
            exact = measured.truth[pattern][number, algorithm]
            for repetition in range(measured.repetitions):
                valid = repetition >= measured.late
                last = exact + (repetition - measured.late) * 1e-3 if valid else 1e4
                skew = 0 if pattern == "no_delay" else 20
                lines["arrival"].append(
                    f"{run},{measured.collective},{algorithm},{number},Open MPI,4.1.4,8,1,{size},{pattern},{skew},"
                    f"{repetition},{int(valid)},{last},{last + skew}"
                )
        for number, algorithm in measured.truth["no_delay"]:
            lines["algorithms"].append(f"{run},{measured.collective},{size},{algorithm},{number},right")
        every = len(cells) * measured.repetitions
        valid = len(cells) * (measured.repetitions - measured.late)
        lines["runs"].append(f"{run},{measured.collective},{size},8,1,3,{len(cells)},{every},{valid},0.5,done")
    configuration = {"library": "Open MPI 4.1.4", "processes": 8}
    manifest = {"name": measured.name, "status": measured.status, "configuration": configuration}
    return write_directory(path, "arrival", lines, **manifest)
