"""Last delays of collectives by arrival pattern and algorithm, and the choice of an algorithm.

Both are read from what ``laxity arrival`` has written: medians from ``cells.csv``, choices from ``candidates.csv``.

Elsewhere: the heat maps (``plots``), the choice itself (``laxity/collective/selection/``).

References
----------
Salimi Beni, Cosenza and Hunold, MPI collective algorithm selection in the presence of process arrival patterns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from laxity.notation import counted, number

if TYPE_CHECKING:
    from laxity.studies.arrivals.study import ArrivalStudy

NO_DELAY = "no_delay"
APPLICATION = "application"
"""Name of the mean pattern of a traced application, which is left out of averages."""
GOOD = 1.05
"""Normalized last delay up to which an algorithm counts as fast as the fastest."""
NEUTRAL = 0.25
"""Relative change of the last delay that counts as none."""
MIN_VALID = 0.5
"""Share of valid repetitions below which there is a warning."""


@dataclass(frozen=True)
class LastDelays:
    """The median last delays of one collective at one size.

    Attributes
    ----------
    collective : str
    bytes : int
        Size of the vector, or of the block for one process.
    processes : int
    algorithms : tuple of str
        Number and name, "5 binomial", by number.
    patterns : tuple of str
        ``no_delay`` first, if it was measured.
    last_delay_us : array, shape (patterns, algorithms)
        NaN where no repetition was valid.
    valid : float
        Share of the repetitions, in [0, 1].
    candidates : pandas.DataFrame
        Rows of ``candidates.csv``, by number and name of the algorithm; empty if the size is undecided.
    simulated : bool
        Whether the last delays are from a simulation, which has no choice of an MPI library.
    """

    collective: str
    bytes: int
    processes: int
    algorithms: tuple[str, ...]
    patterns: tuple[str, ...]
    last_delay_us: NDArray[np.float64]
    valid: float
    candidates: pd.DataFrame
    simulated: bool = False

    def normalized(self) -> NDArray[np.float64]:
        """Divide by the smallest last delay of each pattern; shape as `last_delay_us`, at least 1."""
        smallest = np.array([_smallest(row) for row in self.last_delay_us]).reshape(-1, 1)
        return np.divide(self.last_delay_us, smallest, out=np.full_like(self.last_delay_us, np.nan), where=smallest > 0)

    def averages(self) -> NDArray[np.float64]:
        """Mean normalized last delay over the shared conditions, shape (algorithms,); NaN unless a candidate."""
        return self.candidates["mean"].reindex(list(self.algorithms)).to_numpy(dtype=float)

    def is_good(self) -> NDArray[np.bool_]:
        """Tell which algorithms are as fast as the fastest of a pattern, shape as `last_delay_us`."""
        return self.normalized() <= GOOD

    def robustness(self) -> NDArray[np.float64]:
        """Relative change against no delay; shape as `last_delay_us`, NaN where no delay was not measured."""
        reference = self._without_delay()
        if reference is None:
            return np.full_like(self.last_delay_us, np.nan)
        return (
            np.divide(self.last_delay_us, reference, out=np.full_like(self.last_delay_us, np.nan), where=reference > 0)
            - 1
        )

    def reference(self) -> str | None:
        """Algorithm that the others are compared with: the library's own choice, in a simulation that without delay."""
        if self.simulated:
            return self.choice(NO_DELAY)
        return next((name for name in self.algorithms if name.startswith("0 ")), None)

    def choice(self, kind: str) -> str | None:
        """Algorithm of the choice ``robust``, ``no_delay`` or ``application``; None if undecided or not measured."""
        chosen = self.candidates.index[self.candidates[kind] == 1]
        return str(chosen[0]) if len(chosen) else None

    def _without_delay(self) -> NDArray[np.float64] | None:
        return self._under(NO_DELAY)

    def _under(self, pattern: str) -> NDArray[np.float64] | None:
        return self.last_delay_us[self.patterns.index(pattern)] if pattern in self.patterns else None


def last_delays(study: ArrivalStudy) -> list[LastDelays]:
    """Arrange the cells of a study by pattern and algorithm: one result for each run that ended."""
    candidates = _named(study.candidates)
    found = []
    for run in study.ended_runs().itertuples(index=False):
        cells = _named(study.cells[study.cells["run"] == run.run])
        if cells.empty:
            continue
        order = list(dict.fromkeys(cells.sort_values("algorithm_id").index))
        cells = cells.assign(condition=_conditions(cells))
        table = (
            cells[cells["valid"] > 0]
            .pivot_table(index="condition", columns="algorithm", values="last_delay_us", aggfunc="first")
            .reindex(index=cells["condition"].unique(), columns=order)
        )
        found.append(
            LastDelays(
                collective=str(run.collective),
                bytes=int(run.bytes),
                processes=int(run.processes),
                algorithms=tuple(order),
                patterns=tuple(table.index),
                last_delay_us=table.to_numpy(dtype=float),
                valid=float(cells["valid"].sum() / cells["repetitions"].sum()),
                candidates=candidates[candidates["run"] == run.run],
                simulated=study.is_simulated,
            )
        )
    return found


def choice_sentences(study: ArrivalStudy) -> list[str]:
    """Say for each collective and size which algorithm is chosen, and how sure that is."""
    return [f"{delays.collective}, {number(delays.bytes)} bytes: {_sentence(delays)}." for delays in last_delays(study)]


def _sentence(delays: LastDelays) -> str:
    robust = delays.choice("robust")
    if robust is None:
        return "undecided, so the library's own choice is kept"
    row = delays.candidates.loc[robust]
    conditions = f"on average over {row['shared']} of {counted(row['conditions'], 'condition')}"
    if delays.simulated:
        usual = delays.choice(NO_DELAY)
        if usual == robust:
            return f"{robust} is fastest without delay and {conditions}"
        return f"{robust} takes {row['ratio']:.2f} times as long as the choice without delay, {usual}, {conditions}"
    if row["algorithm_id"] == 0:
        text = "the library's own choice is kept, since no other algorithm is measurably faster"
    else:
        text = f"{robust} takes {row['ratio']:.2f} times as long as the library's own choice"
        text += f" (95 % interval {row['ratio_low']:.2f} to {row['ratio_high']:.2f})"
    text += f" {conditions}"
    usual, fit = delays.choice(NO_DELAY), delays.choice(APPLICATION)
    if usual is not None and usual != robust:
        text += f"; without delay the choice is {usual}"
    if fit is not None:
        text += f"; under the arrival pattern of the application it is {fit}"
    return text


def _named(rows: pd.DataFrame) -> pd.DataFrame:
    """Index rows by number and name of the algorithm."""
    return rows.assign(algorithm=rows["algorithm_id"].astype(str) + " " + rows["algorithm"]).set_index("algorithm")


def _conditions(cells: pd.DataFrame) -> pd.Series:
    """Name the condition of each cell: its pattern, with the skew where an algorithm has the pattern at several."""
    skews = cells.groupby(["pattern", "algorithm_id"])["skew_us"].transform("nunique")
    with_skew = cells["pattern"] + " " + cells["skew_us"].map(lambda skew: f"{number(skew, 3)} us")
    return cells["pattern"].where(skews == 1, with_skew)


def _smallest(row: NDArray[np.float64]) -> float:
    return float(np.nanmin(row)) if not np.isnan(row).all() else float("nan")
