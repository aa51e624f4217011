"""What worlds in several asynchronicity modes say about the claims on digital evolution.

Update rates are compared replicate by replicate. At the number of workers of the papers a figure is that of the papers;
with fewer workers, which disturb one another less, at least that share of the rate of one is kept.

Elsewhere: the claims (``laxity.evidence.catalog``), the verdicts (``laxity.evidence.verdicts``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from laxity.evidence import sizes
from laxity.evidence.catalog import claim_named
from laxity.evidence.verdicts import Check, Evidence, is_near, rises
from laxity.notation import number, percent

if TYPE_CHECKING:
    from laxity.studies.evolution.study import EvolutionStudy

_PAPER_WORKERS = 64
_EVERY_UPDATE, _BEST_EFFORT, _ISOLATED = 0, 3, 4
_FASTER = {"threads": "evolution-threads-faster", "processes": "evolution-faster"}
_TIMES_AS_FAST = 2.1
_KEPT = {
    ("threads", _ISOLATED): ("evolution-threads-isolated", 0.61),
    ("threads", _BEST_EFFORT): ("evolution-threads-free", 0.43),
    ("processes", _BEST_EFFORT): ("evolution-keeps", 0.92),
}
_TITLES = {_BEST_EFFORT: "best effort", _ISOLATED: "isolated"}


def claims(study: EvolutionStudy) -> Iterator[Evidence]:
    """Weigh the claims on teams of threads and of processes."""
    ended = study.ended_runs()
    teams = ended["shape"].map(lambda shape: "threads" if set(shape) & set("pr") == set() else "processes")
    for (team, cells), runs in ended.groupby([teams, "cells_per_worker"]):
        workers = min(int(runs["workers"].max()), _PAPER_WORKERS)
        if workers == 1 or workers not in set(runs["workers"]):
            continue
        where = f"{team}, {number(cells)} cells each, preset {study.configuration.get('preset', 'unknown')}"
        remark = f"{workers} workers share {study.cores} cores" if study.cores and workers > study.cores else ""

        def row(key: str, condition: str, rates: tuple[pd.Series, pd.Series], check: Check) -> Evidence:
            here = " against ".join(number(sizes.value(rate).value) for rate in rates)
            here += " updates per second and worker"
            return Evidence(claim_named(key), condition, here, (check,), remark, study.name)  # noqa: B023

        lockstep, free = (_rates(runs, workers, mode) for mode in (_EVERY_UPDATE, _BEST_EFFORT))
        if len(lockstep) and len(free):
            ratio = sizes.ratio(lockstep, free)
            exact = workers == _PAPER_WORKERS
            check = is_near("rate", ratio, _TIMES_AS_FAST) if exact else rises("rate", ratio)
            yield row(_FASTER[team], f"{workers} {where}, best effort against lockstep", (free, lockstep), check)
        for (of_team, mode), (key, share) in _KEPT.items():
            alone, beside = _rates(runs, 1, mode), _rates(runs, workers, mode)
            if of_team != team or not len(alone) or not len(beside):
                continue
            ratio = sizes.ratio(alone, beside)
            exact = workers == _PAPER_WORKERS
            check = is_near("rate", ratio, share) if exact else Check("rate", ratio, above=share, write=percent)
            yield row(key, f"{where}, {_TITLES[mode]}: {workers} against 1", (beside, alone), check)


def _rates(runs: pd.DataFrame, workers: int, mode: int) -> pd.Series:
    chosen = runs[(runs["workers"] == workers) & (runs["mode"] == mode)]
    return chosen.set_index("replicate")["updates_per_second_per_worker"].astype(float)
