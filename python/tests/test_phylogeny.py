"""Trees of descent: from tables of births, from annotations in genomes, and how far they agree."""

import itertools
import math
import random

import numpy as np
import pandas as pd
import pytest

from laxity.error import LaxityError
from laxity.plots.style import style
from laxity.studies.evolution import strata
from laxity.studies.evolution.phylogeny import tree_of, triplet_error
from laxity.studies.evolution.tree_plot import draw_tree


def births(*pairs):
    """Make a tree of all cells that have no children, from (cell, parent)."""
    ids, parents = [cell for cell, _ in pairs], [parent for _, parent in pairs]
    return tree_of(ids, parents, range(len(ids)), sorted(set(ids) - set(parents)))


def test_a_tree_has_the_branching_ancestors_of_its_taxa():
    # 1 -> 2 -> 3 -> {4, 5 -> 6}, and 7, which has no descendant among the taxa
    tree = tree_of([1, 2, 3, 4, 5, 6, 7], [0, 1, 2, 3, 3, 5, 1], [0, 1, 2, 3, 4, 5, 6], [6, 4])
    assert list(tree.parents) == [-1, 0, 1, 1]
    assert list(tree.times) == [0, 2, 3, 5]
    assert list(tree.leaves) == [3, 2]
    assert list(tree.depths()) == [0, 1, 2, 2]


def test_a_taxon_may_be_an_ancestor_of_another():
    tree = tree_of([1, 2, 3], [0, 1, 2], [0, 1, 2], [1, 3])
    assert list(tree.parents) == [-1, 0, 1]


def test_first_ancestors_have_a_common_root():
    tree = tree_of([1, 2, 3, 4], [0, 0, 1, 2], [0, 0, 5, 6], [3, 4])
    assert list(tree.parents) == [-1, 0, 0]


def test_rows_of_several_workers_may_have_any_order():
    forward = tree_of([1, 2, 3, 4], [0, 1, 1, 3], [0, 1, 2, 3], [2, 4])
    shuffled = tree_of([4, 3, 2, 1], [3, 1, 1, 0], [3, 2, 1, 0], [2, 4])
    assert triplet_error(forward, shuffled) != 0  # two taxa have no triplet
    assert sorted(forward.times) == sorted(shuffled.times)


def test_malformed_tables_are_said():
    with pytest.raises(LaxityError, match="cell 9 is not in the phylogeny"):
        tree_of([1, 2], [0, 1], [0, 1], [9])
    with pytest.raises(LaxityError, match="has a cycle"):
        tree_of([1, 2, 3], [2, 1, 2], [0, 1, 2], [3])


def random_births(seed, count, taxa):
    draw = random.Random(seed)
    parents = [0, *(draw.randint(max(0, cell - 40), cell - 1) for cell in range(2, count + 1))]
    return list(range(1, count + 1)), parents, draw.sample(range(count - 60, count + 1), taxa)


def naive_error(one, other):
    """Go through all triplets."""

    def ancestors(tree, node):
        return [node, *(ancestors(tree, tree.parents[node]) if node else ())]

    def closest(tree, triplet):
        def below(pair):
            first, second = (ancestors(tree, tree.leaves[taxon]) for taxon in pair)
            return len(ancestors(tree, next(node for node in first if node in second)))

        depths = {pair: below(pair) for pair in itertools.combinations(triplet, 2)}
        best = max(depths.values())
        return None if min(depths.values()) == best else max(depths, key=depths.get)

    triplets = list(itertools.combinations(range(len(one.leaves)), 3))
    truth = {triplet: closest(one, triplet) for triplet in triplets}
    resolved = [triplet for triplet in triplets if truth[triplet]]
    return sum(closest(other, triplet) != truth[triplet] for triplet in resolved) / len(resolved)


@pytest.mark.parametrize("seed", range(3))
def test_the_triplet_error_is_that_of_all_triplets(seed):
    ids, parents, taxa = random_births(seed, 300, 14)
    one = tree_of(ids, parents, ids, taxa)
    other = tree_of(ids, parents, ids, random.Random(seed).sample(taxa, len(taxa)))
    assert triplet_error(one, one) == 0
    expected = naive_error(one, other)
    assert 0.2 < expected < 1
    assert triplet_error(one, other, seed) == pytest.approx(expected, abs=0.01)


def test_triplets_that_the_first_tree_does_not_resolve_do_not_count():
    star = births((1, 0), (2, 1), (3, 1), (4, 1))
    resolved = births((1, 0), (2, 1), (5, 1), (3, 5), (4, 5))
    assert math.isnan(triplet_error(star, resolved))
    assert triplet_error(resolved, star) == 1
    with pytest.raises(ValueError, match="3 taxa and 2 taxa"):
        triplet_error(star, births((1, 0), (2, 1), (3, 1)))


def test_a_drawn_tree_has_a_line_for_each_branch():
    tree = births((1, 0), (2, 1), (5, 1), (3, 5), (4, 5))
    with style():
        svg = draw_tree("tree", tree, "update of the birth", [(1, 0, 0)] * 3)
    assert svg.count("#ff0000") == 3
    assert "update of the birth" in svg


def test_without_hstrat_a_line_says_what_to_install(monkeypatch):
    monkeypatch.setattr(strata, "find_spec", lambda _: None)
    with pytest.raises(LaxityError, match=r"pip install 'laxity\[phylogeny\]'"):
        strata.reconstruct(pd.DataFrame({"strata": [], "generations": []}))


def neighbors_spread(cells_along_a_side, births_per_cell, seed):
    """Let cells of a torus be replaced by offspring of their neighbors; return births and the living cells."""
    from downstream.dstream import tilted_algo

    draw = random.Random(seed)
    count = cells_along_a_side**2
    born = pd.DataFrame({"id": range(1, count + 1), "parent": 0})
    parents, generations = list(born["parent"]), [0] * count
    strata_of = [draw.getrandbits(64) for _ in range(count)]
    living = list(range(count))
    for _ in range(births_per_cell * count):
        place = draw.randrange(count)
        row, column = divmod(place, cells_along_a_side)
        down, right = draw.choice([(0, 1), (1, 0), (0, -1), (-1, 0)])
        parent = living[(row + down) % cells_along_a_side * cells_along_a_side + (column + right) % cells_along_a_side]
        births_before = generations[parent] + 1
        bit = 1 << 63 - tilted_algo.assign_storage_site(64, 64 + births_before)
        living[place] = len(parents)
        parents.append(parent + 1)
        generations.append(births_before)
        strata_of.append(strata_of[parent] & ~bit | bit * draw.getrandbits(1))
    cells = pd.DataFrame({"generations": [generations[cell] for cell in living],
                          "strata": [f"{strata_of[cell]:016x}" for cell in living]})  # fmt: skip
    ids = np.arange(1, len(parents) + 1)
    return tree_of(ids, parents, ids, np.array(living) + 1), cells


def test_the_tree_from_genomes_is_that_of_the_births():
    pytest.importorskip("hstrat", reason="pip install hstrat")
    errors = []
    for seed in range(3):
        complete, cells = neighbors_spread(15, 100, seed)
        errors.append(triplet_error(complete, strata.reconstruct(cells)))
    print(errors)
    assert np.median(errors) <= 0.05


@pytest.mark.long
def test_ten_thousand_cells_are_reconstructed_from_their_genomes():
    pytest.importorskip("hstrat", reason="pip install hstrat")
    errors = []
    for seed in range(3):
        complete, cells = neighbors_spread(100, 100, seed)
        errors.append(triplet_error(complete, strata.reconstruct(cells)))
    print(errors)
    assert np.median(errors) <= 0.05
