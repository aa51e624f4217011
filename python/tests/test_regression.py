"""Regressions against statsmodels on published data, and where its formulas have no answer."""

import math

import numpy as np
import pytest

from laxity.regression import MEAN, MEDIAN, STATISTICS, fit

statsmodels = pytest.importorskip("statsmodels.api")


@pytest.fixture(scope="module")
def engel():
    """Food expenditure and household income of 235 Belgian families, Engel 1857; as in Koenker and Hallock 2001."""
    data = statsmodels.datasets.engel.load_pandas().data
    return data["income"].to_numpy(), data["foodexp"].to_numpy()


@pytest.fixture(scope="module")
def plants():
    """Dried weight of plants under control and treatment 1; Dobson 1983, as in R's PlantGrowth."""
    control = [4.17, 5.58, 5.18, 6.11, 4.50, 4.61, 5.17, 4.53, 5.33, 5.14]
    treated = [4.81, 4.17, 4.41, 3.59, 5.87, 3.83, 6.03, 4.89, 4.32, 4.69]
    return np.repeat([0.0, 1.0], 10), np.array(control + treated)


def test_least_squares_is_what_statsmodels_gives(engel):
    line, found = fit(MEAN, *engel), statsmodels.OLS(engel[1], statsmodels.add_constant(engel[0])).fit()
    assert line.slope.value == pytest.approx(0.4852, abs=5e-5)  # published
    assert [line.intercept, line.slope.value] == pytest.approx(list(found.params))
    assert [line.slope.low, line.slope.high] == pytest.approx(list(found.conf_int()[1]))
    assert line.p == pytest.approx(found.pvalues[1])
    value, low, high = line.at([500.0])
    expected = found.get_prediction([[1, 500.0]]).summary_frame(alpha=0.05).iloc[0]
    assert [value[0], low[0], high[0]] == pytest.approx(list(expected[["mean", "mean_ci_lower", "mean_ci_upper"]]))


def test_median_regression_is_what_statsmodels_gives(engel):
    line, found = fit(MEDIAN, *engel), statsmodels.QuantReg(engel[1], statsmodels.add_constant(engel[0])).fit(q=0.5)
    assert line.slope.value == pytest.approx(0.5602, abs=5e-5)  # published
    assert line.intercept == pytest.approx(81.48, abs=0.01)
    assert [line.slope.low, line.slope.high] == pytest.approx(list(found.conf_int()[1]), rel=1e-3)
    assert line.p < 0.05


def test_a_treatment_coded_0_and_1_is_a_t_test(plants):
    from scipy.stats import ttest_ind

    line = fit(MEAN, *plants)
    assert line.slope.value == pytest.approx(-0.371)  # published: 4.661 - 5.032
    assert line.p == pytest.approx(0.2490, abs=5e-5)
    assert line.p == pytest.approx(ttest_ind(plants[1][:10], plants[1][10:]).pvalue)
    assert line.p >= 0.05


def test_the_unit_of_the_response_changes_nothing_but_the_unit(plants):
    for statistic in STATISTICS:
        small, large = fit(statistic, *plants), fit(statistic, plants[0], plants[1] * 1e9)
        assert large.slope.value == pytest.approx(small.slope.value * 1e9)
        assert large.p == pytest.approx(small.p)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_what_never_varies_has_no_effect(statistic):
    line = fit(statistic, [0, 1] * 4, [0.0] * 8)
    assert (line.slope.value, line.slope.low, line.slope.high, line.p) == (0, 0, 0, 1)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_points_on_a_line_give_the_line(statistic):
    line = fit(statistic, [0, 1, 2, 3] * 3, [5, 7, 9, 11] * 3)
    assert line.slope.value == pytest.approx(2)
    assert line.slope.low == pytest.approx(2)
    assert line.slope.high == pytest.approx(2)
    assert line.intercept == pytest.approx(5)
    assert line.p < 0.05


def test_half_of_the_residuals_zero_leaves_a_difference_of_medians():
    x = np.repeat([0.0, 1.0], 9)
    y = np.array([0.0] * 9 + [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.31, 0.2])
    line = fit(MEDIAN, x, y)
    assert line.slope.value == pytest.approx(0.3)
    assert line.p < 0.05
    same = fit(MEDIAN, x, np.array([0.0] * 17 + [0.5]))
    assert same.slope.value == 0
    assert same.p >= 0.05


def test_too_little_to_estimate_is_none():
    assert fit(MEAN, [0, 1], [1, 2]) is None
    assert fit(MEAN, [2, 2, 2, 2], [1, 2, 3, 4]) is None
    assert fit(MEDIAN, [0, 0, 0, 1, 1, 1, 1], [1, 2, 3, 4, 5, 6, 7]) is None


def test_what_is_not_finite_is_refused():
    with pytest.raises(ValueError, match="finite"):
        fit(MEAN, [0, 1, 2], [1, 2, math.nan])
    with pytest.raises(ValueError, match="mode"):
        fit("mode", [0, 1, 2], [1, 2, 3])


def test_nothing_is_ever_nan_or_infinite():
    generator = np.random.default_rng(1)
    for trial in range(120):
        n = int(generator.integers(3, 24))
        x = generator.integers(0, 3, n).astype(float)
        y = [
            generator.integers(0, 2, n).astype(float),
            generator.exponential(1e9, n),
            np.where(generator.random(n) < 0.8, 0.0, generator.random(n)),
            np.full(n, 1e-300),
        ][trial % 4]
        for statistic in STATISTICS:
            line = fit(statistic, x, y)
            if line is not None:
                numbers = [line.slope.value, line.slope.low, line.slope.high, line.intercept, line.p, *line.at(x)[2]]
                assert all(map(math.isfinite, numbers)), (trial, statistic, x, y)
                assert line.slope.low <= line.slope.value <= line.slope.high
                assert 0 <= line.p <= 1
