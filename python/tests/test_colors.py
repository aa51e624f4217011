"""Readers who see fewer colors can tell the modes apart, in every theme."""

import itertools

import color_tables
import numpy as np
import pytest

MIN_DIFFERENCE = 12
MIN_CONTRAST = 4.5  # of text, by the Web Content Accessibility Guidelines, level AA


@pytest.mark.parametrize("vision", color_tables.VISIONS)
@pytest.mark.parametrize("theme", ["light", "dark", "print"])
def test_any_two_modes_differ_for_every_reader(theme, vision):
    *colors, _ = color_tables.themes()[theme]
    for one, other in itertools.combinations(colors, 2):
        seen = (color_tables.seen(color, vision) for color in (one, other))
        assert color_tables.difference(*seen) >= MIN_DIFFERENCE, (one, other)


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
def test_colored_words_can_be_read(theme):
    *colors, card = color_tables.themes()[theme]
    assert min(color_tables.contrast(color, card) for color in colors) >= MIN_CONTRAST


def test_the_formula_gives_the_published_differences():
    """Three of the pairs of Sharma, Wu and Dalal, table 1."""
    for one, other, expected in (
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
    ):
        assert color_tables.difference(np.array(one), np.array(other)) == pytest.approx(expected, abs=1e-4)


def test_the_document_shows_what_the_formula_gives():
    text = color_tables.DOCUMENT.read_text()
    assert color_tables.with_tables(text) == text, f"run {color_tables.__file__} --fix"
