import re

import pytest

from laxity import report
from laxity.command_line import main
from laxity.intervals import Interval
from laxity.layout import WIDTH
from laxity.notation import bounds, duration, mean_count, number, percent, with_bounds
from laxity.studies.best_effort.findings import key_findings, warnings
from laxity.studies.best_effort.link_quality import qualities
from laxity.studies.best_effort.study import BestEffortStudy
from laxity.studies.best_effort.treatments import treatments
from laxity.terminal import render


def said(studies):
    found = key_findings(treatments(studies), qualities(studies))
    return {finding.title: plain(" ".join(finding.sentences)) for finding in found}


def plain(text):
    return text.replace("\N{NARROW NO-BREAK SPACE}", " ")


def cautions(*studies):
    return plain(" ".join(warnings(studies, treatments(studies))))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.25, "0.25"),
        (999.96, "1 000"),
        (11_712.4, "11 712"),
        (1_234_567, "1.235 M"),
        (2.5e9, "2.5 G"),
        (123, "123"),
        (1e-12, "0.000000000001"),
    ],
)
def test_numbers(value, text):
    assert plain(number(value)) == text


def test_padded_numbers_line_up():
    assert [number(value, 3, padded=True) for value in (1, 2.1, 24)] == ["1.00", "2.10", "24.0"]


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0.0 %"), (0.951, "95.1 %"), (1, "100.0 %"), (0.009, "0.90 %"), (0.00004, "0.0040 %"), (0.00999, "1.0 %")],
)
def test_percentages(share, text):
    assert plain(percent(share)) == text


@pytest.mark.parametrize(
    ("time_ns", "text"),
    [(0, "0 ns"), (120, "120 ns"), (1500, "1.5 µs"), (2.5e6, "2.5 ms"), (1e9, "1 s"), (180e9, "180 s")],
)
def test_durations(time_ns, text):
    assert plain(duration(time_ns)) == text


def test_mean_counts():
    assert [mean_count(value) for value in (0.0, 4.25, 99.9, 493.8)] == ["0.0", "4.2", "99.9", "494"]


def test_intervals_in_words():
    interval = Interval(0.951, 0.93, 0.97, 5)
    assert plain(with_bounds(interval, percent)) == "95.1 % [93.0, 97.0]"
    assert bounds(Interval(0.951, None, None, 1), percent) == "–"
    assert with_bounds(None, percent) == "–"
    assert plain(with_bounds(Interval(0.951, None, None, 1), percent)) == "95.1 %"


def test_what_was_run_names_the_work_and_the_treatments(whole):
    text = plain(whole.summary())
    assert "3 colors on a torus, 2 048 nodes per worker" in text
    assert "100 runs of 1 s, 5 replicates of each of the modes 0 to 4" in text
    assert "1 thread, 2 threads, 1 process and 2 processes" in text


def test_the_findings_are_about_workers_that_had_to_do_with_one_another(whole):
    texts = said([whole])
    assert list(texts) == ["2 threads", "2 processes"]
    assert re.search(
        r"^Best effort kept 9[45]\.\d % \[\d\d\.\d, \d\d\.\d\] of the isolated rate; "
        r"a barrier every update kept 8[01]\.\d % \[",
        texts["2 threads"],
    )
    assert re.search(r"made 1\.1\d \[1\.1\d, 1\.\d\d?\] times as many updates as lockstep\.", texts["2 threads"])
    assert re.search(r"between threads took 1\.\d+ updates \(1\d\d µs\)", texts["2 threads"])


def test_no_difference_is_claimed_where_there_is_none(opened):
    study = opened(shapes=("2t",), noise=0.5, replicates=4, seed=3)
    runs = study.runs
    rates = dict(zip((0, 3), ([100.0, 110.0, 90.0, 101.0], [101.0, 99.0, 100.0, 100.0]), strict=True))
    for mode, values in rates.items():
        runs.loc[runs["mode"] == mode, "updates_per_second_per_worker"] = values
    assert "times as many updates as lockstep; the difference is not significant (p = 1)" in said([study])["2 threads"]


def test_one_worker_alone_is_told_by_its_rate(opened):
    texts = said([opened(shapes=("1t",))])
    assert re.search(r"^11 \d\d\d \[.*\] updates per second and worker", texts["1 thread"])


def test_a_single_run_is_told_without_intervals(opened):
    texts = said([opened(shapes=("2t",), modes=(3,), replicates=1)])
    assert re.search(r"^\d\d \d\d\d updates per second and worker in mode 3 \(best effort\)", texts["2 threads"])


def test_all_is_well_is_told_by_silence(whole):
    assert cautions(whole) == ""


def test_an_interrupted_study_is_told(opened):
    assert "The study did not end (status 'running'); this report covers the 25 of 25 runs that did." in cautions(
        opened(shapes=("2t",), status="running")
    )


def test_runs_that_failed_are_told(opened):
    study = opened(shapes=("2t",))
    study.runs.loc[[4], "status"] = "killed"
    assert "Left out because of how it ended: 1 run: 4 (killed)" in cautions(study)


