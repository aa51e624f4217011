"""laxity.open: what a notebook or a program gets of a run directory."""

import base64
import re
import subprocess
import sys

import pandas as pd
import pytest
from written_phold import write_simulation

import laxity


@pytest.fixture
def study(tmp_path):
    return laxity.open(write_simulation(tmp_path / "run"))


def test_a_run_directory_opens_with_frames_and_manifest(study):
    assert isinstance(study, laxity.Study)
    assert isinstance(study.tables["runs"], pd.DataFrame)
    assert len(study.tables["runs"]) == 3
    assert study.manifest["kind"] == "phold"


def test_figures_are_those_of_the_report(study):
    figures = study.figures()
    assert figures
    for name, figure in figures.items():
        assert figure.name == name
        assert figure.svg.lstrip().startswith("<?xml")
        shown = figure._repr_html_()
        assert "<figcaption>" in shown
        [content] = re.findall(r'src="data:image/svg\+xml;base64,([^"]*)"', shown)
        assert base64.b64decode(content).decode() == figure.svg, "with its own colors, since a notebook has no roles"


def test_a_notebook_shows_the_report(study):
    shown = study._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert "two-threads" in shown
    assert "<script" not in shown
    assert shown.count('"') == 6, "the page is escaped, so that it cannot end its attribute"


def test_a_missing_directory_is_named(tmp_path):
    with pytest.raises(laxity.RunDirectoryError, match="nowhere: does not exist"):
        laxity.open(tmp_path / "nowhere")


def test_import_loads_no_library():
    heavy = ("numpy", "pandas", "matplotlib", "scipy", "jinja2", "laxity._core")
    code = f"import sys, laxity; dir(laxity); print([name for name in {heavy} if name in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'chanel'"):
        _ = laxity.chanel
