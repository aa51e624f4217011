"""Simulation, beside theory where there is one: dots and a line, one plot per quantity."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.ticker import FuncFormatter, MaxNLocator

from laxity.notation import capital, number
from laxity.plots.style import INK, MODE_COLORS, WIDTH_INCHES, Plot, name_colors, new_figure, panel, to_svg
from laxity.studies.models.study import SINGLE_NUMBER, ModelStudy
from laxity.study import study_titles

_HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 2.5, 0.72, 0.14, 0.3, 0.46  # inches
_SIMULATED, _THEORY = MODE_COLORS[3], INK


def draw(studies: Sequence[ModelStudy]) -> list[Plot]:
    """Plot every quantity of every study against theory."""
    plots = []
    for title, study in zip(study_titles(studies), studies, strict=True):
        for (quantity, by), points in study.comparisons.groupby(["quantity", "by"], sort=False):
            name = f"theory-{len(plots)}"
            heading = f"{capital(quantity)}, {title}" if len(studies) > 1 else capital(quantity)
            plots.append(Plot(name, heading, f"{study.model_title}.", _draw(name, quantity, by, points)))
        for (quantity, by), points in study.quantities.groupby(["quantity", "by"], sort=False):
            if by == SINGLE_NUMBER:
                continue
            name = f"quantity-{len(plots)}"
            heading = f"{capital(quantity)}, {title}" if len(studies) > 1 else capital(quantity)
            simulated = points.rename(columns={"value": "simulated"})
            plots.append(Plot(name, heading, f"{study.model_title}.", _draw(name, quantity, by, simulated)))
    return plots


def _draw(name: str, quantity: str, by: str, points: pd.DataFrame) -> str:
    figure = new_figure(_HEIGHT)
    axes = panel(figure, (_LEFT, _BOTTOM, WIDTH_INCHES - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM))
    points = points.sort_values("x", kind="stable")
    colors = [("simulated", _SIMULATED)]
    if "expected" in points:
        axes.plot(points["x"], points["expected"], color=_THEORY, linewidth=1.1, zorder=3)
        colors.append(("theory", _THEORY))
    axes.plot(points["x"], points["simulated"], "o", color=_SIMULATED, markersize=3.2, zorder=2)
    name_colors(axes, colors, 0.24)
    axes.set_xlabel(by, labelpad=2)
    axes.set_ylabel(quantity)
    if points["simulated"].min() >= 0:
        axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(6))
    axes.yaxis.set_major_locator(MaxNLocator(5))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: number(value, 3) if value else "0"))
    return to_svg(figure, name)
