import numpy as np
import pandas as pd
import pytest

from laxity.studies.best_effort.quality_of_service import (
    METRICS,
    ONE_WAY,
    SENDER_PERIOD,
    by_channel,
    by_neighbor_kind,
    by_worker,
    delivery_clumpiness,
    delivery_failure_rate,
    disagreements,
    recompute,
    simstep_latency_updates,
    simstep_period_ns,
    walltime_latency_ns,
    with_traffic,
    without_missing,
)


def test_the_period_is_time_per_update_and_not_its_inverse():
    assert simstep_period_ns([10_000], [1_000_000_000]) == [100_000]


def test_a_window_without_an_update_counts_as_one():
    assert simstep_period_ns([0], [1_000]) == [1_000]


def test_the_latency_divides_by_the_touches_and_not_by_one():
    """The paper prints min(touches, 1), which would make every latency at least the updates of the whole window."""
    assert simstep_latency_updates([1_000], [500]) == [2]


def test_a_window_without_a_touch_counts_as_one():
    assert simstep_latency_updates([1_000], [0]) == [1_000]


def test_a_message_that_is_there_at_the_next_update_takes_one():
    """A round trip is two updates and two touches."""
    round_trips = 300
    assert simstep_latency_updates([2 * round_trips], [2 * round_trips]) == [1]


def test_the_walltime_latency_is_the_product_of_both():
    assert walltime_latency_ns([1_000], [500], [1_000_000]) == [2 * 1_000]


def test_the_failure_rate_is_the_share_refused_and_not_the_share_accepted():
    np.testing.assert_allclose(delivery_failure_rate([0, 75, 100, 0], [100, 100, 100, 0]), [1, 0.25, 0, 0])


@pytest.mark.parametrize(
    ("laden", "received", "pulls", "expected"),
    [
        (50, 50, 100, 0),  # each message with a pull of its own
        (100, 500, 100, 0),  # more messages than pulls, every pull laden
        (1, 100, 100, 0.99),  # all at once
        (50, 100, 100, 0.5),
        (0, 0, 100, 0),  # nothing came
        (0, 0, 0, 0),  # nothing was tried
    ],
)
def test_clumpiness(laden, received, pulls, expected):
    assert delivery_clumpiness([laden], [received], [pulls]) == pytest.approx([expected])


def test_no_metric_is_ever_nan_negative_or_infinite():
    """Not even for counts that contradict each other, read while a worker was between two of them."""
    generator = np.random.default_rng(7)
    updates, touches, window, part, whole, pulls = generator.integers(0, 4, size=(6, 5_000))
    for values, highest in (
        (simstep_period_ns(updates, window), np.inf),
        (simstep_latency_updates(updates, touches), np.inf),
        (walltime_latency_ns(updates, touches, window), np.inf),
        (delivery_failure_rate(part, whole), 1),
        (delivery_clumpiness(part, whole, pulls), 1),
    ):
        assert np.isfinite(values).all()
        assert (values >= 0).all()
        assert (values <= highest).all()


@pytest.mark.parametrize("function", [simstep_period_ns, simstep_latency_updates, delivery_failure_rate])
def test_counts_that_cannot_be_are_refused(function):
    with pytest.raises(ValueError, match="one shape"):
        function([1, 2], [1])
    with pytest.raises(ValueError, match="never decreases"):
        function([-1], [1])


def test_the_columns_written_by_the_other_side_agree_with_the_counts(whole):
    assert disagreements(whole.qos).empty
    assert list(recompute(whole.qos).columns) == [metric.column for metric in METRICS]


@pytest.mark.parametrize("metric", [metric.column for metric in METRICS])
def test_a_column_that_does_not_agree_is_found(whole, metric):
    changed = whole.qos.copy()
    changed.loc[[3, 5], metric] = changed.loc[[3, 5], metric] * 1.01 + 0.01
    assert disagreements(changed).to_dict() == {metric: 2}


def test_channels_with_touch_counts_of_their_own_are_averaged(whole):
    """Then a row holds the sum of the counts, and C++ divides by their number."""
    summed = whole.qos.assign(touches=whole.qos["touches"] * whole.qos["channels"])
    assert disagreements(summed).empty
    np.testing.assert_allclose(
        recompute(summed, summed["channels"])["simstep_latency_updates"],
        recompute(whole.qos)["simstep_latency_updates"],
    )


