"""Regression of one quantity on one predictor: of means by ordinary least squares, of medians by quantile regression.

The mean is sensitive to outliers, the median is typical. The predictor is a number, such as log4 of the number of
workers, or 0 and 1 for two treatments, whose difference is the slope then. No result is NaN or infinite: `fit` defines
the result where a formula would divide by a spread of zero, and returns None where nothing can be estimated.

The fits are those of statsmodels, which is loaded on first use.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laxity.intervals import CONFIDENCE

MEAN, MEDIAN = "mean", "median"
STATISTICS = (MEAN, MEDIAN)

_MIN_OBSERVATIONS = {MEAN: 3, MEDIAN: 8}  # with fewer, intervals of medians cover less than they say
_RESAMPLES = 2_000
_SEED = 20_210_523
_MAX_OBSERVATIONS = 120  # of the exact method, which tries every pair of them
_EXACT = 1e-20  # residual share of the variance below which all points are on the line
_ON_THE_LINE = 1e-5  # residual that counts as 0, in units of the largest; statsmodels clips at 1e-6


@dataclass(frozen=True)
class Estimate:
    """A value and the ends of its 95 % interval, in the same unit."""

    value: float
    low: float
    high: float

    def transformed(self, function: Callable[[float], float]) -> Estimate:
        """Apply an increasing function to the value and the ends."""
        return Estimate(*(float(function(each)) for each in (self.value, self.low, self.high)))


@dataclass(frozen=True, eq=False)
class Line:
    """A fitted line and its uncertainty.

    Attributes
    ----------
    statistic : str
        ``MEAN`` or ``MEDIAN`` of the response.
    slope : Estimate
        Change of the response when the predictor grows by 1.
    intercept : float
        Response where the predictor is 0.
    p : float
        Probability of a slope at least as far from 0 if there were none, in [0, 1].
    count : int
        Observations.
    covariance : array of float, shape (2, 2)
        Of intercept and slope; zeros where there is no spread, or where the interval is from resampling.
    width : float
        Half the interval, in standard errors.
    """

    statistic: str
    slope: Estimate
    intercept: float
    p: float
    count: int
    covariance: NDArray[np.float64]
    width: float

    def at(self, predictor: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Give the line's value and the ends of its 95 % interval at these predictors."""
        x = np.asarray(predictor, dtype=float)
        rows = np.stack([np.ones_like(x), x], axis=-1)
        value = rows @ np.array([self.intercept, self.slope.value])
        spread = self.width * np.sqrt(np.clip(np.einsum("...i,ij,...j", rows, self.covariance, rows), 0, None))
        return value, value - spread, value + spread


def fit(statistic: str, predictor: ArrayLike, response: ArrayLike) -> Line | None:
    """Fit a line to replicates.

    Parameters
    ----------
    statistic : {"mean", "median"}
        Ordinary least squares or quantile regression at 0.5.
    predictor, response : array of float, shape (n,)
        One observation a replicate, finite.

    Returns
    -------
    Line or None
        None where there are too few observations (fewer than three for means, eight for medians) or the predictor does
        not vary. Where the response does not vary, the slope is 0 with p = 1. Where all points are on the line, its
        interval is a point and p = 0. Where half of the residuals are 0, so that quantile regression has no density to
        estimate, interval and p are from resampling.

    Raises
    ------
    ValueError
        If shapes differ or a number is not finite, or the statistic has no such name.

    References
    ----------
    Koenker and Hallock, Quantile regression, J. Economic Perspectives 15 (2001). Moreno and Ofria, Best-effort
    communication improves performance and scales robustly on conventional hardware, II-E.
    """
    x, y = np.asarray(predictor, dtype=float), np.asarray(response, dtype=float)
    if x.shape != y.shape or x.ndim != 1 or not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("predictor and response are rows of finite numbers of one length")
    if statistic not in STATISTICS:
        raise ValueError(f"statistic {statistic!r}: use {MEAN!r} or {MEDIAN!r}")
    if x.size < _MIN_OBSERVATIONS[statistic] or np.ptp(x) == 0:
        return None
    if np.ptp(y) == 0:
        return _certain(statistic, 0.0, float(y[0]), 1.0, x.size)
    # In units of the spreads: the fit has an absolute tolerance, and a period may be 5000 ns or 5e-6 s.
    middle, span = float(x.mean()), float(np.ptp(x))
    center, unit = float(np.median(y)), float(np.abs(y - np.median(y)).max())
    line = (_least_squares if statistic == MEAN else _median_regression)((x - middle) / span, (y - center) / unit)
    back = np.array([[1, -middle / span], [0, 1 / span]])  # intercept and slope in the units given
    intercept, slope = unit * (back @ np.array([line.intercept, line.slope.value]))
    return Line(
        statistic=statistic,
        slope=Estimate(float(slope), line.slope.low * unit / span, line.slope.high * unit / span),
        intercept=center + float(intercept),
        p=line.p,
        count=line.count,
        covariance=back @ line.covariance @ back.T * unit**2,
        width=line.width,
    )


