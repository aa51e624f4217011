"""A study of any kind: what its directory is opened as.

Elsewhere: the kinds (``run_directory``, ``simulation_directory``, ``arrival_directory``, ``model_directory``,
``trace_directory``).
"""

from __future__ import annotations

from pathlib import Path

from laxity.arrival_directory import ArrivalDirectory
from laxity.model_directory import ModelDirectory
from laxity.run_directory import RunDirectory, read_manifest
from laxity.simulation_directory import SimulationDirectory
from laxity.trace_directory import TraceDirectory

Study = RunDirectory | SimulationDirectory | ArrivalDirectory | ModelDirectory | TraceDirectory

KINDS: dict[str, type[Study]] = {
    "coloring": RunDirectory,
    "custom": RunDirectory,
    "phold": SimulationDirectory,
    "arrival": ArrivalDirectory,
    "model": ModelDirectory,
    "trace": TraceDirectory,
}


def open_study(path: str | Path) -> Study:
    """Open a run directory of any kind; RunDirectoryError as `RunDirectory.open`."""
    return KINDS[read_manifest(Path(path), tuple(KINDS))["kind"]].open(path)
