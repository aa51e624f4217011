"""What the workers of an optimistic simulation did over time, as rates.

Counts are cumulative in ``timewarp.csv``. Rates are taken between moments so far apart that fluctuations between GVT
rounds average out.

Elsewhere: the plots (``plots``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from laxity.studies.timewarp.treatments import SINGLE
from laxity.study import DONE

if TYPE_CHECKING:
    from laxity.studies.timewarp.study import TimewarpStudy

MAX_MOMENTS = 80
"""Moments of a series; more would show the noise of single GVT rounds."""


@dataclass(frozen=True)
class Series:
    """Rates of one worker over time; arrays of shape (moments,), values for the time since the moment before.

    Attributes
    ----------
    worker : int
        Its number.
    wall_time_s : array
        Since the start of the run, at the end of each interval.
    gvt : array
        Units of the model.
    committed_per_second, rollbacks_per_second : array
        1/s.
    efficiency : array
        1 - rolled back ÷ processed, in [0, 1]; 1 where nothing was processed.
    """

    worker: int
    wall_time_s: NDArray[np.float64]
    gvt: NDArray[np.float64]
    committed_per_second: NDArray[np.float64]
    efficiency: NDArray[np.float64]
    rollbacks_per_second: NDArray[np.float64]


def shown_run(study: TimewarpStudy) -> pd.Series | None:
    """Choose the run that is shown over time: the first that ended and was observed, else the first observed.

    None where nothing was observed, and for a study that compares treatments.
    """
    observed = study.runs[study.runs["run"].isin(study.timewarp["run"]) & (study.runs["figure"] == SINGLE)]
    if observed.empty:
        return None
    ended = observed[observed["status"] == DONE]
    return (ended if len(ended) else observed).iloc[0]


def series_of(study: TimewarpStudy, run: int) -> list[Series]:
    """Make the series of all workers of a run; a worker that was observed only once has none."""
    rows = study.timewarp[study.timewarp["run"] == run]
    made = (_series(int(worker), of_worker) for worker, of_worker in rows.groupby("worker"))
    return [series for series in made if series is not None]


def _series(worker: int, rows: pd.DataFrame) -> Series | None:
    rows = rows.sort_values("wall_time_s", kind="stable").drop_duplicates("wall_time_s")
    if len(rows) < 2:
        return None
    chosen = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), MAX_MOMENTS + 1)).round().astype(int))
    at = rows.iloc[chosen]
    time = at["wall_time_s"].to_numpy()
    change = {
        name: np.diff(at[name].to_numpy(dtype=float)) for name in ("committed", "processed", "rolled_back", "rollbacks")
    }
    processed = change["processed"]
    kept = 1 - np.divide(change["rolled_back"], processed, out=np.zeros_like(processed), where=processed > 0)
    return Series(
        worker=worker,
        wall_time_s=time[1:],
        gvt=at["gvt"].to_numpy()[1:],
        committed_per_second=change["committed"] / np.diff(time),
        efficiency=np.clip(kept, 0, 1),
        rollbacks_per_second=change["rollbacks"] / np.diff(time),
    )
