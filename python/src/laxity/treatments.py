"""What is compared with what: a treatment is one mode in one group of runs, its replicates are the sample.

A group holds the runs that differ in nothing but mode and replicate: one study, one shape (threads and processes), one
number of nodes per worker, one amount of added work, one guard of the rings, one fault, one reaction to it. Within a
group, replicate k of every mode ran in the same round, shortly after one another, so modes are compared pair by pair: a
machine that drifts from round to round drifts in both members of a pair.

Elsewhere: the intervals (``bootstrap``), the sentences (``findings``), the plots (``plots``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from laxity.bootstrap import Interval, mean_interval
from laxity.quality_of_service import METRICS, by_worker, spoken_over
from laxity.run_directory import FAULTS, NEIGHBOR_KINDS, RunDirectory

FAULT_TITLES = {
    "none": "",
    "slow": ", one worker slow",
    "stop": ", one worker stopped",
    "freeze": ", one node frozen",
}
_SHAPE = re.compile(r"(?=.)(?:(\d+)p|(\d+)r)?(?:(\d+)t)?", re.ASCII)
_CONDITIONS = ["work", "guard", "fault", "reaction", "parts_per_worker", "hosts"]
_GROUP_COLUMNS = ["shape", "workers", "nodes_per_worker", *_CONDITIONS]


@dataclass(frozen=True)
class Mode:
    """An asynchronicity mode: its number, its name in the tables and in words."""

    number: int
    name: str
    title: str
    meaning: str


MODES = (
    Mode(0, "every_update", "every update", "a barrier of all workers after each update"),
    Mode(1, "rolling", "rolling", "a barrier when a fixed time has passed since the end of the last one"),
    Mode(2, "fixed", "fixed", "a barrier at agreed points of wall time"),
    Mode(3, "none", "best effort", "no barrier: messages that come late or not at all are done without"),
    Mode(4, "isolated", "isolated", "no communication between workers while the clock runs; measured for comparison"),
)
EVERY_UPDATE, BEST_EFFORT, ISOLATED = MODES[0], MODES[3], MODES[4]


@dataclass(frozen=True)
class Group:
    """Runs that differ in nothing but mode and replicate.

    Attributes
    ----------
    study : int
        Position of the run directory in the report.
    shape : str
        As in ``runs.csv``: 2t, 1p, 2p2t.
    workers, nodes_per_worker : int
        Size of one run.
    title : str
        The shape in words, with what else tells the groups of one report apart.
    work, guard, fault, reaction, parts_per_worker, hosts
        As in ``runs.csv``.
    """

    study: int
    shape: str
    workers: int
    nodes_per_worker: int
    title: str
    work: int = 0
    guard: str = "lock-free"
    fault: str = "none"
    reaction: str = "none"
    parts_per_worker: int = 1
    hosts: int = 1


@dataclass(frozen=True, eq=False)
class Treatment:
    """One mode in one group, with the statistics of its replicates.

    Attributes
    ----------
    replicates : pandas.DataFrame
        Index ``replicate``; columns ``rate`` (updates per second and worker), ``ratio`` (rate / that of mode 4 in the
        same round; NaN where that round has none) and ``conflicts`` (edges).
    rate, conflicts : Interval
        Means over the replicates.
    ratio : Interval or None
        Mean of the paired ratios; None where no round has both modes, exactly 1 for mode 4.
    """

    group: Group
    mode: Mode
    replicates: pd.DataFrame
    rate: Interval
    ratio: Interval | None
    conflicts: Interval


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
    means : dict of str to Interval
        By column of ``qos.csv``; None where no run has the metric. The interval is over replicates.
    """

    group: Group
    mode: Mode
    worker: int
    means: dict[str, Interval | None]


def study_titles(studies: Sequence[RunDirectory]) -> list[str]:
    """Name the studies of one report so that no two are called the same."""
    names = [study.name for study in studies]
    return [
        name if names.count(name) == 1 else f"{name} ({study.path})" for name, study in zip(names, studies, strict=True)
    ]


def shape_title(shape: str) -> str:
    """Say a shape in words: 2t is "2 threads", 2p2t "2 processes × 2 threads", 2r "2 ranks"; others stay as is."""
    match = _SHAPE.fullmatch(shape)
    if not match:
        return shape
    parts = zip(match.groups(), (("process", "processes"), ("rank", "ranks"), ("thread", "threads")), strict=True)
    return " × ".join(f"{count} {one if count == '1' else many}" for count, (one, many) in parts if count)


def groups(studies: Sequence[RunDirectory]) -> list[Group]:
    """List the groups that have a run which ended, in the order in which reports show them."""
    titles = study_titles(studies)
    sizes = {size for study in studies for size in study.ended_runs()["nodes_per_worker"]}
    found = []
    for position, study in enumerate(studies):
        for key in study.ended_runs()[_GROUP_COLUMNS].drop_duplicates().itertuples(index=False):
            title = shape_title(key.shape)
            if len(sizes) > 1:
                title += f", {key.nodes_per_worker} {'node' if key.nodes_per_worker == 1 else 'nodes'} each"
            if len(set(study.runs["work"])) > 1:
                title += f", work {key.work}"
            title += ", mutex" if key.guard == "mutex" else ""
            title += FAULT_TITLES[key.fault]
            title += "" if key.parts_per_worker == 1 else f", {key.parts_per_worker} parts each"
            title += "" if key.reaction == "none" else f", reaction {key.reaction}"
            title += "" if key.hosts == 1 else f", on {key.hosts} nodes"
            if len(studies) > 1:
                title = f"{titles[position]}: {title}"
            sizes_of_run = (int(key.workers), int(key.nodes_per_worker))
            conditions = (int(key.work), key.guard, key.fault, key.reaction, int(key.parts_per_worker), int(key.hosts))
            found.append(Group(position, key.shape, *sizes_of_run, title, *conditions))
    return sorted(found, key=_order)


