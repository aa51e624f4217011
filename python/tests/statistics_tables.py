"""Simulates how often the intervals and tests of this package are right; writes the tables of ``docs/statistics.md``.

Usage: ``python tests/statistics_tables.py [--fix]``, in the folder ``python``. Every table is between
``<!-- simulated: name -->`` and ``<!-- end -->``. Seeded: the same tables every time.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from laxity.comparison import BETTER, WORSE, Measured, judged
from laxity.history import first_segment
from laxity.intervals import (
    SIGNIFICANCE,
    Interval,
    difference_of_means,
    geometric_mean_interval,
    mean_interval,
    ratio_interval,
)
from laxity.regression import MEDIAN, fit

DOCUMENT = Path(__file__).parents[2] / "docs/statistics.md"
COUNTS = (2, 3, 5, 10, 20)
TRIALS, TRIALS_OF_MEDIANS = 2000, 400
SEED = 20_210_523
NOISE = 0.2
SNAPSHOTS = 50

Draw = Callable[[np.random.Generator, int], np.ndarray]


def normal(generator: np.random.Generator, count: int) -> np.ndarray:
    """Draw runs with normal noise of 20 %."""
    return np.maximum(generator.normal(1, NOISE, count), 1e-9)


def lognormal(generator: np.random.Generator, count: int) -> np.ndarray:
    """Draw runs with a long tail: the largest of twenty is about six times the median."""
    return np.exp(generator.normal(0, 1, count))


def autoregression(generator: np.random.Generator, series: int, length: int, correlation: float) -> np.ndarray:
    """Draw series of standard normal values, each correlated with the one before, shape (series, length)."""
    values = generator.normal(0, 1, (series, length))
    for at in range(1, length):
        values[:, at] = correlation * values[:, at - 1] + np.sqrt(1 - correlation**2) * values[:, at]
    return values


def autocorrelated(generator: np.random.Generator, count: int) -> np.ndarray:
    """Draw runs of fifty snapshots, each correlated with the one before by 0.9; the value of a run is their mean."""
    return np.maximum(1 + NOISE * autoregression(generator, count, SNAPSHOTS, 0.9), 1e-9).mean(axis=1)


def snapshots(generator: np.random.Generator, count: int) -> np.ndarray:
    """Draw the snapshots of the runs of `autocorrelated`, as if each were a run."""
    return np.maximum(1 + NOISE * autoregression(generator, count, SNAPSHOTS, 0.9), 1e-9).ravel()


def drifting(generator: np.random.Generator, count: int) -> np.ndarray:
    """Draw runs one after the other on a machine whose speed drifts: each correlated with the one before by 0.9."""
    return np.exp(NOISE * autoregression(generator, 1, count, 0.9)[0])


def drifting_pairs(generator: np.random.Generator, count: int) -> np.ndarray:
    """Draw the ratios of two runs, one right after the other, on a machine that drifts, with noise of 5 % of each."""
    drift = drifting(generator, count)
    one, other = (drift * np.exp(0.05 * generator.normal(0, 1, count)) for _ in range(2))
    return one / other


def difference_of_medians(draw: Draw) -> Callable[[np.random.Generator, int], Interval | None]:
    """Make the estimator of the difference of two treatments with `count` runs each."""

    def interval(generator: np.random.Generator, count: int) -> Interval | None:
        line = fit(MEDIAN, np.repeat([0.0, 1.0], count), draw(generator, 2 * count))
        return line and Interval(line.slope.value, line.slope.low, line.slope.high, count)

    return interval


@dataclass(frozen=True)
class Case:
    """An interval of a sample from a distribution, and the value that it should contain."""

    interval: str
    runs: str
    estimate: Callable[[np.random.Generator, int], Interval | None]
    truth: float
    trials: int = TRIALS

    def covered(self, count: int) -> float | None:
        """Simulate how often the interval of `count` runs contains the truth; None where there is no interval."""
        generator = np.random.default_rng([SEED, count])
        if self.estimate(generator, count) is None:
            return None
        intervals = (self.estimate(generator, count) for _ in range(self.trials))
        return sum(each.low <= self.truth <= each.high for each in intervals) / self.trials


def cases() -> list[Case]:
    """List what the table of coverage shows."""
    generator = np.random.default_rng(SEED)
    found = []
    for name, draw in (("normal", normal), ("lognormal", lognormal), ("autocorrelated", autocorrelated)):
        many = draw(generator, 200_000)
        geometric = float(np.exp(np.log(many).mean()))
        found += [
            Case("geometric mean", name, lambda g, n, d=draw: geometric_mean_interval(d(g, n)), geometric),
            Case("ratio of two treatments", name, lambda g, n, d=draw: ratio_interval(d(g, n), d(g, n)), 1.0),
            Case("arithmetic mean", name, lambda g, n, d=draw: mean_interval(d(g, n)), float(many.mean())),
            Case("difference of medians", name, difference_of_medians(draw), 0.0, TRIALS_OF_MEDIANS),
        ]
    return [
        *found,
        Case("geometric mean of pairs", "drifting", lambda g, n: geometric_mean_interval(drifting_pairs(g, n)), 1.0),
        Case("geometric mean", "drifting", lambda g, n: geometric_mean_interval(drifting(g, n)), 1.0),
        Case("of snapshots (not used)", "autocorrelated", lambda g, n: mean_interval(snapshots(g, n)), 1.0),
    ]


def table_of(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table in Markdown."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def percent(share: float | None) -> str:
    """Write a share as in the tables."""
    return "–" if share is None else f"{100 * share:.1f}"


def coverage_table() -> str:
    """Simulate the table of coverage."""
    rows = [[case.interval, case.runs, *(percent(case.covered(count)) for count in COUNTS)] for case in cases()]
    return table_of(["95 % interval", "runs", *(f"n = {count}" for count in COUNTS)], rows)


TREATMENTS, REPLICATES, FAMILIES = 20, 5, 1000
HISTORY, HISTORIES = 30, 200
FACTORS = (1.0, 0.8, 0.65, 0.5)  # of the rate of the first treatment; those of the others do not change


def family(generator: np.random.Generator, factor: float) -> list[Measured]:
    """Measure treatments before and after, of which the first changes by a factor; all have noise of 20 %."""

    def one(changed: float) -> Measured:
        before, after = (np.log(normal(generator, REPLICATES) * scale) for scale in (1.0, changed))
        means = (float(np.exp(sample.mean())) for sample in (before, after))
        return Measured("", "updates_per_second", *means, difference_of_means(before, after), is_ratio=True)

    return [one(factor), *(one(1.0) for _ in range(TREATMENTS - 1))]


def any_of(verdicts: Sequence[str], measured: Sequence[Measured], tolerance: float) -> bool:
    """Whether ``laxity compare`` would give any of these verdicts."""
    return any(each.verdict in verdicts for each in judged(measured, tolerance))


def changed_history(generator: np.random.Generator, factor: float) -> bool:
    """Whether a history of studies, of which the last third is different, is said to change."""
    values = np.log(normal(generator, HISTORY))
    values[2 * HISTORY // 3 :] += math.log(factor)
    return first_segment(values)[1] < SIGNIFICANCE


def alarms_table() -> str:
    """Simulate how often something is called different, by how different it is."""
    judges: dict[str, Callable[[Sequence[Measured]], bool]] = {
        "any change, tolerance 0 %": lambda measured: any_of((WORSE, BETTER), measured, 0.0),
        "any change, tolerance 5 %": lambda measured: any_of((WORSE, BETTER), measured, 0.05),
        "exit code 3, tolerance 5 %": lambda measured: any_of((WORSE,), measured, 0.05),
        "any of 20 intervals excludes 1 (not used)": lambda measured: any(
            each.change.p() < SIGNIFICANCE for each in measured
        ),
    }
    columns, history = [], []
    for factor in FACTORS:
        generator = np.random.default_rng([SEED, round(100 * factor)])
        families = [family(generator, factor) for _ in range(FAMILIES)]
        columns.append([percent(sum(map(judge, families)) / FAMILIES) for judge in judges.values()])
        history.append(percent(sum(changed_history(generator, factor) for _ in range(HISTORIES)) / HISTORIES))
    rows = [[name, *(column[place] for column in columns)] for place, name in enumerate(judges)]
    headings = ["alarm", "nothing has changed", *(f"rate × {factor:g}" for factor in FACTORS[1:])]
    return table_of(headings, [*rows, ["a change in a history", *history]])


TABLES: dict[str, Callable[[], str]] = {"coverage": coverage_table, "alarms": alarms_table}
_PLACE = re.compile(r"(<!-- simulated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def with_tables(document: str) -> str:
    """Write the tables of a document anew."""
    return _PLACE.sub(lambda match: match[1] + TABLES[match[2]]() + match[3], document)


def written(name: str) -> str:
    """Read a table of the document."""
    return next(match[0] for match in _PLACE.finditer(DOCUMENT.read_text()) if match[2] == name)


if __name__ == "__main__":
    text = DOCUMENT.read_text()
    new = with_tables(text)
    if "--fix" in sys.argv[1:]:
        DOCUMENT.write_text(new)
    elif new != text:
        sys.exit(f"{DOCUMENT}: its tables differ from the simulation; run {Path(__file__).name} --fix")
