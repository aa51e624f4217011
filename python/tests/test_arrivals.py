"""Collectives under arrival patterns: what is computed from a known truth, said and drawn."""

import numpy as np
import pytest
from written_arrivals import MEANS, TRUTH, Measured, write_arrivals

from laxity import layout, report, terminal
from laxity.error import RunDirectoryError
from laxity.evidence.verdicts import HOLDS, HOLDS_NOT, OPEN
from laxity.studies.arrivals.last_delays import last_delays
from laxity.studies.arrivals.study import ArrivalStudy
from laxity.study import open_study


@pytest.fixture
def study(tmp_path):
    return ArrivalStudy.open(write_arrivals(tmp_path / "eight-ranks"))


def test_a_directory_is_opened_by_its_kind(tmp_path):
    assert isinstance(open_study(write_arrivals(tmp_path / "a")), ArrivalStudy)


def test_last_delays_are_medians_of_valid_repetitions(study):
    small, large = last_delays(study)
    assert (small.bytes, large.bytes, small.processes) == (8, 1024, 8)
    assert small.algorithms == ("0 library", "1 linear", "2 chain", "5 tree")
    assert small.patterns == ("no_delay", "ascending", "last_delayed")
    exact = np.array([list(row.values()) for row in TRUTH.values()])
    np.testing.assert_allclose(small.last_delay_us, exact, atol=0.01)
    assert small.valid == pytest.approx(0.8)


def test_averages_and_choices_are_those_of_the_command_line(study):
    delays = last_delays(study)[0]
    np.testing.assert_allclose(delays.normalized().min(axis=1), 1)
    np.testing.assert_allclose(delays.averages(), list(MEANS.values()))
    assert delays.choice("robust") == "2 chain"
    assert delays.choice("no_delay") == "5 tree"
    assert delays.choice("application") is None


def test_good_is_within_five_percent_of_the_fastest_of_the_row(study):
    assert last_delays(study)[0].is_good().tolist() == [
        [False, False, False, True],
        [False, False, True, False],
        [False, False, True, False],
    ]


def test_robustness_is_the_change_against_no_delay(study):
    changes = last_delays(study)[0].robustness()
    np.testing.assert_allclose(changes[0], 0, atol=1e-12)
    np.testing.assert_allclose(changes[1], [0, 0, 5 / 12 - 1, 1], atol=1e-3)


def test_an_undecided_size_keeps_the_librarys_own_choice(tmp_path):
    study = ArrivalStudy.open(write_arrivals(tmp_path / "noisy", Measured(repetitions=3, late=3, choices={})))
    assert [delays.choice("robust") for delays in last_delays(study)] == [None, None]
    assert np.isnan(last_delays(study)[0].last_delay_us).all()
    assert study.conclusions()[0].endswith("8 bytes: undecided, so the library's own choice is kept.")
    assert "2 cases could not be decided" in study.summary()
    assert any("disturbed" in said for said in study.warnings())
    html, _ = report.render([study])
    assert "Collectives under arrival patterns" in html


def test_sentences_name_the_choice_and_how_sure_it_is(study):
    first = study.conclusions()[0]
    assert "2 chain takes 0.40 times as long as the library's own choice (95 % interval 0.36 to 0.44)" in first
    assert "on average over 3 of 3 conditions; without delay the choice is 5 tree" in first
    assert "In 2 of 2 cases an algorithm is measurably faster" in study.summary()
    assert study.warnings() == []


def test_the_librarys_own_choice_is_named_where_it_is_kept(tmp_path):
    measured = Measured(sizes=(8,), choices={"robust": "library", "no_delay": "library"})
    study = ArrivalStudy.open(write_arrivals(tmp_path / "study", measured))
    assert "the library's own choice is kept, since no other algorithm is measurably faster" in study.conclusions()[0]
    assert "In 0 of 1 case " in study.summary()


def test_the_pattern_of_an_application_has_a_choice_of_its_own(tmp_path):
    measured = Measured(sizes=(8,), choices={"robust": "chain", "no_delay": "chain", "application": "linear"})
    study = ArrivalStudy.open(write_arrivals(tmp_path / "study", measured))
    assert "under the arrival pattern of the application it is 1 linear" in study.conclusions()[0]


def test_a_pattern_at_two_skews_is_two_rows(tmp_path):
    path = write_arrivals(tmp_path / "study", Measured(sizes=(8,)))
    cells = path / "cells.csv"
    lines = cells.read_text().splitlines()
    twice = [line.replace(",ascending,20,", ",ascending,40,") for line in lines if ",ascending,20," in line]
    cells.write_text("\n".join(lines + twice) + "\n")
    patterns = last_delays(ArrivalStudy.open(path))[0].patterns
    assert patterns == ("no_delay", "ascending 20 us", "last_delayed", "ascending 40 us")


