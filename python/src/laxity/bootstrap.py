"""Bootstrap intervals of the mean.

Replicates of a performance experiment are few and their distribution is unknown, so intervals come from resampling.
The default is the bias-corrected and accelerated (BCa) interval; the plain percentile interval, which the plots of
Moreno and Ofria use, is there for comparison. Same sample, same seed: same interval.

Source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapters 13 (percentile) and 14 (BCa).
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

RESAMPLES = 10_000
CONFIDENCE = 0.95
SEED = 20_210_523
_LARGEST_BLOCK = 1 << 22  # draws held in memory at once


@dataclass(frozen=True)
class Interval:
    """A mean and how far it can be trusted.

    Attributes
    ----------
    mean : float
        Of the sample, in the sample's unit.
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
        Coverage aimed at, in (0, 1).
    method : {"bca", "percentile"}
        Which interval.
    resamples : int
        Number of resamples, >= 1.
    seed : int
        Of the resampling.

    Returns
    -------
    Interval
        Without ends where n = 1; with both ends on the mean where all values are equal.

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
    mean = float(values.mean())
    if values.size == 1:
        return Interval(mean, None, None, 1)
    if np.ptp(values) == 0:
        return Interval(mean, mean, mean, values.size)
    means = _resampled_means(values, resamples, seed)
    levels = ((1 - confidence) / 2, (1 + confidence) / 2)
    if method == "bca":
        levels = _bca_levels(values, means, levels)
    low, high = np.quantile(means, levels)
    return Interval(mean, float(low), float(high), values.size)


def _resampled_means(values: NDArray[np.float64], resamples: int, seed: int) -> NDArray[np.float64]:
    generator = np.random.default_rng(seed)
    means = np.empty(resamples)
    block = max(1, _LARGEST_BLOCK // values.size)
    for first in range(0, resamples, block):
        last = min(first + block, resamples)
        drawn = generator.integers(0, values.size, size=(last - first, values.size))
        means[first:last] = values[drawn].mean(axis=1)
    return means


def _bca_levels(
    values: NDArray[np.float64], means: NDArray[np.float64], levels: tuple[float, float]
) -> tuple[float, float]:
    """Quantiles of the resampled means that correct for bias and for a spread that changes with the mean."""
    normal = NormalDist()
    mean = values.mean()
    # Few replicates tie often: a tie counts half, and the share stays off 0 and 1, where the quantile is infinite.
    below = (np.count_nonzero(means < mean) + 0.5 * np.count_nonzero(means == mean)) / means.size
    bias = normal.inv_cdf(min(max(below, 0.5 / means.size), 1 - 0.5 / means.size))
    # A jackknife value of the mean differs from their mean by -deviation / (n - 1), and the factor cancels; so does the
    # division by the range, which keeps the powers from under- or overflowing.
    deviations = (values - mean) / np.ptp(values)
    acceleration = (deviations**3).sum() / (6 * (deviations**2).sum() ** 1.5)

    def corrected(level: float) -> float:
        z = bias + normal.inv_cdf(level)
        return normal.cdf(bias + z / (1 - acceleration * z))

    return corrected(levels[0]), corrected(levels[1])
