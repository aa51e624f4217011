"""Claims of the paper about many processes, beside graph coloring on ranks under SimGrid (``laxity scale``).

Source: Moreno and Ofria, Best-effort communication improves performance and scales robustly on conventional hardware,
III-A (update rates at 64 processes), III-F (medians from 64 to 256 processes), III-G (a faulty host).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from laxity.studies.best_effort.evidence import MAX_MEDIAN_CHANGE, Evidence, weighed
from laxity.studies.best_effort.modes import BEST_EFFORT, EVERY_UPDATE
from laxity.studies.best_effort.quality_of_service import METRICS

if TYPE_CHECKING:
    from laxity.studies.best_effort.study import BestEffortStudy

_TREATMENT = ["workers", "mode", "work", "faulty"]
_RANKS, _MANY_RANKS = 64, 256
_MAX_RATIO_CHANGE = 0.25  # relative difference from the paper's ratio up to which a claim about rates holds
_WHY = "the simulated network and this machine's time per update differ from the cluster of the paper"


def scaling_evidence(study: BestEffortStudy) -> Iterator[Evidence]:
    """Weigh the claims: ratios of mean update rates, and medians of the metrics over links between hosts."""
    runs = study.ended_runs().assign(faulty=lambda runs: runs["fault"] != "none")
    rates = runs.groupby(_TREATMENT)["updates_per_second_per_worker"].mean()
    between = study.qos[study.qos["neighbor_kind"] == "host"].merge(runs[["run", *_TREATMENT]], on="run")
    columns = [metric.column for metric in METRICS if metric.column != "walltime_latency_ns"]
    medians = between.groupby(_TREATMENT)[columns].median()
    works = sorted(runs["work"].unique())
    for work in works:
        light = work == works[0]
        yield from _rates(rates, work, f"work {work}" if not light else "light load", light)
    for workers, mode, work, faulty in rates.index:
        if faulty:
            claim, other = f"{workers} ranks, one slow / none", (workers, mode, work, False)
        elif (workers, mode) == (_MANY_RANKS, BEST_EFFORT.number):
            claim, other = f"{_MANY_RANKS} / {_RANKS} ranks, work {work}", (_RANKS, mode, work, False)
        else:
            continue
        yield from _medians(medians, claim, (workers, mode, work, faulty), other)


def _rates(rates: pd.Series, work: int, load: str, light: bool) -> Iterator[Evidence]:
    free, lockstep = BEST_EFFORT.number, EVERY_UPDATE.number
    largest = max(rates.index.get_level_values("workers"))
    ranks = _RANKS if (_RANKS, free, work, False) in rates else largest
    best_effort = (ranks, free, work, False)
    for claim, paper, base in (
        (f"{load}: rate of mode 3 at {ranks} ranks / of one rank", 0.63 if light else 0.92, (1, free, work, False)),
        (f"{load}: rate of mode 3 / of mode 0 at {ranks} ranks", 7.8 if light else 2.1, (ranks, lockstep, work, False)),
    ):
        if best_effort != base and best_effort in rates and rates.get(base, 0) > 0:
            ratio = rates[best_effort] / rates[base]
            holds = abs(ratio / paper - 1) <= _MAX_RATIO_CHANGE
            yield weighed(claim, f"{paper:g}", f"{ratio:.2f}", holds, _WHY)


def _medians(medians: pd.DataFrame, claim: str, one: tuple, other: tuple) -> Iterator[Evidence]:
    if one in medians.index and other in medians.index:
        for column in medians.columns:
            now, before = medians.loc[one, column], medians.loc[other, column]
            holds = abs(now - before) <= MAX_MEDIAN_CHANGE * abs(before)
            yield weighed(f"{claim}, median of {column}", "the same", f"{now:.4g} / {before:.4g}", holds, _WHY)
