"""The tree of living cells from the 64 bits of hereditary stratigraphy in their genomes, by the package hstrat.

No record of births is needed, so nothing is lost where messages, workers or hosts are. The genome's bits are a surface
of the tilted algorithm whose first 65 strata are those of the first ancestor
(``workloads/evolution/genome/strata.hpp``).

Source: Moreno, Dolson and Ofria, Hereditary stratigraphy: genome annotations to enable phylogenetic inference over
distributed populations (ALIFE 2022).

Elsewhere: trees (``phylogeny``).
"""

from __future__ import annotations

import warnings
from importlib.util import find_spec

import pandas as pd

from laxity.error import LaxityError
from laxity.studies.evolution.phylogeny import Tree, tree_of

_FIRST_STRATA = 65
HOW_TO_INSTALL = "the package hstrat reconstructs the tree from the genomes: pip install 'laxity[phylogeny]'"


def is_installed() -> bool:
    """Whether there is the package hstrat."""
    return find_spec("hstrat") is not None


def reconstruct(cells: pd.DataFrame) -> Tree:
    """Estimate the tree of cells.

    Parameters
    ----------
    cells : pandas.DataFrame
        Columns ``strata``, 16 hexadecimal digits, and ``generations``, births since the first ancestor, as in
        ``world.csv``.

    Returns
    -------
    Tree
        Times are births since the first ancestor.

    Raises
    ------
    LaxityError
        If hstrat is not installed.
    """
    if not is_installed():
        raise LaxityError(HOW_TO_INSTALL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about packages that hstrat could use
        found = _build_tree(cells)
    parents = found["ancestor_id"].where(found["ancestor_id"] != found["id"], -1)
    nodes = found.set_index("taxon_label")["id"].loc[[str(taxon) for taxon in range(len(cells))]]
    births = found["origin_time"].clip(lower=0)  # strata of the first ancestor have negative numbers
    return tree_of(found["id"], parents, births, nodes)


def _build_tree(cells: pd.DataFrame) -> pd.DataFrame:
    from downstream.dstream import tilted_algo
    from hstrat import hstrat

    surfaces = [
        hstrat.surf_from_hex(
            f"{births + _FIRST_STRATA:016x}{strata}",
            tilted_algo,
            dstream_S=64,
            dstream_storage_bitwidth=64,
            dstream_T_bitwidth=64,
        )
        for births, strata in zip(cells["generations"], cells["strata"], strict=True)
    ]
    return hstrat.build_tree(
        surfaces,
        version_pin=hstrat.__version__,
        taxon_labels=[str(taxon) for taxon in range(len(surfaces))],
        force_common_ancestry=True,
    )
