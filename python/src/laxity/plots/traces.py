"""Traced programs: how late each process comes on average, how skew changes from call to call, where the time goes.

The first is figure 1 of Salimi Beni, Cosenza and Hunold, MPI collective algorithm selection in the presence of process
arrival patterns.

Elsewhere: what is shown of a trace (``laxity.trace_directory``), the look (``style``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from laxity.notation import time_unit
from laxity.plots.style import GRID, MODE_COLORS, MUTED, WIDTH_INCHES, Plot, new_figure, to_svg
from laxity.trace_directory import TraceDirectory, title_of
from laxity.treatments import study_titles

MOST_CALLS = 1500
"""Points of a plot over calls; of more, the largest of neighbors are shown."""

_HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 2.3, 0.78, 0.14, 0.3, 0.46  # inches
_DELAY, _WAITING, _WORKING = MODE_COLORS[3], MODE_COLORS[1], MODE_COLORS[4]


def draw(studies: Sequence[TraceDirectory]) -> list[Plot]:
    """Plot every study: skew per process, skew per call, shares of time; none where nothing was traced."""
    plots = []
    titles = study_titles(studies) if studies else []
    for position, (title, study) in enumerate(zip(titles, studies, strict=True)):
        heaviest = study.heaviest()
        if heaviest is None:
            continue
        suffix = f"-{position}" if len(studies) > 1 else ""
        of = f", {title}" if len(studies) > 1 else ""
        plots.append(_delays(study, f"trace-delays{suffix}", f"Delay of each process in {title_of(heaviest)}{of}"))
        plots.append(_skew(study, f"trace-skew{suffix}", f"Skew from call to call in {title_of(heaviest)}{of}"))
        plots.append(_shares(study, f"trace-shares{suffix}", f"Where the time of each process goes{of}"))
    return plots


def _delays(study: TraceDirectory, name: str, title: str) -> Plot:
    rows = study.of_heaviest(study.delays).sort_values("process")
    delays_ns = rows["mean_delay_us"].to_numpy() * 1e3
    length, sign = time_unit(max(delays_ns.max(), 1))
    figure, axes = _panel()
    axes.bar(rows["process"].to_numpy(), delays_ns / length, width=1.0 if len(rows) > 64 else 0.8, color=_DELAY)
    axes.set_xlabel("process", labelpad=2)
    axes.set_ylabel(f"mean delay, {sign}")
    axes.set_ylim(bottom=0)  # only here: before anything is drawn it would fix the other end, too
    caption = "Lower is earlier: time behind the first process of each call, averaged over all calls."
    return Plot(name, title, caption, to_svg(figure, name))


def _skew(study: TraceDirectory, name: str, title: str) -> Plot:
    rows = study.of_heaviest(study.calls).sort_values("first_arrival_s")
    # Of neighboring calls the one with the largest skew, so that no outlier is lost.
    parts = np.array_split(np.arange(len(rows)), min(len(rows), MOST_CALLS))
    skew_us = rows["skew_us"].to_numpy()
    chosen = [part[skew_us[part].argmax()] for part in parts]
    length, sign = time_unit(max(skew_us.max() * 1e3, 1))
    figure, axes = _panel()
    axes.scatter(
        rows["first_arrival_s"].to_numpy()[chosen], skew_us[chosen] * 1e3 / length, s=5, color=_DELAY, linewidths=0
    )
    axes.set_xlabel("time since the start, s", labelpad=2)
    axes.set_ylabel(f"skew, {sign}")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    caption = "Each dot is a call: the time from the first arrival to the last."
    return Plot(name, title, caption, to_svg(figure, name))


def _shares(study: TraceDirectory, name: str, title: str) -> Plot:
    job = study.largest_job()
    rows = study.processes[study.processes["run"] == job["run"]].sort_values("process")
    elapsed = np.maximum(rows["elapsed_s"].to_numpy(), 1e-12)
    waiting = np.clip(rows["waiting_s"].to_numpy() / elapsed, 0, 1)
    inside = np.clip(rows["inside_s"].to_numpy() / elapsed, 0, 1)
    process = rows["process"].to_numpy()
    width = 1.0 if len(rows) > 64 else 0.8
    figure, axes = _panel()
    axes.bar(process, 100 * waiting, width=width, color=_WAITING)
    axes.bar(process, 100 * (inside - waiting), width=width, bottom=100 * waiting, color=_WORKING)
    axes.set_xlabel("process", labelpad=2)
    axes.set_ylabel("share of its time, %")
    axes.set_ylim(0, 100)
    for place, (word, color) in enumerate((("waiting for the last", _WAITING), ("the rest of collectives", _WORKING))):
        axes.text(0.4 * place, 1.03, word, transform=axes.transAxes, va="bottom", color=color, fontsize=8)
    caption = "Lower is better. What is left to 100 % is the program's own work."
    return Plot(name, title, caption, to_svg(figure, name))


def _panel() -> tuple:
    figure = new_figure(_HEIGHT)
    left, bottom = _LEFT / WIDTH_INCHES, _BOTTOM / _HEIGHT
    axes: Axes = figure.add_axes((left, bottom, 1 - left - _RIGHT / WIDTH_INCHES, 1 - bottom - _TOP / _HEIGHT))
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    axes.grid(axis="y", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, labelcolor=MUTED)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure, axes
