"""The pieces of HTML that the report is made of.

Elsewhere: what stands in them (``page``, ``experiment_page``), their look (``report.css``).
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from laxity.bootstrap import Interval
from laxity.notation import NOTHING, bounds
from laxity.plots import Plot, inline


def text(value: object) -> str:
    """Escape what came from outside; everything that is no literal goes through this or `plots.inline`."""
    return html.escape(str(value), quote=True)


def section(title: str, lead: str, content: str) -> str:
    """Make a section with its heading; nothing where there is no content."""
    return (
        f'<section>\n<h2>{text(title)}</h2>\n<p class="muted">{text(lead)}</p>\n{content}\n</section>'
        if content
        else ""
    )


def side_by_side(blocks: Sequence[str]) -> str:
    """Put blocks beside each other where there is room."""
    return f'<div class="plots">\n{"".join(blocks)}\n</div>' if blocks else ""


def figures(plots: Iterable[Plot]) -> list[str]:
    """Make a figure of each plot."""
    return [
        f"<figure>\n<h3>{text(plot.title)}</h3>\n{inline(plot)}<figcaption>{text(plot.caption)}</figcaption>\n</figure>"
        for plot in plots
    ]


def table(headings: Sequence[str], rows: Iterable[str], *, prose: bool = False) -> str:
    """Make a table that scrolls sideways where it is too wide; one of prose breaks its lines instead."""
    head = "".join(f'<th scope="col">{text(heading)}</th>' for heading in headings)
    kind = ' class="prose"' if prose else ""
    return (
        f'<div class="scroll" tabindex="0"><table{kind}>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{''.join(rows)}</tbody>\n</table></div>"
    )


def group_row(title: str, columns: int) -> str:
    """Make a heading within a table."""
    return f'<tr><th scope="rowgroup" colspan="{columns}">{text(title)}</th></tr>\n'


def row(*cells: str) -> str:
    """Make a row of cells that are HTML already."""
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>\n"


def interval_cell(interval: Interval | None, write) -> str:
    """Write a mean and its interval."""
    if interval is None:
        return NOTHING
    ends = f" <span>{text(bounds(interval, write))}</span>" if interval.known else ""
    return f"{text(write(interval.mean))}{ends}"


def capital(sentence: str) -> str:
    """Begin a sentence."""
    return sentence[:1].upper() + sentence[1:]