def treatments(studies: Sequence[RunDirectory]) -> list[Treatment]:
    """Summarize the runs that ended, by group and mode.

    Parameters
    ----------
    studies : sequence of RunDirectory
        Each is a group of its own at least: runs of different studies are never one sample.

    Returns
    -------
    list of Treatment
        By group, then by mode.
    """
    found = []
    for group in groups(studies):
        runs = _runs_of(studies, group)
        rates = runs.pivot_table(
            index="replicate", columns="mode", values="updates_per_second_per_worker", aggfunc="mean"
        )
        isolated = rates[ISOLATED.number] if ISOLATED.number in rates else pd.Series(dtype=float)
        isolated = isolated[isolated > 0]
        for number in rates.columns:
            of_mode = runs[runs["mode"] == number]
            replicates = pd.DataFrame({"rate": rates[number].dropna()})
            replicates["ratio"] = replicates["rate"] / isolated
            replicates["conflicts"] = of_mode.groupby("replicate")["conflicts"].mean()
            paired = replicates["ratio"].dropna()
            found.append(
                Treatment(
                    group=group,
                    mode=MODES[number],
                    replicates=replicates,
                    rate=mean_interval(replicates["rate"]),
                    ratio=_ratio_interval(number, paired),
                    conflicts=mean_interval(replicates["conflicts"]),
                )
            )
    return found


def _ratio_interval(mode: int, paired: pd.Series) -> Interval | None:
    if paired.empty:
        return None
    return Interval(1.0, None, None, len(paired)) if mode == ISOLATED.number else mean_interval(paired)


def rate_against(treatment: Treatment, other: Treatment) -> Interval | None:
    """Mean of the paired ratios of two treatments' rates; None where no round has both.

    Parameters
    ----------
    treatment, other : Treatment
        Of one group.
    """
    other_rate = other.replicates["rate"]
    paired = (treatment.replicates["rate"] / other_rate[other_rate > 0]).dropna()
    return mean_interval(paired) if len(paired) else None


def qualities(studies: Sequence[RunDirectory]) -> list[Quality]:
    """Summarize the quality of service of the runs that ended, by group, mode and neighbor kind.

    Links over which nothing was sent in a run, such as those between isolated workers, tell nothing and are left out.

    Parameters
    ----------
    studies : sequence of RunDirectory
        With their ``qos`` tables.

    Returns
    -------
    list of Quality
        By group, mode and neighbor kind.
    """
    columns = [metric.column for metric in METRICS]
    found = []
    for group in groups(studies):
        runs = _runs_of(studies, group)
        observed = spoken_over(studies[group.study].qos).merge(runs[["run", "mode", "replicate"]], on="run")
        for (number, kind), rows in observed.groupby(["mode", "neighbor_kind"]):
            of_replicates = rows.groupby("replicate")[columns].mean()
            found.append(
                Quality(
                    group=group,
                    mode=MODES[number],
                    neighbor_kind=kind,
                    means={column: mean_interval(of_replicates[column]) for column in columns},
                    medians=rows[columns].median().to_dict(),
                    observations=len(rows),
                )
            )
    position = {group: place for place, group in enumerate(groups(studies))}
    return sorted(found, key=lambda q: (position[q.group], q.mode.number, NEIGHBOR_KINDS.index(q.neighbor_kind)))


def worker_qualities(studies: Sequence[RunDirectory], mode: Mode = BEST_EFFORT) -> list[WorkerQuality]:
    """Summarize the quality of service of each worker, by group: who is slow, far away or refused.

    Parameters
    ----------
    studies : sequence of RunDirectory
        With their ``qos`` tables.
    mode : Mode
        Which runs.

    Returns
    -------
    list of WorkerQuality
        By group and worker; workers without a link to others are left out.
    """
    found = []
    for group in groups(studies):
        runs = _runs_of(studies, group)
        qos = spoken_over(studies[group.study].qos)
        between = qos[
            qos["run"].isin(runs["run"][runs["mode"] == mode.number]) & (qos["from_worker"] != qos["to_worker"])
        ]
        for worker, of_runs in by_worker(between).groupby("worker"):
            means = {column: _mean_or_none(of_runs[column].dropna()) for column in of_runs.columns}
            found.append(WorkerQuality(group, mode, int(worker), means))
    return found


def _mean_or_none(values: pd.Series) -> Interval | None:
    return mean_interval(values) if len(values) else None


def _runs_of(studies: Sequence[RunDirectory], group: Group) -> pd.DataFrame:
    runs = studies[group.study].ended_runs()
    same = [runs[column] == getattr(group, column) for column in _GROUP_COLUMNS]
    return runs[np.logical_and.reduce(same)]


def _order(group: Group) -> tuple:
    """Threads, then processes, then ranks, each alone and with threads; small before large."""
    return (
        group.study,
        "r" in group.shape,
        "p" in group.shape,
        "t" in group.shape,
        group.nodes_per_worker,
        group.workers,
        group.shape,
        group.guard != "lock-free",
        group.work,
        FAULTS.index(group.fault),
        group.parts_per_worker,
        group.reaction != "none",
        group.reaction,
        group.hosts,
    )
