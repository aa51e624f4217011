"""Verdicts: sizes with intervals against ranges, and the conclusions that earlier versions drew wrongly."""

import math

import numpy as np
import pandas as pd
import pytest
from markupsafe import escape
from written_experiments import write_experiment

from laxity import report
from laxity.evidence import page, sizes
from laxity.evidence.catalog import CLAIMS, PAPERS, claim_named
from laxity.evidence.verdicts import HOLDS, HOLDS_NOT, OPEN, Check, Evidence, does_not_grow, is_unchanged, rises
from laxity.studies.best_effort.study import BestEffortStudy


@pytest.fixture
def evidence_of(tmp_path):
    def weighed(study, treatments, **fields):
        opened = BestEffortStudy.open(write_experiment(tmp_path / study, study, treatments, **fields))
        found = {}
        for row in opened.evidence():
            found.setdefault(row.claim.key, []).append(row)
        return found

    return weighed


def series(*values):
    return pd.Series(values, dtype=float).rename_axis("replicate")


def test_a_ratio_is_that_of_the_pairs():
    size = sizes.ratio(series(1, 10, 100), series(2, 20, 200))
    assert (size.value, size.low, size.high) == pytest.approx((2, 2, 2))
    assert size.smallest == pytest.approx(1)
    size = sizes.ratio(series(1, 1, 1, 1), series(2, 0.5, 4, 0.25))
    assert size.value == pytest.approx(1)
    half = 3.182446 * math.log(2) * np.std([1, -1, 2, -2], ddof=1) / 2  # Student's t with 3 degrees of freedom
    assert math.log(size.high) == pytest.approx(half, rel=1e-6)
    assert size.low * size.high == pytest.approx(1)


def test_a_ratio_with_zeros_is_that_of_differences():
    gone = sizes.ratio(series(0.02, 0.03), series(0, 0))
    assert gone.value == pytest.approx(0)
    assert gone.low == 0
    assert sizes.ratio(series(0, 0), series(1, 2)) is None
    assert sizes.ratio(series(1.0), pd.Series([1.0], index=[7])) is None  # no replicate has both


def test_one_run_has_no_interval():
    check = rises("rate", sizes.ratio(series(1), series(100)))
    assert check.verdict == OPEN
    assert "one run" in check.reason
    assert check.smallest == ""


@pytest.mark.parametrize(
    ("low", "high", "above", "below", "verdict"),
    [
        (1.2, 1.4, 1.0, math.inf, HOLDS),
        (0.9, 1.4, 1.0, math.inf, OPEN),
        (0.8, 0.9, 1.0, math.inf, HOLDS_NOT),
        (1.0, 1.0, 1.0, math.inf, HOLDS_NOT),  # no gain at all is not a gain
        (0.95, 1.05, 1 / 1.1, 1.1, HOLDS),
        (0.5, 1.05, 1 / 1.1, 1.1, OPEN),  # not significant, and not shown to be unchanged either
        (1.2, 1.3, 1 / 1.1, 1.1, HOLDS_NOT),
    ],
)
def test_the_interval_decides(low, high, above, below, verdict):
    check = Check("it", sizes.Size(math.sqrt(low * high), low, high, 1.1, 5, is_ratio=True), above, below)
    assert check.verdict == verdict
    assert bool(check.reason) == (verdict == OPEN)


def test_verdicts_are_wrong_no_more_often_than_one_in_twenty():
    generator = np.random.default_rng(11)
    noise = generator.normal(0, 0.1, size=(2000, 2, 5))
    faster, unchanged = 0, 0
    for before, after in noise:
        size = sizes.ratio(series(*np.exp(before)), series(*np.exp(after)))
        faster += rises("it", size).verdict == HOLDS
        size = sizes.ratio(series(*np.exp(before)), series(*(1.1 * np.exp(after))))
        unchanged += is_unchanged("it", size).verdict == HOLDS  # at the border of what counts as unchanged
    assert 0.015 < faster / 2000 < 0.035  # 2.5 % at one end of the interval
    assert unchanged / 2000 < 0.035


def test_the_smallest_effect_is_seen_in_four_of_five_studies():
    generator = np.random.default_rng(12)
    found = [sizes.difference(series(*np.zeros(20)), series(*generator.normal(0.66, 1, 20))) for _ in range(1500)]
    # (2.093 + 0.861) / sqrt(20) = 0.66 standard deviations
    assert np.mean([size.smallest for size in found]) == pytest.approx(0.66, rel=0.03)
    assert np.mean([size.low > 0 for size in found]) == pytest.approx(0.8, abs=0.05)


def test_all_checks_of_a_claim_must_hold():
    holds, fails, unsure = (
        does_not_grow("it", sizes.Size(value, value * 0.99, high, 1.1, 5, is_ratio=True))
        for value, high in ((1.0, 1.01), (1.5, 1.51), (1.0, 3.0))
    )
    claim = claim_named("weak-latency")
    for checks, verdict in (
        ((holds, holds), HOLDS),
        ((holds, fails, unsure), HOLDS_NOT),
        ((holds, unsure), OPEN),
        ((), OPEN),
    ):
        assert Evidence(claim, "here", "", checks).verdict == verdict


WORK = ((0, 0.96), (64, 0.9), (4096, 0.5), (262_144, 0.0))


def works(latencies, **fields):
    return [
        {"shape": "2p", "work": work, "period": 500 + 35.0 * work, "latency": latency, "clumpiness": clumps, **fields}
        for (work, clumps), latency in zip(WORK, latencies, strict=True)
    ]


