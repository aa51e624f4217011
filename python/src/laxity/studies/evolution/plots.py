"""Plots of worlds: populations over time, the account of resource, pictures of the cells, and their tree of descent.

Colors of lines are those of the modes. The color of a kin group in a picture is a function of its id, so that it stays
with the group from picture to picture.

Elsewhere: animations (``animation``), trees (``tree_plot``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.colors import hsv_to_rgb
from matplotlib.ticker import FuncFormatter, MaxNLocator

from laxity.notation import capital, number, percent
from laxity.plots.style import MODE_COLORS, WIDTH_INCHES, Plot, name_colors, new_figure, panel, to_svg
from laxity.studies.evolution import strata
from laxity.studies.evolution.animation import animations
from laxity.studies.evolution.phylogeny import triplet_error
from laxity.studies.evolution.study import EvolutionStudy
from laxity.studies.evolution.tree_plot import draw_tree
from laxity.study import study_titles

_HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 2.5, 0.86, 0.14, 0.3, 0.46  # inches
_MAX_LEAVES = 300  # of a tree


@dataclass(frozen=True)
class _Quantity:
    column: str
    title: str
    axis: str
    caption: str


_OVER_TIME = (
    _Quantity("living", "Population over time", "living cells", "All workers together."),
    _Quantity("births", "Births over time", "births since the beginning", "Offspring that found a place to live."),
    _Quantity(
        "group_size_0",
        "Sizes of kin groups over time",
        "cells of an inner group",
        "Mean over cells, as they estimate it: 12 cells read as 11.0 on average, 24 as 20.1, 36 as 27.7.",
    ),
    _Quantity("program_length", "Lengths of programs over time", "instructions", "Mean over living cells."),
    _Quantity("generations", "Generations over time", "births since the first ancestor", "Mean over living cells."),
    _Quantity("stockpile", "Resource per cell over time", "stockpile", "Mean over living cells."),
)
_TERMS = (
    ("start", 1), ("base_harvest", 1), ("group_harvest", 1), ("apoptosis", 1), ("decay", -1), ("group_size", -1),
    ("diversity", -1), ("spawn", -1), ("defense", -1), ("lost", -1), ("receipt_decay", -1),
    ("stock", -1), ("on its way", -1),
)  # fmt: skip


def draw(studies: Sequence[EvolutionStudy]) -> list[Plot]:
    """Draw every plot of every study that has an ended run."""
    plots: list[Plot] = []
    for index, (name, study) in enumerate(zip(study_titles(studies), studies, strict=True)):
        if study.ended_runs().empty:
            continue
        suffix = f", {name}" if len(studies) > 1 else ""
        for quantity in _OVER_TIME:
            file = f"world-{quantity.column.replace('_', '-')}-{index}"
            svg = _over_time(file, quantity, study)
            plots.append(Plot(file, quantity.title + suffix, f"{quantity.caption} A line per run.", svg))
        plots += [_account(study, suffix, index), *_pictures(study, suffix, index)]
        plots += [*animations(study.pictures, suffix, index), *_trees(study, suffix, index)]
    return plots


def _over_time(name: str, quantity: _Quantity, study: EvolutionStudy) -> str:
    figure = new_figure(_HEIGHT)
    axes = panel(figure, (_LEFT, _BOTTOM, WIDTH_INCHES - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM))
    modes = {}
    for run in study.ended_runs().itertuples():
        totals = study.totals(run.run)
        axes.plot(totals["update"], totals[quantity.column], color=MODE_COLORS[run.mode], linewidth=1.0)
        modes[run.mode] = f"mode {run.mode}"
    name_colors(axes, [(text, MODE_COLORS[mode]) for mode, text in sorted(modes.items())], 0.18)
    axes.set_xlabel("updates", labelpad=2)
    axes.set_ylabel(quantity.axis)
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    _few_ticks(axes)
    return to_svg(figure, name)


def _few_ticks(axes) -> None:
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(5))
        axis.set_major_formatter(FuncFormatter(lambda value, _: number(value, 3) if value else "0"))


def _account(study: EvolutionStudy, suffix: str, index: int) -> Plot:
    run = study.ended_runs().iloc[-1]
    account = study.account(run["run"])
    name = f"world-resource-{index}"
    height = 0.2 * len(_TERMS) + _TOP + _BOTTOM
    figure = new_figure(height)
    axes = panel(figure, (1.1, _BOTTOM, WIDTH_INCHES - 1.1 - _RIGHT, height - _TOP - _BOTTOM), "x")
    places = np.arange(len(_TERMS))[::-1]
    colors = [MODE_COLORS[3] if sign > 0 else MODE_COLORS[0] for _, sign in _TERMS]
    axes.barh(places, [account[term] for term, _ in _TERMS], color=colors, height=0.7)
    axes.set_yticks(places, [term.replace("_", " ") for term, _ in _TERMS])
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value, 3) if value else "0"))
    axes.set_xlabel("resource", labelpad=2)
    name_colors(axes, [("where it came from", MODE_COLORS[3]), ("where it is now", MODE_COLORS[0])], 0.4)
    caption = f"Run {run['run']}, all workers: both sides have the same sum."
    return Plot(name, "Where resource comes from and goes" + suffix, caption, to_svg(figure, name))


def _pictures(study: EvolutionStudy, suffix: str, index: int) -> list[Plot]:
    cells = study.world
    if cells.empty:
        return []
    run = study.runs.set_index("run").loc[cells["run"].iloc[0]]
    shape = (int(run["height"]), int(run["width"]))
    pictures = [
        ("kin-groups", "Kin groups", "A color per outer group, darker and lighter for its inner groups.", _kin(cells)),
        ("stockpiles", "Resource of cells", "Brighter cells have more.", _shades(cells["stockpile"])),
        ("ages", "Ages of cells", "Brighter cells are older.", _shades(cells["age"])),
        ("lineages", "Lineages", "A color per first ancestor.", _hues(cells["lineage"], 0.8)),
    ]
    plots = []
    for file, title, caption, colors in pictures:
        name = f"world-{file}-{index}"
        image = np.ones((*shape, 3))
        image[cells["y"], cells["x"]] = colors
        height = WIDTH_INCHES * shape[0] / shape[1]
        figure = new_figure(height)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.imshow(image, interpolation="none", aspect="auto")
        axes.set_axis_off()
        plots.append(
            Plot(name, title + suffix, f"The world at the end of run {run.name}. {caption}", to_svg(figure, name))
        )
    return plots


def _trees(study: EvolutionStudy, suffix: str, index: int) -> list[Plot]:
    cells = study.world[study.world["generations"] > 0]
    if cells.empty:
        return []
    shown = cells.sample(min(len(cells), _MAX_LEAVES), random_state=1).reset_index(drop=True)
    colors = _hues(shown["lineage"], 0.7)
    of_cells = (
        f"{len(shown)} of {len(cells)} cells that were born in the run and lived at its end; a color per lineage."
    )
    complete = study.tree(shown)
    estimated = strata.reconstruct(shown) if strata.is_installed() else None
    plots = []
    if complete is not None:
        name = f"world-phylogeny-{index}"
        how = "" if estimated is not None else f" {capital(strata.HOW_TO_INSTALL)}."
        svg = draw_tree(name, complete, "update of the birth", colors)
        plots.append(Plot(name, "Phylogeny" + suffix, f"From the record of all births: {of_cells}{how}", svg))
    if estimated is not None:
        name = f"world-reconstruction-{index}"
        error = ""
        if complete is not None:
            wrong = percent(triplet_error(complete, estimated))
            error = f" Of random triplets that the recorded phylogeny resolves, {wrong} are grouped otherwise."
        svg = draw_tree(name, estimated, "births since the first ancestor", colors)
        caption = f"From 64 bits in each genome, by the package hstrat: {of_cells}{error}"
        plots.append(Plot(name, "Phylogeny, reconstructed" + suffix, caption, svg))
    return plots


def _fraction(ids: pd.Series) -> np.ndarray:
    """Map hexadecimal ids to [0, 1)."""
    return np.array([int(text[:8], 16) for text in ids]) / 2**32


def _hues(ids: pd.Series, value: float | np.ndarray) -> np.ndarray:
    hue = _fraction(ids)
    return hsv_to_rgb(np.column_stack([hue, np.full(len(hue), 0.7), np.broadcast_to(value, len(hue))]))


def _kin(cells: pd.DataFrame) -> np.ndarray:
    return _hues(cells["kin_1"], 0.45 + 0.5 * _fraction(cells["kin_0"]))


def _shades(values: pd.Series) -> np.ndarray:
    highest = max(float(values.max()), 1e-9)
    return mpl.colormaps["viridis"](values.to_numpy(dtype=float) / highest)[:, :3]
