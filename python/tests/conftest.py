"""Shared fixtures: run directories whose truth is known."""

import pytest
from written_coloring import Study, write_study

from laxity.studies.best_effort.study import BestEffortStudy


@pytest.fixture(scope="session")
def whole_path(tmp_path_factory):
    return write_study(tmp_path_factory.mktemp("runs") / "first-light")


@pytest.fixture(scope="session")
def whole(whole_path):
    return BestEffortStudy.open(whole_path)


@pytest.fixture
def opened(tmp_path):
    """Write a study with these fields and open it."""

    def write_and_open(**fields):
        path = tmp_path / f"study-{len(list(tmp_path.iterdir()))}"
        return BestEffortStudy.open(write_study(path, Study(**fields)))

    return write_and_open
