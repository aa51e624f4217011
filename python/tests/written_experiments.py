"""Run directories of experiments whose effects are known by construction."""

from pathlib import Path

import numpy as np
from written import write_directory
from written_coloring import MODE_NAMES, dimensions


def write_experiment(path: Path, study: str, treatments: list[dict], replicates: int = 10, snapshots: int = 3) -> Path:
    """Write a study; a treatment has `shape`, and what differs from a run without a fault.

    ``period`` ns, ``latency`` updates, ``failure`` and ``clumpiness`` are the truth; every replicate is off by some
    percent, from a seed. In the first snapshot latencies are ``tail`` times as long.
    """
    generator = np.random.default_rng(5)
    runs, qos = [], []
    for replicate in range(replicates):
        for treatment in treatments:
            processes, threads = dimensions(treatment["shape"])
            workers = processes * threads
            mode = treatment.get("mode", 3)
            period = treatment.get("period", 1000.0) * (1 + 0.02 * generator.standard_normal())
            rate = 1e9 / period
            number = len(runs)
            conditions = ("work", "guard", "fault", "reaction", "moves", "hosts")
            runs.append(
                {
                    "run": number,
                    "mode": mode,
                    "mode_name": MODE_NAMES[mode],
                    "shape": treatment["shape"],
                    "threads": threads,
                    "processes": processes,
                    "workers": workers,
                    "replicate": replicate,
                    "nodes_per_worker": treatment.get("nodes", 1),
                    "duration_ns": 1_000_000_000,
                    "updates_total": int(rate * workers),
                    "updates_per_second_per_worker": f"{rate:.6f}",
                    **{name: treatment[name] for name in conditions if name in treatment},
                    "parts_per_worker": treatment.get("parts", 1),
                    "status": "done",
                }
            )
            for snapshot in range(snapshots):
                for sender in range(workers):
                    hit = treatment.get("fault", "none") != "none" and sender == 0
                    factor = treatment.get("fault_factor", 1000) if hit else 1
                    qos.append(_row(generator, number, snapshot, sender, workers, treatment, period * factor))
    configuration = {"study": study, "replicates": replicates}
    tables = {"runs": runs, "qos": qos}
    return write_directory(path, "coloring", tables, name=study, cores=64, configuration=configuration)


def write_custom(path: Path, periods: dict[str, float], replicates: int = 6) -> Path:
    """Write a study of any program: a treatment by name, and the period of its updates in ns."""
    generator = np.random.default_rng(7)
    runs, qos = [], []
    for replicate in range(replicates):
        for name, truth in periods.items():
            period = truth * (1 + 0.02 * generator.standard_normal())
            rates = f"{int(2e9 / period)},{1e9 / period:.6f}"
            qos += [_row(generator, len(runs), 0, sender, 2, {"shape": "2t"}, period) for sender in (0, 1)]
            runs.append(f"{len(runs)},{name},2t,2,1,2,{replicate},1000000000,{rates},0,done")
    configuration = {"study": "custom", "program": ["./mine"], "vary": "n=1,2", "replicates": replicates}
    return write_directory(path, "custom", {"runs": runs, "qos": qos}, cores=64, configuration=configuration)


def _row(generator, run, snapshot, sender, workers, treatment, period):
    window = 1_000_000_000
    updates = max(1, round(window / period))
    extreme = treatment.get("tail", 1) if snapshot == 0 else 1
    latency = treatment.get("latency", 2.0) * extreme * (1 + 0.02 * generator.standard_normal())
    touches = max(1, round(updates / latency))
    attempted = 10_000
    accepted = round(attempted * (1 - treatment.get("failure", 0.0)))
    received = pulls = 10_000
    laden = round(received * (1 - treatment.get("clumpiness", 0.0)))
    to = (sender + 1) % workers
    kind = "process" if treatment["shape"].endswith("p") else "thread"
    simstep_period, simstep_latency = window / updates, updates / touches
    return (
        f"{run},{snapshot},0,{sender},{to},0,{kind},1,1,{window},{updates},{simstep_period!r},{simstep_latency!r},"
        f"{simstep_period * simstep_latency!r},{1 - accepted / attempted!r},{1 - laden / received!r},{attempted},"
        f"{accepted},0,{pulls},{laden},{received},{touches},{simstep_period!r},"
        f"{treatment.get('timed', 0)},{0.8 * simstep_period * simstep_latency!r}"
    )
