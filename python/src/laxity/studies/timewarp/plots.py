"""Plots of optimistic simulations: rates over time, and the figures of studies that compare treatments.

Over time there is one plot per quantity, one panel per study, one line per worker.

Elsewhere: the numbers (``time_series``, ``treatments``), dot plots (``laxity.plots.dot_plot``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from laxity.notation import INTERVALS, number
from laxity.plots import dot_plot
from laxity.plots.style import INK, MODE_COLORS, MUTED, WIDTH_INCHES, Plot, name_colors, new_figure, panel, to_svg
from laxity.studies.timewarp.study import TimewarpStudy
from laxity.studies.timewarp.time_series import Series, series_of, shown_run
from laxity.studies.timewarp.treatments import FIGURES, Treatment, treatments
from laxity.study import study_titles

MAX_STUDIES = 6
"""Panels of a plot; further studies are in the tables only."""

_PANEL, _HEADING, _BOTTOM, _GAP = 1.35, 0.42, 0.46, 0.12  # inches
_LEFT, _RIGHT = 0.86, 0.14
_WORKER_COLORS = (MODE_COLORS[3], MODE_COLORS[1], MODE_COLORS[2], MODE_COLORS[0], MODE_COLORS[4])
_SHORT = {"two-tier-ladder": "2-tier ladder", "three-tier-heap": "3-tier heap"}  # short names for the labels of rows
_MEAN_COLOR = MODE_COLORS[3]


@dataclass(frozen=True)
class _Quantity:
    name: str
    title: str
    axis: str
    caption: str
    values: Callable[[Series], NDArray[np.float64]]
    write_tick: Callable[[float], str]
    highest: float | None = None  # of the axis; by the values if None
    same_for_all: bool = False


def _tick(value: float) -> str:
    return number(value, 3)


_QUANTITIES = (
    _Quantity(
        "simulation-rate",
        "Committed events over time",
        "committed events per second",
        "Higher is faster. Events are committed when global virtual time has passed them, in batches, so that single "
        "intervals fluctuate.",
        lambda series: series.committed_per_second,
        _tick,
    ),
    _Quantity(
        "simulation-efficiency",
        "Efficiency over time",
        "efficiency",
        "Higher is better: 1 − events rolled back ÷ events processed in an interval.",
        lambda series: series.efficiency,
        lambda share: f"{100 * share:.3g} %",
        highest=1.0,
    ),
    _Quantity(
        "simulation-rollbacks",
        "Rollbacks over time",
        "rollbacks per second",
        "Lower is better: rollbacks by stragglers and by canceled events.",
        lambda series: series.rollbacks_per_second,
        _tick,
    ),
    _Quantity(
        "simulation-gvt",
        "Progress of global virtual time",
        "global virtual time",
        "No event below this simulated time can be rolled back. A straight line is steady progress, a flat line none.",
        lambda series: series.gvt,
        _tick,
        same_for_all=True,
    ),
)


def figures(studies: Sequence[TimewarpStudy]) -> list[Plot]:
    """Plot committed events per second by treatment, one plot per figure; nothing for single runs."""
    plots = []
    several = len(studies) > 1
    for position, (title, study) in enumerate(zip(study_titles(studies), studies, strict=True)):
        found = treatments(study)
        for figure, heading in FIGURES.items():
            of_figure = [treatment for treatment in found if treatment.figure == figure]
            if not of_figure:
                continue
            name = f"study-{figure}-{position}" if several else f"study-{figure}"
            svg = dot_plot.draw(name, _blocks(of_figure), dot_plot.Axis("committed events per second", number, _tick))
            caption = (
                f"Further right is faster. Dots are means over replicates, bars their {INTERVALS}, faint ticks the "
                "replicates."
            )
            plots.append(Plot(name, f"{heading}, {title}" if several else heading, caption, svg))
    return plots


def _blocks(compared: Sequence[Treatment]) -> list[dot_plot.Block]:
    labels = list(dict.fromkeys(treatment.label for treatment in compared))
    of_condition: dict[str, list[dot_plot.Row]] = {}
    for treatment in compared:
        color = _WORKER_COLORS[labels.index(treatment.label) % len(_WORKER_COLORS)]
        row = dot_plot.Row(
            _SHORT.get(treatment.label, treatment.label), color, [dot_plot.Dot(treatment.rate, treatment.rates)]
        )
        of_condition.setdefault(treatment.condition, []).append(row)
    return [dot_plot.Block(condition, of_block) for condition, of_block in of_condition.items()]


def over_time(studies: Sequence[TimewarpStudy]) -> list[Plot]:
    """Plot the workers of one run of each study over time; nothing where nothing was observed."""
    panels = []
    for title, study in zip(study_titles(studies), studies, strict=True):
        run = shown_run(study)
        series = series_of(study, int(run["run"])) if run is not None else []
        if series:
            panels.append((f"{title}: {run['team']}, run {run['run']}", series))
    panels = panels[:MAX_STUDIES]
    return [_plot(quantity, panels) for quantity in _QUANTITIES] if panels else []


def _plot(quantity: _Quantity, panels: Sequence[tuple[str, list[Series]]]) -> Plot:
    height = len(panels) * (_HEADING + _PANEL + _BOTTOM) + (len(panels) - 1) * _GAP
    figure = new_figure(height)
    top = height
    for title, series in panels:
        bottom = top - _HEADING - _PANEL
        axes = panel(figure, (_LEFT, bottom, WIDTH_INCHES - _LEFT - _RIGHT, _PANEL))
        figure.text(0.01, (top - 0.03) / height, title[:70], ha="left", va="top", color=INK, fontweight="bold")
        _draw_panel(axes, quantity, series)
        top = bottom - _BOTTOM - _GAP
    return Plot(quantity.name, quantity.title, quantity.caption, to_svg(figure, quantity.name))


def _draw_panel(axes: Axes, quantity: _Quantity, series: Sequence[Series]) -> None:
    if quantity.same_for_all:
        longest = max(series, key=lambda each: each.wall_time_s.size)
        axes.plot(longest.wall_time_s, quantity.values(longest), color=_MEAN_COLOR, linewidth=1.6)
    elif len(series) <= len(_WORKER_COLORS):
        for color, each in zip(_WORKER_COLORS, series, strict=False):
            axes.plot(each.wall_time_s, quantity.values(each), color=color, linewidth=1.2)
        names = [(f"worker {each.worker}", color) for color, each in zip(_WORKER_COLORS, series, strict=False)]
        name_colors(axes, names, 0.2)
    else:
        for each in series:
            axes.plot(each.wall_time_s, quantity.values(each), color=MUTED, linewidth=0.5, alpha=0.5)
        moments = np.unique(np.concatenate([each.wall_time_s for each in series]))
        mean = np.mean([np.interp(moments, each.wall_time_s, quantity.values(each)) for each in series], axis=0)
        axes.plot(moments, mean, color=_MEAN_COLOR, linewidth=1.6)
        name_colors(axes, [(f"each of {len(series)} workers", MUTED), ("their mean", _MEAN_COLOR)], 0.4)
    axes.set_xlabel("wall time, s", labelpad=2)
    axes.set_ylabel(quantity.axis)
    axes.set_xlim(left=0)
    axes.set_ylim(0, quantity.highest)
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: quantity.write_tick(value)))
    axes.xaxis.set_major_locator(MaxNLocator(6))
