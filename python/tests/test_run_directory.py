import json
import re
import shutil

import pytest
from written_coloring import Study, write_study

from laxity.columns import tables_of
from laxity.error import LaxityError, RunDirectoryError
from laxity.studies.best_effort.study import BestEffortStudy

TABLES = tables_of("coloring")
RUNS_HEADER = ",".join(TABLES["runs"].names)


@pytest.fixture
def path(tmp_path):
    return write_study(tmp_path / "study", Study(shapes=("2t",), replicates=2))


def edit(path, pattern, replacement):
    text = path.read_text()
    changed = re.sub(pattern, replacement, text, count=1, flags=re.MULTILINE)
    assert changed != text, "the edit must change something"
    path.write_text(changed)


def failure(path):
    with pytest.raises(RunDirectoryError) as caught:
        BestEffortStudy.open(path)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_whole_directory_is_read_with_all_its_rows(whole):
    assert whole.name == "first-light"
    assert whole.status == "done"
    assert whole.notes == ()
    assert len(whole.runs) == len(whole.ended_runs()) == 5 * 4 * 5
    assert len(whole.workers) == 5 * 5 * (1 + 2 + 1 + 2)
    assert len(whole.picture) == 2 * 32 * 32
    for name, table in TABLES.items():
        assert tuple(getattr(whole, name).columns) == table.names


def test_seeds_of_64_bits_are_read_exactly(path):
    edit(path / "runs.csv", r"^(0,0,every_update,2t,2,1,2,0),\d+,", rf"\1,{2**64 - 1},")
    assert int(BestEffortStudy.open(path).runs["seed"][0]) == 2**64 - 1


def test_columns_may_come_in_any_order_and_others_are_passed_over(path):
    lines = (path / "runs.csv").read_text().splitlines()
    turned = [",".join(reversed([*line.split(","), "more"])) for line in lines]
    before = BestEffortStudy.open(path).runs
    (path / "runs.csv").write_text("\n".join(turned) + "\n")
    assert BestEffortStudy.open(path).runs.equals(before)


def test_columns_that_an_older_laxity_did_not_write_have_their_defaults(path):
    runs = BestEffortStudy.open(path).runs
    (path / "runs.csv").write_text(runs.drop(columns=["work", "guard", "fault", "moves", "hosts"]).to_csv(index=False))
    assert BestEffortStudy.open(path).runs.equals(runs)


@pytest.mark.parametrize("name", ["runs", "workers", "qos", "picture"])
def test_a_missing_table_is_an_empty_one(path, name):
    (path / f"{name}.csv").unlink()
    table = getattr(BestEffortStudy.open(path), name)
    assert table.empty
    assert tuple(table.columns) == TABLES[name].names


@pytest.mark.parametrize("content", ["", RUNS_HEADER + "\n", RUNS_HEADER])
def test_a_table_without_rows_is_an_empty_one(path, content):
    (path / "runs.csv").write_text(content)
    assert BestEffortStudy.open(path).runs.empty


def test_a_half_written_last_line_is_left_out_and_said(path):
    text = (path / "runs.csv").read_text()
    (path / "runs.csv").write_text(text[:-40])
    study = BestEffortStudy.open(path)
    assert len(study.runs) == text.count("\n") - 2
    assert any("line 11 was half written" in note for note in study.notes)


def test_a_last_line_without_its_end_is_left_out_even_if_it_looks_whole(path):
    """A number may have lost its last digits."""
    text = (path / "qos.csv").read_text()
    (path / "qos.csv").write_text(text[:-2])
    assert len(BestEffortStudy.open(path).qos) == text.count("\n") - 2


def test_a_table_cut_anywhere_is_read_up_to_its_last_whole_line(path):
    text = (path / "runs.csv").read_bytes()
    two_lines = len(text) - text[:-1].rindex(b"\n", 0, -120)
    for length in (*range(0, len(RUNS_HEADER), 20), *range(len(text) - two_lines, len(text))):
        (path / "runs.csv").write_bytes(text[:length])
        assert len(BestEffortStudy.open(path).runs) == max(text[:length].count(b"\n") - 1, 0)


def test_observations_of_a_run_that_never_ended_are_left_out_and_said(path):
    lines = (path / "runs.csv").read_text().splitlines(keepends=True)
    (path / "runs.csv").write_text("".join(lines[:-1]))
    study = BestEffortStudy.open(path)
    assert set(study.workers["run"]) <= set(study.runs["run"])
    assert any("workers.csv: 2 rows of runs that never ended (run 9)" in note for note in study.notes)


