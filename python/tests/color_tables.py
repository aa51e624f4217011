"""How far apart the colors of the modes are for readers who see fewer colors; the tables of ``docs/colors.md``.

Usage: ``python tests/color_tables.py [--fix]``, in the folder ``python``.

A color is seen as a person without one kind of cone sees it (Machado, Oliveira and Fernandes, A physiologically-based
model for simulation of color vision deficiency, 2009, severity 1), and two colors differ by CIEDE2000 (Sharma, Wu and
Dalal, The CIEDE2000 color-difference formula, 2005).
"""

from __future__ import annotations

import itertools
import re
import sys
from pathlib import Path

import numpy as np

from laxity.plots.style import MODE_COLORS
from laxity.studies.best_effort.modes import MODES

DOCUMENT = Path(__file__).parents[2] / "docs" / "colors.md"
STYLE_SHEET = Path(__file__).parents[1] / "src" / "laxity" / "templates" / "report.css"
VISIONS = {
    "all cones": np.eye(3),
    "protan": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deutan": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritan": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
_TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.119192, 0.9503041]]
)
_WHITE = np.array([0.95047, 1.0, 1.08883])
_PLACE = re.compile(r"(<!-- colors: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def linear(color: str) -> np.ndarray:
    """Linear light of a color such as #0f5fb0."""
    part = np.array([int(color[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def seen(color: str, vision: str) -> np.ndarray:
    """CIELAB coordinates of a color as a reader sees it."""
    xyz = _TO_XYZ @ np.clip(VISIONS[vision] @ linear(color), 0, 1) / _WHITE
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def difference(one: np.ndarray, other: np.ndarray) -> float:
    """CIEDE2000."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    chroma = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    gain = 1 + 0.5 * (1 - np.sqrt(chroma**7 / (chroma**7 + 25**7)))
    c1, c2 = np.hypot(gain * a1, b1), np.hypot(gain * a2, b2)
    h1, h2 = (np.degrees(np.arctan2(b, gain * a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    hue = (h1 + h2 if c1 * c2 == 0 else h1 + turn / 2) % 360
    lightness, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    cosines = np.cos(np.radians([hue - 30, 2 * hue, 3 * hue + 6, 4 * hue - 63]))
    weight = 1 + np.dot([-0.17, 0.24, 0.32, -0.20], cosines)
    of_l = (l2 - l1) / (1 + 0.015 * (lightness - 50) ** 2 / np.sqrt(20 + (lightness - 50) ** 2))
    of_c = (c2 - c1) / (1 + 0.045 * chroma)
    of_h = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2)) / (1 + 0.015 * chroma * weight)
    rotation = -2 * np.sqrt(chroma**7 / (chroma**7 + 25**7))
    rotation *= np.sin(np.radians(60 * np.exp(-(((hue - 275) / 25) ** 2))))
    return float(np.sqrt(of_l**2 + of_c**2 + of_h**2 + rotation * of_c * of_h))


def contrast(one: str, other: str) -> float:
    """Contrast ratio of the Web Content Accessibility Guidelines, 1 to 21."""
    dark, light = sorted(float(_TO_XYZ[1] @ linear(color)) for color in (one, other))
    return (light + 0.05) / (dark + 0.05)


def themes() -> dict[str, tuple[str, ...]]:
    """Colors of the modes by theme, as the style sheet has them, and the color of the cards behind them."""
    blocks = re.findall(r":root \{(.*?)\n\s*\}", STYLE_SHEET.read_text(), re.DOTALL)
    found = {}
    for name, block in zip(("light", "dark", "print"), blocks, strict=True):
        colors = dict(re.findall(r"--(mode-\d|card): (#\w+)", block))
        found[name] = tuple(_full(colors[key]) for key in (*(f"mode-{mode.number}" for mode in MODES), "card"))
    assert found["light"][:-1] == MODE_COLORS
    return found


def _full(color: str) -> str:
    return color if len(color) == 7 else "#" + "".join(2 * letter for letter in color[1:])


def colors_table(theme: str) -> str:
    """Differences of all pairs of modes by vision, the smallest last; a row for each pair."""
    *colors, card = themes()[theme]
    lines = ["| modes | " + " | ".join(VISIONS) + " |", "| --- |" + " --- |" * len(VISIONS)]
    rows = []
    for one, other in itertools.combinations(MODES, 2):
        rows.append([difference(*(seen(colors[m.number], vision) for m in (one, other))) for vision in VISIONS])
        lines.append(_row(f"{one.title}, {other.title}", rows[-1]))
    lines.append(_row("**smallest**", np.min(rows, axis=0)))
    contrasts = ", ".join(f"{mode.title} {contrast(colors[mode.number], card):.1f}" for mode in MODES)
    return "\n".join(lines) + f"\n\nContrast with the card behind: {contrasts}.\n"


def _row(title: str, differences) -> str:
    return f"| {title} | " + " | ".join(f"{each:.1f}" for each in differences) + " |"


def with_tables(document: str) -> str:
    """Write the tables of a document anew."""
    return _PLACE.sub(lambda match: match[1] + colors_table(match[2]) + match[3], document)


if __name__ == "__main__":
    text = DOCUMENT.read_text()
    new = with_tables(text)
    if "--fix" in sys.argv[1:]:
        DOCUMENT.write_text(new)
    elif new != text:
        sys.exit(f"{DOCUMENT}: its tables differ from the style sheet; run {Path(__file__).name} --fix")
