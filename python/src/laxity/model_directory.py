"""Run directories of ``laxity queueing``, ``pcs`` and ``epidemic``: one simulation, beside what theory says of it.

The format is ``docs/run_format.md``, kind model.

Elsewhere: how files are read and checked (``run_directory``), the page (``model_page``), the plots (``plots.models``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from laxity.notation import number, percent
from laxity.run_directory import DONE, Column, Described, counts, read_manifest, read_tables
from laxity.treatments import shape_title

TABLES: dict[str, tuple[Column, ...]] = {
    "runs": (
        *counts("run"),
        Column("model", str),
        Column("seed", int, highest=2**64 - 1),
        Column("team", str),
        *(Column(name, int, 1, 1 << 20) for name in ("threads", "processes", "workers")),
        Column("queue", str),
        Column("seconds", float),
        *counts("committed", "processed", "rolled_back"),
        Column("committed_per_second", float),
        Column("efficiency", float, 0, 1),
        Column("digest", str),
        Column("status", str),
    ),
    "comparisons": (
        *counts("run"),
        Column("quantity", str),
        Column("by", str),
        *(Column(name, float) for name in ("x", "simulated", "expected")),
    ),
}

TITLES = {
    "queueing": "A network of queues, beside Jackson's theorem",
    "pcs": "Mobile telephone cells, beside Erlang's formula",
    "epidemic": "An epidemic among people who travel, beside its equations",
}
"""Of the models that laxity knows."""


@dataclass(frozen=True)
class ModelDirectory(Described):
    """One simulation of a model that theory knows the answer to.

    Attributes
    ----------
    path, manifest, notes
        As in `RunDirectory`.
    runs, comparisons : pandas.DataFrame
        The tables, columns as in ``TABLES``; empty, with their columns, where the file is missing.
    """

    path: Path
    manifest: dict[str, Any]
    runs: pd.DataFrame
    comparisons: pd.DataFrame
    notes: tuple[str, ...] = field(default=())

    @classmethod
    def open(cls, path: str | Path) -> ModelDirectory:
        """Read and check a run directory; RunDirectoryError as `RunDirectory.open`."""
        path = Path(path)
        manifest = read_manifest(path, ("model",))
        tables, notes = read_tables(path, TABLES)
        return cls(path=path, manifest=manifest, notes=notes, **tables)

    @property
    def title(self) -> str:
        """What was simulated."""
        model = str(self.configuration.get("model", "a model"))
        return TITLES.get(model, model)


def what_was_modeled(study: ModelDirectory) -> str:
    """Say in a paragraph what was simulated and how close it came."""
    if study.runs.empty:
        return "No run ended, so there is nothing to show yet."
    run = study.runs.iloc[0]
    team = "one thread, sequentially" if run["team"] == "sequential" else shape_title(run["team"])
    events, rate = number(run["committed"]), number(run["committed_per_second"])
    efficiency = percent(run["efficiency"])
    said = [f"{study.title}: {events} events with {team}, {rate} a second, efficiency {efficiency}."]
    for (quantity, _), points in study.comparisons.groupby(["quantity", "by"], sort=False):
        expected = points["expected"].sum()
        if expected > 0:
            share = percent(points["simulated"].sum() / expected)
            said.append(f"Over all, {quantity}: {share} of what theory says.")
    return " ".join(said)


def model_warnings(studies: list[ModelDirectory]) -> list[str]:
    """Say what to be careful about."""
    said = []
    for study in studies:
        if study.status != DONE:
            said.append(f"{study.name} did not end (status {study.status!r}); the same command runs it again.")
        said += [f"{note}." for note in study.notes]
    return said
