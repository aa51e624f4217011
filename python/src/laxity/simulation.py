"""Discrete-event simulations whose models are Python functions, on the sequential and the optimistic engine.

With numba the functions are compiled and run as fast as those of a model in C. Without it, or with ``compiled=False``,
they are called as they are: slow, but a debugger and prints work. Both commit the same events.

References
----------
Jefferson, Virtual time, ACM TOPLAS 7 (1985).

Elsewhere: the engine's C interface (``laxity/timewarp/c_model.h``), compiling (``compiled_model``).
"""

from __future__ import annotations

import ctypes
import importlib.util
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from laxity.channels import _core
from laxity.error import ModelError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

Functions: TypeAlias = tuple[dict[str, int], list[Any]]
"""Addresses of the functions of a model by their names, and what must live as long as they are called."""

_TYPES: dict[str, tuple[Any, ...]] = {  # of the result, then of the arguments
    "self": (ctypes.c_uint32, ctypes.c_void_p),
    "logical_processes": (ctypes.c_uint32, ctypes.c_void_p),
    "now": (ctypes.c_double, ctypes.c_void_p),
    "send": (ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_double, ctypes.c_void_p),
    "fail": (None, ctypes.c_void_p, ctypes.c_char_p),
    "random_bits": (ctypes.c_uint64, ctypes.c_void_p),
    "random_unit": (ctypes.c_double, ctypes.c_void_p),
    "random_below": (ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint32),
}

CONTEXT_FUNCTIONS: dict[str, Any] = {
    name: ctypes.CFUNCTYPE(*_TYPES[name])(address) for name, address in _core.context_functions().items()
}
"""What handlers can call, by the names of ``c_model.h``."""


@dataclass(frozen=True, eq=False)
class Model:
    """Logical processes that handle events and send new ones.

    Attributes
    ----------
    state, event : dtype
        Structures of numbers: of one process, which is rolled back with its events, and of one event. States begin as
        zeros. At most 4096 and 1024 bytes.
    init : callable
        ``init(lp, state)`` sends the first events of a process.
    handle : callable
        ``handle(lp, state, event)`` handles an event. It changes the state and sends events, and has no other effects,
        because it may be rolled back.
    lookahead : float
        Minimum delay of events that are sent to another process; 0: unknown.
    record : dtype, optional
        Structure of numbers that is kept of every committed event, beside its process and time.
    commit : callable, optional
        ``commit(process, time, event, record)`` fills it, which is zeros before. It is called once for every committed
        event, in the order of time for each process, and by several threads at the same time.
    reverse : callable, optional
        ``reverse(lp, state, event)`` reverses what ``handle`` has done to the state. It is called instead of copying
        states of more than 512 bytes; smaller ones are copied, which takes less time. `check` tests it.

    Notes
    -----
    ``lp`` has ``self``, ``now`` and ``logical_processes``; ``event()`` is a new event of zeros, to be filled and sent
    by ``send(to, delay, event)``; ``random_unit()`` is uniform in [0, 1), ``random_below(n)`` in 0 .. n - 1, and
    ``random_bits()`` are 64 bits.

    Examples
    --------
    >>> def init(lp, state):
    ...     lp.send(lp.self, 1.0 + lp.random_unit(), lp.event())
    >>> def handle(lp, state, event):
    ...     state.visits += 1
    ...     event_sent = lp.event()
    ...     event_sent.hops = event.hops + 1
    ...     lp.send(lp.random_below(lp.logical_processes), 1.0 + lp.random_unit(), event_sent)
    >>> walk = laxity.Model(state=[("visits", "i8")], event=[("hops", "i8")], init=init, handle=handle)
    >>> result = laxity.simulate(walk, 100, 50.0, threads=2)
    >>> int(result.states["visits"].sum()) == result.committed
    True
    """

    state: npt.DTypeLike
    event: npt.DTypeLike
    init: Callable[..., None]
    handle: Callable[..., None]
    lookahead: float = 0.0
    record: npt.DTypeLike | None = None
    commit: Callable[..., None] | None = None
    reverse: Callable[..., None] | None = None

    def __post_init__(self) -> None:
        if (self.record is None) != (self.commit is None):
            raise UsageError("record and commit: a model has both or none, because commit() fills records")
        names = ("state", "event") if self.record is None else ("state", "event", "record")
        for name in names:
            try:
                dtype = np.dtype(getattr(self, name))
            except TypeError as error:
                raise UsageError(f"{name} = {getattr(self, name)!r}: {error}") from None
            if not dtype.names or dtype.hasobject:
                raise UsageError(f"{name} = {dtype}: must be a structure of numbers, such as [('visits', 'i8')]")
            object.__setattr__(self, name, dtype)
        for name in ("process", "time") if self.record is not None else ():
            if name in (np.dtype(self.record).names or ()):
                raise UsageError(f"record: every record has a field {name} already")


