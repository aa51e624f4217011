"""Intervals and tests for samples of few independent runs, and corrections for families of tests.

The unit is the run: snapshots within a run are not independent, so every run enters a sample with one value. Rates,
times and ratios are compared on the logarithmic scale, where noise that multiplies is symmetric: their mean is the
geometric one, and an effect is a ratio. Counts and shares, which may be 0, have arithmetic means. Intervals of means
are Student's, which cover from two runs on where the values (or their logarithms) are about normal.

Source: Student, The probable error of a mean, 1908; Welch, The generalization of Student's problem, 1947; Holm, A
simple sequentially rejective multiple test procedure, 1979; Benjamini and Hochberg, Controlling the false discovery
rate, 1995.

Elsewhere: how often they cover (``docs/statistics.md``, computed by ``tests/statistics_tables.py``), regressions on a
predictor (``regression``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

CONFIDENCE = 0.95
SIGNIFICANCE = 0.05
POWER = 0.8
"""Probability with which the smallest visible effect is seen."""


@dataclass(frozen=True)
class Interval:
    """A mean or a ratio with its 95 % interval.

    Attributes
    ----------
    mean : float
        In the unit of the sample.
    low, high : float or None
        Ends of the interval, in the same unit; None where the sample is too small for one.
    count : int
        Values in the sample.
    p : float or None
        Of a ratio: probability of one at least as far from 1 if the true ratio were 1. Not corrected for the number of
        comparisons.
    """

    mean: float
    low: float | None
    high: float | None
    count: int
    p: float | None = None

    @property
    def known(self) -> bool:
        """Whether there is an interval."""
        return self.low is not None


@dataclass(frozen=True)
class Estimate:
    """A value whose error, divided by an estimate of its standard deviation, has Student's distribution.

    Attributes
    ----------
    value, error : float
        In one unit; `error` is the standard error.
    freedom : float
        Degrees of freedom of the standard error; 0 where it is not known.
    """

    value: float
    error: float
    freedom: float

    def ends(self) -> tuple[float, float] | None:
        """Return the ends of the 95 % interval; None where the error is not known."""
        if self.freedom == 0:
            return None
        half = self._quantile((1 + CONFIDENCE) / 2) * self.error
        return self.value - half, self.value + half

    def p(self, null: float = 0.0) -> float:
        """Probability of a value at least as far from `null` if that were the truth; 1 where the error is not known."""
        return min(1.0, 2 * min(self.p_above(null), self.p_below(null)))

    def p_above(self, null: float = 0.0) -> float:
        """Probability of a value at least as large if the truth were `null` at most."""
        return self._tail(self.value - null)

    def p_below(self, null: float = 0.0) -> float:
        """Probability of a value at least as small if the truth were `null` at least."""
        return self._tail(null - self.value)

    def smallest_visible(self, tests: int = 1) -> float:
        """Return the distance from a null that would be significant with probability 0.8, as one of several tests."""
        if self.freedom == 0:
            return math.inf
        return (self._quantile(1 - SIGNIFICANCE / 2 / tests) + self._quantile(POWER)) * self.error

    def _quantile(self, probability: float) -> float:
        from scipy.special import stdtrit

        return float(stdtrit(self.freedom, probability))

    def _tail(self, distance: float) -> float:
        from scipy.special import stdtr

        if self.freedom == 0:
            return 1.0
        if self.error == 0:
            return 0.0 if distance > 0 else 1.0
        return float(stdtr(self.freedom, -distance / self.error))


def mean_of(sample: ArrayLike) -> Estimate:
    """Estimate a mean.

    Parameters
    ----------
    sample : array of float, shape (n,)
        One value per run, n >= 1.

    Raises
    ------
    ValueError
        If the sample is empty, not one-dimensional or not finite.
    """
    values = _checked(sample)
    return Estimate(float(values.mean()), math.sqrt(_variance_of_mean(values)), values.size - 1)


def difference_of_means(before: ArrayLike, after: ArrayLike) -> Estimate:
    """Estimate mean of `after` − mean of `before`, whose spreads may differ; ValueError as `mean_of`.

    References
    ----------
    Welch 1947.
    """
    samples = [_checked(sample) for sample in (before, after)]
    value = float(samples[1].mean() - samples[0].mean())
    if min(sample.size for sample in samples) < 2:
        return Estimate(value, 0.0, 0)
    parts = [_variance_of_mean(sample) for sample in samples]
    variance = sum(parts)
    if variance == 0:
        return Estimate(value, 0.0, sum(sample.size - 1 for sample in samples))
    shares = ((part / variance) ** 2 / (sample.size - 1) for part, sample in zip(parts, samples, strict=True))
    return Estimate(value, math.sqrt(variance), 1 / sum(shares))


def mean_interval(sample: ArrayLike) -> Interval:
    """Mean of counts or shares, with Student's interval; its lower end is not below 0.

    Parameters
    ----------
    sample : array of float, shape (n,)
        One value per run, not negative; n >= 1.

    Returns
    -------
    Interval
        Without ends where n = 1; with both ends at the mean where all values are equal.

    Raises
    ------
    ValueError
        If the sample is empty, not one-dimensional, not finite or negative.
    """
    values = _checked(sample)
    if values.min() < 0:
        raise ValueError("a sample of counts or shares is not negative")
    estimate = mean_of(values)
    ends = estimate.ends()
    if ends is None:
        return Interval(estimate.value, None, None, 1)
    return Interval(estimate.value, max(0.0, ends[0]), ends[1], values.size)


def geometric_mean_interval(sample: ArrayLike) -> Interval:
    """Geometric mean of rates, times or ratios, with Student's interval of the logarithms.

    Parameters
    ----------
    sample : array of float, shape (n,)
        One value per run, not negative; n >= 1.

    Returns
    -------
    Interval
        With `p`, for ratios. Without ends where n = 1, and where a value is 0, for which the mean is 0.

    Raises
    ------
    ValueError
        If the sample is empty, not one-dimensional, not finite or negative.
    """
    values = _checked(sample)
    if values.min() < 0:
        raise ValueError("a sample of rates, times or ratios is not negative")
    if values.min() == 0:
        return Interval(0.0, None, None, values.size)
    return _ratio(mean_of(np.log(values)), values.size)


def ratio_interval(before: ArrayLike, after: ArrayLike) -> Interval | None:
    """Geometric mean of `after` over that of `before`, independent samples; None where a value is not above 0."""
    samples = [_checked(sample) for sample in (before, after)]
    if min(sample.min() for sample in samples) <= 0:
        return None
    return _ratio(difference_of_means(*map(np.log, samples)), min(sample.size for sample in samples))


def holm(p: Sequence[float]) -> NDArray[np.float64]:
    """Adjust the p values of a family so that one in twenty families has any false alarm below 0.05, at most.

    References
    ----------
    Holm 1979.
    """
    return _adjusted(p, lambda rank, count: count - rank, np.maximum.accumulate)


def benjamini_hochberg(p: Sequence[float]) -> NDArray[np.float64]:
    """Adjust the p values of a family so that one in twenty of those below 0.05 is a false alarm, on average, at most.

    References
    ----------
    Benjamini and Hochberg 1995.
    """
    return _adjusted(p, lambda rank, count: count / (rank + 1), lambda a: np.minimum.accumulate(a[::-1])[::-1])


def _adjusted(p: Sequence[float], factor, monotone) -> NDArray[np.float64]:
    given = np.asarray(p, dtype=float)
    order = np.argsort(given, kind="stable")
    adjusted = np.empty_like(given)
    adjusted[order] = np.minimum(1, monotone(given[order] * factor(np.arange(given.size), given.size)))
    return adjusted


def _ratio(logarithm: Estimate, count: int) -> Interval:
    ends = logarithm.ends()
    if ends is None:
        return Interval(math.exp(logarithm.value), None, None, count)
    low, high = (math.exp(min(end, _MAX_EXPONENT)) for end in ends)
    return Interval(math.exp(logarithm.value), low, high, count, logarithm.p())


_MAX_EXPONENT = 700  # of e, a finite number


def _variance_of_mean(values: NDArray[np.float64]) -> float:
    return float(values.var(ddof=1)) / values.size if values.size > 1 and np.ptp(values) > 0 else 0.0


def _checked(sample: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(sample, dtype=float)
    if values.ndim != 1 or values.size == 0 or not np.isfinite(values).all():
        raise ValueError("a sample is a non-empty row of finite numbers")
    return values
