"""The wheel (pyproject.toml) and the package of the source tree (python/pyproject.toml) ask for the same things."""

from pathlib import Path

import pytest

tomllib = pytest.importorskip("tomllib")
ROOT = Path(__file__).parents[3]


def project(path):
    return tomllib.loads((ROOT / path).read_text())["project"]


def test_the_wheel_needs_what_the_package_needs():
    wheel, package = project("pyproject.toml"), project("python/pyproject.toml")
    for key in ("name", "requires-python", "dependencies"):
        assert wheel[key] == package[key], key
    for_developers = {"check", "docs", "test"}
    extras = {name: needs for name, needs in package["optional-dependencies"].items() if name not in for_developers}
    assert wheel["optional-dependencies"] == extras
