"""Run directories of `laxity color` with a known truth, from a seed."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from written import MACHINE, write_directory

MODE_NAMES = ("every_update", "rolling", "fixed", "none", "isolated")
RATE_ISOLATED = 11_700.0
RATIO = {0: 0.81, 1: 0.90, 2: 0.94, 3: 0.95, 4: 1.0}
"""Of the rate to that of mode 4, when there is more than one worker."""
CONFLICT_SHARE = {0: 0.0005, 1: 0.002, 2: 0.003, 3: 0.001, 4: 0.06}
SIDE = 32


@dataclass
class Study:
    """What to write; every field has a default that makes a small whole study."""

    name: str = "first-light"
    shapes: tuple[str, ...] = ("1t", "2t", "1p", "2p")
    modes: tuple[int, ...] = (0, 1, 2, 3, 4)
    replicates: int = 5
    nodes_per_worker: int = 2048
    seed: int = 1
    noise: float = 0.02
    rate: float = RATE_ISOLATED
    status: str = "done"
    with_qos: bool = True
    with_picture: bool = True
    border_conflicts: float = 0.0  # share of time that they cost; runs on a torus each, without them, if not 0
    manifest: dict = field(default_factory=dict)


def write_study(path: Path, study: Study | None = None) -> Path:
    study = study or Study()
    generator = np.random.default_rng(study.seed)
    tables = {"runs": [], "workers": [], "qos": [], "picture": []}
    run = 0
    for replicate in range(study.replicates):
        for shape in study.shapes:
            drift = 1 + study.noise * generator.standard_normal()  # of the machine, common to a round
            for mode in study.modes:
                _write_run(tables, study, generator, run, replicate, shape, mode, drift)
                run += 1
            if study.border_conflicts:
                _write_run(tables, study, generator, run, replicate, shape, 4, drift, "own_tori")
                run += 1
    if study.with_picture and BEST_EFFORT in study.modes:
        _write_picture(tables["picture"], study, generator)
    written = {name: rows for name, rows in tables.items() if rows or name in ("runs", "workers")}
    return write_directory(path, "coloring", written, **manifest_of(study))


BEST_EFFORT = 3


def manifest_of(study: Study) -> dict:
    configuration = {
        "topology": "torus",
        "partition": "blocks",
        "colors": 3,
        "nodes_per_worker": study.nodes_per_worker,
        "duration_ns": 1_000_000_000,
        "packing": "pooled",
        "depth": 2,
        "work": 0,
        "replicates": study.replicates,
        "modes": list(study.modes),
        "shapes": list(study.shapes),
    }
    return {
        "name": study.name,
        "status": study.status,
        "command_line": "laxity color --study first-light --output runs/first-light",
        "seed": study.seed,
        "configuration": configuration,
        "placement": ["worker 0: core 0", "worker 1: core 1"],
        **MACHINE,
    } | study.manifest


def dimensions(shape: str) -> tuple[int, int]:
    """Processes and threads of each, of a shape as in 2p2t."""
    processes, threads = 1, 1
    number = ""
    for character in shape:
        if character.isdigit():
            number += character
        elif character == "p":
            processes, number = int(number), ""
        else:
            threads, number = int(number), ""
    return processes, threads


def true_rate(study: Study, shape: str, mode: int) -> float:
    processes, threads = dimensions(shape)
    return study.rate * (RATIO[mode] if processes * threads > 1 else 1.0)


def _write_run(tables, study, generator, run, replicate, shape, mode, drift, mesh="shared"):
    processes, threads = dimensions(shape)
    workers = processes * threads
    nodes = workers * study.nodes_per_worker
    noise = drift * (1 + study.noise / 4 * generator.standard_normal())
    rate = true_rate(study, shape, mode) * noise * (1 + study.border_conflicts * (mesh == "own_tori"))
    conflicts = generator.poisson(2 * nodes * (CONFLICT_SHARE[mode] if workers > 1 else 0.0005))
    seed = generator.integers(2**63)
    tables["runs"].append(
        f"{run},{mode},{MODE_NAMES[mode]},{shape},{threads},{processes},{workers},{replicate},{seed},"
        f"{study.nodes_per_worker},1000000000,{nodes},{4 * nodes},{int(rate * workers)},{rate:.3f},{conflicts},"
        f"0,lock-free,none,none,1,0,1,{mesh},done"
    )
    tables["workers"] += [
        f"{run},{worker},{worker // threads},{worker % threads},{int(rate)},1000000000,{rate:.3f},done,0,0"
        for worker in range(workers)
    ]
    if not study.with_qos:
        return
    for sender in range(workers):
        for receiver in range(workers):
            if workers == 1 or sender != receiver:
                kind = _kind(sender, receiver, threads)
                quiet = mode == 4 and kind != "same_thread"
                tables["qos"].append(_qos_row(generator, run, sender, receiver, kind, int(rate), quiet))


def _kind(sender, receiver, threads):
    if sender == receiver:
        return "same_thread"
    return "thread" if sender // threads == receiver // threads else "process"


def _qos_row(generator, run, sender, receiver, kind, updates, quiet):
    window_ns = 1_000_000_000
    period = window_ns / max(updates, 1)
    latency_true = {"same_thread": 1.0, "thread": 1.3, "process": 2.1}[kind]
    attempted = 0 if quiet else updates
    refused = int(attempted * {"same_thread": 0, "thread": 0.01, "process": 0.04}[kind] * generator.uniform(0.5, 1.5))
    received = attempted - refused
    laden = int(received * (1 if kind == "same_thread" else generator.uniform(0.85, 0.95)))
    pulls = 0 if quiet else updates
    touches = 0 if quiet else max(1, int(updates / latency_true * generator.uniform(0.9, 1.1)))
    latency = updates / max(touches, 1)
    failure = refused / attempted if attempted else 0
    timed = 0 if kind == "same_thread" else received // 17
    chances = min(received, pulls)
    clumpiness = 1 - laden / chances if chances else 0
    return (
        f"{run},0,0,{sender},{receiver},0,{kind},32,1,{window_ns},{updates},{period:.9g},{latency:.9g},"
        f"{latency * period:.9g},{failure:.9g},{clumpiness:.9g},{attempted},{attempted - refused},0,"
        f"{pulls},{laden},{received},{touches},{period:.9g},{timed},{timed and 0.8 * latency * period:.9g}"
    )


def _write_picture(lines, study, generator):
    """A picture of the first best-effort run of the last shape: random before, nearly solved after."""
    run = (len(study.shapes) - 1) * len(study.modes) + study.modes.index(BEST_EFFORT)
    before = generator.integers(0, 3, size=(SIDE, SIDE))
    rows, columns = np.indices((SIDE, SIDE))
    after = (rows + columns) % 3
    after[5, 7] = after[5, 8]  # conflicts to the right and downwards
    for when, colors in (("before", before), ("after", after)):
        for y in range(SIDE):
            lines += [f"{run},{when},{y * SIDE + x},{x},{y},{colors[y, x]}" for x in range(SIDE)]