@dataclass(frozen=True, eq=False)
class SimulationResult:
    """What came of a simulation.

    Attributes
    ----------
    states : array
        At the end of the run, by logical process.
    commits : array or None
        What the model's ``commit`` has recorded, with the fields ``process`` and ``time`` in front, in the order of
        time, then of processes; None if the model has no such function. The same for every engine.
    committed, processed, rolled_back : int
        Events; `processed` has those that were rolled back later.
    rollbacks, gvt_rounds : int
        Of the optimistic engine.
    digest : int
        Equal if two runs have committed the same events; 0 unless it was asked for.
    seconds : float
        From the first event to the last, without set-up.
    """

    states: npt.NDArray[Any]
    commits: npt.NDArray[Any] | None
    committed: int
    processed: int
    rolled_back: int
    rollbacks: int
    gvt_rounds: int
    digest: int
    seconds: float

    @property
    def efficiency(self) -> float:
        """Share of processed events that were committed; 1 if none was processed."""
        return self.committed / self.processed if self.processed else 1.0


def simulate(
    model: Model,
    logical_processes: int,
    end_time: float,
    *,
    seed: int = 1,
    threads: int = 0,
    processes: int = 0,
    digest: bool = False,
    compiled: bool | None = None,
) -> SimulationResult:
    """Run a simulation. Every engine and every number of workers commits the same events.

    Parameters
    ----------
    logical_processes : int
        How many there are, at least 1.
    end_time : float
        Events at or past it are dropped.
    seed : int
        Of the random numbers.
    threads, processes : int
        Workers of the optimistic engine: threads of each process, forked processes. Both 0: the sequential engine.
    digest : bool
        Whether to hash all committed events, for comparison with other runs.
    compiled : bool, optional
        Whether numba compiles the functions of the model. By default it does if it is installed.

    Raises
    ------
    ModelError
        If the model violates a rule or raises, with its exception as the cause, or if numba cannot compile it; names
        the function and the line.
    UsageError
        If an option is out of range.
    """
    failures: list[BaseException] = []
    addresses, kept = _prepared(model, logical_processes, seed, compiled, failures, forks=processes != 0)
    states = np.zeros(logical_processes, model.state)
    try:
        counts = _core.simulate(
            np.dtype(model.event).itemsize,
            states.itemsize,
            model.lookahead,
            addresses["init"],
            addresses["handle"],
            addresses.get("reverse", 0),
            addresses.get("commit", 0),
            0 if model.record is None else np.dtype(model.record).itemsize,
            logical_processes,
            end_time,
            seed,
            threads,
            processes,
            digest,
            states.view("u1"),
        )
    except ModelError as error:
        raise error from (failures[-1] if failures else None)
    finally:
        del kept
    if failures:  # of commit(), which cannot end the run
        raise ModelError(f"commit(): {_line_of(failures[0])}") from failures[0]
    rows = counts.pop("commits", None)
    return SimulationResult(states, None if rows is None else _commits_of(model, rows), **counts)


def check(
    model: Model, logical_processes: int, end_time: float, *, seed: int = 1, compiled: bool | None = None
) -> None:
    """Check that the events of a model can be rolled back, on the sequential engine: each is, and is handled again.

    The parameters are those of `simulate`.

    Raises
    ------
    ModelError
        Names the first event whose state ``reverse`` does not restore, or that has another effect when it is handled
        again, because ``handle`` uses more than its state, its event and its context.
    """
    failures: list[BaseException] = []
    addresses, kept = _prepared(model, logical_processes, seed, compiled, failures)
    try:
        _core.check(
            np.dtype(model.event).itemsize,
            np.dtype(model.state).itemsize,
            model.lookahead,
            addresses["init"],
            addresses["handle"],
            addresses.get("reverse", 0),
            logical_processes,
            end_time,
            seed,
        )
    except ModelError as error:
        raise error from (failures[-1] if failures else None)
    finally:
        del kept


def _prepared(
    model: Model,
    logical_processes: int,
    seed: int,
    compiled: bool | None,
    failures: list[BaseException],
    *,
    forks: bool = False,
) -> Functions:
    """Compile the functions of a model, or make callbacks of them which keep what they raise in `failures`."""
    if compiled is None:
        compiled = importlib.util.find_spec("numba") is not None
    if not compiled and forks:
        raise UsageError("processes: functions that are not compiled run in threads only; install numba")
    for name, value, bits in (("logical_processes", logical_processes, 32), ("seed", seed, 64)):
        if not 0 <= value < 1 << bits:
            raise UsageError(f"{name} = {value}: must be in 0 ... 2^{bits} - 1")
    if compiled:
        from laxity.compiled_model import compile_model

        return compile_model(model)
    return _callbacks(model, failures)


