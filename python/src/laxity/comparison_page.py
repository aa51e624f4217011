"""The comparison of two studies as one HTML page: what has changed, by how much, and what could not have been seen.

Elsewhere: the comparison (``comparison``), the look of pages (``report``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from laxity import __version__
from laxity.comparison import (
    BETTER,
    HEADINGS,
    SAME,
    TOLERANCE,
    UNKNOWN,
    WORSE,
    Change,
    cells,
    explanation,
)
from laxity.error import ReportError, reason
from laxity.intervals import Interval
from laxity.notation import number
from laxity.plots import dot_plot
from laxity.plots.style import MODE_COLORS, MUTED, Plot, style
from laxity.report import about, environment, replace_file
from laxity.study import Study, study_titles

_COLOR_OF = {BETTER: MODE_COLORS[3], WORSE: MODE_COLORS[0], SAME: MUTED, UNKNOWN: MUTED}
_MAX_RATIO = 100  # that is drawn
_TITLES = {"updates_per_second_per_worker": "update rate"}


def render(
    studies: Sequence[Study], changes: Sequence[Change], remarks: Sequence[str], tolerance: float = TOLERANCE
) -> str:
    """Make the page.

    Parameters
    ----------
    studies : sequence of Study
        The one before and the one after.
    changes : sequence of Change
        By treatment.
    remarks : sequence of str
        What to keep in mind, for example disturbed runs.
    tolerance : float
        By which the changes were judged.

    Returns
    -------
    str
        HTML; the same comparison gives the same bytes.
    """
    by_treatment = [(title, list(own)) for title, own in groupby(changes, key=lambda each: each.measured.treatment)]
    counts = [(verdict, sum(each.verdict == verdict for each in changes)) for verdict in (WORSE, BETTER, SAME, UNKNOWN)]
    with style():
        plot = _ratios(by_treatment)
    return (
        environment()
        .get_template("comparison.html")
        .render(
            counts=counts,
            plots=[plot] if plot else [],
            headings=[*HEADINGS[:-1], "verdict"],
            treatments=[(title, [cells(each) for each in own]) for title, own in by_treatment],
            explanation=explanation(changes, tolerance),
            remarks=remarks,
            studies=[about(title, study) for title, study in zip(study_titles(studies), studies, strict=True)],
            version=__version__,
        )
    )


def write(html: str, output: Path) -> Path:
    """Write the page and return its place; ReportError if it cannot be written."""
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        replace_file(output, html)
    except OSError as error:
        raise ReportError(f"{output}: cannot be written ({reason(error)}); name another place with --report") from None
    return output


def _ratios(by_treatment: Sequence[tuple[str, Sequence[Change]]]) -> Plot | None:
    """Draw the ratios of the changes with their intervals."""
    blocks = [
        dot_plot.Block(title, rows)
        for title, own in by_treatment
        if (rows := [_row(each) for each in own if each.measured.is_ratio and _is_drawn(each)])
    ]
    if not blocks:
        return None
    axis = dot_plot.Axis("after ÷ before", _ratio, _ratio, from_zero=False, reference=1.0, min_span=0.1)
    caption = (
        "Ratios of the means with 95 % intervals, not corrected; blue is better, red is worse, gray is no difference "
        "or cannot be told."
    )
    return Plot("changes", "After ÷ before", caption, dot_plot.draw("changes", blocks, axis))


def _is_drawn(change: Change) -> bool:
    ends = change.measured.change.ends() or (change.measured.change.value,)
    return all(abs(end) < math.log(_MAX_RATIO) for end in ends)


def _row(change: Change) -> dot_plot.Row:
    estimate = change.measured.change
    low, high = (math.exp(end) for end in estimate.ends() or (estimate.value, estimate.value))
    interval = Interval(math.exp(estimate.value), low, high, 2)
    response = change.measured.response
    label = _TITLES.get(response, response.removesuffix("_ns").replace("_", " "))
    return dot_plot.Row(label, _COLOR_OF[change.verdict], [dot_plot.Dot(interval, ())])


def _ratio(value: float) -> str:
    return number(value, 3)
