"""Computations on graphs that are spread over the workers of a team, programmed in blocks of NumPy arrays.

Every node has a value on each layer. An update of a part pulls what its neighbors sent, computes new values of all its
nodes as arrays, and flushes those that other workers read: one frame for each of them, which is refused if their buffer
is full. Nobody waits.

References
----------
Moreno, Rodriguez Papa, Ofria, Conduit: a C++ library for best-effort high performance computing (2021), section 2.

Elsewhere: graphs (``topologies``), teams (``team``), the same in C++ (``laxity/mesh``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from laxity.channels import Overflow, _core, initial_array
from laxity.error import UsageError
from laxity.topologies import Topology, from_edges, of_networkx

if TYPE_CHECKING:
    import numpy.typing as npt

    from laxity.team import Worker


class Mesh:
    """A graph whose nodes exchange values, spread over the workers of a team.

    Parameters
    ----------
    graph
        A graph of networkx (an undirected edge exchanges, a directed one sends), one of `laxity.topologies`, or edges
        ``(source, target)`` as an array or an iterable.
    layers : mapping of str to dtype
        What every node sends to its neighbors, by name: numbers, arrays of numbers as ``("f8", 3)``, or structures.
    workers : int
        Number of workers of the team, at least 1.
    partition : sequence of int, optional
        The worker of every node. By default parts are boxes of a lattice, else METIS cuts few edges; without METIS, as
        in the wheel, they are runs of consecutive nodes.
    depth : int
        Frames in flight to a neighbor, at least 1.
    overflow : {"drop_newest", "drop_oldest", "latest"}
        What happens when they are in flight: a frame is refused, or overwrites the oldest, or the only one.

    Raises
    ------
    UsageError
        If the graph, a layer, the partition or an option makes no sense.

    Examples
    --------
    Every node of a torus learns the largest number by gossip:

    >>> mesh = laxity.Mesh(laxity.topologies.torus(16, 16), layers={"number": "i8"}, workers=2)
    >>> def gossip(worker):
    ...     part = mesh.part(worker)
    ...     number = part["number"]
    ...     number.state[:] = part.nodes
    ...     while not worker.stop_requested:
    ...         part.pull()
    ...         np.maximum(number.state, number.received.max(axis=0), out=number.state)
    ...         part.flush()
    ...         worker.update_done()
    ...     return int(number.state.min())
    >>> smallest = laxity.Team(processes=2).run(gossip, duration_s=0.5)  # [255, 255]
    """

    def __init__(
        self,
        graph: Any,
        layers: Mapping[str, npt.DTypeLike],
        *,
        workers: int,
        partition: npt.ArrayLike | None = None,
        depth: int = 2,
        overflow: Overflow = "drop_newest",
    ) -> None:
        if not isinstance(layers, Mapping) or not layers:
            raise UsageError(f"layers = {layers!r}: must be a mapping of at least one name to a dtype")
        self.labels, topology = _read_graph(graph)
        self._dtypes = {name: _checked_dtype(name, dtype) for name, dtype in layers.items()}
        self._depth, self._overflow = depth, overflow
        for dtype in self._dtypes.values():
            _core.channel(initial_array(dtype, ()), depth, overflow, False)  # checks the options, before any process
        if workers < 1:
            raise UsageError(f"workers = {workers}: must be at least 1")
        self._core = _core.Mesh(topology, workers, _checked_partition(partition, topology.nodes, workers))

    labels: list[Any] | range
    """The nodes of the graph as networkx calls them, by number."""

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return self._core.nodes

    @property
    def edges(self) -> int:
        """Number of directed edges; two nodes that exchange have two."""
        return self._core.edges

    @property
    def workers(self) -> int:
        """Number of workers."""
        return self._core.workers

    @property
    def layers(self) -> tuple[str, ...]:
        """Names of the layers."""
        return tuple(self._dtypes)

    def part(self, worker: Worker) -> MeshPart:
        """Make the part of a worker; every worker of the team makes its own, of several meshes in the same order.

        Raises
        ------
        UsageError
            If the team has another number of workers.
        """
        if worker.size != self.workers:
            raise UsageError(f"the mesh was made for {self.workers} workers, and the team has {worker.size}")
        return MeshPart(self._core, self._dtypes, worker, self._depth, self._overflow)

    def __repr__(self) -> str:
        layers = ", ".join(f"{name}: {dtype}" for name, dtype in self._dtypes.items())
        return f"<laxity.Mesh of {self.nodes} nodes and {self.edges} edges, {self.workers} workers; {layers}>"


class MeshPart:
    """The nodes of one worker, in ascending order of their numbers; ``part[name]`` is a layer.

    Attributes
    ----------
    nodes : array of uint32
        Their numbers in the graph.
    indptr, indices : array of uint32
        The inputs of all nodes as compressed sparse rows, as in ``scipy.sparse``: those of the i-th node are
        ``layer.seen[indices[indptr[i]:indptr[i + 1]]]``, ordered by the number of the neighbor, or by direction on a
        torus.
    """

    def __init__(
        self, mesh: _core.Mesh, dtypes: Mapping[str, np.dtype[Any]], worker: Worker, depth: int, overflow: Overflow
    ) -> None:
        self._core = _core.MeshPart(mesh, worker._core, worker._claim_layers(len(dtypes)))
        self.nodes, self.indptr, self.indices = (
            _constant(np.frombuffer(numbers, np.uint32))
            for numbers in (self._core.nodes, self._core.indptr, self._core.indices)
        )
        self._layers: dict[str, Layer] = {}
        for number, (name, dtype) in enumerate(dtypes.items()):
            state = np.zeros(len(self), dtype)
            seen = np.zeros(len(self) + self._core.ghosts, dtype)
            received = np.zeros((self._core.degree, len(self)), dtype)
            self._core.add_layer(initial_array(dtype, ()), state, seen, received, depth, overflow)
            self._layers[name] = Layer(name, self._core, number, state, seen, received)

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.nodes)

    def __getitem__(self, name: str) -> Layer:
        if name not in self._layers:
            raise UsageError(f"there is no layer {name!r}; this mesh has {', '.join(self._layers)}")
        return self._layers[name]

    def pull(self) -> None:
        """Begin an update: all layers show the newest values of their neighbors."""
        self._core.pull()

    def flush(self) -> None:
        """End an update: all layers send what other workers read of their state, or are refused. Never waits."""
        self._core.flush()


class Layer:
    """The values of one layer at the nodes of a part.

    Attributes
    ----------
    state : array, shape (nodes, ...)
        Of the nodes of this part, to be read and written at any time; zeros at first. An assignment copies.
    seen : array, shape (nodes + others, ...)
        As of the last pull: of the nodes of this part, then of those of other parts from which they receive; an index
        of ``MeshPart.indices`` is a place here. Zeros until a first frame has arrived. It is read-only, and the next
        pull changes it.
    """

    def __init__(
        self,
        name: str,
        part: _core.MeshPart,
        number: int,
        state: npt.NDArray[Any],
        seen: npt.NDArray[Any],
        received: npt.NDArray[Any],
    ) -> None:
        self._name, self._part, self._number = name, part, number
        self._state, self._seen, self._received = state, _constant(seen), _constant(received)

    @property
    def state(self) -> npt.NDArray[Any]:  # noqa: D102, an attribute above
        return self._state

    @state.setter
    def state(self, values: npt.ArrayLike) -> None:
        if values is not self._state:  # as after state += values, which has been done in place
            self._state[...] = values

    @property
    def seen(self) -> npt.NDArray[Any]:  # noqa: D102, an attribute above
        return self._seen

    @property
    def received(self) -> npt.NDArray[Any]:
        """What the neighbors sent, as of the last pull: ``received[k, i]`` is from the k-th input of the i-th node.

        Shape (inputs, nodes, ...), contiguous; read-only, and the next use after a pull changes it.

        Raises
        ------
        UsageError
            If nodes of this part have different numbers of neighbors.
        """
        if self._part.degree == 0:
            raise UsageError(
                f"layer {self._name!r}: the nodes of this part have different numbers of inputs, so that what they "
                "received is no array; use seen with the part's indptr and indices"
            )
        self._part.receive(self._number)
        return self._received


def _read_graph(graph: Any) -> tuple[list[Any] | range, Topology]:
    """Return the labels of the nodes and the topology."""
    if isinstance(graph, Topology):
        topology = graph
    elif hasattr(graph, "is_directed") and hasattr(graph, "nodes"):
        return list(graph.nodes), of_networkx(graph)
    elif isinstance(graph, Iterable) and not isinstance(graph, str):
        topology = from_edges(graph)
    else:
        raise UsageError(
            f"graph = {graph!r}: must be a graph of networkx or of laxity.topologies, or edges (source, target)"
        )
    return range(topology.nodes), topology


def _checked_dtype(name: object, dtype: npt.DTypeLike) -> np.dtype[Any]:
    try:
        made = np.dtype(dtype)
        if not isinstance(name, str) or dtype is None:
            raise TypeError("must be a name and a dtype")
        initial_array(made, ())
    except (TypeError, ValueError) as error:
        raise UsageError(f"layer {name!r}: {error}") from None
    return made


def _checked_partition(partition: npt.ArrayLike | None, nodes: int, workers: int) -> list[int]:
    if partition is None:
        return []
    worker_of = np.asarray(partition)
    if worker_of.shape != (nodes,) or worker_of.dtype.kind not in "iu":
        raise UsageError(
            f"partition of shape {worker_of.shape} and dtype {worker_of.dtype}: must have the worker of each of "
            f"{nodes} nodes"
        )
    if nodes and not 0 <= worker_of.min() <= worker_of.max() < workers:
        found = f"{worker_of.min()} to {worker_of.max()}"
        raise UsageError(f"partition: workers are 0 to {workers - 1}, and it has {found}")
    numbers: list[int] = worker_of.tolist()
    return numbers


def _constant(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a view of the array that cannot be written."""
    view = array[...]
    view.flags.writeable = False
    return view