def _commits_of(model: Model, rows: bytearray) -> npt.NDArray[Any]:
    """Order the records of all workers. Those of one process are in order already."""
    record = np.dtype(model.record)
    fields = [(name, *record.fields[name][:2]) for name in record.names or ()] if record.fields else []
    layout = np.dtype(
        {
            "names": ["process", "time", *(name for name, _, _ in fields)],
            "formats": ["u4", "f8", *(dtype for _, dtype, _ in fields)],
            "offsets": [0, 8, *(16 + offset for _, _, offset in fields)],
            "itemsize": 16 + (record.itemsize + 7) // 8 * 8,
        }
    )
    commits = np.frombuffer(rows, layout)
    commits["process"] -= 1  # 0 marks a row that was not used
    return commits[np.lexsort((commits["process"], commits["time"]))]


def _line_of(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


class Record:
    """A state or an event when the functions of a model are not compiled: its fields as attributes, or by name.

    A field may have any name, as when it is compiled; the records of NumPy have methods such as ``sum``.
    """

    __slots__ = ("_array",)

    def __init__(self, array: npt.NDArray[Any]) -> None:
        object.__setattr__(self, "_array", array)

    def __getattr__(self, name: str) -> Any:
        try:
            return self._array[0][name]
        except ValueError as error:
            raise AttributeError(str(error)) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __getitem__(self, name: str) -> Any:
        return self._array[0][name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._array[0][name] = value


class Context:
    """What the functions of a model see as ``lp`` when they are not compiled."""

    def __init__(self, address: int, event: np.dtype[Any]) -> None:
        self._address = address
        self._event = event

    @property
    def self(self) -> int:
        """The logical process that handles the event."""
        return int(CONTEXT_FUNCTIONS["self"](self._address))

    @property
    def logical_processes(self) -> int:
        """How many there are."""
        return int(CONTEXT_FUNCTIONS["logical_processes"](self._address))

    @property
    def now(self) -> float:
        """Time of the event; 0 in init."""
        return float(CONTEXT_FUNCTIONS["now"](self._address))

    def event(self) -> Any:
        """Make an event of zeros, to be filled and sent."""
        return Record(np.zeros(1, self._event))

    def send(self, to: int, delay: float, event: Any) -> None:
        """Send an event that `to` handles at ``now + delay``."""
        content = event._array
        if content.dtype != self._event:
            raise TypeError(f"send of {content.dtype}: the events of the model are {self._event}")
        CONTEXT_FUNCTIONS["send"](self._address, to, delay, content.ctypes.data)

    def random_bits(self) -> int:
        """Return 64 random bits."""
        return int(CONTEXT_FUNCTIONS["random_bits"](self._address))

    def random_unit(self) -> float:
        """Return a number uniform in [0, 1)."""
        return float(CONTEXT_FUNCTIONS["random_unit"](self._address))

    def random_below(self, bound: int) -> int:
        """Return a number uniform in 0 .. bound - 1."""
        return int(CONTEXT_FUNCTIONS["random_below"](self._address, bound))


def _callbacks(model: Model, failures: list[BaseException]) -> Functions:
    """Make C functions that call those of the model, and keep what they raise."""
    state_dtype, event_dtype = np.dtype(model.state), np.dtype(model.event)

    def guarded(call: Callable[..., None]) -> Callable[..., None]:
        def guard(address: int, *arguments: int) -> None:
            try:
                call(Context(address, event_dtype), *arguments)
            except BaseException as error:
                failures.append(error)
                CONTEXT_FUNCTIONS["fail"](address, _line_of(error).encode())

        return guard

    def of_event(function: Callable[..., None]) -> Callable[..., None]:
        def call(lp: Context, at: int, event: int, _: int) -> None:
            state = _copy_at(at, state_dtype)
            function(lp, Record(state), Record(_copy_at(event, event_dtype)))
            ctypes.memmove(at, state.ctypes.data, state.nbytes)

        return guarded(call)

    @guarded
    def init(lp: Context, at: int, _: int) -> None:
        state = _copy_at(at, state_dtype)
        model.init(lp, Record(state))
        ctypes.memmove(at, state.ctypes.data, state.nbytes)

    def commit(process: int, time: float, event: int, at: int) -> None:
        record = np.zeros(1, model.record)
        try:
            assert model.commit is not None
            model.commit(process, time, Record(_copy_at(event, event_dtype)), Record(record))
        except BaseException as error:
            failures.append(error)
        ctypes.memmove(at, record.ctypes.data, record.nbytes)

    pointer = ctypes.c_void_p
    event_function = ctypes.CFUNCTYPE(None, pointer, pointer, pointer, pointer)
    functions: dict[str, Any] = {
        "init": ctypes.CFUNCTYPE(None, pointer, pointer, pointer)(init),
        "handle": event_function(of_event(model.handle)),
    }
    if model.reverse is not None:
        functions["reverse"] = event_function(of_event(model.reverse))
    if model.commit is not None:
        functions["commit"] = ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_double, pointer, pointer)(commit)
    addresses = {name: ctypes.cast(function, pointer).value or 0 for name, function in functions.items()}
    return addresses, list(functions.values())


def _copy_at(address: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Copy the structure at an address: a debugger, or a kept exception, may look at it after the engine is gone."""
    return np.frombuffer(ctypes.string_at(address, dtype.itemsize), dtype).copy()
