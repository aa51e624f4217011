import numpy as np
import pytest

from laxity.bootstrap import Interval, mean_interval

SKEWED = [0.1, 0.3, 0.4, 0.7, 1.1, 1.2, 2.5, 3.9, 7.2, 15.0]
RATES = [9302.5, 9480.0, 9510.0, 9583.0, 9601.0]


@pytest.mark.parametrize(
    ("sample", "method", "low", "high", "tolerance"),
    [
        (SKEWED, "percentile", 0.97, 6.36, 0.1),
        (SKEWED, "bca", 1.32, 7.65, 0.1),
        (RATES, "percentile", 9394.1, 9575.6, 2),
        (RATES, "bca", 9373.5, 9568.4, 2),
    ],
)
def test_intervals_are_those_of_an_independent_implementation(sample, method, low, high, tolerance):
    """The expected ends are those of scipy.stats.bootstrap 1.x with 200 000 resamples."""
    interval = mean_interval(sample, method=method, resamples=100_000)
    assert interval.mean == pytest.approx(np.mean(sample))
    assert interval.low == pytest.approx(low, abs=tolerance)
    assert interval.high == pytest.approx(high, abs=tolerance)


def test_the_percentile_interval_of_two_values_reaches_from_one_to_the_other():
    assert mean_interval([1.0, 3.0], method="percentile") == Interval(2.0, 1.0, 3.0, 2)


def test_for_a_large_normal_sample_the_interval_is_the_normal_one():
    sample = np.random.default_rng(3).normal(10, 2, size=400)
    half = 1.96 * sample.std(ddof=1) / 20
    for method in ("bca", "percentile"):
        interval = mean_interval(sample, method=method)
        assert interval.low == pytest.approx(interval.mean - half, abs=0.03)
        assert interval.high == pytest.approx(interval.mean + half, abs=0.03)


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_intervals_cover_the_truth_about_as_often_as_they_say(method):
    generator = np.random.default_rng(11)
    covered = 0
    for _ in range(300):
        interval = mean_interval(generator.normal(5, 1, size=25), method=method, resamples=500)
        covered += interval.low <= 5 <= interval.high
    assert 0.89 <= covered / 300 <= 0.98


def test_bca_leans_to_the_long_tail_of_a_skewed_sample():
    plain, leaning = mean_interval(SKEWED, method="percentile"), mean_interval(SKEWED)
    assert leaning.low > plain.low
    assert leaning.high > plain.high


def test_one_value_has_no_interval():
    interval = mean_interval([7.0])
    assert interval == Interval(7.0, None, None, 1)
    assert not interval.known


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_equal_values_have_an_interval_of_no_width(method):
    assert mean_interval([4.0] * 5, method=method) == Interval(4.0, 4.0, 4.0, 5)


@pytest.mark.parametrize("method", ["bca", "percentile"])
@pytest.mark.parametrize("sample", [[0, 0, 0, 0, 1], [0, 1], [1e-300, 2e-300], [1e15, 1e15 + 1, 1e15 + 5]])
def test_an_interval_is_finite_and_ordered_and_within_the_sample(sample, method):
    interval = mean_interval(sample, method=method)
    assert min(sample) <= interval.low <= interval.high <= max(sample)


def test_the_same_seed_gives_the_same_interval_and_another_seed_nearly():
    assert mean_interval(RATES, seed=5) == mean_interval(RATES, seed=5)
    assert mean_interval(SKEWED, seed=6).high == pytest.approx(mean_interval(SKEWED, seed=5).high, rel=0.1)
    assert mean_interval(SKEWED, seed=6) != mean_interval(SKEWED, seed=5)


def test_more_confidence_is_a_wider_interval():
    narrow, wide = mean_interval(SKEWED, confidence=0.8), mean_interval(SKEWED, confidence=0.99)
    assert wide.low < narrow.low < narrow.high < wide.high


def test_a_large_sample_is_resampled_in_blocks():
    sample = np.arange(1_000_000, dtype=float)
    interval = mean_interval(sample, resamples=20, method="percentile")
    assert interval.low < interval.mean < interval.high


@pytest.mark.parametrize("sample", [[], [[1.0, 2.0]], [1.0, float("nan")], [1.0, float("inf")]])
def test_what_is_no_sample_is_refused(sample):
    with pytest.raises(ValueError, match="a sample is"):
        mean_interval(sample)


@pytest.mark.parametrize("options", [{"confidence": 1.0}, {"confidence": 0.0}, {"resamples": 0}, {"method": "guess"}])
def test_options_out_of_range_are_refused(options):
    with pytest.raises(ValueError, match=r"confidence|method"):
        mean_interval(RATES, **options)
