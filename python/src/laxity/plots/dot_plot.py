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
from laxity.plots.style import GRID, INK, MUTED, WIDTH_INCHES, fitted, new_figure, text_inches, to_svg

_ROW, _HEADING, _TOP, _BOTTOM = 0.2, 0.3, 0.06, 0.52  # inches
_GAP = 0.1  # between a label and the axes
_LEGEND = 0.26
_MAX_LABEL = 0.4  # of the width
_MANY_TICKS = 2.2  # inches of axes with room for four ticks and more
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


@dataclass(frozen=True)
class _Columns:
    """Widths in inches: of the labels at the left, of the axes, and of the values at the right."""

    left: float
    middle: float
    right: float


def draw(name: str, blocks: Sequence[Block], axis: Axis, width: float = WIDTH_INCHES) -> str:
    """Draw the rows as an SVG document `width` inches wide; call inside ``style.style()``."""
    columns = _columns(blocks, axis, width)
    kinds = _kinds(blocks)
    legend = _LEGEND if len(kinds) > 1 else 0.0
    row_count = sum(len(block.rows) for block in blocks)
    inner = _HEADING * len(blocks) + _ROW * row_count
    height = _TOP + legend + inner + _BOTTOM
    figure = new_figure(height, width)
    axes = figure.add_axes((columns.left / width, _BOTTOM / height, columns.middle / width, inner / height))
    axes.set_ylim(inner, 0)
    _set_scale(axes, blocks, axis, ticks=4 if columns.middle > _MANY_TICKS else 2)
    _draw_frame(axes, axis, inner)
    y = 0.0
    for block in blocks:
        axes.text(
            -columns.left,
            y + 0.62 * _HEADING,
            fitted(block.title, width, bold=True),
            weight="bold",
            va="center",
            transform=_inches(axes, columns),
        )
        y += _HEADING
        for row in block.rows:
            _draw_row(axes, row, y + _ROW / 2, axis, columns)
            y += _ROW
    if legend:
        _draw_legend(axes, kinds, columns)
    return to_svg(figure, name)


def _columns(blocks: Sequence[Block], axis: Axis, width: float) -> _Columns:
    """Give labels and values the room that they need, and the axes the rest."""
    rows = [row for block in blocks for row in block.rows]
    left = min(max(text_inches(row.label) for row in rows) + 2 * _GAP, _MAX_LABEL * width)
    right = max(text_inches(axis.write(row.dots[-1].interval.mean)) for row in rows) + 2 * _GAP
    return _Columns(left, width - left - right, right)


def _inches(axes: Axes, columns: _Columns):
    """Transform: x in inches from the axes' left end, y in data coordinates, which are inches too."""
    dots = axes.figure.dpi_scale_trans
    left = Affine2D().translate(columns.left, 0) + dots
    return blended_transform_factory(left, axes.transData)


def _set_scale(axes: Axes, blocks: Sequence[Block], axis: Axis, ticks: int) -> None:
    values = _values(blocks)
    low, high = min(values), max(values)
    positive = [value for value in values if value > 0]
    if axis.from_zero and positive and high / min(positive) > _MAX_LINEAR_SPAN and not axis.min_span:
        if low > 0:
            axes.set_xscale("log")
            axes.set_xlim(low / 1.4, high * 1.4)
            axes.xaxis.set_major_locator(LogLocator(numticks=ticks + 1))
        else:
            threshold = 1.0 if axis.whole else min(positive)
            axes.set_xscale("symlog", linthresh=threshold, linscale=0.4)
            axes.set_xlim(-0.15 * threshold, high * 1.6)
            axes.xaxis.set_major_locator(SymmetricalLogLocator(base=10, linthresh=threshold))
            axes.xaxis.get_major_locator().set_params(numticks=ticks + 1)
        axes.xaxis.set_minor_locator(NullLocator())
    else:
        span = max(high - (0 if axis.from_zero else low), axis.min_span) or 1.0
        axes.set_xlim(0 if axis.from_zero else low - 0.08 * span, (0 if axis.from_zero else low) + 1.06 * span)
        axes.xaxis.set_major_locator(MaxNLocator(ticks, integer=axis.whole, steps=[1, 2, 2.5, 5, 10]))
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


def _draw_row(axes: Axes, row: Row, y: float, axis: Axis, columns: _Columns) -> None:
    inches = _inches(axes, columns)
    label = fitted(row.label, columns.left - _GAP)
    axes.text(-_GAP, y, label, ha="right", va="center", color=INK, transform=inches)
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
    edge = columns.middle + columns.right - 0.02
    axes.text(edge, y, axis.write(row.dots[-1].interval.mean), ha="right", va="center", color=MUTED, transform=inches)


def _kinds(blocks: Sequence[Block]) -> list[str]:
    seen = {dot.kind for block in blocks for row in block.rows for dot in row.dots}
    return [kind for kind in MARKERS if kind in seen]


def _draw_legend(axes: Axes, kinds: Sequence[str], columns: _Columns) -> None:
    inches = _inches(axes, columns)
    x = 0.0
    for kind in kinds:
        title = kind.replace("_", " ")
        axes.plot([x], [-0.12], MARKERS[kind], color=MUTED, markersize=4, transform=inches, clip_on=False)
        axes.text(x + 0.1, -0.12, title, va="center", color=MUTED, transform=inches)
        x += 0.32 + 0.075 * len(title)
