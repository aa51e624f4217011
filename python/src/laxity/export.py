"""A study in the formats of other tools: one joined CSV, Parquet, and a trace for Perfetto or chrome://tracing.

The tables of a run directory are CSV already. An export joins each observation with the row of its run.

Elsewhere: reading and checking (``run_directory``).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from laxity.error import LaxityError, reason
from laxity.study import Study

FORMATS = {"csv": ".csv", "parquet": ".parquet", "perfetto": ".trace.json"}


def export(study: Study, form: str, output: str | Path | None = None) -> Path:
    """Write a study in another format.

    Parameters
    ----------
    study : Study
        The study to write.
    form : {"csv", "parquet", "perfetto"}
        One row per observation with the columns of its run, as CSV or Parquet; counters over time as a trace.
    output : str or Path, optional
        The file; without it, ``export`` with the suffix of the format in the run directory.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    LaxityError
        If the kind of study has no export, the file cannot be written, or pyarrow is missing for Parquet.
    """
    joined = observations(study)
    path = Path(output) if output is not None else study.path / f"export{FORMATS[form]}"
    try:
        if form == "perfetto":
            trace = {"traceEvents": list(_events(study)), "displayTimeUnit": "ms"}
            path.write_text(json.dumps(trace), encoding="utf-8")
        elif form == "csv":
            joined.to_csv(path, index=False)
        else:
            joined.to_parquet(path, index=False)
    except ImportError:
        raise LaxityError(f"Parquet needs pyarrow: {sys.executable} -m pip install pyarrow, or export as csv") from None
    except OSError as error:
        raise LaxityError(f"{path}: cannot be written ({reason(error)}); name another place with --output") from None
    return path


def observations(study: Study) -> pd.DataFrame:
    """Join every observation with the row of its run; columns that both have get the suffix ``_of_run``."""
    return study.observations().merge(study.runs, on="run", suffixes=("", "_of_run"))


def _events(study: Study) -> Iterator[dict]:
    """Yield a process per run, its counters and its slices; times in µs, as the format requires."""
    for run in study.runs.to_dict("records"):
        name = f"run {run['run']}: {run.get('team', run['shape'])}"
        yield {"ph": "M", "name": "process_name", "pid": int(run["run"]), "args": {"name": name}}
    for run, worker, name, time_us, duration_us in study.slices():
        slice_of = {"pid": int(run), "tid": int(worker), "ts": float(time_us), "dur": float(duration_us)}
        yield {"ph": "X", "name": name, **slice_of}
    for run, name, time_us, value in study.counters():
        yield {"ph": "C", "pid": int(run), "name": name, "ts": float(time_us), "args": {"value": float(value)}}
