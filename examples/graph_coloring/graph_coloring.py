"""Graph coloring on a torus that is spread over processes, in blocks of NumPy arrays.

Every node learns a color that none of its four neighbors has. A node without conflict keeps its color and is sure of
it; one with a conflict becomes less sure of its color, surer of the others, and draws its next color by these
probabilities.

References
----------
Leith, Clifford, Badarla, Malone, WLAN channel selection without communication, Computer Networks 56 (2012).
"""

import numpy as np

import laxity

COLORS, LEARNING_RATE = 3, 0.1
KEPT = np.float32(1 - LEARNING_RATE)  # of every probability after a conflict
OTHERS = np.float32(LEARNING_RATE / (COLORS - 1))  # is added to those of the other colors


class Learner:
    """The probabilities of the colors at the nodes of a part."""

    def __init__(self, nodes, seed):
        self._random = np.random.default_rng(seed)
        self._probabilities = np.full((nodes, COLORS), 1 / COLORS, "f4")
        self._unsure_at = np.zeros(nodes, "u4")  # the update in which the probabilities apply; else a node is sure
        self._updates = 0

    def first_colors(self):
        """Draw a color for every node."""
        return self._random.integers(COLORS, size=len(self._unsure_at), dtype="u1")

    def update(self, received, own):
        """Redraw the colors of all nodes that have a neighbor of their color."""
        nodes = np.flatnonzero((received == own).any(axis=0))
        colors = own[nodes]
        sure = self._unsure_at[nodes] != self._updates
        self._updates += 1
        self._unsure_at[nodes] = self._updates

        self._probabilities[nodes[sure]] = np.eye(COLORS, dtype="f4")[colors[sure]]
        probabilities = KEPT * self._probabilities[nodes] + OTHERS * (colors[:, None] != np.arange(COLORS))
        self._probabilities[nodes] = probabilities
        drawn = self._random.random(len(nodes))
        own[nodes] = (drawn[:, None] >= probabilities.cumsum(axis=1)[:, :-1]).sum(axis=1)


def coloring(mesh, learner_of=Learner, seed=1):
    """Return the function of a worker: it returns its nodes, their colors and the number of its updates."""

    def color_part(worker):
        part = mesh.part(worker)
        color = part["color"]
        learner = learner_of(len(part), seed=(seed, worker.id))
        color.state[:] = learner.first_colors()
        while not worker.stop_requested:
            part.pull()
            learner.update(color.received, color.state)
            part.flush()
            worker.update_done()
        return part.nodes, color.state, worker.updates

    return color_part


def torus_of(results, rows, columns):
    """Put the colors of all parts together."""
    colors = np.empty(rows * columns, "u1")
    for nodes, own, _ in results:
        colors[nodes] = own
    return colors.reshape(rows, columns)


def conflicting_edges(colors):
    """Count the edges of the torus whose ends have the same color."""
    return sum(int((colors == np.roll(colors, 1, axis)).sum()) for axis in (0, 1))


if __name__ == "__main__":
    torus = laxity.Mesh(laxity.topologies.torus(64, 64), layers={"color": "u1"}, workers=2)
    team = laxity.Team(processes=2, window_s=0.5)
    found = team.run(coloring(torus), duration_s=2.0)
    print(
        conflicting_edges(torus_of(found, 64, 64)),
        "conflicts left of",
        torus.edges // 2,
        "edges",
    )
    columns = [
        "from_worker",
        "to_worker",
        "simstep_period_ns",
        "walltime_latency_ns",
        "delivery_failure_rate",
    ]
    print(team.quality()[columns].to_string())
