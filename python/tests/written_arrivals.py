"""Run directories of `laxity arrival` with a known truth, written as the C++ side writes them."""

import json
from dataclasses import dataclass, field
from pathlib import Path

RUNS_HEADER = "run,collective,bytes,processes,hosts,algorithms,cells,repetitions,valid,seconds,status"
ALGORITHMS_HEADER = "run,collective,bytes,algorithm,algorithm_id,verdict"
ARRIVAL_HEADER = (
    "run,collective,algorithm,algorithm_id,library,version,processes,hosts,bytes,pattern,skew_us,repetition,valid,"
    "last_delay_us,total_delay_us"
)
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
    lines = {"runs": [RUNS_HEADER], "algorithms": [ALGORITHMS_HEADER], "arrival": [ARRIVAL_HEADER]}
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
    path.mkdir(parents=True, exist_ok=True)
    manifest = {
        "format": 2,
        "kind": "arrival",
        "name": measured.name,
        "status": measured.status,
        "configuration": {"library": "Open MPI 4.1.4", "processes": 8},
    }
    (path / "manifest.json").write_text(json.dumps(manifest))
    for name, rows in lines.items():
        (path / f"{name}.csv").write_text("\n".join(rows) + "\n")
    return path
