"""Since when something is better or worse, of studies over time."""

import numpy as np
import pytest
from written_coloring import Study, write_study

from laxity.command_line import main
from laxity.history import all_changes, change_points, first_segment, open_history


def write_history(folder, rates, **fields):
    for day, rate in enumerate(rates):
        manifest = {"start": f"2021-06-{day + 1:02}T10:00:00Z", "git_commit": f"{day:040}"}
        one = Study(name=f"day-{day}", shapes=("2t",), modes=(0, 3), seed=day, rate=rate, replicates=3, **fields)
        one.manifest = manifest
        write_study(folder / f"{99 - day}", one)  # sorted by start, not by name
    return folder


@pytest.mark.parametrize(("last", "code", "verdict"), [(10_000.0, 3, "worse"), (13_500.0, 0, "better")])
def test_a_change_is_dated(tmp_path, capsys, last, code, verdict):
    folder = write_history(tmp_path / "nightly", [11_700.0] * 8 + [last] * 8)
    assert main(["compare", "--history", str(folder)]) == code
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("2t")]
    assert len(lines) == 2  # one for each mode
    assert all("day-8" in line and f"{8:040}"[:12] in line and line.endswith(verdict) for line in lines)


def test_a_regression_that_was_repaired_is_listed_and_is_no_failure(tmp_path, capsys):
    folder = write_history(tmp_path / "nightly", [11_700.0] * 8 + [9_000.0] * 8 + [11_700.0] * 8)
    assert main(["compare", "--history", str(folder)]) == 0
    out = capsys.readouterr().out
    assert out.count("worse") == out.count("better") == 2


def test_no_change_is_no_change(tmp_path, capsys):
    folder = write_history(tmp_path / "nightly", [11_700.0] * 12)
    assert main(["compare", "--history", str(folder)]) == 0
    assert "12 studies from day-0 to day-11: no change" in capsys.readouterr().out


def test_too_few_studies_and_other_machines_are_refused(tmp_path, capsys):
    few = write_history(tmp_path / "few", [11_700.0] * 5)
    assert main(["compare", "--history", str(few)]) == 1
    assert "a history needs 6 run directories or more, here are 5" in capsys.readouterr().err
    folder = write_history(tmp_path / "nightly", [11_700.0] * 8)
    moved = Study(name="moved", shapes=("2t",), modes=(0, 3), manifest={"start": "2020", "host": "other"})
    write_study(folder / "moved", moved)
    assert main(["compare", "--history", str(folder)]) == 1
    assert "host other and bench" in capsys.readouterr().err
    assert main(["compare", "--history", str(folder), "--allow-differences"]) == 0


def test_a_treatment_that_some_studies_lack_is_followed_in_the_others(tmp_path):
    folder = write_history(tmp_path / "nightly", [11_700.0] * 6 + [9_000.0] * 6)
    only_one_mode = Study(name="day-12", shapes=("2t",), modes=(3,), rate=9_000.0, manifest={"start": "2021-06-20"})
    write_study(folder / "only", only_one_mode)
    found = change_points(open_history(folder))
    assert [(each.study.name, each.is_last) for each in found] == [("day-6", True)] * 2


def test_a_change_is_where_the_step_is():
    values = np.random.default_rng(1).normal(0, 0.02, 30)
    values[12:] += 0.1
    values[22:] += 0.1
    assert all_changes(values) == [12, 22]
    assert first_segment(values[:3]) == ([], 1.0)
    assert first_segment(np.ones(20)) == ([], 1.0)


def test_few_values_never_make_a_change_significant():
    for count in range(1, 6):
        assert first_segment(np.arange(count) >= count // 2)[1] >= 0.05
