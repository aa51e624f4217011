"""Run directories of experiments whose effects are known by construction."""

import json
from pathlib import Path

import numpy as np
from written_coloring import QOS_HEADER, RUNS_HEADER, WORKERS_HEADER

CONDITIONS = "work,guard,fault,reaction,parts_per_worker,moves,hosts"
RUNS = RUNS_HEADER.replace("conflicts,status", f"conflicts,{CONDITIONS},status")


def write_experiment(path: Path, study: str, treatments: list[dict], replicates: int = 10, snapshots: int = 3) -> Path:
    """Write a study; a treatment has `shape`, and what differs from a run in which all is well.

    ``period`` ns, ``latency`` updates, ``failure`` and ``clumpiness`` are the truth; every replicate is off by some
    percent, from a seed. In the first snapshot latencies are ``tail`` times as long.
    """
    generator = np.random.default_rng(5)
    runs, qos = [RUNS], [QOS_HEADER]
    number = 0
    for replicate in range(replicates):
        for treatment in treatments:
            shape = treatment["shape"]
            processes = int(shape[:-1]) if shape.endswith("p") else 1
            threads = int(shape[:-1]) if shape.endswith("t") else 1
            workers = processes * threads
            mode = treatment.get("mode", 3)
            period = treatment.get("period", 1000.0) * (1 + 0.02 * generator.standard_normal())
            rate = 1e9 / period
            runs.append(
                f"{number},{mode},{MODE_NAMES[mode]},{shape},{threads},{processes},{workers},"
                f"{replicate},{replicate},{treatment.get('nodes', 1)},1000000000,{workers},{2 * workers},"
                f"{int(rate * workers)},{rate:.6f},0,{treatment.get('work', 0)},{treatment.get('guard', 'lock-free')},"
                f"{treatment.get('fault', 'none')},{treatment.get('reaction', 'none')},"
                f"{treatment.get('parts', 1)},{treatment.get('moves', 0)},{treatment.get('hosts', 1)},done"
            )
            for snapshot in range(snapshots):
                for sender in range(workers):
                    hit = treatment.get("fault", "none") != "none" and sender == 0
                    factor = treatment.get("fault_factor", 1000) if hit else 1
                    qos.append(_row(generator, number, snapshot, sender, workers, treatment, period * factor))
            number += 1
    path.mkdir(parents=True, exist_ok=True)
    manifest = {"format": 2, "kind": "coloring", "name": study, "status": "done", "cores": 64}
    manifest["configuration"] = {"study": study, "replicates": replicates}
    (path / "manifest.json").write_text(json.dumps(manifest))
    for name, lines in {"runs": runs, "workers": [WORKERS_HEADER], "qos": qos}.items():
        (path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    return path


def write_custom(path: Path, periods: dict[str, float], replicates: int = 6) -> Path:
    """Write a study of any program: a treatment by name, and the period of its updates in ns."""
    generator = np.random.default_rng(7)
    runs, qos, number = [CUSTOM_RUNS], [QOS_HEADER], 0
    for replicate in range(replicates):
        for name, truth in periods.items():
            period = truth * (1 + 0.02 * generator.standard_normal())
            rates = f"{int(2e9 / period)},{1e9 / period:.6f}"
            runs.append(f"{number},{name},2t,2,1,2,{replicate},1000000000,{rates},0,done")
            qos += [_row(generator, number, 0, sender, 2, {"shape": "2t"}, period) for sender in (0, 1)]
            number += 1
    path.mkdir(parents=True, exist_ok=True)
    manifest = {"format": 2, "kind": "custom", "name": path.name, "status": "done", "cores": 64}
    manifest["configuration"] = {"study": "custom", "program": ["./mine"], "vary": "n=1,2", "replicates": replicates}
    (path / "manifest.json").write_text(json.dumps(manifest))
    for table, lines in {"runs": runs, "workers": [WORKERS_HEADER], "qos": qos}.items():
        (path / f"{table}.csv").write_text("\n".join(lines) + "\n")
    return path


CUSTOM_RUNS = (
    "run,treatment,shape,threads,processes,workers,replicate,duration_ns,updates_total,updates_per_second_per_worker,"
    "exit_code,status"
)
MODE_NAMES = ("every_update", "rolling", "fixed", "none", "isolated")


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
        f"{accepted},0,{pulls},{laden},{received},{touches}"
    )
