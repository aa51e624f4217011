"""Reads run directories without the Python package, which has tests of its own."""

import csv
import json


def rows(directory, table):
    """Read a table of a run directory: a dict of texts for each row."""
    with open(directory / f"{table}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def read_manifest(directory):
    """Read the manifest of a run directory."""
    return json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
