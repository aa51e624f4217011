"""The learner of graph_coloring.py with two functions that numba compiles: the same colors from the same seed, faster.

The arrays of a layer are those that NumPy sees, so a compiled function reads what the neighbors sent and writes the
state of its nodes in place.
"""

import numba
import numpy as np
from graph_coloring import COLORS, KEPT, OTHERS, Learner


@numba.njit
def mark_conflicts(received, own, in_conflict):
    """Mark the nodes that have one of four neighbors of their color; the compiler makes vectors of the loop."""
    up, down, left, right = received[0], received[1], received[2], received[3]
    for node in range(own.size):
        color = own[node]
        in_conflict[node] = (up[node] == color) | (down[node] == color) | (left[node] == color) | (right[node] == color)


@numba.njit
def redraw(nodes, own, probabilities, unsure_at, update, drawn):
    """Let nodes learn from their conflicts, and draw their next colors by uniform numbers."""
    for i in range(nodes.size):
        node = nodes[i]
        before, sure, below = own[node], unsure_at[node] != update, np.float32(0)
        unsure_at[node] = update + 1
        own[node] = 0
        for color in range(COLORS):
            probability = np.float32(color == before) if sure else probabilities[node, color]
            probability *= KEPT
            if color != before:
                probability += OTHERS
            probabilities[node, color] = probability
            below += probability
            own[node] += color < COLORS - 1 and drawn[i] >= below


class CompiledLearner(Learner):
    """The same learner, compiled."""

    def __init__(self, nodes, seed):
        super().__init__(nodes, seed)
        self._in_conflict = np.empty(nodes, np.bool_)

    def update(self, received, own):
        """Redraw the colors of all nodes that have a neighbor of their color."""
        mark_conflicts(received, own, self._in_conflict)
        nodes = np.flatnonzero(self._in_conflict)
        drawn = self._random.random(len(nodes))
        redraw(nodes, own, self._probabilities, self._unsure_at, self._updates, drawn)
        self._updates += 1
