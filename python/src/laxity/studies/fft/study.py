"""Measured run times of a Fourier transform with each algorithm, beside those that were predicted.

Source: Salimi Beni, Cosenza and Hunold, MPI collective algorithm selection in the presence of process arrival patterns,
section V, figures 7 and 9.

Elsewhere: the plots (``plots``), the measured exchanges under each pattern (``laxity.studies.arrivals``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from laxity.intervals import Estimate, Interval, geometric_mean_interval, mean_of
from laxity.notation import counted, duration, percent, with_bounds
from laxity.study import Chapter, Study

LIBRARY = "library"
"""The library's own choice of an algorithm, by size."""

PREDICTORS = {
    "no_delay_s": "without delay",
    "robust_s": "mean over all patterns",
    "traced_s": "nearest patterns",
}
"""Columns with predicted run times, and what each is made of besides the time that does not depend on the algorithm."""


@dataclass(frozen=True)
class Algorithm:
    """One algorithm in one case."""

    name: str
    measured_s: np.ndarray
    """Run times in the order of the replicates, shape (replicates,)."""
    predicted_s: dict[str, float]
    """By column of `PREDICTORS`."""
    exchange_s: float
    """Mean last delay of an exchange without delay."""

    @property
    def interval(self) -> Interval:
        """Geometric mean of the measured run times, in ns."""
        return geometric_mean_interval(self.measured_s * 1e9)

    def error(self, predictor: str) -> float:
        """Predicted over measured run time, less 1."""
        return self.predicted_s[predictor] / float(np.exp(np.log(self.measured_s).mean())) - 1


@dataclass(frozen=True)
class Case:
    """One number of processes and division of the box; the algorithms by their numbers, the library's choice first."""

    processes: int
    decomposition: str
    algorithms: Sequence[Algorithm]

    @property
    def title(self) -> str:
        """For headings: "4 processes, slab"."""
        return f"{self.processes} processes, {self.decomposition}"

    def errors(self, predictor: str) -> np.ndarray:
        """Mean over the algorithms of |ln(predicted / measured)| in each replicate, shape (replicates,)."""
        return np.mean(
            [np.abs(np.log(each.predicted_s[predictor] / each.measured_s)) for each in self.algorithms], axis=0
        )

    def gain(self, predictor: str) -> Estimate:
        """Estimate by how much the error of a predictor is below that without delay, from paired replicates."""
        return mean_of(self.errors("no_delay_s") - self.errors(predictor))

    def fastest(self, predictor: str) -> Algorithm:
        """Choose the algorithm with the smallest predicted run time; the library's own choice among equals."""
        return min(self.algorithms, key=lambda each: each.predicted_s[predictor])

    def slowdown(self, algorithm: Algorithm) -> Interval:
        """Measured run time of an algorithm over that of the library's own choice, from paired replicates."""
        return geometric_mean_interval(algorithm.measured_s / self.algorithms[0].measured_s)


