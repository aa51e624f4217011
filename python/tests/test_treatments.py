import dataclasses

import pytest
from written_coloring import RATIO, Study, true_rate

from laxity.notation import team_title
from laxity.studies.best_effort.link_quality import qualities, worker_qualities
from laxity.studies.best_effort.modes import MODES
from laxity.studies.best_effort.treatments import groups, rate_against, treatments


def of(found, shape, mode):
    return next(t for t in found if t.group.shape == shape and t.mode.number == mode)


def test_the_mode_names_are_those_of_the_tables(whole):
    names = whole.runs.drop_duplicates("mode").set_index("mode")["mode_name"].to_dict()
    assert names == {mode.number: mode.name for mode in MODES}


@pytest.mark.parametrize(
    ("shape", "title"),
    [
        ("1t", "1 thread"),
        ("12t", "12 threads"),
        ("1p", "1 process"),
        ("2p", "2 processes"),
        ("2p4t", "2 processes × 4 threads"),
        ("1p1t", "1 process × 1 thread"),
        ("2r", "2 ranks"),
        ("2r3t", "2 ranks × 3 threads"),
        ("2p2r", "2p2r"),
        ("", ""),
        ("ring", "ring"),
        ("2t2p", "2t2p"),
    ],
)
def test_shapes_in_words(shape, title):
    assert team_title(shape) == title


def test_there_is_a_treatment_for_every_shape_and_mode_in_order(whole):
    found = treatments([whole])
    assert [(t.group.shape, t.mode.number) for t in found] == [
        (shape, mode) for shape in ("1t", "2t", "1p", "2p") for mode in range(5)
    ]
    assert {t.rate.count for t in found} == {5}


def test_groups_are_sorted_by_kind_and_then_by_size(opened):
    shapes = ("2p2t", "10t", "2p", "2t", "1t", "1p")
    assert [group.shape for group in groups([opened(shapes=shapes, modes=(3,))])] == [
        "1t",
        "2t",
        "10t",
        "1p",
        "2p",
        "2p2t",
    ]


def test_rates_and_ratios_are_near_the_truth_and_ratios_nearer(opened):
    """The machine drifts by 10 % from round to round; pairs do not see it."""
    study = Study(noise=0.1)
    found = treatments([opened(noise=0.1, replicates=100, with_qos=False)])
    for shape in ("2t", "2p"):
        for mode in (0, 1, 2, 3):
            treatment = of(found, shape, mode)
            assert treatment.rate.mean == pytest.approx(true_rate(study, shape, mode), rel=0.08)
            assert treatment.ratio.mean == pytest.approx(RATIO[mode], rel=0.02)
            assert treatment.ratio.low <= treatment.ratio.mean <= treatment.ratio.high
            width_of_rate = (treatment.rate.high - treatment.rate.low) / treatment.rate.mean
            width_of_ratio = (treatment.ratio.high - treatment.ratio.low) / treatment.ratio.mean
            assert width_of_ratio < width_of_rate / 1.5


def test_the_ratio_of_mode_4_is_one_and_has_no_interval(whole):
    ratio = of(treatments([whole]), "2t", 4).ratio
    assert (ratio.mean, ratio.low, ratio.high) == (1.0, None, None)


def test_without_mode_4_there_is_no_ratio(opened):
    assert all(treatment.ratio is None for treatment in treatments([opened(modes=(0, 3))]))


def test_only_rounds_that_have_both_modes_are_compared(opened):
    study = opened(shapes=("2t",), modes=(3, 4), replicates=4)
    runs = study.runs
    study.runs.loc[(runs["mode"] == 4) & (runs["replicate"] < 3), "status"] = "failed"
    ratio = of(treatments([study]), "2t", 3).ratio
    last = runs[runs["replicate"] == 3].set_index("mode")["updates_per_second_per_worker"]
    assert ratio.count == 1
    assert ratio.mean == pytest.approx(last[3] / last[4])


def test_a_reference_that_stood_still_is_no_reference(opened):
    study = opened(shapes=("2t",), modes=(3, 4), replicates=2)
    study.runs.loc[study.runs["mode"] == 4, "updates_per_second_per_worker"] = 0.0
    assert of(treatments([study]), "2t", 3).ratio is None


def test_runs_that_did_not_end_are_left_out(opened):
    study = opened(shapes=("2t",), replicates=3)
    study.runs.loc[study.runs["mode"] == 1, "status"] = "failed"
    study.runs.loc[(study.runs["mode"] == 0) & (study.runs["replicate"] == 2), "status"] = "lost a worker"
    found = treatments([study])
    assert [treatment.mode.number for treatment in found] == [0, 2, 3, 4]
    assert of(found, "2t", 0).rate.count == 2


