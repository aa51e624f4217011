"""Run directories as the C++ side writes them: a manifest, and the tables of a kind."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from laxity.columns import format_number, tables_of


def write_directory(path: Path, kind: str, rows: Mapping[str, Sequence], **manifest) -> Path:
    """Write a directory.

    A row is a line of cells or a dict by column; columns that a dict lacks have their default or 0. Of the tables
    that `rows` lacks, only the first two are written.
    """
    path.mkdir(parents=True, exist_ok=True)
    fields = {"format": format_number(), "kind": kind, "name": path.name, "status": "done"} | manifest
    (path / "manifest.json").write_text(json.dumps(fields, indent=2))
    for place, (name, table) in enumerate(tables_of(kind).items()):
        if name in rows or place < 2:
            lines = [",".join(table.names), *(_line(row, table.columns) for row in rows.get(name, ()))]
            (path / table.file).write_text("\n".join(lines) + "\n")
    return path


def _line(row, columns) -> str:
    if isinstance(row, str):
        return row
    assert set(row) <= {column.name for column in columns}
    cells = (row.get(column.name, 0 if column.default is None else column.default) for column in columns)
    return ",".join(str(cell) for cell in cells)


MACHINE = {
    "versions": {"laxity": "0.1.0", "compiler": "g++ 12.2.0"},
    "git_commit": "0123456789abcdef0123456789abcdef01234567",
    "host": "bench",
    "cpu_model": "A Processor @ 2.00GHz",
    "cores": 2,
    "start": "2021-05-23T10:00:00Z",
    "end": "2021-05-23T10:02:51Z",
}
