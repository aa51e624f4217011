"""The result in words: what was run, what came out, and what to be careful about.

Sentences are plain text; whoever shows them on a page escapes them. A difference is claimed only where the bootstrap
interval of the paired ratios leaves out 1.

Elsewhere: the numbers (``treatments``), how they are written (``notation``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from laxity.bootstrap import Interval
from laxity.notation import duration, mean_count, number, percent, with_bounds
from laxity.quality_of_service import disagreements
from laxity.run_directory import DONE, RunDirectory
from laxity.treatments import (
    BEST_EFFORT,
    EVERY_UPDATE,
    ISOLATED,
    Group,
    Quality,
    Treatment,
    rate_against,
    shape_title,
    study_titles,
)

FEW_REPLICATES = 5
"""Below this, an interval is hardly more than the range of what was seen."""


def what_was_run(study: RunDirectory) -> str:
    """Say in a paragraph what the study did."""
    runs, configuration = study.runs, study.configuration
    if runs.empty:
        return "No run ended, so there is nothing to compare yet."
    if study.is_custom:
        program = " ".join(map(str, configuration.get("program", ["a program"])))
        varied = str(configuration.get("vary", ""))
        return f"{program}: {_counted(len(runs), 'run')}{f', with {varied}' if varied else ''}."
    colors = configuration.get("colors", 3)
    nodes = " or ".join(number(count) for count in sorted(runs["nodes_per_worker"].unique()))
    shapes = [shape_title(shape) for shape in runs["shape"].unique()]
    sizes = ["shape", "mode", "nodes_per_worker", "parts_per_worker"]
    replicates = runs.groupby([*sizes, "work", "guard", "fault", "reaction", "hosts"])["replicate"].nunique()
    seconds = " or ".join(duration(time) for time in sorted(runs["duration_ns"].unique())[:3])
    topology = configuration.get("topology", "torus")
    mesh = "a torus" if topology == "torus" else f"the graph {topology}"
    return (
        f"Graph coloring with {colors} colors on {mesh}, {nodes} nodes per worker: every node picks a color "
        f"at random until none of its neighbors shows the same, and sends its color to them after every update. "
        f"{len(runs)} runs of {seconds}{_of_virtual_time(study)}, {_times(replicates)} of {_list_of_modes(runs)}, "
        f"with {_and(shapes)}."
    )


def _of_virtual_time(study: RunDirectory) -> str:
    return " of virtual time (simulated in one thread from the seed)" if study.is_simulated else ""


@dataclass(frozen=True)
class Finding:
    """What came out for one group, in sentences; the first is about the rates."""

    title: str
    sentences: tuple[str, ...]


def key_findings(treatments: Sequence[Treatment], qualities: Sequence[Quality]) -> list[Finding]:
    """Say what came out, for every group in which workers had to do with one another; for all groups if there is none.

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
    for group, of_mode in by_group.items():
        if group.workers > 1:
            sentences = (*_about_rates(of_mode), *_about_conflicts(of_mode), *_about_messages(group, qualities))
            found.append(Finding(group.title, sentences))
    return found or [Finding(group.title, (_about_one_worker(of_mode),)) for group, of_mode in by_group.items()]


def _about_rates(of_mode: dict[int, Treatment]) -> list[str]:
    free, lockstep = of_mode.get(BEST_EFFORT.number), of_mode.get(EVERY_UPDATE.number)
    kept = [
        f"{who} kept {with_bounds(treatment.ratio, percent)}"
        for who, treatment in (("best effort", free), ("a barrier every update", lockstep))
        if treatment and treatment.ratio
    ]
    said = []
    if kept:
        kept[0] += " of the isolated rate"
        said.append(_capital("; ".join(kept)) + ".")
    if free and lockstep and (gain := rate_against(free, lockstep)):
        times = with_bounds(gain, lambda ratio: number(ratio, 3))
        said.append(f"Best effort made {times} times as many updates as lockstep{_doubt(gain)}.")
    return said or [_about_one_worker(of_mode)]


def _doubt(gain: Interval) -> str:
    if gain.low is None or gain.high is None:
        return " (one pair of runs)"
    return "; the interval holds 1, so no difference can be claimed" if gain.low <= 1 <= gain.high else ""


def _about_conflicts(of_mode: dict[int, Treatment]) -> list[str]:
    titles = (
        (BEST_EFFORT, "with best effort"),
        (EVERY_UPDATE, "with a barrier every update"),
        (ISOLATED, "in isolation"),
    )
    said = [
        f"{with_bounds(of_mode[mode.number].conflicts, mean_count)} {title}"
        for mode, title in titles
        if mode.number in of_mode
    ]
    return [f"Edges in conflict at the end: {_and(said)}."] if said else []


