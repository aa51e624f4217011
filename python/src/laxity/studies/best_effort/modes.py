"""The five asynchronicity modes: when workers wait for one another.

Source: Moreno and Ofria, Best-effort communication improves performance and scales robustly on conventional hardware,
II-B.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mode:
    """An asynchronicity mode: its number, its name in the tables, and in words."""

    number: int
    name: str
    title: str
    meaning: str


MODES = (
    Mode(0, "every_update", "every update", "a barrier of all workers after each update"),
    Mode(1, "rolling", "rolling", "a barrier when a fixed time has passed since the end of the last one"),
    Mode(2, "fixed", "fixed", "a barrier at fixed points of wall time"),
    Mode(3, "none", "best effort", "no barrier: workers go on without messages that are late or lost"),
    Mode(4, "isolated", "isolated", "no communication between workers during the run; the baseline"),
)
EVERY_UPDATE, BEST_EFFORT, ISOLATED = MODES[0], MODES[3], MODES[4]
