"""The tables as this side reads them are those that the other side writes."""

import re
from pathlib import Path

import pytest

from laxity.run_directory import TABLES

WRITER = Path(__file__).parents[2] / "laxity" / "metrics" / "run_tables.cpp"


@pytest.mark.skipif(not WRITER.exists(), reason="not in a source tree: the C++ side is not there to compare with")
def test_both_sides_name_the_same_columns():
    listed = re.search(r"formats\{(.*?)\n  \};", WRITER.read_text(), re.DOTALL).group(1)
    written: dict[str, list[str]] = {}
    for word in re.findall(r'"([^"]+)"', listed):
        if word.endswith(".csv"):
            columns = written.setdefault(word.removesuffix(".csv"), [])
        else:
            columns.append(word)
    assert written == {name: [column.name for column in columns] for name, columns in TABLES.items()}
