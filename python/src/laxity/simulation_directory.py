"""Run directories of ``laxity phold``: runs, workers, and what the workers showed while they ran.

The format is ``docs/run_format.md``, kind phold.

Elsewhere: how files are read and checked (``run_directory``), what is made of them (``simulations``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from laxity.run_directory import Column, Described, counts, read_manifest, read_tables

_SUMS = ("committed", "processed", "rolled_back", "rollbacks", "remote_events", "anti_messages")

TABLES: dict[str, tuple[Column, ...]] = {
    "runs": (
        *counts("run"),
        Column("figure", str),
        *counts("replicate"),
        Column("seed", int, highest=2**64 - 1),
        Column("team", str),
        *(Column(name, int, 1, 1 << 20) for name in ("threads", "processes", "workers")),
        Column("shape", str, words=("continuous", "batch")),
        Column("receivers", str, words=("uniform", "range", "remote")),
        *counts("range"),
        Column("remote", float, 0, 1),
        *counts("parts", "lps", "events_per_lp"),
        Column("queue", str),
        Column("exchange", str),
        *counts("queues"),
        Column("events", str, words=("copied", "shared"), default="copied"),
        Column("memory", str, default="local"),
        Column("optimism", str),
        *counts("gvt_interval", "turn"),
        Column("seconds", float),
        *counts(*_SUMS),
        Column("committed_per_second", float),
        Column("efficiency", float, 0, 1),
        Column("digest", str),
        Column("status", str),
    ),
    "workers": (
        *counts("run", "worker", "process", "thread", "committed", "processed", "rolled_back"),
        *counts("primary_rollbacks", "secondary_rollbacks", "anti_messages", "remote_events"),
        Column("shared_events", int, default=0),
        *counts("local_events", "throttled", "gvt_rounds", "peak_events"),
        Column("efficiency", float, 0, 1),
    ),
    "timewarp": (
        *counts("run", "worker"),
        Column("wall_time_s", float),
        Column("gvt", float),
        *counts(*_SUMS, "events_in_use"),
    ),
}


@dataclass(frozen=True)
class SimulationDirectory(Described):
    """One study of an optimistic simulation.

    Attributes
    ----------
    path, manifest, notes
        As in `RunDirectory`.
    runs, workers, timewarp : pandas.DataFrame
        The tables, columns as in ``TABLES``; empty, with their columns, where the file is missing.
    """

    path: Path
    manifest: dict[str, Any]
    runs: pd.DataFrame
    workers: pd.DataFrame
    timewarp: pd.DataFrame
    notes: tuple[str, ...] = field(default=())

    @classmethod
    def open(cls, path: str | Path) -> SimulationDirectory:
        """Read and check a run directory; RunDirectoryError as `RunDirectory.open`."""
        path = Path(path)
        manifest = read_manifest(path, ("phold",))
        tables, notes = read_tables(path, TABLES)
        return cls(path=path, manifest=manifest, notes=notes, **tables)
