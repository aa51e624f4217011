"""Fixtures of the end-to-end tests, and the base class that gives them to test classes."""

import contextlib

import pytest

SKIPPED = 77  # what CTest takes for skipped


class InFolder:
    """A test class each of whose tests has `self.folder`, empty at first, and `self.cleanup`, an exit stack."""

    @pytest.fixture(autouse=True)
    def _in_folder(self, tmp_path):
        self.folder = tmp_path
        with contextlib.ExitStack() as self.cleanup:
            yield


class InSharedFolder:
    """A test class whose tests share `self.folder`, which prepare() fills once."""

    @pytest.fixture(autouse=True, scope="class")
    def _in_shared_folder(self, request, tmp_path_factory):
        request.cls.folder = tmp_path_factory.mktemp(request.cls.__name__)
        request.cls.prepare()

    @classmethod
    def prepare(cls):
        """Prepare what all tests of the class need."""


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
