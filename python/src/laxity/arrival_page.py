"""The part of the report's page that is about collectives under arrival patterns.

Elsewhere: the whole page (``page``), the heat maps (``plots.arrivals``), the numbers (``arrivals``).
"""

from __future__ import annotations

from collections.abc import Sequence

from laxity.arrival_directory import ArrivalDirectory
from laxity.arrivals import choice_sentences, last_delays
from laxity.markup import figures, group_row, row, section, side_by_side, table, text
from laxity.notation import NOTHING, number, percent
from laxity.plots import Plot
from laxity.treatments import study_titles


def arrival_section(studies: Sequence[ArrivalDirectory], plots: Sequence[Plot]) -> str:
    """Make the section; nothing without a collective that was measured to its end."""
    lead = "How long collectives take once the last process has arrived, by algorithm and by who is late."
    if not any(last_delays(study) for study in studies):
        return ""
    return section(
        "Collectives under arrival patterns",
        lead,
        f"{_choices(studies)}{side_by_side(figures(plots))}\n{_sizes(studies)}",
    )


def _choices(studies: Sequence[ArrivalDirectory]) -> str:
    sentences = [sentence for study in studies for sentence in choice_sentences(study)]
    if not sentences:
        return ""
    items = "".join(f"<li>{text(sentence)}</li>" for sentence in sentences)
    return f'<div class="card">\n<h3>What to choose</h3>\n<ul>{items}</ul>\n</div>\n'


def _sizes(studies: Sequence[ArrivalDirectory]) -> str:
    headings = ("collective", "bytes", "processes", "valid repetitions", "robust choice", "fastest without delay")
    rows = []
    for title, study in zip(study_titles(studies), studies, strict=True):
        rows.append(group_row(title, len(headings)))
        for delays in last_delays(study):
            choices = [
                NOTHING if at is None else delays.algorithms[at]
                for at in (delays.robust_choice(), delays.no_delay_choice())
            ]
            cells = (delays.collective, number(delays.bytes), delays.processes, percent(delays.valid), *choices)
            rows.append(row(*(text(cell) for cell in cells)))
    return table(headings, rows)
