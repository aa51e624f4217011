import xml.etree.ElementTree as ET

import numpy as np
import pytest

from laxity.command_line import main
from laxity.studies.arrivals.pattern_file import ArrivalPattern, PatternError, read_pattern
from laxity.studies.arrivals.pattern_plot import draw

TEXT = """\
# laxity arrival pattern
# name: half_step
# processes: 4
# max_skew_s: 0.001
0
0
0.001
1e-3
"""


def test_a_pattern_is_read_with_its_name(tmp_path):
    path = tmp_path / "pattern.txt"
    path.write_text(TEXT)
    pattern = read_pattern(path)
    assert pattern.name == "half_step"
    np.testing.assert_array_equal(pattern.delays_s, [0, 0, 1e-3, 1e-3])


@pytest.mark.parametrize(("text", "place"), [("0\n-1\n", ":2:"), ("0\nnan\n", ":2:"), ("x\n", ":1:"), ("", "no line")])
def test_what_is_wrong_is_named_with_its_line(tmp_path, text, place):
    path = tmp_path / "pattern.txt"
    path.write_text(text)
    with pytest.raises(PatternError, match=place):
        read_pattern(path)


def test_every_pattern_has_a_panel_with_its_name():
    patterns = [ArrivalPattern(f"shape_{n}", np.linspace(0, 1e-4 * (n + 1), 5 + 40 * n)) for n in range(8)]
    plot = draw(patterns)
    shown = {
        "".join(element.itertext()) for element in ET.fromstring(plot.svg).iter("{http://www.w3.org/2000/svg}text")
    }
    assert {f"shape {n}" for n in range(8)} <= shown
    assert "delay (µs)" in shown
    assert plot.svg == draw(patterns).svg


def test_the_command_writes_a_picture_of_files(tmp_path, capsys):
    path = tmp_path / "pattern.txt"
    path.write_text(TEXT)
    assert main(["patterns", str(path), "--output", str(tmp_path / "all.svg")]) == 0
    assert "half step" in (tmp_path / "all.svg").read_text(encoding="utf-8")
    assert "all.svg" in capsys.readouterr().out