class FftStudy(Study):
    """A Fourier transform with each algorithm of its all-to-all exchanges. Table: ``runs``."""

    kinds = ("fft",)
    title = "Fourier transform"
    kicker = "Collectives · a program with each algorithm"

    def cases(self) -> list[Case]:
        """Group the ended runs; only replicates in which every algorithm of a case ran."""
        found = []
        for (decomposition, processes), runs in self.ended_runs().groupby(["decomposition", "processes"], sort=False):
            times = runs.pivot_table("run_time_s", "replicate", "algorithm_id").dropna()
            if times.empty or 0 not in times:
                continue
            first = runs.drop_duplicates("algorithm_id").sort_values("algorithm_id")
            algorithms = [_algorithm(row, times[row.algorithm_id].to_numpy()) for row in first.itertuples()]
            found.append(Case(int(processes), str(decomposition), algorithms))
        return found

    def summary(self) -> str:
        """Describe what was run in a paragraph."""
        cases = self.cases()
        if not cases:
            return "No run ended with every algorithm, so there is nothing to show yet."
        calls = self.runs["calls"].max()
        return (
            f"Class {self.configuration.get('class')}, {counted(int(self.configuration.get('steps', 0)), 'step')}, "
            f"{counted(int(calls), 'exchange')} at most: each algorithm ran {len(cases[0].algorithms[0].measured_s)} "
            "times, in turns with the others. Run times were predicted before from one traced run with the library's "
            "own choice and from measured exchanges: the time that does not depend on the algorithm, and the last "
            "delay of every exchange."
        )

    def conclusions(self) -> list[str]:
        """Compare the predictors and the algorithms that they would choose."""
        return [sentence for case in self.cases() for sentence in _conclusions(case)]

    @classmethod
    def chapter(cls, studies: Sequence[FftStudy]) -> Chapter:
        """Make the part of a report that is about these studies."""
        from laxity.studies.fft.plots import draw

        cases = [case for study in studies for case in study.cases()]
        plots = draw(cases)
        rows = {case.title: [_cells(case, each) for each in case.algorithms] for case in cases}
        sentences = [sentence for study in studies for sentence in study.conclusions()]
        warnings = [warning for study in studies for warning in study.warnings()]
        headings = ("algorithm", "exchange", "run time", "ratio to library", *PREDICTORS.values())
        context = {"plots": plots, "tables": rows, "sentences": sentences, "headings": headings}
        return Chapter("fft/page.html", context, plots, warnings)


def _algorithm(row: pd.Series, times: np.ndarray) -> Algorithm:
    predicted = {column: float(getattr(row, column)) for column in PREDICTORS}
    return Algorithm(str(row.algorithm), times, predicted, (row.no_delay_s - row.other_s) / row.calls)


def _cells(case: Case, algorithm: Algorithm) -> tuple[str, ...]:
    return (
        algorithm.name,
        duration(algorithm.exchange_s * 1e9),
        with_bounds(algorithm.interval, duration),
        "1" if algorithm.name == LIBRARY else with_bounds(case.slowdown(algorithm), lambda ratio: f"{ratio:.3f}"),
        *(
            f"{duration(seconds * 1e9)} ({percent(algorithm.error(column))})"
            for column, seconds in algorithm.predicted_s.items()
        ),
    )


def _conclusions(case: Case) -> Iterator[str]:
    errors = {name: percent(np.expm1(case.errors(column).mean())) for column, name in PREDICTORS.items()}
    listed = "; ".join(f"{error} ({name})" for name, error in errors.items())
    yield f"{case.title}: the mean error of the predicted run time over the algorithms is {listed}."
    for column in ("robust_s", "traced_s"):
        yield f"{case.title}: {_closer(case.gain(column), PREDICTORS[column])}."
    for column, name in PREDICTORS.items():
        chosen = case.fastest(column)
        if chosen.name == LIBRARY:
            yield f"{case.title}: by the prediction {name} the library's own choice is the fastest."
            continue
        ratio = case.slowdown(chosen)
        if ratio.low is None or ratio.high is None:
            verdict = "one replicate cannot tell whether it is faster"
        elif ratio.high < 1:
            verdict = "it is faster"
        elif ratio.low > 1:
            verdict = "it is slower"
        else:
            verdict = "a difference cannot be told"
        measured = with_bounds(ratio, lambda value: f"{value:.3f}")
        yield (
            f"{case.title}: the fastest by the prediction {name} is {chosen.name}; measured, it takes {measured} of "
            f"the time of the library's own choice: {verdict}."
        )


def _closer(gain: Estimate, name: str) -> str:
    ends = gain.ends()
    if ends is None or ends[0] <= 0 <= ends[1]:
        return f"whether the prediction by {name} is closer than that without delay cannot be told"
    word = "closer to the measured run time than" if ends[0] > 0 else "further from the measured run time than"
    return f"the prediction by {name} is {word} that without delay"
