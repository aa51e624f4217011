"""A study of collectives under arrival patterns, one row per repetition.

Elsewhere: the numbers (``last_delays``), the heat maps (``plots``).
"""

from __future__ import annotations

from collections.abc import Sequence

from laxity.evidence.verdicts import Evidence
from laxity.notation import counted, number, percent
from laxity.studies.arrivals.claims import claims
from laxity.studies.arrivals.last_delays import MIN_VALID, NO_DELAY, choice_sentences, last_delays
from laxity.study import Chapter, Study, study_titles


class ArrivalStudy(Study):
    """One study of collectives under arrival patterns.

    Tables: ``runs``, ``algorithms``, ``arrival``, ``cells``, ``candidates``, ``application``.
    """

    kinds = ("arrival",)
    title = "Collectives under arrival patterns"
    kicker = "Collectives · arrival patterns"

    @property
    def is_simulated(self) -> bool:
        """Whether the last delays were simulated (``laxity arrival --simulate``)."""
        return "simulator" in self.configuration

    def summary(self) -> str:
        """Describe what was measured and the choice of algorithms in a paragraph."""
        found = last_delays(self)
        if not found:
            return "No collective was measured completely, so there is nothing to show yet."
        names = ", ".join(dict.fromkeys(delays.collective for delays in found))
        robust = [delays.choice("robust") for delays in found]
        if self.is_simulated:
            other = sum(choice != delays.choice(NO_DELAY) for choice, delays in zip(robust, found, strict=True))
            return (
                f"{names} by the algorithms of Open MPI under arrival patterns, simulated on {found[0].processes} "
                f"ranks. In {other} of {counted(len(found), 'case')} another algorithm than the one without delay is "
                "fastest on average."
            )
        other = sum(choice is not None and not choice.startswith("0 ") for choice in robust)
        undecided = sum(choice is None for choice in robust)
        cases = counted(len(found), "case")
        choices = f" In {other} of {cases} an algorithm is measurably faster than the library's own choice."
        if undecided:
            choices += f" {counted(undecided, 'case')} could not be decided, and the library's own choice is kept."
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
        if self.runs["oversubscribed"].any():
            sentences.append(
                f"{self.name} was measured with more processes than processors: delays depend on the scheduler."
            )
        if self.cells.empty and len(self.arrival):
            sentences.append(f"{self.name} has no cells.csv; the same laxity arrival command writes it.")
        wrong = self.algorithms[self.algorithms["verdict"] == "wrong"]
        sentences += [
            f"{row.collective} by {row.algorithm} gave wrong results for {row.bytes} bytes and was left out."
            for row in wrong.itertuples(index=False)
        ]
        return super().warnings() + sentences

    def evidence(self) -> list[Evidence]:
        """Weigh the claims of the papers that this study says something about; they are about measurements."""
        return [] if self.is_simulated else claims(self)

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
