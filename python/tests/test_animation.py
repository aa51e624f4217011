"""Animations of worlds: what is in the image, and that it plays without a script."""

import base64
import io
import re
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
from PIL import Image

from laxity.plots.style import inline
from laxity.studies.evolution.animation import animations


def pictures(updates, side, step=1, seed=1):
    """Draw a world whose cells move one column to the right from picture to picture; in one place nobody lives."""
    random = np.random.default_rng(seed)
    groups = [f"{group:08x}" for group in random.integers(2**32, size=side)]
    return pd.DataFrame(
        {
            "run": 3, "update": 16 * update, "x": step * ((x + update) % side), "y": step * y,
            "lineage": groups[x], "kin_0": groups[x], "kin_1": groups[x], "stockpile": float(x), "age": 16 * update,
        }
        for update in range(updates) for y in range(side) for x in range(side) if (x, y) != (0, 0)
    )  # fmt: skip


def sheet_of(plot):
    data = base64.b64decode(re.search(r"data:image/png;base64,([^\"]+)", plot.svg)[1])
    return np.array(Image.open(io.BytesIO(data))), len(data)


def test_a_world_without_pictures_has_no_animation():
    assert animations(pictures(1, 3).iloc[:0], "", 0) == []


def test_every_picture_is_in_the_image_and_colors_stay_with_their_groups():
    for step in (1, 3):
        for plot in animations(pictures(5, 8, step), "", 0):
            sheet, _ = sheet_of(plot)
            frames = sheet.reshape(5, 8, 8)
            if "-ages-" in plot.name:
                assert len({tuple(np.unique(frame)) for frame in frames}) == 5
                continue
            for update, frame in enumerate(frames):
                assert (frame == np.roll(frames[0], update, axis=1)).all(), plot.name
            assert frames[0][0, 0] == 0
            assert (frames[0] == 0).sum() == 1


def test_the_pictures_follow_one_another_with_their_updates():
    plot = animations(pictures(4, 6), "", 0)[0]
    assert re.findall(r">update (\d+)<", plot.svg) == ["0", "16", "32", "48"]
    moves = re.findall(r'values="([^"]+)" dur="1.2s" repeatCount="indefinite"', plot.svg)
    assert moves == ["0 0;0 -6;0 -12;0 -18", "0 0;0 -26;0 -52;0 -78"]
    assert "4 pictures of run 3" in plot.caption


def test_an_animation_is_a_small_document_without_addresses():
    for plot in animations(pictures(24, 100), "", 0):
        ET.fromstring(plot.svg)
        assert "http" not in inline(plot)
        assert "script" not in plot.svg
        assert sheet_of(plot)[1] < 300_000
