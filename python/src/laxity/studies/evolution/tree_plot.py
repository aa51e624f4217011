"""Pictures of trees of descent: time to the right, a horizontal line for each branch.

Elsewhere: trees (``phylogeny``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.collections import LineCollection
from numpy.typing import NDArray

from laxity.plots.style import MUTED, WIDTH_INCHES, new_figure, panel, to_svg
from laxity.studies.evolution.phylogeny import Tree

_HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 3.6, 0.14, 0.14, 0.1, 0.46  # inches


def draw_tree(name: str, tree: Tree, axis: str, colors: Sequence) -> str:
    """Draw a tree as SVG.

    Parameters
    ----------
    name : str
        Of the plot.
    tree : Tree
        With a few hundred leaves at most.
    axis : str
        What the times are.
    colors : sequence
        Of the branch that ends at each leaf.
    """
    heights = _heights(tree)
    color_of = dict(zip(tree.leaves, colors, strict=True))
    branches, joints, branch_colors = [], [], []
    for node in range(1, len(tree.parents)):
        parent = tree.parents[node]
        begin = tree.times[parent]
        branches.append([(begin, heights[node]), (max(begin, tree.times[node]), heights[node])])
        branch_colors.append(color_of.get(node, MUTED))
        if parent != 0:
            joints.append([(begin, heights[parent]), (begin, heights[node])])
    figure = new_figure(_HEIGHT)
    axes = panel(figure, (_LEFT, _BOTTOM, WIDTH_INCHES - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM), "x")
    axes.add_collection(LineCollection(joints, colors=MUTED, linewidths=0.5))
    axes.add_collection(LineCollection(branches, colors=branch_colors, linewidths=0.7))
    axes.set_xlim(tree.times[0], max(tree.times.max(), tree.times[0] + 1))
    axes.set_ylim(-1, max(len(tree.leaves), 1))
    axes.set_yticks([])
    axes.set_xlabel(axis, labelpad=2)
    return to_svg(figure, name)


def _heights(tree: Tree) -> NDArray[np.float64]:
    """Give each leaf a row of its own and each other node the middle of its children; no two branches cross."""
    children: list[list[int]] = [[] for _ in tree.parents]
    for node in range(1, len(tree.parents)):
        children[tree.parents[node]].append(node)
    is_leaf = np.zeros(len(tree.parents), dtype=bool)
    is_leaf[tree.leaves] = True
    heights = np.zeros(len(tree.parents))
    row = 0
    left = [(0, False)]
    while left:
        node, is_placed = left.pop()
        if not is_placed:
            left.append((node, True))
            left += [(child, False) for child in reversed(children[node])]
        elif is_leaf[node]:  # also one that is an ancestor of others
            heights[node] = row
            row += 1
        else:
            heights[node] = np.mean([heights[child] for child in children[node]]) if children[node] else row
    return heights
