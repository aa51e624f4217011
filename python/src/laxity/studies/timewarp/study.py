"""A study of optimistic simulation: runs of PHOLD on the Time Warp engine.

Elsewhere: what is compared (``treatments``), what happened over time (``time_series``), the page (``page``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from laxity.evidence.verdicts import Evidence
from laxity.intervals import Interval, geometric_mean_interval
from laxity.layout import columns
from laxity.notation import INTERVALS, bounds, counted, number, percent, team_title, with_bounds
from laxity.studies.timewarp.claims import claims
from laxity.studies.timewarp.treatments import treatments, what_fits
from laxity.study import DONE, Chapter, Study

_TREATMENT = ["team", "shape", "receivers", "range", "remote", "lps", "events_per_lp", "queue", "optimism"]
_RUN_HEADINGS = ("run", "seed", "events", "M events/s", "efficiency", "rollbacks", "status")
_TREATMENT_HEADINGS = ("treatment", "n", "events/s", "95 % interval", "efficiency")


class TimewarpStudy(Study):
    """One study of optimistic simulation. Tables: ``runs``, ``workers``, ``timewarp``."""

    kinds = ("phold",)
    title = "Optimistic simulation"
    kicker = "Optimistic simulation · PHOLD"

    def rate(self) -> Interval | None:
        """Committed events per second over the replicates that ended, all workers together; None where none did."""
        ended = self.ended_runs()
        return geometric_mean_interval(ended["committed_per_second"]) if len(ended) else None

    def summary(self) -> str:
        """Describe the model, the team and the rate in a paragraph."""
        if self.runs.empty:
            return "No run ended, so there is nothing to show yet."
        if found := treatments(self):
            return (
                f"A study of the Time Warp engine on PHOLD: {counted(len(self.ended_runs()), 'run')}, "
                f"{counted(len(found), 'treatment')}, {number(self.runs['lps'].iloc[0])} logical processes."
            )
        run = self.runs.iloc[0]
        end = self.configuration.get("end_time")
        until = f" until {number(end)}" if isinstance(end, int | float) else ""
        sentences = (
            f"PHOLD, {run['shape']} shape{until}: {number(run['lps'])} logical processes with {run['events_per_lp']} "
            f"events each, {_receivers(run)}, with {team_title(run['team'])}."
        )
        rate = self.rate()
        if rate is None:
            return f"{sentences} No run ended."
        intervals = f" (mean of {rate.count} runs, {INTERVALS})" if rate.known else ""
        efficiency = percent(self.ended_runs()["efficiency"].mean())
        return (
            f"{sentences} {with_bounds(rate, number)} events committed per second{intervals}, efficiency {efficiency}."
        )

    def warnings(self) -> list[str]:
        """List reservations about the result."""
        sentences = [
            f"Run {run.run} of {self.name} did not end ({run.status}); its last counts are shown."
            for run in self.runs[self.runs["status"] != DONE].head(5).itertuples(index=False)
        ]
        workers = 0 if self.runs.empty else int(self.runs["workers"].max())
        if self.cores is not None and workers > self.cores:
            sentences.append(f"In {self.name} {workers} workers share {counted(self.cores, 'core')}.")
        return super().warnings() + sentences

    @classmethod
    def chapter(cls, studies: Sequence[TimewarpStudy]) -> Chapter:
        """Make the part of a report that is about these studies."""
        from laxity.studies.timewarp.page import chapter

        return chapter(studies)

    def conclusions(self) -> list[str]:
        """Name the fastest treatments of each figure."""
        return what_fits(self)

    def text_tables(self) -> list[str]:
        """Write the table of treatments, or of runs where there are none."""
        if found := treatments(self):
            rows = [
                (
                    f"{each.figure}, {each.condition}, {each.label}",
                    str(each.rate.count),
                    number(each.rate.mean),
                    bounds(each.rate, number),
                    percent(each.efficiency),
                )
                for each in found
            ]
            return [*columns([_TREATMENT_HEADINGS, *rows]), ""]
        rows = [
            (
                f"{run.run} {run.team}",
                str(run.seed),
                number(run.committed),
                f"{run.committed_per_second * 1e-6:.2f}",
                percent(run.efficiency),
                number(run.rollbacks),
                run.status,
            )
            for run in self.runs.itertuples(index=False)
        ]
        return [*columns([_RUN_HEADINGS, *rows]), ""] if rows else []

    def observations(self) -> pd.DataFrame:
        """Return the counts of all workers over time."""
        return self.timewarp

    def counters(self) -> Iterator[tuple[int, str, float, float]]:
        """Yield run, name, time in µs and value of the counts of each worker."""
        for row in self.timewarp.to_dict("records"):
            for name in ("gvt", "committed", "rolled_back", "events_in_use"):
                yield row["run"], f"worker {row['worker']} {name}", row["wall_time_s"] * 1e6, row[name]

    def evidence(self) -> list[Evidence]:
        """Weigh the claims of the papers that this study says something about."""
        return claims(self)

    def samples(self, *, quality: bool) -> dict[str, pd.DataFrame]:
        """Return by treatment one row per replicate: committed events per second."""
        del quality
        found = {}
        for key, runs in self.ended_runs().groupby(_TREATMENT, sort=False):
            of = dict(zip(_TREATMENT, key, strict=True))
            receivers = f"{of['receivers']} (range {of['range']}, remote {of['remote']:g})"
            size = f"{of['lps']} × {of['events_per_lp']} events"
            title = f"{of['team']}, {of['shape']}, {receivers}, {size}, {of['queue']}, {of['optimism']}"
            found[title] = runs[["committed_per_second"]]
        return found


def _receivers(run: pd.Series) -> str:
    if run["receivers"] == "range":
        return f"receivers within a range of {number(run['range'])}"
    if run["receivers"] == "remote":
        return f"{percent(run['remote'])} of the events to other parts, of which there are {run['parts']}"
    return "uniform receivers"
