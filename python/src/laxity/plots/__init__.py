"""The plots of a report: SVG by matplotlib, which is loaded with this package and by nothing else.

Elsewhere: what each shows (``comparisons``, ``quality``, ``torus``, ``timewarp``), how rows are drawn (``rows``),
the look (``style``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from laxity.plots import quality, timewarp, torus
from laxity.plots.comparisons import conflicts, rates, ratios
from laxity.plots.style import Plot, inline, style
from laxity.run_directory import RunDirectory
from laxity.simulation_directory import SimulationDirectory
from laxity.treatments import Quality, Treatment

__all__ = ["Plot", "Plots", "draw_all", "inline"]


@dataclass(frozen=True)
class Plots:
    """All plots of one report, by the section they belong to."""

    comparison: Sequence[Plot]
    mesh: Sequence[Plot]
    messages: Sequence[Plot]
    simulation: Sequence[Plot] = ()

    def __iter__(self):
        yield from (*self.comparison, *self.mesh, *self.messages, *self.simulation)


def draw_all(
    studies: Sequence[RunDirectory],
    treatments: Sequence[Treatment],
    qualities: Sequence[Quality],
    simulations: Sequence[SimulationDirectory] = (),
) -> Plots:
    """Draw what there is to show; the same input gives the same bytes.

    Parameters
    ----------
    studies, treatments, qualities : sequence of RunDirectory, of Treatment, of Quality
        Of one report; any may be empty.
    simulations : sequence of SimulationDirectory
        Of the same report.
    """
    with style():
        compared = [draw(treatments) for draw in (rates, ratios, conflicts)] if treatments else []
        return Plots(
            comparison=[plot for plot in compared if plot is not None],
            mesh=torus.pictures(studies),
            messages=quality.metric_plots(qualities),
            simulation=[*timewarp.figures(simulations), *timewarp.courses(simulations)],
        )
