import re
from dataclasses import replace

import numpy as np
import pytest
from written_coloring import Study, write_study
from written_phold import Simulation, write_simulation

from laxity import layout, report, terminal
from laxity.error import RunDirectoryError
from laxity.evidence.verdicts import HOLDS, HOLDS_NOT
from laxity.studies.best_effort.study import BestEffortStudy
from laxity.studies.timewarp.study import TimewarpStudy
from laxity.studies.timewarp.time_series import MAX_MOMENTS, series_of, shown_run
from laxity.studies.timewarp.treatments import relative_rate, treatments, what_fits
from laxity.study import open_study


@pytest.fixture
def simulated(tmp_path):
    """Write a simulation with these fields and open it."""

    def write_and_open(**fields):
        path = tmp_path / f"simulation-{len(list(tmp_path.iterdir()))}"
        return TimewarpStudy.open(write_simulation(path, Simulation(**fields)))

    return write_and_open


def test_the_kind_of_a_directory_is_found_out(tmp_path):
    assert isinstance(open_study(write_simulation(tmp_path / "a")), TimewarpStudy)
    assert isinstance(open_study(write_study(tmp_path / "b")), BestEffortStudy)
    with pytest.raises(RunDirectoryError, match=r"kind 'phold', known here: 'coloring'"):
        BestEffortStudy.open(tmp_path / "a")
    (tmp_path / "a" / "manifest.json").write_text('{"format": 2, "kind": "knitting"}')
    with pytest.raises(RunDirectoryError, match="kind 'knitting'"):
        open_study(tmp_path / "a")
    with pytest.raises(RunDirectoryError, match="does not exist"):
        open_study(tmp_path / "d")


def test_a_damaged_cell_is_named(tmp_path):
    path = write_simulation(tmp_path / "a")
    text = (path / "runs.csv").read_text()
    (path / "runs.csv").write_text(text.replace(",0.95", ",1.95", 1))
    with pytest.raises(RunDirectoryError, match=r"runs.csv, line 2, column efficiency: '1.95"):
        open_study(path)


def test_series_have_the_true_rates(simulated):
    study = simulated(rate=2e6, rolled_back_share=0.2, replicates=1, moments=400)
    series = series_of(study, 0)
    assert [each.worker for each in series] == [0, 1]
    true_rate = study.runs["committed_per_second"][0] / 2
    for each in series:
        assert each.wall_time_s.size == MAX_MOMENTS
        np.testing.assert_allclose(each.committed_per_second, true_rate, rtol=1e-3)
        np.testing.assert_allclose(each.efficiency, 0.8, atol=1e-3)
        np.testing.assert_allclose(each.rollbacks_per_second, true_rate / 0.8 * 0.2 / 2, rtol=1e-2)
        assert each.gvt[-1] == 500


def test_a_worker_that_was_seen_once_has_no_series(simulated):
    assert series_of(simulated(moments=0), 0) == []


def test_an_interval_in_which_nothing_was_processed_is_fully_efficient(simulated):
    (idle,) = series_of(simulated(workers=1, rate=0.0, replicates=1), 0)
    assert (idle.efficiency == 1).all()
    assert (idle.committed_per_second == 0).all()


def test_the_first_run_that_ended_is_shown(simulated):
    study = simulated()
    runs = study.runs.copy()
    runs.loc[0, "status"] = "interrupted"
    shown = replace(study, tables=study.tables | {"runs": runs})
    assert shown_run(shown)["run"] == 1
    assert shown.rate().count == 2
    runs["status"] = "failed"
    assert shown_run(shown)["run"] == 0
    assert shown.rate() is None
    assert "No run ended." in shown.summary()


def test_what_was_simulated_is_said(simulated):
    said = simulated(replicates=1, rate=2.5e6).summary()
    assert "continuous shape until 500" in said
    assert "with 2 threads" in said
    assert "efficiency 95.0" in said
    assert "bootstrap" not in said
    assert "mean of 3 runs" in simulated().summary()


def test_what_to_be_careful_about_is_said(simulated):
    said = " ".join(simulated(status="interrupted", workers=4, team="4t", replicates=1).warnings())
    assert "did not end (status 'interrupted')" in said
    assert "Run 0 of two-threads did not end (interrupted)" in said
    assert "4 workers share 2 cores" in said
    assert simulated().warnings() == []


def test_the_report_has_plots_and_workers(simulated):
    html, plots = report.render([simulated()])
    assert [plot.name for plot in plots] == [
        "simulation-rate", "simulation-efficiency", "simulation-rollbacks", "simulation-gvt"
    ]  # fmt: skip
    assert ">Optimistic simulation</h2>" in html
    assert "Graph coloring" not in html
    assert re.findall(r"<tr><td[^>]*>(0|1|all)</td>", html) == ["0", "1", "all"]
    assert "00c0ffee00c0ffee" in html
    assert not re.search(r"(src|href)=\"(https?:)?//", html)


