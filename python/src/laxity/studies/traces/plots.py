"""Plots of traced programs: delays of processes, skew of calls, shares of time, and the waiting for late processes.

Source: Salimi Beni, Cosenza and Hunold, MPI collective algorithm selection in the presence of process arrival patterns,
figure 1 (delays).

Elsewhere: what is shown of a trace (``study``), the look (``laxity.plots.style``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MaxNLocator

from laxity.notation import time_unit
from laxity.plots.style import MODE_COLORS, MUTED, WIDTH_INCHES, Plot, name_colors, new_figure, panel, to_svg
from laxity.studies.traces.study import CAUSES, TraceStudy, title_of
from laxity.study import study_titles

MAX_CALLS = 1500
"""Points of a plot over calls; of more, the largest skew of neighboring calls is shown."""

_HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 2.3, 0.78, 0.14, 0.3, 0.46  # inches
_DELAY, _WAITING, _WORKING = MODE_COLORS[3], MODE_COLORS[1], MODE_COLORS[4]
_CAUSES = dict(zip(CAUSES, (*(MODE_COLORS[mode] for mode in (1, 3, 0)), MUTED), strict=True))
_MAX_LATE = 16  # processes, by the waiting that they caused


def draw(studies: Sequence[TraceStudy]) -> list[Plot]:
    """Plot every study: delay per process, skew per call, shares of time; nothing where nothing was traced."""
    plots = []
    for position, (title, study) in enumerate(zip(study_titles(studies), studies, strict=True)):
        heaviest = study.heaviest()
        if heaviest is None:
            continue
        suffix = f"-{position}" if len(studies) > 1 else ""
        of = f", {title}" if len(studies) > 1 else ""
        plots.append(_delays(study, f"trace-delays{suffix}", f"Delay of each process in {title_of(heaviest)}{of}"))
        plots.append(_skew(study, f"trace-skew{suffix}", f"Skew from call to call in {title_of(heaviest)}{of}"))
        plots.append(_shares(study, f"trace-shares{suffix}", f"Time of each process in collectives{of}"))
        if not study.late().empty:
            plots.append(_late(study, f"trace-late{suffix}", f"Waiting for each late process, by cause{of}"))
    return plots


def _delays(study: TraceStudy, name: str, title: str) -> Plot:
    rows = study.of_heaviest(study.delays).sort_values("process")
    delays_ns = rows["mean_delay_us"].to_numpy() * 1e3
    length, sign = time_unit(max(delays_ns.max(), 1))
    figure, axes = _figure()
    axes.bar(rows["process"].to_numpy(), delays_ns / length, width=1.0 if len(rows) > 64 else 0.8, color=_DELAY)
    axes.set_xlabel("process", labelpad=2)
    axes.set_ylabel(f"mean delay, {sign}")
    axes.set_ylim(bottom=0)  # after drawing: before, it would fix the upper end too
    caption = "Lower is earlier: arrival after the first process of each call, averaged over all calls."
    return Plot(name, title, caption, to_svg(figure, name))


def _skew(study: TraceStudy, name: str, title: str) -> Plot:
    rows = study.of_heaviest(study.calls).sort_values("first_arrival_s")
    # Of neighboring calls the one with the largest skew, so that no outlier is lost.
    parts = np.array_split(np.arange(len(rows)), min(len(rows), MAX_CALLS))
    skew_us = rows["skew_us"].to_numpy()
    chosen = [part[skew_us[part].argmax()] for part in parts]
    length, sign = time_unit(max(skew_us.max() * 1e3, 1))
    figure, axes = _figure()
    axes.scatter(
        rows["first_arrival_s"].to_numpy()[chosen], skew_us[chosen] * 1e3 / length, s=5, color=_DELAY, linewidths=0
    )
    axes.set_xlabel("time since the start, s", labelpad=2)
    axes.set_ylabel(f"skew, {sign}")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    caption = "Each dot is a call: the time from the first arrival to the last."
    return Plot(name, title, caption, to_svg(figure, name))


def _shares(study: TraceStudy, name: str, title: str) -> Plot:
    job = study.largest_job()
    rows = study.processes[study.processes["run"] == job["run"]].sort_values("process")
    elapsed = np.maximum(rows["elapsed_s"].to_numpy(), 1e-12)
    waiting = np.clip(rows["waiting_s"].to_numpy() / elapsed, 0, 1)
    inside = np.clip(rows["inside_s"].to_numpy() / elapsed, 0, 1)
    process = rows["process"].to_numpy()
    width = 1.0 if len(rows) > 64 else 0.8
    figure, axes = _figure()
    axes.bar(process, 100 * waiting, width=width, color=_WAITING)
    axes.bar(process, 100 * (inside - waiting), width=width, bottom=100 * waiting, color=_WORKING)
    axes.set_xlabel("process", labelpad=2)
    axes.set_ylabel("share of its time, %")
    axes.set_ylim(0, 100)
    name_colors(axes, [("waiting for the last arrival", _WAITING), ("rest of the collectives", _WORKING)], 0.44)
    caption = "Lower is better. The remainder to 100 % is the program's own work."
    return Plot(name, title, caption, to_svg(figure, name))


def _late(study: TraceStudy, name: str, title: str) -> Plot:
    rows = study.late().head(_MAX_LATE).sort_index()
    length, sign = time_unit(max(rows["waiting_s"].max() * 1e9, 1))
    place = np.arange(len(rows))
    figure, axes = _figure()
    bottom = np.zeros(len(rows))
    for cause, color in _CAUSES.items():
        waiting = rows[f"{cause}_s"].to_numpy() * 1e9 / length
        axes.bar(place, waiting, bottom=bottom, color=color)
        bottom += waiting
    axes.xaxis.set_major_locator(FixedLocator(place))
    axes.set_xticklabels([str(process) for process in rows.index])
    axes.set_xlabel("late process", labelpad=2)
    axes.set_ylabel(f"waiting of the others, {sign}")
    axes.set_ylim(bottom=0)
    name_colors(axes, list(_CAUSES.items()), 0.22)
    caption = "Lower is better: waiting of all others for this process, by what had made it late."
    return Plot(name, title, caption, to_svg(figure, name))


def _figure() -> tuple[Figure, Axes]:
    figure = new_figure(_HEIGHT)
    axes = panel(figure, (_LEFT, _BOTTOM, WIDTH_INCHES - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM), grid="y")
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    axes.tick_params(labelcolor=MUTED)
    return figure, axes
