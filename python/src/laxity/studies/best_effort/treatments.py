"""What is compared with what: a treatment is one mode in one group of runs, its replicates are the sample.

A group holds the runs that differ in nothing but mode and replicate. Within a group, replicate k of every mode ran in
the same round, shortly after one another, so modes are compared pair by pair: a machine whose speed drifts from round
to round affects both members of a pair.

Elsewhere: the intervals (``intervals``), quality of service (``link_quality``), the sentences (``findings``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from laxity.columns import tables_of
from laxity.intervals import Interval, geometric_mean_interval, mean_interval
from laxity.notation import team_title
from laxity.studies.best_effort.modes import ISOLATED, MODES, Mode
from laxity.study import study_titles

if TYPE_CHECKING:
    from laxity.studies.best_effort.study import BestEffortStudy

_FAULTS = tables_of("coloring")["runs"]["fault"].words
_FAULT_TITLES = {
    "slow": ", one worker slow",
    "link": ", one worker on a bad link",
    "stop": ", one worker stopped",
    "freeze": ", one host frozen",
}


@dataclass(frozen=True)
class Group:
    """Runs that differ in nothing but mode and replicate.

    Attributes
    ----------
    study : int
        Position of the run directory in the report.
    title : str
        The team in words, with what else distinguishes the groups of one report.
    shape, workers, nodes_per_worker, work, guard, fault, reaction, parts_per_worker, hosts
        As in ``runs.csv``.
    """

    study: int
    title: str
    shape: str
    workers: int
    nodes_per_worker: int
    work: int
    guard: str
    fault: str
    reaction: str
    parts_per_worker: int
    hosts: int


_COLUMNS = [field.name for field in fields(Group)][2:]


@dataclass(frozen=True, eq=False)
class Treatment:
    """One mode in one group, with the statistics of its replicates.

    Attributes
    ----------
    replicates : pandas.DataFrame
        Index ``replicate``; columns ``rate`` (updates per second and worker), ``ratio`` (rate / that of the reference
        in the same round; NaN where that round has none) and ``conflicts`` (edges).
    rate, conflicts : Interval
        Means over the replicates: geometric of rates, arithmetic of conflicts.
    ratio : Interval or None
        Share kept: geometric mean of the paired ratios to the reference. This is `alone` where the study has it:
        isolated workers also meet conflicts at their borders that they can never solve, which costs time and is no
        communication. Otherwise it is mode 4, whose share is exactly 1. None where no round has both.
    of_isolated : Interval or None
        The same with mode 4 as the reference, as in the paper.
    alone : Interval or None
        Rate of isolated workers with a torus each, of this group.
    """

    group: Group
    mode: Mode
    replicates: pd.DataFrame
    rate: Interval
    ratio: Interval | None
    of_isolated: Interval | None
    alone: Interval | None
    conflicts: Interval


def condition_title(run: Mapping[str, object]) -> str:
    """Write guard, fault, parts, reaction and hosts of a run in words, each behind a comma; none for defaults."""
    return (
        (", mutex" if run["guard"] == "mutex" else "")
        + _FAULT_TITLES.get(str(run["fault"]), "")
        + ("" if run["parts_per_worker"] == 1 else f", {run['parts_per_worker']} parts each")
        + ("" if run["reaction"] == "none" else f", reaction {run['reaction']}")
        + ("" if run["hosts"] == 1 else f", on {run['hosts']} hosts")
    )


def nodes_title(nodes: int) -> str:
    """Write the nodes per worker: "1 node each", "2048 nodes each"."""
    return f"{nodes} {'node' if nodes == 1 else 'nodes'} each"


def groups(studies: Sequence[BestEffortStudy]) -> list[Group]:
    """List the groups that have a run which ended, in the order in which reports show them."""
    titles = study_titles(studies)
    sizes = {size for study in studies for size in study.ended_runs()["nodes_per_worker"]}
    found = []
    for position, study in enumerate(studies):
        several_works = len(set(study.runs["work"])) > 1
        for key in study.ended_runs()[_COLUMNS].drop_duplicates().to_dict("records"):
            title = team_title(key["shape"])
            title += f", {nodes_title(key['nodes_per_worker'])}" if len(sizes) > 1 else ""
            title += f", work {key['work']}" if several_works else ""
            title += condition_title(key)
            found.append(Group(position, f"{titles[position]}: {title}" if len(studies) > 1 else title, **key))
    return sorted(found, key=_order)


def treatments(studies: Sequence[BestEffortStudy]) -> list[Treatment]:
    """Summarize the runs that ended, by group and mode.

    Parameters
    ----------
    studies : sequence of BestEffortStudy
        Runs of different studies are never one sample.

    Returns
    -------
    list of Treatment
        By group, then by mode.
    """
    found = []
    for group in groups(studies):
        runs = runs_of(studies, group)
        rates = runs.pivot_table(
            index="replicate", columns="mode", values="updates_per_second_per_worker", aggfunc="mean"
        )
        isolated = rates[ISOLATED.number] if ISOLATED.number in rates else pd.Series(dtype=float)
        isolated = isolated[isolated > 0]
        alone = _in_group(studies[group.study].reference_runs(), group)
        alone = alone.groupby("replicate")["updates_per_second_per_worker"].mean()
        for number in rates.columns:
            replicates = pd.DataFrame({"rate": rates[number].dropna()})
            of_isolated = _ratio_interval(number, (replicates["rate"] / isolated).dropna())
            replicates["ratio"] = replicates["rate"] / (alone if len(alone) else isolated)
            paired = replicates["ratio"].dropna()
            replicates["conflicts"] = runs[runs["mode"] == number].groupby("replicate")["conflicts"].mean()
            found.append(
                Treatment(
                    group=group,
                    mode=MODES[number],
                    replicates=replicates,
                    rate=geometric_mean_interval(replicates["rate"]),
                    ratio=geometric_mean_interval(paired) if len(alone) and len(paired) else of_isolated,
                    of_isolated=of_isolated,
                    alone=geometric_mean_interval(alone) if len(alone) else None,
                    conflicts=mean_interval(replicates["conflicts"]),
                )
            )
    return found


def _ratio_interval(mode: int, paired: pd.Series) -> Interval | None:
    if paired.empty:
        return None
    return Interval(1.0, None, None, len(paired)) if mode == ISOLATED.number else geometric_mean_interval(paired)


def rate_against(treatment: Treatment, other: Treatment) -> Interval | None:
    """Geometric mean of the paired ratios of two treatments' rates; None where no round has both.

    Parameters
    ----------
    treatment, other : Treatment
        Of one group.
    """
    other_rate = other.replicates["rate"]
    paired = (treatment.replicates["rate"] / other_rate[other_rate > 0]).dropna()
    return geometric_mean_interval(paired) if len(paired) else None


def runs_of(studies: Sequence[BestEffortStudy], group: Group) -> pd.DataFrame:
    """Return the runs of a group that ended."""
    return _in_group(studies[group.study].ended_runs(), group)


def _in_group(runs: pd.DataFrame, group: Group) -> pd.DataFrame:
    return runs[np.logical_and.reduce([runs[column] == getattr(group, column) for column in _COLUMNS])]


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
        _FAULTS.index(group.fault),
        group.parts_per_worker,
        group.reaction != "none",
        group.reaction,
        group.hosts,
    )
