"""Makes repositories with good and bad commits and expects check_commits to name the bad ones."""

import subprocess

import pytest
from check_commits import faults_in


@pytest.fixture
def repository(tmp_path):
    """Make a repository; returns a function that commits with a message and returns the commit."""

    def git(*arguments):
        identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        return subprocess.run(["git", "-C", tmp_path, *identity, *arguments],
                              capture_output=True, text=True, check=True).stdout.strip()  # fmt: skip

    def commit(message):
        git("commit", "--allow-empty", "--quiet", "--message", message)
        return git("rev-parse", "HEAD")

    git("init", "--quiet")
    commit.root = tmp_path
    return commit


def test_a_message_with_area_and_body_passes(repository):
    start = repository("whatever")
    repository("transport, ring: keep the opposite index\n\nThe load took a third of the time of a push.")
    assert faults_in(repository.root, start) == []


def test_a_missing_body_is_a_fault(repository):
    start = repository("whatever")
    repository("transport: keep the opposite index\n\nSigned-off-by: A <a@example.org>")
    (fault,) = faults_in(repository.root, start)
    assert "the body is missing" in fault
    assert "keep the opposite index" in fault


def test_a_missing_area_is_a_fault(repository):
    start = repository("whatever")
    repository("Fix things\n\nThey were broken.")
    (fault,) = faults_in(repository.root, start)
    assert "begin with the area" in fault


def test_commits_before_the_rule_are_not_checked(repository):
    repository("no area")
    assert faults_in(repository.root, repository("nor here")) == []


def test_without_the_start_of_the_rule_nothing_is_checked(repository, tmp_path_factory):
    repository("whatever")
    assert faults_in(repository.root, "0" * 40) is None
    assert faults_in(tmp_path_factory.mktemp("archive"), "0" * 40) is None
