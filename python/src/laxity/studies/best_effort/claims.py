"""All claims of the papers that a study says something about, for the report and for ``claims.csv``.

Elsewhere: the claims themselves (``evidence``, ``scaling_claims``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING

import pandas as pd

from laxity.studies.best_effort.comparisons import comparisons
from laxity.studies.best_effort.effects import Effect, effects
from laxity.studies.best_effort.evidence import Evidence, evidence
from laxity.studies.best_effort.scaling_claims import scaling_evidence

if TYPE_CHECKING:
    from laxity.studies.best_effort.study import BestEffortStudy


def claims(study: BestEffortStudy, found: Sequence[Effect]) -> list[Evidence]:
    """Weigh every claim about a study; `found` are the effects of this study."""
    return list(scaling_evidence(study)) if study.experiment == "scale" else evidence(study, found)


def claims_table(study: BestEffortStudy) -> pd.DataFrame:
    """Tabulate the claims: columns claim, paper, here."""
    found = claims(study, effects([study], comparisons([study])))
    return pd.DataFrame([astuple(row)[:3] for row in found], columns=["claim", "paper", "here"])
