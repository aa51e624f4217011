"""Text for a terminal: paragraphs and columns, at most 100 characters wide.

Elsewhere: the text of a report (``terminal``).
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Sequence

from laxity.notation import THIN_SPACE, shortened

WIDTH = 100


def paragraphs(sentences: Sequence[str], mark: str, indent: str | None = None) -> list[str]:
    """Wrap each sentence behind a mark, such as "- "; further lines are indented by its width, or by `indent`."""
    return [
        line
        for sentence in sentences
        for line in textwrap.wrap(
            _plain(sentence),
            WIDTH,
            initial_indent=mark,
            subsequent_indent=" " * len(mark) if indent is None else indent,
        )
    ]


def columns(
    rows: Sequence[Sequence[str] | str], *, to_the_left: Collection[int] = (0,), margin: str = "  "
) -> list[str]:
    """Align rows of cells in columns, numbers to the right; a row that is one string is a heading as it stands."""
    cells = [[_plain(cell) for cell in row] for row in rows if not isinstance(row, str)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in rows:
        if isinstance(row, str):
            lines.append(shortened(row, WIDTH))
            continue
        padded = [
            _plain(cell).ljust(width) if place in to_the_left else _plain(cell).rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append(margin + "  ".join(padded).rstrip())
    return lines


def _plain(text: str) -> str:
    return text.replace(THIN_SPACE, " ")
