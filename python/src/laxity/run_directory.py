"""Run directories: the files between the C++ programs that measure and the Python that looks.

A run directory holds ``manifest.json`` and tidy tables, one observation a row, units in the column names. The format is
``docs/run_format.md``, version 1. Everything is checked on the way in, so that what follows can rely on it: whole,
finite, in range. What is damaged is refused with the file, the line, the column and what to do; what an interrupted
study leaves behind (a half-written last line, observations of a run that never ended) is set aside with a note.

Elsewhere: what the columns mean for statistics (``treatments``, ``quality_of_service``), directories of simulations
(``simulation_directory``).
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from laxity.error import RunDirectoryError

FORMAT = 2
LARGEST_TABLE_BYTES = 512 << 20
LARGEST_MANIFEST_BYTES = 4 << 20
DONE = "done"
"""The status of a study or of a run that ended as planned."""

_MOST_SEEN = 1 << 14  # cells of a column that are remembered with their values
_LARGEST_COUNT = 2**63 - 1
_NUMBER = re.compile(r"-?[0-9.]{1,40}([eE][-+]?[0-9]{1,4})?", re.ASCII)
_WORDS = re.compile(r"[\w.+:@/ -]{1,200}")


@dataclass(frozen=True)
class Column:
    """What a cell of a table may hold; `default` where the table of an older laxity has no such column."""

    name: str
    kind: type  # int, float or str
    lowest: float = 0
    highest: float = math.inf
    words: tuple[str, ...] = ()
    default: int | float | str | None = None

    def parse(self, text: str) -> int | float | str:
        """Return the value of a cell; a ValueError says what was expected instead."""
        if self.kind is str:
            if self.words and text not in self.words:
                raise ValueError(f"one of {', '.join(self.words)}")
            if not _WORDS.fullmatch(text):
                raise ValueError("a few words")
            return text
        expected = ("a whole number" if self.kind is int else "a number") + self._range()
        if not _NUMBER.fullmatch(
            text
        ):  # int() and float() take more than C++ writes: 1_000, other scripts' digits, nan
            raise ValueError(expected)
        try:
            value = self.kind(text)
        except ValueError:
            raise ValueError(expected) from None
        if not self.lowest <= value <= self.highest or math.isinf(value):
            raise ValueError(expected)
        return value

    def _range(self) -> str:
        if math.isinf(self.highest):
            return f" >= {self.lowest:g}"
        if self.highest >= _LARGEST_COUNT:
            return f" >= {self.lowest:g} of no more than {math.ceil(math.log2(self.highest))} bits"
        return f" in {self.lowest:g}..{self.highest:g}"


def counts(*names: str) -> tuple[Column, ...]:
    """Columns of whole numbers that are not negative."""
    return tuple(Column(name, int, highest=_LARGEST_COUNT) for name in names)


_MODE_NAMES = ("every_update", "rolling", "fixed", "none", "isolated")
NEIGHBOR_KINDS = ("same_thread", "thread", "process", "host")
FAULTS = ("none", "slow", "stop", "freeze")

TABLES: dict[str, tuple[Column, ...]] = {
    "runs": (
        *counts("run"),
        Column("mode", int, 0, 4),
        Column("mode_name", str, words=_MODE_NAMES),
        Column("shape", str),
        *(Column(name, int, 1, 1 << 20) for name in ("threads", "processes", "workers")),
        *counts("replicate"),
        Column("seed", int, highest=2**64 - 1),
        *counts("nodes_per_worker", "duration_ns", "nodes", "edges", "updates_total"),
        Column("updates_per_second_per_worker", float),
        *counts("conflicts"),
        Column("work", int, highest=_LARGEST_COUNT, default=0),
        Column("guard", str, words=("lock-free", "mutex"), default="lock-free"),
        Column("fault", str, words=FAULTS, default="none"),
        Column("reaction", str, default="none"),
        Column("parts_per_worker", int, 1, 1 << 12, default=1),
        Column("moves", int, highest=_LARGEST_COUNT, default=0),
        Column("hosts", int, 1, 1 << 20, default=1),
        Column("status", str),
    ),
    "workers": (
        *counts("run", "worker", "process", "thread", "updates", "elapsed_ns"),
        Column("updates_per_second", float),
        Column("status", str),
    ),
    "qos": (
        *counts("run", "snapshot", "layer", "from_worker", "to_worker", "channel"),
        Column("neighbor_kind", str, words=NEIGHBOR_KINDS),
        *counts("channels", "answered", "window_ns", "updates"),
        *(Column(name, float) for name in ("simstep_period_ns", "simstep_latency_updates", "walltime_latency_ns")),
        *(Column(name, float, 0, 1) for name in ("delivery_failure_rate", "delivery_clumpiness")),
        *counts("attempted", "accepted", "superseded", "pulls", "laden", "received", "touches"),
    ),
    "picture": (
        *counts("run"),
        Column("when", str, words=("before", "after")),
        *counts("node", "x", "y", "color"),
    ),
    "messages": (
        *counts("run", "layer", "from_worker", "to_worker", "channel", "message", "sent_ns", "seen_ns"),
        *counts("refused_before"),
        Column("fate", str, words=("shown", "overtaken", "unseen")),
    ),
}


CUSTOM_TABLES: dict[str, tuple[Column, ...]] = {
    "runs": (
        *counts("run"),
        Column("treatment", str),
        Column("shape", str),
        *(Column(name, int, 1, 1 << 20) for name in ("threads", "processes", "workers")),
        *counts("replicate", "duration_ns", "updates_total"),
        Column("updates_per_second_per_worker", float),
        *counts("exit_code"),
        Column("status", str),
        # What graph coloring has beside: a program of somebody else's has no such thing, and is not shown by it.
        Column("mode", int, 0, 4, default=3),
        Column("mode_name", str, words=_MODE_NAMES, default="none"),
        *(
            Column(name, int, highest=_LARGEST_COUNT, default=0)
            for name in ("seed", "nodes_per_worker", "nodes", "edges", "conflicts", "work")
        ),
        Column("guard", str, default="lock-free"),
        Column("fault", str, words=FAULTS, default="none"),
        Column("reaction", str, default="none"),
        Column("parts_per_worker", int, 1, 1 << 12, default=1),
        Column("moves", int, highest=_LARGEST_COUNT, default=0),
        Column("hosts", int, 1, 1 << 20, default=1),
    ),
    "workers": TABLES["workers"],
    "qos": TABLES["qos"],
    "picture": TABLES["picture"],
    "messages": TABLES["messages"],
}
"""Of a study of any program, kind custom."""


class Described:
    """What any study's manifest and runs say; `path`, `manifest` and `runs` are those of the directory."""

    path: Path
    manifest: dict[str, Any]
    runs: pd.DataFrame

    @property
    def name(self) -> str:
        """The study's name."""
        return str(self.manifest.get("name") or self.path.resolve().name)

    @property
    def status(self) -> str:
        """How the study ended: ``DONE``, or another word where it did not."""
        return str(self.manifest.get("status", "unknown"))

    @property
    def configuration(self) -> dict[str, Any]:
        """The resolved options of the study; empty where the manifest has none."""
        configuration = self.manifest.get("configuration")
        return configuration if isinstance(configuration, dict) else {}

    def ended_runs(self) -> pd.DataFrame:
        """Return the runs that ended as planned and so may be compared."""
        return self.runs[self.runs["status"] == DONE]


