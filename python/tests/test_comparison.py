"""Two studies side by side, and studies in other formats."""

import json
import re
import sys

import numpy as np
import pandas as pd
import pytest
from written import write_directory
from written_coloring import Study, write_study

from laxity.command_line import main
from laxity.comparison import BETTER, SAME, UNKNOWN, WORSE, compare, render
from laxity.error import LaxityError
from laxity.export import export, observations
from laxity.intervals import ratio_interval
from laxity.studies.best_effort.study import BestEffortStudy
from laxity.study import open_study


def verdicts(ratios):
    return {ratio.verdict for ratio in ratios}


def test_a_study_does_not_differ_from_itself(opened):
    study = opened()
    ratios = compare(study, study, quality=True)
    assert verdicts(ratios) <= {SAME, UNKNOWN}  # unknown where nothing was refused, so that there is no ratio
    assert all(ratio.ratio.mean == pytest.approx(1) for ratio in ratios if ratio.ratio)


def test_what_is_slower_is_worse_and_what_is_faster_is_better(opened):
    before, after = opened(seed=1), opened(seed=2, rate=8_000.0)
    assert verdicts(compare(before, after)) == {WORSE}
    assert verdicts(compare(after, before)) == {BETTER}
    ratio = compare(before, after)[0].ratio
    assert ratio.low < 8_000 / 11_700 < ratio.high


def test_a_small_difference_is_within_the_tolerance(opened):
    before, after = opened(seed=1), opened(seed=2, rate=11_500.0)
    assert verdicts(compare(before, after, tolerance=0.2)) == {SAME}


def test_one_replicate_tells_nothing(opened):
    assert verdicts(compare(opened(replicates=1), opened(replicates=1, rate=1.0))) == {UNKNOWN}


def test_only_treatments_of_both_are_compared(opened):
    ratios = compare(opened(shapes=("1t", "2t")), opened(shapes=("2t", "2p"), modes=(3,)))
    assert [ratio.treatment for ratio in ratios] == ["2t, best effort, 2048 nodes each"]
    with pytest.raises(LaxityError, match="no treatment in common"):
        compare(opened(shapes=("1t",)), opened(shapes=("2t",)))


def test_the_interval_of_a_ratio_covers_it():
    generator = np.random.default_rng(3)
    covered = 0
    for _ in range(60):
        interval = ratio_interval(generator.normal(100, 5, 10), generator.normal(80, 5, 10))
        covered += interval.low <= 0.8 <= interval.high
    assert covered >= 50
    assert ratio_interval(np.zeros(3), np.ones(3)) is None


def test_the_exit_code_is_for_automatic_checks(tmp_path, capsys):
    fast = write_study(tmp_path / "fast", Study(seed=1))
    slow = write_study(tmp_path / "slow", Study(seed=2, rate=5_000.0))
    assert main(["compare", str(fast), str(slow)]) == 1
    assert "worse" in capsys.readouterr().out
    assert main(["compare", str(slow), str(fast)]) == 0
    assert main(["compare", str(fast), str(slow), "--tolerance", "0.9"]) == 0
    assert "nan" not in render(compare_paths(fast, slow))


def compare_paths(before, after):
    return compare(BestEffortStudy.open(before), BestEffortStudy.open(after), quality=True)


def test_every_observation_is_exported_with_its_run(whole, tmp_path):
    path = export(whole, "csv", tmp_path / "all.csv")
    read = pd.read_csv(path)
    assert len(read) == len(whole.qos)
    assert {"simstep_period_ns", "mode", "shape", "work", "seed"} <= set(read)
    assert read.notna().all().all()


def test_a_trace_has_a_counter_for_each_worker_and_metric(whole, tmp_path):
    events = json.loads(export(whole, "perfetto", tmp_path / "all.json").read_text())["traceEvents"]
    assert {event["ph"] for event in events} == {"M", "C", "X"}
    assert sum(event["ph"] == "M" for event in events) == len(whole.runs)
    period = [e for e in events if e["ph"] == "C" and e["name"] == "worker 0 simstep_period_ns"]
    assert len(period) == len(whole.runs)
    assert all(event["ts"] == 0 for event in period)


def _counters(events, name):
    return [(event["ts"], event["args"]["value"]) for event in events if event["ph"] == "C" and event["name"] == name]


def test_a_trace_charges_the_worker_whose_counters_a_metric_is_of(tmp_path):
    # Half of what worker 0 sends to worker 1 is refused; of what they send to themselves, nothing.
    latencies = {(0, 0): 1, (1, 1): 1, (0, 1): 9, (1, 0): 3}
    rows = [
        {
            "snapshot": snapshot,
            "from_worker": sender,
            "to_worker": receiver,
            "neighbor_kind": "same_thread" if sender == receiver else "thread",
            "channels": 1,
            "answered": 1,
            "window_ns": 900,
            "updates": 9,
            "simstep_period_ns": 100,
            "simstep_latency_updates": latency,
            "walltime_latency_ns": 100 * latency,
            "delivery_failure_rate": 0.5 if (sender, receiver) == (0, 1) else 0,
            "attempted": 100,
            "accepted": 50 if (sender, receiver) == (0, 1) else 100,
            "pulls": 9,
            "laden": 9,
            "received": 9,
            "touches": 9 // latency,
        }
        for snapshot in (0, 2)  # the second is missing, as when a worker did not answer
        for (sender, receiver), latency in latencies.items()
    ]
    team = {"shape": "2t", "threads": 2, "processes": 1, "workers": 2}
    runs = [{"mode": 3, "mode_name": "none", "status": "done"} | team]
    configuration = {"interval_s": 10.0}
    path = write_directory(tmp_path / "gap", "coloring", {"runs": runs, "qos": rows}, configuration=configuration)
    trace = export(open_study(path), "perfetto", tmp_path / "gap.json")
    events = json.loads(trace.read_text())["traceEvents"]
    begins_us = (0, 20e6)
    for name, expected in {
        "worker 0 delivery_failure_rate": 0.5,  # the sender's
        "worker 1 delivery_failure_rate": 0,
        "worker 0 simstep_latency_updates": 3,  # without the links of a worker to itself
        "worker 1 simstep_latency_updates": 9,
    }.items():
        assert _counters(events, name) == [(us, expected) for us in begins_us], name
    slices = [(event["tid"], event["ts"], event["dur"], event["name"]) for event in events if event["ph"] == "X"]
    assert sorted(slices) == [
        (w, us, 0.9, f"snapshot {n}") for w in (0, 1) for n, us in zip((0, 2), begins_us, strict=True)
    ]


def test_parquet_holds_the_same_rows(whole, tmp_path):
    pytest.importorskip("pyarrow")
    read = pd.read_parquet(export(whole, "parquet", tmp_path / "all.parquet"))
    assert len(read) == len(observations(whole))


def test_parquet_without_its_library_says_what_to_install(whole, tmp_path, monkeypatch):
    def missing(*_, **__):
        raise ImportError("pyarrow")

    monkeypatch.setattr(pd.DataFrame, "to_parquet", missing)
    with pytest.raises(LaxityError, match=f"{re.escape(sys.executable)} -m pip install pyarrow"):
        export(whole, "parquet", tmp_path / "all.parquet")
    with pytest.raises(LaxityError, match=r"cannot be written .*non-existent directory.*--output"):
        export(whole, "csv", tmp_path / "no" / "such" / "folder.csv")
