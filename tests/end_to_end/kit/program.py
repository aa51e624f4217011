"""Runs programs as a user does, above all the one that $LAXITY_PROGRAM names, or else the laxity in PATH."""

import os
import subprocess
from typing import NamedTuple

PROGRAM = os.environ.get("LAXITY_PROGRAM", "laxity")


class Ended(NamedTuple):
    """How a program ended."""

    code: int
    output: str
    complaint: str


def run(*command, timeout=240, environment=None, **options):
    """Run a command to its end.

    Parameters
    ----------
    command : words, converted to text
    timeout : seconds
    environment : dict, optional
        Variables that are set in addition to those of this process.
    options : further arguments of ``subprocess.run``

    Returns
    -------
    Ended
        Exit code, standard output, standard error.
    """
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        env={**os.environ, **(environment or {})},
        **options,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def laxity(*arguments, **options):
    """Run the program to its end; see `run`."""
    return run(PROGRAM, *arguments, **options)


def start(*arguments, **options):
    """Start the program without its output, and return the running process. Standard error is a pipe unless given."""
    return subprocess.Popen(
        [PROGRAM, *(str(word) for word in arguments)],
        **{"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True, **options},
    )