def test_channels_that_share_some_touch_counts_are_averaged(whole):
    """Parts: each pair of them has a ring, and a link has several pairs with several channels each."""
    rings = 4
    summed = whole.qos.assign(channels=4 * rings, touches=whole.qos["touches"] * rings)
    assert disagreements(summed).empty
    halfway = summed.assign(simstep_latency_updates=summed["simstep_latency_updates"] * 2.5 / 4)
    assert disagreements(halfway)["simstep_latency_updates"] > 0


def test_an_empty_table_agrees(whole):
    assert disagreements(whole.qos.iloc[:0]).empty


@pytest.fixture
def three_workers():
    """Worker 1 is slow: it sends on two channels to 0 and is refused by none; 0 and 2 are refused by it."""
    columns = [
        "run",
        "snapshot",
        "layer",
        "from_worker",
        "to_worker",
        "channel",
        "neighbor_kind",
        "attempted",
        "received",
    ]
    rows = [
        # run, snapshot, from, to, channel, kind, period, failure
        (0, 0, 1, 0, 0, "thread", 10, 0.0),
        (0, 1, 1, 0, 0, "thread", 30, 0.0),
        (0, 0, 1, 0, 1, "thread", 20, 0.0),
        (0, 0, 0, 1, 0, "thread", 400, 0.5),
        (0, 0, 2, 1, 0, "process", 600, 0.7),
        (1, 0, 0, 2, 0, "process", 50, 0.1),
    ]
    table = pd.DataFrame(
        [
            (run, snapshot, 0, sender, receiver, channel, kind, 9, 9)
            for run, snapshot, sender, receiver, channel, kind, *_ in rows
        ],
        columns=columns,
    )
    for metric in METRICS:
        table[metric.column] = 0.0
    table["simstep_period_ns"] = [row[-2] for row in rows]
    table["delivery_failure_rate"] = [row[-1] for row in rows]
    return table


def test_a_channel_is_averaged_over_its_snapshots(three_workers):
    means = by_channel(three_workers)
    assert len(means) == 5
    assert means.loc[(0, 0, 1, 0, 0), "simstep_period_ns"] == 20
    assert means.loc[(0, 0, 1, 0, 1), "simstep_period_ns"] == 20
    assert means.loc[(0, 0, 2, 1, 0), "delivery_failure_rate"] == 0.7


def test_a_worker_has_the_failures_of_its_inlets_and_the_rest_of_its_outlets(three_workers):
    means = by_worker(three_workers)
    assert list(means.index) == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 2)]
    assert means.loc[(0, 1), "simstep_period_ns"] == 500, "what it receives, at its own pace"
    assert means.loc[(0, 1), "delivery_failure_rate"] == 0, "nobody refuses what it sends"
    assert means.loc[(0, 0), "simstep_period_ns"] == 20
    assert means.loc[(0, 0), "delivery_failure_rate"] == 0.5
    assert np.isnan(means.loc[(0, 2), "simstep_period_ns"]), "it receives nothing"
    assert np.isnan(means.loc[(1, 2), "delivery_failure_rate"]), "it sends nothing"


def test_what_was_not_measured_is_missing_and_not_zero(three_workers):
    measured = three_workers.assign(timed=[3, 3, 0, 0, 0, 5], one_way_latency_ns=[10.0, 30.0, 0, 0, 0, -4.0])
    measured["sender_period_ns"] = [5.0, 7.0, 0, 0, 0, 0]
    means = by_channel(without_missing(measured))
    assert means.loc[(0, 0, 1, 0, 0), [ONE_WAY.column, SENDER_PERIOD.column]].to_list() == [20, 6]
    assert means.loc[(1, 0, 0, 2, 0), ONE_WAY.column] == -4, "clocks of two hosts have an error"
    assert means.loc[[(0, 0, 1, 0, 1), (0, 0, 0, 1, 0)], [ONE_WAY.column, SENDER_PERIOD.column]].isna().all(axis=None)
    assert by_worker(without_missing(measured)).loc[(0, 1), SENDER_PERIOD.column] == 6, "the period of a sender"


def test_a_neighbor_kind_is_averaged_over_its_links(three_workers):
    means = by_neighbor_kind(three_workers)
    assert means["simstep_period_ns"].to_dict() == {(0, "process"): 600, (0, "thread"): 115, (1, "process"): 50}


def test_links_that_nothing_was_said_over_are_left_out(three_workers):
    three_workers.loc[[0, 3], ["attempted", "received"]] = 0
    assert list(with_traffic(three_workers).index) == [1, 2, 4, 5]


def test_aggregates_of_nothing_are_empty(whole):
    for aggregate in (by_channel, by_worker, by_neighbor_kind):
        assert aggregate(whole.qos.iloc[:0]).empty
