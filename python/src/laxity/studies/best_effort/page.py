"""What a report shows of best-effort communication; the template is ``page.html``.

Elsewhere: the numbers (``treatments``, ``link_quality``, ``effects``), the sentences (``findings``), the plots
(``plots``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, groupby

from laxity.notation import duration
from laxity.plots.style import Plot
from laxity.studies.best_effort.comparisons import Comparison, comparisons
from laxity.studies.best_effort.effects import Effect, effects, table_of
from laxity.studies.best_effort.effects_in_words import sentences, size
from laxity.studies.best_effort.findings import key_findings, warnings
from laxity.studies.best_effort.link_quality import WorkerQuality, qualities, worker_qualities
from laxity.studies.best_effort.modes import BEST_EFFORT, EVERY_UPDATE, MODES
from laxity.studies.best_effort.plots import experiments as experiment_plots
from laxity.studies.best_effort.plots import modes as mode_plots
from laxity.studies.best_effort.plots import quality as quality_plots
from laxity.studies.best_effort.plots import space_time, torus
from laxity.studies.best_effort.quality_of_service import ALL_METRICS
from laxity.studies.best_effort.study import QUESTIONS, BestEffortStudy
from laxity.studies.best_effort.treatments import treatments
from laxity.study import Chapter, study_titles

_MAX_WORKERS = 64  # of one group in the table of workers
_MAX_ROWS = 240  # of one study in the table of effects; effects.csv has them all


@dataclass(frozen=True)
class Experiment:
    """A study of the catalog on the page: its question, what was found, plots and effects by comparison."""

    question: str
    title: str
    boxes: Sequence[Plot]
    regressions: Sequence[Plot]
    findings: Sequence[tuple[Comparison, Sequence[str]]]
    effects: Sequence[tuple[Comparison, Sequence[Effect]]]

    @property
    def count(self) -> int:
        """Number of effects."""
        return sum(len(own) for _, own in self.effects)


def chapter(studies: Sequence[BestEffortStudy]) -> Chapter:
    """Compute and draw what the report shows of these studies."""
    found, links = treatments(studies), qualities(studies)
    compared = comparisons(studies)
    regressed = effects(studies, compared)
    by_mode = {position for position, study in enumerate(studies) if study.compares_modes}
    shown = [treatment for treatment in found if treatment.group.study in by_mode]
    shown_links = [quality for quality in links if quality.group.study in by_mode]
    experiments = _experiments(studies, compared, regressed)
    plots = {
        "comparison": mode_plots.draw(shown),
        "mesh": torus.pictures(studies),
        "messages": quality_plots.metric_plots(shown_links),
        "diagrams": space_time.diagrams(studies),
    }
    context = {
        "plots": plots,
        "quality_caption": quality_plots.CAPTION,
        "boxes_caption": experiment_plots.BOXES,
        "findings": [(finding, _big_numbers(finding.title, shown)) for finding in key_findings(shown, shown_links)],
        "treatments": _grouped(shown),
        "modes": MODES,
        "qualities": _grouped(shown_links),
        "metrics": [metric for metric in ALL_METRICS if any(link.means[metric.column] for link in shown_links)],
        "clock_error": _clock_error(studies),
        "workers": [_longest_latencies(own) for _, own in _grouped(worker_qualities(studies))],
        "workers_title": f"By worker, {BEST_EFFORT.title}",
        "experiments": experiments,
        "size": size,
        "max_rows": _MAX_ROWS,
    }
    return Chapter(
        template="best_effort/page.html",
        context=context,
        plots=[*chain(*plots.values()), *chain(*((*each.boxes, *each.regressions) for each in experiments))],
        warnings=warnings(studies, found),
        tables={"effects.csv": table_of(studies, regressed)} if regressed else {},
    )


def _clock_error(studies) -> str:
    """Write the largest error of the clocks that messages were timed by; empty where all workers read one clock."""
    largest = max((int(study.workers["clock_error_ns"].max()) for study in studies if len(study.workers)), default=0)
    return duration(largest) if largest else ""


def _grouped(rows):
    """Gather consecutive rows of one group: pairs of its title and the rows."""
    return [(group.title, list(own)) for group, own in groupby(rows, key=lambda row: row.group)]


def _big_numbers(title: str, shown) -> list[tuple]:
    """List mode, title and share of the rate without communication that a group keeps, in the two main modes."""
    of_group = {treatment.mode: treatment for treatment in shown if treatment.group.title == title}
    return [
        (mode, words, of_group[mode].ratio.mean)
        for mode, words in ((BEST_EFFORT, "best effort"), (EVERY_UPDATE, "a barrier every update"))
        if mode in of_group and of_group[mode].ratio is not None
    ]


def _longest_latencies(workers: list[WorkerQuality]) -> tuple[str, list[WorkerQuality]]:
    """Keep the workers of a group with the longest latency, by number, and say in the title if some are left out."""

    def latency(worker: WorkerQuality) -> float:
        interval = worker.means["walltime_latency_ns"]
        return interval.mean if interval else 0.0

    shown = sorted(workers, key=latency, reverse=True)[:_MAX_WORKERS]
    left_out = f", the {len(shown)} with the longest latency" if len(shown) < len(workers) else ""
    return f"{workers[0].group.title}{left_out}", sorted(shown, key=lambda worker: worker.worker)


def _experiments(
    studies: Sequence[BestEffortStudy], compared: Sequence[Comparison], regressed: Sequence[Effect]
) -> list[Experiment]:
    made = []
    plots = experiment_plots.draw(studies, compared, regressed)
    for position, (title, study) in enumerate(zip(study_titles(studies), studies, strict=True)):
        if own := [comparison for comparison in compared if comparison.study == position]:
            made.append(
                Experiment(
                    question=QUESTIONS.get(study.experiment, study.experiment),
                    title=title,
                    boxes=plots[position].boxes,
                    regressions=plots[position].regressions,
                    findings=[(comparison, sentences(comparison, regressed)) for comparison in own],
                    effects=[(each, [effect for effect in regressed if effect.comparison is each]) for each in own],
                )
            )
    return made
