"""Plots of the experiments: boxes of all snapshots, regressions with their bands, and effect sizes.

Elsewhere: the numbers (``effects``), dot plots (``laxity.plots.dot_plot``), the look (``laxity.plots.style``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cbook import boxplot_stats
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from laxity.intervals import Interval
from laxity.notation import capital, duration, number, time_unit
from laxity.plots import dot_plot
from laxity.plots.style import (
    INK,
    MODE_COLORS,
    MUTED,
    NARROW_INCHES,
    WIDTH_INCHES,
    Plot,
    fitted,
    new_figure,
    panel,
    text_inches,
    to_svg,
)
from laxity.regression import MEAN, MEDIAN
from laxity.studies.best_effort.comparisons import LINK_METRICS, Comparison
from laxity.studies.best_effort.effects import COMPLETE, Effect, between_workers, per_run, responses_of
from laxity.studies.best_effort.quality_of_service import Metric
from laxity.studies.best_effort.study import BestEffortStudy
from laxity.study import study_titles

_MAX_OUTLIERS = 24  # drawn of a box, half at each end, to keep the file small
_MAX_LINEAR_SPAN = 25  # largest / smallest value on a linear axis
_MAX_CHANGE = 10  # of an effect that is drawn; larger ones would hide all others
_COLOR_OF = {MEAN: MODE_COLORS[3], MEDIAN: MODE_COLORS[0]}
_LOOK = {
    "medianprops": {"color": MODE_COLORS[0], "linewidth": 1.4},
    "boxprops": {"color": INK, "linewidth": 0.8},
    "whiskerprops": {"color": MUTED, "linewidth": 0.8},
    "capprops": {"color": MUTED, "linewidth": 0.8},
    "flierprops": {"marker": ".", "markersize": 2, "markerfacecolor": MUTED, "markeredgecolor": MUTED},
}
_BOX, _HEADING, _TOP, _BOTTOM, _RIGHT, _GAP, _MAX_LABEL = 0.24, 0.3, 0.05, 0.5, 0.24, 0.06, 1.4  # inches
_SHORT_TITLES = {
    "simstep_period_ns": "period",
    "simstep_latency_updates": "latency",
    "walltime_latency_ns": "walltime",
    "one_way_latency_ns": "measured",
    "delivery_failure_rate": "failures",
    "delivery_clumpiness": "clumps",
    "updates_per_second_per_worker": "rate",
}


BOXES = (
    "Over all snapshots of all links: box and line are the quartiles, whiskers reach to 1.5 times the box, dots are "
    f"the {_MAX_OUTLIERS} farthest outliers."
)
"""How to read the boxes."""


@dataclass(frozen=True)
class Drawn:
    """The plots of one study: boxes of every metric, and what was computed from them."""

    boxes: list[Plot]
    regressions: list[Plot]


def draw(
    studies: Sequence[BestEffortStudy], compared: Sequence[Comparison], effects: Sequence[Effect]
) -> dict[int, Drawn]:
    """Draw the plots of every study that is an experiment, by its position in the report."""
    plots: dict[int, Drawn] = {}
    for position, (title, study) in enumerate(zip(study_titles(studies), studies, strict=True)):
        own = [comparison for comparison in compared if comparison.study == position]
        boxes = [_boxes(position, study, own, metric) for metric in LINK_METRICS]
        computed = [_regressions(position, study, comparison, effects) for comparison in own]
        computed.append(_effect_sizes(position, title, own, effects))
        plots[position] = Drawn(*([plot for plot in some if plot is not None] for some in (boxes, computed)))
    return plots


def _boxes(position: int, study: BestEffortStudy, compared: Sequence[Comparison], metric: Metric) -> Plot | None:
    """Draw one box for each level of each comparison, of all snapshots of all links."""
    values = between_workers(study).set_index("run")[metric.column].dropna()
    rows: list[tuple[str, dict | None]] = []  # heading without a box, or label of a box
    for comparison in compared:
        if metric in comparison.responses:
            rows.append((comparison.condition, None))
            for level, label in comparison.levels:
                sample = values[values.index.isin(comparison.runs.index[comparison.runs["x"] == level])].to_numpy()
                if sample.size:
                    rows.append((label, _box(sample)))
    boxes = [box for _, box in rows if box]
    if not boxes:
        return None
    inner = sum(_HEADING if box is None else _BOX for _, box in rows)
    left = min(max(text_inches(label) for label, box in rows if box) + 2 * _GAP, _MAX_LABEL)
    width = NARROW_INCHES - left - _RIGHT
    figure = new_figure(_TOP + inner + _BOTTOM, NARROW_INCHES)
    axes = panel(figure, (left, _BOTTOM, width, inner), grid="x")
    axes.set_ylim(inner, 0)
    unit = _scale(axes, boxes, metric)
    y = 0.0
    for title, box in rows:
        transform = axes.get_yaxis_transform()
        if box is None:
            heading = fitted(title, NARROW_INCHES, bold=True)
            axes.text(-left / width, y + 0.62 * _HEADING, heading, weight="bold", va="center", transform=transform)
            y += _HEADING
            continue
        scaled = {key: np.asarray(value) / unit for key, value in box.items()}
        axes.bxp([scaled], positions=[y + _BOX / 2], widths=0.13, orientation="horizontal", manage_ticks=False, **_LOOK)
        label = fitted(title, left - _GAP)
        axes.text(-_GAP / width, y + _BOX / 2, label, ha="right", va="center", color=INK, transform=transform)
        y += _BOX
    name = f"experiment-{position}-{metric.column.replace('_', '-')}"
    return Plot(name, capital(metric.title), f"{capital(metric.definition)}.", to_svg(figure, name))


def _box(sample: np.ndarray) -> dict:
    box = boxplot_stats(sample)[0]
    outliers = np.sort(box["fliers"])
    if outliers.size > _MAX_OUTLIERS:
        half = _MAX_OUTLIERS // 2
        outliers = np.concatenate([outliers[:half], outliers[-half:]])
    return {key: box[key] for key in ("med", "q1", "q3", "whislo", "whishi")} | {"fliers": outliers}


def _scale(axes: Axes, boxes: Sequence[dict], metric: Metric) -> float:
    ends = [float(end) for box in boxes for end in (box["whislo"], box["whishi"], *box["fliers"])]
    low, high = min(ends), max(ends)
    is_logarithmic = metric.unit != "1" and low > 0 and high / low > _MAX_LINEAR_SPAN
    length, sign = time_unit(high) if metric.unit == "ns" and not is_logarithmic else (1.0, metric.unit)
    write = {"1": _percent, "ns": duration}.get(
        sign, lambda value: number(value, 3)
    )  # on a long axis each tick has a unit
    axes.set_xlabel(metric.title if sign in ("1", "ns") else f"{metric.title}, {sign}", labelpad=5)
    if is_logarithmic:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(numticks=4))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xlim(low / length / 1.4, high / length * 1.4)
    else:
        top = max(high, 0.01 if metric.unit == "1" else 0) or 1.0
        axes.set_xlim(-0.02 * top / length, 1.05 * top / length)
        axes.xaxis.set_major_locator(MaxNLocator(3))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: write(value)))
    axes.tick_params(pad=4)
    axes.yaxis.set_visible(False)
    axes.spines["left"].set_visible(False)
    return length


def _regressions(
    position: int, study: BestEffortStudy, comparison: Comparison, effects: Sequence[Effect]
) -> Plot | None:
    """Draw one panel per metric: the replicates, and the lines of mean and median with their bands."""
    own = [e for e in effects if e.comparison is comparison and e.part == COMPLETE]
    metrics = [metric for metric in comparison.responses if any(e.metric is metric for e in own)]
    if comparison.categorical or not metrics:
        return None
    inner, gap = 0.9, 0.46
    height = len(metrics) * (inner + gap) + 0.5
    figure = new_figure(height)
    observed = {statistic: per_run(study, statistic) for statistic in _COLOR_OF}
    for place, metric in enumerate(metrics):
        bottom = height - (place + 1) * (inner + gap) + 0.2
        axes = panel(figure, (0.15 * WIDTH_INCHES, bottom, 0.82 * WIDTH_INCHES, inner), grid="y")
        in_logarithms = comparison.is_in_logarithms(metric)
        unit, sign = _unit_of(metric, observed[MEAN][metric.column], in_logarithms=in_logarithms)
        for effect in (e for e in own if e.metric is metric):
            _draw_line(axes, responses_of(comparison, metric, observed[effect.statistic][metric.column]), effect, unit)
        title = f"log4 of {metric.title}" if in_logarithms else metric.title
        axes.set_title(f"{title}, {sign}" if sign != "1" else title, loc="left", fontsize=8.5, color=INK, pad=3)
        axes.tick_params(pad=4)
        axes.yaxis.set_major_locator(MaxNLocator(4))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value, 3)))
        axes.set_xticks([x for x, _ in comparison.levels], comparison.labels)
    axes.set_xlabel(comparison.varied, labelpad=4)
    name = f"experiment-{position}-regression-{_slug(comparison.condition)}"
    caption = (
        "A dot is a replicate: blue its mean, with least squares; red its median, with quantile regression. Bands are "
        "95 % intervals of the lines."
    )
    return Plot(name, capital(comparison.condition), caption, to_svg(figure, name))


def _draw_line(axes: Axes, both: pd.DataFrame, effect: Effect, unit: float) -> None:
    color = _COLOR_OF[effect.statistic]
    span = np.ptp(both["x"]) or 1.0
    shift = (-0.008 if effect.statistic == MEAN else 0.008) * span
    axes.plot(both["x"] + shift, both["y"] / unit, ".", color=color, markersize=3.5, alpha=0.7)
    x = np.linspace(both["x"].min(), both["x"].max(), 24)
    value, low, high = (ends / unit for ends in effect.line.at(x))
    axes.plot(x, value, color=color, linewidth=1.2)
    axes.fill_between(x, low, high, color=color, alpha=0.15, linewidth=0)


def _unit_of(metric: Metric, values: pd.Series, *, in_logarithms: bool) -> tuple[float, str]:
    return (1.0, metric.unit) if in_logarithms or metric.unit != "ns" else time_unit(float(values.max()))


def _effect_sizes(position: int, title: str, compared: Sequence[Comparison], effects: Sequence[Effect]) -> Plot | None:
    """Draw relative effects with their intervals, colored where they are significant."""
    blocks = []
    for comparison in compared:
        own = [e for e in effects if e.comparison is comparison and e.part == COMPLETE and e.relative is not None]
        rows = [_effect_row(e) for e in own if max(abs(e.relative.low), abs(e.relative.high)) <= _MAX_CHANGE]
        if rows:
            other = comparison.other if comparison.categorical else f"per {comparison.predictor}"
            blocks.append(dot_plot.Block(f"{comparison.condition}: {other}", rows))
    if not blocks:
        return None
    name = f"experiment-{position}-effects"
    label = "change, as a share of the response at the lowest level"
    axis = dot_plot.Axis(label, _percent, _percent, from_zero=False, reference=0.0, min_span=0.1)
    caption = (
        "Effects relative to the lowest level with 95 % intervals; gray where not significant. Blue are means (least "
        "squares), red are medians (quantile regression). Changes of more than a factor of ten are left out."
    )
    return Plot(name, f"Effect sizes: {title}", caption, dot_plot.draw(name, blocks, axis))


def _effect_row(effect: Effect) -> dot_plot.Row:
    relative = effect.relative
    interval = Interval(relative.value, relative.low, relative.high, effect.line.count)
    color = MUTED if effect.sign == "0" else _COLOR_OF[effect.statistic]
    statistic = "mean" if effect.statistic == MEAN else "med."
    label = f"{_SHORT_TITLES.get(effect.metric.column, effect.metric.title)} {statistic}"
    return dot_plot.Row(label, color, [dot_plot.Dot(interval, ())])


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _slug(text: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in text.lower()).strip("-")
