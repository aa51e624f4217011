"""The result of studies of best-effort communication in words: what was run, the result, and reservations.

A difference is claimed only where its p value, corrected for the number of groups that are compared (Holm), is below
0.05.

Elsewhere: the numbers (``treatments``, ``link_quality``), how they are written (``notation``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from laxity.intervals import SIGNIFICANCE, Interval, holm
from laxity.notation import capital, counted, duration, listed, mean_count, number, percent, team_title, with_bounds
from laxity.studies.best_effort.link_quality import Quality
from laxity.studies.best_effort.modes import BEST_EFFORT, EVERY_UPDATE, ISOLATED
from laxity.studies.best_effort.quality_of_service import disagreements
from laxity.studies.best_effort.treatments import Group, Treatment, rate_against
from laxity.study import DONE, study_titles

if TYPE_CHECKING:
    from laxity.studies.best_effort.study import BestEffortStudy


def summary(study: BestEffortStudy) -> str:
    """Describe the mesh and the runs in a paragraph."""
    runs, configuration = study.runs, study.configuration
    if runs.empty:
        return "No run ended, so there is nothing to compare yet."
    if study.is_custom:
        program = " ".join(map(str, configuration.get("program", ["a program"])))
        varied = str(configuration.get("vary", ""))
        return f"{program}: {counted(len(runs), 'run')}{f', with {varied}' if varied else ''}."
    nodes = listed([number(count) for count in sorted(runs["nodes_per_worker"].unique())], "or")
    nodes += " node" if nodes == "1" else " nodes"
    teams = listed([team_title(shape) for shape in runs["shape"].unique()])
    sizes = ["shape", "mode", "nodes_per_worker", "parts_per_worker"]
    replicates = runs.groupby([*sizes, "work", "guard", "fault", "reaction", "hosts"])["replicate"].nunique()
    length = " or ".join(duration(time) for time in sorted(runs["duration_ns"].unique())[:3])
    if study.kind_of_time:
        length += f" of {study.kind_of_time}"
    topology = configuration.get("topology", "torus")
    mesh = "a torus" if topology == "torus" else f"the graph {topology}"
    return (
        f"Graph coloring with {configuration.get('colors', 3)} colors on {mesh}, {nodes} per worker: each node "
        "picks random colors until no neighbor has the same one, and sends its color to its neighbors after every "
        f"update. {len(runs)} runs of {length}, {_range_of(replicates, 'replicate')} of {_list_of_modes(runs)}, with "
        f"{teams}."
    )


@dataclass(frozen=True)
class Finding:
    """The result of one group, in sentences; the first is about the rates."""

    title: str
    sentences: tuple[str, ...]


def key_findings(treatments: Sequence[Treatment], qualities: Sequence[Quality]) -> list[Finding]:
    """Describe the result of every group of several workers, or of all groups if there is none.

    Parameters
    ----------
    treatments, qualities : sequence of Treatment, of Quality
        From one report.

    Returns
    -------
    list of Finding
        In the order of the groups; empty where nothing was summarized.
    """
    by_group: dict[Group, dict[int, Treatment]] = {}
    for treatment in treatments:
        by_group.setdefault(treatment.group, {})[treatment.mode.number] = treatment
    found = []
    gains = _gains(by_group)
    for group, of_mode in by_group.items():
        if group.workers > 1:
            sentences = (
                *_about_rates(of_mode, *gains.get(group, (None, 1.0))),
                *_about_conflicts(of_mode),
                *_about_messages(group, qualities),
            )
            found.append(Finding(group.title, sentences))
    return found or [Finding(group.title, (_about_fastest(of_mode),)) for group, of_mode in by_group.items()]


def _gains(by_group: dict[Group, dict[int, Treatment]]) -> dict[Group, tuple[Interval, float]]:
    """By group of several workers: rate of best effort ÷ rate of lockstep, and its p value corrected by Holm."""
    gains = {}
    for group, of_mode in by_group.items():
        if group.workers > 1 and BEST_EFFORT.number in of_mode and EVERY_UPDATE.number in of_mode:
            gain = rate_against(of_mode[BEST_EFFORT.number], of_mode[EVERY_UPDATE.number])
            if gain is not None:
                gains[group] = gain
    corrected = holm([1.0 if gain.p is None else gain.p for gain in gains.values()])
    return {group: (gain, float(p)) for (group, gain), p in zip(gains.items(), corrected, strict=True)}


def _about_rates(of_mode: dict[int, Treatment], gain: Interval | None, p: float) -> list[str]:
    free, lockstep = of_mode.get(BEST_EFFORT.number), of_mode.get(EVERY_UPDATE.number)
    kept = [
        f"{who} kept {with_bounds(treatment.ratio, percent)}"
        for who, treatment in (("best effort", free), ("a barrier every update", lockstep))
        if treatment and treatment.ratio
    ]
    alone = next((treatment.alone for treatment in of_mode.values()), None)
    sentences = []
    if kept:
        kept[0] += " of the rate without communication" if alone else " of the isolated rate"
        sentences.append(capital("; ".join(kept)) + ".")
    if gain is not None:
        times = with_bounds(gain, lambda ratio: number(ratio, 3))
        sentences.append(f"Best effort made {times} times as many updates as lockstep{_doubt(gain, p)}.")
    return sentences or [_about_fastest(of_mode)]


def _doubt(gain: Interval, p: float) -> str:
    if not gain.known:
        return " (one pair of runs)"
    return "" if p < SIGNIFICANCE else f"; the difference is not significant (p = {p:.2g})"


def _about_conflicts(of_mode: dict[int, Treatment]) -> list[str]:
    titles = (
        (BEST_EFFORT, "with best effort"),
        (EVERY_UPDATE, "with a barrier every update"),
        (ISOLATED, "in isolation"),
    )
    sentences = [
        f"{with_bounds(of_mode[mode.number].conflicts, mean_count)} {title}"
        for mode, title in titles
        if mode.number in of_mode
    ]
    return [f"Edges in conflict at the end: {listed(sentences)}."] if sentences else []


def _about_messages(group: Group, qualities: Sequence[Quality]) -> list[str]:
    sentences = []
    for quality in qualities:
        if quality.group == group and quality.mode == BEST_EFFORT and quality.neighbor_kind != "same_thread":
            latency, time = quality.means["simstep_latency_updates"], quality.means["walltime_latency_ns"]
            refused = quality.means["delivery_failure_rate"]
            between = {"thread": "threads", "process": "processes", "host": "hosts"}[quality.neighbor_kind]
            sentences.append(
                f"With best effort a message between {between} took {number(latency.mean, 3)} updates "
                f"({duration(time.mean)}) on average, and {percent(refused.mean)} of the messages were refused."
            )
    return sentences


def _about_fastest(of_mode: dict[int, Treatment]) -> str:
    fastest = max(of_mode.values(), key=lambda treatment: treatment.rate.mean)
    rate = with_bounds(fastest.rate, number)
    return f"{rate} updates per second and worker in mode {fastest.mode.number} ({fastest.mode.title})."


def warnings(studies: Sequence[BestEffortStudy], treatments: Sequence[Treatment]) -> list[str]:
    """List reservations about the result: interruptions, failures, single runs, too few cores.

    Parameters
    ----------
    studies, treatments : sequence of BestEffortStudy, of Treatment
        From one report.

    Returns
    -------
    list of str
        One sentence each or two; empty when there is nothing to say.
    """
    sentences = []
    for title, study in zip(study_titles(studies), studies, strict=True):
        of_study = _about_the_study(study)
        sentences += [f"{title}: {sentence}" for sentence in of_study] if len(studies) > 1 else of_study
    if single := sum(treatment.rate.count == 1 for treatment in treatments):
        who = (
            "Every treatment has"
            if single == len(treatments)
            else (f"{single} of {counted(len(treatments), 'treatment')} {'has' if single == 1 else 'have'}")
        )
        sentences.append(f"{who} only 1 replicate: there are no intervals.")
    return sentences


def _about_the_study(study: BestEffortStudy) -> list[str]:
    sentences = []
    if study.status != DONE:
        sentences.append(
            f"The study did not end (status {study.status!r}); this report covers {_of_planned(study)} that did. "
            "The same command resumes it."
        )
    failed = study.runs[study.runs["status"] != DONE]
    if len(failed):
        first = failed[["run", "status"]].head(5).itertuples(index=False)
        names = ", ".join(f"{run} ({status})" for run, status in first)
        sentences.append(f"Left out because of how it ended: {counted(len(failed), 'run')}: {names}.")
    sentences += study.about_disturbances()
    sentences += _about_cores(study)
    sentences += [f"{note}." for note in study.notes]
    sentences += [
        f"In qos.csv {counted(count, 'value')} of {metric} {'does' if count == 1 else 'do'} not agree with the counts; "
        "the file was written by another version of laxity."
        for metric, count in disagreements(study.qos).items()
    ]
    asks_workers = len(study.qos) and not study.is_custom  # a custom study reads counters without asking
    unanswered = (study.qos["answered"] == 0).mean() if asks_workers else 0
    if unanswered > 0:
        sentences.append(
            f"{percent(unanswered)} of the requests for an observation were not answered in time; the counters were "
            "read without an answer."
        )
    return sentences


def _of_planned(study: BestEffortStudy) -> str:
    ended = len(study.ended_runs())
    names = ("shapes", "modes", "replicates", "treatments")
    shapes, modes, replicates, treatments = (study.configuration.get(key) for key in names)
    if not (isinstance(shapes, list) and isinstance(modes, list) and isinstance(replicates, int)):
        return f"the {counted(ended, 'run')}"
    planned = len(treatments) if isinstance(treatments, list) else len(shapes) * len(modes)
    return f"the {ended} of {counted(planned * replicates, 'run')}"


def _about_cores(study: BestEffortStudy) -> list[str]:
    if study.cores is None or study.kind_of_time:
        return []
    crowded = study.runs[study.runs["workers"] > study.cores]
    if crowded.empty:
        return []
    teams = listed([team_title(shape) for shape in crowded["shape"].unique()])
    return [
        f"{teams} share {counted(study.cores, 'core')}: workers wait to be scheduled, so the result does not "
        "carry over to a machine with one core per worker."
    ]


def _range_of(counts: pd.Series, noun: str) -> str:
    low, high = int(counts.min()), int(counts.max())
    return f"{low} to {high} {noun}s" if low < high else counted(high, noun)


def _list_of_modes(runs: pd.DataFrame) -> str:
    numbers = sorted(runs["mode"].unique())
    if len(numbers) == 1:
        return f"mode {numbers[0]}"
    if numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"each of the modes {numbers[0]} to {numbers[-1]}"
    return f"each of the modes {listed([str(mode) for mode in numbers])}"
