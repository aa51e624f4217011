"""The runs of a study with one value a run of every response, as the claims of the papers are weighed on them.

Elsewhere: how a run is aggregated (``effects.per_run``), the claims (``claims``, ``rate_claims``).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import pandas as pd

from laxity.evidence.catalog import claim_named
from laxity.evidence.verdicts import Check, Evidence
from laxity.regression import MEDIAN, STATISTICS
from laxity.studies.best_effort.comparisons import Comparison
from laxity.studies.best_effort.effects import per_run
from laxity.studies.best_effort.quality_of_service import ALL_METRICS

if TYPE_CHECKING:
    from laxity.studies.best_effort.study import BestEffortStudy


class MeasuredRuns:
    """The runs of one study that ended."""

    def __init__(self, study: BestEffortStudy) -> None:
        """Aggregate the runs of a study."""
        self.study = study
        self.runs = study.ended_runs().set_index("run")

    @cached_property
    def _by_statistic(self) -> dict[str, pd.DataFrame]:
        metrics = [metric.column for metric in ALL_METRICS]
        return {statistic: self.runs.join(per_run(self.study, statistic)[metrics]) for statistic in STATISTICS}

    def sample(self, chosen: pd.Index, column: str, statistic: str = MEDIAN) -> pd.Series:
        """One value a run, index ``replicate``; runs without it are left out."""
        of_runs = self._by_statistic[statistic].loc[chosen]
        return of_runs.set_index("replicate")[column].dropna().astype(float)

    def level(self, comparison: Comparison, place: int, column: str, statistic: str = MEDIAN) -> pd.Series:
        """Take the `sample` of one level of a comparison."""
        x, _ = comparison.levels[place]
        return self.sample(comparison.runs.index[comparison.runs["x"] == x], column, statistic)

    def evidence(
        self, key: str, condition: str, here: str, checks: Sequence[Check], workers: int | None = None
    ) -> Evidence:
        """Make the evidence for a claim; says where `workers`, by default the most of any run, outnumber the cores."""
        study = self.study
        workers = int(self.runs["workers"].max()) if workers is None else workers
        crowded = study.cores is not None and workers > study.cores and not study.kind_of_time
        remark = f"up to {workers} workers share {study.cores} cores" if crowded else ""
        return Evidence(claim_named(key), condition, here, tuple(checks), remark, study.name, study.kind_of_time)
