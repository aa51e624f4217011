"""The description of tables, and the tables of every kind by it."""

import pytest

from laxity.columns import Column, tables_of
from laxity.study import find_kinds


@pytest.mark.parametrize("kind", [kind for study in find_kinds() for kind in study.kinds])
def test_every_kind_has_tables_and_its_runs_have_a_number_and_a_status(kind):
    tables = tables_of(kind)
    assert next(iter(tables)) == "runs"
    assert {"run", "status"} <= set(tables["runs"].names)
    for name, table in tables.items():
        assert table.names[0] == "run", name
        assert len(set(table.names)) == len(table.names), name
        assert all(column.meaning.endswith(".") for column in table.columns), name


def test_an_unknown_kind_has_no_tables():
    assert tables_of("knitting") == {}


def test_a_default_is_a_value_of_its_column():
    for kind in (kind for study in find_kinds() for kind in study.kinds):
        for table in tables_of(kind).values():
            for column in table.columns:
                assert column.default is None or column.parse(str(column.default)) == column.default


@pytest.mark.parametrize(
    ("column", "dtype"),
    [
        (Column("n", "count", max=10), "int64"),
        (Column("n", "count", max=2**64 - 1), "uint64"),
        (Column("n", "real"), "float64"),
        (Column("n", "word"), "object"),
    ],
)
def test_types_of_columns(column, dtype):
    assert column.dtype == dtype
