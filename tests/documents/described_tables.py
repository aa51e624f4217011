"""Renders the tables of laxity/metrics/tables.json as Markdown, for the documents that show them.

A document has a table between ``<!-- table: qos -->`` and ``<!-- end -->``, which is generated and never
edited.
"""

import json
import re
from pathlib import Path

PLACE = re.compile(r"(<!-- table: (\S+) -->\n)(.*?)(<!-- end -->\n)", re.DOTALL)
DESCRIPTION = "laxity/metrics/tables.json"


def content_of(column: dict) -> str:
    """Say what the cells of a column hold: one of some words, or a type with unit and bounds."""
    if "words" in column:
        return ", ".join(f"`{word}`" for word in column["words"])
    what = column["type"]
    if column["unit"] not in ("", "1"):
        what += f", {column['unit']}"
    least, most = column.get("min"), column.get("max")
    if most is not None and most < 2**32:
        what += f", {least or 0}–{most}"
    elif most is not None:
        what += f", {most.bit_length()} bits"
    return what


def rendered(table: dict) -> str:
    """Render one table with its own meaning above it."""
    with_end = any("end" in column for column in table["columns"])
    heads = ["column", "cells", *(["counted by"] if with_end else []), "meaning"]
    rows = [heads, ["---"] * len(heads)]
    for column in table["columns"]:
        end = [column.get("end", "")] if with_end else []
        formula = f" `{column['formula']}`" if "formula" in column else ""
        rows.append([f"`{column['name']}`", content_of(column), *end, column["meaning"] + formula])
    return f"{table['meaning']}\n\n" + "".join(f"| {' | '.join(row)} |\n" for row in rows)


def with_tables(root: Path, text: str) -> str:
    """Return the text of a document with every table as the description has it now."""
    if not PLACE.search(text):
        return text
    tables = json.loads((root / DESCRIPTION).read_text())["tables"]
    return PLACE.sub(lambda place: place[1] + rendered(tables[place[2]]) + place[4], text)


def undocumented(root: Path, text: str) -> list[str]:
    """Name the tables that the description has and the format's document does not show."""
    shown = {name for _, name, _, _ in PLACE.findall(text)}
    return [name for name in json.loads((root / DESCRIPTION).read_text())["tables"] if name not in shown]
