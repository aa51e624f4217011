"""Intervals and tests of few runs against scipy and statsmodels, and where they have no answer."""

import math

import numpy as np
import pytest
from scipy.stats import ttest_ind, ttest_rel

from laxity.intervals import (
    Estimate,
    Interval,
    benjamini_hochberg,
    difference_of_means,
    geometric_mean_interval,
    holm,
    mean_interval,
    mean_of,
    ratio_interval,
)

RATES = [9302.5, 9480.0, 9510.0, 9583.0, 9601.0]
SLOWER = [8110.0, 8402.0, 8275.5, 8801.0]
P = [0.01, 0.04, 0.03, 0.005, 0.6, 0.03]


def test_the_interval_of_a_mean_is_students():
    interval = mean_interval([4.0, 6.0, 5.0])
    assert interval.mean == 5
    assert interval.high - interval.mean == pytest.approx(4.302653 / math.sqrt(3))  # t quantile of the tables
    assert interval.mean - interval.low == pytest.approx(4.302653 / math.sqrt(3))


def test_counts_are_never_below_zero():
    assert mean_interval([0, 1]).low == 0
    assert mean_interval([0, 1]).high > 5


def test_rates_have_a_geometric_mean_and_an_interval_of_their_logarithms():
    interval = geometric_mean_interval(RATES)
    of_logarithms = mean_interval(np.log(RATES))
    assert interval.mean == pytest.approx(np.prod(RATES) ** (1 / 5))
    assert (interval.low, interval.high) == pytest.approx((math.exp(of_logarithms.low), math.exp(of_logarithms.high)))


def test_a_ratio_and_its_inverse_have_inverse_intervals():
    there, back = ratio_interval(RATES, SLOWER), ratio_interval(SLOWER, RATES)
    assert (1 / back.mean, 1 / back.high, 1 / back.low) == pytest.approx((there.mean, there.low, there.high))
    assert there.p == pytest.approx(back.p)
    assert 0 < there.low < there.mean < there.high < 1


def test_p_is_that_of_welch_and_of_pairs():
    logarithms = np.log(RATES), np.log(SLOWER)
    assert ratio_interval(RATES, SLOWER).p == pytest.approx(ttest_ind(*logarithms, equal_var=False).pvalue)
    pairs = np.array(RATES[:4]), np.array(SLOWER)
    assert geometric_mean_interval(pairs[1] / pairs[0]).p == pytest.approx(ttest_rel(*map(np.log, pairs)).pvalue)


def test_p_against_a_bound_is_one_sided():
    estimate = mean_of(RATES)
    assert estimate.p_above(9400) + estimate.p_below(9400) == pytest.approx(1)
    assert estimate.p_above(9400) < 0.1 < 0.9 < estimate.p_above(9600)


def test_the_smallest_visible_effect_is_seen_in_four_of_five_experiments():
    generator = np.random.default_rng(3)
    effect = Estimate(0.0, 1 / math.sqrt(8), 7).smallest_visible()
    estimates = [mean_of(generator.normal(effect, 1, 8)) for _ in range(4000)]
    assert 0.77 <= np.mean([estimate.ends()[0] > 0 for estimate in estimates]) <= 0.83


def test_one_value_has_no_interval():
    assert mean_interval([7.0]) == Interval(7.0, None, None, 1)
    assert not geometric_mean_interval([7.0]).known
    assert ratio_interval([7.0], RATES).p is None
    assert mean_of([7.0]).p() == 1
    assert mean_of([7.0]).smallest_visible() == math.inf


def test_equal_values_have_an_interval_of_no_width():
    assert mean_interval([4.0] * 5) == Interval(4.0, 4.0, 4.0, 5)
    assert ratio_interval([4.0] * 3, [8.0] * 3).p == 0
    assert ratio_interval([4.0] * 3, [4.0] * 3).p == 1


def test_a_rate_of_zero_has_no_logarithm():
    assert geometric_mean_interval([0.0, 5.0]) == Interval(0.0, None, None, 2)
    assert ratio_interval([0.0, 1.0], RATES) is None


@pytest.mark.parametrize("sample", [[1e-300, 2e-300], [1e15, 1e15 + 1, 1e15 + 5], [1e-12, 1e12]])
def test_an_interval_is_finite_and_ordered(sample):
    for interval in (mean_interval(sample), geometric_mean_interval(sample)):
        assert 0 <= interval.low <= interval.mean <= interval.high < math.inf


@pytest.mark.parametrize("sample", [[], [[1.0, 2.0]], [1.0, float("nan")], [1.0, float("inf")], [-1.0, 2.0]])
def test_what_is_no_sample_is_refused(sample):
    for average in (mean_interval, geometric_mean_interval):
        with pytest.raises(ValueError, match="a sample"):
            average(sample)


@pytest.mark.parametrize(("correct", "name"), [(holm, "holm"), (benjamini_hochberg, "fdr_bh")])
def test_corrections_are_those_of_statsmodels(correct, name):
    from statsmodels.stats.multitest import multipletests

    assert correct(P) == pytest.approx(multipletests(P, method=name)[1])
    assert correct([]).size == 0
    assert correct([0.3]) == pytest.approx([0.3])


def test_samples_of_one_value_each_have_no_error():
    assert difference_of_means([1.0], [3.0, 4.0]).ends() is None
