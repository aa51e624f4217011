"""Trees of descent, and how far two of the same cells agree.

Source: the triplet distance of Critchlow, Pearl and Qian, The triples distance for rooted bifurcating phylogenetic
trees, Systematic Biology 45 (1996), here of the triplets that the first tree resolves.

Elsewhere: trees from annotations in genomes (``strata``), their pictures (``tree_plot``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from laxity.error import LaxityError

TRIPLETS = 100_000
"""Triplets that are drawn to estimate an error."""


@dataclass(frozen=True)
class Tree:
    """A rooted tree. Node 0 is the root, which may stand for an unknown common ancestor.

    Attributes
    ----------
    parents : array of int
        Node of the parent; -1 of the root.
    times : array of float
        When each node was born; that of the root is the smallest.
    leaves : array of int
        Nodes of the taxa, in the order in which they were given.
    """

    parents: NDArray[np.int64]
    times: NDArray[np.float64]
    leaves: NDArray[np.int64]

    def depths(self) -> NDArray[np.int64]:
        """Return the number of ancestors of each node."""
        depths = np.zeros(len(self.parents), dtype=np.int64)
        at = self.parents
        while (above := at >= 0).any():
            depths += above
            at = np.where(above, self.parents[at], -1)
        return depths


def tree_of(ids: ArrayLike, parents: ArrayLike, times: ArrayLike, taxa: ArrayLike) -> Tree:
    """Make the tree of some cells from a table of births: their ancestors, without those that do not branch.

    Parameters
    ----------
    ids, parents : array of int
        Number of each cell and of its parent; a parent that is not among the cells is none.
    times : array of float
        When each was born.
    taxa : array of int
        Numbers of the cells that are the leaves, each once.

    Raises
    ------
    LaxityError
        If a taxon is not in the table, or the table has a cycle.
    """
    places = pd.Index(np.asarray(ids, dtype=np.int64))
    above = places.get_indexer(np.asarray(parents, dtype=np.int64))
    leaves = places.get_indexer(np.asarray(taxa, dtype=np.int64))
    if (leaves < 0).any():
        raise LaxityError(f"cell {np.asarray(taxa)[leaves < 0][0]} is not in the phylogeny; record it anew")
    children = np.zeros(len(places), dtype=np.int64)  # that lead to leaves
    kept = np.zeros(len(places), dtype=bool)
    kept[leaves] = True
    front = np.unique(leaves)
    while front.size:
        reached = above[front]
        reached = reached[reached >= 0]
        np.add.at(children, reached, 1)
        front = np.unique(reached)
        front = front[~kept[front]]
        kept[front] = True
    kept[:] = children >= 2
    kept[leaves] = True
    nodes = np.flatnonzero(kept)
    leads = above[nodes]  # to the next ancestor that is kept
    while (skipped := (leads >= 0) & ~kept[leads]).any():
        leads[skipped] = above[leads[skipped]]
    place = np.zeros(len(places) + 1, dtype=np.int64)  # in the tree; the last entry, -1, leads to the root
    place[nodes] = np.arange(1, nodes.size + 1)
    parents_in_tree = np.append(0, place[leads])
    reached = parents_in_tree
    for _ in range(nodes.size.bit_length()):
        reached = reached[reached]
    if reached.any():
        raise LaxityError("the phylogeny has a cycle; record it anew")
    born = np.asarray(times, dtype=np.float64)[nodes]
    first = born.min(initial=0.0)
    parents_in_tree[0] = -1
    return Tree(parents_in_tree, np.append(first, born), place[leaves])


def triplet_error(complete: Tree, estimated: Tree, seed: int = 1, triplets: int = TRIPLETS) -> float:
    """Return the share of random triplets of taxa that `estimated` groups otherwise than `complete`, or not at all.

    Of three taxa two are closest if their last common ancestor is below that of all three. Triplets of which `complete`
    has no closest two do not count.

    Parameters
    ----------
    complete, estimated : Tree
        With the same taxa in the same order.
    seed : int
        Of the choice of triplets.
    triplets : int
        How many are drawn, with repetition.

    Returns
    -------
    float
        In [0, 1]; NaN if `complete` resolves none of the triplets.

    Raises
    ------
    ValueError
        If the trees have different numbers of taxa.
    """
    count = len(complete.leaves)
    if len(estimated.leaves) != count:
        raise ValueError(f"{count} taxa and {len(estimated.leaves)} taxa cannot be compared")
    if count < 3:
        return float("nan")
    random = np.random.default_rng(seed)
    first = random.integers(count, size=triplets)  # distinct members: offsets around the circle of all taxa
    second = random.integers(1, count, size=triplets)
    third = random.integers(1, count - 1, size=triplets)
    third += third >= second
    drawn = np.stack([first, (first + second) % count, (first + third) % count])
    truth, guess = _closest(complete, drawn), _closest(estimated, drawn)
    resolved = truth != _NONE
    return float((truth != guess)[resolved].mean()) if resolved.any() else float("nan")


_NONE = 3


def _closest(tree: Tree, drawn: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each triplet, the member that is not of the closest two, or _NONE."""
    depths = tree.depths()
    members = tree.leaves[drawn]
    common = np.stack([_common_depth(tree, depths, *np.delete(members, member, axis=0)) for member in range(3)])
    return np.where(common.max(axis=0) > common.min(axis=0), common.argmax(axis=0), _NONE)


def _common_depth(tree: Tree, depths: NDArray[np.int64], one: NDArray[np.int64], other: NDArray[np.int64]):
    while (differ := one != other).any():
        lower = depths[one] >= depths[other]
        one, other = (
            np.where(differ & lower, tree.parents[one], one),
            np.where(differ & ~lower, tree.parents[other], other),
        )
    return depths[one]
