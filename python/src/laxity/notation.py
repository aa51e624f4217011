"""How numbers are written for people: few digits, grouped by thin spaces, with the unit that fits.

Elsewhere: the sentences around them (``findings``), the tables (``table``, ``report``), the axes (``plots``).
"""

from __future__ import annotations

import math
from collections.abc import Callable

from laxity.bootstrap import CONFIDENCE, Interval

THIN_SPACE = "\N{NARROW NO-BREAK SPACE}"
NOTHING = "–"
INTERVALS = f"{CONFIDENCE:.0%}".replace("%", f"{THIN_SPACE}% bootstrap intervals")
_SCALES = ((1e9, "G"), (1e6, "M"), (1, ""))
_TIMES = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns"))


def number(value: float, digits: int = 4, *, padded: bool = False) -> str:
    """Write a number with `digits` significant digits at least: 11 712, 1.235 M, 0.25, 0; padded: 0.2500."""
    scale, suffix = next(((scale, suffix) for scale, suffix in _SCALES if abs(value) >= scale), (1, ""))
    text = _significant(value / scale, digits, padded=padded)
    return f"{text}{THIN_SPACE}{suffix}" if suffix else text


def mean_count(value: float) -> str:
    """Write a mean of counts: one decimal below 100, 493.8 is "494"."""
    return f"{value:.1f}" if value < 100 else number(value, 3)


def percent(share: float) -> str:
    """Write a share as a percentage with one decimal, or two digits below 1 %: 0.951 is "95.1 %"."""
    return f"{_percentage(share)}{THIN_SPACE}%"


def time_unit(longest_ns: float) -> tuple[float, str]:
    """Choose the unit for times up to `longest_ns`: its length in ns and its sign."""
    return next(((length, sign) for length, sign in _TIMES if longest_ns >= length), _TIMES[-1])


def duration(time_ns: float, digits: int = 3, *, padded: bool = False) -> str:
    """Write a time with the unit that fits: 1500 is "1.5 µs"; padded: "1.50 µs"."""
    length, sign = time_unit(abs(time_ns))
    return f"{_significant(time_ns / length, digits, padded=padded)}{THIN_SPACE}{sign}"


def bounds(interval: Interval | None, write: Callable[[float], str]) -> str:
    """Write the ends of an interval, without a percent sign: "[11 650, 11 790]"; a dash where there are none."""
    if interval is None or interval.low is None or interval.high is None:
        return NOTHING
    low, high = (write(end).removesuffix(f"{THIN_SPACE}%") for end in (interval.low, interval.high))
    return f"[{low}, {high}]"


def with_bounds(interval: Interval | None, write: Callable[[float], str]) -> str:
    """Write a mean and its interval: "11 712 [11 650, 11 790]"."""
    if interval is None:
        return NOTHING
    return f"{write(interval.mean)} {bounds(interval, write)}" if interval.known else write(interval.mean)


def _percentage(share: float) -> str:
    return f"{100 * share:.1f}" if share == 0 or share >= 0.00995 else _significant(100 * share, 2, padded=True)


def _significant(value: float, digits: int, *, padded: bool = False) -> str:
    if value == 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{decimals}f}".replace(",", THIN_SPACE)
    return text if padded or not decimals else text.rstrip("0").rstrip(".")
