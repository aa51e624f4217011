"""The experiments of best-effort communication: what each compares, and by how much the quality of service differs.

A comparison regresses a response on one predictor, in runs that differ in nothing else: the logarithm (to base 4) of
the number of workers or of the added work, or 0 and 1 for two treatments. A replicate is one observation: the mean of
its snapshots for least squares, their median for quantile regression. Where the predictor has more than two values
there is one regression over all of them and one between each two neighbors, of which the last, the rightmost, tells
what still changes at the largest sizes.

Source: Moreno and Ofria, Best-effort communication improves performance and scales robustly on conventional hardware,
II-E, III-C to III-G; the columns of `table_of` are those of its supplement's tables II to XXV. Where the paper's tables
hold infinities (the logarithm of no added work), the predictor here is the logarithm of one unit more.

Elsewhere: the fits (``regression``), the words (``effects_in_words``), the pictures (``plots.experiments``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

from laxity.quality_of_service import METRICS, Metric, spoken_over
from laxity.regression import STATISTICS, Estimate, Line, fit
from laxity.run_directory import RunDirectory
from laxity.treatments import MODES, shape_title, study_titles

LOG_BASE = 4
COMPLETE, PIECEWISE, RIGHTMOST = "complete", "piecewise", "rightmost"

_RATE = Metric("updates_per_second_per_worker", "update rate", "1/s", "updates per second and worker")
_CONFLICTS = Metric("conflicts", "conflicts at the end", "edges", "edges whose two nodes show the same color")
_MOVES = Metric("moves", "moves of parts", "parts", "parts that went from one worker to another")
_SPEED = (_RATE, _CONFLICTS)
_IN_LOGARITHMS = ("simstep_period_ns", "simstep_latency_updates", "walltime_latency_ns")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Runs that differ in one thing.

    Attributes
    ----------
    study : int
        Position of the run directory in the report.
    experiment : str
        Name of the study, as in ``laxity study NAME``.
    condition : str
        In words, what the runs have in common.
    nodes_per_worker : str
        The same for all of them.
    predictor : str
        What differs, in words; ``log4 workers``.
    levels : sequence of (float, str)
        Values of the predictor, ascending, with their labels.
    runs : pandas.DataFrame
        Index ``run``; column ``x``, the predictor.
    responses : sequence of Metric
        What is regressed on it.
    categorical : bool
        Whether the predictor only tells two treatments apart.
    logarithmic : bool
        Whether times and latencies are compared by their logarithms.
    """

    study: int
    experiment: str
    condition: str
    nodes_per_worker: str
    predictor: str
    levels: Sequence[tuple[float, str]]
    runs: pd.DataFrame
    responses: Sequence[Metric]
    categorical: bool = False
    logarithmic: bool = False

    def is_in_logarithms(self, metric: Metric) -> bool:
        """Whether this response is compared by its logarithm."""
        return self.logarithmic and metric.column in _IN_LOGARITHMS


@dataclass(frozen=True, eq=False)
class Effect:
    """What one regression found.

    Attributes
    ----------
    comparison, metric, statistic
        What was regressed on what, and which statistic of it.
    part : str
        ``COMPLETE``, ``PIECEWISE`` or ``RIGHTMOST``.
    levels : sequence of (float, str)
        Of the predictor, in this part.
    absolute : Estimate
        Slope: per unit of the predictor, in the unit of the metric (or its logarithm).
    relative : Estimate or None
        The same, divided by the response at the lowest level of the whole comparison; None where that is 0, or a
        logarithm.
    line : Line
        The whole fit.
    """

    comparison: Comparison
    metric: Metric
    statistic: str
    part: str
    levels: Sequence[tuple[float, str]]
    absolute: Estimate
    relative: Estimate | None
    line: Line


def comparisons(studies: Sequence[RunDirectory]) -> list[Comparison]:
    """List what the studies compare; empty for studies that are no experiment of the catalog."""
    return [
        comparison
        for position, study in enumerate(studies)
        if (builder := _BUILDERS.get(experiment_of(study))) is not None
        for comparison in builder(position, study.ended_runs())
    ]


def experiment_of(study: RunDirectory) -> str:
    """Name the experiment that a study is; empty if it is none."""
    return str(study.configuration.get("study", ""))


