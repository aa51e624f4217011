"""A study of any kind: one run directory, its description in words, and what it adds to a report.

A kind of study is a package in ``laxity.studies`` whose ``STUDY`` is a subclass of `Study`; there is no list of kinds.
The package also has a Jinja2 template for its part of the page, and modules for its statistics and plots.

Elsewhere: reading (``run_directory``), the page (``report``), text for a terminal (``terminal``).
"""

from __future__ import annotations

import pkgutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd

from laxity import studies
from laxity.columns import tables_of
from laxity.error import LaxityError, RunDirectoryError
from laxity.evidence.verdicts import Evidence
from laxity.layout import paragraphs
from laxity.notation import counted, number, percent
from laxity.run_directory import read_manifest, read_tables

if TYPE_CHECKING:
    from typing import Self

    from laxity.plots.style import Plot

DONE = "done"
"""The status of a study or of a run that ended as planned."""


@dataclass(frozen=True)
class Chapter:
    """What the studies of one kind add to a report.

    Attributes
    ----------
    template : str
        Path of the Jinja2 template below ``laxity/studies``; it gets `context`.
    plots : sequence of Plot
        All plots of the template, which become files too.
    warnings : sequence of str
        Reservations about the result.
    tables : mapping of str to pandas.DataFrame
        Results that are written beside the report, by file name.
    """

    template: str
    context: Mapping[str, Any]
    plots: Sequence[Plot]
    warnings: Sequence[str]
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Study(ABC):
    """One run directory.

    Attributes
    ----------
    path : Path
        The directory.
    manifest : dict
        ``manifest.json``; ``format`` and ``kind`` have been checked, the rest may be missing.
    tables : dict of str to pandas.DataFrame
        By name, with the columns of ``tables.json``. Each is an attribute too: ``study.runs``.
    notes : tuple of str
        What was left out while reading, in words.
    """

    path: Path
    manifest: dict[str, Any]
    tables: dict[str, pd.DataFrame]
    notes: tuple[str, ...] = ()

    kinds: ClassVar[tuple[str, ...]]
    """Values of ``kind`` in the manifest."""
    title: ClassVar[str]
    """Heading of the text for a terminal."""

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Read and check a run directory of this kind.

        Raises
        ------
        RunDirectoryError
            If it is missing, malformed, or of another kind or format; one line that says what to do.
        """
        path = Path(path)
        manifest = read_manifest(path)
        check_kind(path, manifest, cls.kinds)
        described = tables_of(manifest["kind"], sys.modules[cls.__module__].__package__)
        tables, notes = read_tables(path, described)
        study = cls(path, manifest, tables, notes)
        study.check()
        return study

    def __getattr__(self, name: str) -> pd.DataFrame:
        try:
            return self.__dict__["tables"][name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no attribute and no table {name!r}") from None

    def check(self) -> None:  # noqa: B027, most kinds have nothing to check
        """Raise RunDirectoryError where rows contradict one another."""

    @property
    def name(self) -> str:
        """The study's name."""
        return str(self.manifest.get("name") or self.path.resolve().name)

    @property
    def heading(self) -> str:
        """Title of a report on this study alone."""
        return self.name

    @property
    def status(self) -> str:
        """How the study ended: ``DONE``, or another word where it did not."""
        return str(self.manifest.get("status", "unknown"))

    @property
    def cores(self) -> int | None:
        """Processors that the study was allowed to use; None where the manifest does not say."""
        cores = self.manifest.get("cores")
        return cores if isinstance(cores, int) and cores >= 1 else None

    @property
    def configuration(self) -> dict[str, Any]:
        """The resolved options of the study; empty where the manifest has none."""
        configuration = self.manifest.get("configuration")
        return configuration if isinstance(configuration, dict) else {}

    def ended_runs(self) -> pd.DataFrame:
        """Return the runs that ended as planned and so may be compared."""
        return self.runs[self.runs["status"] == DONE]

    @property
    @abstractmethod
    def kicker(self) -> str:
        """The line above the title of the report."""

    @abstractmethod
    def summary(self) -> str:
        """Describe the study and its result in a paragraph."""

    def conclusions(self) -> list[str]:
        """List what follows from the result, a sentence or two each."""
        return []

    def warnings(self) -> list[str]:
        """List reservations about the result, a sentence or two each."""
        sentences = []
        if self.status != DONE:
            sentences.append(f"{self.name} did not end (status {self.status!r}); the same command runs it again.")
        return [*sentences, *self.about_disturbances(), *(f"{note}." for note in self.notes)]

    def about_disturbances(self) -> list[str]:
        """Say which runs other programs or machines disturbed, in a sentence; nothing where none was."""
        found = self.tables.get("disturbances")
        if found is None or not len(disturbed := found[found["disturbance"] != "none"]):
            return []
        worst = f"at most {number(disturbed['other_processors'].max(), 2)} of {found['processors'].max()} processors"
        of_runs = f"{disturbed['run'].nunique()} of {counted(found['run'].nunique(), 'run')}"
        return [
            f"{of_runs} were disturbed: other programs used {worst}, other "
            f"virtual machines took at most {percent(disturbed['steal'].max())} of the time. Measure on a "
            "quiet machine, or repeat such runs with --until-quiet."
        ]

    @classmethod
    @abstractmethod
    def chapter(cls, studies: Sequence[Self]) -> Chapter:
        """Make the part of a report that is about these studies."""

    def figures(self) -> dict[str, Plot]:
        """Return the plots of the report by name; a notebook shows them."""
        from laxity.report import render

        return {plot.name: plot for plot in render([self])[1]}

    def _repr_html_(self) -> str:
        """Show the report in a notebook, in a frame of its own so that its style is not the notebook's."""
        from markupsafe import escape

        from laxity.report import render

        page, title = escape(render([self])[0]), escape(self.name)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 40em; border: 0" title="{title}"></iframe>'

    @classmethod
    def text(cls, studies: Sequence[Self]) -> list[str]:
        """Write the result as lines for a terminal."""
        lines = []
        for study in studies:
            lines += [*paragraphs([f"{cls.title}: {study.name}"], "", "  "), "", *study.text_tables()]
            lines += [*paragraphs([study.summary(), *study.conclusions()], "- "), *paragraphs(study.warnings(), "! ")]
            lines.append("")
        return lines

    def text_tables(self) -> list[str]:
        """Write the tables of `text`, each with an empty line at its end."""
        return []

    def observations(self) -> pd.DataFrame:
        """Return the observations that an export joins with their runs; LaxityError where the kind has no export."""
        raise LaxityError(f"{self.path}: studies of this kind cannot be exported; their tables are CSV already")

    def counters(self) -> Iterator[tuple[int, str, float, float]]:
        """Yield run, name, time in µs and value of every counter over time; only where there are `observations`."""
        raise NotImplementedError

    def slices(self) -> Iterator[tuple[int, int, str, float, float]]:
        """Yield run, worker, name, begin and duration in µs of what took some time, if the tables have any."""
        return iter(())

    def samples(self, *, quality: bool) -> dict[str, pd.DataFrame]:
        """Return by treatment one row per replicate and one column per response; LaxityError if not comparable."""
        del quality
        raise LaxityError(f"{self.path}: studies of this kind cannot be compared")

    def durations(self) -> set[int]:
        """Return the durations that were asked for, ns; empty where runs end by themselves."""
        return set()

    def evidence(self) -> list[Evidence]:
        """Weigh the claims of the papers that this study says something about."""
        return []


