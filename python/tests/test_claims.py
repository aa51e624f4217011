"""The papers' claims about many processes, beside a study of `laxity scale` whose figures are known by construction."""

import csv
import re

import pytest
from written_experiments import write_experiment

from laxity import report
from laxity.command_line import main
from laxity.evidence.catalog import claim_named
from laxity.notation import THIN_SPACE
from laxity.study import open_study

TREATMENTS = [
    {"shape": "1p", "period": 1000.0},
    {"shape": "64p", "period": 1600.0},
    {"shape": "64p", "period": 12_480.0, "mode": 0},
    {"shape": "256p", "period": 1600.0},
    {"shape": "256p", "period": 1600.0, "fault": "slow", "fault_factor": 1, "failure": 0.5},
    {"shape": "1p", "period": 1000.0, "work": 4096},
    {"shape": "64p", "period": 2000.0, "work": 4096},
]


@pytest.fixture
def scaled(tmp_path):
    path = write_experiment(tmp_path / "scale", "scale", TREATMENTS, replicates=6, snapshots=1)
    qos = path / "qos.csv"
    qos.write_text(qos.read_text().replace(",process,", ",host,"))
    return path


def test_claims_are_written_and_printed(scaled, capsys):
    assert main(["claims", str(scaled)]) == 0
    printed = capsys.readouterr().out
    with (scaled / "claims.csv").open(newline="") as file:
        rows = {(row["claim"], row["condition"]): row for row in csv.DictReader(file)}
    of = {claim_named(key).text: key for key in ("free-keeps", "free-faster-64", "evolution-keeps", "weak-clumpiness")}
    found = {of[claim]: row for (claim, _), row in rows.items() if claim in of}
    assert set(found) == set(of.values())
    assert "63 %" in found["free-keeps"]["paper"]
    assert ratio_of(found["free-keeps"]) == pytest.approx(1 / 1.6, abs=0.03)
    assert ratio_of(found["free-faster-64"]) == pytest.approx(7.8, abs=0.3)
    assert ratio_of(found["evolution-keeps"]) == pytest.approx(0.5, abs=0.02)
    assert found["evolution-keeps"]["verdict"] == "does not hold"
    assert found["free-faster-64"]["verdict"] == "holds"
    slow = rows[claim_named("fault-medians").text, "256 processes, 1 node each: one worker slow"]
    assert "failure rate 0.0 % no fault, 50.0 % one worker slow" in plain(slow["here"])
    assert slow["verdict"] == "does not hold"
    flat = plain(printed).replace("\n  ", " ")
    assert all(claim in flat for claim, _ in rows)


def test_numbers_of_ranks_are_not_weighed_as_faults(tmp_path):
    sizes = [{"shape": f"{n}p", "period": 1000.0 + n} for n in (16, 64, 256)]
    slow = {"shape": "256p", "period": 1256.0, "fault": "slow", "fault_factor": 1}
    study = open_study(write_experiment(tmp_path / "scale", "scale", [*sizes, slow], replicates=2, snapshots=1))
    keys = {"fault": set(), "weak": set()}
    for row in study.evidence():
        if (kind := row.claim.key.split("-")[0]) in keys:
            keys[kind].add(row.condition)
    assert keys["fault"] == {"256 processes, 1 node each: one worker slow"}
    assert len(keys["weak"]) == 1
    assert "slow" not in keys["weak"].pop()


def ratio_of(row):
    return float(re.search(r"× ([0-9.]+)", row["effect"])[1])


def plain(text):
    return text.replace(THIN_SPACE, " ")


def test_the_report_says_which_claims_hold(scaled):
    html, plots = report.render([open_study(scaled)])
    for key, verdict in (("evolution-keeps", "✗ does not hold"), ("free-keeps", "✓ holds")):
        row = html[html.index(claim_named(key).text) :]
        assert verdict in row[: row.index("</tr>")]
    assert "updates" in [plot.name for plot in plots]


def test_without_the_treatments_there_are_no_claims(tmp_path, capsys):
    path = write_experiment(tmp_path / "scale", "scale", [{"shape": "4p"}], replicates=1)
    assert main(["claims", str(path)]) == 0
    assert "no claim" in capsys.readouterr().out
    assert not (path / "claims.csv").exists()
