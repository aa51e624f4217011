import re

import pytest
from written import write_directory
from written_phold import write_simulation

from laxity import layout, report, terminal
from laxity.error import RunDirectoryError
from laxity.studies.models.study import ModelStudy
from laxity.study import open_study


def write_model(path, *, model="queueing", status="done", points=((0.2, 0.24, 0.25), (0.8, 4.4, 4.0)), runs=1):
    row = f"0,{model},1,2t,2,1,2,bucket,0.5,1000000,1010000,10000,2000000.0,0.99,00c0ffee00c0ffee,{status}"
    lines = [f"0,mean customers at a station,load,{x},{simulated},{expected}" for x, simulated, expected in points]
    configuration = {"model": model, "team": "2t", "end_time": 2000.0}
    tables = {"runs": [row] * runs, "comparisons": lines}
    return write_directory(path, "model", tables, status=status, configuration=configuration)


def test_a_model_is_read_and_said(tmp_path):
    study = open_study(write_model(tmp_path / "a"))
    assert isinstance(study, ModelStudy)
    said = study.summary()
    assert "A network of queues, beside Jackson's theorem" in said
    assert "2 threads" in said
    assert re.search(r"mean customers at a station: 109\.", said)
    assert study.warnings() == []


def test_a_report_shows_dots_and_theory(tmp_path):
    study = open_study(write_model(tmp_path / "a"))
    html, plots = report.render([study])
    assert [plot.name for plot in plots] == ["theory-0"]
    assert ">Simulation and theory</h2>" in html
    assert "Mean customers at a station" in html
    assert "Graph coloring" not in html
    assert all(len(line) <= layout.WIDTH for line in terminal.render([study]).splitlines())
    assert "Jackson" in terminal.render([study])


def test_models_and_simulations_make_one_report(tmp_path):
    studies = [
        open_study(write_model(tmp_path / "a")),
        open_study(write_model(tmp_path / "b", model="pcs")),
        open_study(write_simulation(tmp_path / "c")),
    ]
    html, plots = report.render(studies)
    assert [plot.title for plot in plots if plot.name.startswith("theory")] == [
        "Mean customers at a station, a",
        "Mean customers at a station, b",
    ]
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    "fields",
    [
        {"points": ()},
        {"points": ((0.0, 0.0, 0.0),)},
        {"runs": 0},
        {"status": "interrupted"},
        {"model": "another"},
    ],
)
def test_any_model_can_be_reported_and_tabled(tmp_path, fields):
    study = open_study(write_model(tmp_path / "a", **fields))
    html, _ = report.render([study])
    assert "nan" not in re.sub(r"<[^>]*>", "", html)
    assert all(len(line) <= layout.WIDTH for line in terminal.render([study]).splitlines())


def test_a_damaged_cell_is_named(tmp_path):
    path = write_model(tmp_path / "a", points=(("x", 1, 1),))
    with pytest.raises(RunDirectoryError, match=r"comparisons.csv, line 2, column x"):
        open_study(path)