def test_oversubscription_is_a_warning(tmp_path):
    path = write_arrivals(tmp_path / "study", Measured(sizes=(8,)))
    runs = path / "runs.csv"
    runs.write_text(runs.read_text().replace(",8,1,0,4,", ",8,1,1,4,"))
    assert any("more processes than processors" in said for said in ArrivalStudy.open(path).warnings())


def test_normalized_last_delays_stand_before_their_microseconds(study):
    svg = report.render([study])[1][-1].svg
    assert "1.20 (12)" in svg
    assert "1.00 (5)" in svg


def test_an_unfinished_study_says_so(tmp_path):
    study = ArrivalStudy.open(write_arrivals(tmp_path / "broken", Measured(status="running")))
    assert "did not end" in study.warnings()[0]


def test_the_report_has_a_heat_map_for_each_question(study):
    html, plots = report.render([study])
    assert [plot.name for plot in plots] == [
        f"arrival-reduce-{question}" for question in ("best", "delays", "robustness", "normalized")
    ]
    assert "What to choose" in html
    assert "average" in plots[-1].svg
    again = report.render([study])[1]
    assert [plot.svg for plot in plots] == [plot.svg for plot in again]


def test_a_simulation_is_compared_with_the_choice_without_delay(tmp_path):
    study = ArrivalStudy.open(write_arrivals(tmp_path / "simulated", Measured(simulated=True)))
    small = last_delays(study)[0]
    assert small.reference() == "5 tree"
    sentence = study.conclusions()[0]
    assert "2 chain takes" in sentence
    assert "as long as the choice without delay, 5 tree, on average over 3 of 3 conditions" in sentence
    assert "simulated on 8 ranks" in study.summary()
    assert "In 2 of 2 cases" in study.summary()
    assert study.evidence() == []
    best = ArrivalStudy.chapter([study]).plots[0]
    assert "fastest without delay" in best.caption
    assert "2 chain  0.25" in best.svg  # under ascending: 5 us beside 20 us of the tree


def test_a_measurement_is_compared_with_the_librarys_own_choice(study):
    assert last_delays(study)[0].reference() == "0 library"


def test_several_studies_have_plots_of_their_own(tmp_path, study):
    other = ArrivalStudy.open(write_arrivals(tmp_path / "other", Measured(name="other", collective="bcast")))
    _, plots = report.render([study, other])
    names = [plot.name for plot in plots]
    assert len(names) == len(set(names)) == 8


def test_the_table_on_a_terminal_is_narrow(study):
    lines = terminal.render([study]).splitlines()
    assert lines[0] == "Collectives under arrival patterns: eight-ranks"
    assert max(map(len, lines)) <= layout.WIDTH


def test_a_damaged_table_is_refused_with_its_line(tmp_path):
    path = write_arrivals(tmp_path / "study")
    arrival = path / "arrival.csv"
    arrival.write_text(arrival.read_text().replace(",no_delay,0,0,0,0,", ",no_delay,zero,0,0,0,", 1))
    with pytest.raises(RunDirectoryError, match=r"arrival.csv, line 2, column skew_us"):
        ArrivalStudy.open(path)


def test_the_papers_claims_are_weighed_on_blocks_of_repetitions(tmp_path):
    truth = {
        "no_delay": {(1, "linear"): 30.0, (5, "binomial"): 10.0, (6, "in-order_binary"): 12.0},
        "last_delayed": {(1, "linear"): 30.0, (5, "binomial"): 20.0, (6, "in-order_binary"): 6.0},
        "random": {(1, "linear"): 40.0, (5, "binomial"): 10.0, (6, "in-order_binary"): 10.0},
    }
    path = write_arrivals(tmp_path / "study", Measured(sizes=(8,), repetitions=18, truth=truth))
    rows = {row.claim.key: row for row in ArrivalStudy.open(path).evidence()}
    assert {key: row.verdict for key, row in rows.items()} == {
        "pap-reduce": HOLDS,
        "pap-no-delay": HOLDS,
        "pap-absorb": HOLDS_NOT,
    }
    (check,) = rows["pap-reduce"].checks
    assert check.size.value == pytest.approx(0.3, rel=0.01)
    assert check.size.count == 6  # blocks, not repetitions


def test_an_algorithm_that_never_arrived_in_time_leaves_its_claim_open(tmp_path):
    truth = {"no_delay": {(1, "linear"): 30.0}, "random": {(1, "linear"): 20.0}}
    path = write_arrivals(tmp_path / "study", Measured(sizes=(8,), repetitions=2, late=2, truth=truth))
    (row,) = ArrivalStudy.open(path).evidence()
    assert row.verdict == OPEN
