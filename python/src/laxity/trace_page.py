"""The part of the report's page that holds traced programs.

Elsewhere: the whole page (``page``), the plots (``plots.traces``), what was traced (``trace_directory``).
"""

from __future__ import annotations

from collections.abc import Sequence

from laxity.markup import figures, group_row, row, section, side_by_side, table, text
from laxity.notation import duration, number, percent
from laxity.plots import Plot
from laxity.trace_directory import TraceDirectory, title_of
from laxity.treatments import study_titles

_MOST_COLLECTIVES = 40  # of one study, those of most time


def trace_section(studies: Sequence[TraceDirectory], plots: Sequence[Plot]) -> str:
    """Make the section; nothing where nothing was traced."""
    lead = (
        "When each process came to its collectives, and what that cost. A process waits from its arrival to the last "
        "arrival; the last delay is the time from the last arrival to the last exit."
    )
    return section("Traced programs", lead, side_by_side(figures(plots)) + _collectives(studies) if plots else "")


def _collectives(studies: Sequence[TraceDirectory]) -> str:
    headings = ("collective", "size", "calls", "bytes", "time", "waiting", "mean skew", "largest skew", "last delay")
    rows = []
    for title, study in zip(study_titles(studies), studies, strict=True):
        job = study.largest_job()
        if job is None:
            continue
        rows.append(group_row(title, len(headings)))
        elapsed_s = job["seconds"] * job["traced"]
        of_job = study.collectives[study.collectives["run"] == job["run"]]
        for _, each in of_job.nlargest(_MOST_COLLECTIVES, "inside_s").iterrows():
            cells = (
                title_of(each),
                number(each["size"]),
                number(each["calls"]),
                number(each["mean_bytes"]),
                percent(each["inside_s"] / elapsed_s if elapsed_s else 0.0),
                percent(each["waiting_s"] / each["inside_s"] if each["inside_s"] else 0.0),
                *(duration(each[column] * 1e3) for column in ("mean_skew_us", "max_skew_us", "mean_last_delay_us")),
            )
            rows.append(row(*(text(cell) for cell in cells)))
    return table(headings, rows) if rows else ""