def test_a_latency_that_rises_to_one_does_not_fall_to_one(evidence_of):
    (row,) = evidence_of("work", works((0.5, 0.7, 1.0, 1.4)))["work-latency"]
    assert row.verdict == HOLDS_NOT
    (row,) = evidence_of("work", works((40, 20, 4, 1.0)))["work-latency"]
    assert row.verdict == HOLDS


def test_a_saturated_failure_rate_is_not_stable(evidence_of):
    treatments = [{"shape": f"{n}p", "failure": failure} for n, failure in ((16, 0.5), (64, 0.98), (256, 1.0))]
    (row,) = evidence_of("weak-scaling", treatments[1:], replicates=3)["weak-failures"]
    assert row.verdict == HOLDS_NOT
    assert "share delivered" in row.effect


def test_an_improvement_is_not_worse(evidence_of):
    better = {"shape": "8p", "fault": "slow", "fault_factor": 1, "period": 700.0, "latency": 1.0}
    (row,) = evidence_of("faulty", [{"shape": "8p", "latency": 2.0}, better])["fault-medians"]
    assert row.verdict == HOLDS
    fewer = [{"shape": f"{n}p", "clumpiness": clumps} for n, clumps in ((16, 0.7), (64, 0.5))]
    (row,) = evidence_of("weak-scaling", fewer)["weak-clumpiness"]
    assert row.verdict == HOLDS


def test_a_difference_of_tails_is_tested(evidence_of):
    teams = [{"shape": "2t", "guard": "mutex"}, {"shape": "2r"}]
    (row,) = evidence_of("threads-vs-processes", [{**teams[0], "tail": 400}, teams[1]])["teams-tail"]
    assert row.verdict == HOLDS
    (row,) = evidence_of("threads-vs-processes", [{**teams[0], "tail": 400}, teams[1]], replicates=1)["teams-tail"]
    assert row.verdict == OPEN
    assert "one run" in row.reason


def test_no_reason_is_given_that_was_not_computed(evidence_of):
    alike = [{"shape": "2t", "guard": "mutex"}, {"shape": "2r"}]
    found = evidence_of("threads-vs-processes", alike)
    found |= evidence_of("work", works((40, 20, 4, 1.0), hosts=2))
    rows = [row for own in found.values() for row in own]
    assert {row.verdict for row in rows} == {HOLDS, HOLDS_NOT, OPEN}
    for row in rows:
        assert (row.reason != "") == (row.verdict == OPEN), row
        assert "one host" not in row.reason
        assert "replicates" not in row.reason


def test_workers_that_outnumber_cores_are_said_whatever_the_verdict(evidence_of):
    (row,) = evidence_of("faulty", [{"shape": "128p"}, {"shape": "128p", "fault": "slow"}], replicates=2)["fault-means"]
    assert "128 workers share 64 cores" in row.reason


def test_every_claim_has_a_source_and_says_what_it_needs():
    assert len({claim.key for claim in CLAIMS}) == len(CLAIMS)
    for claim in CLAIMS:
        assert all(part.split()[0] in PAPERS for part in claim.source.split("; ") if " " in part), claim
        assert claim.text
        assert claim.figures
        assert claim.needs


def test_the_complete_page_has_every_claim_and_marks_what_is_simulated(tmp_path):
    treatments = [{"shape": f"{n}p", "period": period} for n, period in ((1, 1000.0), (64, 1600.0), (256, 1600.0))]
    study = BestEffortStudy.open(write_experiment(tmp_path / "scale", "scale", treatments, replicates=2))
    study.manifest["configuration"]["smpi"] = True
    rows = study.evidence()
    assert {row.simulated for row in rows} == {"simulated time (SMPI)"}
    complete = page.by_claim(rows, complete=True)
    assert [claim for claim, _ in complete] == list(CLAIMS)
    assert "simulated comparisons" in page.summary(rows, complete=True)
    html, _ = report.render([study])
    assert html.count('class="simulated"') == len(rows)


def test_the_report_of_make_run_has_the_claims_on_its_modes(whole):
    found = {row.claim.key: row.verdict for row in whole.evidence()}
    assert found["threads-modes-faster"] == HOLDS  # 0.95 against 0.81 of the isolated rate
    assert found["processes-faster"] == HOLDS
    assert found["isolated-constant"] == HOLDS
    assert found["free-keeps"] == HOLDS
    assert found["free-faster-64"] == HOLDS  # any gain, at another number of processes than 64
    html, _ = report.render([whole])
    assert claim_named("processes-faster").text in html


def test_the_page_of_all_claims_links_to_reports_and_says_what_is_missing(opened, tmp_path):
    study = opened(shapes=("2t",), replicates=2)
    (study.path / "report.html").write_text("a report")
    html = report.write_evidence([study], tmp_path / "evidence.html").read_text()
    assert f'href="{study.path.name}/report.html"' in html
    for claim in CLAIMS:
        assert html.count(str(escape(claim.text))) >= 1, claim
    assert "laxity study hosts" in html
    assert (tmp_path / "claims.csv").read_text().startswith("claim,condition,paper")


def test_a_treatment_whose_messages_never_arrived_leaves_its_claims_open(tmp_path):
    path = write_experiment(tmp_path / "work", "work", works((40, 20, 4, 1.0)), replicates=2)
    heavy = {run.run for run in BestEffortStudy.open(path).runs.itertuples() if run.work == WORK[-1][0]}
    header, *lines = (path / "qos.csv").read_text().splitlines()
    kept = [line for line in lines if int(line.split(",")[0]) not in heavy]
    (path / "qos.csv").write_text("\n".join([header, *kept]) + "\n")
    study = BestEffortStudy.open(path)
    rows = {row.claim.key: row for row in study.evidence()}
    assert rows["work-latency"].verdict == OPEN
    assert "no message" in rows["work-latency"].here
    assert "nan" not in report.render([study])[0].lower()
