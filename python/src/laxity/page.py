"""The parts of the report's page, each a function from results to HTML.

`text` escapes; everything that is not literal here goes through it, or comes from `plots.inline`, which does.

Elsewhere: where the page is written (``report``), its look (``report.css``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files

import laxity
from laxity.arrival_directory import ArrivalDirectory
from laxity.arrival_page import arrival_section
from laxity.arrivals import arrival_warnings, what_was_measured
from laxity.evidence import evidence
from laxity.experiment_page import evidence_section, experiment_sections
from laxity.findings import Finding, key_findings, warnings, what_was_run
from laxity.markup import capital, figures, group_row, interval_cell, row, section, side_by_side, table, text
from laxity.model_directory import ModelDirectory, model_warnings, what_was_modeled
from laxity.model_page import model_section
from laxity.notation import INTERVALS, NOTHING, duration, mean_count, number, percent
from laxity.plots import Plots
from laxity.quality_of_service import METRICS, Metric
from laxity.results import Results
from laxity.run_directory import RunDirectory
from laxity.simulation_directory import SimulationDirectory
from laxity.simulations import rate, shown_run, simulated_treatments, simulation_warnings, what_fits, what_was_simulated
from laxity.study import Study
from laxity.trace_directory import TraceDirectory, trace_warnings, what_was_traced
from laxity.trace_page import trace_section
from laxity.treatments import (
    BEST_EFFORT,
    EVERY_UPDATE,
    MODES,
    Group,
    Quality,
    Treatment,
    WorkerQuality,
    study_titles,
    worker_qualities,
)

_MOST_WORKERS = 64  # of one group in the table of workers
_MOST_RUNS = 64  # of one study in the table of simulations
_KNOWN_FACTS = (
    ("host", "host"),
    ("cpu_model", "processor"),
    ("cores", "cores"),
    ("placement", "placement"),
    ("start", "start"),
    ("end", "end"),
    ("seed", "seed"),
    ("git_commit", "commit"),
)


def compose(studies: Sequence[Study], results: Results, plots: Plots) -> str:
    """Put the whole page together."""
    title = " and ".join(study_titles(studies))
    colorings = [study for study in studies if isinstance(study, RunDirectory)]
    simulations = [study for study in studies if isinstance(study, SimulationDirectory)]
    arrivals = [study for study in studies if isinstance(study, ArrivalDirectory)]
    said = [*(warnings(colorings, results.treatments) if colorings else []), *simulation_warnings(simulations)]
    said += arrival_warnings(arrivals)
    said += model_warnings([study for study in studies if isinstance(study, ModelDirectory)])
    by_mode = results.of_modes(colorings)
    traces = [study for study in studies if isinstance(study, TraceDirectory)]
    said += trace_warnings(traces)
    body = "\n".join(
        [
            _header(studies, title),
            _warnings(said),
            _cards(key_findings(by_mode.treatments, by_mode.qualities), by_mode.treatments),
            evidence_section(evidence(colorings, results.effects)),
            _comparison(plots, by_mode.treatments),
            section(
                "The mesh",
                "The colors of all nodes in one run, and where they clash.",
                side_by_side(figures(plots.mesh)),
            ),
            _messages(plots, by_mode.qualities, worker_qualities(colorings)),
            section(
                "Messages in space and time",
                "What traveled between two workers for a moment, from the message log.",
                side_by_side(figures(plots.diagrams)),
            ),
            experiment_sections(colorings, results.comparisons, results.effects, plots),
            _simulation(plots, simulations),
            arrival_section(arrivals, plots.arrivals),
            model_section(plots.models),
            trace_section(traces, plots.traces),
            _machine(studies),
            _how_to_repeat(studies),
        ]
    )
    style = files(laxity).joinpath("report.css").read_text(encoding="utf-8")
    return (
        "<!DOCTYPE html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(title)} · laxity</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n{body}\n"
        f"<footer>Written by laxity {text(laxity.__version__)}. The tables behind this page are the CSV files of the "
        "run directory.</footer>\n</main>\n</body>\n</html>\n"
    )


def _header(studies: Sequence[Study], title: str) -> str:
    kicker = " · ".join(dict.fromkeys(_kicker(study) for study in studies))
    paragraphs = [_what_it_is(study) for study in studies]
    if len(studies) > 1:
        named = zip(study_titles(studies), paragraphs, strict=True)
        paragraphs = [f"{name}: {paragraph}" for name, paragraph in named]
    lead = "\n".join(f'<p class="lead">{text(paragraph)}</p>' for paragraph in paragraphs)
    return f'<header>\n<p class="kicker">{kicker}</p>\n<h1>{text(title)}</h1>\n{lead}\n</header>'


def _kicker(study: Study) -> str:
    if isinstance(study, SimulationDirectory):
        return "Optimistic simulation · PHOLD"
    if isinstance(study, ArrivalDirectory):
        return "Collectives · arrival patterns"
    if isinstance(study, ModelDirectory):
        return "Discrete-event simulation · models"
    if isinstance(study, TraceDirectory):
        return "Collectives · a traced program"
    if study.is_custom:
        return "Best-effort communication · a program of your own"
    return "Graph coloring · asynchronicity modes"


def _what_it_is(study: Study) -> str:
    if isinstance(study, SimulationDirectory):
        return what_was_simulated(study)
    if isinstance(study, ModelDirectory):
        return what_was_modeled(study)
    if isinstance(study, TraceDirectory):
        return what_was_traced(study)
    return what_was_measured(study) if isinstance(study, ArrivalDirectory) else what_was_run(study)


def _warnings(sentences: Sequence[str]) -> str:
    if not sentences:
        return ""
    items = "".join(f"<li>{text(sentence)}</li>" for sentence in sentences)
    return f'<div class="warnings" role="note">\n<h2>Read with care</h2>\n<ul>{items}</ul>\n</div>'


def _cards(findings: Sequence[Finding], treatments: Sequence[Treatment]) -> str:
    if not findings:
        return ""
    cards = []
    for finding in findings:
        of_group = {treatment.mode: treatment for treatment in treatments if treatment.group.title == finding.title}
        sentences = "\n".join(f"<p>{text(sentence)}</p>" for sentence in finding.sentences)
        cards.append(f'<div class="card">\n<h3>{text(finding.title)}</h3>\n{_big_numbers(of_group)}{sentences}\n</div>')
    return (
        '<section>\n<h2>Key findings</h2>\n<p class="muted">Share of the isolated rate that is kept. Means over '
        f"replicates; in brackets, {INTERVALS} (BCa).</p>\n"
        f'<div class="cards">\n{"".join(cards)}\n</div>\n</section>'
    )


def _big_numbers(of_group: dict) -> str:
    numbers = [
        f'<div><strong class="mode-{mode.number}">{text(percent(of_group[mode].ratio.mean))}</strong>'
        f"<span>{title}</span></div>"
        for mode, title in ((BEST_EFFORT, "best effort"), (EVERY_UPDATE, "a barrier every update"))
        if mode in of_group and of_group[mode].ratio is not None
    ]
    return f'<div class="numbers">{"".join(numbers)}</div>\n' if numbers else ""


def _comparison(plots: Plots, treatments: Sequence[Treatment]) -> str:
    if not treatments:
        return ""
    lead = "How fast the workers go in each mode, and what is left to solve when the time is up."
    cells = side_by_side([*figures(plots.comparison), _modes()])
    return section("Speed and conflicts", lead, f"{cells}\n{_treatment_table(treatments)}")


def _modes() -> str:
    entries = "".join(
        f'<dt class="mode-{mode.number}">{mode.number} {text(mode.title)}</dt><dd>{text(capital(mode.meaning))}.</dd>'
        for mode in MODES
    )
    return f'<div class="card stacked">\n<h3>The modes</h3>\n<dl>{entries}</dl>\n</div>\n'


def _treatment_table(treatments: Sequence[Treatment]) -> str:
    if not treatments:
        return ""
    headings = (
        "mode",
        "replicates",
        "updates per second and worker",
        "share of the isolated rate",
        "conflicts at the end",
    )
    rows = []
    group = None
    for treatment in treatments:
        if treatment.group != group:
            group = treatment.group
            rows.append(group_row(group.title, len(headings)))
        conflicts = treatment.conflicts
        rows.append(
            row(
                text(f"{treatment.mode.number} {treatment.mode.title}"),
                text(treatment.rate.count),
                interval_cell(treatment.rate, number),
                interval_cell(treatment.ratio, percent),
                interval_cell(conflicts, mean_count),
            )
        )
    return table(headings, rows)


def _messages(plots: Plots, qualities: Sequence[Quality], workers: Sequence[WorkerQuality]) -> str:
    if not qualities:
        return ""
    headings = ("mode", "links", "observations", *_metric_headings())
    rows = []
    group = None
    for quality in qualities:
        if quality.group != group:
            group = quality.group
            rows.append(group_row(group.title, len(headings)))
        cells = [interval_cell(quality.means[metric.column], _writer(metric)) for metric in METRICS]
        kind = quality.neighbor_kind.replace("_", " ")
        rows.append(row(text(quality.mode.title), text(kind), text(number(quality.observations)), *cells))
    lead = "How well messages got through while the workers ran, from counters that an observer read at two moments."
    cells = side_by_side([*figures(plots.messages), _metrics()])
    return section("Messages", lead, f"{cells}\n{table(headings, rows)}\n{_workers(workers)}")


def _workers(workers: Sequence[WorkerQuality]) -> str:
    """A table of every worker, folded up; of large groups only the workers with the longest latency."""
    if not workers:
        return ""
    of_group: dict[Group, list[WorkerQuality]] = {}
    for worker in workers:
        of_group.setdefault(worker.group, []).append(worker)
    headings = ("worker", *_metric_headings())
    rows = []
    for group, members in of_group.items():
        shown = _longest_latencies(members, _MOST_WORKERS)
        left_out = f", the {len(shown)} with the longest latency" if len(shown) < len(members) else ""
        rows.append(group_row(f"{group.title}{left_out}", len(headings)))
        rows += [
            row(
                text(worker.worker),
                *(interval_cell(worker.means[metric.column], _writer(metric)) for metric in METRICS),
            )
            for worker in shown
        ]
    title = f"By worker, {BEST_EFFORT.title}"
    note = (
        "What a worker sends counts for its failure rate, what it receives for the rest; links to itself are left out."
    )
    return (
        f"<details>\n<summary>{text(title)}</summary>\n{table(headings, rows)}\n"
        f'<p class="muted">{text(note)}</p>\n</details>'
    )


def _longest_latencies(workers: Sequence[WorkerQuality], most: int) -> list[WorkerQuality]:
    def latency(worker: WorkerQuality) -> float:
        interval = worker.means["walltime_latency_ns"]
        return interval.mean if interval else 0.0

    shown = sorted(workers, key=latency, reverse=True)[:most]
    return sorted(shown, key=lambda worker: worker.worker)


def _simulation(plots: Plots, studies: Sequence[SimulationDirectory]) -> str:
    if not any(len(study.runs) for study in studies):
        return ""
    lead = "Workers that process events without waiting, and take back what turns out to have been too early."
    tables = f"{_simulation_treatments(studies)}\n{_simulation_runs(studies)}\n{_simulation_workers(studies)}"
    fits = _what_fits(studies)
    return section("Optimistic simulation", lead, f"{fits}{side_by_side(figures(plots.simulation))}\n{tables}")


def _what_fits(studies: Sequence[SimulationDirectory]) -> str:
    sentences = [sentence for study in studies for sentence in what_fits(study)]
    if not sentences:
        return ""
    items = "".join(f"<li>{text(sentence)}</li>" for sentence in sentences)
    note = (
        "The fastest for each model, and what the replicates cannot tell from it: the interval of its rate relative to "
        "the fastest, replicate by replicate, reaches 1."
    )
    return (
        '<div class="card">\n<h3>What fits which model</h3>\n'
        f'<ul>{items}</ul>\n<p class="muted">{text(note)}</p>\n</div>\n'
    )


def _simulation_runs(studies: Sequence[SimulationDirectory]) -> str:
    headings = ("run", "seed", "events", "seconds", "events per second", "efficiency", "rollbacks", "digest", "status")
    rows = []
    for title, study in zip(study_titles(studies), studies, strict=True):
        if simulated_treatments(study):
            continue
        rows.append(group_row(title, len(headings)))
        rows += [
            row(
                text(f"{run.run} {run.team}"),
                text(run.seed),
                text(number(run.committed)),
                text(number(run.seconds)),
                text(number(run.committed_per_second)),
                text(percent(run.efficiency)),
                text(number(run.rollbacks)),
                text(run.digest if run.digest.strip("0") else NOTHING),
                text(run.status),
            )
            for run in study.runs.head(_MOST_RUNS).itertuples(index=False)
        ]
        found = rate(study)
        if found is not None and found.known:
            rows.append(row("mean", "", "", "", interval_cell(found, number), *[""] * 4))
    return table(headings, rows) if rows else ""


def _simulation_treatments(studies: Sequence[SimulationDirectory]) -> str:
    headings = ("treatment", "replicates", "events per second", "efficiency")
    rows = []
    for title, study in zip(study_titles(studies), studies, strict=True):
        group = None
        for treatment in simulated_treatments(study):
            heading = f"{title}: {treatment.figure}, {treatment.condition}"
            if heading != group:
                group = heading
                rows.append(group_row(heading, len(headings)))
            efficiency = text(percent(treatment.efficiency))
            rows.append(
                row(
                    text(treatment.label),
                    text(treatment.rate.count),
                    interval_cell(treatment.rate, number),
                    efficiency,
                )
            )
    return table(headings, rows) if rows else ""


def _simulation_workers(studies: Sequence[SimulationDirectory]) -> str:
    """A table of the workers of the run that the plots show, with their total."""
    headings = (
        *("worker", "committed", "processed", "rolled back", "efficiency", "rollbacks by stragglers"),
        *("by canceled events", "anti-messages", "remote events", "throttled turns", "peak events"),
    )
    summed = ("committed", "processed", "rolled_back", "primary_rollbacks", "secondary_rollbacks", "anti_messages")
    rows = []
    for title, study in zip(study_titles(studies), studies, strict=True):
        run = shown_run(study)
        workers = study.workers[study.workers["run"] == run["run"]] if run is not None else study.workers.head(0)
        if workers.empty:
            continue
        rows.append(group_row(f"{title}: {run['team']}, run {run['run']}", len(headings)))
        total = workers[[*summed, "remote_events", "local_events", "throttled", "peak_events"]].sum().to_dict()
        total["efficiency"] = run["efficiency"]
        named = [(str(worker["worker"]), worker) for worker in workers.head(_MOST_WORKERS).to_dict("records")]
        rows += [_simulation_worker(name, counts) for name, counts in [*named, ("all", total)]]
    return table(headings, rows) if rows else ""


def _simulation_worker(name: str, counts: Mapping[str, float]) -> str:
    sent = counts["remote_events"] + counts["local_events"]
    cells = [number(counts[column]) for column in ("committed", "processed", "rolled_back")]
    cells.append(percent(counts["efficiency"]))
    cells += [number(counts[column]) for column in ("primary_rollbacks", "secondary_rollbacks", "anti_messages")]
    cells.append(percent(counts["remote_events"] / sent) if sent else NOTHING)
    cells += [number(counts[column]) for column in ("throttled", "peak_events")]
    return row(text(name), *(text(cell) for cell in cells))


def _metric_headings() -> list[str]:
    return [f"{metric.title}{_unit(metric)}" for metric in METRICS]


def _metrics() -> str:
    entries = "".join(
        f"<dt>{text(capital(metric.title))} ({text(metric.unit)})</dt><dd>{text(capital(metric.definition))}.</dd>"
        for metric in METRICS
    )
    return (
        f'<div class="card stacked">\n<h3>What is measured</h3>\n<dl>{entries}</dl>\n<p class="muted">Δ is the '
        "difference between the two observations of a snapshot. After Moreno and Ofria, Best-effort communication "
        "improves performance and scales robustly on conventional hardware, II-D, its misprints put right. Links over "
        "which nothing was sent are left out.</p>\n</div>\n"
    )


def _unit(metric: Metric) -> str:
    return f", {metric.unit}" if metric.unit == "updates" else ""


def _writer(metric: Metric):
    if metric.unit == "ns":
        return lambda time: duration(time, padded=True)
    return percent if metric.unit == "1" else lambda value: number(value, 3, padded=True)


def _machine(studies: Sequence[Study]) -> str:
    parts = []
    for title, study in zip(study_titles(studies), studies, strict=True):
        facts = [
            (label, study.manifest[key]) for key, label in _KNOWN_FACTS if study.manifest.get(key) not in (None, "", [])
        ]
        versions = study.manifest.get("versions")
        facts += sorted(versions.items()) if isinstance(versions, dict) else []
        heading = f"<h3>{text(title)}</h3>\n" if len(studies) > 1 else ""
        configuration = _definitions(study.configuration.items())
        more = f"<details>\n<summary>Configuration</summary>\n{configuration}\n</details>" if configuration else ""
        parts.append(f'<div class="card">\n{heading}{_definitions(facts)}\n{more}\n</div>')
    return section(
        "Machine and configuration", "As the manifest has them.", f'<div class="cards">{"".join(parts)}</div>'
    )


def _definitions(facts: Iterable[tuple[str, object]]) -> str:
    entries = "".join(f"<dt>{text(name)}</dt><dd>{text(_value(value))}</dd>" for name, value in facts)
    return f"<dl>{entries}</dl>" if entries else ""


def _value(value: object) -> str:
    if isinstance(value, list) and all(isinstance(item, str | int | float) for item in value):
        return ", ".join(str(item) for item in value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _how_to_repeat(studies: Sequence[Study]) -> str:
    lines = [str(study.manifest["command_line"]) for study in studies if study.manifest.get("command_line")]
    if not lines:
        return ""
    lead = "The same command runs the study again, or goes on with it where it was interrupted."
    return section("How to repeat", lead, "".join(f"<pre><code>{text(line)}</code></pre>" for line in lines))