def per_run(study: RunDirectory, statistic: str) -> pd.DataFrame:
    """Aggregate each run to one observation.

    Parameters
    ----------
    study : RunDirectory
        One study.
    statistic : {"mean", "median"}
        Of a run's snapshots. Links inside a worker are left out where there are others, and in all runs those of
        workers that stand still in some.

    Returns
    -------
    pandas.DataFrame
        Index ``run``; a column per metric, with the update rate, the conflicts and the moves of parts of the run.
    """
    observed = spoken_over(study.qos)
    frozen = study.configuration.get("frozen_workers", [])
    observed = observed[~(observed["from_worker"].isin(frozen) | observed["to_worker"].isin(frozen))]
    between = observed[observed["neighbor_kind"] != "same_thread"]
    columns = [metric.column for metric in METRICS]
    of_runs = (between if len(between) else observed).groupby("run")[columns].agg(statistic)
    return of_runs.join(study.runs.set_index("run")[[metric.column for metric in (*_SPEED, _MOVES)]], how="outer")


def effects(studies: Sequence[RunDirectory], compared: Sequence[Comparison]) -> list[Effect]:
    """Regress every response of every comparison, its mean and its median, over all levels and between neighbors."""
    found = []
    aggregated = {
        (position, statistic): per_run(studies[position], statistic)
        for position in {comparison.study for comparison in compared}
        for statistic in STATISTICS
    }
    for comparison in compared:
        for statistic in STATISTICS:
            observed = aggregated[comparison.study, statistic]
            for metric in comparison.responses:
                found += _effects_of(comparison, metric, statistic, observed[metric.column])
    return found


def responses_of(comparison: Comparison, metric: Metric, observed: pd.Series) -> pd.DataFrame:
    """Join predictor and response of the runs that have both: columns ``x`` and ``y``."""
    both = comparison.runs[["x"]].join(observed.rename("y"), how="inner").dropna()
    if comparison.is_in_logarithms(metric):
        both = both[both["y"] > 0]
        both["y"] = np.log(both["y"]) / np.log(LOG_BASE)
    return both


def _effects_of(comparison: Comparison, metric: Metric, statistic: str, observed: pd.Series) -> Iterator[Effect]:
    both = responses_of(comparison, metric, observed)
    lowest = both["y"][both["x"] == comparison.levels[0][0]]
    base = float(lowest.agg(statistic)) if len(lowest) else 0.0
    for part, levels in _parts(comparison.levels):
        chosen = both[both["x"].isin([x for x, _ in levels])]
        line = fit(statistic, chosen["x"], chosen["y"])
        if line is None:
            continue
        relative = None if base == 0 or comparison.is_in_logarithms(metric) else line.slope.scaled(1 / abs(base))
        yield Effect(comparison, metric, statistic, part, levels, line.slope, relative, line)


def _parts(levels: Sequence[tuple[float, str]]) -> Iterator[tuple[str, Sequence[tuple[float, str]]]]:
    yield COMPLETE, levels
    if len(levels) > 2:
        pairs = list(pairwise(levels))
        for pair in pairs:
            yield RIGHTMOST if pair == pairs[-1] else PIECEWISE, pair


COLUMNS = (
    "study",
    "metric",
    "statistic",
    "significant_effect_sign",
    "condition",
    "nodes_per_worker",
    "predictor",
    "levels",
    "part",
    "absolute_effect_size",
    "absolute_effect_size_95_ci_lower",
    "absolute_effect_size_95_ci_upper",
    "relative_effect_size",
    "relative_effect_size_95_ci_lower",
    "relative_effect_size_95_ci_upper",
    "n",
    "p",
)


def table_of(studies: Sequence[RunDirectory], found: Sequence[Effect]) -> pd.DataFrame:
    """Tabulate effects in the columns of the paper's supplement, with those that it needs for several experiments.

    Returns
    -------
    pandas.DataFrame
        A row per effect, columns `COLUMNS`; where there is no relative effect its cells say "none". No cell is empty,
        NaN or infinite.
    """
    titles = study_titles(studies)
    rows = []
    for effect in found:
        comparison, absolute, relative = effect.comparison, effect.absolute, effect.relative
        name = effect.metric.column
        rows.append(
            (
                titles[comparison.study],
                f"log{LOG_BASE}_{name}" if comparison.is_in_logarithms(effect.metric) else name,
                effect.statistic,
                effect.line.sign,
                comparison.condition,
                comparison.nodes_per_worker,
                comparison.predictor,
                "/".join(label for _, label in effect.levels),
                effect.part,
                *(absolute.value, absolute.low, absolute.high),
                *((relative.value, relative.low, relative.high) if relative else ("none",) * 3),
                effect.line.count,
                effect.line.p,
            )
        )
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _logarithm(values: pd.Series) -> pd.Series:
    return np.log(values.astype(float)) / np.log(LOG_BASE)


