"""All that was computed for one report, so that plots and page need not compute it again.

Elsewhere: how each is computed (``treatments``, ``experiments``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from laxity.experiments import Comparison, Effect, experiment_of
from laxity.run_directory import RunDirectory
from laxity.treatments import Quality, Treatment

_SHOWN_BY_MODE = ("", "color", "performance")


@dataclass(frozen=True, eq=False)
class Results:
    """What a report shows, of all its studies of best-effort communication."""

    treatments: Sequence[Treatment]
    qualities: Sequence[Quality]
    comparisons: Sequence[Comparison] = ()
    effects: Sequence[Effect] = ()

    def of_modes(self, studies: Sequence[RunDirectory]) -> Results:
        """Leave out experiments that compare something else than modes; they have sections of their own."""
        shown = {position for position, study in enumerate(studies) if experiment_of(study) in _SHOWN_BY_MODE}
        return Results(
            treatments=[treatment for treatment in self.treatments if treatment.group.study in shown],
            qualities=[quality for quality in self.qualities if quality.group.study in shown],
        )
