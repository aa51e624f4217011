"""The colored torus before and after, with the edges in conflict marked.

The cells are a bitmap inside the SVG, one pixel per node, enlarged without interpolation; the marks are one path.

Elsewhere: the look (``style``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline
from numpy.typing import NDArray

from laxity.notation import number, percent, team_title
from laxity.plots.style import MUTED, WIDTH_INCHES, Plot, new_figure, to_svg
from laxity.studies.best_effort.modes import BEST_EFFORT, MODES
from laxity.studies.best_effort.study import BestEffortStudy

MAX_SIDE = 128
"""Nodes of a side that are shown; of a larger torus, the upper left corner."""

_CELL_COLORS = ("#f7e8ae", "#e49ba2", "#5b94c6", "#8cc7a1", "#b99bd3", "#c9b18b", "#9aa5b1", "#f2b880")
_MARK = "#14181d"
_CAPTION = 0.3  # inches


@dataclass(frozen=True)
class Picture:
    """Colors of a torus at one moment, shape (height, width)."""

    colors: NDArray[np.int64]

    def conflicts(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Tell for each node whether it has the color of its right and of its lower neighbor, around the torus.

        A side of length 1 has no edges, one of length 2 has each only once.
        """
        return self._along(1), self._along(0)

    def _along(self, side: int) -> NDArray[np.bool_]:
        same = self.colors == np.roll(self.colors, -1, axis=side)
        if self.colors.shape[side] <= 2:
            same[(slice(None),) * side + (slice(self.colors.shape[side] - 1, None),)] = False
        return same

    @property
    def edges(self) -> int:
        """Number of edges."""
        height, width = self.colors.shape
        return height * _edges_around(width) + width * _edges_around(height)


def _edges_around(length: int) -> int:
    return length if length > 2 else length - 1


def picture_of(rows: pd.DataFrame) -> Picture | None:
    """Make a picture of the rows of one run and moment; None where they do not fill a grid."""
    if rows.empty:
        return None
    width, height = int(rows["x"].max()) + 1, int(rows["y"].max()) + 1
    if width * height != len(rows) or rows.duplicated(["x", "y"]).any():
        return None
    colors = np.empty((height, width), dtype=np.int64)
    colors[rows["y"], rows["x"]] = rows["color"]
    return Picture(colors)


def pictures(studies: Sequence[BestEffortStudy]) -> list[Plot]:
    """Plot the torus before and after one run: of best effort if there is one, with the largest number of workers."""
    for study in studies:
        shown = study.runs[study.runs["run"].isin(study.picture["run"])]
        if shown.empty or study.configuration.get("topology", "torus") != "torus":
            continue
        best = shown["mode"] == BEST_EFFORT.number
        run = shown.assign(best=best).sort_values(["best", "workers"], ascending=False, kind="stable").iloc[0]
        of_run = study.picture[study.picture["run"] == run["run"]]
        plots = [_plot(when, picture_of(of_run[of_run["when"] == when]), run) for when in ("before", "after")]
        return [plot for plot in plots if plot is not None]
    return []


def _plot(when: str, picture: Picture | None, run: pd.Series) -> Plot | None:
    if picture is None:
        return None
    right, down = picture.conflicts()
    count = int(right.sum() + down.sum())
    shown = Picture(picture.colors[:MAX_SIDE, :MAX_SIDE])
    cropped = shown.colors.size < picture.colors.size
    caption = (
        f"Run {run['run']}: {MODES[run['mode']].title}, {team_title(run['shape'])}. A cell is a node, its color "
        "the node's color; a black bar joins two neighbors of the same color, also around the torus."
    )
    if cropped:
        caption += f" The upper left {shown.colors.shape[1]} × {shown.colors.shape[0]} nodes are shown."
    count_text = (
        f"{number(count)} of {number(picture.edges)} edges in conflict ({percent(count / max(picture.edges, 1))})"
    )
    svg = _draw(f"torus-{when}", shown, right[:MAX_SIDE, :MAX_SIDE], down[:MAX_SIDE, :MAX_SIDE], count_text)
    return Plot(f"torus-{when}", f"The torus {when}", caption, svg)


def _draw(name: str, picture: Picture, right: NDArray[np.bool_], down: NDArray[np.bool_], count_text: str) -> str:
    rows, columns = picture.colors.shape
    inner = WIDTH_INCHES * min(rows / columns, 1.5)
    height = inner + _CAPTION
    figure = new_figure(height)
    axes = figure.add_axes((0, _CAPTION / height, 1, inner / height))
    axes.set_axis_off()
    count = int(picture.colors.max()) + 1
    colormap = ListedColormap([_CELL_COLORS[color % len(_CELL_COLORS)] for color in range(max(count, 2))])
    axes.imshow(picture.colors, cmap=colormap, vmin=-0.5, vmax=max(count, 2) - 0.5, interpolation="none")
    cell_points = 72 * min(WIDTH_INCHES / columns, inner / rows)
    marks = Outline(*_bars(right, down))
    if len(marks.vertices):
        axes.add_patch(PathPatch(marks, fill=False, edgecolor=_MARK, linewidth=max(0.6, 0.22 * cell_points)))
    axes.set_xlim(-0.5, columns - 0.5)
    axes.set_ylim(rows - 0.5, -0.5)
    figure.text(0.5, 0.08 / height, count_text, ha="center", va="bottom", color=MUTED)
    return to_svg(figure, name)


def _bars(right: NDArray[np.bool_], down: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """Lines from node to node; one around the torus leaves the picture at one side and enters at the other."""
    y, x = np.nonzero(right)
    lines = [np.stack([x, y, x + 1, y], axis=1)]
    around = x == right.shape[1] - 1
    lines.append(np.stack([x[around] * 0 - 1, y[around], x[around] * 0, y[around]], axis=1))
    y, x = np.nonzero(down)
    lines.append(np.stack([x, y, x, y + 1], axis=1))
    around = y == down.shape[0] - 1
    lines.append(np.stack([x[around], y[around] * 0 - 1, x[around], y[around] * 0], axis=1))
    ends = np.concatenate(lines).astype(float).reshape(-1, 2)
    codes = np.tile([Outline.MOVETO, Outline.LINETO], len(ends) // 2).astype(np.uint8)
    return ends, codes
