"""One traced command: its collective calls, and the arrival of its processes at them.

Elsewhere: the plots (``plots``), the archive for other tools (``otf2_export``).
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from laxity.notation import duration, number, percent
from laxity.study import DONE, Chapter, Study, study_titles

_MAX_COLLECTIVES = 40  # of one study in the table, by time


class TraceStudy(Study):
    """One traced command; a run is a job, that is, one MPI_COMM_WORLD.

    Tables: ``runs``, ``collectives``, ``processes``, ``delays``, ``calls``.
    """

    kinds = ("trace",)
    title = "Collective calls"
    kicker = "Collectives · a traced program"

    def largest_job(self) -> pd.Series | None:
        """Choose the job that is shown: the one with the most calls; None where nothing was traced."""
        return None if self.runs.empty else self.runs.loc[self.runs["calls"].idxmax()]

    def heaviest(self) -> pd.Series | None:
        """Choose the collective with the most time in the largest job; None where there was no call."""
        job = self.largest_job()
        rows = self.collectives.head(0) if job is None else self.collectives[self.collectives["run"] == job["run"]]
        return None if rows.empty else rows.loc[rows["inside_s"].idxmax()]

    def of_heaviest(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of a table (delays, calls) that are of the `heaviest` collective."""
        heaviest = self.heaviest()
        if heaviest is None:
            return table.head(0)
        keys = ["run", "collective", "start", "communicator"]
        return table[(table[keys] == heaviest[keys]).all(axis=1)]

    def summary(self) -> str:
        """Describe the program and its time in collectives in a paragraph."""
        job = self.largest_job()
        if job is None:
            return "No process was traced, so there is nothing to show yet."
        sentences = [
            f"{number(job['calls'])} collective calls of {job['traced']} of {job['processes']} processes in "
            f"{duration(job['seconds'] * 1e9)}: {percent(job['share_in_collectives'])} of the time was spent in "
            f"collectives, {percent(job['share_waiting'])} of that before the last arrival."
        ]
        if (heaviest := self.heaviest()) is not None:
            sentences.append(
                f"Most of it in {title_of(heaviest)}: {number(heaviest['calls'])} calls of "
                f"{number(heaviest['mean_bytes'])} bytes, skew {duration(heaviest['mean_skew_us'] * 1e3)} on average."
            )
        return " ".join(sentences)

    def warnings(self) -> list[str]:
        """List reservations about the result."""
        sentences = []
        if self.status != DONE:
            sentences.append(f"The program of {self.name} did not end well (status {self.status!r}).")
        for run in self.runs.itertuples(index=False):
            if not run.one_clock:
                sentences.append(
                    f"In {self.name} the processes of job {run.run} have different clocks: skew is meaningless."
                )
            if run.traced < run.processes or run.every > 1:
                sentences.append(
                    f"In {self.name} {run.traced} of {run.processes} processes and 1 of {run.every} calls were traced."
                )
        return sentences + [f"{note}." for note in self.notes]

    @classmethod
    def chapter(cls, studies: Sequence[TraceStudy]) -> Chapter:
        """Make the part of a report that is about these studies."""
        from laxity.studies.traces.plots import draw

        plots = draw(studies)
        titled = zip(study_titles(studies), studies, strict=True)
        tables = [(title, study._collectives()) for title, study in titled if not study.runs.empty]
        warnings = [warning for study in studies for warning in study.warnings()]
        return Chapter("traces/page.html", {"plots": plots, "tables": tables}, plots, warnings)

    def _collectives(self) -> list[tuple[str, ...]]:
        job = self.largest_job()
        elapsed_s = job["seconds"] * job["traced"]
        of_job = self.collectives[self.collectives["run"] == job["run"]]
        return [
            (
                title_of(each),
                number(each["size"]),
                number(each["calls"]),
                number(each["mean_bytes"]),
                percent(each["inside_s"] / elapsed_s if elapsed_s else 0.0),
                percent(each["waiting_s"] / each["inside_s"] if each["inside_s"] else 0.0),
                *(duration(each[column] * 1e3) for column in ("mean_skew_us", "max_skew_us", "mean_last_delay_us")),
            )
            for _, each in of_job.nlargest(_MAX_COLLECTIVES, "inside_s").iterrows()
        ]


def title_of(collective: pd.Series) -> str:
    """Name a collective as MPI does, and its communicator: "MPI_Iallreduce on world"."""
    name = str(collective["collective"])
    call = f"MPI_I{name}" if collective["start"] == "nonblocking" else f"MPI_{name.capitalize()}"
    return f"{call} on {collective['communicator']}"
