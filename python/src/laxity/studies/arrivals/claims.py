"""What a study of collectives says about the claims of the paper on arrival patterns.

Repetitions that follow one another resemble one another, so an observation is the median of a block of consecutive
valid repetitions; the blocks of two algorithms are compared in their order.

Source of the blocks: Conway, Some tactical problems in digital simulation, Management Science 10 (1963).

Elsewhere: the claims (``laxity.evidence.catalog``), the verdicts (``laxity.evidence.verdicts``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from laxity.evidence import sizes
from laxity.evidence.catalog import claim_named
from laxity.evidence.verdicts import Check, Evidence, falls, rises
from laxity.notation import duration, number
from laxity.studies.arrivals.last_delays import NO_DELAY

if TYPE_CHECKING:
    from laxity.studies.arrivals.study import ArrivalStudy

_BLOCKS = 6
_LAST, _RANDOM, _DESCENDING = "last_delayed", "random", "descending"


def claims(study: ArrivalStudy) -> list[Evidence]:
    """Weigh the claims on reductions of the smallest vectors, and on all-to-all exchanges."""
    arrival = study.arrival[study.arrival["run"].isin(study.ended_runs()["run"])]
    found = []
    for (collective, _), rows in arrival.groupby(["collective", "bytes"]):
        cells = {key: _blocks(own) for key, own in rows.groupby(["algorithm", "pattern"])}
        if collective == "reduce":
            found += _reduce(study, rows, cells)
        elif collective == "alltoall":
            found += _alltoall(study, rows, cells)
    return found


def _blocks(rows: pd.DataFrame) -> pd.Series:
    valid = rows[rows["valid"] == 1].sort_values("repetition")["last_delay_us"].to_numpy()
    block = [place * _BLOCKS // len(valid) for place in range(len(valid))]
    return pd.Series(valid).groupby(pd.Series(block, dtype=int)).median()


Cells = dict[tuple[str, str], pd.Series]


def _reduce(study: ArrivalStudy, rows: pd.DataFrame, cells: Cells) -> Iterator[Evidence]:
    in_order, binomial = "in-order_binary", "binomial"
    if {(in_order, _LAST), (binomial, _LAST)} <= cells.keys():
        late = cells[binomial, _LAST], cells[in_order, _LAST]
        check = falls("last delay, in-order binary against binomial", sizes.ratio(*late))
        yield _evidence(study, "pap-reduce", rows, f"{_LAST}: {_of_two(late, (binomial, in_order))}", [check])
        if {(in_order, NO_DELAY), (binomial, NO_DELAY)} <= cells.keys():
            together = cells[in_order, NO_DELAY], cells[binomial, NO_DELAY]
            checks = [falls(f"binomial against in-order binary, {NO_DELAY}", sizes.ratio(*together)), check]
            here = f"{NO_DELAY}: {_of_two(together, (in_order, binomial))}"
            yield _evidence(study, "pap-no-delay", rows, here, checks)
    if {("linear", _RANDOM), ("linear", NO_DELAY)} <= cells.keys():
        two = cells["linear", NO_DELAY], cells["linear", _RANDOM]
        check = falls("last delay, random pattern against none", sizes.ratio(*two))
        yield _evidence(study, "pap-absorb", rows, f"linear: {_of_two(two, (NO_DELAY, _RANDOM))}", [check])


def _alltoall(study: ArrivalStudy, rows: pd.DataFrame, cells: Cells) -> Iterator[Evidence]:
    if {("linear", NO_DELAY), ("modified_bruck", NO_DELAY)} <= cells.keys():
        two = cells["linear", NO_DELAY], cells["modified_bruck", NO_DELAY]
        check = rises("last delay, modified Bruck against linear", sizes.ratio(*two))
        here = f"{NO_DELAY}: {_of_two(two, ('linear', 'modified Bruck'))}"
        yield _evidence(study, "pap-alltoall", rows, here, [check])
    if {("linear_sync", NO_DELAY), ("linear_sync", _DESCENDING)} <= cells.keys():
        two = cells["linear_sync", NO_DELAY], cells["linear_sync", _DESCENDING]
        check = rises("last delay, descending pattern against none", sizes.ratio(*two))
        here = f"linear with synchronization: {_of_two(two, (NO_DELAY, _DESCENDING))}"
        yield _evidence(study, "pap-alltoall-descending", rows, here, [check])


def _of_two(samples: tuple[pd.Series, pd.Series], labels: tuple[str, str]) -> str:
    return ", ".join(
        f"{duration(float(sample.median()) * 1e3)} {label}" if len(sample) else f"no valid repetition {label}"
        for sample, label in zip(samples, labels, strict=True)
    )


def _evidence(study: ArrivalStudy, key: str, rows: pd.DataFrame, here: str, checks: list[Check]) -> Evidence:
    first = rows.iloc[0]
    processes = int(first["processes"])
    condition = f"{first['collective']}, {number(first['bytes'])} bytes, {processes} processes"
    crowded = study.cores is not None and processes > study.cores * int(first["hosts"])
    remark = f"{processes} processes share {study.cores} cores" if crowded else ""
    return Evidence(claim_named(key), condition, here, tuple(checks), remark, study.name)
