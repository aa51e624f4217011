"""Generated graphs for `laxity.Mesh`, and graphs from files: made in C++, for millions of nodes.

A random graph is a function of its seed alone, the same on every machine.

Elsewhere: graphs of networkx and lists of edges, which a mesh takes as they are (``mesh``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from laxity.channels import _core
from laxity.error import UsageError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    import numpy.typing as npt

Topology = _core.Topology

_MAX_NODES = 2**32 - 2


def torus(*extents: int) -> Topology:
    """Make a torus: every node exchanges with its predecessor and its successor along each dimension.

    Nodes are in row-major order. The inputs of a node are ordered by direction: dimension 0 minus, dimension 0 plus,
    dimension 1 minus, ...
    """
    return _core.torus([_size("extent", extent) for extent in extents])


def grid(*extents: int) -> Topology:
    """Make a grid: a torus without wraparound."""
    return _core.grid([_size("extent", extent) for extent in extents])


def ring(nodes: int) -> Topology:
    """Make a directed cycle: every node sends to the next one, the last to the first."""
    return _core.ring(_size("nodes", nodes))


def complete(nodes: int) -> Topology:
    """Make a complete graph: every node exchanges with every other."""
    return _core.complete(_size("nodes", nodes))


def watts_strogatz(nodes: int, neighbors: int, rewire: float, seed: int = 1) -> Topology:
    """Make a small world: a cycle of nodes with their nearest neighbors, of which some are rewired at random.

    References
    ----------
    Watts and Strogatz, Collective dynamics of 'small-world' networks, Nature 393 (1998).
    """
    return _core.watts_strogatz(_size("nodes", nodes), _size("neighbors", neighbors), rewire, seed)


def random_geometric(nodes: int, radius: float, seed: int = 1) -> Topology:
    """Make a random geometric graph: uniform points in the unit square that exchange if at most `radius` apart.

    References
    ----------
    Gilbert, Random plane networks, J. SIAM 9 (1961).
    """
    return _core.random_geometric(_size("nodes", nodes), radius, seed)


def read_graph_file(path: str | os.PathLike[str]) -> Topology:
    """Read an adjacency list, an edge list, a METIS graph or a Matrix Market file; the extension says which.

    Raises
    ------
    LaxityError
        If the file cannot be read; names the line and the column.
    """
    return _core.read_graph_file(str(path))


def from_edges(edges: npt.ArrayLike | Iterable[tuple[int, int]], nodes: int | None = None) -> Topology:
    """Make a directed graph of edges ``(source, target)``; repeated ones count once.

    Parameters
    ----------
    edges : array_like or iterable of pairs
        Node numbers, from 0: the source sends to the target.
    nodes : int, optional
        Number of nodes; one more than the largest in an edge if it is missing.

    Raises
    ------
    UsageError
        If something is no pair of node numbers.
    """
    pairs = np.asarray(edges if hasattr(edges, "__array__") else list(edges))  # type: ignore[arg-type]
    if pairs.size == 0:
        pairs = np.zeros((0, 2), np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise UsageError(
            f"edges of shape {pairs.shape} and dtype {pairs.dtype}: must be pairs (source, target) of node numbers"
        )
    first, last = (int(pairs.min()), int(pairs.max())) if pairs.size else (0, -1)
    if first < 0 or last > _MAX_NODES:
        raise UsageError(f"edges name node {first if first < 0 else last}: must be 0 to {_MAX_NODES}")
    if nodes is None:
        nodes = last + 1
    return _core.topology(_size("nodes", nodes), np.array(pairs, np.uint32, order="C"))


def of_networkx(graph: Any) -> Topology:
    """Make the topology of a networkx graph: node i is the i-th of ``graph.nodes``; an undirected edge is two.

    Raises
    ------
    UsageError
        If the graph is too large.
    """
    number = {label: index for index, label in enumerate(graph.nodes)}
    pairs = np.fromiter((number[label] for edge in graph.edges() for label in edge), np.int64).reshape(-1, 2)
    if not graph.is_directed():
        pairs = np.concatenate([pairs, pairs[:, ::-1]])
    return from_edges(pairs, len(number))


def _size(name: str, value: int) -> int:
    """Return a number that C++ can take as a size."""
    if not 0 <= value <= _MAX_NODES:
        raise UsageError(f"{name} = {value}: must be 0 to {_MAX_NODES}")
    return value