def _kind_of_team(runs: pd.DataFrame) -> pd.Series:
    return runs["shape"].str.contains("p").map({True: "processes", False: "threads"})


def _nodes(count: int) -> str:
    return f"{count} node{'' if count == 1 else 's'} each"


def _numeric(
    study: int, experiment: str, condition: str, predictor: str, runs: pd.DataFrame, column: str, **more
) -> Iterator[Comparison]:
    """Compare the values of a column by the logarithm of it, or of one more where it may be 0."""
    values = runs[column] + 1 if (runs[column] == 0).any() else runs[column]
    x = _logarithm(values)
    levels = sorted({(position, str(label)) for position, label in zip(x, runs[column], strict=True)})
    if len(levels) > 1:
        compared = pd.DataFrame({"x": x.to_numpy()}, index=runs["run"])
        nodes = str(runs["nodes_per_worker"].iloc[0])
        yield Comparison(study, experiment, condition, nodes, predictor, levels, compared, **more)


def _two(
    study: int,
    experiment: str,
    condition: str,
    runs: pd.DataFrame,
    is_second: pd.Series,
    labels: tuple[str, str],
    **more,
) -> Iterator[Comparison]:
    """Compare two treatments, coded 0 and 1."""
    if is_second.nunique() == 2:
        compared = pd.DataFrame({"x": is_second.astype(float).to_numpy()}, index=runs["run"])
        levels = tuple(enumerate(labels))
        predictor = f"0 {labels[0]}, 1 {labels[1]}"
        nodes = str(runs["nodes_per_worker"].iloc[0])
        yield Comparison(study, experiment, condition, nodes, predictor, levels, compared, categorical=True, **more)


def _performance(study: int, runs: pd.DataFrame) -> Iterator[Comparison]:
    free_or_lockstep = runs[runs["mode"].isin([0, 3]) & (runs["workers"] > 1)]
    for (shape, nodes), some in free_or_lockstep.groupby(["shape", "nodes_per_worker"]):
        condition = f"{shape_title(shape)}, {_nodes(nodes)}"
        labels = ("a barrier every update", "best effort")
        yield from _two(study, "performance", condition, some, some["mode"] == 3, labels, responses=_SPEED)
    for (team, mode, nodes), some in runs.groupby([_kind_of_team(runs), "mode", "nodes_per_worker"]):
        condition = f"{team}, {MODES[mode].title}, {_nodes(nodes)}"
        yield from _numeric(
            study, "performance", condition, f"log{LOG_BASE} workers", some, "workers", responses=(_RATE,)
        )


def _work(study: int, runs: pd.DataFrame) -> Iterator[Comparison]:
    for (shape, nodes), some in runs.groupby(["shape", "nodes_per_worker"]):
        condition = f"{shape_title(shape)}, {_nodes(nodes)}"
        predictor = f"log{LOG_BASE} (added work + 1)" if (some["work"] == 0).any() else f"log{LOG_BASE} added work"
        yield from _numeric(study, "work", condition, predictor, some, "work", responses=METRICS, logarithmic=True)


def _hosts_of_a_network(study: int, runs: pd.DataFrame) -> Iterator[Comparison]:
    responses = (*METRICS, _RATE)
    for (shape, nodes), some in runs.groupby(["shape", "nodes_per_worker"]):
        condition = f"{shape_title(shape)}, {_nodes(nodes)}"
        labels = ("same host", "different hosts")
        yield from _two(study, "hosts", condition, some, some["hosts"] > 1, labels, responses=responses)


