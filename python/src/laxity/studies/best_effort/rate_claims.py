"""What runs in several asynchronicity modes say about the claims on update rates and conflicts.

Added work stands for the computation-heavy digital evolution of the paper.

Elsewhere: the claims on quality of service (``claims``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from laxity.evidence import sizes
from laxity.evidence.sizes import Size
from laxity.evidence.verdicts import Check, Evidence, falls, is_near, is_unchanged, rises
from laxity.notation import mean_count, number, percent
from laxity.studies.best_effort.comparisons import ranks_per_host
from laxity.studies.best_effort.modes import BEST_EFFORT, EVERY_UPDATE, ISOLATED, MODES
from laxity.studies.best_effort.treatments import nodes_title

if TYPE_CHECKING:
    from laxity.studies.best_effort.measured_runs import MeasuredRuns

_RATE, _CONFLICTS = "updates_per_second_per_worker", "conflicts"
_PAPER_WORKERS = 64


def rate_claims(measured: MeasuredRuns) -> Iterator[Evidence]:
    """Weigh the claims on every team, number of nodes and load that was run without a fault."""
    runs = measured.runs[measured.runs["fault"] == "none"]
    teams = runs["shape"].map(lambda shape: "threads" if set(shape) & set("pr") == set() else "processes")
    light = runs["work"].min()
    per_host = ranks_per_host(runs)
    for (team, nodes, work, of_host), some in runs.groupby([teams, "nodes_per_worker", "work", per_host]):
        load = "" if work == light else f", work {work}"
        condition = f"{team}, {nodes_title(nodes)}{load}{'' if of_host == 1 else f', {of_host} per host'}"
        yield from _between_modes(measured, some, team, condition, heavy=work != light)
        yield from _between_sizes(measured, some, team, condition, heavy=work != light)


def _of(measured: MeasuredRuns, runs: pd.DataFrame, workers: int, mode: int, column: str = _RATE) -> pd.Series:
    return measured.sample(runs.index[(runs["workers"] == workers) & (runs["mode"] == mode)], column)


def _between_modes(
    measured: MeasuredRuns, runs: pd.DataFrame, team: str, condition: str, *, heavy: bool
) -> Iterator[Evidence]:
    """Compare modes without a barrier after every update with lockstep, at one number of workers."""
    in_lockstep = sorted(int(count) for count in runs.loc[runs["mode"] == EVERY_UPDATE.number, "workers"].unique())
    workers = _PAPER_WORKERS if _PAPER_WORKERS in in_lockstep else max(in_lockstep, default=1)
    modes = (1, 2, BEST_EFFORT.number) if team == "threads" else (BEST_EFFORT.number,)
    if workers == 1:
        return
    lockstep = _of(measured, runs, workers, EVERY_UPDATE.number)
    for mode in modes:
        rate = _of(measured, runs, workers, mode)
        if rate.empty:
            continue
        where = f"{workers} {condition}, {MODES[mode].title} against {EVERY_UPDATE.title}"
        ratio = sizes.ratio(lockstep, rate)
        here = _figures(rate, lockstep, number, "updates per second and worker")
        if heavy:
            yield measured.evidence("evolution-faster", where, here, _faster(ratio, workers, 2.1), workers)
            continue
        key = "threads-modes-faster" if team == "threads" else "processes-faster"
        yield measured.evidence(key, where, here, [rises("rate", ratio)], workers)
        if team == "processes":
            yield measured.evidence("free-faster-64", where, here, _faster(ratio, workers, 7.8), workers)
        left, before = (_of(measured, runs, workers, each, _CONFLICTS) for each in (mode, EVERY_UPDATE.number))
        key = "threads-modes-solve" if team == "threads" else "processes-solve"
        check = Check("conflicts", sizes.difference(before, left), below=0.0, write=mean_count)
        yield measured.evidence(key, where, _figures(left, before, mean_count, "conflicts"), [check], workers)


def _faster(ratio: Size | None, workers: int, figure: float) -> list[Check]:
    """Expect the factor of the paper at its number of workers, and any gain at another."""
    return [is_near("rate", ratio, figure) if workers == _PAPER_WORKERS else rises("rate", ratio)]


def _between_sizes(
    measured: MeasuredRuns, runs: pd.DataFrame, team: str, condition: str, *, heavy: bool
) -> Iterator[Evidence]:
    """Compare many workers with one."""
    counts = sorted(int(count) for count in runs["workers"].unique())
    if len(counts) == 1 or counts[0] != 1:
        return
    at_most_paper = [count for count in counts if count <= _PAPER_WORKERS]
    most = at_most_paper[-1]

    def of(mode: int, workers: int) -> tuple[Size | None, str, str]:
        alone, beside = _of(measured, runs, 1, mode), _of(measured, runs, workers, mode)
        where = f"{condition}, {MODES[mode].title}: {workers} against 1"
        return sizes.ratio(alone, beside), _figures(beside, alone, number, "updates per second and worker"), where

    modes = set(runs["mode"])
    if ISOLATED.number in modes and not heavy:
        ratio, here, where = of(ISOLATED.number, most)
        if ratio is not None:
            key = "threads-isolated-slow-down" if team == "threads" else "isolated-constant"
            check = falls("rate", ratio) if team == "threads" else is_unchanged("rate", ratio)
            yield measured.evidence(key, where, here, [check], most)
    if BEST_EFFORT.number in modes and team == "processes" and most > 1:
        ratio, here, where = of(BEST_EFFORT.number, most)
        if ratio is not None:
            key, figure = ("evolution-keeps", 0.92) if heavy else ("free-keeps", 0.63)
            exact = most == _PAPER_WORKERS
            check = is_near("rate", ratio, figure) if exact else Check("rate", ratio, above=0.5, write=percent)
            yield measured.evidence(key, where, here, [check], most)
    if team == "threads" and not heavy:
        for key, first, second, figure in (
            ("threads-slow-down", 1, 4, 0.39),
            ("threads-slow-down-further", 4, 64, 0.25),
        ):
            if {first, second} <= set(counts) and BEST_EFFORT.number in modes:
                before, after = (_of(measured, runs, count, BEST_EFFORT.number) for count in (first, second))
                here = _figures(after, before, number, "updates per second and worker")
                where = f"{condition}, {BEST_EFFORT.title}: {second} against {first}"
                check = is_near("rate", sizes.ratio(before, after), figure)
                yield measured.evidence(key, where, here, [check], second)


def _figures(after: pd.Series, before: pd.Series, write, what: str) -> str:
    after, before = (write(size.value) if (size := sizes.value(sample)) else "none" for sample in (after, before))
    return f"{after} against {before} {what}"
