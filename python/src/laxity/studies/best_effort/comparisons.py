"""What each experiment of best-effort communication compares: runs that differ in one thing.

The predictor is the logarithm (to base 4) of the number of workers or of the added work, or 0 and 1 for two treatments.
Where the paper's tables hold infinities (the logarithm of no added work), the predictor here is the logarithm of one
unit more.

Source: Moreno and Ofria, Best-effort communication improves performance and scales robustly on conventional hardware,
II-E, III-C to III-G.

Elsewhere: by how much the runs differ (``effects``), the words (``effects_in_words``), the plots
(``plots.experiments``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from laxity.notation import team_title
from laxity.studies.best_effort.modes import BEST_EFFORT, MODES
from laxity.studies.best_effort.quality_of_service import METRICS, ONE_WAY, Metric
from laxity.studies.best_effort.treatments import nodes_title

if TYPE_CHECKING:
    from laxity.studies.best_effort.study import BestEffortStudy

LOG_BASE = 4

RATE = Metric("updates_per_second_per_worker", "update rate", "1/s", "updates per second and worker")
CONFLICTS = Metric("conflicts", "conflicts at the end", "edges", "edges whose two nodes have the same color")
MOVES = Metric("moves", "moves of parts", "parts", "parts that migrated from one worker to another")
LINK_METRICS = (*METRICS, ONE_WAY)
_IN_LOGARITHMS = ("simstep_period_ns", "simstep_latency_updates", "walltime_latency_ns", ONE_WAY.column)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Runs that differ in one thing.

    Attributes
    ----------
    study : int
        Position of the run directory in the report.
    condition : str
        In words, what the runs have in common.
    predictor : str
        What differs, in words: ``log4 workers``.
    levels : sequence of (float, str)
        Values of the predictor, ascending, with their labels.
    runs : pandas.DataFrame
        Index ``run``; columns ``x``, the predictor, and ``nodes_per_worker``, which is the same in all rows.
    responses : sequence of Metric
        What is regressed on it.
    categorical : bool
        Whether the predictor is 0 and 1 for two treatments.
    logarithmic : bool
        Whether times and latencies are compared by their logarithms.
    """

    study: int
    condition: str
    predictor: str
    levels: Sequence[tuple[float, str]]
    runs: pd.DataFrame
    responses: Sequence[Metric]
    categorical: bool = False
    logarithmic: bool = False

    def is_in_logarithms(self, metric: Metric) -> bool:
        """Whether this response is compared by its logarithm."""
        return self.logarithmic and metric.column in _IN_LOGARITHMS

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the levels."""
        return tuple(label for _, label in self.levels)

    @property
    def other(self) -> str:
        """What the runs are compared by, in words: the second of two treatments, or the predictor."""
        return self.labels[-1] if self.categorical else self.predictor

    @property
    def varied(self) -> str:
        """The quantity whose logarithm the predictor is."""
        return self.predictor.removeprefix(f"log{LOG_BASE} ").strip("()")


def comparisons(studies: Sequence[BestEffortStudy]) -> list[Comparison]:
    """List what the studies compare; empty for studies that are no experiment of the catalog."""
    return [
        comparison
        for position, study in enumerate(studies)
        if (builder := _BUILDERS.get(study.experiment)) is not None
        for comparison in builder(position, study.ended_runs())
    ]


def _by_logarithm(
    study: int, condition: str, varied: str, runs: pd.DataFrame, column: str, responses: Sequence[Metric], **more
) -> Iterator[Comparison]:
    """Compare by the logarithm of a column, or of one more where it may be 0."""
    from_zero = (runs[column] == 0).any()
    x = np.log(runs[column].astype(float) + from_zero) / np.log(LOG_BASE)
    levels = sorted(set(zip(x, runs[column].astype(str), strict=True)))
    if len(levels) > 1:
        predictor = f"log{LOG_BASE} ({varied} + 1)" if from_zero else f"log{LOG_BASE} {varied}"
        yield Comparison(study, condition, predictor, levels, _indexed(runs, x), responses, **more)


def _two(
    study: int,
    condition: str,
    runs: pd.DataFrame,
    is_second: pd.Series,
    labels: tuple[str, str],
    responses: Sequence[Metric],
) -> Iterator[Comparison]:
    """Compare two treatments, coded 0 and 1."""
    if is_second.nunique() == 2:
        predictor = f"0 {labels[0]}, 1 {labels[1]}"
        compared = _indexed(runs, is_second.astype(float))
        yield Comparison(study, condition, predictor, tuple(enumerate(labels)), compared, responses, categorical=True)


def _indexed(runs: pd.DataFrame, x: pd.Series) -> pd.DataFrame:
    return pd.DataFrame({"x": x.to_numpy(), "nodes_per_worker": runs["nodes_per_worker"].to_numpy()}, index=runs["run"])


def _by_team(runs: pd.DataFrame, *more: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """Split runs by team and nodes per worker; yield the condition in words with its runs."""
    for (shape, nodes, *_), some in runs.groupby(["shape", "nodes_per_worker", *more]):
        yield f"{team_title(shape)}, {nodes_title(nodes)}", some


def _kind_of_team(runs: pd.DataFrame) -> pd.Series:
    kinds = pd.Series("threads", index=runs.index)
    kinds[runs["shape"].str.contains("p")] = "processes"
    kinds[runs["shape"].str.contains("r")] = "ranks"
    return kinds


def _performance(study: int, runs: pd.DataFrame) -> Iterator[Comparison]:
    for condition, some in _by_team(runs[runs["mode"].isin([0, 3]) & (runs["workers"] > 1)]):
        labels = ("a barrier every update", "best effort")
        yield from _two(study, condition, some, some["mode"] == 3, labels, (RATE, CONFLICTS))
    for (team, mode, nodes), some in runs.groupby([_kind_of_team(runs), "mode", "nodes_per_worker"]):
        condition = f"{team}, {MODES[mode].title}, {nodes_title(nodes)}"
        yield from _by_logarithm(study, condition, "workers", some, "workers", (RATE,))


def _work(study: int, runs: pd.DataFrame) -> Iterator[Comparison]:
    for hosts, on_hosts in runs.groupby("hosts"):
        for team, some in _by_team(on_hosts):
            condition = team if hosts == 1 else f"{team}, on {hosts} hosts"
            yield from _by_logarithm(study, condition, "added work", some, "work", LINK_METRICS, logarithmic=True)


def _hosts(study: int, runs: pd.DataFrame) -> Iterator[Comparison]:
    for condition, some in _by_team(runs):
        yield from _two(
            study, condition, some, some["hosts"] > 1, ("same host", "different hosts"), (*LINK_METRICS, RATE)
        )


def _threads_against_processes(study: int, runs: pd.DataFrame) -> Iterator[Comparison]:
    responses = (*LINK_METRICS, RATE)
    for (guard, workers, nodes), some in runs.groupby(["guard", "workers", "nodes_per_worker"]):
        condition = f"{workers} workers, {guard}, {nodes_title(nodes)}"
        in_memory = some[_kind_of_team(some) != "ranks"]
        processes = _kind_of_team(in_memory) == "processes"
        yield from _two(study, condition, in_memory, processes, ("threads", "processes"), responses)
    for condition, some in _by_team(runs):
        yield from _two(study, condition, some, some["guard"] == "mutex", ("lock-free", "mutex"), responses)
    for (workers, nodes), some in runs.groupby(["workers", "nodes_per_worker"]):
        kinds = _kind_of_team(some)
        for guard, threads in (("mutex", "threads with a mutex"), ("lock-free", "threads without a lock")):
            pair = some[(kinds == "ranks") | ((kinds == "threads") & (some["guard"] == guard))]
            labels = (threads, "ranks with messages")
            condition = f"{workers} workers, {nodes_title(nodes)}"
            yield from _two(study, condition, pair, _kind_of_team(pair) == "ranks", labels, responses)


def _weak_scaling(study: int, runs: pd.DataFrame) -> Iterator[Comparison]:
    for (team, nodes), some in runs.groupby([_kind_of_team(runs), "nodes_per_worker"]):
        yield from _by_logarithm(study, f"{team}, {nodes_title(nodes)}", "workers", some, "workers", LINK_METRICS)


def ranks_per_host(runs: pd.DataFrame) -> pd.Series:
    """Count the workers of each host, rounded up; 1 where the number of hosts was not recorded."""
    return -(-runs["workers"] // runs["hosts"]).where(runs["hosts"] > 1, -1)


def _scale(study: int, runs: pd.DataFrame) -> Iterator[Comparison]:
    """Compare numbers of simulated ranks with best effort, and one slow rank with none."""
    free = runs[(runs["mode"] == BEST_EFFORT.number) & (runs["workers"] > 1)]
    whole = free[free["fault"] == "none"]
    for (nodes, work, per_host), some in whole.groupby(["nodes_per_worker", "work", ranks_per_host(whole)]):
        condition = f"ranks, {per_host} per host, {nodes_title(nodes)}, work {work}"
        yield from _by_logarithm(study, condition, "workers", some, "workers", LINK_METRICS)
    slow = free[free["fault"] == "slow"][["shape", "nodes_per_worker", "work"]].drop_duplicates()
    for condition, some in _by_team(free.merge(slow), "work", "hosts"):
        yield from _two(study, condition, some, some["fault"] == "slow", ("no fault", "one worker slow"), LINK_METRICS)


def _faulty(study: int, runs: pd.DataFrame) -> Iterator[Comparison]:
    for condition, some in _by_team(runs):
        for fault, label in (
            ("slow", "one worker slow"),
            ("link", "one worker on a bad link"),
            ("stop", "one worker stopped"),
        ):
            pair = some[some["fault"].isin(["none", fault])]
            yield from _two(study, condition, pair, pair["fault"] == fault, ("no fault", label), LINK_METRICS)


def _faulty_host(study: int, runs: pd.DataFrame) -> Iterator[Comparison]:
    """Compare the workers of the first of two hosts; `effects.per_run` leaves out those of the frozen one."""
    for condition, some in _by_team(runs):
        team, nodes = condition.split(", ")
        labels = ("no fault", "the second host frozen")
        where = f"{team} on two hosts, {nodes}: workers of the first host"
        yield from _two(study, where, some, some["fault"] == "freeze", labels, LINK_METRICS)


def _react(study: int, runs: pd.DataFrame) -> Iterator[Comparison]:
    """Compare a fault without reaction with no fault, then each reaction to the fault with none."""
    responses = (*LINK_METRICS, RATE, CONFLICTS)
    for condition, some in _by_team(runs, "parts_per_worker"):
        parts = some["parts_per_worker"].iloc[0]
        team = condition if parts == 1 else f"{condition} in {parts} parts"
        idle = some[some["reaction"] == "none"]
        yield from _two(study, team, idle, idle["fault"] != "none", ("no fault", "one worker slow"), responses)
        hindered = some[some["fault"] != "none"]
        for reaction in sorted(set(hindered["reaction"]) - {"none"}):
            pair = hindered[hindered["reaction"].isin(["none", reaction])]
            labels = ("no reaction", f"reaction {reaction}")
            shown = (*responses, MOVES) if reaction == "migrate" else responses
            yield from _two(study, f"{team}, one worker slow", pair, pair["reaction"] == reaction, labels, shown)


def _custom(study: int, runs: pd.DataFrame) -> Iterator[Comparison]:
    """Compare by the logarithm where at least three positive numbers are varied; else each treatment with the first."""
    names = list(dict.fromkeys(runs["treatment"]))
    numbers = pd.to_numeric(runs["treatment"], errors="coerce")
    responses = (*LINK_METRICS, RATE)
    if len(names) > 2 and (numbers > 0).all():
        some = runs.assign(treatment=numbers)
        yield from _by_logarithm(study, "the program", "varied value", some, "treatment", responses)
        return
    for other in names[1:]:
        pair = runs[runs["treatment"].isin([names[0], other])]
        yield from _two(study, "the program", pair, pair["treatment"] == other, (names[0], other), responses)


_BUILDERS: dict[str, Callable[[int, pd.DataFrame], Iterator[Comparison]]] = {
    "performance": _performance,
    "work": _work,
    "hosts": _hosts,
    "threads-vs-processes": _threads_against_processes,
    "weak-scaling": _weak_scaling,
    "scale": _scale,
    "faulty": _faulty,
    "faulty-host": _faulty_host,
    "react": _react,
    "custom": _custom,
}