def test_no_run_is_no_treatment(opened):
    assert treatments([opened(replicates=0)]) == []
    assert qualities([opened(replicates=0)]) == []


def test_one_replicate_has_a_mean_and_no_interval(opened):
    treatment = treatments([opened(shapes=("2t",), replicates=1)])[0]
    assert not treatment.rate.known
    assert not treatment.ratio.known


def test_modes_are_compared_with_each_other_in_pairs(whole):
    found = treatments([whole])
    gain = rate_against(of(found, "2t", 3), of(found, "2t", 0))
    assert gain.mean == pytest.approx(RATIO[3] / RATIO[0], rel=0.01)
    assert gain.low > 1


def test_studies_are_never_one_sample(opened):
    slow, fast = opened(name="slow", shapes=("2t",)), opened(name="fast", shapes=("2t",), rate=50_000)
    found = treatments([slow, fast])
    assert len(found) == 10
    assert [found[0].group.title, found[5].group.title] == ["slow: 2 threads", "fast: 2 threads"]
    assert found[5].rate.mean > 2 * found[0].rate.mean


def test_studies_of_one_name_are_told_apart(opened):
    found = treatments([opened(shapes=("2t",)), opened(shapes=("2t",))])
    assert len({treatment.group.title for treatment in found}) == 2


def test_sizes_are_never_one_sample(opened):
    study = opened(shapes=("2t",), modes=(3,), replicates=4)
    study.runs.loc[study.runs["replicate"] % 2 == 1, "nodes_per_worker"] = 1
    titles = [treatment.group.title for treatment in treatments([study])]
    assert titles == ["2 threads, 1 node each", "2 threads, 2048 nodes each"]


def test_quality_is_kept_apart_by_neighbor_kind(opened):
    study = opened(shapes=("2p2t",), modes=(3,), replicates=5)
    thread, process = qualities([study])
    assert (thread.neighbor_kind, process.neighbor_kind) == ("thread", "process")
    assert thread.observations == 5 * 4
    assert process.observations == 5 * 8
    assert thread.means["simstep_latency_updates"].count == 5
    assert thread.means["simstep_latency_updates"].mean == pytest.approx(1.3, rel=0.05)
    assert process.means["simstep_latency_updates"].mean == pytest.approx(2.1, rel=0.05)
    assert process.means["delivery_failure_rate"].mean == pytest.approx(0.04, rel=0.3)


def test_links_over_which_nothing_was_sent_tell_nothing(whole):
    """Isolated workers would otherwise have the latency of the whole window."""
    shown = {(q.group.shape, q.mode.number) for q in qualities([whole])}
    assert ("2t", 4) not in shown
    assert ("2t", 3) in shown


def test_every_worker_has_a_quality_but_those_that_are_alone(whole):
    found = worker_qualities([whole])
    assert [(quality.group.shape, quality.worker) for quality in found] == [("2t", 0), ("2t", 1), ("2p", 0), ("2p", 1)]
    for quality in found:
        assert quality.mode.number == 3
        assert all(interval.count == 5 for interval in quality.means.values()), "a value a replicate"
    one_sided = whole.qos[(whole.qos["from_worker"] == 0) & (whole.qos["to_worker"] == 1)]
    sender, receiver = (
        quality
        for quality in worker_qualities([dataclasses.replace(whole, tables=whole.tables | {"qos": one_sided})])
        if quality.group.shape == "2t"
    )
    assert sender.means["simstep_period_ns"] is None
    assert receiver.means["delivery_failure_rate"] is None
    assert receiver.means["simstep_period_ns"].mean > 0


def test_the_share_kept_is_that_of_isolated_workers_with_a_torus_each(opened):
    found = treatments([opened(shapes=("2t",), border_conflicts=0.07)])
    assert [treatment.mode.number for treatment in found] == [0, 1, 2, 3, 4]
    for treatment in found:
        assert treatment.of_isolated.mean == pytest.approx(RATIO[treatment.mode.number], abs=0.02)
        assert treatment.ratio.mean == pytest.approx(RATIO[treatment.mode.number] / 1.07, abs=0.02)
        assert treatment.alone.mean == pytest.approx(11_700 * 1.07, rel=0.05)
    assert of(found, "2t", 4).of_isolated.mean == 1
    assert of(found, "2t", 4).ratio.known


def test_without_a_torus_each_the_share_kept_is_that_of_mode_4(opened):
    for treatment in treatments([opened(shapes=("2t",))]):
        assert treatment.ratio == treatment.of_isolated
        assert treatment.alone is None


def test_runs_on_a_torus_each_are_in_no_other_statistic(opened):
    with_tori = opened(shapes=("2t",), border_conflicts=0.07)
    assert set(with_tori.ended_runs()["mesh"]) == {"shared"}
    assert len(with_tori.reference_runs()) == 5
    assert len(with_tori.runs) == 30
