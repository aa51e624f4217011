"""A study of best-effort communication: of graph coloring, or of another program built with the library.

Elsewhere: what is compared (``treatments``, ``comparisons``), the result in words (``findings``), the page (``page``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import pandas as pd

from laxity.columns import tables_of
from laxity.error import RunDirectoryError
from laxity.evidence.verdicts import Evidence
from laxity.layout import columns, paragraphs
from laxity.notation import NOTHING, bounds, mean_count, number, percent
from laxity.studies.best_effort import findings
from laxity.studies.best_effort.claims import claims
from laxity.studies.best_effort.effects import per_run
from laxity.studies.best_effort.link_quality import qualities
from laxity.studies.best_effort.modes import BEST_EFFORT, MODES
from laxity.studies.best_effort.quality_of_service import METRICS, by_worker, with_traffic, without_missing
from laxity.studies.best_effort.treatments import Treatment, condition_title, treatments
from laxity.study import Chapter, Study

QUESTIONS = {
    "performance": "What do barriers cost?",
    "work": "Computation against communication",
    "hosts": "Same host against different hosts",
    "threads-vs-processes": "Threads against processes",
    "weak-scaling": "Does quality of service suffer from more workers?",
    "faulty": "What does one faulty worker do to the others?",
    "faulty-host": "What does a frozen host do to the others?",
    "react": "What is gained by a reaction to a slow worker?",
    "custom": "A program of your own",
}
"""What an experiment asks, as a heading."""

_RATE = "updates_per_second_per_worker"
_TREATMENT = ["shape", "mode", "nodes_per_worker", "work", "guard", "fault", "reaction", "parts_per_worker", "hosts"]
_HEADINGS = ("mode", "n", "updates/s", "95 % interval", "kept", "95 % interval", "of isolated", "conflicts")


class BestEffortStudy(Study):
    """One study of graph coloring, or of any program (kind ``custom``).

    Tables: ``runs``, ``workers``, ``qos``, ``picture``, ``messages``, with the columns of kind ``coloring`` for both.
    In a custom study, runs are of mode 3, columns about meshes are 0, and `picture` and `messages` are empty.
    """

    kinds = ("coloring", "custom")
    title = "Graph coloring"

    def check(self) -> None:
        """Raise RunDirectoryError where a mode has the name of another; complete the tables of a custom study."""
        if self.is_custom:
            self._complete()
        self.tables["qos"] = without_missing(self.qos)
        renamed = self.runs["mode_name"] != self.runs["mode"].map({mode.number: mode.name for mode in MODES})
        if renamed.any():
            line = int(renamed.to_numpy().argmax()) + 2
            raise RunDirectoryError(
                f"{self.path / 'runs.csv'}, line {line}: mode {self.runs['mode'][line - 2]} is called "
                f"{self.runs['mode_name'][line - 2]!r}; remove the line or run the study again"
            )

    def _complete(self) -> None:
        neutral = {"mode": BEST_EFFORT.number, "mode_name": BEST_EFFORT.name}
        for name, table in tables_of("coloring").items():
            own = self.tables.setdefault(name, pd.DataFrame())
            for column in table.columns:
                if column.name not in own:
                    default = 0 if column.default is None else column.default
                    value = neutral.get(column.name, default)
                    own[column.name] = pd.Series([value] * len(own), index=own.index, dtype=column.dtype)

    @property
    def is_custom(self) -> bool:
        """Whether it is a study of any program (``laxity study custom``) and not of graph coloring."""
        return self.manifest.get("kind") == "custom"

    @property
    def kind_of_time(self) -> str:
        """Of which time the tables are, in words; empty for wall time."""
        if self.configuration.get("replayed") is True:  # laxity color --replay
            return "virtual time (replayed in one thread from the seed)"
        # laxity scale; `simulated` in run directories of 0.1.0
        is_smpi = self.configuration.get("smpi", self.configuration.get("simulated")) is True
        return "simulated time (SMPI)" if is_smpi else ""

    def about_disturbances(self) -> list[str]:
        """Say which runs were disturbed; none where time is not that of the machine."""
        return [] if self.kind_of_time else super().about_disturbances()

    @property
    def experiment(self) -> str:
        """Name of the experiment, as in ``laxity study NAME``; empty if the study is none."""
        return str(self.configuration.get("study", ""))

    @property
    def compares_modes(self) -> bool:
        """Whether the results are shown by mode; other experiments have sections of their own."""
        return self.experiment in ("", "color", "performance", "scale")

    @property
    def kicker(self) -> str:
        """The line above the title of the report."""
        return (
            "Best-effort communication · a program of your own"
            if self.is_custom
            else "Graph coloring · asynchronicity modes"
        )

    @property
    def heading(self) -> str:
        """What the experiment asks, or the study's name where it is none of the catalog."""
        return QUESTIONS.get(self.experiment, self.name)

    def summary(self) -> str:
        """Describe the mesh and the runs in a paragraph."""
        return findings.summary(self)

    @classmethod
    def chapter(cls, studies: Sequence[BestEffortStudy]) -> Chapter:
        """Make the part of a report that is about these studies."""
        from laxity.studies.best_effort.page import chapter

        return chapter(studies)

    @classmethod
    def text(cls, studies: Sequence[BestEffortStudy]) -> list[str]:
        """Write the table of treatments, the key findings and the warnings."""
        found = treatments(studies)
        lines = [*paragraphs([f"{cls.title}: {', '.join(study.name for study in studies)}"], "", "  "), ""]
        if found:
            sentences = findings.key_findings(found, qualities(studies))
            lines += [
                *_table(found),
                "",
                *paragraphs([f"{finding.title}: {finding.sentences[0]}" for finding in sentences], "- "),
            ]
        else:
            lines.append("No run ended as planned: nothing to compare.")
        return [*lines, *paragraphs(findings.warnings(studies, found), "! "), ""]

    def ended_runs(self) -> pd.DataFrame:
        """Return the runs that ended as planned, of workers that share a mesh."""
        runs = super().ended_runs()
        return runs[runs["mesh"] == "shared"]

    def reference_runs(self) -> pd.DataFrame:
        """Return the runs that ended as planned, of isolated workers with a torus each."""
        runs = super().ended_runs()
        return runs[runs["mesh"] == "own_tori"]

    def observations(self) -> pd.DataFrame:
        """Return the snapshots of all links."""
        return self.qos

    def counters(self) -> Iterator[tuple[int, str, float, float]]:
        """Yield run, name, time in µs and value: each worker's metrics over its links to others, as snapshots begin.

        A metric belongs to the worker whose counters it is computed from: the failures to the sender. A run whose
        workers exchange nothing has the metrics of all its links.
        """
        observed = with_traffic(self.qos)
        between = observed[observed["neighbor_kind"] != "same_thread"]
        shown = pd.concat([between, self.qos[~self.qos["run"].isin(between["run"])]])
        begins_us = self._snapshot_begins_us()
        for snapshot, links in shown.groupby("snapshot"):
            of_workers = by_worker(links)
            for (run, worker), metrics in zip(of_workers.index, of_workers.to_dict("records"), strict=True):
                for name, value in metrics.items():
                    if not math.isnan(value):  # a worker that only sends, or only receives
                        yield run, f"worker {worker} {name}", begins_us[run, snapshot], value

    def slices(self) -> Iterator[tuple[int, int, str, float, float]]:
        """Yield run, worker, name, begin and duration in µs of each snapshot, so that times between them show."""
        begins_us = self._snapshot_begins_us()
        windows_us = self.qos.groupby(["run", "to_worker", "snapshot"])["window_ns"].mean() * 1e-3
        for (run, worker, snapshot), window_us in windows_us.items():
            yield run, worker, f"snapshot {snapshot}", begins_us[run, snapshot], window_us

    def _snapshot_begins_us(self) -> dict[tuple[int, int], float]:
        """By run and snapshot: the time since the first snapshot began.

        A snapshot begins where the previous one ends, or an interval after it began.
        """
        interval_us = float(self.configuration.get("interval_s") or 0) * 1e6
        step_us = self.qos.groupby("run")["window_ns"].mean() * 1e-3
        taken = self.qos[["run", "snapshot"]].drop_duplicates().itertuples(index=False)
        return {(run, snapshot): snapshot * (interval_us or step_us[run]) for run, snapshot in taken}

    def samples(self, *, quality: bool) -> dict[str, pd.DataFrame]:
        """Return by treatment one row per replicate: the update rate and, if asked for, the metrics."""
        metrics = [metric.column for metric in METRICS]
        runs = self.ended_runs().set_index("run").join(per_run(self, "mean")[metrics])
        keys = ["treatment", "shape"] if self.is_custom else _TREATMENT
        return {
            _title(dict(zip(keys, key, strict=True))): own[[_RATE, *(metrics if quality else ())]]
            for key, own in runs.groupby(keys, sort=False)
        }

    def durations(self) -> set[int]:
        """Return the durations that were asked for, ns; empty for other programs, which end by themselves."""
        return set() if self.is_custom else set(map(int, self.runs["duration_ns"]))

    def evidence(self) -> list[Evidence]:
        """Weigh the claims of the papers that this study says something about."""
        return claims(self)


def _title(treatment: dict) -> str:
    if "treatment" in treatment:
        return f"{treatment['treatment']}, {treatment['shape']}"
    mode, nodes = MODES[treatment["mode"]].title, treatment["nodes_per_worker"]
    work = f", work {treatment['work']}" if treatment["work"] else ""
    return f"{treatment['shape']}, {mode}, {nodes} nodes each{work}{condition_title(treatment)}"


def _table(found: Sequence[Treatment]) -> list[str]:
    rows: list[tuple[str, ...] | str] = [_HEADINGS]
    for place, treatment in enumerate(found):
        if place == 0 or treatment.group != found[place - 1].group:
            rows.append(treatment.group.title)
        ratio, of_isolated = treatment.ratio, treatment.of_isolated
        rows.append(
            (
                f"{treatment.mode.number} {treatment.mode.title}",
                str(treatment.rate.count),
                number(treatment.rate.mean),
                bounds(treatment.rate, number),
                percent(ratio.mean) if ratio else NOTHING,
                bounds(ratio, percent),
                percent(of_isolated.mean) if of_isolated else NOTHING,
                mean_count(treatment.conflicts.mean),
            )
        )
    return columns(rows)
