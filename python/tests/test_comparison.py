"""Two studies side by side, commands run in turn, and studies in other formats."""

import json
import math
import pathlib
import re
import sys

import pandas as pd
import pytest
from written import write_directory
from written_coloring import Study, write_study

from laxity.command_line import main
from laxity.comparison import BETTER, SAME, UNKNOWN, WORSE, compare, compare_rounds, judged, render
from laxity.error import LaxityError
from laxity.export import export, observations
from laxity.study import open_study


def verdicts(changes):
    return {change.verdict for change in changes}


def test_a_study_does_not_differ_from_itself(opened):
    study = opened()
    changes = compare(study, study, quality=True)
    assert verdicts(changes) <= {SAME, UNKNOWN}
    assert all(change.measured.change.value == pytest.approx(0) for change in changes)


def test_what_is_slower_is_worse_and_what_is_faster_is_better(opened):
    before, after = opened(seed=1), opened(seed=2, rate=8_000.0)
    assert verdicts(compare(before, after)) == {WORSE}
    assert verdicts(compare(after, before)) == {BETTER}
    measured = compare(before, after)[0].measured
    low, high = map(math.exp, measured.change.ends())
    assert low < 8_000 / 11_700 < high
    assert measured.after / measured.before == pytest.approx(math.exp(measured.change.value))


def test_a_small_difference_is_within_the_tolerance(opened):
    before, after = opened(seed=1), opened(seed=2, rate=11_500.0)
    assert verdicts(compare(before, after, tolerance=0.2)) == {SAME}


def test_noise_in_which_a_change_could_hide_is_not_called_the_same(opened):
    before, after = opened(seed=1, noise=0.2), opened(seed=2, noise=0.2)
    changes = compare(before, after)
    assert verdicts(changes) == {UNKNOWN}
    assert all(change.visible > math.log(1.2) for change in changes)


def test_one_replicate_tells_nothing(opened):
    changes = compare(opened(replicates=1), opened(replicates=1, rate=1.0))
    assert verdicts(changes) == {UNKNOWN}
    assert "nan" not in render(changes)
    assert "inf" not in render(changes)


def test_shares_that_may_be_zero_are_compared_by_their_difference(opened):
    before, after = opened(shapes=("2t",), modes=(3,)), opened(shapes=("2t",), modes=(3,), seed=2)
    before.qos["delivery_failure_rate"] = 0.0
    after.qos["delivery_failure_rate"] += 0.3
    found = {change.measured.response: change for change in compare(before, after, quality=True)}
    assert found["delivery_failure_rate"].verdict == WORSE
    assert not found["delivery_failure_rate"].measured.is_ratio
    assert found["simstep_period_ns"].measured.is_ratio


def test_a_family_is_judged_more_strictly_than_a_single_change(opened):
    one = compare(opened(shapes=("2t",), modes=(3,)), opened(shapes=("2t",), modes=(3,), seed=2, rate=9_500.0))
    assert verdicts(one) == {WORSE}
    unchanged = compare(opened(noise=0.2), opened(seed=2, noise=0.2))
    family = judged([change.measured for change in [*one, *unchanged]])
    assert family[0].p == pytest.approx(min(1, len(family) * one[0].p))
    assert family[0].visible > one[0].visible


def test_only_treatments_of_both_are_compared(opened):
    changes = compare(opened(shapes=("1t", "2t")), opened(shapes=("2t", "2p"), modes=(3,)))
    assert [change.measured.treatment for change in changes] == ["2t, best effort, 2048 nodes each"]
    with pytest.raises(LaxityError, match="no treatment in common"):
        compare(opened(shapes=("1t",)), opened(shapes=("2t",)))


def test_pairs_of_rounds_see_what_drift_hides(opened):
    drift = [1, 1.5, 0.8, 1.2, 0.7, 1.1, 1.4, 0.9]
    one_run = {"shapes": ("2t",), "modes": (3,), "replicates": 1, "noise": 0.01}
    rounds = [
        tuple(opened(**one_run, seed=20 * k + side, rate=rate * factor) for side, rate in enumerate((11_700, 10_500)))
        for k, factor in enumerate(drift)
    ]
    (change,) = compare_rounds(rounds)
    assert change.verdict == WORSE
    low, high = map(math.exp, change.measured.change.ends())
    assert low < 10_500 / 11_700 < high < low * 1.05


def test_two_settings_are_two_treatments_and_are_compared(opened):
    rounds = [
        tuple(opened(shapes=("2t",), modes=(mode,), replicates=1, seed=seed, noise=0.01) for mode in (3, 0))
        for seed in range(4)
    ]
    (change,) = compare_rounds(rounds)
    assert change.verdict == WORSE
    assert change.measured.treatment == "2t, best effort, 2048 nodes each → 2t, every update, 2048 nodes each"
    one, other = opened(shapes=("2t",), modes=(3, 4)), opened(shapes=("2t",), modes=(0,))
    with pytest.raises(LaxityError, match="no treatment in common, and not equally many"):
        compare_rounds([(one, other)] * 2)


