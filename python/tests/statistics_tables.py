"""Simulates how often the intervals and tests of this package are right; writes the tables of ``docs/statistics.md``.

Usage: ``python tests/statistics_tables.py [--fix]``, in the folder ``python``. Every table is between
``<!-- simulated: name -->`` and ``<!-- end -->``. Seeded: the same tables every time.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from laxity.intervals import Interval, geometric_mean_interval, mean_interval, ratio_interval
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


TABLES: dict[str, Callable[[], str]] = {"coverage": coverage_table}
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
