"""The public interface is typed: a strict type checker accepts a right program, and finds what is wrong in one."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")
HERE = Path(__file__).parent
ROOT = HERE.parents[2]


def test_a_program_passes_the_strict_type_checker(tmp_path):
    # Errors in the package itself are not those of its users, and unused `type: ignore` would be an error.
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--ignore-missing-imports"]
    done = subprocess.run(
        [*command, "--cache-dir", str(ROOT / "build" / "mypy"), str(HERE / "typed_program.py")],
        env={"MYPYPATH": str(ROOT / "python" / "src"), "PATH": ""},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
