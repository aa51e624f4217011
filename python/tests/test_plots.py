import html
import re
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from laxity import report
from laxity.intervals import Interval
from laxity.plots import dot_plot, style
from laxity.plots.style import inline
from laxity.studies.best_effort.plots.torus import Picture, picture_of
from laxity.studies.best_effort.treatments import treatments

SVG = "{http://www.w3.org/2000/svg}"


def draw(*studies):
    return report.render(studies)[1]


def texts(plot):
    root = ET.fromstring(plot.svg)
    return ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]


@pytest.fixture(scope="module")
def plots(whole):
    return draw(whole)


def by_name(plots, name):
    return next(plot for plot in plots if plot.name == name)


def test_everything_there_is_to_show_is_shown(plots):
    assert [plot.name for plot in plots] == [
        "updates",
        "ratio",
        "conflicts",
        "torus-before",
        "torus-after",
        "simstep-period-ns",
        "simstep-latency-updates",
        "walltime-latency-ns",
        "delivery-failure-rate",
        "delivery-clumpiness",
        "one-way-latency-ns",
    ]


def test_no_label_is_clipped():
    """A label at the left ends at its place: it must not be longer than that."""
    labels = ("every update", "median walltime latency", "a label that is far too long for a plot of any width at all")
    interval = Interval(1_234_567.0, 1_200_000.0, 1_300_000.0, 5)
    rows = [dot_plot.Row(label, "#000000", [dot_plot.Dot(interval, ())]) for label in labels]
    axis = dot_plot.Axis("axis", "{:,.0f} µs".format, str)
    with style.style():
        for width in (style.WIDTH_INCHES, style.NARROW_INCHES):
            svg = dot_plot.draw("labels", [dot_plot.Block("a title " * 20, rows)], axis, width)
            shown = re.findall(r'text-anchor: end[^>]* x="([\d.]+)"[^>]*>([^<]+)<', svg)
            assert len(shown) == 2 * len(labels)
            assert "every update" in {text for _, text in shown}, "nothing is shortened that fits"
            for x, text in shown:
                assert style.text_inches(html.unescape(text)) <= float(x) / 72 + 0.02, text
            titles = re.findall(r">(a title [^<]*)<", svg)
            assert titles
            assert all(style.text_inches(text, bold=True) <= width for text in titles)


def test_every_plot_is_well_formed_small_and_labeled(plots):
    for plot in plots:
        assert len(plot.svg) < 100_000, plot.name
        assert texts(plot), f"{plot.name} keeps its text as text"
        assert plot.title
        assert plot.caption.endswith(".")


def test_rows_are_labeled_with_mode_and_group_and_mean(plots, whole):
    shown = texts(by_name(plots, "updates"))
    assert shown.count("best effort") == 4
    assert {"1 thread", "2 threads", "1 process", "2 processes", "updates per second and worker"} <= set(shown)
    rate = next(t.rate.mean for t in treatments([whole]) if t.group.shape == "2t" and t.mode.number == 3)
    assert f"{rate:,.0f}".replace(",", "\N{NARROW NO-BREAK SPACE}") in shown


def test_units_stand_on_the_axes(plots):
    assert "simstep period, µs" in texts(by_name(plots, "simstep-period-ns"))
    assert "simstep latency, updates" in texts(by_name(plots, "simstep-latency-updates"))


def test_the_same_study_gives_the_same_bytes(plots, whole):
    assert [plot.svg for plot in draw(whole)] == [plot.svg for plot in plots]


def test_no_two_plots_share_an_id(plots):
    ids = [identity for plot in plots for identity in re.findall(r'\bid="([^"]+)"', plot.svg)]
    assert len(ids) == len(set(ids))
    for plot in plots:
        own = set(re.findall(r'\bid="([^"]+)"', plot.svg))
        used = set(re.findall(r'href="#([^"]+)"', plot.svg)) | set(re.findall(r"url\(#([^)]+)\)", plot.svg))
        assert used <= own, plot.name


def test_a_plot_in_a_page_has_no_address_and_takes_the_page_s_colors(plots):
    for plot in plots:
        text = inline(plot)
        assert "http" not in text
        assert "<style" not in text
        assert text.startswith('<svg role="img" aria-label="')
        assert "var(--" in text
        assert not re.search(r"#1b2027|#df1648|#0f5fb0", text)


