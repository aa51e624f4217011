"""Plots of the experiments: boxes of all snapshots, regressions with their bands, and effect sizes.

Elsewhere: the numbers (``laxity.experiments``), dots in rows (``rows``), the look (``style``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cbook import boxplot_stats
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from laxity.bootstrap import Interval
from laxity.experiments import COMPLETE, Comparison, Effect, per_run, responses_of
from laxity.notation import number, time_unit
from laxity.plots.rows import Axis, Block, Dot, Row, draw
from laxity.plots.style import GRID, INK, MODE_COLORS, MUTED, Plot, new_figure, to_svg
from laxity.quality_of_service import METRICS, Metric, spoken_over
from laxity.regression import MEAN, MEDIAN
from laxity.run_directory import RunDirectory
from laxity.treatments import study_titles

_MOST_OUTLIERS = 24  # drawn of a box, half at each end; the rest would only make the file long
_LARGEST_LINEAR_SPAN = 25
_LARGEST_CHANGE = 10  # of an effect that is drawn; one of a million percent would hide all others
_COLOR_OF = {MEAN: MODE_COLORS[3], MEDIAN: MODE_COLORS[0]}
_LOOK = {
    "medianprops": {"color": MODE_COLORS[0], "linewidth": 1.4},
    "boxprops": {"color": INK, "linewidth": 0.8},
    "whiskerprops": {"color": MUTED, "linewidth": 0.8},
    "capprops": {"color": MUTED, "linewidth": 0.8},
    "flierprops": {"marker": ".", "markersize": 2, "markerfacecolor": MUTED, "markeredgecolor": MUTED},
}
_BOX, _HEADING, _TOP, _BOTTOM = 0.24, 0.3, 0.05, 0.5  # inches


def experiment_plots(
    studies: Sequence[RunDirectory], compared: Sequence[Comparison], effects: Sequence[Effect]
) -> dict[int, list[Plot]]:
    """Draw the plots of every study that is an experiment, by its position in the report."""
    plots: dict[int, list[Plot]] = {}
    titles = study_titles(studies)
    for position, study in enumerate(studies):
        own = [comparison for comparison in compared if comparison.study == position]
        if not own:
            continue
        drawn = [_boxes(position, study, own, metric) for metric in METRICS]
        drawn += [_regressions(position, study, comparison, effects) for comparison in own]
        drawn.append(_effect_sizes(position, titles[position], own, effects))
        plots[position] = [plot for plot in drawn if plot is not None]
    return plots


def _boxes(position: int, study: RunDirectory, compared: Sequence[Comparison], metric: Metric) -> Plot | None:
    """One box for each level of each comparison: all snapshots of all links, not only a number for each replicate."""
    observed = spoken_over(study.qos)
    between = observed[observed["neighbor_kind"] != "same_thread"]
    values = (between if len(between) else observed)[["run", metric.column]].set_index("run")[metric.column]
    rows: list[tuple[str, str | None, dict]] = []  # heading, label, box
    for comparison in compared:
        if metric not in comparison.responses:
            continue
        rows.append((comparison.condition, None, {}))
        for level, label in comparison.levels:
            runs = comparison.runs.index[comparison.runs["x"] == level]
            sample = values[values.index.isin(runs)].to_numpy()
            if sample.size:
                rows.append(("", label, _box(sample)))
    if not any(box for _, _, box in rows):
        return None
    inner = sum(_BOX if label is not None else _HEADING for _, label, _ in rows)
    figure = new_figure(_TOP + inner + _BOTTOM)
    height = _TOP + inner + _BOTTOM
    left = 0.31
    axes = figure.add_axes((left, _BOTTOM / height, 0.98 - left, inner / height))
    axes.set_ylim(inner, 0)
    unit = _scale(axes, [box for _, _, box in rows if box], metric)
    y = 0.0
    for heading, label, box in rows:
        if label is None:
            axes.text(-0.44, y + 0.62 * _HEADING, _shortened(heading, 62), weight="bold", va="center",
                      transform=axes.get_yaxis_transform())  # fmt: skip
            y += _HEADING
            continue
        scaled = {key: np.asarray(value) / unit for key, value in box.items()}
        axes.bxp([scaled], positions=[y + _BOX / 2], widths=0.13, orientation="horizontal", manage_ticks=False, **_LOOK)
        axes.text(-0.02, y + _BOX / 2, _shortened(label, 24), ha="right", va="center", color=INK,
                  transform=axes.get_yaxis_transform())  # fmt: skip
        y += _BOX
    name = f"experiment-{position}-{metric.column.replace('_', '-')}"
    caption = (
        f"{_capital(metric.definition)}. Every snapshot of every link counts: box and line are the quartiles, whiskers "
        f"reach to 1.5 times the box, dots are the {_MOST_OUTLIERS} farthest beyond."
    )
    return Plot(name, f"{_capital(metric.title)}, all snapshots", caption, to_svg(figure, name))


def _box(sample: np.ndarray) -> dict:
    box = boxplot_stats(sample)[0]
    fliers = np.sort(box["fliers"])
    if fliers.size > _MOST_OUTLIERS:
        half = _MOST_OUTLIERS // 2
        fliers = np.concatenate([fliers[:half], fliers[-half:]])
    return {key: box[key] for key in ("med", "q1", "q3", "whislo", "whishi")} | {"fliers": fliers}


def _scale(axes: Axes, boxes: Sequence[dict], metric: Metric) -> float:
    ends = [float(end) for box in boxes for end in (box["whislo"], box["whishi"], *box["fliers"])]
    low, high = min(ends), max(ends)
    length, sign = time_unit(high) if metric.unit == "ns" else (1.0, metric.unit)
    axes.set_xlabel(f"{metric.title}, {sign}" if sign != "1" else metric.title, labelpad=5)
    if metric.unit != "1" and low > 0 and high / low > _LARGEST_LINEAR_SPAN:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(numticks=6))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xlim(low / length / 1.4, high / length * 1.4)
    else:
        top = max(high, 0.01 if metric.unit == "1" else 0) or 1.0
        axes.set_xlim(-0.02 * top / length, 1.05 * top / length)
        axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value, 3)))
    _plain(axes, "x")
    axes.yaxis.set_visible(False)
    axes.spines["left"].set_visible(False)
    return length


def _regressions(position: int, study: RunDirectory, comparison: Comparison, effects: Sequence[Effect]) -> Plot | None:
    """One panel a metric: the replicates, and the lines of mean and median with their bands."""
    own = [e for e in effects if e.comparison is comparison and e.part == COMPLETE]
    metrics = [metric for metric in comparison.responses if any(e.metric is metric for e in own)]
    if comparison.categorical or not metrics:
        return None
    panel, gap = 0.9, 0.46
    height = len(metrics) * (panel + gap) + 0.5
    figure = new_figure(height)
    for place, metric in enumerate(metrics):
        bottom = height - (place + 1) * (panel + gap) + 0.2
        axes = figure.add_axes((0.15, bottom / height, 0.82, panel / height))
        unit = _unit_of(study, comparison, metric)
        for effect in (e for e in own if e.metric is metric):
            both = responses_of(comparison, metric, per_run(study, effect.statistic)[metric.column])
            _panel(axes, both, effect, unit[0])
        in_logarithms = comparison.is_in_logarithms(metric)
        title = f"log4 of {metric.title}, {metric.unit}" if in_logarithms else f"{metric.title}{unit[1]}"
        axes.set_title(title, loc="left", fontsize=8.5, color=INK, pad=3)
        _plain(axes, "y")
        axes.yaxis.set_major_locator(MaxNLocator(4))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value, 3)))
        axes.set_xticks([x for x, _ in comparison.levels], [label for _, label in comparison.levels])
    axes.set_xlabel(comparison.predictor.removeprefix("log4 ").strip("()"), labelpad=4)
    number_of = sum(1 for e in effects if e.comparison is comparison)
    name = f"experiment-{position}-regression-{_slug(comparison.condition)}"
    caption = (
        "A dot is a replicate: blue its mean, with least squares; red its median, with quantile regression. Bands are "
        f"95 % intervals of the lines. {number_of} regressions were made of these runs, so one in twenty may look "
        "significant by chance."
    )
    return Plot(name, _capital(comparison.condition), caption, to_svg(figure, name))


def _panel(axes: Axes, both: pd.DataFrame, effect: Effect, unit: float) -> None:
    color = _COLOR_OF[effect.statistic]
    span = np.ptp(both["x"]) or 1.0
    shift = (-0.008 if effect.statistic == MEAN else 0.008) * span
    axes.plot(both["x"] + shift, both["y"] / unit, ".", color=color, markersize=3.5, alpha=0.7)
    x = np.linspace(both["x"].min(), both["x"].max(), 24)
    value, low, high = (ends / unit for ends in effect.line.at(x))
    axes.plot(x, value, color=color, linewidth=1.2)
    axes.fill_between(x, low, high, color=color, alpha=0.15, linewidth=0)


def _unit_of(study: RunDirectory, comparison: Comparison, metric: Metric) -> tuple[float, str]:
    if comparison.is_in_logarithms(metric):
        return 1.0, ""
    if metric.unit != "ns":
        return 1.0, "" if metric.unit == "1" else f", {metric.unit}"
    length, sign = time_unit(float(per_run(study, MEAN)[metric.column].max()))
    return length, f", {sign}"


def _effect_sizes(position: int, title: str, compared: Sequence[Comparison], effects: Sequence[Effect]) -> Plot | None:
    """Relative effects with their intervals; a filled color where they are significant."""
    blocks = []
    for comparison in compared:
        rows = []
        for effect in effects:
            if effect.comparison is not comparison or effect.part != COMPLETE or effect.relative is None:
                continue
            relative = effect.relative
            if max(abs(relative.low), abs(relative.high)) > _LARGEST_CHANGE:
                continue
            interval = Interval(relative.value, relative.low, relative.high, effect.line.count)
            color = MUTED if effect.line.sign == "0" else _COLOR_OF[effect.statistic]
            statistic = "mean" if effect.statistic == MEAN else "med."
            label = f"{_SHORT.get(effect.metric.column, effect.metric.title)} {statistic}"
            rows.append(Row(label, color, [Dot(interval, ())]))
        if rows:
            other = comparison.levels[-1][1] if comparison.categorical else f"per {comparison.predictor}"
            blocks.append(Block(f"{comparison.condition}: {other}", rows))
    if not blocks:
        return None
    name = f"experiment-{position}-effects"
    label = "change, as a share of the response at the lowest level"
    axis = Axis(label, _percent, _percent, from_zero=False, reference=0.0, smallest_span=0.1)
    caption = (
        "Effects relative to the lowest level with 95 % intervals; gray where the interval holds 0. Blue are means "
        "(least squares), red are medians (quantile regression). What changes more than tenfold is left out."
    )
    return Plot(name, f"Effect sizes: {title}", caption, draw(name, blocks, axis))


_SHORT = {
    "simstep_period_ns": "period",
    "simstep_latency_updates": "latency",
    "walltime_latency_ns": "walltime",
    "delivery_failure_rate": "failures",
    "delivery_clumpiness": "clumps",
    "updates_per_second_per_worker": "rate",
}


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _plain(axes: Axes, grid: str) -> None:
    for side in ("right", "top"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="both", length=0, pad=4)
    axes.grid(axis=grid, color=GRID, linewidth=0.7)
    axes.set_axisbelow(True)


def _slug(text: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in text.lower()).strip("-")


def _shortened(title: str, longest: int) -> str:
    return title if len(title) <= longest else title[: longest - 1] + "…"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
