"""Measured and predicted run times of each algorithm, a plot per case.

Source: Salimi Beni, Cosenza and Hunold, MPI collective algorithm selection in the presence of process arrival patterns,
figure 9.

Elsewhere: the figures (``study``), the look (``laxity.plots.style``).
"""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.ticker import MaxNLocator

from laxity.notation import time_unit
from laxity.plots.style import INK, MODE_COLORS, WIDTH_INCHES, Plot, fitted, name_colors, new_figure, panel, to_svg
from laxity.studies.fft.study import PREDICTORS, Case

_LEFT, _RIGHT, _TOP, _BOTTOM, _ROW = 1.25, 0.14, 0.3, 0.46, 0.3  # inches
_MARKS = dict(zip(PREDICTORS, (("D", MODE_COLORS[0]), ("o", MODE_COLORS[3]), ("^", MODE_COLORS[2])), strict=True))
_SHORT = {"no_delay_s": "without delay ◆", "robust_s": "mean of patterns ●", "traced_s": "nearest patterns ▲"}
_CAPTION = (
    "Line: 95 % interval of the measured run time; ticks: its runs. Marks: run times that were predicted from a traced "
    "run with the library's own choice, and from exchanges measured without delay, as the mean over all arrival "
    "patterns, and under the patterns nearest to the traced calls."
)


def draw(cases: Sequence[Case]) -> list[Plot]:
    """Plot every case."""
    return [_draw(f"fft-{number}", case) for number, case in enumerate(cases)]


def _draw(name: str, case: Case) -> Plot:
    rows = len(case.algorithms)
    height = _TOP + _BOTTOM + _ROW * rows
    figure = new_figure(height)
    axes = panel(figure, (_LEFT, _BOTTOM, WIDTH_INCHES - _LEFT - _RIGHT, _ROW * rows), grid="x")
    length, sign = time_unit(max(float(each.measured_s.max()) for each in case.algorithms) * 1e9)
    scale = 1e9 / length
    for row, each in enumerate(case.algorithms):
        measured = each.interval
        axes.plot(each.measured_s * scale, [row] * len(each.measured_s), "|", color=INK, alpha=0.45, markersize=6)
        if measured.known:
            axes.plot([measured.low / length, measured.high / length], [row, row], color=INK, linewidth=2.2)
        for column, (marker, color) in _MARKS.items():
            axes.plot([each.predicted_s[column] * scale], [row], marker, color=color, markersize=4.5, zorder=3)
    axes.set_ylim(rows - 0.5, -0.5)
    axes.set_yticks(range(rows), [fitted(each.name.replace("_", " "), _LEFT - 0.15) for each in case.algorithms])
    axes.set_xlabel(f"run time, {sign}", labelpad=2)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    name_colors(axes, [(_SHORT[column], color) for column, (_, color) in _MARKS.items()], 0.34)
    return Plot(name, f"Measured and predicted run times, {case.title}", _CAPTION, to_svg(figure, name))
