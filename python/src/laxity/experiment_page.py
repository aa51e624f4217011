"""The experiments on the report's page: for each one what it asked, what was found, plots and the table of effects.

Elsewhere: the numbers (``experiments``), the sentences (``effects_in_words``), the claims (``evidence``), the pieces of
HTML (``markup``).
"""

from __future__ import annotations

from collections.abc import Sequence

from laxity.effects_in_words import sentences, size
from laxity.evidence import HOLDS, HOLDS_NOT, Evidence
from laxity.experiments import Comparison, Effect, experiment_of
from laxity.markup import capital, figures, group_row, row, section, side_by_side, table, text
from laxity.notation import NOTHING, percent
from laxity.plots import Plots
from laxity.run_directory import RunDirectory
from laxity.treatments import study_titles

QUESTIONS = {
    "performance": "What do barriers cost?",
    "work": "Computation against communication",
    "hosts": "Same host against different hosts",
    "threads-vs-processes": "Threads against processes",
    "weak-scaling": "Does quality of service suffer when there are more workers?",
    "faulty": "What does one bad worker do to the others?",
    "faulty-host": "What does a host that stands still do to the others?",
    "react": "What does it help to react to a slow worker?",
    "custom": "A program of your own",
}
_MARKS = {HOLDS: "✓", HOLDS_NOT: "✗"}
_MOST_ROWS = 240  # of one study; effects.csv has them all


def experiment_sections(
    studies: Sequence[RunDirectory], compared: Sequence[Comparison], effects: Sequence[Effect], plots: Plots
) -> str:
    """Make a section for each study that is an experiment of the catalog; empty where there is none."""
    titles = study_titles(studies)
    parts = []
    for position, study in enumerate(studies):
        own = [comparison for comparison in compared if comparison.study == position]
        if own:
            parts.append(_experiment(titles[position], study, own, effects, plots, position))
    return "\n".join(parts)


def evidence_section(rows: Sequence[Evidence]) -> str:
    """Make the table of the papers' claims; empty where no study says something about one."""
    headings = ("claim", "in the papers", "here", "", "why")
    made = [
        row(
            text(each.claim),
            text(each.there),
            text(each.here),
            text(f"{_MARKS.get(each.verdict, '?')} {each.verdict}"),
            text(each.why or NOTHING),
        )
        for each in rows
    ]
    lead = (
        "What the papers say, and what this machine says. The machines differ: theirs are nodes of a cluster whose "
        "processes speak MPI, here processes of one node share memory."
    )
    return section("The papers' claims", lead, table(headings, made, prose=True) if made else "")


def _experiment(
    title: str,
    study: RunDirectory,
    compared: Sequence[Comparison],
    effects: Sequence[Effect],
    plots: Plots,
    position: int,
) -> str:
    cards = []
    for comparison in compared:
        said = "".join(f"<p>{text(sentence)}</p>" for sentence in sentences(comparison, effects))
        labels = [label for _, label in comparison.levels]
        versus = " or ".join(labels) if comparison.categorical else comparison.predictor
        cards.append(f'<div class="card">\n<h3>{text(comparison.condition)}: {text(versus)}</h3>\n{said}\n</div>')
    shown = side_by_side(figures(plots.experiments.get(position, ())))
    own = [effect for effect in effects if effect.comparison in compared]
    name = experiment_of(study)
    lead = (
        f"{title}. Means by least squares, medians by quantile regression, one observation a replicate; a difference "
        "is called significant where p < 0.05. In brackets, 95 % intervals."
    )
    folded = f"<details>\n<summary>All {len(own)} effects</summary>\n{_effects(compared, own)}\n</details>"
    body = f'<div class="cards">\n{"".join(cards)}\n</div>\n{shown}\n{folded if own else ""}'
    return section(QUESTIONS.get(name, name), lead, body)


def _effects(compared: Sequence[Comparison], effects: Sequence[Effect]) -> str:
    headings = (
        "metric",
        "statistic",
        "sign",
        "levels",
        "effect",
        "95 % interval",
        "relative",
        "95 % interval",
        "n",
        "p",
    )
    rows = []
    for comparison in compared:
        rows.append(group_row(f"{comparison.condition}: {comparison.predictor}", len(headings)))
        rows += [_effect(effect) for effect in effects if effect.comparison is comparison]
    return table(headings, rows[:_MOST_ROWS])


def _effect(effect: Effect) -> str:
    in_logarithms = effect.comparison.is_in_logarithms(effect.metric)
    absolute, relative = effect.absolute, effect.relative
    ends = [size(effect.metric, end, logarithmic=in_logarithms) for end in (absolute.low, absolute.high)]
    name = f"log4 {effect.metric.title}" if in_logarithms else capital(effect.metric.title)
    cells = (
        name,
        effect.statistic,
        effect.line.sign,
        "/".join(label for _, label in effect.levels),
        size(effect.metric, absolute.value, logarithmic=in_logarithms),
        f"[{ends[0]}, {ends[1]}]",
        _share(relative.value) if relative else NOTHING,
        f"[{_share(relative.low)}, {_share(relative.high)}]" if relative else NOTHING,
        str(effect.line.count),
        f"{effect.line.p:.2g}",
    )
    return row(*map(text, cells))


def _share(share: float) -> str:
    return f"{'−' if share < 0 else ''}{percent(abs(share))}"
