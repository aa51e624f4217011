"""What a study of optimistic simulation compares: queues, exchanges, optimism, teams on one model.

Elsewhere: what workers did over time (``time_series``), the plots (``plots``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from laxity.intervals import SIGNIFICANCE, Interval, geometric_mean_interval, holm
from laxity.notation import listed, percent, team_title

if TYPE_CHECKING:
    from laxity.studies.timewarp.study import TimewarpStudy

SINGLE = "single"
"""Figure of runs of ``laxity phold``; runs of ``laxity study timewarp`` have one of `FIGURES`."""

FIGURES = {
    "queues": "Pending-event sets",
    "optimism": "Control of optimism",
    "exchange": "Exchange of events",
    "events": "Events shared or copied between threads, in local or interleaved NUMA memory",
    "range": "Threads and processes by range of receivers",
    "remote": "Threads and processes by share of remote events",
}
"""Figures of ``laxity study timewarp``, in the order in which they are shown."""

_TREATMENT = [
    *("figure", "shape", "receivers", "range", "remote", "team"),
    *("queue", "exchange", "queues", "events", "memory", "optimism"),
]


@dataclass(frozen=True)
class Treatment:
    """One treatment of a study, with the statistics of its replicates.

    Attributes
    ----------
    figure : str
        Key of `FIGURES`, or another word.
    condition : str
        The model on which treatments are compared: "continuous, range 100".
    label : str
        What differs: pending-event set, control of optimism, exchange, placement of events, or team.
    rate : Interval
        Committed events per second, all workers together.
    rates : tuple of float
        Rates of the replicates that ended.
    replicates : tuple of int
        Their numbers. Replicates of one number ran shortly after one another, so they are compared pair by pair.
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


def treatments(study: TimewarpStudy) -> list[Treatment]:
    """List the treatments of ``laxity study timewarp``, in the order in which they were run; none of single runs."""
    ended = study.ended_runs()
    ended = ended[ended["figure"] != SINGLE]
    made = []
    for key, runs in ended.groupby(_TREATMENT, sort=False):
        of = dict(zip(_TREATMENT, key, strict=True))
        rates = tuple(runs["committed_per_second"])
        receivers = of["receivers"] if of["receivers"] == "uniform" else f"{of['receivers']} {of[of['receivers']]:g}"
        made.append(
            Treatment(
                figure=of["figure"],
                condition=f"{of['shape']}, {receivers}",
                label=_label(of),
                rate=geometric_mean_interval(rates),
                rates=rates,
                replicates=tuple(int(replicate) for replicate in runs["replicate"]),
                efficiency=float(runs["efficiency"].mean()),
            )
        )
    return made


def _label(of: dict) -> str:
    team = team_title(of["team"])
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


def relative_rate(treatment: Treatment, other: Treatment) -> Interval | None:
    """Mean of the ratios of two treatments' rates, replicate by replicate; None where no replicate has both."""
    of_other = dict(zip(other.replicates, other.rates, strict=True))
    paired = zip(treatment.replicates, treatment.rates, strict=True)
    ratios = [rate / of_other[number] for number, rate in paired if of_other.get(number)]
    return geometric_mean_interval(ratios) if ratios else None


def what_fits(study: TimewarpStudy) -> list[str]:
    """Name for each figure the fastest treatments of each model.

    A treatment is slower if its rate differs significantly from that of the fastest, replicate by replicate; p values
    are corrected for all treatments of the study (Holm). All that are not slower are named.
    """
    by_figure: dict[str, dict[str, list[Treatment]]] = {}
    for treatment in treatments(study):
        by_figure.setdefault(treatment.figure, {}).setdefault(treatment.condition, []).append(treatment)
    compared = [own for conditions in by_figure.values() for own in conditions.values()]
    ratios = {
        id(each): relative_rate(each, _fastest(own)) for own in compared for each in own if each is not _fastest(own)
    }
    corrected = holm([1.0 if ratio is None or ratio.p is None else ratio.p for ratio in ratios.values()])
    slower = {each: ratio.mean for (each, ratio), p in zip(ratios.items(), corrected, strict=True) if p < SIGNIFICANCE}
    return [
        f"{heading}: {_best(by_figure[figure], slower)}.{_slowest(by_figure[figure], slower)}"
        for figure, heading in FIGURES.items()
        if figure in by_figure
    ]


def _fastest(compared: Sequence[Treatment]) -> Treatment:
    return max(compared, key=lambda treatment: treatment.rate.mean)


def _best(conditions: Mapping[str, Sequence[Treatment]], slower: Mapping[int, float]) -> str:
    of_labels: dict[str, list[str]] = {}
    for condition, compared in conditions.items():
        others = sorted(compared, key=lambda treatment: -treatment.rate.mean)
        alike = [each.label for each in others if id(each) not in slower]
        of_labels.setdefault(listed(alike, "or"), []).append(condition)
    return ". ".join(f"{labels} for {'; '.join(of)}" for labels, of in of_labels.items())


def _slowest(conditions: Mapping[str, Sequence[Treatment]], slower: Mapping[int, float]) -> str:
    found = [
        (slower[id(each)], f"{each.label} ({condition})")
        for condition, compared in conditions.items()
        for each in compared
        if id(each) in slower
    ]
    if not found:
        return ""
    share, name = min(found)
    return f" Slowest: {name}, with {percent(share)} of the highest rate."
