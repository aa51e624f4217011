"""Arrival pattern files: how late each process enters a collective operation.

One line per process with its delay in seconds; lines that begin with ``#`` are comments, and ``# name: ...`` names the
pattern. The C++ reader is ``laxity/collective/patterns/pattern_file.hpp``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from laxity.error import LaxityError


class PatternError(LaxityError):
    """A pattern file that cannot be read or understood."""


@dataclass(frozen=True)
class ArrivalPattern:
    """The delays of all processes.

    Attributes
    ----------
    name : str
        Name of the pattern; that of the file where it has none.
    delays_s : array of float, shape (processes,)
        Seconds, each finite and not negative.
    """

    name: str
    delays_s: NDArray[np.float64]


def read_pattern(path: Path) -> ArrivalPattern:
    """Read a pattern file.

    Raises
    ------
    PatternError
        If the file cannot be read, or a line is not a delay; the message names file and line.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise PatternError(f"{path}: cannot be read: {error}") from error
    name = path.stem
    delays = []
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if text.startswith("# name:"):
            name = text.removeprefix("# name:").strip()
        elif text and not text.startswith("#"):
            delays.append(_delay(text, f"{path}:{number}"))
    if not delays:
        raise PatternError(f"{path}: no line with a delay; write one with `laxity pattern`")
    return ArrivalPattern(name, np.array(delays))


def _delay(text: str, place: str) -> float:
    try:
        delay = float(text)
    except ValueError:
        delay = math.nan
    if not (delay >= 0 and math.isfinite(delay)):
        raise PatternError(f"{place}: expected the delay of a process, a number of seconds from 0; found {text[:20]!r}")
    return delay
