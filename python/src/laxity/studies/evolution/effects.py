"""Does asynchronicity change evolution? Worlds with and without barriers, after the same number of updates.

A quantity at the end of a run is compared replicate by replicate, which have the same seed. It is unchanged if the
whole interval of the ratio lies within 10 %, else changed if the interval excludes 1, else it cannot be told from these
runs.

Elsewhere: intervals of ratios (``laxity.evidence.sizes``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from laxity.evidence import sizes
from laxity.evidence.sizes import Size
from laxity.evidence.verdicts import MARGIN
from laxity.notation import team_title

if TYPE_CHECKING:
    from laxity.studies.evolution.study import EvolutionStudy

QUANTITIES = {
    "births": "births",
    "living": "living cells",
    "generations": "generations",
    "group_size_0": "size of inner kin groups",
    "group_size_1": "size of outer kin groups",
    "program_length": "length of programs",
    "stockpile": "resource per cell",
}
"""Columns of the population, with their titles."""

UNCHANGED, CHANGED, UNKNOWN = "unchanged within 10 %", "changed", "cannot be told"
_LOCKSTEP = 0


@dataclass(frozen=True)
class Effect:
    """What a mode does to a quantity.

    Attributes
    ----------
    condition : str
        Team and modes.
    quantity : str
        Title of the quantity.
    size : Size
        The ratio to the runs in lockstep.
    """

    condition: str
    quantity: str
    size: Size

    @property
    def verdict(self) -> str:
        """``UNCHANGED``, ``CHANGED`` or ``UNKNOWN``."""
        if self.size.low > 1 / MARGIN and self.size.high < MARGIN:
            return UNCHANGED
        return CHANGED if self.size.low > 1 or self.size.high < 1 else UNKNOWN


def effects(study: EvolutionStudy) -> Iterator[Effect]:
    """Compare each mode with lockstep; nothing where runs ended after some time instead of a number of updates."""
    if not study.configuration.get("updates"):
        return
    ended = study.ended_runs()
    ends = {run: study.totals(run).iloc[-1] for run in ended["run"]}
    for shape, runs in ended.groupby("shape", sort=False):
        lockstep = runs[runs["mode"] == _LOCKSTEP]
        for (mode, name), others in runs[runs["mode"] != _LOCKSTEP].groupby(["mode", "mode_name"]):
            for column, title in QUANTITIES.items():
                size = sizes.ratio(_ends(lockstep, ends, column), _ends(others, ends, column))
                if size is not None:
                    condition = f"{team_title(shape)}, mode {mode} {name} against 0"
                    yield Effect(condition, title, size)


def _ends(runs: pd.DataFrame, ends: dict[int, pd.Series], column: str) -> pd.Series:
    return pd.Series([float(ends[run][column]) for run in runs["run"]], index=runs["replicate"])
