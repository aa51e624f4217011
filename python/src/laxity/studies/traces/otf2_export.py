"""Traces as OTF2 archives for Vampir, Cube and Scalasca, made from the table of calls by the package ``otf2``.

The records are those of a tool for MPI: a location group per process and a location per thread, in the order of the
ranks; communicators with their members; regions of paradigm MPI; the begin and end of collectives with operation,
communicator, root and bytes. A nonblocking operation is a request in the region of its call and a completion in a
region ``MPI_Wait``, which stands for any wait or test. Sequence number and call site are attributes.

What is not in the table cannot be in the archive: processes that were not traced are missing in communicators, and an
inter-communicator is the union of its groups, without roots. Neighborhood collectives have no operation in OTF2; they
are regions only.

References
----------
OTF2 3.0, Open Trace Format 2, documentation of the records MpiCollectiveEnd, NonBlockingCollectiveComplete and Comm.

Elsewhere: the table (``laxity trace export --format csv``, docs/trace_format.md).
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from laxity.error import ReportError

RESOLUTION = 1_000_000_000
"""Ticks per second; times are in ns."""

_ALL_TO_ONE = ("gather", "gatherv", "reduce")
_ONE_TO_ALL = ("bcast", "scatter", "scatterv")
_ROOT_SELF = -2  # of the table: the root of an inter-communicator


class _Call(NamedTuple):
    """A row of the table."""

    job: int
    rank: int
    thread: int
    completing_thread: int
    collective: str
    start: str
    communicator: str
    is_inter: bool
    rank_in_communicator: int
    sequence: str
    root: int
    sent: int
    received: int
    arrival: int
    returned: int
    completing: int
    exit: int
    completed: bool
    site: str


class _Slice(NamedTuple):
    """A time in MPI of one thread: a call, or a wait that completes calls."""

    begin: int
    end: int
    calls: list[tuple[int, _Call]]  # with the number of the request; several only of a wait
    is_wait: bool


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
    except ImportError:
        raise ReportError("the Python package otf2 is missing; install it with pip install otf2") from None
    if output.exists():
        raise ReportError(f"{output}: exists already; name another folder with --output")
    calls = list(_calls(table))
    with otf2.writer.open(str(output), timer_resolution=RESOLUTION) as archive:
        definitions = _Definitions(archive.definitions, calls)
        return sum(
            _write_thread(archive.event_writer_from_location(location), definitions, slices)
            for location, slices in definitions.threads_with(_slices(calls))
        )


class _Definitions:
    """The definitions of an archive, in the order of jobs and ranks."""

    def __init__(self, definitions: Any, calls: list[_Call]):
        from otf2.enums import GroupType, Paradigm, Type

        self._definitions = definitions
        self._paradigm = Paradigm.MPI
        self.sequence = definitions.attribute("sequence", type=Type.STRING)
        self.site = definitions.attribute("call site", type=Type.STRING)
        self._regions: dict[str, Any] = {}
        self._locations = self._define_locations(calls)
        # Ranks of communicators refer to this group, which has the first thread of each process.
        self._processes = [where for where in self._locations if where[2] == 0]
        definitions.group(
            "MPI processes",
            group_type=GroupType.COMM_LOCATIONS,
            paradigm=self._paradigm,
            members=tuple(self._locations[where] for where in self._processes),
        )
        self._comms, self._roots = self._define_communicators(calls)

    def _define_locations(self, calls: list[_Call]) -> dict[tuple[int, int, int], Any]:
        threads = {
            (call.job, call.rank, thread) for call in calls for thread in (0, call.thread, call.completing_thread)
        }
        jobs = {call.job for call in calls}
        system = self._definitions.system_tree_node("laxity trace", class_name="machine")
        groups: dict[tuple[int, int], Any] = {}
        locations = {}
        for job, rank, thread in sorted(threads):
            if (job, rank) not in groups:
                name = f"MPI rank {rank}" if len(jobs) == 1 else f"job {job} MPI rank {rank}"
                groups[job, rank] = self._definitions.location_group(name, system_tree_parent=system)
            name = f"rank {rank}" if thread == 0 else f"rank {rank}, thread {thread}"
            locations[job, rank, thread] = self._definitions.location(name, group=groups[job, rank])
        return locations

    def _define_communicators(
        self, calls: list[_Call]
    ) -> tuple[dict[tuple[int, str], Any], dict[tuple[int, str], dict]]:
        from otf2.enums import GroupType

        members: dict[tuple[int, str], dict[int, int]] = defaultdict(dict)  # world rank: rank in the communicator
        inter = set()
        for call in calls:
            members[call.job, call.communicator][call.rank] = call.rank_in_communicator
            if call.is_inter:
                inter.add((call.job, call.communicator))
        comms, roots = {}, {}
        for (job, name), ranks in sorted(members.items(), key=_world_first):
            in_order = sorted(ranks, key=lambda rank: (ranks[rank], rank))
            title = "MPI_COMM_WORLD" if name == "world" else name
            group = self._definitions.group(
                title,
                group_type=GroupType.COMM_GROUP,
                paradigm=self._paradigm,
                members=tuple(self._locations[job, rank, 0] for rank in in_order),
            )
            comms[job, name] = self._definitions.comm(title, group=group, parent=comms.get((job, "world")))
            known = {} if (job, name) in inter else {ranks[rank]: index for index, rank in enumerate(in_order)}
            roots[job, name] = known
        return comms, roots

    def threads_with(self, slices: dict[tuple[int, int, int], list[_Slice]]) -> Iterator[tuple[Any, list[_Slice]]]:
        """Yield each location with its slices."""
        for where, location in self._locations.items():
            yield location, slices.get(where, [])

    def region(self, call: _Call, *, is_wait: bool) -> Any:
        """Return the region of a call, or of a wait for it."""
        from otf2.enums import RegionRole

        name, role = "MPI_Wait", RegionRole.POINT2POINT
        if not is_wait:
            name = "MPI_Start" if call.start == "persistent" else f"MPI_{call.collective.capitalize()}"
            if call.start == "nonblocking":
                name = f"MPI_I{call.collective}"
            role = RegionRole.COLL_ALL2ALL
            if call.collective == "barrier":
                role = RegionRole.BARRIER
            elif call.collective in _ALL_TO_ONE:
                role = RegionRole.COLL_ALL2ONE
            elif call.collective in _ONE_TO_ALL:
                role = RegionRole.COLL_ONE2ALL
            elif call.collective.startswith("neighbor_") or call.start == "persistent":
                role = RegionRole.COLL_OTHER
        if name not in self._regions:
            self._regions[name] = self._definitions.region(name, region_role=role, paradigm=self._paradigm)
        return self._regions[name]

    def operation(self, call: _Call) -> dict[str, Any] | None:
        """Return the fields of a record of the operation; None if OTF2 has no such operation."""
        import _otf2

        operation = getattr(_otf2, f"COLLECTIVE_OP_{call.collective.upper()}", None)
        if operation is None:
            return None
        where = (call.job, call.communicator)
        root = self._roots[where].get(call.root, _otf2.COLLECTIVE_ROOT_NONE.value)
        if call.root == _ROOT_SELF:
            root = _otf2.COLLECTIVE_ROOT_SELF.value
        return {
            "collective_op": operation,
            "communicator": self._comms[where],
            "root": root,
            "size_sent": call.sent,
            "size_received": call.received,
        }


def _world_first(communicator: tuple[tuple[int, str], Any]) -> tuple[int, bool, str]:
    (job, name), _ = communicator
    return job, name != "world", name


def _write_thread(writer: Any, definitions: _Definitions, slices: list[_Slice]) -> int:
    """Write the events of one location and return their number."""
    events = 0
    for begin, end, calls, is_wait in sorted(slices, key=lambda each: each[:2]):
        request, call = calls[0]
        region = definitions.region(call, is_wait=is_wait)
        writer.enter(begin, region, {definitions.sequence: call.sequence, definitions.site: call.site})
        events += 2
        for request, call in calls:
            operation = definitions.operation(call)
            if operation is None:
                continue
            if is_wait:
                writer.non_blocking_collective_complete(end, **operation, request_id=request)
            elif call.start == "blocking":
                writer.mpi_collective_begin(begin)
                writer.mpi_collective_end(end, **operation)
                events += 1
            else:
                writer.non_blocking_collective_request(begin, request)
            events += 1
        writer.leave(end, region)
    return events


def _slices(calls: list[_Call]) -> dict[tuple[int, int, int], list[_Slice]]:
    """Return the times in MPI of every thread. Calls that one wait completed share a slice."""
    slices = defaultdict(list)
    waits: dict[tuple[tuple[int, int, int], int, int], list[tuple[int, _Call]]] = defaultdict(list)
    for request, call in enumerate(calls):
        where = (call.job, call.rank, call.thread)
        slices[where].append(_Slice(call.arrival, call.returned, [(request, call)], is_wait=False))
        if call.start != "blocking" and call.completed:
            waiting = (call.job, call.rank, call.completing_thread)
            waits[waiting, call.completing, call.exit].append((request, call))
    for (where, begin, end), completed in waits.items():
        slices[where].append(_Slice(begin, end, completed, is_wait=True))
    return slices


def _calls(table: Path) -> Iterator[_Call]:
    """Yield the rows of the table."""
    try:
        with table.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                yield _Call(
                    job=int(row["job"]),
                    rank=int(row["rank"]),
                    thread=int(row["thread"]),
                    completing_thread=int(row["completing_thread"]),
                    collective=row["collective"],
                    start=row["start"],
                    communicator=row["communicator"],
                    is_inter=row["remote_size"] != "0",
                    rank_in_communicator=int(row["rank_in_communicator"]),
                    sequence=row["sequence"],
                    root=int(row["root"]),
                    sent=int(row["bytes_sent"]),
                    received=int(row["bytes_received"]),
                    arrival=int(row["arrival_ns"]),
                    returned=int(row["return_ns"]),
                    completing=int(row["completing_ns"]),
                    exit=int(row["exit_ns"]),
                    completed=row["completed"] == "1",
                    site=row["symbol"] or row["site"],
                )
    except (KeyError, ValueError, TypeError) as error:
        raise ReportError(f"{table}: not a table of calls ({error}); make it with laxity trace export") from None
    except OSError as error:
        raise ReportError(f"{table}: cannot be read ({error.strerror})") from None
