"""What arrival patterns do to collectives: last delays by pattern and algorithm, and what follows for the choice.

Elsewhere: the tables (``arrival_directory``), the heat maps (``plots.arrivals``), the page (``arrival_page``).

References
----------
Salimi Beni, Cosenza and Hunold, MPI collective algorithm selection in the presence of process arrival patterns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from laxity.arrival_directory import ArrivalDirectory
from laxity.notation import number, percent
from laxity.run_directory import DONE

NO_DELAY = "no_delay"
APPLICATION = "application"
"""The mean pattern of a traced application: a row of its own, no part of the averages."""
GOOD = 1.05
"""At most this many times the smallest last delay of its pattern: cannot be told from the fastest."""
NEUTRAL = 0.25
"""A change of the last delay within this share of that without delay means nothing."""
FEWEST_VALID = 0.5
"""Of the repetitions: with fewer the machine was not quiet enough."""


@dataclass(frozen=True)
class LastDelays:
    """The median last delays of one collective at one size.

    Attributes
    ----------
    collective : str
    bytes : int
        Of the vector, or of the block for one process.
    processes : int
    algorithms : tuple of str
        "5 binomial", by number.
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
        """Divide by the smallest of each pattern; shape as `last_delay_us`, at least 1."""
        smallest = np.array([_smallest(row) for row in self.last_delay_us]).reshape(-1, 1)
        return np.divide(self.last_delay_us, smallest, out=np.full_like(self.last_delay_us, np.nan), where=smallest > 0)

    def averages(self) -> NDArray[np.float64]:
        """Mean of `normalized` over the `averaged` patterns, shape (algorithms,); NaN unless measured under all."""
        return self.normalized()[self.averaged()].mean(axis=0)

    def averaged(self) -> NDArray[np.bool_]:
        """Tell which patterns the averages are over, shape (patterns,): not an application's, unless it is alone."""
        artificial = np.array([pattern != APPLICATION for pattern in self.patterns])
        return artificial if artificial.any() else ~artificial

    def is_good(self) -> NDArray[np.bool_]:
        """Tell who cannot be told from the fastest of its pattern, shape as `last_delay_us`."""
        return self.normalized() <= GOOD

    def robustness(self) -> NDArray[np.float64]:
        """Change against no delay, d / d(no delay) - 1; shape as `last_delay_us`, NaN without that reference."""
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
        """Position of the algorithm that is fastest when all arrive together."""
        reference = self._without_delay()
        return None if reference is None else _position_of_smallest(reference)

    def application_choice(self) -> int | None:
        """Position of the algorithm that is fastest under a traced application's pattern; None without one."""
        delays = self._under(APPLICATION)
        return None if delays is None else _position_of_smallest(delays)

    def _without_delay(self) -> NDArray[np.float64] | None:
        return self._under(NO_DELAY)

    def _under(self, pattern: str) -> NDArray[np.float64] | None:
        return self.last_delay_us[self.patterns.index(pattern)] if pattern in self.patterns else None


def last_delays(study: ArrivalDirectory) -> list[LastDelays]:
    """Take the medians of the valid repetitions of a study, one result a run that ended."""
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


def what_was_measured(study: ArrivalDirectory) -> str:
    """Say in a paragraph what the study did and what came out."""
    found = last_delays(study)
    if not found:
        return "No collective was measured to its end, so there is nothing to show yet."
    names = ", ".join(dict.fromkeys(delays.collective for delays in found))
    differ = [delays for delays in found if delays.robust_choice() is not None]
    other = sum(delays.robust_choice() != delays.no_delay_choice() for delays in differ)
    choices = (
        f" In {other} of {len(differ)} cases the algorithm that is fastest when all arrive together is not the one "
        "that suffers least from late processes."
        if differ
        else ""
    )
    library = study.configuration.get("library", "MPI")
    return f"{names} of {library} under arrival patterns, {found[0].processes} processes.{choices}"


def choice_sentences(study: ArrivalDirectory) -> list[str]:
    """Say for each collective and size which algorithm to choose, and what the usual choice costs."""
    said = []
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
            sentence += f"; as the application's processes arrive, {delays.algorithms[fit]} is fastest"
        said.append(f"{sentence}.")
    return said


def arrival_warnings(studies: Sequence[ArrivalDirectory]) -> list[str]:
    """Say what to be careful about."""
    said = []
    for study in studies:
        if study.status != DONE:
            said.append(f"{study.name} did not end (status {study.status!r}); the same command goes on with it.")
        said += [
            f"{delays.collective} of {number(delays.bytes)} bytes in {study.name}: {percent(delays.valid)} of the "
            "repetitions are valid; the machine was not quiet."
            for delays in last_delays(study)
            if delays.valid < FEWEST_VALID
        ]
        wrong = study.algorithms[study.algorithms["verdict"] == "wrong"]
        said += [
            f"{row.collective} by {row.algorithm} gave wrong results for {row.bytes} bytes and was left out."
            for row in wrong.itertuples(index=False)
        ]
        said += [f"{note}." for note in study.notes]
    return said


def _smallest(row: NDArray[np.float64]) -> float:
    return float(np.nanmin(row)) if not np.isnan(row).all() else float("nan")


def _position_of_smallest(values: NDArray[np.float64]) -> int | None:
    return None if np.isnan(values).all() else int(np.nanargmin(values))