def test_a_simulation_and_a_coloring_make_one_report(simulated, opened, tmp_path):
    studies = [opened(), simulated(), simulated(name="other")]
    html, plots = report.render(studies)
    assert ">Speed and conflicts</h2>" in html
    assert ">Optimistic simulation</h2>" in html
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    assert "other: 2t, run 0" in next(plot.svg for plot in plots if plot.name == "simulation-rate")
    written = report.write(studies, tmp_path / "out" / "report.html")
    assert (written.parent / "plots" / "simulation-gvt.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize(
    "fields",
    [
        {"replicates": 0},
        {"workers": 1, "team": "sequential", "rolled_back_share": 0.0},
        {"workers": 16, "team": "16t"},
        {"rate": 0.0},
        {"moments": 0},
        {"moments": 1, "status": "interrupted"},
        {"name": "<b>&"},
    ],
)
def test_any_simulation_can_be_reported_and_tabled(simulated, fields):
    study = simulated(**fields)
    html, _ = report.render([study])
    assert "nan" not in re.sub(r"<[^>]*>", "", html)
    assert "<b>&" not in html
    assert all(len(line) <= layout.WIDTH for line in terminal.render([study]).splitlines())


def test_the_table_has_a_row_for_each_run(simulated, opened):
    text = terminal.render([simulated()])
    assert len(re.findall(r"^  \d 2t ", text, flags=re.MULTILINE)) == 3
    assert "M events/s" in text
    both = terminal.render([opened(**vars(Study(replicates=1))), simulated()])
    assert both.index("Graph coloring") < both.index("Optimistic simulation")


@pytest.fixture
def study(tmp_path):
    """A study of two queues, five and three replicates, the second twice as fast, and one run that failed."""
    slow = write_simulation(tmp_path / "slow", Simulation(figure="queues", queue="heap", replicates=5, rate=1e6))
    fast = write_simulation(tmp_path / "fast", Simulation(figure="queues", queue="bucket", replicates=4, rate=2e6))
    rows = (slow / "runs.csv").read_text()
    for number, line in enumerate((fast / "runs.csv").read_text().splitlines()[1:]):
        rows += f"{number + 5}{line[line.index(',') :]}\n"
    (slow / "runs.csv").write_text(rows[: rows.rindex("done")] + "failed\n")
    return TimewarpStudy.open(slow)


def test_treatments_are_compared_over_their_replicates(study):
    heap, bucket = treatments(study)
    assert (heap.label, heap.condition, heap.rate.count) == ("heap", "continuous, remote 0.1", 5)
    assert (bucket.label, bucket.rate.count, len(bucket.rates)) == ("bucket", 3, 3)
    assert bucket.rate.mean == pytest.approx(2 * heap.rate.mean, rel=0.05)
    assert heap.rate.low < heap.rate.mean < heap.rate.high
    assert heap.efficiency == pytest.approx(0.95, abs=1e-3)


def test_a_study_is_reported_by_figure(study, simulated):
    html, plots = report.render([study])
    assert [plot.name for plot in plots] == ["study-queues"]
    assert "8 runs, 2 treatments" in html
    assert "heap" in plots[0].svg
    assert re.findall(r"<tr><td[^>]*>(heap|bucket)</td><td[^>]*>(\d)</td>", html) == [("heap", "5"), ("bucket", "3")]
    together = report.render([study, simulated()])[1]
    assert [plot.name for plot in together][:2] == ["study-queues-0", "simulation-rate"]
    text = terminal.render([study])
    assert all(len(line) <= layout.WIDTH for line in text.splitlines())
    assert "queues, continuous, remote 0.1, bucket" in text


@pytest.fixture
def exchanges(tmp_path):
    """A study of exchanges: rings, a mutex in front of two queues as fast, a lock-free queue half as fast."""
    base = {"figure": "exchange", "replicates": 4}
    kinds = [("rings", 1, 2e6, 1), ("mutex", 2, 2e6, 1), ("lock-free", 1, 1e6, 2)]
    rows = []
    for name, queues, rate_of, seed in kinds:
        fields = {"exchange": name, "queues": queues, "rate": rate_of, "seed": seed}
        path = write_simulation(tmp_path / name, Simulation(**base, **fields))
        header, *written = (path / "runs.csv").read_text().splitlines()
        rows += written
    numbered = [f"{run}{row[row.index(',') :]}" for run, row in enumerate(rows)]
    (tmp_path / "rings" / "runs.csv").write_text("\n".join([header, *numbered]) + "\n")
    return TimewarpStudy.open(tmp_path / "rings")


