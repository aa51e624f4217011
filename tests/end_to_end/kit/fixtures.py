"""Base classes of test classes, and how pytest reports to CTest."""

import contextlib
import tempfile
from pathlib import Path

import pytest

SKIPPED = 77  # what CTest takes for skipped


class InFolder:
    """A test class each of whose tests has `self.folder`, empty at first, and `self.cleanup`, an exit stack."""

    @pytest.fixture(autouse=True)
    def _in_folder(self):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, contextlib.ExitStack() as self.cleanup:
            self.folder = Path(folder)
            yield


class InSharedFolder:
    """A test class whose tests share `self.folder`, which prepare() fills once."""

    @classmethod
    def prepare(cls):
        """Prepare what all tests of the class need."""


@pytest.fixture(autouse=True, scope="class")
def _in_shared_folder(request):
    if request.cls is None or not issubclass(request.cls, InSharedFolder):
        yield
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        request.cls.folder = Path(folder)
        request.cls.prepare()
        yield


@contextlib.contextmanager
def case(*values, **named):
    """Name one of several cases of a test in the message of an assertion that fails in it."""
    try:
        yield
    except AssertionError as error:
        names = [*map(str, values), *(f"{name}={value}" for name, value in named.items())]
        raise AssertionError(f"in the case {', '.join(names)}: {error}") from error


def pytest_sessionfinish(session, exitstatus):
    """End with a code of its own if every test was skipped, so that CTest does not count them as passed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    counted = {name for name in ("passed", "failed", "error", "skipped") if reporter.stats.get(name)}
    if counted == {"skipped"} and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        session.exitstatus = SKIPPED
