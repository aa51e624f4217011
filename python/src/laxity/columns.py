"""The tables of every kind of study: names, types and ranges of their columns, from the description that C++ writes by.

``tables.json`` is the only place where columns are listed (``laxity/metrics/tables.json`` in the source tree). A
package of ``laxity.studies`` may bring a ``tables.json`` of its own for a kind that laxity does not know.

Elsewhere: reading files by these columns (``run_directory``).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

_LARGEST_COUNT = 2**63 - 1
_NUMBER = re.compile(r"-?[0-9.]{1,40}([eE][-+]?[0-9]{1,4})?", re.ASCII)
_MAX_WORD = 200


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    name : str
        As in the first line of the file, with the unit at its end.
    type : {"count", "real", "word"}
        Whole number, real number or text.
    min, max : float
        Range of a number, both ends included.
    words : tuple of str
        The only words allowed; any short text where there are none.
    default : int, float, str or None
        Value of every row where the table of an older laxity lacks the column; None where the column is required.
    meaning, unit, formula, end, source : str
        What the column holds; each may be empty. `end` is ``sender`` or ``receiver``, whose counters it comes from.
    """

    name: str
    type: str
    min: float = 0
    max: float = math.inf
    words: tuple[str, ...] = ()
    default: int | float | str | None = None
    meaning: str = ""
    unit: str = ""
    formula: str = ""
    end: str = ""
    source: str = ""

    @property
    def dtype(self) -> str:
        """Type of the column in a pandas.DataFrame."""
        if self.type == "count":
            return "int64" if self.max <= _LARGEST_COUNT else "uint64"
        return {"real": "float64", "word": "object"}[self.type]

    def parse(self, text: str) -> int | float | str:
        """Return the value of a cell; a ValueError says what was expected instead."""
        if self.type == "word":
            if self.words and text not in self.words:
                raise ValueError(f"one of {', '.join(self.words)}")
            if not (text.isprintable() and 0 < len(text) <= _MAX_WORD):
                raise ValueError(f"a printable text of 1 to {_MAX_WORD} characters")
            return text
        # int() and float() accept more than C++ writes: 1_000, digits of other scripts, nan.
        if _NUMBER.fullmatch(text):
            try:
                value = int(text) if self.type == "count" else float(text)
            except ValueError:
                value = math.nan
            if self.min <= value <= self.max and not math.isinf(value):
                return value
        raise ValueError(("a whole number" if self.type == "count" else "a number") + self._range())

    def _range(self) -> str:
        if math.isinf(self.max):
            return f" >= {self.min:g}"
        if self.max >= _LARGEST_COUNT:
            return f" >= {self.min:g} of at most {math.ceil(math.log2(self.max))} bits"
        return f" in {self.min:g}..{self.max:g}"


@dataclass(frozen=True)
class Table:
    """The file of a table in a run directory, and its columns."""

    file: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in the order in which they are written."""
        return tuple(column.name for column in self.columns)

    def __getitem__(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)


def tables_of(kind: str, package: str = "laxity") -> Mapping[str, Table]:
    """Describe the tables of a kind of study.

    Parameters
    ----------
    kind : str
        As in ``manifest.json``.
    package : str
        The package whose ``tables.json`` lists the kind; that of laxity is consulted where it has none.

    Returns
    -------
    mapping of str to Table
        By the name of the table, ``runs`` first; empty for an unknown kind.
    """
    own = files(package).joinpath("tables.json")
    described = _read(own if own.is_file() else files("laxity").joinpath("tables.json"))
    return {name.rpartition("/")[2]: _table(described["tables"][name]) for name in described["kinds"].get(kind, ())}


def format_number() -> int:
    """Return the version of the run directories' format that this laxity reads."""
    return _read(files("laxity").joinpath("tables.json"))["format"]


@cache
def _read(path: Traversable) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))


def _table(described: dict) -> Table:
    return Table(described["file"], tuple(map(_column, described["columns"])))


def _column(described: dict) -> Column:
    known = {name: described[name] for name in Column.__dataclass_fields__ if name in described}
    if described["type"] == "count":
        known.setdefault("max", _LARGEST_COUNT)
    return Column(**known | {"words": tuple(known.get("words", ()))})
