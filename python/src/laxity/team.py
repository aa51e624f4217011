"""Teams of workers that run a Python function, with channels between any two of them.

The workers are forked processes. Where the interpreter is free-threaded they may be threads instead.

Values that the function returns and exceptions that it raises come back to the caller. Counters and quality of service
of all channels and meshes of the team are frames of pandas, while it runs and afterwards.

Elsewhere: channels (``channels``), meshes (``mesh``), the C++ library (``laxity/launch/team.hpp``).
"""

from __future__ import annotations

import io
import os
import pickle
import sys
import traceback
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from laxity.channels import Inlet, Outlet, Overflow, _core, initial_array
from laxity.error import UsageError, WorkerError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt
    import pandas as pd

T = TypeVar("T")

_MAX_S = 1e9


class Worker:
    """A process or thread of a team, as its function sees it."""

    def __init__(self, core: _core.Worker) -> None:
        self._core = core
        self._next_layer = 1  # of meshes; the channels of a team are counted in layer 0

    @property
    def id(self) -> int:
        """Number of this worker, from 0."""
        return self._core.id

    @property
    def size(self) -> int:
        """Number of workers in the team."""
        return self._core.size

    @property
    def stop_requested(self) -> bool:
        """Whether the caller, Ctrl-C or the loss of a worker has asked all workers to end."""
        return self._core.stop_requested

    @property
    def updates(self) -> int:
        """Updates done so far."""
        return self._core.updates

    def update_done(self) -> None:
        """Count an update; call it at the end of each, for `Team.all_are_updating` and for observers."""
        self._core.update_done()

    def barrier(self) -> bool:
        """Wait until all workers that have not ended have called it; False: the team is ending, so return."""
        return self._core.barrier()

    def _claim_layers(self, count: int) -> int:
        """Return the number of the first of `count` layers, by which their links are counted."""
        first, self._next_layer = self._next_layer, self._next_layer + count
        return first

    def sink(
        self,
        to: int,
        dtype: npt.DTypeLike,
        shape: int | Sequence[int] = (),
        *,
        number: int = 0,
        depth: int = 2,
        overflow: Overflow = "drop_newest",
        send_on_change: bool = False,
    ) -> Inlet:
        """Make the sending end of a channel to another worker, which makes the `source` of the same arguments.

        Parameters
        ----------
        to : int
            The receiving worker.
        number : int
            Tells several channels between the same two workers apart.
        dtype, shape, depth, overflow, send_on_change
            As for `laxity.channel`.

        Raises
        ------
        TypeMismatch
            If the other end was made for another dtype or shape; names both.
        UsageError
            If there is no such worker, or the depths or policies of both ends differ.
        """
        return self._core.sink(to, initial_array(dtype, shape), number, depth, overflow, send_on_change)

    def source(
        self,
        from_: int,
        dtype: npt.DTypeLike,
        shape: int | Sequence[int] = (),
        *,
        number: int = 0,
        depth: int = 2,
        overflow: Overflow = "drop_newest",
    ) -> Outlet:
        """Make the receiving end of a channel from another worker; as `sink`."""
        return self._core.source(from_, initial_array(dtype, shape), number, depth, overflow)


