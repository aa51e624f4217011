"""Heat maps of collectives under arrival patterns: one plot per collective and question, one panel per message size.

Elsewhere: the numbers (``last_delays``), the look (``laxity.plots.style``).

References
----------
Salimi Beni, Cosenza and Hunold, MPI collective algorithm selection in the presence of process arrival patterns,
figures 4 (best algorithm), 5 (last delays), 6 (robustness) and 8 (normalized, with averages).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from laxity.notation import number
from laxity.plots.style import GRID, INK, MODE_COLORS, MUTED, WIDTH_INCHES, Plot, new_figure, to_svg
from laxity.studies.arrivals.last_delays import NEUTRAL, NO_DELAY, LastDelays, last_delays
from laxity.studies.arrivals.study import ArrivalStudy
from laxity.study import study_titles

MAX_SIZES = 6
"""Panels of a plot; the table has all sizes."""

_GOOD, _BAD, _NEUTRAL = MODE_COLORS[3], MODE_COLORS[0], MODE_COLORS[4]
_ROW, _HEADING, _BOTTOM, _GAP = 0.19, 0.34, 0.78, 0.1  # inches
_LEFT, _RIGHT = 0.98, 0.08
_FONT, _MIN_FONT = 6.5, 4.5  # points; smaller where there are many columns
_LETTER = 0.55  # width of a letter as a share of the font size


@dataclass(frozen=True)
class _Cell:
    text: str
    color: str = GRID
    strength: float = 0.0  # opacity of the color, in [0, 1]
    bold: bool = False


@dataclass(frozen=True)
class _Question:
    name: str
    title: str
    caption: str
    rows: Callable[[LastDelays], list[tuple[str, list[_Cell]]]]


def _missing() -> _Cell:
    return _Cell("–")


def _short(value: float) -> str:
    return number(value, 3) if value < 1000 else f"{value / 1000:.3g}k"


def _last_delay_rows(delays: LastDelays) -> list[tuple[str, list[_Cell]]]:
    good = delays.is_good()
    return [
        (
            pattern,
            [
                _missing()
                if math.isnan(value)
                else _Cell(_short(value), _GOOD if fine else _BAD, 0.3 if fine else 0.12)
                for value, fine in zip(delays.last_delay_us[at], good[at], strict=True)
            ],
        )
        for at, pattern in enumerate(delays.patterns)
    ]


def _robustness_cell(change: float) -> _Cell:
    if math.isnan(change):
        return _missing()
    color = _NEUTRAL if abs(change) <= NEUTRAL else (_GOOD if change < 0 else _BAD)
    return _Cell(f"{change:+.2f}", color, 0.15 if color == _NEUTRAL else 0.3)


def _robustness_rows(delays: LastDelays) -> list[tuple[str, list[_Cell]]]:
    changes = delays.robustness()
    return [
        (pattern, [_robustness_cell(change) for change in changes[at]])
        for at, pattern in enumerate(delays.patterns)
        if pattern != NO_DELAY
    ]


def _normalized_cell(ratio: float, delay_us: float | None = None, *, bold: bool = False) -> _Cell:
    if math.isnan(ratio):
        return _missing()
    behind = "" if delay_us is None else f" ({_short(delay_us)})"
    return _Cell(f"{ratio:.2f}{behind}", _BAD, min(0.5, 0.25 * math.log2(max(1.0, ratio))), bold)


def _normalized_rows(delays: LastDelays) -> list[tuple[str, list[_Cell]]]:
    ratios = delays.normalized()
    rows = [
        (pattern, [_normalized_cell(*cell) for cell in zip(ratios[at], delays.last_delay_us[at], strict=True)])
        for at, pattern in enumerate(delays.patterns)
    ]
    chosen = delays.choice("robust")
    averages = [
        _normalized_cell(mean, bold=name == chosen)
        for name, mean in zip(delays.algorithms, delays.averages(), strict=True)
    ]
    return [*rows, ("average", averages)]


_QUESTIONS = (
    _Question(
        "delays",
        "Last delay",
        "Microseconds from the last arrival to the last exit, medians of the valid repetitions; one row per pattern, "
        "one column per algorithm. Blue: at most 5 % slower than the fastest of its row.",
        _last_delay_rows,
    ),
    _Question(
        "robustness",
        "Robustness",
        "Change of the last delay against no delay. Gray: within 25 %. Blue: shorter. Red: longer.",
        _robustness_rows,
    ),
    _Question(
        "normalized",
        "Normalized last delay",
        "Last delay divided by that of the fastest algorithm of the row; in brackets the last delay, in microseconds. "
        "The last row is the average over the conditions under which all candidates were measured often enough, "
        "without the pattern of an application; the robust choice is bold.",
        _normalized_rows,
    ),
)


def heat_maps(studies: Sequence[ArrivalStudy]) -> list[Plot]:
    """Plot all collectives of all studies."""
    plots = []
    several = len(studies) > 1
    for position, (title, study) in enumerate(zip(study_titles(studies), studies, strict=True)):
        by_collective: dict[str, list[LastDelays]] = {}
        for delays in last_delays(study):
            by_collective.setdefault(delays.collective, []).append(delays)
        for collective, sizes in by_collective.items():
            suffix = f"-{position}" if several else ""
            where = f", {title}" if several else ""
            name = f"arrival-{collective.replace('_', '-')}"
            plots.append(_best(f"{name}-best{suffix}", f"{collective}: best algorithm{where}", sizes))
            plots += [
                _panels(
                    f"{name}-{question.name}{suffix}", f"{collective}: {question.title.lower()}{where}", question, sizes
                )
                for question in _QUESTIONS
            ]
    return plots


def _panels(name: str, title: str, question: _Question, sizes: Sequence[LastDelays]) -> Plot:
    shown = [(delays, question.rows(delays)) for delays in sizes[:MAX_SIZES]]
    heights = [_HEADING + _ROW * len(rows) + _BOTTOM + _GAP for _, rows in shown]
    figure = new_figure(sum(heights))
    top = sum(heights)
    for (delays, rows), height in zip(shown, heights, strict=True):
        axes = _axes(figure, top - _HEADING - _ROW * len(rows), _ROW * len(rows), sum(heights))
        axes.set_title(f"{number(delays.bytes)} B", loc="left", fontsize=8, color=INK)
        _draw(axes, rows, delays.algorithms)
        top -= height
    return Plot(name, title, question.caption, to_svg(figure, name))


def _best(name: str, title: str, sizes: Sequence[LastDelays]) -> Plot:
    """Plot the fastest algorithm of each pattern and size, and its last delay as a share of that of the reference."""
    patterns = list(dict.fromkeys(pattern for delays in sizes for pattern in delays.patterns))
    rows = [(pattern, [_best_cell(delays, pattern) for delays in sizes[:MAX_SIZES]]) for pattern in patterns]
    height = _HEADING + _ROW * len(rows) + _BOTTOM + _GAP
    figure = new_figure(height)
    axes = _axes(figure, _BOTTOM + _GAP, _ROW * len(rows), height)
    _draw(axes, rows, [f"{number(delays.bytes)} B" for delays in sizes[:MAX_SIZES]])
    reference = "algorithm that is fastest without delay" if sizes[0].simulated else "library's own choice"
    caption = (
        "The fastest algorithm of each pattern and size, and its last delay divided by that of the "
        f"{reference}. Blue: a gain of more than 5 %."
    )
    return Plot(name, title, caption, to_svg(figure, name))


def _best_cell(delays: LastDelays, pattern: str) -> _Cell:
    if pattern not in delays.patterns:
        return _missing()
    row = delays.last_delay_us[delays.patterns.index(pattern)]
    if np.isnan(row).all():
        return _missing()
    best = int(np.nanargmin(row))
    reference = delays.reference()
    own = None if reference is None else delays.algorithms.index(reference)
    if own is None or math.isnan(row[own]) or row[own] <= 0:
        return _Cell(delays.algorithms[best])
    ratio = row[best] / row[own]
    gain = ratio < 1 / 1.05
    return _Cell(f"{delays.algorithms[best]}  {ratio:.2f}", _GOOD if gain else _NEUTRAL, 0.3 if gain else 0.1)


def _axes(figure, bottom: float, height: float, of: float) -> Axes:
    width = 1 - (_LEFT + _RIGHT) / WIDTH_INCHES
    return figure.add_axes((_LEFT / WIDTH_INCHES, bottom / of, width, height / of))


def _font_size(rows: Sequence[tuple[str, list[_Cell]]]) -> float:
    """Choose the font size at which the longest text fits into its cell."""
    longest = max((len(cell.text) for _, cells in rows for cell in cells), default=1)
    columns = max((len(cells) for _, cells in rows), default=1)
    cell_points = 72 * (WIDTH_INCHES - _LEFT - _RIGHT) / columns
    return min(_FONT, max(_MIN_FONT, cell_points / (_LETTER * longest)))


def _draw(axes: Axes, rows: Sequence[tuple[str, list[_Cell]]], columns: Sequence[str]) -> None:
    size = _font_size(rows)
    for at, (_, cells) in enumerate(rows):
        for column, cell in enumerate(cells):
            if cell.strength > 0:
                axes.add_patch(
                    Rectangle((column, at), 1, 1, facecolor=cell.color, alpha=cell.strength, edgecolor="none")
                )
            weight = "bold" if cell.bold else "normal"
            axes.text(
                column + 0.5, at + 0.5, cell.text, ha="center", va="center", fontsize=size, color=INK, weight=weight
            )
    axes.set_xlim(0, len(columns))
    axes.set_ylim(len(rows), 0)
    axes.set_xticks(np.arange(len(columns)) + 0.5, columns, rotation=30, ha="right", fontsize=_FONT)
    axes.set_yticks(np.arange(len(rows)) + 0.5, [name.replace("_", " ") for name, _ in rows], fontsize=_FONT)
    axes.tick_params(length=0, colors=MUTED)
    axes.spines[:].set_visible(False)
