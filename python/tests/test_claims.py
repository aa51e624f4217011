"""The papers' claims about many processes, beside a study of `laxity scale` whose figures are known by construction."""

import csv

import pytest
from written_experiments import write_experiment

from laxity import report
from laxity.command_line import main
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
    path = write_experiment(tmp_path / "scale", "scale", TREATMENTS, replicates=2, snapshots=1)
    qos = path / "qos.csv"
    qos.write_text(qos.read_text().replace(",process,", ",host,"))
    return path


def test_claims_are_written_and_printed(scaled, capsys):
    assert main(["claims", str(scaled)]) == 0
    printed = capsys.readouterr().out
    with (scaled / "claims.csv").open(newline="") as file:
        rows = {row["claim"]: (row["paper"], row["here"]) for row in csv.DictReader(file)}
    light = "light load: rate of mode 3"
    assert rows[f"{light} at 64 ranks / of one rank"][0] == "0.63"
    assert float(rows[f"{light} at 64 ranks / of one rank"][1]) == pytest.approx(1 / 1.6, abs=0.03)
    assert rows[f"{light} / of mode 0 at 64 ranks"][0] == "7.8"
    assert float(rows[f"{light} / of mode 0 at 64 ranks"][1]) == pytest.approx(7.8, abs=0.3)
    assert float(rows["work 4096: rate of mode 3 at 64 ranks / of one rank"][1]) == pytest.approx(0.5, abs=0.02)
    assert rows["256 ranks, one slow / none, median of delivery_failure_rate"] == ("the same", "0.5 / 0")
    assert rows["256 / 64 ranks, work 0, median of delivery_clumpiness"] == ("the same", "0 / 0")
    assert not any("walltime" in claim for claim in rows)
    assert len(rows) == 3 + 2 * 4
    assert all(claim in printed for claim in rows)


def test_the_report_says_which_claims_hold(scaled):
    html, plots = report.render([open_study(scaled)])
    row = html[html.index("work 4096: rate of mode 3 at 64 ranks") :]
    assert "✗ does not hold" in row[: row.index("</tr>")]
    row = html[html.index("light load: rate of mode 3 at 64 ranks") :]
    assert "✓ holds" in row[: row.index("</tr>")]
    assert "updates" in [plot.name for plot in plots]


def test_without_the_treatments_there_are_no_claims(tmp_path, capsys):
    path = write_experiment(tmp_path / "scale", "scale", [{"shape": "4p"}], replicates=1)
    assert main(["claims", str(path)]) == 0
    assert "no claim" in capsys.readouterr().out
    assert not (path / "claims.csv").exists()
