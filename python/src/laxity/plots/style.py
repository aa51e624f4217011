"""The style of plots, and their output as SVG: small, deterministic, the same in every report.

Text stays text, so that it can be searched, read aloud and shown in the reader's font. A page may replace each color by
the CSS variable of its role (`inline`), which has another value in the dark.

Elsewhere: the variables' values in the dark (``templates/report.css``).
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import matplotlib as mpl
from markupsafe import escape
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

from laxity.notation import shortened

WIDTH_INCHES = 4.8
"""Width of a plot: readable on a phone, and two fit side by side on a desktop."""

NARROW_INCHES = 3.4
"""Width of a plot among several of the same kind (small multiples): three fit side by side on a desktop."""

INK, MUTED, GRID = "#1b2027", "#5a6470", "#dde2e7"
MODE_COLORS = ("#df1648", "#563014", "#606204", "#0f5fb0", "#6f7784")
"""By asynchronicity mode: warm where workers wait for one another, blue for best effort, gray for isolated workers.

Color-blind readers can tell them apart (``docs/colors.md``)."""

_ROLES = {INK: "ink", MUTED: "muted", GRID: "grid"} | {color: f"mode-{mode}" for mode, color in enumerate(MODE_COLORS)}
_FONT = "'DejaVu Sans', sans-serif"
_SETTINGS = {
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "svg.fonttype": "none",
    "svg.hashsalt": "laxity",
    "axes.edgecolor": GRID,
    "axes.labelcolor": MUTED,
    "text.color": INK,
    "text.parse_math": False,  # names come from the user, dollars included
    "xtick.color": MUTED,
    "ytick.color": MUTED,
}


@dataclass(frozen=True)
class Plot:
    """A finished plot.

    Attributes
    ----------
    name : str
        Name of its file, without the suffix.
    title, caption : str
        Plain text; the caption tells how to read it.
    svg : str
        A whole SVG document.
    """

    name: str
    title: str
    caption: str
    svg: str

    def _repr_html_(self) -> str:
        """Show the plot in a notebook, with its title and caption: in its own colors, on white."""
        title, caption = escape(self.title), escape(self.caption)
        content = base64.b64encode(self.svg.encode()).decode()
        image = f'<img src="data:image/svg+xml;base64,{content}" alt="{title}" style="background: white">'
        return f"<figure><h4>{title}</h4>{image}<figcaption>{caption}</figcaption></figure>"


@cache
def text_inches(text: str, *, bold: bool = False) -> float:
    """Width of a text in the font and size of labels."""
    font = FontProperties(family=_SETTINGS["font.family"], weight="bold" if bold else "normal")
    return TextPath((0, 0), text, size=_SETTINGS["font.size"], prop=font, usetex=False).get_extents().x1 / 72


def fitted(text: str, inches: float, *, bold: bool = False) -> str:
    """Shorten a text so that it is at most so wide."""
    length = len(text)
    while length > 1 and text_inches(shortened(text, length), bold=bold) > inches:
        length -= 1
    return shortened(text, length)


def new_figure(height_inches: float, width_inches: float = WIDTH_INCHES) -> Figure:
    """Make an empty figure that pyplot does not know."""
    figure = Figure(figsize=(width_inches, height_inches))
    FigureCanvasSVG(figure)
    return figure


def style():
    """Return the context in which figures are made and written."""
    return mpl.rc_context(_SETTINGS)


def panel(figure: Figure, box: tuple[float, float, float, float], grid: str = "both") -> Axes:
    """Add axes without ticks, with a faint grid and only the left and lower spine.

    Parameters
    ----------
    figure : Figure
        As `new_figure` makes it.
    box : tuple of float
        Left, bottom, width and height, in inches.
    grid : {"x", "y", "both"}
        Direction of the grid lines.
    """
    width, height = figure.get_size_inches()
    left, bottom, box_width, box_height = box
    axes = figure.add_axes((left / width, bottom / height, box_width / width, box_height / height))
    axes.grid(axis=grid, color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def name_colors(axes: Axes, names: Sequence[tuple[str, str]], step: float) -> None:
    """Write names in their colors above the axes, `step` of the width apart; in place of a legend."""
    for position, (name, color) in enumerate(names):
        axes.text(step * position, 1.03, name, transform=axes.transAxes, va="bottom", color=color, fontsize=8)


def to_svg(figure: Figure, name: str) -> str:
    """Write a figure as an SVG document without dates and versions; its ids begin with `name`."""
    buffer = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(buffer, format="svg", transparent=True, metadata=nothing)
    svg = re.sub(r"[ \t]+\n", "\n", buffer.getvalue())
    svg = re.sub(r"\n <metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"font: ([\d.]+px) [^;\"]*", rf"font: \1 {_FONT}", svg)
    svg = re.sub(r"font: (bold|700) ([\d.]+px) [^;\"]*", rf"font: 700 \2 {_FONT}", svg)
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', svg)
    svg = re.sub(r'href="#([^"]+)"', rf'href="#{name}-\1"', svg)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", svg)


def inline(plot: Plot) -> str:
    """Make a plot part of a page: no addresses, colors by role, a label for screen readers."""
    svg = plot.svg[plot.svg.index("<svg") :]
    svg = re.sub(r"\n <defs>\n  <style.*?</defs>", "", svg, count=1, flags=re.DOTALL)  # would hold for the whole page
    svg = re.sub(r' xmlns(:\w+)?="[^"]*"', "", svg).replace("xlink:href", "href")
    for color, role in _ROLES.items():
        svg = svg.replace(color, f"var(--{role})")
    svg = svg.replace(_FONT, "var(--font)")
    label = escape(f"{plot.title}. {plot.caption}")
    return svg.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)
