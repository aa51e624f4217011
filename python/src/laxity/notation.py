"""How numbers and lists are written for people: few digits, grouped by thin spaces, with the unit that fits.

Elsewhere: the sentences, tables and axes around them (packages of ``studies``).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from laxity.intervals import CONFIDENCE, Interval

THIN_SPACE = "\N{NARROW NO-BREAK SPACE}"
NOTHING = "–"
MINUS = "−"
INTERVALS = f"{CONFIDENCE:.0%}".replace("%", f"{THIN_SPACE}% intervals")
_SCALES = ((1e9, "G"), (1e6, "M"), (1, ""))
_TEAM = re.compile(r"(?=.)(?:(\d+)p|(\d+)r)?(?:(\d+)t)?", re.ASCII)
_TIMES = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns"))


def number(value: float, digits: int = 4, *, padded: bool = False) -> str:
    """Write a number with `digits` significant digits at least: 11 712, 1.235 M, 0.25, 0; padded: 0.2500."""
    scale, suffix = next(((scale, suffix) for scale, suffix in _SCALES if abs(value) >= scale), (1, ""))
    text = _significant(value / scale, digits, padded=padded)
    return f"{text}{THIN_SPACE}{suffix}" if suffix else text


def mean_count(value: float) -> str:
    """Write a mean of counts: one decimal below 100, 493.8 is "494"."""
    return _with_minus(f"{value:.1f}") if abs(value) < 100 else number(value, 3)


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


def signed_percent(share: float) -> str:
    """Write a change with its sign: "+12.5 %"; 0 has none."""
    sign = "+" if share > 0 else MINUS if share < 0 else ""
    return f"{sign}{percent(abs(share))}"


def capital(sentence: str) -> str:
    """Begin a sentence with a capital letter."""
    return sentence[:1].upper() + sentence[1:]


def shortened(text: str, longest: int) -> str:
    """Cut a text to `longest` characters; the last is an ellipsis then."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def counted(count: int, noun: str) -> str:
    """Write a count with its noun: "1 run", "3 runs"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def listed(parts: Sequence[str], last: str = "and") -> str:
    """Join parts to a list in words: "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def team_title(shape: str) -> str:
    """Write a team of workers in words: 2t "2 threads", 2p2t "2 processes × 2 threads", 2r "2 ranks"; else as it is."""
    if shape == "sequential":
        return "one thread, sequentially"
    if not (match := _TEAM.fullmatch(shape)):
        return shape
    parts = zip(match.groups(), (("process", "processes"), ("rank", "ranks"), ("thread", "threads")), strict=True)
    return " × ".join(f"{count} {one if count == '1' else several}" for count, (one, several) in parts if count)


def _percentage(share: float) -> str:
    if share == 0 or abs(share) >= 0.00995:
        return _with_minus(f"{100 * share:.1f}")
    return _significant(100 * share, 2, padded=True)


def _with_minus(text: str) -> str:
    """Write the sign of a number as a minus sign; zero has none."""
    return text.lstrip("-") if float(text) == 0 else text.replace("-", MINUS)


def _significant(value: float, digits: int, *, padded: bool = False) -> str:
    if value == 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{decimals}f}".replace(",", THIN_SPACE).replace("-", MINUS)
    return text if padded or not decimals else text.rstrip("0").rstrip(".")