@dataclass(frozen=True)
class RunDirectory(Described):
    """One study of graph coloring, or of another program: what was run, and every table of what was observed.

    Attributes
    ----------
    path : Path
        The directory.
    manifest : dict
        ``manifest.json``; ``format`` and ``kind`` have been checked, the rest may be missing.
    runs, workers, qos, picture, messages : pandas.DataFrame
        The tables, columns as in ``TABLES``; empty, with their columns, where the file is missing.
    notes : tuple of str
        What was set aside while reading, in words.
    """

    path: Path
    manifest: dict[str, Any]
    runs: pd.DataFrame
    workers: pd.DataFrame
    qos: pd.DataFrame
    picture: pd.DataFrame
    messages: pd.DataFrame
    notes: tuple[str, ...] = field(default=())

    @classmethod
    def open(cls, path: str | Path) -> RunDirectory:
        """Read and check a run directory.

        Parameters
        ----------
        path : str or Path
            The directory, as in ``runs/first-light``.

        Raises
        ------
        RunDirectoryError
            If it is missing, of another format or malformed; one line with file, line, column and what to do.
        """
        path = Path(path)
        manifest = read_manifest(path, ("coloring", "custom"))
        tables, notes = read_tables(path, CUSTOM_TABLES if manifest["kind"] == "custom" else TABLES)
        _check_modes(path / "runs.csv", tables["runs"])
        return cls(path=path, manifest=manifest, notes=notes, **tables)

    @property
    def is_custom(self) -> bool:
        """Whether it is a study of any program (``laxity study custom``) and not of graph coloring."""
        return self.manifest.get("kind") == "custom"

    @property
    def is_simulated(self) -> bool:
        """Whether all workers ran in one thread and every time is virtual (``laxity color --replay``)."""
        return True in (self.configuration.get("replayed"), self.configuration.get("simulated"))


