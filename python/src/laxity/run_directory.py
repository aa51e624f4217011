"""Reading run directories: ``manifest.json`` and tables of comma-separated values, checked cell by cell.

What is damaged is refused with the file, the line, the column and what to do. What an interrupted study leaves behind
(a last line without its end, rows of a run that never ended) is left out, and a note says so. What was read is whole,
finite and in range. The format is ``docs/run_format.md``.

Elsewhere: the columns (``columns``), what a study is (``study``).
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from laxity.columns import Column, Table, format_number
from laxity.error import RunDirectoryError, reason

MAX_TABLE_BYTES = 512 << 20
MAX_MANIFEST_BYTES = 4 << 20
_MAX_REMEMBERED = 1 << 14  # parsed cells of a column
_REPAIR = "remove the line or run the study again"


def read_manifest(directory: Path) -> dict[str, Any]:
    """Read ``manifest.json``; `format` has been checked, other keys may be missing.

    Raises
    ------
    RunDirectoryError
        If the directory or the file is missing, is not JSON or has another format.
    """
    if not directory.is_dir():
        what = "is a file" if directory.exists() else "does not exist"
        raise RunDirectoryError(f"{directory}: {what}; name a run directory, as in runs/first-light")
    path = directory / "manifest.json"
    try:
        if path.stat().st_size > MAX_MANIFEST_BYTES:
            raise RunDirectoryError(f"{path}: larger than {MAX_MANIFEST_BYTES} bytes; this is no manifest of laxity")
        manifest = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise RunDirectoryError(f"{path}: missing; name a directory that laxity wrote") from None
    except OSError as error:
        raise RunDirectoryError(f"{path}: cannot be read ({reason(error)}); check its permissions") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise RunDirectoryError(f"{path}, {where}: {error.msg}; restore the file or run the study again") from None
    except (ValueError, RecursionError):
        raise RunDirectoryError(f"{path}: not JSON text; restore the file or run the study again") from None
    if not isinstance(manifest, dict) or "format" not in manifest:
        raise RunDirectoryError(f'{path}: no "format" in it; name a directory that laxity wrote')
    if manifest["format"] != format_number():
        raise RunDirectoryError(
            f"{path}: format {manifest['format']!r}, this laxity reads format {format_number()}; "
            "use the laxity that wrote it"
        )
    return manifest


def read_tables(directory: Path, tables: Mapping[str, Table]) -> tuple[dict[str, pd.DataFrame], tuple[str, ...]]:
    """Read and check all tables of a study.

    Returns
    -------
    tables : dict of str to pandas.DataFrame
        By name; empty, with their columns, where the file is missing.
    notes : tuple of str
        What was left out, in words.

    Raises
    ------
    RunDirectoryError
        If a cell, a line or a file is not as described; one line with file, line, column and what to do.
    """
    notes: list[str] = []
    read = {name: _read_table(directory / table.file, table.columns, notes) for name, table in tables.items()}
    runs = read["runs"]
    if (twice := runs["run"].duplicated()).any():
        line = int(twice.to_numpy().argmax()) + 2
        raise RunDirectoryError(
            f"{directory / tables['runs'].file}, line {line}: run {runs['run'][line - 2]} appears twice; "
            "remove one of the lines"
        )
    for name, table in read.items():
        if not (known := table["run"].isin(runs["run"])).all():
            first = min(table["run"][~known])
            notes.append(
                f"{tables[name].file}: {int((~known).sum())} rows of runs that never ended (run {first}) are left out"
            )
            read[name] = table[known].reset_index(drop=True)
    return read, tuple(notes)


def _read_table(path: Path, columns: Sequence[Column], notes: list[str]) -> pd.DataFrame:
    values: dict[str, list] = {column.name: [] for column in columns}
    try:
        if path.stat().st_size > MAX_TABLE_BYTES:
            raise RunDirectoryError(f"{path}: larger than {MAX_TABLE_BYTES} bytes; split the study")
        with path.open(encoding="utf-8", errors="replace", newline="") as file:
            rows = csv.reader(_whole_lines(file, path, notes))
            if (header := next(rows, None)) is not None:
                _read_rows(path, rows, _positions(path, header, columns), len(header), values)
    except FileNotFoundError:
        pass  # an interrupted study may not have written this table yet
    except OSError as error:
        raise RunDirectoryError(f"{path}: cannot be read ({reason(error)}); check its permissions") from None
    except csv.Error as error:
        raise RunDirectoryError(f"{path}, line {rows.line_num}: {error}; {_REPAIR}") from None
    count = max(map(len, values.values()))
    return pd.DataFrame(
        {
            column.name: pd.Series(values[column.name] or [column.default] * count, dtype=column.dtype)
            for column in columns
        }
    )


def _whole_lines(file, path: Path, notes: list[str]) -> Iterator[str]:
    """Yield the lines that end. A line that does not may hold a shortened number that looks like a whole one."""
    for number, line in enumerate(file, start=1):
        if line.endswith(("\n", "\r")):
            yield line
        else:
            notes.append(f"{path.name}: line {number} was half written and is left out")


def _positions(path: Path, header: list[str], columns: Sequence[Column]) -> list[tuple[int, Column]]:
    for column in columns:
        if column.name not in header and column.default is None:
            raise RunDirectoryError(
                f"{path}, line 1: no column {column.name!r}; restore the file or run the study again with this laxity"
            )
    return [(header.index(column.name), column) for column in columns if column.name in header]


def _read_rows(path: Path, rows, positions: Sequence[tuple[int, Column]], width: int, values: dict[str, list]) -> None:
    # Most cells of a long table repeat others of their column: a picture has few runs, coordinates and colors.
    places = [(position, column, values[column.name].append, {}) for position, column in positions]
    for row in rows:
        if len(row) != width:
            raise RunDirectoryError(
                f"{path}, line {rows.line_num}: {len(row)} cells where the first line has {width}; {_REPAIR}"
            )
        for position, column, append, seen in places:
            text = row[position]
            if (value := seen.get(text)) is None:
                try:
                    value = column.parse(text)
                except ValueError as expected:
                    raise RunDirectoryError(
                        f"{path}, line {rows.line_num}, column {column.name}: {text[:40]!r} where {expected} is "
                        f"expected; {_REPAIR}"
                    ) from None
                if len(seen) < _MAX_REMEMBERED:
                    seen[text] = value
            append(value)
