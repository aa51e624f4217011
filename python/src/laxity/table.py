"""The result as plain text for a terminal, at most 100 columns wide.

Elsewhere: the same with plots (``report``).
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from laxity.arrival_directory import ArrivalDirectory
from laxity.arrivals import arrival_warnings, choice_sentences, what_was_measured
from laxity.findings import key_findings, warnings
from laxity.model_directory import ModelDirectory, model_warnings, what_was_modeled
from laxity.notation import NOTHING, THIN_SPACE, bounds, mean_count, number, percent
from laxity.run_directory import RunDirectory
from laxity.simulation_directory import SimulationDirectory
from laxity.simulations import (
    SimulatedTreatment,
    simulated_treatments,
    simulation_warnings,
    what_fits,
    what_was_simulated,
)
from laxity.study import Study
from laxity.trace_directory import TraceDirectory, trace_warnings, what_was_traced
from laxity.treatments import Treatment, qualities, treatments

WIDTH = 100
_HEADINGS = ("mode", "n", "updates/s/worker", "95 % interval", "of isolated", "95 % interval", "conflicts")
_SIMULATION_HEADINGS = ("run", "seed", "events", "M events/s", "efficiency", "rollbacks", "status")
_TREATMENT_HEADINGS = ("treatment", "n", "events/s", "95 % interval", "efficiency")
_TO_THE_LEFT = (0,)


def render(studies: Sequence[Study]) -> str:
    """Write the table of treatments, with findings above and warnings below; then simulations and collectives.

    Parameters
    ----------
    studies : sequence of Study
        One or several; each is shown apart.

    Returns
    -------
    str
        Lines of at most `WIDTH` columns, the last with its end.
    """
    colorings = [study for study in studies if isinstance(study, RunDirectory)]
    simulations = [study for study in studies if isinstance(study, SimulationDirectory)]
    parts = [_colorings(colorings)] if colorings else []
    parts += [_simulation(study) for study in simulations]
    parts += [_arrival(study) for study in studies if isinstance(study, ArrivalDirectory)]
    parts += [_model(study) for study in studies if isinstance(study, ModelDirectory)]
    parts += [_trace(study) for study in studies if isinstance(study, TraceDirectory)]
    lines = [line for part in parts for line in [*part, ""]][:-1]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _colorings(studies: Sequence[RunDirectory]) -> list[str]:
    found = treatments(studies)
    lines = [*_heading(studies), ""]
    if found:
        lines += _table(found)
        lines.append("")
        said = key_findings(found, qualities(studies))
        lines += _paragraphs([f"{finding.title}: {finding.sentences[0]}" for finding in said], "- ")
    else:
        lines.append("No run ended as planned: nothing to compare.")
    return lines + _paragraphs(warnings(studies, found), "! ")


def _simulation(study: SimulationDirectory) -> list[str]:
    lines = [*_wrapped(f"Optimistic simulation: {study.name}", "", "  "), ""]
    found = simulated_treatments(study)
    if found:
        rows = [_TREATMENT_HEADINGS, *map(_treatment_cells, found)]
        said = [*_paragraphs(what_fits(study), "- "), *_paragraphs(simulation_warnings([study]), "! ")]
        return [*lines, *_columns(rows), "", *said]
    runs = [
        (
            f"{run.run} {run.team}",
            str(run.seed),
            number(run.committed),
            f"{run.committed_per_second * 1e-6:.2f}",
            percent(run.efficiency),
            number(run.rollbacks),
            run.status,
        )
        for run in study.runs.itertuples(index=False)
    ]
    if runs:
        lines += [*_columns([_SIMULATION_HEADINGS, *runs]), ""]
    return lines + _paragraphs([what_was_simulated(study)], "- ") + _paragraphs(simulation_warnings([study]), "! ")


def _arrival(study: ArrivalDirectory) -> list[str]:
    lines = [*_wrapped(f"Collectives under arrival patterns: {study.name}", "", "  "), ""]
    said = [what_was_measured(study), *choice_sentences(study)]
    return lines + _paragraphs(said, "- ") + _paragraphs(arrival_warnings([study]), "! ")


def _model(study: ModelDirectory) -> list[str]:
    heading = _wrapped(f"Simulation and theory: {study.name}", "", "  ")
    said = _paragraphs([what_was_modeled(study)], "- ")
    return [*heading, "", *said, *_paragraphs(model_warnings([study]), "! ")]


def _trace(study: TraceDirectory) -> list[str]:
    heading = _wrapped(f"Collective calls: {study.name}", "", "  ")
    said = _paragraphs([what_was_traced(study)], "- ")
    return [*heading, "", *said, *_paragraphs(trace_warnings([study]), "! ")]


def _treatment_cells(treatment: SimulatedTreatment) -> tuple[str, ...]:
    return (
        f"{treatment.figure}, {treatment.condition}, {treatment.label}",
        str(treatment.rate.count),
        number(treatment.rate.mean),
        bounds(treatment.rate, number),
        percent(treatment.efficiency),
    )


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    plain = [tuple(cell.replace(THIN_SPACE, " ") for cell in row) for row in rows]
    widths = [max(len(row[column]) for row in plain) for column in range(len(plain[0]))]
    return [_shortened(_line(row, widths)) for row in plain]


def _heading(studies: Sequence[RunDirectory]) -> list[str]:
    names = ", ".join(study.name for study in studies)
    return _wrapped(f"Graph coloring: {names}", "", "  ")


def _table(found: Sequence[Treatment]) -> list[str]:
    rows = [_cells(treatment) for treatment in found]
    widths = [max(len(row[column]) for row in [_HEADINGS, *rows]) for column in range(len(_HEADINGS))]
    lines = [_line(_HEADINGS, widths)]
    group = None
    for treatment, row in zip(found, rows, strict=True):
        if treatment.group != group:
            group = treatment.group
            lines.append(_shortened(group.title))
        lines.append(_line(row, widths))
    return lines


def _cells(treatment: Treatment) -> tuple[str, ...]:
    ratio = treatment.ratio
    cells = (
        f"{treatment.mode.number} {treatment.mode.title}",
        str(treatment.rate.count),
        number(treatment.rate.mean),
        bounds(treatment.rate, number),
        percent(ratio.mean) if ratio else NOTHING,
        bounds(ratio, percent),
        mean_count(treatment.conflicts.mean),
    )
    return tuple(cell.replace(THIN_SPACE, " ") for cell in cells)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [
        cell.ljust(width) if column in _TO_THE_LEFT else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  " + "  ".join(padded)


def _paragraphs(sentences: Sequence[str], mark: str) -> list[str]:
    return [
        line for sentence in sentences for line in _wrapped(sentence.replace(THIN_SPACE, " "), mark, " " * len(mark))
    ]


def _wrapped(text: str, first: str, further: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=further)


def _shortened(title: str) -> str:
    return title if len(title) <= WIDTH else title[: WIDTH - 1] + "…"
