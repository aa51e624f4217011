"""Optimistic simulations: what they did over time, and the figures of studies that compare them.

Over time: one plot a quantity, one panel a study, one line a worker.

Elsewhere: series and treatments (``laxity.simulations``), dots in rows (``rows``), the look (``style``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from laxity.notation import INTERVALS, number
from laxity.plots import rows
from laxity.plots.style import GRID, INK, MODE_COLORS, MUTED, WIDTH_INCHES, Plot, new_figure, to_svg
from laxity.simulation_directory import SimulationDirectory
from laxity.simulations import FIGURES, Series, SimulatedTreatment, series_of, shown_run, simulated_treatments
from laxity.treatments import study_titles

MOST_STUDIES = 6
"""Panels of a plot; further studies are in the tables only."""

_PANEL, _HEADING, _BOTTOM, _GAP = 1.35, 0.42, 0.46, 0.12  # inches
_LEFT, _RIGHT = 0.86, 0.14
_WORKER_COLORS = (MODE_COLORS[3], MODE_COLORS[1], MODE_COLORS[2], MODE_COLORS[0], MODE_COLORS[4])
_SHORT = {"two-tier-ladder": "2-tier ladder", "three-tier-heap": "3-tier heap"}  # where rows leave little room
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
    alike: bool = False  # the same for all workers


def _tick(value: float) -> str:
    return number(value, 3)


_QUANTITIES = (
    _Quantity(
        "simulation-rate",
        "Committed events over time",
        "committed events per second",
        "Higher is faster. Committed are events that cannot be taken back any more; history is freed in batches, so "
        "single intervals go up and down.",
        lambda series: series.committed_per_second,
        _tick,
    ),
    _Quantity(
        "simulation-efficiency",
        "Efficiency over time",
        "efficiency",
        "Higher is better: the share of the events processed in an interval that no rollback of that interval undid.",
        lambda series: series.efficiency,
        lambda share: f"{100 * share:.3g} %",
        highest=1.0,
    ),
    _Quantity(
        "simulation-rollbacks",
        "Rollbacks over time",
        "rollbacks per second",
        "Lower is better: how often a worker took events back, because one came late or was canceled.",
        lambda series: series.rollbacks_per_second,
        _tick,
    ),
    _Quantity(
        "simulation-gvt",
        "Progress of global virtual time",
        "global virtual time",
        "Below this simulated time nothing can be taken back. A straight line is steady progress; a flat one, none.",
        lambda series: series.gvt,
        _tick,
        alike=True,
    ),
)


def figures(studies: Sequence[SimulationDirectory]) -> list[Plot]:
    """Plot the figures of studies, committed events per second by treatment; none of single runs."""
    plots = []
    several = len(studies) > 1
    for position, (title, study) in enumerate(zip(study_titles(studies), studies, strict=True)):
        found = simulated_treatments(study)
        for figure, heading in FIGURES.items():
            treatments = [treatment for treatment in found if treatment.figure == figure]
            if not treatments:
                continue
            name = f"study-{figure}-{position}" if several else f"study-{figure}"
            svg = rows.draw(name, _blocks(treatments), rows.Axis("committed events per second", number, _tick))
            caption = (
                f"Further right is faster. Dots are means over replicates, bars their {INTERVALS}, faint ticks the "
                "replicates."
            )
            plots.append(Plot(name, f"{heading}, {title}" if several else heading, caption, svg))
    return plots


def _blocks(treatments: Sequence[SimulatedTreatment]) -> list[rows.Block]:
    labels = list(dict.fromkeys(treatment.label for treatment in treatments))
    of_condition: dict[str, list[rows.Row]] = {}
    for treatment in treatments:
        color = _WORKER_COLORS[labels.index(treatment.label) % len(_WORKER_COLORS)]
        row = rows.Row(_SHORT.get(treatment.label, treatment.label), color, [rows.Dot(treatment.rate, treatment.rates)])
        of_condition.setdefault(treatment.condition, []).append(row)
    return [rows.Block(condition, of_block) for condition, of_block in of_condition.items()]


def courses(studies: Sequence[SimulationDirectory]) -> list[Plot]:
    """Plot what the workers of one run of each study did over time; none where nothing was observed."""
    panels = []
    for title, study in zip(study_titles(studies), studies, strict=True):
        run = shown_run(study)
        series = series_of(study, int(run["run"])) if run is not None else []
        if series:
            panels.append((f"{title}: {run['team']}, run {run['run']}", series))
    panels = panels[:MOST_STUDIES]
    return [_plot(quantity, panels) for quantity in _QUANTITIES] if panels else []


def _plot(quantity: _Quantity, panels: Sequence[tuple[str, list[Series]]]) -> Plot:
    height = len(panels) * (_HEADING + _PANEL + _BOTTOM) + (len(panels) - 1) * _GAP
    figure = new_figure(height)
    top = height
    for title, series in panels:
        bottom = top - _HEADING - _PANEL
        axes = figure.add_axes(
            (_LEFT / WIDTH_INCHES, bottom / height, 1 - (_LEFT + _RIGHT) / WIDTH_INCHES, _PANEL / height)
        )
        figure.text(0.01, (top - 0.03) / height, title[:70], ha="left", va="top", color=INK, fontweight="bold")
        _draw_panel(axes, quantity, series)
        top = bottom - _BOTTOM - _GAP
    return Plot(quantity.name, quantity.title, quantity.caption, to_svg(figure, quantity.name))


def _draw_panel(axes: Axes, quantity: _Quantity, series: Sequence[Series]) -> None:
    if quantity.alike:
        longest = max(series, key=lambda each: each.wall_time_s.size)
        axes.plot(longest.wall_time_s, quantity.values(longest), color=_MEAN_COLOR, linewidth=1.6)
    elif len(series) <= len(_WORKER_COLORS):
        for color, each in zip(_WORKER_COLORS, series, strict=False):
            axes.plot(each.wall_time_s, quantity.values(each), color=color, linewidth=1.2)
        _name_lines(
            axes, [(f"worker {each.worker}", color) for color, each in zip(_WORKER_COLORS, series, strict=False)]
        )
    else:
        for each in series:
            axes.plot(each.wall_time_s, quantity.values(each), color=MUTED, linewidth=0.5, alpha=0.5)
        moments = np.unique(np.concatenate([each.wall_time_s for each in series]))
        mean = np.mean([np.interp(moments, each.wall_time_s, quantity.values(each)) for each in series], axis=0)
        axes.plot(moments, mean, color=_MEAN_COLOR, linewidth=1.6)
        _name_lines(axes, [(f"each of {len(series)} workers", MUTED), ("their mean", _MEAN_COLOR)])
    axes.set_xlabel("wall time, s", labelpad=2)
    axes.set_ylabel(quantity.axis)
    axes.set_xlim(left=0)
    axes.set_ylim(0, quantity.highest)
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: quantity.write_tick(value)))
    axes.xaxis.set_major_locator(MaxNLocator(6))
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _name_lines(axes: Axes, names: Sequence[tuple[str, str]]) -> None:
    """Name the lines in their colors above the panel, from the left."""
    for position, (name, color) in enumerate(names):
        axes.text(0.2 * position, 1.03, name, transform=axes.transAxes, ha="left", va="bottom", color=color, fontsize=8)