@pytest.mark.parametrize(
    "fields",
    [
        {"shapes": ("1t",)},
        {"shapes": ("2t",), "modes": (3,), "replicates": 1},
        {"shapes": ("2t",), "modes": (4,), "replicates": 2},
        {"shapes": tuple(f"{count}t" for count in range(1, 11)), "replicates": 2},
        {"shapes": ("2p2t",), "rate": 5e8},
        {"shapes": ("2t",), "rate": 0.0},
        {"shapes": ("2t",), "with_qos": False, "with_picture": False},
        {"replicates": 0},
    ],
)
@pytest.mark.filterwarnings("error")
def test_any_study_can_be_drawn(opened, fields):
    for plot in draw(opened(**fields)):
        ET.fromstring(plot.svg)


@pytest.mark.filterwarnings("error")
def test_rates_that_lie_far_apart_can_be_drawn(opened):
    study = opened(shapes=("2t",))
    study.runs.loc[study.runs["mode"] == 0, "updates_per_second_per_worker"] = 3.0
    study.qos.loc[study.qos.index[:5], ["simstep_latency_updates", "walltime_latency_ns"]] = [1e6, 1e12]
    for plot in draw(study):
        ET.fromstring(plot.svg)


def picture(rows):
    return Picture(np.array(rows))


def test_a_conflict_is_an_edge_whose_ends_show_one_color():
    right, down = picture([[0, 1, 2], [1, 1, 0], [2, 0, 1]]).conflicts()
    assert np.argwhere(right).tolist() == [[1, 0]]
    assert np.argwhere(down).tolist() == [[0, 1]]


def test_edges_lead_around_the_torus():
    right, down = picture([[0, 1, 0], [1, 2, 2], [0, 2, 1]]).conflicts()
    assert [0, 2] in np.argwhere(right).tolist()
    assert [2, 0] in np.argwhere(down).tolist()


def test_all_edges_of_one_color_are_in_conflict_and_counted_once():
    for shape, edges in (((4, 5), 40), ((2, 5), 15), ((2, 2), 4), ((1, 5), 5), ((1, 2), 1), ((1, 1), 0)):
        flat = Picture(np.zeros(shape, dtype=int))
        right, down = flat.conflicts()
        assert flat.edges == edges
        assert right.sum() + down.sum() == edges, shape


def test_the_picture_says_how_many_edges_are_in_conflict(plots):
    assert any(
        text.startswith("2 of 2\N{NARROW NO-BREAK SPACE}048 edges") for text in texts(by_name(plots, "torus-after"))
    )


def test_rows_that_are_no_whole_grid_are_no_picture():
    whole = pd.DataFrame({"x": [0, 1, 0, 1], "y": [0, 0, 1, 1], "color": [0, 1, 1, 0]})
    assert picture_of(whole).colors.tolist() == [[0, 1], [1, 0]]
    assert picture_of(whole.iloc[:3]) is None
    assert picture_of(pd.concat([whole.iloc[:3], whole.iloc[:1]])) is None
    assert picture_of(whole.iloc[:0]) is None
    assert picture_of(whole.assign(x=[0, 2**40, 0, 1])) is None


def test_a_mesh_that_is_no_torus_has_no_picture(opened):
    study = opened(manifest={"configuration": {"topology": "graph.metis"}})
    assert not [plot for plot in draw(study) if plot.name.startswith("torus")]


def test_of_a_large_torus_a_corner_is_shown(opened):
    study = opened(shapes=("2t",), modes=(3,), replicates=1)
    side = 200
    y, x = np.indices((side, side)).reshape(2, -1)
    for_both = [
        pd.DataFrame({"run": 0, "when": when, "node": np.arange(side**2), "x": x, "y": y, "color": (x * y) % 3})
        for when in ("before", "after")
    ]
    study.tables["picture"] = pd.concat(for_both, ignore_index=True)
    before = by_name(draw(study), "torus-before")
    assert "upper left 128 × 128 nodes" in before.caption
    assert len(before.svg) < 1_000_000
