"""The part of the report's page that holds simulations against theory.

Elsewhere: the whole page (``page``), the plots (``plots.models``), what was simulated (``model_directory``).
"""

from __future__ import annotations

from collections.abc import Sequence

from laxity.markup import figures, section, side_by_side
from laxity.plots import Plot


def model_section(plots: Sequence[Plot]) -> str:
    """Make the section; nothing where nothing was compared."""
    lead = "Models whose answer is known: dots are simulated, the line is theory."
    return section("Simulation and theory", lead, side_by_side(figures(plots)))