def _threads_against_processes(study: int, runs: pd.DataFrame) -> Iterator[Comparison]:
    team = _kind_of_team(runs)
    responses = (*METRICS, _RATE)
    for (guard, workers, nodes), some in runs.groupby(["guard", "workers", "nodes_per_worker"]):
        condition = f"{workers} workers, {guard}, {_nodes(nodes)}"
        labels = ("threads", "processes")
        processes = team[some.index] == "processes"
        yield from _two(study, "threads-vs-processes", condition, some, processes, labels, responses=responses)
    for (shape, nodes), some in runs.groupby(["shape", "nodes_per_worker"]):
        condition = f"{shape_title(shape)}, {_nodes(nodes)}"
        labels = ("lock-free", "mutex")
        mutex = some["guard"] == "mutex"
        yield from _two(study, "threads-vs-processes", condition, some, mutex, labels, responses=responses)


def _weak_scaling(study: int, runs: pd.DataFrame) -> Iterator[Comparison]:
    for (team, nodes), some in runs.groupby([_kind_of_team(runs), "nodes_per_worker"]):
        condition = f"{team}, {_nodes(nodes)}"
        yield from _numeric(
            study, "weak-scaling", condition, f"log{LOG_BASE} workers", some, "workers", responses=METRICS
        )


def _faulty(study: int, runs: pd.DataFrame) -> Iterator[Comparison]:
    for (shape, nodes), some in runs.groupby(["shape", "nodes_per_worker"]):
        for fault, label in (("slow", "one worker slow"), ("stop", "one worker stopped")):
            pair = some[some["fault"].isin(["none", fault])]
            condition = f"{shape_title(shape)}, {_nodes(nodes)}"
            labels = ("all well", label)
            yield from _two(study, "faulty", condition, pair, pair["fault"] == fault, labels, responses=METRICS)


def _faulty_host(study: int, runs: pd.DataFrame) -> Iterator[Comparison]:
    """Compare what happens among the workers that go on; `per_run` leaves the others out."""
    for (shape, nodes), some in runs.groupby(["shape", "nodes_per_worker"]):
        condition = f"{shape_title(shape)} on two hosts, {_nodes(nodes)}: those of the first"
        labels = ("all well", "the second host frozen")
        yield from _two(study, "faulty-host", condition, some, some["fault"] == "freeze", labels, responses=METRICS)


def _react(study: int, runs: pd.DataFrame) -> Iterator[Comparison]:
    """Compare what a fault does where nobody reacts, then each reaction to it with none."""
    responses = (*METRICS, *_SPEED)
    for (shape, nodes, parts), some in runs.groupby(["shape", "nodes_per_worker", "parts_per_worker"]):
        team = f"{shape_title(shape)}, {_nodes(nodes)}" + ("" if parts == 1 else f" in {parts} parts")
        idle = some[some["reaction"] == "none"]
        labels = ("all well", "one worker slow")
        yield from _two(study, "react", team, idle, idle["fault"] != "none", labels, responses=responses)
        hindered = some[some["fault"] != "none"]
        for reaction in sorted(set(hindered["reaction"]) - {"none"}):
            pair = hindered[hindered["reaction"].isin(["none", reaction])]
            labels = ("no reaction", f"reaction {reaction}")
            condition = f"{team}, one worker slow"
            shown = (*responses, _MOVES) if reaction == "migrate" else responses
            yield from _two(study, "react", condition, pair, pair["reaction"] == reaction, labels, responses=shown)


def _custom(study: int, runs: pd.DataFrame) -> Iterator[Comparison]:
    """Numbers by their logarithm, where there are at least three positive ones; else each against the first."""
    treatments = list(dict.fromkeys(runs["treatment"]))
    numbers = pd.to_numeric(runs["treatment"], errors="coerce")
    responses = (*METRICS, _RATE)
    if len(treatments) > 2 and (numbers > 0).all():
        some = runs.assign(value=numbers)
        predictor = f"log{LOG_BASE} of what is varied"
        yield from _numeric(study, "custom", "the program", predictor, some, "value", responses=responses)
        return
    for other in treatments[1:]:
        pair = runs[runs["treatment"].isin([treatments[0], other])]
        labels = (treatments[0], other)
        yield from _two(study, "custom", "the program", pair, pair["treatment"] == other, labels, responses=responses)


_BUILDERS: dict[str, Callable[[int, pd.DataFrame], Iterator[Comparison]]] = {
    "performance": _performance,
    "work": _work,
    "hosts": _hosts_of_a_network,
    "threads-vs-processes": _threads_against_processes,
    "weak-scaling": _weak_scaling,
    "faulty": _faulty,
    "faulty-host": _faulty_host,
    "react": _react,
    "custom": _custom,
}
