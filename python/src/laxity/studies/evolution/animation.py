"""Animations of worlds, which play in a report without a script.

The pictures of a world stand below each other in one image with a palette, and the animation of SVG shows one after the
other. A color is a function of the id of a group or lineage alone, so that it stays with it from picture to picture.

Source: SMIL animation in SVG 1.1, chapter 19.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.colors import hsv_to_rgb
from numpy.typing import NDArray
from PIL import Image

from laxity.plots.style import INK, Plot

_SECONDS = 0.3  # per picture
_WIDTH = 480  # of the drawing, in its own unit
_LABEL = 26
_HUES, _SHADES = 36, 7  # of kin groups
_COLORS = 255  # 0 is transparent: nobody lives there


def animations(pictures: pd.DataFrame, suffix: str, index: int) -> list[Plot]:
    """Animate the pictures of a study, if it has any.

    Parameters
    ----------
    pictures : pandas.DataFrame
        The table ``pictures``.
    suffix : str
        Follows the titles.
    index : int
        Of the study among those of a report.
    """
    if pictures.empty:
        return []
    step = max(int(np.gcd.reduce(pictures[["x", "y"]].to_numpy().ravel())), 1)
    x, y = pictures["x"].to_numpy() // step, pictures["y"].to_numpy() // step
    updates, frame = np.unique(pictures["update"], return_inverse=True)
    shape = (len(updates), int(y.max()) + 1, int(x.max()) + 1)
    when = f"{len(updates)} pictures of run {pictures['run'].iloc[0]}."
    plots = []
    for file, title, caption, palette, index_of in _KINDS:
        sheet = np.zeros(shape, dtype=np.uint8)
        sheet[frame, y, x] = index_of(pictures)
        name = f"world-animation-{file}-{index}"
        plots.append(Plot(name, title + suffix, f"{when} {caption}", _svg(sheet, palette(), updates)))
    return plots


def _svg(sheet: NDArray[np.uint8], palette: NDArray[np.uint8], updates: NDArray[np.int64]) -> str:
    count, rows, columns = sheet.shape
    height = _WIDTH * rows / columns
    image = base64.b64encode(_png(sheet.reshape(-1, columns), palette)).decode()

    def movement(distance: float) -> str:
        values = ";".join(f"0 {-distance * place:g}" for place in range(count))
        return (
            '<animateTransform attributeName="transform" type="translate" calcMode="discrete" '
            f'values="{values}" dur="{count * _SECONDS:g}s" repeatCount="indefinite"/>'
        )

    labels = "".join(
        f'<text x="0" y="{_LABEL * place + 19}" style="fill: {INK}; font-size: 15px">update {update}</text>'
        for place, update in enumerate(updates)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height + _LABEL:g}">'
        f'<svg width="{_WIDTH}" height="{height:g}" viewBox="0 0 {columns} {rows}" overflow="hidden"><g>'
        f'<image width="{columns}" height="{rows * count}" preserveAspectRatio="none" '
        f'style="image-rendering: pixelated" href="data:image/png;base64,{image}"/>{movement(rows)}</g></svg>'
        f'<svg y="{height:g}" width="{_WIDTH}" height="{_LABEL}" overflow="hidden"><g>{labels}{movement(_LABEL)}</g>'
        "</svg></svg>"
    )


def _png(pixels: NDArray[np.uint8], palette: NDArray[np.uint8]) -> bytes:
    image = Image.fromarray(pixels, mode="P")
    image.putpalette(palette.tobytes())
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True, transparency=0)
    return file.getvalue()


def _scaled(ids: pd.Series, levels: int) -> NDArray[np.int64]:
    """Map ids, 8 hexadecimal digits, to 0 .. levels - 1."""
    return np.array([int(text, 16) * levels >> 32 for text in ids], dtype=np.int64)


def _kin(pictures: pd.DataFrame) -> NDArray[np.int64]:
    return 1 + _scaled(pictures["kin_1"], _HUES) * _SHADES + _scaled(pictures["kin_0"], _SHADES)


def _kin_palette() -> NDArray[np.uint8]:
    hue, shade = np.divmod(np.arange(_HUES * _SHADES), _SHADES)
    return _palette(hsv_to_rgb(np.column_stack([hue / _HUES, np.full(hue.shape, 0.7), 0.45 + 0.5 * shade / _SHADES])))


def _lineages(pictures: pd.DataFrame) -> NDArray[np.int64]:
    return 1 + _scaled(pictures["lineage"], _COLORS)


def _hue_palette() -> NDArray[np.uint8]:
    hue = np.arange(_COLORS) / _COLORS
    return _palette(hsv_to_rgb(np.column_stack([hue, np.full(_COLORS, 0.7), np.full(_COLORS, 0.8)])))


def _brightness(column: str) -> Callable[[pd.DataFrame], NDArray[np.int64]]:
    def index_of(pictures: pd.DataFrame) -> NDArray[np.int64]:
        values = pictures[column].to_numpy(dtype=float)
        highest = max(np.quantile(values, 0.99), 1e-9)
        return 1 + (np.minimum(values / highest, 1) * (_COLORS - 1)).astype(np.int64)

    return index_of


def _viridis() -> NDArray[np.uint8]:
    return _palette(mpl.colormaps["viridis"](np.linspace(0, 1, _COLORS))[:, :3])


def _palette(colors: NDArray[np.float64]) -> NDArray[np.uint8]:
    return np.vstack([np.zeros((1, 3)), np.round(255 * colors)]).astype(np.uint8)


_KINDS = (
    (
        "kin-groups",
        "Kin groups over time",
        "A color per outer group, darker and lighter for its inner groups; it stays with the group. There are more "
        "groups than colors, so two may share one.",
        _kin_palette,
        _kin,
    ),
    ("stockpiles", "Resource over time", "Brighter cells have more.", _viridis, _brightness("stockpile")),
    ("ages", "Ages over time", "Brighter cells are older.", _viridis, _brightness("age")),
    (
        "lineages",
        "Lineages over time",
        "A color per first ancestor, which stays with its descendants.",
        _hue_palette,
        _lineages,
    ),
)
