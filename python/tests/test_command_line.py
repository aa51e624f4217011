import os
import subprocess
import sys

import pytest
from written_coloring import Study, write_study

from laxity.command_line import main


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "laxity", *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture
def path(tmp_path):
    return write_study(tmp_path / "study", Study(shapes=("2t",)))


def test_a_report_is_written_and_named(path, capsys):
    assert main(["report", str(path)]) == 0
    assert capsys.readouterr().out == f"report: {path / 'report.html'}\n"
    assert (path / "report.html").exists()


def test_a_report_goes_where_it_is_told(path, tmp_path, capsys):
    assert main(["report", str(path), str(path), "--output", str(tmp_path / "both.html")]) == 0
    assert (tmp_path / "both.html").exists()
    assert "both.html" in capsys.readouterr().out


def test_a_table_is_printed(path, capsys):
    assert main(["table", str(path)]) == 0
    assert "3 best effort" in capsys.readouterr().out


def test_a_table_is_printed_to_a_terminal_of_few_letters(path):
    done = subprocess.run(
        [sys.executable, "-m", "laxity", "table", str(path)],
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        timeout=120,
        check=False,
    )
    assert done.returncode == 0
    assert b"best effort" in done.stdout


@pytest.mark.parametrize("command", ["report", "table"])
def test_what_cannot_be_read_is_one_line_and_code_1(command, tmp_path):
    done = run(command, tmp_path / "nowhere")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("laxity: ")
    assert done.stderr.count("\n") == 1
    assert "name a run directory" in done.stderr


@pytest.mark.parametrize(
    "arguments", [[], ["report"], ["guess"], ["table", "x", "--open"], ["report", "x", "--out", "y"]]
)
def test_wrong_usage_is_code_2(arguments):
    done = run(*arguments)
    assert done.returncode == 2
    assert "usage: python -m laxity" in done.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["report", "--help"], ["table", "--help"], ["--version"]])
def test_help_and_version_are_code_0(arguments):
    assert run(*arguments).returncode == 0


def test_help_has_examples():
    assert "python -m laxity report runs/first-light" in run("--help").stdout


def test_a_reader_that_goes_away_is_no_traceback(path):
    shell = f"{sys.executable} -m laxity table {path} | true"
    assert "Traceback" not in subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False).stderr


def test_nothing_heavy_is_loaded_before_it_is_needed():
    """Help and a wrong argument answer at once, and a table does without matplotlib."""
    code = "import sys, laxity.command_line; print({'pandas', 'numpy', 'matplotlib'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
    code = "import sys, laxity.terminal, laxity.study; laxity.study.find_kinds(); print('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
