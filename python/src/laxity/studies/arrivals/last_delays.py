"""Last delays of collectives by arrival pattern and algorithm, and the choice of an algorithm.

Elsewhere: the heat maps (``plots``), the choice for a rules file (``laxity/collective/selection/``).

References
----------
Salimi Beni, Cosenza and Hunold, MPI collective algorithm selection in the presence of process arrival patterns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from laxity.notation import number

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
    """

    collective: str
    bytes: int
    processes: int
    algorithms: tuple[str, ...]
    patterns: tuple[str, ...]
    last_delay_us: NDArray[np.float64]
    valid: float

    def normalized(self) -> NDArray[np.float64]:
        """Divide by the smallest last delay of each pattern; shape as `last_delay_us`, at least 1."""
        smallest = np.array([_smallest(row) for row in self.last_delay_us]).reshape(-1, 1)
        return np.divide(self.last_delay_us, smallest, out=np.full_like(self.last_delay_us, np.nan), where=smallest > 0)

    def averages(self) -> NDArray[np.float64]:
        """Mean of `normalized` over the `averaged` patterns, shape (algorithms,); NaN unless measured under all."""
        return self.normalized()[self.averaged()].mean(axis=0)

    def averaged(self) -> NDArray[np.bool_]:
        """Tell which patterns are averaged over, shape (patterns,): not an application's, unless it is the only one."""
        artificial = np.array([pattern != APPLICATION for pattern in self.patterns])
        return artificial if artificial.any() else ~artificial

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

    def robust_choice(self) -> int | None:
        """Position of the algorithm with the smallest average; None if none was measured under all patterns."""
        return _position_of_smallest(self.averages())

    def no_delay_choice(self) -> int | None:
        """Position of the algorithm that is fastest without delay; None where that was not measured."""
        reference = self._without_delay()
        return None if reference is None else _position_of_smallest(reference)

    def application_choice(self) -> int | None:
        """Position of the algorithm that is fastest under the pattern of a traced application; None without one."""
        delays = self._under(APPLICATION)
        return None if delays is None else _position_of_smallest(delays)

    def _without_delay(self) -> NDArray[np.float64] | None:
        return self._under(NO_DELAY)

    def _under(self, pattern: str) -> NDArray[np.float64] | None:
        return self.last_delay_us[self.patterns.index(pattern)] if pattern in self.patterns else None


def last_delays(study: ArrivalStudy) -> list[LastDelays]:
    """Take the medians of the valid repetitions of a study: one result for each run that ended."""
    ended = study.ended_runs()["run"]
    found = []
    for _, rows in study.arrival[study.arrival["run"].isin(ended)].groupby("run"):
        named = rows.assign(algorithm=rows["algorithm_id"].astype(str) + " " + rows["algorithm"])
        order = named.drop_duplicates("algorithm_id").sort_values("algorithm_id")["algorithm"]
        patterns = list(dict.fromkeys(named["pattern"]))
        medians = named[named["valid"] == 1].groupby(["pattern", "algorithm"])["last_delay_us"].median()
        table = medians.unstack().reindex(index=patterns, columns=list(order)) if len(medians) else None
        first = rows.iloc[0]
        found.append(
            LastDelays(
                collective=str(first["collective"]),
                bytes=int(first["bytes"]),
                processes=int(first["processes"]),
                algorithms=tuple(order),
                patterns=tuple(patterns),
                last_delay_us=np.full((len(patterns), len(order)), np.nan)
                if table is None
                else table.to_numpy(dtype=float),
                valid=float(rows["valid"].mean()),
            )
        )
    return found


def choice_sentences(study: ArrivalStudy) -> list[str]:
    """Recommend a robust algorithm for each collective and size, and compare the fastest without delay with it."""
    sentences = []
    for delays in last_delays(study):
        robust, usual = delays.robust_choice(), delays.no_delay_choice()
        if robust is None:
            continue
        averages = delays.averages()
        sentence = (
            f"{delays.collective}, {number(delays.bytes)} bytes: {delays.algorithms[robust]} takes "
            f"{averages[robust]:.2f} times the fastest on average over {delays.averaged().sum()} patterns"
        )
        if usual is not None and usual != robust and not np.isnan(averages[usual]):
            sentence += f"; {delays.algorithms[usual]}, fastest without delay, takes {averages[usual]:.2f} times"
        fit = delays.application_choice()
        if fit is not None:
            sentence += f"; under the arrival pattern of the application, {delays.algorithms[fit]} is fastest"
        sentences.append(f"{sentence}.")
    return sentences


def _smallest(row: NDArray[np.float64]) -> float:
    return float(np.nanmin(row)) if not np.isnan(row).all() else float("nan")


def _position_of_smallest(values: NDArray[np.float64]) -> int | None:
    return None if np.isnan(values).all() else int(np.nanargmin(values))
