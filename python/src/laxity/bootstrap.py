"""Bootstrap intervals of a mean and of a ratio of means.

Replicates of a performance experiment are few and their distribution is unknown, so intervals come from resampling. The
same sample and seed give the same interval.

Source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapters 13 (percentile) and 14 (BCa: corrected
for bias and for a spread that changes with the mean); as ``scipy.stats.bootstrap``, which is loaded on first use.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

RESAMPLES = 10_000
CONFIDENCE = 0.95
SEED = 20_210_523
_MAX_DRAWN = 1 << 22  # values in memory at once


@dataclass(frozen=True)
class Interval:
    """A mean, or a ratio of means, with its interval.

    Attributes
    ----------
    mean : float
        In the unit of the sample.
    low, high : float or None
        Ends of the interval, in the same unit; None where the sample has fewer than two values.
    count : int
        Values in the sample.
    """

    mean: float
    low: float | None
    high: float | None
    count: int

    @property
    def known(self) -> bool:
        """Whether there is an interval."""
        return self.low is not None


def mean_interval(
    sample: ArrayLike,
    *,
    confidence: float = CONFIDENCE,
    method: str = "bca",
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval:
    """Mean of a sample with its bootstrap interval.

    Parameters
    ----------
    sample : array of float, shape (n,)
        Independent observations, one per replicate; n >= 1.
    confidence : float
        Nominal coverage, in (0, 1).
    method : {"bca", "percentile"}
        Kind of interval. Moreno and Ofria plot the percentile interval.
    resamples : int
        Number of resamples, >= 1.
    seed : int
        Of the resampling.

    Returns
    -------
    Interval
        Without ends where n = 1; with both ends at the mean where all values are equal.

    Raises
    ------
    ValueError
        If the sample is empty, not one-dimensional or not finite, or an option is out of range.

    References
    ----------
    Efron and Tibshirani, An Introduction to the Bootstrap, 1993, 13.3 and 14.3.
    """
    values = np.asarray(sample, dtype=float)
    if values.ndim != 1 or values.size == 0 or not np.isfinite(values).all():
        raise ValueError("a sample is a non-empty row of finite numbers")
    if not 0 < confidence < 1 or resamples < 1:
        raise ValueError("confidence lies between 0 and 1, resamples is at least 1")
    if method not in ("bca", "percentile"):
        raise ValueError(f"method {method!r}: use 'bca' or 'percentile'")
    mean, span = float(values.mean()), float(np.ptp(values))
    if values.size == 1:
        return Interval(mean, None, None, 1)
    if span == 0:
        return Interval(mean, mean, mean, values.size)
    # From 0 to 1: the skewness that BCa needs has powers that would under- or overflow in other units. Not from the
    # mean, near which rounding would hide that resampled means equal it.
    smallest = float(values.min())
    found = _bootstrap(((values - smallest) / span,), np.mean, confidence, method, resamples, seed)
    low, high = np.clip(smallest + span * np.array(found.confidence_interval), smallest, values.max())
    return Interval(mean, float(low), float(high), values.size)


def ratio_interval(before: NDArray[np.float64], after: NDArray[np.float64]) -> Interval | None:
    """Mean of `after` over mean of `before` with a percentile interval; None where the latter is 0.

    Parameters
    ----------
    before, after : array of float, shape (n,), (m,)
        Independent replicates, not negative; n, m >= 1. There is no interval where either is 1.
    """
    base = float(before.mean())
    if not base > 0:
        return None
    ratio = float(after.mean()) / base
    count = min(before.size, after.size)
    if count < 2:
        return Interval(ratio, None, None, count)

    def ratio_of(denominator, numerator, axis):
        with np.errstate(divide="ignore", invalid="ignore"):
            return numerator.mean(axis=axis) / denominator.mean(axis=axis)

    found = _bootstrap((before, after), ratio_of, CONFIDENCE, "percentile", RESAMPLES, SEED)
    usable = found.bootstrap_distribution[np.isfinite(found.bootstrap_distribution)]  # others divided by a mean of 0
    low, high = np.quantile(usable, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    return Interval(ratio, float(low), float(high), count)


def _bootstrap(samples, statistic, confidence: float, method: str, resamples: int, seed: int):
    from scipy.stats import bootstrap

    return bootstrap(
        samples,
        statistic,
        n_resamples=resamples,
        batch=max(1, _MAX_DRAWN // max(sample.size for sample in samples)),
        vectorized=True,
        confidence_level=confidence,
        method={"bca": "BCa"}.get(method, method),
        rng=np.random.default_rng(seed),
    )
