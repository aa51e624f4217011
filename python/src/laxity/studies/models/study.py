"""One simulation of a model that theory has an answer for, beside that answer.

Elsewhere: the plots (``plots``).
"""

from __future__ import annotations

from collections.abc import Sequence

from laxity.notation import capital, number, percent, team_title
from laxity.study import Chapter, Study

MODELS = {
    "queueing": "A network of queues, beside Jackson's theorem",
    "pcs": "Mobile telephone cells, beside Erlang's formula",
    "epidemic": "An epidemic among people who travel, beside its equations",
}
SINGLE_NUMBER = "-"
"""What a quantity that is a single number depends on (``quantities.csv``)."""


class ModelStudy(Study):
    """A simulation, beside theory where there is one. Tables: ``runs``, ``comparisons``, ``quantities``."""

    kinds = ("model",)
    title = "Simulation and theory"
    kicker = "Discrete-event simulation · models"

    @property
    def model_title(self) -> str:
        """What was simulated."""
        model = str(self.configuration.get("model", "a model"))
        return MODELS.get(model, model)

    def summary(self) -> str:
        """Describe the simulation and its agreement with theory in a paragraph."""
        if self.runs.empty:
            return "No run ended, so there is nothing to show yet."
        run = self.runs.iloc[0]
        sentences = [
            f"{self.model_title}: {number(run['committed'])} events with {team_title(run['team'])}, "
            f"{number(run['committed_per_second'])} per second, efficiency {percent(run['efficiency'])}."
        ]
        if len(self.runs) > 1:
            sentences.append(f"This is the first of {len(self.runs)} replicates; what follows is of all.")
        for (quantity, _), points in self.comparisons.groupby(["quantity", "by"], sort=False):
            expected = points["expected"].sum()
            if expected > 0:
                sentences.append(f"Overall, {quantity}: {percent(points['simulated'].sum() / expected)} of theory.")
        for (quantity, by), points in self.quantities.groupby(["quantity", "by"], sort=False):
            if by == SINGLE_NUMBER:
                sentences.append(f"{capital(quantity)}: {number(points['value'].mean())}.")
        return " ".join(sentences)

    @classmethod
    def chapter(cls, studies: Sequence[ModelStudy]) -> Chapter:
        """Make the part of a report that is about these studies."""
        from laxity.studies.models.plots import draw

        plots = draw(studies)
        warnings = [warning for study in studies for warning in study.warnings()]
        return Chapter("models/page.html", {"plots": plots}, plots, warnings)
