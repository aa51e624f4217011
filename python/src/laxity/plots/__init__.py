"""The plots of a report: SVG by matplotlib, which is loaded with this package and by nothing else.

Elsewhere: what each shows (``comparisons``, ``quality``, ``torus``, ``spacetime``, ``timewarp``, ``arrivals``,
``models``, ``traces``), how rows are drawn (``rows``), the look (``style``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from laxity.arrival_directory import ArrivalDirectory
from laxity.model_directory import ModelDirectory
from laxity.plots import arrivals as arrival_plots
from laxity.plots import models as model_plots
from laxity.plots import quality, spacetime, timewarp, torus
from laxity.plots import traces as trace_plots
from laxity.plots.comparisons import conflicts, rates, ratios
from laxity.plots.experiments import experiment_plots
from laxity.plots.style import Plot, inline, style
from laxity.results import Results
from laxity.run_directory import RunDirectory
from laxity.simulation_directory import SimulationDirectory
from laxity.trace_directory import TraceDirectory

__all__ = ["Plot", "Plots", "draw_all", "inline"]


@dataclass(frozen=True)
class Plots:
    """All plots of one report, by the section they belong to."""

    comparison: Sequence[Plot]
    mesh: Sequence[Plot]
    messages: Sequence[Plot]
    diagrams: Sequence[Plot] = ()
    simulation: Sequence[Plot] = ()
    experiments: Mapping[int, Sequence[Plot]] = field(default_factory=dict)  # by position of the study
    arrivals: Sequence[Plot] = ()
    models: Sequence[Plot] = ()
    traces: Sequence[Plot] = ()

    def __iter__(self):
        yield from (*self.comparison, *self.mesh, *self.messages, *self.diagrams)
        yield from (*self.simulation, *self.arrivals, *self.models, *self.traces)
        for of_study in self.experiments.values():
            yield from of_study


def draw_all(
    studies: Sequence[RunDirectory],
    results: Results,
    simulations: Sequence[SimulationDirectory] = (),
    arrivals: Sequence[ArrivalDirectory] = (),
    models: Sequence[ModelDirectory] = (),
    traces: Sequence[TraceDirectory] = (),
) -> Plots:
    """Draw what there is to show; the same input gives the same bytes.

    Parameters
    ----------
    studies : sequence of RunDirectory
        Of one report; may be empty.
    results : Results
        What was made of them.
    simulations : sequence of SimulationDirectory
        Of the same report.
    arrivals : sequence of ArrivalDirectory
        Of the same report.
    models : sequence of ModelDirectory
        Of the same report.
    traces : sequence of TraceDirectory
        Of the same report.
    """
    by_mode = results.of_modes(studies)
    with style():
        compared = [draw(by_mode.treatments) for draw in (rates, ratios, conflicts)] if by_mode.treatments else []
        return Plots(
            comparison=[plot for plot in compared if plot is not None],
            mesh=torus.pictures(studies),
            messages=quality.metric_plots(by_mode.qualities),
            diagrams=spacetime.diagrams(studies),
            simulation=[*timewarp.figures(simulations), *timewarp.courses(simulations)],
            experiments=experiment_plots(studies, results.comparisons, results.effects),
            arrivals=arrival_plots.heat_maps(arrivals),
            models=model_plots.comparisons(models),
            traces=trace_plots.draw(traces),
        )
