"""What the modes are compared by: the rate, the share of the isolated rate, the conflicts left at the end.

Elsewhere: the drawing (``rows``), the statistics (``laxity.treatments``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from laxity.notation import INTERVALS, mean_count, number, percent
from laxity.plots.rows import Axis, Block, Dot, Row, draw
from laxity.plots.style import MODE_COLORS, Plot
from laxity.treatments import Treatment

_HOW_TO_READ = f"Dots are means over replicates, bars their {INTERVALS}, faint ticks the replicates."


def rates(treatments: Sequence[Treatment]) -> Plot:
    """Plot updates per second and worker by mode."""
    svg = draw(
        "updates",
        _blocks(treatments, lambda treatment: Dot(treatment.rate, tuple(treatment.replicates["rate"]))),
        Axis("updates per second and worker", number, lambda value: number(value, 3)),
    )
    caption = f"Further right is faster. {_HOW_TO_READ} Workers that never wait and never talk (isolated) set the pace."
    return Plot("updates", "Updates per second and worker", caption, svg)


def ratios(treatments: Sequence[Treatment]) -> Plot | None:
    """Plot the rates as shares of mode 4; None where there is nothing to compare with."""
    compared = [treatment for treatment in treatments if treatment.ratio is not None and treatment.ratio.known]
    compared = [treatment for treatment in compared if treatment.mode.number != 4] or [
        treatment for treatment in treatments if treatment.ratio is not None and treatment.mode.number != 4
    ]
    if not compared:
        return None
    svg = draw(
        "ratio",
        _blocks(compared, lambda treatment: Dot(treatment.ratio, tuple(treatment.replicates["ratio"].dropna()))),
        Axis(
            "share of the isolated rate",
            percent,
            lambda share: f"{100 * share:.3g} %",
            from_zero=False,
            reference=1.0,
            smallest_span=0.02,
        ),
    )
    caption = (
        "What communication leaves of the speed: 100 % (dashed) is the rate without any. Each replicate is compared "
        f"with the isolated run of its own round. The axis does not start at zero. {_HOW_TO_READ}"
    )
    return Plot("ratio", "Share of the isolated rate", caption, svg)


def conflicts(treatments: Sequence[Treatment]) -> Plot:
    """Plot the edges in conflict at the end."""
    svg = draw(
        "conflicts",
        _blocks(treatments, lambda treatment: Dot(treatment.conflicts, tuple(treatment.replicates["conflicts"]))),
        Axis("edges in conflict at the end", mean_count, lambda count: number(count, 3), whole=True),
    )
    caption = (
        "Further left is better: edges whose two nodes show the same color when time is up, after a final exchange, "
        f"over the whole mesh. {_HOW_TO_READ}"
    )
    return Plot("conflicts", "Conflicts at the end", caption, svg)


def _blocks(treatments: Sequence[Treatment], dot_of: Callable[[Treatment], Dot]) -> list[Block]:
    rows: dict[str, list[Row]] = {}
    for treatment in treatments:
        row = Row(treatment.mode.title, MODE_COLORS[treatment.mode.number], [dot_of(treatment)])
        rows.setdefault(treatment.group.title, []).append(row)
    return [Block(title, of_group) for title, of_group in rows.items()]
