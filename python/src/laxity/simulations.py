"""What optimistic simulations came to: rates over time, runs and workers, in numbers and in words.

Counts are cumulative in ``timewarp.csv``; here they become rates between moments far enough apart that the fits and
starts of GVT rounds even out.

Elsewhere: the tables (``simulation_directory``), the plots (``plots.timewarp``), the page (``page``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from laxity.bootstrap import Interval, mean_interval
from laxity.notation import INTERVALS, number, percent, with_bounds
from laxity.run_directory import DONE
from laxity.simulation_directory import SimulationDirectory
from laxity.treatments import shape_title

MOST_MOMENTS = 80
"""Of a series: more would show the noise of single GVT rounds."""


@dataclass(frozen=True)
class Series:
    """What one worker did over time; arrays of shape (moments,), a value for the time since the moment before.

    Attributes
    ----------
    worker : int
        Its number.
    wall_time_s : array
        Since the start of the run, at the end of each interval.
    gvt : array
        Units of the model.
    committed_per_second, rollbacks_per_second : array
        1/s.
    efficiency : array
        1 - rolled back ÷ processed, in [0, 1]; 1 where nothing was processed.
    """

    worker: int
    wall_time_s: NDArray[np.float64]
    gvt: NDArray[np.float64]
    committed_per_second: NDArray[np.float64]
    efficiency: NDArray[np.float64]
    rollbacks_per_second: NDArray[np.float64]


SINGLE = "single"
"""The figure of runs that belong to none: ``laxity phold`` makes them, ``laxity study timewarp`` the others."""

FIGURES = {
    "queues": "Pending-event sets",
    "optimism": "How far beyond GVT",
    "exchange": "Exchange of events",
    "events": "Events shared or copied between threads, memory of the own NUMA node or of all",
    "range": "Threads and processes by range of receivers",
    "remote": "Threads and processes by share of remote events",
}
"""Of ``laxity study timewarp``, in the order in which they are shown."""

_TREATMENT = [
    *("figure", "shape", "receivers", "range", "remote", "team"),
    *("queue", "exchange", "queues", "events", "memory", "optimism"),
]


@dataclass(frozen=True)
class SimulatedTreatment:
    """What the replicates of one treatment of a study came to.

    Attributes
    ----------
    figure : str
        Key of `FIGURES`, or another word.
    condition : str
        The model that is common to what is compared: "continuous, range 100".
    label : str
        What is compared: a queue, a control, an exchange, where events lie, or a team.
    rate : Interval
        Committed events per second, all workers together.
    rates : tuple of float
        Of the replicates that ended.
    replicates : tuple of int
        Their numbers: those of one number ran one after the other, on a machine in the same mood.
    efficiency : float
        Mean over the replicates.
    """

    figure: str
    condition: str
    label: str
    rate: Interval
    rates: tuple[float, ...]
    replicates: tuple[int, ...]
    efficiency: float


def simulated_treatments(study: SimulationDirectory) -> list[SimulatedTreatment]:
    """List the treatments of a study of figures, in the order in which they were run; none of single runs."""
    ended = study.ended_runs()
    ended = ended[ended["figure"] != SINGLE]
    made = []
    for key, runs in ended.groupby(_TREATMENT, sort=False):
        of = dict(zip(_TREATMENT, key, strict=True))
        rates = tuple(runs["committed_per_second"])
        receivers = of["receivers"] if of["receivers"] == "uniform" else f"{of['receivers']} {of[of['receivers']]:g}"
        made.append(
            SimulatedTreatment(
                figure=of["figure"],
                condition=f"{of['shape']}, {receivers}",
                label=_label(of),
                rate=mean_interval(rates),
                rates=rates,
                replicates=tuple(int(replicate) for replicate in runs["replicate"]),
                efficiency=float(runs["efficiency"].mean()),
            )
        )
    return made


def _label(of: dict) -> str:
    team = shape_title(of["team"])
    if of["figure"] == "exchange":
        has_queues = of["exchange"] not in ("rings", "attach")
        exchange = f"{of['exchange']} × {of['queues']}" if has_queues else of["exchange"]
        return f"{exchange} between {team}"
    compared = {
        "queues": of["queue"],
        "optimism": of["optimism"],
        "events": f"{of['events']}, {of['memory']}",
    }
    return compared.get(of["figure"], f"{team} with attach" if of["exchange"] == "attach" else team)


def relative_rate(treatment: SimulatedTreatment, other: SimulatedTreatment) -> Interval | None:
    """Mean of the ratios of two treatments' rates, replicate by replicate; None where no replicate has both."""
    of_other = dict(zip(other.replicates, other.rates, strict=True))
    paired = zip(treatment.replicates, treatment.rates, strict=True)
    ratios = [rate / of_other[number] for number, rate in paired if of_other.get(number)]
    return mean_interval(ratios) if ratios else None


def what_fits(study: SimulationDirectory) -> list[str]:
    """Say for each figure what is fastest for which model, and what cannot be told from it.

    A treatment is slower if the interval of its rate relative to the fastest, replicate by replicate, ends below 1.
    """
    said = []
    for figure, heading in FIGURES.items():
        conditions: dict[str, list[SimulatedTreatment]] = {}
        for treatment in simulated_treatments(study):
            if treatment.figure == figure:
                conditions.setdefault(treatment.condition, []).append(treatment)
        if conditions:
            said.append(f"{heading}: {_fastest(conditions)}.{_furthest_behind(conditions)}")
    return said


