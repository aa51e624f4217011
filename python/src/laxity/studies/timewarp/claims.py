"""What a study of optimistic simulation says about the claims of the paper on threads and cross memory attach.

Treatments are compared by their committed events per second, replicate by replicate.

Elsewhere: the claims (``laxity.evidence.catalog``), the verdicts (``laxity.evidence.verdicts``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from laxity.evidence import sizes
from laxity.evidence.catalog import claim_named
from laxity.evidence.verdicts import Check, Evidence
from laxity.notation import duration, number
from laxity.studies.timewarp.treatments import Treatment, treatments

if TYPE_CHECKING:
    from laxity.studies.timewarp.study import TimewarpStudy

_EVENT_NS = 1000.0
_MAX_COST = 0.98  # of the adaptive window: at most 2 % slower


def claims(study: TimewarpStudy) -> list[Evidence]:
    """Weigh the claims about the figures that a study has."""
    by_condition: dict[tuple[str, str], dict[str, Treatment]] = {}
    for treatment in treatments(study):
        by_condition.setdefault((treatment.figure, treatment.condition), {})[treatment.label] = treatment
    return [
        row
        for (figure, condition), compared in by_condition.items()
        for row in _weigh(study, figure, condition, compared)
    ]


def _weigh(study: TimewarpStudy, figure: str, condition: str, compared: dict[str, Treatment]) -> Iterator[Evidence]:
    def of_two(key: str, first: str, second: str, above: float = 1.0) -> Iterator[Evidence]:
        """Expect the second treatment to be faster."""
        if {first, second} <= compared.keys():
            rates = [_rates(compared[label]) for label in (first, second)]
            means = [number(sizes.value(rate).value, 3) for rate in rates]
            here = f"{means[1]} events/s {second} against {means[0]} {first}"
            check = Check(f"rate, {second} against {first}", sizes.ratio(*rates), above=above)
            yield Evidence(claim_named(key), condition, here, (check,), _remark(study), study.name)

    labels = list(compared)
    if figure == "queues":
        yield from of_two("rao-queues", "ladder", "three-tier-heap")
        if "three-tier-heap" in compared:
            event_ns = 1e9 / _rates(compared["three-tier-heap"])
            check = Check("an event", sizes.value(event_ns), below=_EVENT_NS, write=duration)
            here = duration(float(event_ns.median()))
            yield Evidence(claim_named("rao-event-time"), condition, here, (check,), "", study.name)
    elif figure == "optimism":
        yield from of_two("rao-window-threads", "none", "adaptive", _MAX_COST)
    elif figure == "exchange":
        for label in (label for label in labels if label.startswith("lock-free")):
            yield from of_two("rao-lock-free", label, label.replace("lock-free", "mutex"))
    elif figure == "events":
        yield from of_two("rao-shared-events", "copied, local", "shared, local")
    else:
        key = "rao-attach-range" if figure == "range" else "rao-attach-remote"
        if figure == "range" and not condition.endswith(" 10"):
            return
        for label in labels:
            if label.endswith("threads") and f"{label.removesuffix('threads')}processes with attach" in compared:
                yield from of_two(key, label, f"{label.removesuffix('threads')}processes with attach")


def _rates(treatment: Treatment) -> pd.Series:
    return pd.Series(treatment.rates, index=pd.Index(treatment.replicates, name="replicate"), dtype=float)


def _remark(study: TimewarpStudy) -> str:
    workers = int(study.ended_runs()["workers"].max())
    crowded = study.cores is not None and workers > study.cores
    return f"up to {workers} workers share {study.cores} cores" if crowded else ""
