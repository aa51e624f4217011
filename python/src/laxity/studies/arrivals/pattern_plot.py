"""Arrival patterns side by side: the delay of each process, one small panel per pattern.

Source: Salimi Beni, Cosenza and Hunold, MPI collective algorithm selection in the presence of process
arrival patterns, figure 3.

Elsewhere: the files (``pattern_file``), the look (``laxity.plots.style``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from laxity.notation import time_unit
from laxity.plots.style import GRID, INK, MODE_COLORS, MUTED, WIDTH_INCHES, Plot, new_figure, style, to_svg
from laxity.studies.arrivals.pattern_file import ArrivalPattern

_COLUMNS = 4
_PANEL, _GAP, _TITLE, _BOTTOM, _LEFT = 0.72, 0.34, 0.24, 0.46, 0.62  # inches
_BLUE = MODE_COLORS[3]
_MAX_DOTS = 64  # processes; more are drawn as a line


def draw(patterns: Sequence[ArrivalPattern]) -> Plot:
    """Draw the patterns in the order given, all with the same axis of delays."""
    rows = -(-len(patterns) // _COLUMNS)
    height = rows * (_TITLE + _PANEL) + (rows - 1) * (_GAP - _TITLE) + _BOTTOM
    largest_ns = 1e9 * max(float(pattern.delays_s.max()) for pattern in patterns) or 1e9
    length_ns, unit = time_unit(largest_ns)
    with style():
        figure = new_figure(height)
        width = (WIDTH_INCHES - _LEFT - 0.1 - 0.18 * (_COLUMNS - 1)) / _COLUMNS
        for place, pattern in enumerate(patterns):
            row, column = divmod(place, _COLUMNS)
            left = _LEFT + column * (width + 0.18)
            bottom = height - _TITLE - _PANEL - row * (_PANEL + _GAP)
            box = (left / WIDTH_INCHES, bottom / height, width / WIDTH_INCHES, _PANEL / height)
            axes = figure.add_axes(box)
            _draw_pattern(axes, pattern.name, 1e9 * pattern.delays_s / length_ns, largest_ns / length_ns)
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


def _draw_pattern(axes: Axes, name: str, delays: NDArray[np.float64], top: float) -> None:
    processes = np.arange(len(delays))
    if len(processes) <= _MAX_DOTS:
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
    axes.set_title(name.replace("_", " "), fontsize=8.5, color=INK, pad=3)
    axes.tick_params(length=2, pad=2, color=GRID, labelcolor=MUTED, labelsize=7.5)
    axes.spines[["right", "top"]].set_visible(False)
