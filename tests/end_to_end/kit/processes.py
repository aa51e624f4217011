"""Processes and shared memory that a program has, and whether any of it is left."""

import os
import time
from pathlib import Path

PATIENCE_S = 40  # on the slowest machine


def children_of(pid):
    """Process numbers of the children of a process."""
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [int(child) for child in listed.split()]


def processes_with(word):
    """Process numbers of the processes in whose command line a word stands."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            found += [int(folder.name)] if word in (folder / "cmdline").read_text() else []
        except OSError:  # the process has ended
            continue
    return found


def segments():
    """Names of the library's shared memory; other files of /dev/shm belong to other programs."""
    return {name for name in os.listdir("/dev/shm") if "laxity" in name}


def eventually(condition, patience_s=PATIENCE_S):
    """Wait until condition() is true, and return its value; an AssertionError if that takes too long."""
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        result = condition()
        if result:
            return result
        time.sleep(0.01)
    raise AssertionError(f"the condition did not hold within {patience_s} s")
