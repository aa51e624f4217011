"""Checks that every commit names its area and says why: `area: what changes`, an empty line, a body.

Usage: check_commits.py ROOT. Commits up to START, with which the rule began, are not checked; neither are merges. Where
git or START is missing (an archive, a shallow clone) one line says so and nothing is checked. Prints one line per fault
and ends with 1 if there is any.
"""

import re
import subprocess
import sys

START = "98f503880fa2af2209761c7899f3c2ef0d535baf"
SUBJECT = re.compile(r"[A-Za-z][\w./, -]*: \S")
TRAILER = re.compile(r"[A-Z][\w-]+: \S")


def git(root, *arguments):
    """Run git; returns its output, or None if it fails or is not there."""
    try:
        done = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout if done.returncode == 0 else None


def faults_of(commit: str, subject: str, body: str) -> list[str]:
    """Check one message."""
    faults = []
    if not SUBJECT.match(subject):
        faults.append(f'{commit} "{subject}": begin with the area, as in "transport: keep the opposite index"')
    if not any(line.strip() and not TRAILER.match(line) for line in body.splitlines()):
        faults.append(f'{commit} "{subject}": the body is missing; write why, and on what evidence')
    return faults


def faults_in(root, start=START):
    """Check every commit since `start`; None if there is nothing to check by."""
    if git(root, "merge-base", "--is-ancestor", start, "HEAD") is None:
        return None
    log = git(root, "log", "--no-merges", "--format=%h%x1f%s%x1f%b%x1e", f"{start}..HEAD") or ""
    messages = [entry.strip("\n").split("\x1f") for entry in log.split("\x1e") if entry.strip()]
    return [fault for message in messages for fault in faults_of(*message)]


if __name__ == "__main__":
    found = faults_in(sys.argv[1])
    if found is None:
        print(f"commits: not checked; there is no git history here that contains {START}")
    else:
        print("\n".join(found) if found else "commits: every message has an area and a body")
    sys.exit(bool(found))
