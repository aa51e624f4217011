"""How large an effect was: a ratio, a difference or a value, with its 95 % interval over runs.

A run is one observation: the snapshots of a run are not independent. Treatments that were run in turns are compared
replicate by replicate, so that a machine whose speed drifts affects both members of a pair. Positive quantities are
compared by their logarithms: a ratio of 2 and one of 1/2 are equally far from 1, and no interval ends below 0.

Elsewhere: intervals of means (``laxity.intervals``), what a claim expects of a size (``verdicts``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from laxity.intervals import mean_of


@dataclass(frozen=True)
class Size:
    """How large an effect was.

    Attributes
    ----------
    value, low, high : float
        The size and the ends of its 95 % interval, infinite where one run has none.
    smallest : float
        The smallest effect that would have been told from none in four of five such experiments: a factor above 1 where
        `is_ratio`, else a difference in the unit of `value`.
    count : int
        Runs, or pairs of runs.
    is_ratio : bool
        Whether no effect is 1; otherwise it is 0.
    """

    value: float
    low: float
    high: float
    smallest: float
    count: int
    is_ratio: bool = False


def value(sample: pd.Series) -> Size | None:
    """Size of a quantity: its mean over runs, the geometric one where all are positive; None without a run.

    Parameters
    ----------
    sample : pandas.Series
        One value a run.
    """
    values = sample.dropna().to_numpy(dtype=float)
    if not values.size:
        return None
    if (values > 0).all():
        mean, low, high, smallest = _interval(np.log(values))
        center = math.exp(mean)
        return Size(center, math.exp(low), _exp(high), center * (_exp(smallest) - 1), values.size)
    return Size(*_interval(values), values.size)


def difference(before: pd.Series, after: pd.Series) -> Size | None:
    """Size of after - before, replicate by replicate; None where no replicate has both.

    Parameters
    ----------
    before, after : pandas.Series
        One value a run; index ``replicate``.
    """
    pairs = _pairs(before, after)
    return Size(*_interval(pairs["after"] - pairs["before"]), len(pairs["after"])) if len(pairs["after"]) else None


def ratio(before: pd.Series, after: pd.Series) -> Size | None:
    """Size of after / before, replicate by replicate.

    Parameters
    ----------
    before, after : pandas.Series
        One value a run, not negative; index ``replicate``.

    Returns
    -------
    Size or None
        By logarithms where all values are positive; else the differences as shares of the mean of `before`. None where
        that is 0, or where no replicate has both.
    """
    pairs = _pairs(before, after)
    first, second = pairs["before"], pairs["after"]
    if not len(first) or not first.mean() > 0:
        return None
    if (first > 0).all() and (second > 0).all():
        mean, low, high, smallest = _interval(np.log(second / first))
        return Size(math.exp(mean), math.exp(low), _exp(high), _exp(smallest), len(first), is_ratio=True)
    mean, low, high, smallest = _interval((second - first) / first.mean())
    return Size(1 + mean, max(1 + low, 0.0), 1 + high, 1 + smallest, len(first), is_ratio=True)


def _pairs(before: pd.Series, after: pd.Series) -> dict[str, NDArray[np.float64]]:
    both = pd.concat([before.rename("before"), after.rename("after")], axis=1, join="inner").dropna()
    return {name: both[name].to_numpy(dtype=float) for name in both}


def _interval(values: NDArray[np.float64]) -> tuple[float, float, float, float]:
    """Mean, ends of its interval, and the smallest mean that would have been told from 0."""
    estimate = mean_of(values)
    low, high = estimate.ends() or (-math.inf, math.inf)
    return estimate.value, low, high, estimate.smallest_visible()


def _exp(power: float) -> float:
    return math.exp(power) if power < 700 else math.inf
