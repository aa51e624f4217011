"""A kind of study is one folder: report, table and checks of its files know it without an edit elsewhere."""

import json
import re

import pytest

from laxity import report, studies, terminal
from laxity.command_line import main
from laxity.error import LaxityError, RunDirectoryError
from laxity.study import find_kinds, open_study

STUDY = """
from laxity.study import Chapter, Study

class KnittingStudy(Study):
    kinds = ("knitting",)
    title = kicker = "Knitting"

    def summary(self):
        return f"{self.runs['stitches'].sum()} stitches."

    @classmethod
    def chapter(cls, studies):
        rows = [row for study in studies for row in study.runs.to_dict("records")]
        return Chapter("knitting/page.html", {"rows": rows}, [], [w for study in studies for w in study.warnings()])

STUDY = KnittingStudy
"""
PAGE = """{% from "parts.html" import section, table, row with context %}
{% call section("Rows of a scarf", "In order.") %}
{% call table(("run", "stitches", "yarn")) %}
{% for each in rows %}{{ row((each.run, each.stitches | number, each.yarn)) }}{% endfor %}
{% endcall %}
{% endcall %}
"""
TABLES = {
    "format": 2,
    "kinds": {"knitting": ["runs"]},
    "tables": {
        "runs": {
            "file": "runs.csv",
            "columns": [
                {"name": "run", "type": "count"},
                {"name": "stitches", "type": "count", "max": 200},
                {"name": "yarn", "type": "word", "default": "wool"},
                {"name": "status", "type": "word"},
            ],
        }
    },
}


@pytest.fixture
def knitted(tmp_path, monkeypatch):
    """Add the kind, and write a directory of it."""
    package = tmp_path / "kinds" / "knitting"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(STUDY)
    (package / "page.html").write_text(PAGE)
    (package / "tables.json").write_text(json.dumps(TABLES))
    monkeypatch.setattr(studies, "__path__", [*studies.__path__, str(package.parent)])
    path = tmp_path / "scarf"
    path.mkdir()
    (path / "manifest.json").write_text(json.dumps({"format": 2, "kind": "knitting", "status": "done"}))
    (path / "runs.csv").write_text("run,stitches,status\n0,40,done\n1,42,done\n")
    return path


def test_a_folder_is_a_kind(knitted, opened):
    study = open_study(knitted)
    assert type(study) in find_kinds()
    assert study.runs["yarn"].tolist() == ["wool", "wool"]
    html, plots = report.render([study, opened(shapes=("2t",), replicates=1)])
    cells = re.findall(r'<td data-label="([^"]*)">(\w+)</td>', html)
    assert cells[3:6] == [("run", "1"), ("stitches", "42"), ("yarn", "wool")]
    assert "Speed and conflicts" in html
    assert "updates" in [plot.name for plot in plots]
    assert terminal.render([study]) == "Knitting: scarf\n\n- 82 stitches.\n"


def test_its_files_are_checked_by_its_own_description(knitted):
    (knitted / "runs.csv").write_text("run,stitches,status\n0,201,done\n")
    with pytest.raises(RunDirectoryError, match=r"line 2, column stitches: '201' where a whole number in 0..200"):
        open_study(knitted)


def test_what_a_kind_does_not_offer_is_one_line(knitted, capsys):
    for command in (["export", str(knitted)], ["compare", str(knitted), str(knitted)]):
        assert main(command) == 1
        assert "studies of this kind cannot be" in capsys.readouterr().err
    assert main(["claims", str(knitted)]) == 0
    assert "no claim" in capsys.readouterr().out
    with pytest.raises(LaxityError, match="cannot be exported"):
        open_study(knitted).observations()