def _certain(statistic: str, slope: float, intercept: float, p: float, count: int) -> Line:
    return Line(statistic, Estimate(slope, slope, slope), intercept, p, count, np.zeros((2, 2)), 0.0)


def _least_squares(x: NDArray[np.float64], y: NDArray[np.float64]) -> Line:
    from statsmodels.regression.linear_model import OLS

    found = OLS(y, np.stack([np.ones_like(x), x], axis=1)).fit()
    intercept, slope = map(float, found.params)
    if found.ssr <= _EXACT * float(((y - y.mean()) ** 2).sum()):
        return _certain(MEAN, slope, intercept, 0.0, x.size)
    return _line_of(MEAN, found, x.size)


def _median_regression(x: NDArray[np.float64], y: NDArray[np.float64]) -> Line:
    from statsmodels.regression.quantile_regression import QuantReg

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("error")  # a fit with a warning is not reported
        try:
            found = QuantReg(y, np.stack([np.ones_like(x), x], axis=1)).fit(q=0.5, p_tol=1e-9)
            on_the_line = np.count_nonzero(np.abs(found.resid) < _ON_THE_LINE)
            line = _line_of(MEDIAN, found, x.size) if on_the_line < x.size / 2 else None
        except (Warning, ValueError, ZeroDivisionError, np.linalg.LinAlgError):
            line = None
    if line is not None and _is_finite(line) and line.slope.low < line.slope.high:
        return line
    return _resampled_median_regression(x, y)


def _line_of(statistic: str, found, count: int) -> Line:
    from scipy.stats import t

    intercept, slope = map(float, found.params)
    low, high = map(float, found.conf_int(alpha=1 - CONFIDENCE)[1])
    width = float(t.ppf((1 + CONFIDENCE) / 2, found.df_resid))
    p = float(found.pvalues[1])
    return Line(statistic, Estimate(slope, low, high), intercept, p, count, np.asarray(found.cov_params()), width)


def _is_finite(line: Line) -> bool:
    numbers = (line.slope.value, line.slope.low, line.slope.high, line.intercept, line.p, line.width)
    return all(map(math.isfinite, numbers)) and bool(np.isfinite(line.covariance).all())


def _resampled_median_regression(x: NDArray[np.float64], y: NDArray[np.float64]) -> Line:
    """Fit exactly, with a percentile bootstrap of the observations for the interval and for p.

    A line with the least sum of absolute deviations passes through two of the points, so trying all pairs finds it. The
    deviations of all lines from all points are computed once; a resample gives them new weights.
    """
    count = x.size
    if count > _MAX_OBSERVATIONS:  # thinned evenly along the predictor
        kept = np.argsort(x, kind="stable")[np.linspace(0, count - 1, _MAX_OBSERVATIONS).astype(int)]
        x, y = x[kept], y[kept]
    first, second = np.triu_indices(x.size, 1)
    apart = x[first] != x[second]
    first, second = first[apart], second[apart]
    slopes = (y[second] - y[first]) / (x[second] - x[first])
    slopes, intercepts = np.unique(np.stack([slopes, y[first] - slopes * x[first]]).round(12), axis=1)
    deviations = np.abs(y - slopes[:, None] * x - intercepts[:, None])

    generator = np.random.default_rng(_SEED)
    drawn = generator.multinomial(x.size, np.full(x.size, 1 / x.size), size=_RESAMPLES)
    resampled = np.array([slopes[int(np.argmin(deviations @ weights))] for weights in drawn])
    costs = deviations.sum(axis=1)
    best = costs <= costs.min() * (1 + 1e-9) + 1e-12  # several where the number of points is even
    slope, intercept = float(slopes[best].mean()), float(intercepts[best].mean())
    low, high = (float(end) for end in np.quantile(resampled, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)))
    below, above = np.count_nonzero(resampled <= 0), np.count_nonzero(resampled >= 0)
    p = min(1.0, 2 * (min(below, above) + 1) / (_RESAMPLES + 1))
    slope_and_ends = Estimate(slope, min(low, slope), max(high, slope))
    return Line(MEDIAN, slope_and_ends, intercept, p, count, np.zeros((2, 2)), 0.0)