class Team:
    """Workers that run one function; the caller supervises them.

    Parameters
    ----------
    processes : int
        Number of workers, at least 1, each a forked process.
    threads : int
        Number of workers, at least 1, each a thread of this process; in place of `processes`, where the threads of
        Python do not run one at a time.
    on_loss : {"end", "go_on"}
        What the others do when a worker raises or is killed: they are asked to end, or go on without it.
    grace_s : float
        Time for workers to end after they were asked to; then they are killed.
    arena_bytes : int
        Address space for all channels; it takes memory once it is used.
    window_s : float
        Length of the windows in which `quality` is measured. What is measured stays in memory: 0.3 KB for every window
        and link.

    Raises
    ------
    UsageError
        If an option is out of range, or this interpreter runs threads one at a time.

    Examples
    --------
    >>> def body(worker):
    ...     return worker.id
    >>> laxity.Team(processes=3).run(body)
    [0, 1, 2]
    """

    def __init__(
        self,
        processes: int | None = None,
        *,
        threads: int | None = None,
        on_loss: Literal["end", "go_on"] = "end",
        grace_s: float = 10.0,
        arena_bytes: int = 1 << 30,
        window_s: float = 1.0,
    ) -> None:
        _check_seconds("window_s", window_s)
        if (processes is None) == (threads is None):
            raise UsageError(f"processes = {processes}, threads = {threads}: a team has either processes or threads")
        for name, count in (("processes", processes), ("threads", threads)):
            if count is not None and count < 1:
                raise UsageError(f"{name} = {count}: must be at least 1")
        if threads is not None and _runs_one_thread_at_a_time():
            raise UsageError(
                f"threads = {threads}: the threads of this Python run one at a time, because of its global interpreter "
                f"lock; use processes={threads}, or a free-threaded Python"
            )
        if on_loss not in ("end", "go_on"):
            raise UsageError(f"on_loss = {on_loss!r}: must be 'end' or 'go_on'")
        self._on_loss = on_loss
        self._core = _core.Team(processes or 0, threads or 1, on_loss == "end", grace_s, arena_bytes, window_s)

    @property
    def size(self) -> int:
        """Number of workers."""
        return self._core.size

    @property
    def all_are_updating(self) -> bool:
        """Whether every worker has done an update or ended; measurements begin then."""
        return self._core.all_are_updating

    def request_stop(self) -> None:
        """Ask all workers to end; they read `Worker.stop_requested`."""
        self._core.request_stop()

    def run(
        self,
        body: Callable[[Worker], T],
        supervise: Callable[[Team], object] | None = None,
        *,
        duration_s: float | None = None,
    ) -> list[T | None]:
        """Run ``body(worker)`` in every worker, once, until all have ended.

        Parameters
        ----------
        body : callable
            Runs in forked processes, or in threads: what it changes stays in its process, what it returns comes back
            (pickled).
        supervise : callable, optional
            Called here about every 20 ms with this team.
        duration_s : float, optional
            Ask all workers to end so long after the last one has begun to update.

        Returns
        -------
        list
            What the workers returned, by number; None for one that was lost, with ``on_loss="go_on"``.

        Raises
        ------
        WorkerError
            If a worker raised or was killed, with ``on_loss="end"``; its cause is the worker's traceback.
        KeyboardInterrupt
            After Ctrl-C, when all workers have ended.
        """
        if duration_s is not None:
            _check_seconds("duration_s", duration_s)
        outcomes: list[_Outcome[T]] = [_Outcome() for _ in range(self.size)]
        for stream in (sys.stdout, sys.stderr):
            stream.flush()  # otherwise every process would write what is buffered
        report = self._core.run(
            lambda core: outcomes[core.id].write(body, Worker(core)),
            None if supervise is None else lambda: supervise(self),
            duration_s,
        )
        results: list[T | None] = []
        for number, (end, outcome) in enumerate(zip(report.workers, outcomes, strict=True)):
            value, error, where = outcome.read()
            results.append(value)
            if end.state == "finished" or self._on_loss == "go_on" or report.interrupted:
                continue
            if where:
                raise WorkerError(f"{end.name} failed: {error}", number, where) from _RemoteTraceback(where)
            raise WorkerError(f"{end.name} was {end.state}: {end.what}", number)
        if report.interrupted:
            raise KeyboardInterrupt(report.interruption)
        return results

    def links(self) -> pd.DataFrame:
        """Return the counters of every channel and mesh of the team, live or after the run.

        Returns
        -------
        pandas.DataFrame
            A row per channel, and per layer of a mesh and pair of workers, which may be the same worker: ``layer`` (0
            for channels; those of meshes count from 1, in the order in which parts were made), ``from_worker``,
            ``to_worker``, ``number``; cumulative counts of ``attempted`` and ``refused`` puts, puts that were omitted
            because nothing had changed (``unchanged``), ``pulls``, those that found an array (``laden``), arrays
            ``received`` and arrays overwritten by newer ones (``superseded``).
        """
        import pandas as pd

        columns = ["layer", "from_worker", "to_worker", "number", "attempted", "refused", "unchanged"]
        columns += ["pulls", "laden", "received", "superseded"]
        rows = pd.DataFrame(self._core.links(), columns=columns, dtype="int64")
        return rows.sort_values(columns[:4], ignore_index=True)

    def quality(self) -> pd.DataFrame:
        """Return the quality of service of every channel and mesh of the team, live or after the run.

        Windows of ``window_s`` follow each other from the moment at which all workers update; with ``duration_s`` as
        many as fit are centered in it. Nothing waits for a measurement.

        Returns
        -------
        pandas.DataFrame
            A row per link and window, with the columns of the table ``qos`` of a run directory, except ``run``:
            simstep period and latency, walltime latency, delivery failure rate, delivery clumpiness and what they are
            computed from. Channels send no touch counts: their latencies are bounds, of windows with ``touches`` 0.
        """
        import pandas as pd

        from laxity.columns import tables_of

        columns = tables_of("coloring")["qos"].columns
        rows = pd.DataFrame(self._core.quality(), columns=[column.name for column in columns])
        return rows.astype({column.name: column.dtype for column in columns}).drop(columns="run")


def _runs_one_thread_at_a_time() -> bool:
    """Whether the interpreter has a global lock that is in use."""
    return bool(getattr(sys, "_is_gil_enabled", lambda: True)())


def _check_seconds(name: str, seconds: float) -> None:
    if not 1e-6 <= seconds <= _MAX_S:
        raise UsageError(f"{name} = {seconds}: must be 1e-6 to {_MAX_S:g} seconds")


class _RemoteTraceback(Exception):
    """The traceback of a worker, shown as the cause of a `WorkerError`."""

    def __str__(self) -> str:
        return f'\n"""\n{self.args[0]}"""'


class _Outcome(Generic[T]):
    """What a worker returned or raised, in a file in memory that its process inherits."""

    def __init__(self) -> None:
        self._file: io.FileIO = io.FileIO(os.memfd_create("laxity worker"), "r+")

    def write(self, body: Callable[[Worker], T], worker: Worker) -> None:
        """Call the function and keep what comes of it, in the worker's process, which then ends without cleaning up."""
        try:
            content = pickle.dumps((body(worker), "", ""))
            self._file.write(content)
        except BaseException as error:
            line = " ".join("".join(traceback.format_exception_only(type(error), error)).split())
            self._file.write(pickle.dumps((None, line, traceback.format_exc())))
            raise
        finally:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()

    def read(self) -> tuple[Any, str, str]:
        """Return the value, the exception in a line and its traceback; nothing if the process was killed."""
        with self._file as file:
            file.seek(0)
            content = file.readall()
        return pickle.loads(content) if content else (None, "", "")
