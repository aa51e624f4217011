from collections.abc import Callable, Sequence
from typing import Any

import numpy.typing as npt

class Inlet:
    """The sending end of a channel."""

    def try_put(self, array: npt.NDArray[Any]) -> bool:
        """Queue an array or refuse at once; raises TypeMismatch for another dtype or shape."""

    def put(self, array: npt.NDArray[Any], timeout_s: float | None = None) -> bool:
        """Block until the array is queued; False: not within the time."""

    @property
    def counters(self) -> dict[str, int]:
        """Puts: attempted, refused, unchanged."""

class Outlet:
    """The receiving end of a channel, which shows one array at a time."""

    def pull(self) -> int:
        """Move to the newest array and return the number of arrays moved; raises FrameInUse while a view lives."""

    def try_step(self, limit: int = 1) -> int:
        """Move by at most so many arrays and return the number."""

    def step(self, timeout_s: float | None = None) -> bool:
        """Block until the next array arrives and show it; False: not within the time."""

    def get(self) -> npt.NDArray[Any]:
        """Return a read-only view of the current array, without a copy, valid until the next pull."""

    @property
    def counters(self) -> dict[str, int]:
        """Pulls, arrays received, arrays superseded."""

class Worker:
    @property
    def id(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def updates(self) -> int: ...
    @property
    def stop_requested(self) -> bool: ...
    def barrier(self) -> bool: ...
    def update_done(self) -> None: ...
    def sink(
        self, to: int, initial: npt.NDArray[Any], number: int, depth: int, overflow: str, send_on_change: bool
    ) -> Inlet: ...
    def source(self, from_: int, initial: npt.NDArray[Any], number: int, depth: int, overflow: str) -> Outlet: ...

class WorkerEnd:
    @property
    def name(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def what(self) -> str: ...

class TeamReport:
    @property
    def workers(self) -> list[WorkerEnd]: ...
    @property
    def interrupted(self) -> bool: ...
    @property
    def interruption(self) -> str: ...

class Team:
    def __init__(
        self, processes: int, threads: int, end_on_loss: bool, grace_s: float, arena_bytes: int, window_s: float
    ) -> None: ...
    @property
    def size(self) -> int: ...
    @property
    def all_are_updating(self) -> bool: ...
    def request_stop(self) -> None: ...
    def links(self) -> list[tuple[int, ...]]: ...
    def quality(self) -> list[tuple[int | float | str, ...]]: ...
    def run(
        self,
        body: Callable[[Worker], object],
        supervise: Callable[[], object] | None,
        duration_s: float | None,
    ) -> TeamReport: ...

class Topology:
    """A graph whose nodes are numbers."""

    @property
    def nodes(self) -> int: ...
    @property
    def edges(self) -> int: ...

class Mesh:
    def __init__(self, topology: Topology, workers: int, worker_of: Sequence[int]) -> None: ...
    @property
    def nodes(self) -> int: ...
    @property
    def edges(self) -> int: ...
    @property
    def workers(self) -> int: ...

class MeshPart:
    def __init__(self, mesh: Mesh, worker: Worker, first_layer: int) -> None: ...
    def add_layer(
        self,
        element: npt.NDArray[Any],
        state: npt.NDArray[Any],
        seen: npt.NDArray[Any],
        received: npt.NDArray[Any],
        depth: int,
        overflow: str,
    ) -> None: ...
    def pull(self) -> None: ...
    def flush(self) -> None: ...
    def receive(self, layer: int) -> None: ...
    @property
    def ghosts(self) -> int: ...
    @property
    def degree(self) -> int: ...
    @property
    def nodes(self) -> bytearray: ...
    @property
    def indptr(self) -> bytearray: ...
    @property
    def indices(self) -> bytearray: ...

def topology(nodes: int, edges: npt.NDArray[Any]) -> Topology: ...
def read_graph_file(path: str) -> Topology: ...
def ring(nodes: int) -> Topology: ...
def complete(nodes: int) -> Topology: ...
def torus(extents: Sequence[int]) -> Topology: ...
def grid(extents: Sequence[int]) -> Topology: ...
def watts_strogatz(nodes: int, neighbors: int, rewire: float, seed: int) -> Topology: ...
def random_geometric(nodes: int, radius: float, seed: int) -> Topology: ...
def simulate(
    event_bytes: int,
    state_bytes: int,
    lookahead: float,
    init: int,
    handle: int,
    reverse: int,
    commit: int,
    record_bytes: int,
    logical_processes: int,
    end_time: float,
    seed: int,
    threads: int,
    processes: int,
    digest: bool,
    states: npt.NDArray[Any],
) -> dict[str, Any]: ...
def check(
    event_bytes: int,
    state_bytes: int,
    lookahead: float,
    init: int,
    handle: int,
    reverse: int,
    logical_processes: int,
    end_time: float,
    seed: int,
) -> None: ...
def context_functions() -> dict[str, int]: ...
def channel(initial: npt.NDArray[Any], depth: int, overflow: str, send_on_change: bool) -> tuple[Inlet, Outlet]: ...
