"""By how much the quality of service differs between the runs of a comparison.

Each response is regressed on the predictor. A replicate is one observation: the mean of its snapshots for least
squares, their median for quantile regression. Where the predictor has more than two values there is one regression
over all of them and one between each two neighboring values, of which the last, the rightmost, shows what changes at
the largest sizes.

Source: Moreno and Ofria, Best-effort communication improves performance and scales robustly on conventional hardware,
II-E; the columns of `table_of` are those of its supplement's tables II to XXV.

Elsewhere: what is compared (``comparisons``), the fits (``regression``), the words (``effects_in_words``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from laxity.intervals import SIGNIFICANCE, benjamini_hochberg
from laxity.regression import STATISTICS, Estimate, Line, fit
from laxity.studies.best_effort.comparisons import CONFLICTS, LOG_BASE, MOVES, RATE, Comparison
from laxity.studies.best_effort.quality_of_service import ALL_METRICS, Metric, with_traffic
from laxity.study import study_titles

if TYPE_CHECKING:
    from laxity.studies.best_effort.study import BestEffortStudy

COMPLETE, PIECEWISE, RIGHTMOST = "complete", "piecewise", "rightmost"


@dataclass(frozen=True, eq=False)
class Effect:
    """The result of one regression.

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
        Relative change of the response per unit of the predictor, from a regression of its logarithm: above -1; None
        where a response is 0, or compared by its logarithm already.
    line : Line
        The whole fit of the absolute effect.
    p : float
        Of the relative effect, or of the absolute one where there is no other, corrected by Benjamini and Hochberg for
        all effects of the study.
    """

    comparison: Comparison
    metric: Metric
    statistic: str
    part: str
    levels: Sequence[tuple[float, str]]
    absolute: Estimate
    relative: Estimate | None
    line: Line
    p: float

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the levels."""
        return tuple(label for _, label in self.levels)

    @property
    def sign(self) -> str:
        """Whether the response grows (+) or falls (-) significantly, or neither (0)."""
        slope = (self.relative or self.absolute).value
        if self.p >= SIGNIFICANCE or slope == 0:
            return "0"
        return "+" if slope > 0 else "-"

    @property
    def in_logarithms(self) -> bool:
        """Whether the response is compared by its logarithm."""
        return self.comparison.is_in_logarithms(self.metric)


def per_run(study: BestEffortStudy, statistic: str) -> pd.DataFrame:
    """Aggregate each run to one observation.

    Parameters
    ----------
    study : BestEffortStudy
        One study.
    statistic : {"mean", "median"}
        Of a run's snapshots. Links inside a worker are left out where there are others, and so are, in all runs, the
        links of workers that are frozen in some.

    Returns
    -------
    pandas.DataFrame
        Index ``run``; a column per metric, with the update rate, the conflicts and the moves of parts of the run.
    """
    observed = between_workers(study)
    frozen = study.configuration.get("frozen_workers", [])
    observed = observed[~(observed["from_worker"].isin(frozen) | observed["to_worker"].isin(frozen))]
    of_runs = observed.groupby("run")[[metric.column for metric in ALL_METRICS]].agg(statistic)
    own = [metric.column for metric in (RATE, CONFLICTS, MOVES)]
    return of_runs.join(study.runs.set_index("run")[own], how="outer")


def between_workers(study: BestEffortStudy) -> pd.DataFrame:
    """Return the snapshots of links with traffic: those between workers, or all where no worker has a neighbor."""
    observed = with_traffic(study.qos)
    between = observed[observed["neighbor_kind"] != "same_thread"]
    return between if len(between) else observed


def effects(studies: Sequence[BestEffortStudy], compared: Sequence[Comparison]) -> list[Effect]:
    """Regress every response of every comparison, its mean and its median, over all levels and between neighbors."""
    aggregated = {
        (position, statistic): per_run(studies[position], statistic)
        for position in {comparison.study for comparison in compared}
        for statistic in STATISTICS
    }
    found = [
        effect
        for comparison in compared
        for statistic in STATISTICS
        for metric in comparison.responses
        for effect in _effects_of(comparison, metric, statistic, aggregated[comparison.study, statistic][metric.column])
    ]
    for study in {effect.comparison.study for effect in found}:
        own = [place for place, effect in enumerate(found) if effect.comparison.study == study]
        for place, p in zip(own, benjamini_hochberg([found[place].p for place in own]), strict=True):
            found[place] = replace(found[place], p=float(p))
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
    for part, levels in _parts(comparison.levels):
        chosen = both[both["x"].isin([x for x, _ in levels])]
        line = fit(statistic, chosen["x"], chosen["y"])
        if line is None:
            continue
        relative, p = None, line.p
        if not comparison.is_in_logarithms(metric) and (chosen["y"] > 0).all():
            of_logarithms = fit(statistic, chosen["x"], np.log(chosen["y"]))
            relative, p = of_logarithms.slope.transformed(np.expm1), of_logarithms.p
        yield Effect(comparison, metric, statistic, part, levels, line.slope, relative, line, p)


def _parts(levels: Sequence[tuple[float, str]]) -> Iterator[tuple[str, Sequence[tuple[float, str]]]]:
    yield COMPLETE, levels
    if len(levels) > 2:
        *pairs, last = pairwise(levels)
        yield from ((PIECEWISE, pair) for pair in pairs)
        yield RIGHTMOST, last


def table_of(studies: Sequence[BestEffortStudy], found: Sequence[Effect]) -> pd.DataFrame:
    """Tabulate effects in the columns of the paper's supplement, with those that it needs for several experiments.

    Returns
    -------
    pandas.DataFrame
        A row per effect. Cells of a relative effect that does not exist say "none"; no cell is empty, NaN or infinite.
    """
    titles = study_titles(studies)
    return pd.DataFrame([_row(titles, effect) for effect in found])


def _row(titles: Sequence[str], effect: Effect) -> dict[str, object]:
    comparison, name = effect.comparison, effect.metric.column
    row = {
        "study": titles[comparison.study],
        "metric": f"log{LOG_BASE}_{name}" if effect.in_logarithms else name,
        "statistic": effect.statistic,
        "significant_effect_sign": effect.sign,
        "condition": comparison.condition,
        "nodes_per_worker": comparison.runs["nodes_per_worker"].iloc[0],
        "predictor": comparison.predictor,
        "levels": "/".join(effect.labels),
        "part": effect.part,
    }
    for size, estimate in (("absolute", effect.absolute), ("relative", effect.relative)):
        value, low, high = (estimate.value, estimate.low, estimate.high) if estimate else ("none",) * 3
        row[f"{size}_effect_size"] = value
        row[f"{size}_effect_size_95_ci_lower"] = low
        row[f"{size}_effect_size_95_ci_upper"] = high
    return row | {"n": effect.line.count, "p": effect.p}
