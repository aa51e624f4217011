"""Dot plots: one row per treatment, one block of rows per group, a dot with its interval, the mean at the right.

Every replicate is a faint tick, so that the reader sees the data and not only their summary. Rows are labeled; there
is a legend only for neighbor kinds, and only where there are several.

Source: Cleveland, The Elements of Graphing Data, 1985.

Elsewhere: the look (``style``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator, SymmetricalLogLocator
from matplotlib.transforms import Affine2D, blended_transform_factory

from laxity.intervals import Interval
from laxity.notation import shortened
from laxity.plots.style import GRID, INK, MUTED, WIDTH_INCHES, new_figure, to_svg

_ROW, _HEADING, _TOP, _BOTTOM = 0.2, 0.3, 0.06, 0.52  # inches
_LEFT, _RIGHT = 0.95, 0.72
_LEGEND = 0.26
_MAX_TITLE = 58  # characters
_MAX_LINEAR_SPAN = 25  # largest / smallest value on a linear axis
MARKERS = {"same_thread": "D", "thread": "o", "process": "s", "host": "^"}


@dataclass(frozen=True)
class Dot:
    """A mean with its interval, and the observations behind it."""

    interval: Interval
    observations: Sequence[float]
    kind: str = "thread"  # neighbor kind; chooses the marker
    median: float | None = None


@dataclass(frozen=True)
class Row:
    """One treatment; one dot unless there are several neighbor kinds."""

    label: str
    color: str
    dots: Sequence[Dot]


@dataclass(frozen=True)
class Block:
    """The rows of one group under its title."""

    title: str
    rows: Sequence[Row]


@dataclass(frozen=True)
class Axis:
    """Meaning of the horizontal axis."""

    label: str  # with the unit
    write: Callable[[float], str]  # a value, at the right of its row
    write_tick: Callable[[float], str]
    from_zero: bool = True
    reference: float | None = None  # value of a line through all rows
    whole: bool = False  # counts: ticks at whole numbers
    min_span: float = 0.0


def draw(name: str, blocks: Sequence[Block], axis: Axis) -> str:
    """Draw the rows as an SVG document; call inside ``style.style()``."""
    kinds = _kinds(blocks)
    legend = _LEGEND if len(kinds) > 1 else 0.0
    row_count = sum(len(block.rows) for block in blocks)
    inner = _HEADING * len(blocks) + _ROW * row_count
    height = _TOP + legend + inner + _BOTTOM
    figure = new_figure(height)
    axes = figure.add_axes(
        (_LEFT / WIDTH_INCHES, _BOTTOM / height, 1 - (_LEFT + _RIGHT) / WIDTH_INCHES, inner / height)
    )
    axes.set_ylim(inner, 0)
    _set_scale(axes, blocks, axis)
    _draw_frame(axes, axis, inner)
    y = 0.0
    for block in blocks:
        axes.text(
            -_LEFT,
            y + 0.62 * _HEADING,
            shortened(block.title, _MAX_TITLE),
            weight="bold",
            va="center",
            transform=_inches(axes),
        )
        y += _HEADING
        for row in block.rows:
            _draw_row(axes, row, y + _ROW / 2, axis)
            y += _ROW
    if legend:
        _draw_legend(axes, kinds)
    return to_svg(figure, name)


def _inches(axes: Axes):
    """Transform: x in inches from the axes' left end, y in data coordinates, which are inches too."""
    dots = axes.figure.dpi_scale_trans
    left = Affine2D().translate(_LEFT, 0) + dots
    return blended_transform_factory(left, axes.transData)


def _set_scale(axes: Axes, blocks: Sequence[Block], axis: Axis) -> None:
    values = _values(blocks)
    low, high = min(values), max(values)
    positive = [value for value in values if value > 0]
    if axis.from_zero and positive and high / min(positive) > _MAX_LINEAR_SPAN and not axis.min_span:
        if low > 0:
            axes.set_xscale("log")
            axes.set_xlim(low / 1.4, high * 1.4)
            axes.xaxis.set_major_locator(LogLocator(numticks=5))
        else:
            threshold = 1.0 if axis.whole else min(positive)
            axes.set_xscale("symlog", linthresh=threshold, linscale=0.4)
            axes.set_xlim(-0.15 * threshold, high * 1.6)
            axes.xaxis.set_major_locator(SymmetricalLogLocator(base=10, linthresh=threshold))
        axes.xaxis.set_minor_locator(NullLocator())
    else:
        span = max(high - (0 if axis.from_zero else low), axis.min_span) or 1.0
        axes.set_xlim(0 if axis.from_zero else low - 0.08 * span, (0 if axis.from_zero else low) + 1.06 * span)
        axes.xaxis.set_major_locator(MaxNLocator(4, integer=axis.whole, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: axis.write_tick(value)))


def _values(blocks: Sequence[Block]) -> list[float]:
    values = []
    for block in blocks:
        for row in block.rows:
            for dot in row.dots:
                ends = (dot.interval.low, dot.interval.high, dot.median)
                values += [dot.interval.mean, *dot.observations, *(end for end in ends if end is not None)]
    return values


def _draw_frame(axes: Axes, axis: Axis, bottom: float) -> None:
    axes.yaxis.set_visible(False)
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="x", length=0, pad=4)
    axes.grid(axis="x", color=GRID, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.set_xlabel(axis.label, labelpad=5)
    if axis.reference is not None:
        axes.plot([axis.reference] * 2, [0, bottom], color=MUTED, linewidth=0.9, dashes=(3, 2), zorder=1)


def _draw_row(axes: Axes, row: Row, y: float, axis: Axis) -> None:
    inches = _inches(axes)
    axes.text(-0.1, y, row.label, ha="right", va="center", color=INK, transform=inches)
    spread = 0.085 if len(row.dots) > 1 else 0.0
    for position, dot in enumerate(row.dots):
        at = y + spread * (position - (len(row.dots) - 1) / 2)
        axes.plot(
            dot.observations,
            [at] * len(dot.observations),
            "|",
            color=row.color,
            alpha=0.45,
            markersize=5,
            clip_on=False,
        )
        if dot.median is not None:
            axes.plot([dot.median], [at], "|", color=row.color, markersize=7, markeredgewidth=1.3, clip_on=False)
        if dot.interval.known:
            ends = [dot.interval.low, dot.interval.high]
            axes.plot(ends, [at, at], color=row.color, linewidth=2.2, solid_capstyle="butt", clip_on=False)
        size = 5.5 if len(row.dots) == 1 else 4
        axes.plot(
            [dot.interval.mean], [at], MARKERS[dot.kind], color=row.color, markersize=size, clip_on=False, zorder=3
        )
    width = WIDTH_INCHES - _LEFT - 0.02
    axes.text(width, y, axis.write(row.dots[-1].interval.mean), ha="right", va="center", color=MUTED, transform=inches)


def _kinds(blocks: Sequence[Block]) -> list[str]:
    seen = {dot.kind for block in blocks for row in block.rows for dot in row.dots}
    return [kind for kind in MARKERS if kind in seen]


def _draw_legend(axes: Axes, kinds: Sequence[str]) -> None:
    inches = _inches(axes)
    x = 0.0
    for kind in kinds:
        title = kind.replace("_", " ")
        axes.plot([x], [-0.12], MARKERS[kind], color=MUTED, markersize=4, transform=inches, clip_on=False)
        axes.text(x + 0.1, -0.12, title, va="center", color=MUTED, transform=inches)
        x += 0.32 + 0.075 * len(title)