def open_study(path: str | Path) -> Study:
    """Open a run directory of any kind; RunDirectoryError as `Study.open`."""
    manifest = read_manifest(Path(path))
    known = {kind: each for each in find_kinds() for kind in each.kinds}
    check_kind(Path(path), manifest, tuple(known))
    return known[manifest["kind"]].open(path)


def check_kind(path: Path, manifest: Mapping[str, Any], kinds: Sequence[str]) -> None:
    """Raise RunDirectoryError unless a manifest is of one of these kinds."""
    if manifest.get("kind") not in kinds:
        known = " and ".join(map(repr, kinds))
        raise RunDirectoryError(f"{path / 'manifest.json'}: kind {manifest.get('kind')!r}, known here: {known}")


def find_kinds() -> list[type[Study]]:
    """Find the kinds of study: ``STUDY`` of every package in ``laxity.studies``, by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(studies.__path__))
    return [import_module(f"{studies.__name__}.{name}").STUDY for name in names]


def by_kind(opened: Iterable[Study]) -> dict[type[Study], list[Study]]:
    """Sort studies by their kind, in the order in which the kinds first appear."""
    sorted_studies: dict[type[Study], list[Study]] = {}
    for study in opened:
        sorted_studies.setdefault(type(study), []).append(study)
    return sorted_studies


def study_titles(opened: Sequence[Study]) -> list[str]:
    """Name the studies of one report so that no two have the same name."""
    names = [study.name for study in opened]
    return [
        name if names.count(name) == 1 else f"{name} ({study.path})" for name, study in zip(names, opened, strict=True)
    ]
