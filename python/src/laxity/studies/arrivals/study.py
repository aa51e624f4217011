"""A study of collectives under arrival patterns, one row per repetition.

Elsewhere: the numbers (``last_delays``), the heat maps (``plots``).
"""

from __future__ import annotations

from collections.abc import Sequence

from laxity.evidence.verdicts import Evidence
from laxity.notation import counted, number, percent
from laxity.studies.arrivals.claims import claims
from laxity.studies.arrivals.last_delays import MIN_VALID, choice_sentences, last_delays
from laxity.study import Chapter, Study, study_titles


class ArrivalStudy(Study):
    """One study of collectives under arrival patterns. Tables: ``runs``, ``algorithms``, ``arrival``."""

    kinds = ("arrival",)
    title = "Collectives under arrival patterns"
    kicker = "Collectives · arrival patterns"

    def summary(self) -> str:
        """Describe what was measured and the choice of algorithms in a paragraph."""
        found = last_delays(self)
        if not found:
            return "No collective was measured completely, so there is nothing to show yet."
        names = ", ".join(dict.fromkeys(delays.collective for delays in found))
        decided = [delays for delays in found if delays.robust_choice() is not None]
        other = sum(delays.robust_choice() != delays.no_delay_choice() for delays in decided)
        choices = (
            f" In {other} of {counted(len(decided), 'case')} the algorithm that is fastest when all processes arrive "
            "together is not the one that is fastest on average over the patterns."
            if decided
            else ""
        )
        library = self.configuration.get("library", "MPI")
        return f"{names} of {library} under arrival patterns, {found[0].processes} processes.{choices}"

    def conclusions(self) -> list[str]:
        """Recommend an algorithm for each collective and size."""
        return choice_sentences(self)

    def warnings(self) -> list[str]:
        """List reservations about the result."""
        sentences = [
            f"{delays.collective} of {number(delays.bytes)} bytes in {self.name}: only {percent(delays.valid)} of the "
            "repetitions are valid; other programs disturbed the measurement."
            for delays in last_delays(self)
            if delays.valid < MIN_VALID
        ]
        wrong = self.algorithms[self.algorithms["verdict"] == "wrong"]
        sentences += [
            f"{row.collective} by {row.algorithm} gave wrong results for {row.bytes} bytes and was left out."
            for row in wrong.itertuples(index=False)
        ]
        return super().warnings() + sentences

    def evidence(self) -> list[Evidence]:
        """Weigh the claims of the papers that this study says something about."""
        return claims(self)

    @classmethod
    def chapter(cls, studies: Sequence[ArrivalStudy]) -> Chapter:
        """Make the part of a report that is about these studies."""
        from laxity.studies.arrivals.plots import heat_maps

        plots = heat_maps(studies)
        found = [last_delays(study) for study in studies]
        context = {
            "plots": plots,
            "choices": [sentence for study in studies for sentence in study.conclusions()],
            "sizes": list(zip(study_titles(studies), found, strict=True)) if any(found) else [],
        }
        warnings = [warning for study in studies for warning in study.warnings()]
        return Chapter("arrivals/page.html", context, plots, warnings)