def test_what_fits_which_model_is_said_only_where_the_replicates_can_tell(exchanges):
    rings, mutex, lock_free = treatments(exchanges)
    assert [each.label for each in (rings, mutex, lock_free)] == [
        f"{exchange} between 2 threads" for exchange in ("rings", "mutex × 2", "lock-free × 1")
    ]
    half = relative_rate(lock_free, rings)
    assert half.mean == pytest.approx(0.5, rel=0.05)
    assert half.count == 4
    (said,) = what_fits(exchanges)
    assert said.startswith("Exchange of events: ")
    said = said.replace(" between 2 threads", "")
    assert re.search("(rings or mutex × 2|mutex × 2 or rings) for continuous, remote 0.1", said)
    assert re.search(r"Slowest: lock-free × 1 \(continuous, remote 0.1\), with (49|50|51)\.\d", said)
    html, plots = report.render([exchanges])
    assert "What fits which model" in html
    assert [plot.name for plot in plots] == ["study-exchange"]
    assert "mutex" in terminal.render([exchanges])


def test_replicates_are_compared_by_number(exchanges):
    rings, _, lock_free = treatments(exchanges)
    alone = replace(lock_free, replicates=(7, 8, 9, 10))
    assert relative_rate(alone, rings) is None
    swapped = replace(lock_free, replicates=lock_free.replicates[::-1], rates=lock_free.rates[::-1])
    assert relative_rate(swapped, rings).mean == pytest.approx(relative_rate(lock_free, rings).mean)


def test_single_runs_say_nothing_about_what_fits(simulated):
    assert what_fits(simulated()) == []


def test_a_study_of_where_events_lie_names_both_choices(tmp_path):
    study = TimewarpStudy.open(write_simulation(tmp_path / "shared", Simulation(figure="events", events="shared")))
    (treatment,) = treatments(study)
    assert treatment.label == "shared, local"
    (said,) = what_fits(study)
    assert said.startswith("Events shared or copied between threads")


def test_a_directory_of_before_events_could_be_shared_has_copied_ones(tmp_path):
    path = write_simulation(tmp_path / "old", Simulation(figure="exchange"))
    table_file = path / "runs.csv"
    table_file.write_text(table_file.read_text().replace("events,memory,", "", 1).replace("copied,local,", ""))
    (treatment,) = treatments(TimewarpStudy.open(path))
    assert treatment.label == "rings between 2 threads"


def test_processes_that_attach_memory_are_told_from_those_that_do_not(tmp_path):
    def label_of(figure, exchange):
        path = tmp_path / f"{figure}-{exchange}"
        fields = {"figure": figure, "team": "2p", "exchange": exchange}
        (treatment,) = treatments(TimewarpStudy.open(write_simulation(path, Simulation(**fields))))
        return treatment.label

    assert label_of("exchange", "attach") == "attach between 2 processes"
    assert label_of("remote", "attach") == "2 processes with attach"
    assert label_of("remote", "rings") == "2 processes"


def test_the_papers_claims_are_weighed_by_pairs_of_replicates(tmp_path):
    figures = (("queues", {"queue": "ladder"}, 1.0e6), ("queues", {"queue": "three-tier-heap"}, 1.26e6))
    figures += (("exchange", {"exchange": "lock-free"}, 3e6), ("exchange", {"exchange": "mutex"}, 1e6))
    lines = []
    for place, (figure, fields, rate) in enumerate(figures):
        path = write_simulation(tmp_path / str(place), Simulation(figure=figure, rate=rate, replicates=5, **fields))
        for number, line in enumerate((path / "runs.csv").read_text().splitlines()[1:]):
            lines.append(f"{5 * place + number}{line[line.index(',') :]}")
    path = write_simulation(tmp_path / "all")
    header = (path / "runs.csv").read_text().splitlines()[0]
    (path / "runs.csv").write_text("\n".join([header, *lines]) + "\n")
    for table in ("workers.csv", "timewarp.csv"):
        (path / table).unlink()
    rows = {row.claim.key: row for row in TimewarpStudy.open(path).evidence()}
    assert set(rows) == {"rao-queues", "rao-event-time", "rao-lock-free"}
    assert rows["rao-queues"].verdict == HOLDS
    assert rows["rao-queues"].checks[0].size.value == pytest.approx(1.26, rel=0.03)
    assert rows["rao-event-time"].verdict == HOLDS
    assert rows["rao-lock-free"].verdict == HOLDS_NOT
