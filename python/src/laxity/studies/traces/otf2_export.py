"""Traces as OTF2 archives for Vampir, Cube and Scalasca, made from the table of calls by the package ``otf2``.

Regions are collectives; each process is one location in a location group of its own; bytes, communicator and sequence
number are attributes of the enter events. A nonblocking operation has two regions: call and completing wait.

Elsewhere: the table (``laxity trace export --format csv``, docs/trace_format.md).
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from laxity.error import ReportError, reason

RESOLUTION = 1_000_000_000
"""Ticks per second; times are in ns."""

_ATTRIBUTES = ("communicator", "sequence", "bytes_sent", "bytes_received", "root")


def write(table: Path, output: Path) -> int:
    """Write an archive.

    Parameters
    ----------
    table : Path
        As ``laxity trace export --format csv`` writes it.
    output : Path
        The folder of the archive, which must not exist.

    Returns
    -------
    int
        Events written.

    Raises
    ------
    ReportError
        If the package is missing, the file is not a table of calls, or the folder exists.
    """
    try:
        import otf2
        from otf2.enums import Type
    except ImportError:
        raise ReportError("the Python package otf2 is missing; install it with pip install otf2") from None
    if output.exists():
        raise ReportError(f"{output}: exists already; name another folder with --output")
    slices = sorted(_slices(table), key=lambda each: each[0])
    events = 0
    with otf2.writer.open(str(output), timer_resolution=RESOLUTION) as archive:
        definitions = archive.definitions
        attributes = {name: definitions.attribute(name, type=Type.STRING) for name in _ATTRIBUTES}
        regions, writers = {}, {}
        system = definitions.system_tree_node("laxity trace")
        edges = []
        for begin, end, where, region, values in slices:
            edges.append((begin, len(edges), where, region, values))
            edges.append((end, len(edges), where, region, None))
        for time, _, where, region, values in sorted(edges, key=lambda edge: edge[:2]):
            if where not in writers:
                group = definitions.location_group(f"job {where[0]} rank {where[1]}", system_tree_parent=system)
                writers[where] = archive.event_writer(f"rank {where[1]}", group=group)
            if region not in regions:
                regions[region] = definitions.region(region)
            if values is None:
                writers[where].leave(time, regions[region])
            else:
                writers[where].enter(time, regions[region], {attributes[name]: value for name, value in values.items()})
            events += 1
    return events


def _slices(table: Path) -> Iterable[tuple[int, int, tuple[int, int], str, dict[str, str]]]:
    """Yield begin, end, (job, rank), region and attributes of every interval in MPI."""
    try:
        with table.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                where = (int(row["job"]), int(row["rank"]))
                values = {name: row[name] for name in _ATTRIBUTES}
                name = f"MPI_{row['collective'].capitalize()}"
                blocking = row["start"] == "blocking"
                region = name if blocking else f"MPI_I{row['collective']}"
                yield int(row["arrival_ns"]), int(row["return_ns"]), where, region, values
                if not blocking and row["completed"] == "1":
                    yield int(row["completing_ns"]), int(row["exit_ns"]), where, f"{region} (completion)", values
    except (KeyError, ValueError, TypeError) as error:
        raise ReportError(f"{table}: not a table of calls ({error}); make it with laxity trace export") from None
    except OSError as error:
        raise ReportError(f"{table}: cannot be read ({reason(error)})") from None
