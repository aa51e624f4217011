"""The code of the pages about Python: all blocks of a page run, in their order, as one program.

The tutorials are notebooks, which the documentation site executes too; here they need no Jupyter. One page and the
examples of the reference run in the default tests, all pages in the long ones.
"""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import laxity

ROOT = Path(__file__).resolve().parents[3]
FENCE = re.compile(r"^```(\S+).*?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
GUIDE = ROOT / "docs/meshes.md"
TUTORIALS = sorted((ROOT / "docs/tutorials").glob("*.md"))
ALL_PAGES = [GUIDE, ROOT / "docs/gallery.md", ROOT / "python/README.md", *TUTORIALS]


def program_of(text):
    """Join the blocks of a page; commands for a shell become calls of it."""
    pieces = []
    for language, code in FENCE.findall(text):
        assert language in {"python", "{code-cell}", "bash"}, f"no block of {language} is run here"
        by_shell = f"__import__('subprocess').run(['bash', '-euc', {code!r}], check=True)\n"
        options = re.compile(r"\A(:\w+:.*\n)+")  # of a notebook's cell
        pieces.append(by_shell if language == "bash" else options.sub("", code))
    return "\n".join(pieces)


@pytest.mark.parametrize(
    "page", ALL_PAGES if "LAXITY_EFFORT" in os.environ else [GUIDE], ids=lambda page: f"{page.parent.name}-{page.stem}"
)
def test_the_code_of_a_page_runs(page, tmp_path):
    text = page.read_text(encoding="utf-8")
    for needed in ("IPython", "networkx", "numba"):
        if needed in text:
            pytest.importorskip(needed)
    program = Path(os.environ["LAXITY_PROGRAM"])
    if "runs/first-light" in text and "--output runs/first-light" not in text:  # the run directory that it speaks of
        command = [program, "color", "--workers", "2p", "--mode", "3,4", "--nodes", "64", "--duration", "0.1"]
        subprocess.run([*command, "--output", "runs/first-light"], cwd=tmp_path, capture_output=True, check=True)
    (tmp_path / "page.py").write_text(program_of(text), encoding="utf-8")
    folders = [str(program.parent), str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = os.environ | {"PATH": os.pathsep.join(folders), "LAXITY_PYTHON": sys.executable, "MPLBACKEND": "Agg"}
    done = subprocess.run(
        [sys.executable, "page.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_no_block_is_overlooked(page):
    text = page.read_text(encoding="utf-8")
    assert text.count("\n```") == 2 * len(FENCE.findall(text))
    assert not re.search(r"\n\n    \S", FENCE.sub("", text)), "an indented block would not run"


@pytest.mark.parametrize("name", ["Mesh", "Team", *(["Model"] if "LAXITY_EFFORT" in os.environ else [])])
def test_the_examples_of_the_reference_run(name):
    if name == "Model":
        pytest.importorskip("numba")
    [example] = doctest.DocTestFinder(recurse=False).find(getattr(laxity, name), globs={"laxity": laxity, "np": np})
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0
