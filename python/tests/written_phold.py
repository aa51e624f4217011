"""Run directories of `laxity phold` with a known truth."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from written import MACHINE, write_directory


@dataclass
class Simulation:
    """What to write. Every worker commits `rate` events per second and rolls back a fixed share of its events."""

    name: str = "two-threads"
    team: str = "2t"
    workers: int = 2
    replicates: int = 3
    rate: float = 2.5e6
    rolled_back_share: float = 0.05  # of the processed events
    seconds: float = 2.0
    end_time: float = 500.0
    moments: int = 100
    status: str = "done"
    figure: str = "single"
    queue: str = "bucket"
    exchange: str = "rings"
    queues: int = 1
    events: str = "copied"
    seed: int = 1
    manifest: dict = field(default_factory=dict)


def write_simulation(path: Path, simulation: Simulation | None = None) -> Path:
    simulation = simulation or Simulation()
    generator = np.random.default_rng(simulation.seed)
    tables = {"runs": [], "workers": [], "timewarp": []}
    for run in range(simulation.replicates):
        _write_run(tables, simulation, run, simulation.rate * (1 + 0.02 * generator.standard_normal()))
    configuration = {"team": simulation.team, "end_time": simulation.end_time, "queue": "bucket"}
    manifest = {
        "name": simulation.name,
        "status": simulation.status,
        "command_line": "laxity phold --threads 2 --output runs/two-threads",
        "seed": 1,
        "configuration": configuration,
        **MACHINE,
    }
    return write_directory(path, "phold", tables, **manifest | simulation.manifest)


def _write_run(tables, simulation, run, rate):
    def counts_at(time):
        committed = int(rate * time)
        processed = int(committed / (1 - simulation.rolled_back_share))
        return committed, processed, processed - committed

    for worker in range(simulation.workers):
        for moment in range(simulation.moments + 1):
            time = simulation.seconds * moment / max(simulation.moments, 1)
            committed, processed, rolled_back = counts_at(time)
            gvt = simulation.end_time * moment / max(simulation.moments, 1)
            tables["timewarp"].append(
                f"{run},{worker},{time!r},{gvt!r},{committed},{processed},{rolled_back},{rolled_back // 2},"
                f"{processed // 10},{rolled_back // 10},200000"
            )
        committed, processed, rolled_back = counts_at(simulation.seconds)
        remote = processed // 10
        tables["workers"].append(
            f"{run},{worker},0,{worker},{committed},{processed},{rolled_back},{rolled_back // 4},{rolled_back // 4},"
            f"{rolled_back // 10},{remote},0,{processed - remote},17,321,210000,{committed / max(processed, 1)!r}"
        )
    committed, processed, rolled_back = (count * simulation.workers for count in counts_at(simulation.seconds))
    tables["runs"].append(
        f"{run},{simulation.figure},{run},{run + 1},{simulation.team},{simulation.workers},1,{simulation.workers},"
        f"continuous,remote,100,0.1,2,10000,20,{simulation.queue},{simulation.exchange},{simulation.queues},"
        f"{simulation.events},local,scale-free,4096,32,{simulation.seconds!r},{committed},{processed},{rolled_back},"
        f"{rolled_back // 2},{processed // 10},{rolled_back // 10},{committed / simulation.seconds!r},"
        f"{committed / max(processed, 1)!r},00c0ffee00c0ffee,{simulation.status}"
    )
