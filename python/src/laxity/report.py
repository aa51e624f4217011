"""The report: one HTML file that stands alone, with plots as SVG inside it and as files beside it.

It needs no network and no script, follows the reader's light or dark theme, fits a phone and prints. Every text that
comes from a run directory is escaped.

Elsewhere: the sentences (``findings``), the plots (``plots``), the look (``report.css``), the page's parts (``page``).
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from laxity import page
from laxity.arrival_directory import ArrivalDirectory
from laxity.error import ReportError
from laxity.experiments import comparisons, effects, table_of
from laxity.model_directory import ModelDirectory
from laxity.plots import Plots, draw_all
from laxity.results import Results
from laxity.run_directory import RunDirectory
from laxity.simulation_directory import SimulationDirectory
from laxity.study import Study
from laxity.trace_directory import TraceDirectory
from laxity.treatments import qualities, treatments

LARGEST_BYTES = 5 << 20


def write(studies: Sequence[Study], output: str | Path | None = None) -> Path:
    """Write ``report.html``, the plots as files into ``plots/``, and the experiments' effects into ``effects.csv``.

    Parameters
    ----------
    studies : sequence of Study
        One or several; several are shown in one report, each for itself.
    output : str or Path, optional
        The HTML file. Without it, ``report.html`` in the run directory, or in the working directory for several.

    Returns
    -------
    Path
        The HTML file. Files that were there are replaced whole: a reader never sees half a report.

    Raises
    ------
    ReportError
        If there is no study, or a file cannot be written.
    """
    if not studies:
        raise ReportError("nothing to report; name a run directory, as in runs/first-light")
    if output is None:
        output = studies[0].path / "report.html" if len(studies) == 1 else Path("report.html")
    output = Path(output)
    html, plots, results = _made(studies)
    try:
        plots_directory = output.parent / "plots"
        plots_directory.mkdir(parents=True, exist_ok=True)
        for plot in plots:
            _replace(plots_directory / f"{plot.name}.svg", plot.svg)
        if results.effects:
            colorings = [study for study in studies if isinstance(study, RunDirectory)]
            _replace(output.parent / "effects.csv", table_of(colorings, results.effects).to_csv(index=False))
        _replace(output, html)
    except OSError as error:
        where = error.filename or output
        raise ReportError(f"{where}: cannot be written ({error.strerror}); name another place with --output") from None
    return output


def render(studies: Sequence[Study]) -> tuple[str, Plots]:
    """Make the report's page and plots in memory.

    Parameters
    ----------
    studies : sequence of Study
        One or several, not none.

    Returns
    -------
    html : str
        The whole page.
    plots : Plots
        What is drawn in it.

    Raises
    ------
    ReportError
        If the page is larger than `LARGEST_BYTES`.
    """
    html, plots, _ = _made(studies)
    return html, plots


def _made(studies: Sequence[Study]) -> tuple[str, Plots, Results]:
    colorings = [study for study in studies if isinstance(study, RunDirectory)]
    simulations = [study for study in studies if isinstance(study, SimulationDirectory)]
    compared = comparisons(colorings)
    results = Results(
        treatments=treatments(colorings),
        qualities=qualities(colorings),
        comparisons=compared,
        effects=effects(colorings, compared),
    )
    arrivals = [study for study in studies if isinstance(study, ArrivalDirectory)]
    models = [study for study in studies if isinstance(study, ModelDirectory)]
    traces = [study for study in studies if isinstance(study, TraceDirectory)]
    plots = draw_all(colorings, results, simulations, arrivals, models, traces)
    html = page.compose(studies, results, plots)
    if len(html.encode()) > LARGEST_BYTES:
        raise ReportError(
            f"the report would be larger than {LARGEST_BYTES >> 20} MiB; report fewer directories at once"
        )
    return html, plots, results


def _replace(path: Path, text: str) -> None:
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)  # mkstemp makes files that only their owner reads
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise
