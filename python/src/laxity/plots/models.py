"""Simulations beside theory: dots and a line, one plot a quantity.

Elsewhere: what was simulated (``laxity.model_directory``), the look (``style``).
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.ticker import FuncFormatter, MaxNLocator

from laxity.model_directory import ModelDirectory
from laxity.notation import number
from laxity.plots.style import GRID, INK, MODE_COLORS, WIDTH_INCHES, Plot, new_figure, to_svg
from laxity.treatments import study_titles

_HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 2.5, 0.72, 0.14, 0.3, 0.46  # inches
_SIMULATED, _THEORY = MODE_COLORS[3], INK


def comparisons(studies: Sequence[ModelDirectory]) -> list[Plot]:
    """Plot every quantity of every study against theory."""
    plots = []
    several = len(studies) > 1
    for title, study in zip(study_titles(studies), studies, strict=True):
        for (quantity, by), points in study.comparisons.groupby(["quantity", "by"], sort=False):
            name = f"theory-{len(plots)}"
            heading = f"{_capital(quantity)}, {title}" if several else _capital(quantity)
            plots.append(Plot(name, heading, f"{study.title}.", _draw(name, quantity, by, points)))
    return plots


def _draw(name: str, quantity: str, by: str, points: pd.DataFrame) -> str:
    figure = new_figure(_HEIGHT)
    size = (1 - (_LEFT + _RIGHT) / WIDTH_INCHES, 1 - (_TOP + _BOTTOM) / _HEIGHT)
    axes = figure.add_axes((_LEFT / WIDTH_INCHES, _BOTTOM / _HEIGHT, *size))
    points = points.sort_values("x", kind="stable")
    axes.plot(points["x"], points["expected"], color=_THEORY, linewidth=1.1, zorder=3)
    axes.plot(points["x"], points["simulated"], "o", color=_SIMULATED, markersize=3.2, zorder=2)
    for position, (label, color) in enumerate((("simulated", _SIMULATED), ("theory", _THEORY))):
        axes.text(0.24 * position, 1.03, label, transform=axes.transAxes, va="bottom", color=color, fontsize=8)
    axes.set_xlabel(by, labelpad=2)
    axes.set_ylabel(quantity)
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(6))
    axes.yaxis.set_major_locator(MaxNLocator(5))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: number(value, 3) if value else "0"))
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return to_svg(figure, name)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