def read_manifest(directory: Path, kinds: Sequence[str]) -> dict[str, Any]:
    """Read ``manifest.json`` of a study of one of these kinds; RunDirectoryError as `RunDirectory.open`."""
    if not directory.is_dir():
        what = "is a file" if directory.exists() else "does not exist"
        raise RunDirectoryError(f"{directory}: {what}; name a run directory, as in runs/first-light")
    path = directory / "manifest.json"
    try:
        if path.stat().st_size > LARGEST_MANIFEST_BYTES:
            raise RunDirectoryError(
                f"{path}: larger than {LARGEST_MANIFEST_BYTES} bytes; this is no manifest of laxity"
            )
        manifest = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise RunDirectoryError(f"{path}: missing; name a directory that laxity wrote") from None
    except OSError as error:
        raise RunDirectoryError(f"{path}: cannot be read ({error.strerror}); check its permissions") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise RunDirectoryError(f"{path}, {where}: {error.msg}; restore the file or run the study again") from None
    except (ValueError, RecursionError):
        raise RunDirectoryError(f"{path}: not JSON text; restore the file or run the study again") from None
    if not isinstance(manifest, dict) or "format" not in manifest:
        raise RunDirectoryError(f'{path}: no "format" in it; name a directory that laxity wrote')
    if manifest["format"] != FORMAT:
        raise RunDirectoryError(
            f"{path}: format {manifest['format']!r}, this laxity reads format {FORMAT}; use the laxity that wrote it"
        )
    if manifest.get("kind") not in kinds:
        known = " and ".join(repr(kind) for kind in kinds)
        raise RunDirectoryError(f"{path}: kind {manifest.get('kind')!r}, known here: {known}")
    return manifest


def read_tables(
    directory: Path, formats: Mapping[str, Sequence[Column]]
) -> tuple[dict[str, pd.DataFrame], tuple[str, ...]]:
    """Read and check all tables of a study, and say what was set aside; RunDirectoryError as `RunDirectory.open`."""
    notes: list[str] = []
    tables = {name: _read_table(directory / f"{name}.csv", columns, notes) for name, columns in formats.items()}
    _check_runs(directory / "runs.csv", tables["runs"])
    for name in formats:
        if name != "runs":
            tables[name] = _of_known_runs(name, tables[name], tables["runs"], notes)
    return tables, tuple(notes)


