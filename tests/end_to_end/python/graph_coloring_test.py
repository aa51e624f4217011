"""The example of graph coloring in blocks: a torus on two processes has fewer conflicts after it has learned."""

import numpy as np
import pytest
from graph_coloring import COLORS, Learner, coloring, conflicting_edges, torus_of

import laxity

ROWS, COLUMNS = 12, 16
MIN_UPDATES = 400


def test_the_colors_of_a_torus_are_learned():
    mesh = laxity.Mesh(laxity.topologies.torus(ROWS, COLUMNS), {"color": "u1"}, workers=2)

    def supervise(team):
        if (pulls := team.links()["pulls"]).size == 4 and pulls.min() >= MIN_UPDATES:
            team.request_stop()

    results = laxity.Team(processes=2).run(coloring(mesh), supervise)
    assert min(updates for _, _, updates in results) >= MIN_UPDATES
    colors = torus_of(results, ROWS, COLUMNS)
    assert set(np.unique(colors)) <= set(range(COLORS))
    at_random = 2 * ROWS * COLUMNS / COLORS
    assert conflicting_edges(colors) < at_random / 4


def test_compiled_functions_find_the_same_colors():
    compiled = pytest.importorskip("compiled_coloring", reason="numba is not installed")
    learners = [Learner(ROWS * COLUMNS, seed=3), compiled.CompiledLearner(ROWS * COLUMNS, seed=3)]
    colors = [learner.first_colors() for learner in learners]
    for _ in range(MIN_UPDATES):
        for learner, own in zip(learners, colors, strict=True):
            torus = own.reshape(ROWS, COLUMNS)
            learner.update(np.stack([np.roll(torus, by, axis).ravel() for axis in (0, 1) for by in (1, -1)]), own)
        assert (colors[0] == colors[1]).all()
    assert conflicting_edges(colors[0].reshape(ROWS, COLUMNS)) < ROWS * COLUMNS / 10


def test_a_conflict_makes_a_node_less_sure_of_its_color():
    learner = Learner(2000, seed=1)
    own, same = np.ones(2000, "u1"), np.ones((4, 2000), "u1")
    learner.update(same + 1, own)  # without a conflict: everybody is sure
    assert (own == 1).all()
    learner.update(same, own)
    assert 0.88 < (own == 1).mean() < 0.92  # 0.9 by the rule, from a fixed seed
    own[:] = 1
    learner.update(same, own)
    assert 0.78 < (own == 1).mean() < 0.84  # 0.81
