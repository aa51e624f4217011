"""Arrival patterns side by side: the delay of each process, one small panel a pattern.

Source of the form: Salimi Beni, Cosenza and Hunold, MPI collective algorithm selection in the presence of process
arrival patterns, figure 3.
Elsewhere: the files (``arrival_pattern``), the look (``style``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from laxity.arrival_pattern import ArrivalPattern
from laxity.plots.style import GRID, INK, MODE_COLORS, MUTED, WIDTH_INCHES, Plot, new_figure, style, to_svg

_COLUMNS = 4
_PANEL, _GAP, _TITLE, _BOTTOM, _LEFT = 0.72, 0.34, 0.24, 0.46, 0.62  # inches
_BLUE = MODE_COLORS[3]
_MOST_DOTS = 64  # beyond it the processes are a line


def draw(patterns: Sequence[ArrivalPattern]) -> Plot:
    """Draw the patterns in the order given, all with the same axis of delays; the same input gives the same bytes."""
    rows = -(-len(patterns) // _COLUMNS)
    height = rows * (_TITLE + _PANEL) + (rows - 1) * (_GAP - _TITLE) + _BOTTOM
    largest = max(float(pattern.delays_s.max()) for pattern in patterns) or 1.0
    factor, unit = _unit(largest)
    with style():
        figure = new_figure(height)
        width = (WIDTH_INCHES - _LEFT - 0.1 - 0.18 * (_COLUMNS - 1)) / _COLUMNS
        for place, pattern in enumerate(patterns):
            row, column = divmod(place, _COLUMNS)
            left = _LEFT + column * (width + 0.18)
            bottom = height - _TITLE - _PANEL - row * (_PANEL + _GAP)
            box = (left / WIDTH_INCHES, bottom / height, width / WIDTH_INCHES, _PANEL / height)
            axes = figure.add_axes(box)
            _panel(axes, pattern, factor, largest * factor)
            if column == 0:
                axes.set_ylabel(f"delay ({unit})", labelpad=3)
            else:
                axes.tick_params(labelleft=False)
            if place >= len(patterns) - _COLUMNS:
                axes.set_xlabel("process", labelpad=2)
        svg = to_svg(figure, "arrival-patterns")
    names = ", ".join(pattern.name.replace("_", " ") for pattern in patterns)
    caption = f"The delay with which each process enters the collective, relative to the first: {names}."
    return Plot("arrival-patterns", "Arrival patterns", caption, svg)


def _panel(axes, pattern: ArrivalPattern, factor: float, top: float) -> None:
    processes = np.arange(len(pattern.delays_s))
    delays = pattern.delays_s * factor
    if len(processes) <= _MOST_DOTS:
        axes.vlines(processes, 0, delays, color=_BLUE, linewidth=0.8)
        axes.plot(processes, delays, "o", color=_BLUE, markersize=2.2, clip_on=False)
    else:
        axes.plot(processes, delays, color=_BLUE, linewidth=1.0, clip_on=False)
    axes.set_ylim(0, top * 1.05)
    margin = 0.5 if len(processes) == 1 else 0.03 * (len(processes) - 1)
    axes.set_xlim(-margin, len(processes) - 1 + margin)
    axes.set_xticks([0, len(processes) - 1] if len(processes) > 1 else [0])
    axes.set_yticks([0, top])
    axes.set_yticklabels(["0", f"{top:.3g}"])
    axes.set_title(pattern.name.replace("_", " "), fontsize=8.5, color=INK, pad=3)
    axes.tick_params(length=2, pad=2, color=GRID, labelcolor=MUTED, labelsize=7.5)
    for side in ("right", "top"):
        axes.spines[side].set_visible(False)


def _unit(largest_s: float) -> tuple[float, str]:
    if largest_s >= 1:
        return 1.0, "s"
    return (1e3, "ms") if largest_s >= 1e-3 else (1e6, "µs")