def _read_table(path: Path, columns: Sequence[Column], notes: list[str]) -> pd.DataFrame:
    """Read one table; a last line without its end is left out with a note."""
    values: dict[str, list] = {column.name: [] for column in columns}
    try:
        if path.stat().st_size > LARGEST_TABLE_BYTES:
            raise RunDirectoryError(f"{path}: larger than {LARGEST_TABLE_BYTES} bytes; split the study")
        with path.open(encoding="utf-8", errors="replace", newline="") as file:
            rows = csv.reader(_whole_lines(file, path, notes))
            header = next(rows, None)
            if header is not None:
                _read_rows(path, rows, _positions(path, header, columns), len(header), values)
    except FileNotFoundError:
        pass  # a study that has not come so far, or was not asked for this table
    except OSError as error:
        raise RunDirectoryError(f"{path}: cannot be read ({error.strerror}); check its permissions") from None
    except csv.Error as error:
        raise RunDirectoryError(
            f"{path}, line {rows.line_num}: {error}; remove the line or run the study again"
        ) from None
    dtypes = {int: "int64", float: "float64", str: "object"}
    rows = max(len(cells) for cells in values.values())
    for column in columns:
        if len(values[column.name]) < rows:
            values[column.name] = [column.default] * rows
    return pd.DataFrame(
        {
            column.name: pd.Series(
                values[column.name],
                dtype="uint64" if column.kind is int and column.highest > _LARGEST_COUNT else dtypes[column.kind],
            )
            for column in columns
        }
    )


def _whole_lines(file, path: Path, notes: list[str]) -> Iterator[str]:
    """Yield lines that end. A last line that does not may hold a shortened number that looks like a whole one."""
    for number, line in enumerate(file, start=1):
        if line.endswith(("\n", "\r")):
            yield line
        else:
            notes.append(f"{path.name}: line {number} was half written and is left out")


def _positions(path: Path, header: list[str], columns: Sequence[Column]) -> list[tuple[int, Column]]:
    missing = [column.name for column in columns if column.name not in header and column.default is None]
    if missing:
        raise RunDirectoryError(
            f"{path}, line 1: no column {missing[0]!r}; restore the file or run the study again with this laxity"
        )
    return [(header.index(column.name), column) for column in columns if column.name in header]


def _read_rows(path: Path, rows, positions: Sequence[tuple[int, Column]], width: int, values: dict[str, list]) -> None:
    # Most cells of a long table repeat others of their column: a picture has few runs, coordinates and colors.
    places = [(position, column, values[column.name].append, {}) for position, column in positions]
    for row in rows:
        if len(row) != width:
            raise RunDirectoryError(
                f"{path}, line {rows.line_num}: {len(row)} cells where the first line has {width}; "
                "remove the line or run the study again"
            )
        for position, column, append, seen in places:
            text = row[position]
            value = seen.get(text)
            if value is None:
                value = _parsed(path, rows.line_num, column, text)
                if len(seen) < _MOST_SEEN:
                    seen[text] = value
            append(value)


def _parsed(path: Path, line: int, column: Column, text: str) -> int | float | str:
    try:
        return column.parse(text)
    except ValueError as expected:
        raise RunDirectoryError(
            f"{path}, line {line}, column {column.name}: {text[:40]!r} where {expected} is expected; "
            "remove the line or run the study again"
        ) from None


def _check_runs(path: Path, runs: pd.DataFrame) -> None:
    twice = runs["run"].duplicated()
    if twice.any():
        line = int(twice.to_numpy().argmax()) + 2
        raise RunDirectoryError(
            f"{path}, line {line}: run {runs['run'][line - 2]} is there twice; remove one of the lines"
        )


def _check_modes(path: Path, runs: pd.DataFrame) -> None:
    renamed = runs["mode_name"] != runs["mode"].map(dict(enumerate(_MODE_NAMES)))
    if renamed.any():
        line = int(renamed.to_numpy().argmax()) + 2
        raise RunDirectoryError(
            f"{path}, line {line}: mode {runs['mode'][line - 2]} is called {runs['mode_name'][line - 2]!r}; "
            "remove the line or run the study again"
        )


def _of_known_runs(name: str, table: pd.DataFrame, runs: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    known = table["run"].isin(runs["run"])
    if known.all():
        return table
    unknown = sorted(table["run"][~known].unique())
    notes.append(f"{name}.csv: {int((~known).sum())} rows of runs that never ended (run {unknown[0]}) are left out")
    return table[known].reset_index(drop=True)