def _about_messages(group: Group, qualities: Sequence[Quality]) -> list[str]:
    said = []
    for quality in qualities:
        if quality.group == group and quality.mode == BEST_EFFORT and quality.neighbor_kind != "same_thread":
            latency, time = quality.means["simstep_latency_updates"], quality.means["walltime_latency_ns"]
            refused = quality.means["delivery_failure_rate"]
            between = {"thread": "threads", "process": "processes", "host": "hosts"}[quality.neighbor_kind]
            said.append(
                f"Under best effort a message between {between} took {number(latency.mean, 3)} updates "
                f"({duration(time.mean)}) on average, and {percent(refused.mean)} of them were refused."
            )
    return said


def _about_one_worker(of_mode: dict[int, Treatment]) -> str:
    fastest = max(of_mode.values(), key=lambda treatment: treatment.rate.mean)
    rate = with_bounds(fastest.rate, number)
    return f"{rate} updates per second and worker in mode {fastest.mode.number} ({fastest.mode.title})."


def warnings(studies: Sequence[RunDirectory], treatments: Sequence[Treatment]) -> list[str]:
    """Say what makes the result less than it seems: interruptions, failures, few replicates, too few cores.

    Parameters
    ----------
    studies, treatments : sequence of RunDirectory, of Treatment
        From one report.

    Returns
    -------
    list of str
        One sentence each or two; empty when there is nothing to say.
    """
    said = []
    for title, study in zip(study_titles(studies), studies, strict=True):
        of_study = _about_the_study(study)
        said += [f"{title}: {sentence}" for sentence in of_study] if len(studies) > 1 else of_study
    few = [treatment for treatment in treatments if treatment.rate.count < FEW_REPLICATES]
    if few:
        fewest, most = min(t.rate.count for t in few), max(t.rate.count for t in few)
        count = f"{fewest} to {most} replicates" if fewest < most else _counted(most, "replicate")
        sure = "without an interval" if most == 1 else "too few for intervals to be trusted"
        who = (
            "Every treatment has"
            if len(few) == len(treatments)
            else f"{len(few)} of {_counted(len(treatments), 'treatment')} {'has' if len(few) == 1 else 'have'}"
        )
        said.append(f"{who} only {count}: {sure}.")
    return said


def _about_the_study(study: RunDirectory) -> list[str]:
    said = []
    if study.status != DONE:
        said.append(
            f"The study did not end (status {study.status!r}); what follows is from "
            f"{_of_planned(study)} that did. The same command resumes it."
        )
    failed = study.runs[study.runs["status"] != DONE]
    if len(failed):
        first = failed[["run", "status"]].head(5).itertuples(index=False)
        names = ", ".join(f"{run} ({status})" for run, status in first)
        said.append(f"Left out because of how it ended: {_counted(len(failed), 'run')}: {names}.")
    said += _about_cores(study)
    said += [f"{note}." for note in study.notes]
    said += [
        f"In qos.csv {_counted(count, 'value')} of {metric} {'is' if count == 1 else 'are'} not what the counts say; "
        "the file was written by another laxity."
        for metric, count in disagreements(study.qos).items()
    ]
    asked = len(study.qos) and not study.is_custom  # of any program counters are read as they stand
    unanswered = (study.qos["answered"] == 0).mean() if asked else 0
    if unanswered > 0:
        said.append(
            f"{percent(unanswered)} of the observations were not answered in time; "
            "their counts were taken as they stood."
        )
    return said


def _of_planned(study: RunDirectory) -> str:
    ended = len(study.ended_runs())
    names = ("shapes", "modes", "replicates", "treatments")
    shapes, modes, replicates, treatments = (study.configuration.get(key) for key in names)
    if not (isinstance(shapes, list) and isinstance(modes, list) and isinstance(replicates, int)):
        return f"the {_counted(ended, 'run')}"
    planned = len(treatments) if isinstance(treatments, list) else len(shapes) * len(modes)
    return f"the {ended} of {_counted(planned * replicates, 'run')}"


def _about_cores(study: RunDirectory) -> list[str]:
    cores = study.manifest.get("cores")
    if not isinstance(cores, int) or cores < 1 or study.is_simulated:
        return []
    crowded = study.runs[study.runs["workers"] > cores]
    if crowded.empty:
        return []
    shapes = _and([shape_title(shape) for shape in crowded["shape"].unique()])
    return [
        f"{shapes} share {cores} {'core' if cores == 1 else 'cores'}: their workers wait for one another to be "
        "scheduled, which says little about a machine with a core for each."
    ]


def _times(replicates: pd.Series) -> str:
    fewest, most = int(replicates.min()), int(replicates.max())
    return f"{fewest} to {most} replicates" if fewest < most else _counted(most, "replicate")


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _list_of_modes(runs: pd.DataFrame) -> str:
    numbers = sorted(runs["mode"].unique())
    if len(numbers) == 1:
        return f"mode {numbers[0]}"
    if numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"each of the modes {numbers[0]} to {numbers[-1]}"
    return f"each of the modes {_and([str(mode) for mode in numbers])}"


def _and(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