def test_single_runs_are_told(opened):
    assert "Every treatment has only 1 replicate: there are no intervals" in cautions(
        opened(shapes=("2t",), replicates=1)
    )
    assert cautions(opened(shapes=("2t",), replicates=2)) == ""
    study = opened(shapes=("2t",), replicates=2)
    study.runs.loc[study.runs["run"] >= 8, "status"] = "lost a worker"
    assert "2 of 5 treatments have only 1 replicate" in cautions(study)


def test_a_replayed_study_says_so_and_needs_no_cores(opened):
    study = opened(shapes=("4t",), manifest={"cores": 1, "configuration": {"replayed": True}})
    assert "of virtual time (replayed" in study.summary()
    assert cautions(study) == ""
    assert "virtual" not in opened(shapes=("4t",)).summary()


DISTURBANCES = """run,attempts,disturbance,processors,load,steal,other_processors,involuntary_switches,frequency_mhz
0,1,none,2,0.1,0,0.01,7,2000
1,5,others,2,3.5,0,1.25,900,2000
2,1,steal,2,0.1,0.04,0,9,2000
"""


def test_a_run_that_two_hosts_saw_disturbed_is_one_run(opened):
    study = opened()
    of_two_hosts = DISTURBANCES.replace("frequency_mhz\n", "frequency_mhz,host\n", 1)
    rows = of_two_hosts.splitlines()
    twice = [rows[0], *(f"{row},{host}" for row in rows[1:] for host in (0, 1))]
    (study.path / "disturbances.csv").write_text("\n".join(twice) + "\n")
    assert "2 of 3 runs were disturbed" in cautions(BestEffortStudy.open(study.path))


def test_simulated_runs_are_not_disturbed_by_other_programs(opened):
    study = opened(shapes=("2t",))
    (study.path / "disturbances.csv").write_text(DISTURBANCES)
    disturbed = BestEffortStudy.open(study.path)
    assert disturbed.about_disturbances()
    disturbed.manifest["configuration"]["smpi"] = True
    assert not disturbed.about_disturbances()


def test_runs_that_were_disturbed_are_told(opened, capsys):
    study = opened(shapes=("2t",))
    (study.path / "disturbances.csv").write_text(DISTURBANCES)
    disturbed = BestEffortStudy.open(study.path)
    said_of_it = "2 of 3 runs were disturbed: other programs used at most 1.2 of 2 processors, other virtual machines"
    assert said_of_it in cautions(disturbed)
    assert "took at most 4.0 % of the time" in cautions(disturbed)
    assert main(["compare", str(study.path), str(study.path)]) == 0
    assert f"before: {said_of_it}" in plain(capsys.readouterr().out)
    assert "disturbed" in report.render([disturbed])[0]


def test_the_reference_is_named(opened):
    texts = said([opened(shapes=("2t",), border_conflicts=0.07)])
    assert "of the rate without communication; a barrier every update kept" in texts["2 threads"]
    assert "a torus each" in report.render([opened(shapes=("2t",), border_conflicts=0.07)])[0]


def test_too_few_cores_are_told(opened):
    text = cautions(opened(shapes=("2t", "4t", "2p2t"), manifest={"cores": 2}))
    assert "4 threads and 2 processes × 2 threads share 2 cores" in text
    assert cautions(opened(shapes=("4t",), manifest={"cores": 4})) == ""


def test_metrics_that_disagree_with_their_counts_are_told(opened):
    study = opened(shapes=("2t",))
    study.qos.loc[[1], "simstep_period_ns"] = 3.0
    assert "In qos.csv 1 value of simstep_period_ns does not agree with the counts" in cautions(study)


def test_a_half_written_line_is_told(opened):
    study = opened(shapes=("2t",))
    path = study.path / "runs.csv"
    path.write_text(path.read_text()[:-5])
    assert "runs.csv: line 26 was half written" in cautions(BestEffortStudy.open(study.path))


def test_with_several_studies_cautions_name_theirs(opened):
    text = cautions(opened(name="one", shapes=("2t",)), opened(name="two", shapes=("2t",), status="running"))
    assert "two: The study did not end" in text
    assert "one: " not in text


def test_the_table_fits_a_terminal_and_shows_every_treatment(whole):
    text = render([whole])
    lines = text.splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert sum(line.startswith("  3 best effort ") for line in lines) == 4
    assert text.endswith("\n")
    columns = {line.index("11 ") for line in lines if line.startswith("  4 isolated")}
    assert len(columns) == 1, "numbers stand below each other"
    assert "\N{NARROW NO-BREAK SPACE}" not in text


@pytest.mark.parametrize(
    "fields",
    [
        {"replicates": 0},
        {"replicates": 1, "shapes": ("1t",), "modes": (3,)},
        {"name": "n" * 150, "shapes": ("2t",), "rate": 3e9},
        {"shapes": ("100p16t",), "modes": (0, 4), "replicates": 1, "with_qos": False},
        {"rate": 0.0, "shapes": ("2t",)},
    ],
)
def test_the_table_fits_a_terminal_whatever_was_run(opened, fields):
    study = opened(**fields)
    text = render([study, opened(name="other", shapes=("2t",))])
    assert max(map(len, text.splitlines())) <= WIDTH
    assert max(map(len, render([study]).splitlines())) <= WIDTH
