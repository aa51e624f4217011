"""Quality of service by mode and neighbor kind: one plot per metric, small multiples of one figure.

Elsewhere: the drawing (``laxity.plots.dot_plot``), the definitions (``quality_of_service``).
"""

from __future__ import annotations

from collections.abc import Sequence

from laxity.notation import INTERVALS, capital, number, time_unit
from laxity.plots.dot_plot import Axis, Block, Dot, Row, draw
from laxity.plots.style import MODE_COLORS, NARROW_INCHES, Plot
from laxity.studies.best_effort.link_quality import Quality
from laxity.studies.best_effort.quality_of_service import METRICS, ONE_WAY, Metric

CAPTION = (
    f"Further left is better. Dots are means over replicates with {INTERVALS}, thin ticks the medians over all "
    "observations."
)


def metric_plots(qualities: Sequence[Quality]) -> list[Plot]:
    """Plot every metric; none without observed messages. Links inside a worker are shown only alone."""
    shown = [quality for quality in qualities if quality.neighbor_kind != "same_thread"] or qualities
    metrics = [metric for metric in (*METRICS, ONE_WAY) if any(quality.means[metric.column] for quality in shown)]
    return [_plot(metric, [quality for quality in shown if quality.means[metric.column]]) for metric in metrics]


def _plot(metric: Metric, qualities: Sequence[Quality]) -> Plot:
    dots: dict[str, dict[int, list[Dot]]] = {}
    for quality in qualities:
        dot = Dot(quality.means[metric.column], (), quality.neighbor_kind, quality.medians[metric.column])
        dots.setdefault(quality.group.title, {}).setdefault(quality.mode.number, []).append(dot)
    titles = {quality.mode.number: quality.mode.title for quality in qualities}
    blocks = [
        Block(title, [Row(titles[mode], MODE_COLORS[mode], of_mode) for mode, of_mode in of_group.items()])
        for title, of_group in dots.items()
    ]
    largest = max(quality.means[metric.column].mean for quality in qualities)
    svg = draw(metric.column.replace("_", "-"), blocks, _axis(metric, largest), NARROW_INCHES)
    return Plot(metric.column.replace("_", "-"), capital(metric.title), f"{capital(metric.definition)}.", svg)


def _axis(metric: Metric, largest: float) -> Axis:
    if metric.unit == "ns":
        length, sign = time_unit(largest)
        return Axis(f"{metric.title}, {sign}", metric.write, lambda time: number(time / length, 3))
    if metric.unit == "1":
        return Axis(metric.title, metric.write, lambda share: f"{100 * share:.3g} %", min_span=0.01)
    return Axis(f"{metric.title}, {metric.unit}", metric.write, lambda value: number(value, 3))