def test_the_exit_code_is_for_automatic_checks(tmp_path, capsys):
    fast = write_study(tmp_path / "fast", Study(seed=1))
    slow = write_study(tmp_path / "slow", Study(seed=2, rate=5_000.0))
    assert main(["compare", str(fast), str(slow)]) == 3
    assert "worse" in capsys.readouterr().out
    assert main(["compare", str(slow), str(fast)]) == 0
    assert main(["compare", str(fast), str(slow), "--tolerance", "0.9"]) == 3  # of a ratio of 0.43
    assert main(["compare", str(fast), str(fast)]) == 0
    assert main(["compare", str(fast), str(tmp_path / "nothing")]) == 1
    for wrong in (["--tolerance", "1"], ["--history", str(tmp_path)], ["--run"], ["--run", "--rounds", "1"]):
        with pytest.raises(SystemExit, match="2"):
            main(["compare", str(fast), str(slow), *wrong])
    with pytest.raises(SystemExit, match="2"):
        main(["compare", str(fast)])


@pytest.mark.parametrize("machine", [{"host": "other"}, {"cpu_model": "Another"}, {"cores": 64}])
def test_other_machines_are_compared_only_if_told_to(tmp_path, capsys, machine):
    one = write_study(tmp_path / "one", Study(seed=1))
    other = write_study(tmp_path / "other", Study(seed=2, manifest=machine))
    assert main(["compare", str(one), str(other)]) == 1
    assert f"not comparable: {next(iter(machine))} " in capsys.readouterr().err
    assert main(["compare", str(one), str(other), "--allow-differences"]) == 0
    assert "Compared in spite of differences: " in capsys.readouterr().out


def test_other_durations_are_compared_only_if_told_to(tmp_path, capsys):
    one = write_study(tmp_path / "one", Study(seed=1))
    other = write_study(tmp_path / "other", Study(seed=2))
    runs = pd.read_csv(other / "runs.csv")
    runs["duration_ns"] = 2_000_000_000
    runs.to_csv(other / "runs.csv", index=False)
    assert main(["compare", str(one), str(other)]) == 1
    assert "runs of 1 s and of 2 s" in capsys.readouterr().err.replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert main(["compare", str(one), str(other), "--allow-differences"]) == 0


def test_options_that_differ_are_named(tmp_path, capsys):
    one = write_study(tmp_path / "one", Study(seed=1, replicates=5))
    other = write_study(tmp_path / "other", Study(seed=2, replicates=6))
    assert main(["compare", str(one), str(other)]) == 0
    assert "The options differ: replicates." in capsys.readouterr().out


WRITER = """
import pathlib, sys
sys.path.insert(0, {tests!r})
from written_coloring import Study, write_study
path = pathlib.Path(sys.argv[-1])
seed = 2 * int(path.name) + (path.parent.name == "after")
write_study(path, Study(shapes=("2t",), modes=(3,), replicates=1, seed=seed, rate=float(sys.argv[1])))
with (path.parents[1] / "order").open("a") as order:
    order.write(path.parent.name[0])
"""


def test_two_commands_run_in_turn_and_only_once(tmp_path, capsys):
    writer = tmp_path / "writer.py"
    writer.write_text(WRITER.format(tests=str(pathlib.Path(__file__).parent)))
    fast, slow = (f"{sys.executable} {writer} {rate}" for rate in (11_700, 5_000))
    output = tmp_path / "both"
    arguments = ["compare", "--run", fast, slow, "--rounds", "4", "--output", str(output)]
    assert main(arguments) == 3
    assert (output / "order").read_text() == "baabbaab"[:8]
    assert "round 4 of 4" in capsys.readouterr().err
    assert main(arguments) == 3
    assert (output / "order").read_text() == "baabbaab"[:8]
    assert main(["compare", "--run", slow, fast, "--rounds", "4", "--output", str(output)]) == 1
    assert "compares other commands" in capsys.readouterr().err
    assert main(["compare", "--run", "false", "true", "--output", str(tmp_path / "failed")]) == 1
    assert "ended with code 1" in capsys.readouterr().err
    assert main(["compare", "--run", "/no/such", "true", "--output", str(tmp_path / "missing")]) == 1
    assert "cannot be started" in capsys.readouterr().err


def test_the_comparison_is_a_page_too(tmp_path, capsys):
    before = write_study(tmp_path / "before", Study(modes=(3,)))
    after = write_study(tmp_path / "after", Study(modes=(3,), rate=9_000.0, seed=2))
    page = tmp_path / "pages" / "change.html"
    assert main(["compare", str(before), str(after), "--quality", "--report", str(page)]) == 3
    printed = capsys.readouterr().out
    assert f"report: {page}" in printed
    html = page.read_text()
    verdicts = re.findall(r'data-label="verdict">([^<]*)</td>', html)
    assert len(verdicts) == len(re.findall(r"(better|worse|no difference|cannot be told)$", printed, re.MULTILINE))
    assert verdicts.count("worse") == printed.count("  worse\n") > 0
    assert f"{verdicts.count('worse')} worse" in html
    assert html.count("<svg") == 1
    with pytest.raises(SystemExit):
        main(["compare", "--history", str(tmp_path), "--report", str(page)])


def test_every_observation_is_exported_with_its_run(whole, tmp_path):
    path = export(whole, "csv", tmp_path / "all.csv")
    read = pd.read_csv(path)
    assert len(read) == len(whole.qos)
    assert {"simstep_period_ns", "mode", "shape", "work", "seed"} <= set(read)
    missing = set(read.columns[read.isna().any()])
    assert missing == {"one_way_latency_ns"}, "not measured over links within a worker"


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