@pytest.mark.parametrize(
    ("cell", "column", "expected"),
    [
        ("nine", "conflicts", "a whole number >= 0"),
        ("-1", "conflicts", "a whole number >= 0"),
        ("1.5", "conflicts", "a whole number >= 0"),
        ("1_0", "conflicts", "a whole number >= 0"),
        ("٣", "conflicts", "a whole number >= 0"),
        ("", "conflicts", "a whole number >= 0"),
        ("9" * 30, "conflicts", "of at most 63 bits"),
        ("9" * 5000, "conflicts", "of at most 63 bits"),
        ("5", "mode", "a whole number in 0..4"),
        ("0", "workers", "a whole number in 1.."),
        ("nan", "updates_per_second_per_worker", "a number >= 0"),
        ("inf", "updates_per_second_per_worker", "a number >= 0"),
        ("1e999", "updates_per_second_per_worker", "a number >= 0"),
        ("-3.5", "updates_per_second_per_worker", "a number >= 0"),
        ("lockstep", "mode_name", "one of every_update, rolling"),
        ("a\tb", "status", "a printable text"),
        ("w" * 201, "status", "a printable text of 1 to 200 characters"),
    ],
)
def test_a_bad_cell_is_refused_with_line_and_column(path, cell, column, expected):
    lines = (path / "runs.csv").read_text().splitlines()
    cells = lines[3].split(",")
    cells[RUNS_HEADER.split(",").index(column)] = cell
    lines[3] = ",".join(cells)
    (path / "runs.csv").write_text("\n".join(lines) + "\n")
    message = failure(path)
    assert f"runs.csv, line 4, column {column}: " in message
    assert expected in message
    assert "remove the line" in message
    assert len(message) < 400


def test_a_rate_outside_of_0_to_1_is_refused(path):
    edit(path / "qos.csv", r",0\.\d+,(0\.\d+(,\d+){7},[\d.]+,\d+,[\d.]+)$", r",-0.01,\1")
    assert "column delivery_failure_rate: '-0.01' where a number in 0..1" in failure(path)


def test_a_line_with_too_few_cells_is_refused(path):
    edit(path / "workers.csv", r"^(0,1,.*),done,0,0$", r"\1,done,0")
    assert "workers.csv, line 3: 9 cells where the first line has 10" in failure(path)


def test_a_missing_column_is_refused(path):
    edit(path / "qos.csv", r",touches,", ",touch,")
    assert "qos.csv, line 1: no column 'touches'" in failure(path)


def test_a_run_that_is_there_twice_is_refused(path):
    lines = (path / "runs.csv").read_text().splitlines(keepends=True)
    (path / "runs.csv").write_text("".join([*lines, lines[2]]))
    assert f"runs.csv, line {len(lines) + 1}: run 1 appears twice" in failure(path)


def test_a_mode_with_the_name_of_another_is_refused(path):
    edit(path / "runs.csv", r"^1,1,rolling", "1,1,fixed")
    assert "runs.csv, line 3: mode 1 is called 'fixed'" in failure(path)


def test_bytes_that_are_no_text_are_refused(path):
    (path / "runs.csv").write_bytes(RUNS_HEADER.encode() + b"\n" + bytes(range(256)) + b"\n")
    assert "runs.csv" in failure(path)


def test_a_quote_that_never_ends_is_refused_in_bounded_memory(path):
    (path / "runs.csv").write_text(RUNS_HEADER + '\n"' + "0,\n" * 200_000)
    assert "runs.csv, line " in failure(path)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('{"format": 2,', "line 1, column"),
        ("[1, 2]", 'no "format" in it'),
        ("{}", 'no "format" in it'),
        ('{"format": 1, "kind": "coloring"}', "format 1, this laxity reads format 2"),
        ('{"format": 2, "kind": "phold"}', "kind 'phold'"),
        ("[" * 100_000, "manifest.json"),
        (b"\xff\xfe\x00", "manifest.json"),
    ],
)
def test_a_bad_manifest_is_refused(path, content, expected):
    content = content if isinstance(content, bytes) else content.encode()
    (path / "manifest.json").write_bytes(content)
    message = failure(path)
    assert "manifest.json" in message
    assert expected in message


def test_a_manifest_with_little_in_it_is_enough(path):
    (path / "manifest.json").write_text(json.dumps({"format": 2, "kind": "coloring"}))
    study = BestEffortStudy.open(path)
    assert study.name == "study"
    assert study.configuration == {}
    assert study.status == "unknown"


def test_what_is_no_run_directory_is_refused(path, tmp_path):
    assert "does not exist; name a run directory" in failure(tmp_path / "nowhere")
    assert "is a file; name a run directory" in failure(path / "runs.csv")
    (path / "manifest.json").unlink()
    assert "manifest.json: missing" in failure(path)
    shutil.rmtree(path)
    path.mkdir()
    assert "manifest.json: missing" in failure(path)


def test_a_table_that_is_a_directory_is_refused(path):
    (path / "qos.csv").unlink()
    (path / "qos.csv").mkdir()
    assert "qos.csv: cannot be read" in failure(path)


def test_all_errors_are_of_one_family():
    assert issubclass(RunDirectoryError, LaxityError)
