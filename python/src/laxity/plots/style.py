"""How plots look, and how a figure becomes SVG: small, deterministic, the same in every report.

Text stays text, so that it can be searched, read aloud and take the reader's font. Colors are chosen for readers who
see few hues; a page may replace each by the CSS variable of its role (`inline`), which is another in the dark.

Elsewhere: what is drawn (``rows``, ``torus``), the variables' values in the dark (``report.css``).
"""

from __future__ import annotations

import html
import io
import re
from dataclasses import dataclass

import matplotlib as mpl
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

WIDTH_INCHES = 4.8
"""Of every plot: its text is readable when it fills a phone, and two fit side by side on a desk."""

INK, MUTED, GRID = "#1b2027", "#5a6470", "#dde2e7"
MODE_COLORS = ("#b5321f", "#b45f0a", "#857000", "#0f5fb0", "#68727d")
"""By mode: warm where workers wait for one another, blue for best effort, gray for the isolated reference."""

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
    "xtick.color": MUTED,
    "ytick.color": MUTED,
}


@dataclass(frozen=True)
class Plot:
    """A finished plot.

    Attributes
    ----------
    name : str
        Of its file, without the ending.
    title, caption : str
        Plain text; the caption tells how to read it.
    svg : str
        A whole SVG document.
    """

    name: str
    title: str
    caption: str
    svg: str


def new_figure(height_inches: float) -> Figure:
    """Make an empty figure of the common width, outside of pyplot's memory."""
    figure = Figure(figsize=(WIDTH_INCHES, height_inches))
    FigureCanvasSVG(figure)
    return figure


def style():
    """Give the context in which figures are made and written."""
    return mpl.rc_context(_SETTINGS)


def to_svg(figure: Figure, name: str) -> str:
    """Write a figure as an SVG document without dates, versions or ids that another plot of the page could have."""
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
    """Make a plot part of a page: no address in it, colors by role, a name for those who listen to it."""
    svg = plot.svg[plot.svg.index("<svg") :]
    svg = re.sub(r"\n <defs>\n  <style.*?</defs>", "", svg, count=1, flags=re.DOTALL)  # would hold for the whole page
    svg = re.sub(r' xmlns(:\w+)?="[^"]*"', "", svg).replace("xlink:href", "href")
    for color, role in _ROLES.items():
        svg = svg.replace(color, f"var(--{role})")
    svg = svg.replace(_FONT, "var(--font)")
    label = html.escape(f"{plot.title}. {plot.caption}", quote=True)
    return svg.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)
