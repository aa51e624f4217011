"""The modes compared: update rate, share of the isolated rate, conflicts at the end.

Elsewhere: the drawing (``laxity.plots.dot_plot``), the statistics (``treatments``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from laxity.notation import INTERVALS, mean_count, number, percent
from laxity.plots.dot_plot import Axis, Block, Dot, Row
from laxity.plots.dot_plot import draw as draw_dots
from laxity.plots.style import MODE_COLORS, Plot
from laxity.studies.best_effort.modes import ISOLATED
from laxity.studies.best_effort.treatments import Treatment

_HOW_TO_READ = f"Dots are means over replicates, bars their {INTERVALS}, faint ticks the replicates."


def draw(treatments: Sequence[Treatment]) -> list[Plot]:
    """Plot what can be compared; none without treatments."""
    if not treatments:
        return []
    return [plot for plot in (_rates(treatments), _ratios(treatments), _conflicts(treatments)) if plot is not None]


def _rates(treatments: Sequence[Treatment]) -> Plot:
    svg = draw_dots(
        "updates",
        _blocks(treatments, lambda treatment: Dot(treatment.rate, tuple(treatment.replicates["rate"]))),
        Axis("updates per second and worker", number, lambda value: number(value, 3)),
    )
    caption = f"Further right is faster. {_HOW_TO_READ} Isolated workers neither wait nor communicate."
    return Plot("updates", "Updates per second and worker", caption, svg)


def _ratios(treatments: Sequence[Treatment]) -> Plot | None:
    """Plot the rates as shares of the rate without communication; None where there is none."""
    compared = [each for each in treatments if each.ratio is not None and each.mode != ISOLATED]
    compared = [each for each in compared if each.ratio.known] or compared
    if not compared:
        return None
    svg = draw_dots(
        "ratio",
        _blocks(compared, lambda treatment: Dot(treatment.ratio, tuple(treatment.replicates["ratio"].dropna()))),
        Axis(
            "share of the rate without communication",
            percent,
            lambda share: f"{100 * share:.3g} %",
            from_zero=False,
            reference=1.0,
            min_span=0.02,
        ),
    )
    caption = (
        "The rate as a share of that without communication (dashed, 100 %). Each replicate is compared "
        f"with the run without communication of its own round. The axis does not start at zero. {_HOW_TO_READ}"
    )
    return Plot("ratio", "Share of the rate without communication", caption, svg)


def _conflicts(treatments: Sequence[Treatment]) -> Plot:
    svg = draw_dots(
        "conflicts",
        _blocks(treatments, lambda treatment: Dot(treatment.conflicts, tuple(treatment.replicates["conflicts"]))),
        Axis("edges in conflict at the end", mean_count, lambda count: number(count, 3), whole=True),
    )
    caption = (
        "Further left is better: edges whose two nodes have the same color at the end, after a final exchange, "
        f"over the whole mesh. {_HOW_TO_READ}"
    )
    return Plot("conflicts", "Conflicts at the end", caption, svg)


def _blocks(treatments: Sequence[Treatment], dot_of: Callable[[Treatment], Dot]) -> list[Block]:
    rows: dict[str, list[Row]] = {}
    for treatment in treatments:
        row = Row(treatment.mode.title, MODE_COLORS[treatment.mode.number], [dot_of(treatment)])
        rows.setdefault(treatment.group.title, []).append(row)
    return [Block(title, of_group) for title, of_group in rows.items()]
