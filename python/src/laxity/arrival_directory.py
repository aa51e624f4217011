"""Run directories of ``laxity arrival``: collectives under arrival patterns, one row a repetition.

The format is ``docs/run_format.md``, kind arrival.

Elsewhere: how files are read and checked (``run_directory``), what is made of them (``arrivals``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from laxity.run_directory import Column, Described, counts, read_manifest, read_tables

TABLES: dict[str, tuple[Column, ...]] = {
    "runs": (
        *counts("run"),
        Column("collective", str),
        *counts("bytes"),
        *(Column(name, int, 1, 1 << 30) for name in ("processes", "hosts")),
        *counts("algorithms", "cells", "repetitions", "valid"),
        Column("seconds", float),
        Column("status", str),
    ),
    "algorithms": (
        *counts("run"),
        Column("collective", str),
        *counts("bytes"),
        Column("algorithm", str),
        *counts("algorithm_id"),
        Column("verdict", str, words=("right", "refused", "wrong", "alias")),
    ),
    "arrival": (
        *counts("run"),
        Column("collective", str),
        Column("algorithm", str),
        *counts("algorithm_id"),
        Column("library", str),
        Column("version", str),
        *(Column(name, int, 1, 1 << 30) for name in ("processes", "hosts")),
        *counts("bytes"),
        Column("pattern", str),
        Column("skew_us", float),
        *counts("repetition"),
        Column("valid", int, 0, 1),
        *(Column(name, float) for name in ("last_delay_us", "total_delay_us")),
    ),
}


@dataclass(frozen=True)
class ArrivalDirectory(Described):
    """One study of collectives under arrival patterns.

    Attributes
    ----------
    path, manifest, notes
        As in `RunDirectory`.
    runs, algorithms, arrival : pandas.DataFrame
        The tables, columns as in ``TABLES``; empty, with their columns, where the file is missing.
    """

    path: Path
    manifest: dict[str, Any]
    runs: pd.DataFrame
    algorithms: pd.DataFrame
    arrival: pd.DataFrame
    notes: tuple[str, ...] = field(default=())

    @classmethod
    def open(cls, path: str | Path) -> ArrivalDirectory:
        """Read and check a run directory; RunDirectoryError as `RunDirectory.open`."""
        path = Path(path)
        manifest = read_manifest(path, ("arrival",))
        tables, notes = read_tables(path, TABLES)
        return cls(path=path, manifest=manifest, notes=notes, **tables)
