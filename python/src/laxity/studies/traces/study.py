"""One traced command: its collective calls, and the arrival of its processes at them.

Elsewhere: the plots (``plots``), the archive for other tools (``otf2_export``).
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from laxity.notation import duration, number, percent
from laxity.study import DONE, Chapter, Study, study_titles

_MAX_COLLECTIVES = 40  # of one study in the table, by time
_MAX_LATE = 12  # processes of one study in the table, by the waiting that they caused
CAUSES = ("work", "noise", "earlier", "unknown")
"""What makes a process late, as in ``lateness.csv``."""


class TraceStudy(Study):
    """One traced command; a run is a job, that is, one MPI_COMM_WORLD.

    Tables: ``runs``, ``collectives``, ``processes``, ``delays``, ``calls``, ``lateness``.
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

    def late(self) -> pd.DataFrame:
        """Sum the table ``lateness`` of the largest job over its collectives, a row per late process.

        Returns
        -------
        pd.DataFrame
            By process, in s, in descending order of ``caused_s``: the waiting that the process caused by itself, at
            once and in later calls.

        References
        ----------
        Böhme et al., Identifying the root causes of wait states in large-scale parallel applications, 2016.
        """
        job = self.largest_job()
        rows = self.lateness.head(0) if job is None else self.lateness[self.lateness["run"] == job["run"]]
        columns = ["calls", "waiting_s", *(f"{cause}_s" for cause in CAUSES), "propagated_s"]
        sums = rows.groupby("process")[columns].sum()
        sums["caused_s"] = sums["waiting_s"] - sums["earlier_s"] + sums["propagated_s"]
        return sums.sort_values("caused_s", ascending=False, kind="stable")

    def divided_s(self) -> pd.Series | None:
        """Sum the time in the collectives of the largest job: transfer, late (with its range) and unknown, in s.

        None where it was not divided: in directories of older releases, and without a call.
        """
        job = self.largest_job()
        if job is None:
            return None
        rows = self.collectives[self.collectives["run"] == job["run"]]
        sums = rows[["transfer_s", "late_s", "late_low_s", "late_high_s", "unknown_s"]].sum()
        sums["whole_s"] = sums["transfer_s"] + sums["late_s"] + sums["unknown_s"]
        return sums if sums["whole_s"] > 0 else None

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
        if (divided := self.divided_s()) is not None:
            share = divided / divided["whole_s"]
            sentences.append(
                f"{percent(share['late_s'])} of the time in collectives is waiting for late processes (between "
                f"{percent(share['late_low_s'])} and {percent(share['late_high_s'])}), "
                f"{percent(share['transfer_s'])} transfer, {percent(share['unknown_s'])} unknown."
            )
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
        titled = zip(study_titles(studies), studies, strict=True)
        late = [(title, rows) for title, study in titled if (rows := study._late())]
        warnings = [warning for study in studies for warning in study.warnings()]
        return Chapter("traces/page.html", {"plots": plots, "tables": tables, "late": late}, plots, warnings)

    def _late(self) -> list[tuple[str, ...]]:
        late, divided = self.late().head(_MAX_LATE), self.divided_s()
        if late.empty or divided is None:
            return []
        return [
            (
                f"process {process}",
                number(row["calls"]),
                percent(row["waiting_s"] / divided["whole_s"]),
                *(percent(row[f"{cause}_s"] / row["waiting_s"] if row["waiting_s"] else 0.0) for cause in CAUSES),
                percent(row["caused_s"] / divided["whole_s"]),
            )
            for process, row in late.iterrows()
        ]

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
