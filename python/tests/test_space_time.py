"""Space-time diagrams of message logs that are known by construction."""

import pandas as pd
import pytest
from written_experiments import write_experiment

from laxity import report
from laxity.columns import tables_of
from laxity.studies.best_effort.plots.space_time import MAX_MESSAGES, between_two
from laxity.studies.best_effort.study import BestEffortStudy

COLUMNS = tables_of("coloring")["messages"].names


def log(sender, receiver, count, begin=0, fate="shown", refused=0):
    """Messages every 100 ns that take 250 ns."""
    times = [begin + 100 * i for i in range(count)]
    return [(0, 0, sender, receiver, 0, i, t, t + 250, refused, fate) for i, t in enumerate(times)]


def table(*logs):
    return pd.DataFrame([row for rows in logs for row in rows], columns=COLUMNS)


def test_the_two_workers_with_most_messages_are_chosen_and_both_ways():
    shown = between_two(table(log(1, 3, 5), log(2, 1, 20), log(1, 2, 20), log(3, 0, 21)))
    assert len(shown) == 40
    assert set(zip(shown["from_worker"], shown["to_worker"], strict=True)) == {(1, 2), (2, 1)}


def test_what_is_shown_lies_where_both_logs_are_and_is_bounded():
    shown = between_two(table(log(0, 1, 1000), log(1, 0, 500, begin=90_000)))
    assert len(shown) == MAX_MESSAGES
    assert shown["sent_ns"].min() >= 90_000
    assert set(shown["from_worker"]) == {0, 1}
    assert shown["sent_ns"].is_monotonic_increasing


def test_one_direction_is_enough():
    assert len(between_two(table(log(4, 3, 7)))) == 7


@pytest.fixture
def logged(tmp_path):
    path = write_experiment(tmp_path / "threads-vs-processes", "threads-vs-processes", [{"shape": "2t"}], 1)
    rows = table(log(0, 1, 10), log(1, 0, 6, fate="overtaken", refused=2), log(1, 0, 2, begin=600, fate="unseen"))
    rows.to_csv(path / "messages.csv", index=False)
    return BestEffortStudy.open(path)


def test_the_report_has_the_diagram_and_says_what_it_shows(logged):
    html, plots = report.render([logged])
    (diagram,) = (plot for plot in plots if plot.name.startswith("space-time"))
    assert "Messages in space and time" in html
    assert "workers 0 (above) and 1 (below)" in diagram.caption
    said = diagram.caption.replace("\u202f", " ")  # thin spaces
    assert "50.0 % of 16 messages were shown, half of these within 250 ns; 12 more were refused" in said
    assert diagram.svg.count("<path") > 18
    assert "time, ns" in diagram.svg


def test_without_a_log_there_is_no_diagram(tmp_path):
    path = write_experiment(tmp_path / "threads-vs-processes", "threads-vs-processes", [{"shape": "2t"}], 1)
    html, plots = report.render([BestEffortStudy.open(path)])
    assert not [plot for plot in plots if plot.name.startswith("space-time")]
    assert "Messages in space and time" not in html
