"""Run directories of ``laxity trace``: the collective calls of an MPI program, and how its processes came to them.

The format is ``docs/run_format.md``, kind trace.

Elsewhere: how files are read and checked (``run_directory``), the page (``trace_page``), the plots (``plots.traces``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from laxity.notation import duration, number, percent
from laxity.run_directory import DONE, Column, Described, counts, read_manifest, read_tables

STARTS = ("blocking", "nonblocking", "persistent")
_WHICH = (Column("collective", str), Column("start", str, words=STARTS), Column("communicator", str))

TABLES: dict[str, tuple[Column, ...]] = {
    "runs": (
        *counts("run"),
        *(Column(name, str) for name in ("job", "program", "mpi")),
        *counts("processes", "traced", "every", "calls"),
        Column("seconds", float),
        *(Column(name, float, 0, 1) for name in ("share_in_collectives", "share_waiting")),
        Column("one_clock", int, 0, 1),
        Column("status", str),
    ),
    "collectives": (
        *counts("run"),
        *_WHICH,
        *counts("size", "calls", "min_bytes"),
        Column("mean_bytes", float),
        *counts("max_bytes", "bytes_sent"),
        *(Column(name, float) for name in ("inside_s", "waiting_s", "mean_skew_us", "max_skew_us")),
        Column("mean_last_delay_us", float),
    ),
    "processes": (
        *counts("run", "process"),
        Column("host", str),
        *counts("calls", "bytes_sent", "bytes_received"),
        *(Column(name, float) for name in ("elapsed_s", "inside_s", "waiting_s", "mean_delay_us")),
    ),
    "delays": (
        *counts("run"),
        *_WHICH,
        *counts("process", "calls"),
        *(Column(name, float) for name in ("mean_delay_us", "max_delay_us")),
    ),
    "calls": (
        *counts("run", "call"),
        *_WHICH,
        *counts("sequence", "processes", "bytes"),
        Column("first_arrival_s", float),
        *(Column(name, float) for name in ("skew_us", "last_delay_us", "total_delay_us", "inside_us", "waiting_us")),
    ),
}


@dataclass(frozen=True)
class TraceDirectory(Described):
    """One traced command; a run is a job, that is, one MPI_COMM_WORLD.

    Attributes
    ----------
    path, manifest, notes
        As in `RunDirectory`.
    runs, collectives, processes, delays, calls : pandas.DataFrame
        The tables, columns as in ``TABLES``; empty, with their columns, where the file is missing.
    """

    path: Path
    manifest: dict[str, Any]
    runs: pd.DataFrame
    collectives: pd.DataFrame
    processes: pd.DataFrame
    delays: pd.DataFrame
    calls: pd.DataFrame
    notes: tuple[str, ...] = field(default=())

    @classmethod
    def open(cls, path: str | Path) -> TraceDirectory:
        """Read and check a run directory; RunDirectoryError as `RunDirectory.open`."""
        path = Path(path)
        manifest = read_manifest(path, ("trace",))
        tables, notes = read_tables(path, TABLES)
        return cls(path=path, manifest=manifest, notes=notes, **tables)

    def largest_job(self) -> pd.Series | None:
        """Choose the job that is shown: the one with the most calls; None where nothing was traced."""
        return None if self.runs.empty else self.runs.loc[self.runs["calls"].idxmax()]

    def heaviest(self) -> pd.Series | None:
        """Choose the collective that the largest job spends most of its time in; None where there was no call."""
        job = self.largest_job()
        rows = self.collectives.head(0) if job is None else self.collectives[self.collectives["run"] == job["run"]]
        return None if rows.empty else rows.loc[rows["inside_s"].idxmax()]

    def of_heaviest(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of a table (delays, calls) that are of the `heaviest` collective."""
        heaviest = self.heaviest()
        if heaviest is None:
            return table.head(0)
        keys = ["run", "collective", "start", "communicator"]
        return table[(table[keys] == heaviest[keys]).all(axis=1)]


def title_of(collective: pd.Series) -> str:
    """Name a collective as MPI does, and its communicator: "MPI_Iallreduce on world"."""
    name = str(collective["collective"])
    call = f"MPI_I{name}" if collective["start"] == "nonblocking" else f"MPI_{name.capitalize()}"
    return f"{call} on {collective['communicator']}"


def what_was_traced(study: TraceDirectory) -> str:
    """Say in a paragraph what was traced and where the time went."""
    job = study.largest_job()
    if job is None:
        return "No process was traced, so there is nothing to show yet."
    said = [
        f"{number(job['calls'])} collective calls of {job['traced']} of {job['processes']} processes in "
        f"{duration(job['seconds'] * 1e9)}: {percent(job['share_in_collectives'])} of the time went into collectives, "
        f"{percent(job['share_waiting'])} of that into waiting for the last to arrive."
    ]
    heaviest = study.heaviest()
    if heaviest is not None:
        said.append(
            f"Most of it in {title_of(heaviest)}: {number(heaviest['calls'])} calls of "
            f"{number(heaviest['mean_bytes'])} bytes, skew {duration(heaviest['mean_skew_us'] * 1e3)} on average."
        )
    return " ".join(said)


def trace_warnings(studies: list[TraceDirectory]) -> list[str]:
    """Say what to be careful about."""
    said = []
    for study in studies:
        if study.status != DONE:
            said.append(f"The program of {study.name} did not end well (status {study.status!r}).")
        for run in study.runs.itertuples(index=False):
            if not run.one_clock:
                said.append(
                    f"In {study.name} the processes of job {run.run} have different clocks: skew means nothing."
                )
            if run.traced < run.processes or run.every > 1:
                said.append(
                    f"In {study.name} {run.traced} of {run.processes} processes and 1 of {run.every} calls were traced."
                )
        said += [f"{note}." for note in study.notes]
    return said
