"""Worlds of evolving cells on best-effort meshes.

Elsewhere: the plots (``plots``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import pandas as pd

from laxity.error import RunDirectoryError
from laxity.evidence.verdicts import Evidence
from laxity.intervals import geometric_mean_interval
from laxity.notation import counted, number, team_title, with_bounds
from laxity.studies.evolution.phylogeny import Tree, tree_of
from laxity.study import Chapter, Study

LAYERS = ("offspring", "resource", "messages", "states", "kin-group sizes")
"""Names of the mesh layers, by number."""


class EvolutionStudy(Study):
    """Worlds run by teams in modes.

    Tables: ``runs``, ``workers``, ``qos``, ``population``, ``resource``, ``world``, ``pictures``, ``phylogeny``.
    """

    kinds = ("evolution",)
    title = "Digital evolution"
    GAINED: ClassVar = ("start", "base_harvest", "group_harvest", "apoptosis", "received")
    SPENT: ClassVar = ("decay", "group_size", "diversity", "spawn", "defense", "sent", "lost")
    """Terms of the resource account: stock = what was gained - what was spent."""
    kicker = "Best effort · digital evolution"

    def check(self) -> None:
        """Raise RunDirectoryError where a worker's resource account does not close."""
        amounts = self.resource.pivot_table(index=["run", "worker"], columns="term", values="amount", aggfunc="sum")
        for worker, row in amounts.iterrows():
            gained = row[list(self.GAINED)].sum()
            spent = row[list(self.SPENT)].sum()
            if abs(gained - spent - row["stock"]) > 1e-6 * max(gained, 1):
                raise RunDirectoryError(
                    f"{self.path / 'resource.csv'}: the account of worker {worker[1]} in run {worker[0]} does not "
                    f"close: it has {number(row['stock'])} and should have {number(gained - spent)}; run it again"
                )

    def treatments(self) -> list[tuple[str, pd.DataFrame]]:
        """Return the ended runs of each team and mode, with its title."""
        groups = self.ended_runs().groupby(["shape", "mode", "mode_name"], sort=False)
        return [(f"{team_title(shape)}, mode {mode} {name}", runs) for (shape, mode, name), runs in groups]

    def totals(self, run: int) -> pd.DataFrame:
        """Return the population of all workers of a run over its updates: sums of counts, means over living cells.

        Workers of a run without barriers are at different updates at one time; their rows are joined by their order.
        """
        rows = self.population[self.population["run"] == run].copy()
        rows["moment"] = rows.groupby("worker").cumcount()
        complete = rows.groupby("moment")["worker"].transform("count") == rows["worker"].nunique()
        rows = rows[complete]
        means = ["stockpile", "program_length", "group_size_0", "group_size_1", "generations"]
        for mean in means:
            rows[mean] *= rows["living"]
        grouped = rows.groupby("moment")
        totals = grouped[["living", "births", "spawns", "instructions", *means]].sum()
        totals["update"] = grouped["update"].mean()
        for mean in means:
            totals[mean] /= totals["living"].where(totals["living"] > 0)
        return totals

    def account(self, run: int) -> pd.Series:
        """Return the resource account of all workers of a run, by term, with what was on its way at the end."""
        amounts = self.resource[self.resource["run"] == run].groupby("term")["amount"].sum()
        amounts["on its way"] = amounts["sent"] - amounts["received"] - amounts["receipt_decay"]
        return amounts

    def tree(self, cells: pd.DataFrame) -> Tree | None:
        """Return the tree of some rows of ``world`` by the record of births; None if births were not recorded."""
        births = self.phylogeny
        if births.empty:
            return None
        parents = births["ancestor_list"].str.strip("[]").replace("NONE", "0").astype("int64")
        return tree_of(births["id"], parents, births["origin_time"], cells["individual"])

    def layers(self) -> list[tuple[str, str, pd.Series]]:
        """Return the treatment, the layer and the medians of its quality of service, over links between workers."""
        between = self.qos[self.qos["from_worker"] != self.qos["to_worker"]]
        found = []
        for title, runs in self.treatments():
            own = between[between["run"].isin(runs["run"])]
            for layer, rows in own.groupby("layer"):
                medians = rows[["simstep_latency_updates", "walltime_latency_ns", "delivery_failure_rate"]].median()
                found.append((title, LAYERS[layer], medians))
        return found

    def evidence(self) -> list[Evidence]:
        """Weigh the claims on digital evolution, if the runs can be compared."""
        from laxity.studies.evolution.claims import claims

        return list(claims(self))

    def summary(self) -> str:
        """Describe the worlds in a paragraph."""
        ended = self.ended_runs()
        if ended.empty:
            return "No run ended, so there is nothing to show yet."
        first = ended.iloc[0]
        sentences = [
            f"{counted(len(ended), 'run')} of a world with {number(first['cells_per_worker'])} cells per worker, "
            f"preset {self.configuration.get('preset', 'unknown')}."
        ]
        for title, runs in self.treatments():
            rate = geometric_mean_interval(runs["updates_per_second_per_worker"])
            sentences.append(
                f"{title}: {with_bounds(rate, number)} updates per second and worker, "
                f"{number(runs['births'].mean())} births, {number(runs['living'].mean())} living cells at the end."
            )
        return " ".join(sentences)

    @classmethod
    def chapter(cls, studies: Sequence[EvolutionStudy]) -> Chapter:
        """Make the part of a report that is about these studies."""
        from laxity.studies.evolution.effects import effects
        from laxity.studies.evolution.plots import draw

        plots = draw(studies)
        warnings = [warning for study in studies for warning in study.warnings()]
        treatments = [
            (title, runs, geometric_mean_interval(runs["updates_per_second_per_worker"]))
            for study in studies
            for title, runs in study.treatments()
        ]
        layers = [row for study in studies for row in study.layers()]
        context = {
            "plots": plots,
            "treatments": treatments,
            "effects": [effect for study in studies for effect in effects(study)],
            "layers": layers,
        }
        return Chapter("evolution/page.html", context, plots, warnings)
