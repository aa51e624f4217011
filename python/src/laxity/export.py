"""A study in the formats of other tools: one joined CSV, Parquet, and a trace for Perfetto or chrome://tracing.

The tables of a run directory are CSV already; what is exported is joined, so that every observation carries what is
known of its run.

Elsewhere: reading and checking (``run_directory``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from laxity.error import LaxityError
from laxity.quality_of_service import METRICS
from laxity.run_directory import RunDirectory
from laxity.simulation_directory import SimulationDirectory

FORMATS = {"csv": ".csv", "parquet": ".parquet", "perfetto": ".trace.json"}


def export(study: RunDirectory | SimulationDirectory, form: str, output: str | Path | None = None) -> Path:
    """Write a study in another format.

    Parameters
    ----------
    study : RunDirectory or SimulationDirectory
        What to write.
    form : {"csv", "parquet", "perfetto"}
        A row per observation with the columns of its run; the same as Parquet; counters over time as a trace.
    output : str or Path, optional
        The file; without it, ``export`` with the format's ending in the run directory.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    LaxityError
        If the file cannot be written, or Parquet is asked for and pyarrow is not installed.
    """
    if not isinstance(study, RunDirectory | SimulationDirectory):
        raise LaxityError(f"{study.path}: studies of this kind cannot be exported; their tables are CSV already")
    path = Path(output) if output is not None else study.path / f"export{FORMATS[form]}"
    try:
        if form == "perfetto":
            trace = {"traceEvents": list(_events(study)), "displayTimeUnit": "ms"}
            path.write_text(json.dumps(trace), encoding="utf-8")
        elif form == "csv":
            observations(study).to_csv(path, index=False)
        else:
            observations(study).to_parquet(path, index=False)
    except ImportError:
        raise LaxityError("Parquet needs pyarrow: pip install 'laxity[parquet]', or export as csv") from None
    except OSError as error:
        raise LaxityError(f"{path}: cannot be written ({error.strerror}); name another place with --output") from None
    return path


def observations(study: RunDirectory | SimulationDirectory) -> pd.DataFrame:
    """Join every observation with the row of its run; columns that both have get the suffix ``_of_run``."""
    observed = study.qos if isinstance(study, RunDirectory) else study.timewarp
    return observed.merge(study.runs, on="run", suffixes=("", "_of_run"))


def _events(study: RunDirectory | SimulationDirectory) -> Iterator[dict]:
    """One process per run, one counter per worker and metric; times in µs, as the format wants them."""
    for run in study.runs.itertuples(index=False):
        team = run.shape if isinstance(study, RunDirectory) else run.team
        yield {"ph": "M", "name": "process_name", "pid": int(run.run), "args": {"name": f"run {run.run}: {team}"}}
    yield from (_of_quality(study) if isinstance(study, RunDirectory) else _of_simulation(study))


def _of_quality(study: RunDirectory) -> Iterator[dict]:
    columns = [metric.column for metric in METRICS]
    by_worker = study.qos.groupby(["run", "to_worker", "snapshot"], sort=True)[["window_ns", *columns]].mean()
    ends = by_worker["window_ns"].groupby(["run", "to_worker"]).cumsum() * 1e-3
    for (run, worker, _), end, row in zip(by_worker.index, ends, by_worker.to_dict("records"), strict=True):
        for column in columns:
            yield _counter(run, f"worker {worker} {column}", end, row[column])


def _of_simulation(study: SimulationDirectory) -> Iterator[dict]:
    for row in study.timewarp.to_dict("records"):
        for column in ("gvt", "committed", "rolled_back", "events_in_use"):
            yield _counter(row["run"], f"worker {row['worker']} {column}", row["wall_time_s"] * 1e6, row[column])


def _counter(run: int, name: str, time_us: float, value: float) -> dict:
    return {"ph": "C", "pid": int(run), "name": name, "ts": float(time_us), "args": {"value": float(value)}}
