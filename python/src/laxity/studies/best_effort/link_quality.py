"""Quality of service by treatment: over the links of one neighbor kind, and of each worker.

Elsewhere: the metrics (``quality_of_service``), the groups (``treatments``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from laxity.columns import tables_of
from laxity.intervals import Interval, geometric_mean_interval, mean_interval
from laxity.studies.best_effort.modes import BEST_EFFORT, MODES, Mode
from laxity.studies.best_effort.quality_of_service import ALL_METRICS, ONE_WAY, by_worker, with_traffic
from laxity.studies.best_effort.treatments import Group, groups, runs_of

if TYPE_CHECKING:
    from laxity.studies.best_effort.study import BestEffortStudy

_NEIGHBOR_KINDS = tables_of("coloring")["qos"]["neighbor_kind"].words


@dataclass(frozen=True, eq=False)
class Quality:
    """Quality of service of one mode in one group, over the links of one neighbor kind.

    Attributes
    ----------
    means : dict of str to Interval
        By column of ``qos.csv``. A replicate's value is the mean of its observations; the interval is over replicates.
    medians : dict of str to float
        Of all observations.
    observations : int
        Snapshots times links.
    """

    group: Group
    mode: Mode
    neighbor_kind: str
    means: dict[str, Interval]
    medians: dict[str, float]
    observations: int


@dataclass(frozen=True, eq=False)
class WorkerQuality:
    """Quality of service of one worker in one mode of one group, over its links to and from other workers.

    Attributes
    ----------
    means : dict of str to Interval or None
        By column of ``qos.csv``; None where no run has the metric. The interval is over replicates.
    """

    group: Group
    mode: Mode
    worker: int
    means: dict[str, Interval | None]


def qualities(studies: Sequence[BestEffortStudy]) -> list[Quality]:
    """Summarize the quality of service of the runs that ended, by group, mode and neighbor kind.

    Links without traffic in a run, such as those between isolated workers, are left out.

    Parameters
    ----------
    studies : sequence of BestEffortStudy
        With their ``qos`` tables.

    Returns
    -------
    list of Quality
        By group, mode and neighbor kind.
    """
    columns = [metric.column for metric in ALL_METRICS]
    found = []
    for group in groups(studies):
        runs = runs_of(studies, group)
        observed = with_traffic(studies[group.study].qos).merge(runs[["run", "mode", "replicate"]], on="run")
        of_group = [
            Quality(
                group=group,
                mode=MODES[number],
                neighbor_kind=kind,
                means=_means(rows.groupby("replicate")[columns].mean()),
                medians=rows[columns].median().to_dict(),
                observations=len(rows),
            )
            for (number, kind), rows in observed.groupby(["mode", "neighbor_kind"])
        ]
        found += sorted(of_group, key=lambda q: (q.mode.number, _NEIGHBOR_KINDS.index(q.neighbor_kind)))
    return found


def _means(of_replicates: pd.DataFrame) -> dict[str, Interval | None]:
    """Average each metric over replicates that have it: shares arithmetically, times and latencies geometrically.

    The measured latency may be negative and is averaged arithmetically.
    """
    average = {
        metric.column: mean_interval if metric.unit == "1" or metric is ONE_WAY else geometric_mean_interval
        for metric in ALL_METRICS
    }
    samples = {column: of_replicates[column].dropna() for column in of_replicates.columns}
    return {column: average[column](sample) if len(sample) else None for column, sample in samples.items()}


def worker_qualities(studies: Sequence[BestEffortStudy], mode: Mode = BEST_EFFORT) -> list[WorkerQuality]:
    """Summarize the quality of service of each worker, by group.

    Parameters
    ----------
    studies : sequence of BestEffortStudy
        With their ``qos`` tables.
    mode : Mode
        Of the runs that are summarized.

    Returns
    -------
    list of WorkerQuality
        By group and worker; workers without a link to others are left out.
    """
    found = []
    for group in groups(studies):
        runs = runs_of(studies, group)
        qos = with_traffic(studies[group.study].qos)
        between = qos[
            qos["run"].isin(runs["run"][runs["mode"] == mode.number]) & (qos["from_worker"] != qos["to_worker"])
        ]
        for worker, of_runs in by_worker(between).groupby("worker"):
            found.append(WorkerQuality(group, mode, int(worker), _means(of_runs)))
    return found