def _fastest(conditions: Mapping[str, Sequence[SimulatedTreatment]]) -> str:
    of_labels: dict[str, list[str]] = {}
    for condition, compared in conditions.items():
        best = max(compared, key=lambda treatment: treatment.rate.mean)
        others = sorted(compared, key=lambda treatment: -treatment.rate.mean)
        alike = [each.label for each in others if each is best or not _is_slower(relative_rate(each, best))]
        of_labels.setdefault(_or(alike), []).append(condition)
    return ". ".join(f"{labels} for {'; '.join(of)}" for labels, of in of_labels.items())


def _furthest_behind(conditions: Mapping[str, Sequence[SimulatedTreatment]]) -> str:
    lowest = None
    for condition, compared in conditions.items():
        best = max(compared, key=lambda treatment: treatment.rate.mean)
        for each in compared:
            ratio = relative_rate(each, best)
            if _is_slower(ratio) and (lowest is None or ratio.mean < lowest[0]):
                lowest = (ratio.mean, f"{each.label} ({condition})")
    return f" Furthest behind: {lowest[1]}, with {percent(lowest[0])} of the fastest rate." if lowest else ""


def _or(labels: Sequence[str]) -> str:
    return labels[0] if len(labels) == 1 else f"{', '.join(labels[:-1])} or {labels[-1]}"


def _is_slower(ratio: Interval | None) -> bool:
    return ratio is not None and ratio.high is not None and ratio.high < 1


def shown_run(study: SimulationDirectory) -> pd.Series | None:
    """Choose the run whose course is shown: the first that ended and was observed, else the first observed.

    None where nothing was observed, and of a study that compares treatments.
    """
    observed = study.runs[study.runs["run"].isin(study.timewarp["run"]) & (study.runs["figure"] == SINGLE)]
    if observed.empty:
        return None
    ended = observed[observed["status"] == DONE]
    return (ended if len(ended) else observed).iloc[0]


def series_of(study: SimulationDirectory, run: int) -> list[Series]:
    """Make the series of all workers of a run; none of a worker that was seen only once."""
    rows = study.timewarp[study.timewarp["run"] == run]
    made = (_series(int(worker), of_worker) for worker, of_worker in rows.groupby("worker"))
    return [series for series in made if series is not None]


def _series(worker: int, rows: pd.DataFrame) -> Series | None:
    rows = rows.sort_values("wall_time_s", kind="stable").drop_duplicates("wall_time_s")
    if len(rows) < 2:
        return None
    chosen = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), MOST_MOMENTS + 1)).round().astype(int))
    at = rows.iloc[chosen]
    time = at["wall_time_s"].to_numpy()
    change = {
        name: np.diff(at[name].to_numpy(dtype=float)) for name in ("committed", "processed", "rolled_back", "rollbacks")
    }
    processed = change["processed"]
    kept = 1 - np.divide(change["rolled_back"], processed, out=np.zeros_like(processed), where=processed > 0)
    return Series(
        worker=worker,
        wall_time_s=time[1:],
        gvt=at["gvt"].to_numpy()[1:],
        committed_per_second=change["committed"] / np.diff(time),
        efficiency=np.clip(kept, 0, 1),
        rollbacks_per_second=change["rollbacks"] / np.diff(time),
    )


def rate(study: SimulationDirectory) -> Interval | None:
    """Committed events per second over the replicates that ended, all workers together; None where none did."""
    ended = study.ended_runs()
    return mean_interval(ended["committed_per_second"]) if len(ended) else None


def what_was_simulated(study: SimulationDirectory) -> str:
    """Say in a paragraph what the study did and what came out."""
    if study.runs.empty:
        return "No run ended, so there is nothing to show yet."
    if len(found := simulated_treatments(study)):
        return (
            f"A study of the Time Warp engine on PHOLD: {len(study.ended_runs())} runs, {len(found)} treatments "
            f"of {number(study.runs['lps'].iloc[0])} logical processes."
        )
    run = study.runs.iloc[0]
    end = study.configuration.get("end_time")
    until = f" until {number(end)}" if isinstance(end, int | float) else ""
    said = (
        f"PHOLD, {run['shape']} shape{until}: {number(run['lps'])} logical processes of {run['events_per_lp']} events, "
        f"{_receivers(run)}, with {_team(run)}."
    )
    found = rate(study)
    if found is None:
        return f"{said} No run ended."
    intervals = f" (mean of {found.count} runs, {INTERVALS})" if found.known else ""
    efficiency = study.ended_runs()["efficiency"].mean()
    return (
        f"{said} {with_bounds(found, number)} events committed per second{intervals}, efficiency {percent(efficiency)}."
    )


def simulation_warnings(studies: Sequence[SimulationDirectory]) -> list[str]:
    """Say what to be careful about."""
    said = []
    for study in studies:
        if study.status != DONE:
            said.append(f"{study.name} did not end (status {study.status!r}); the same command runs it again.")
        unfinished = study.runs[study.runs["status"] != DONE]
        said += [
            f"Run {run.run} of {study.name} is shown as last seen: {run.status}."
            for run in unfinished.head(5).itertuples(index=False)
        ]
        cores = study.manifest.get("cores")
        crowded = study.runs[study.runs["workers"] > cores] if isinstance(cores, int) else study.runs.head(0)
        if len(crowded):
            workers = int(crowded["workers"].max())
            said.append(f"In {study.name} {workers} workers share {cores} {'core' if cores == 1 else 'cores'}.")
        said += [f"{note}." for note in study.notes]
    return said


def _receivers(run: pd.Series) -> str:
    if run["receivers"] == "range":
        return f"receivers within a range of {number(run['range'])}"
    if run["receivers"] == "remote":
        return f"{percent(run['remote'])} of the events to other parts, of which there are {run['parts']}"
    return "receivers anywhere"


def _team(run: pd.Series) -> str:
    return "one thread, sequentially" if run["team"] == "sequential" else shape_title(run["team"])
