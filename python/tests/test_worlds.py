"""Studies of worlds: what modes do to update rates and to evolution, from tables whose truth is known."""

import pytest
from written import write_directory

from laxity import report
from laxity.evidence.verdicts import HOLDS, HOLDS_NOT, OPEN
from laxity.studies.evolution.effects import CHANGED, UNCHANGED, UNKNOWN, effects
from laxity.studies.evolution.study import EvolutionStudy

NOISE = (-0.01, 0.0, 0.01, 0.005, -0.005)
NAMES = {0: "every_update", 3: "none", 4: "isolated"}


def worlds(path, rates, births=None, updates=0, shapes=("1t", "2t"), cores=2):
    """Write a study; `rates` by (shape, mode), `births` by mode."""
    runs, population = [], []
    for replicate, noise in enumerate(NOISE):
        for shape in shapes:
            for mode, name in NAMES.items():
                run = len(runs)
                workers = int(shape[:-1])
                rate = rates.get((shape, mode), 100) * (1 + noise)
                runs.append(
                    {"run": run, "mode": mode, "mode_name": name, "shape": shape, "threads": workers, "processes": 1,
                     "workers": workers, "replicate": replicate, "seed": replicate, "cells_per_worker": 100,
                     "width": 10, "height": 10 * workers, "updates_per_second_per_worker": rate, "digest": "0" * 16,
                     "status": "done"}
                )  # fmt: skip
                born = (births or {}).get(mode, 50) * (1 + (30 * noise if mode == 4 else noise))
                population += [
                    {"run": run, "worker": worker, "update": update, "living": 90, "births": round(100 * born) * update,
                     "program_length": 100.0, "group_size_0": 2.0, "group_size_1": 3.0, "generations": 1.0 * update,
                     "stockpile": 1.0}
                    for worker in range(workers) for update in (0, 1)
                ]  # fmt: skip
    terms = (*EvolutionStudy.GAINED, *EvolutionStudy.SPENT, "stock", "receipt_decay")
    resource = [{"run": run["run"], "worker": 0, "term": term, "amount": 0.0} for run in runs for term in terms]
    configuration = {"updates": updates, "preset": "benchmark"}
    rows = {"runs": runs, "population": population, "resource": resource}
    written = write_directory(path, "evolution", rows, configuration=configuration, cores=cores)
    return EvolutionStudy.open(written)


def verdicts(study):
    return {row.claim.key: row for row in study.evidence()}


def test_two_threads_show_what_the_papers_saw_with_64(tmp_path):
    study = worlds(tmp_path / "w", {("2t", 0): 60, ("2t", 3): 95, ("2t", 4): 96})
    found = verdicts(study)
    assert set(found) == {"evolution-threads-faster", "evolution-threads-isolated", "evolution-threads-free"}
    assert {row.verdict for row in found.values()} == {HOLDS}
    assert "95 against 60" in found["evolution-threads-faster"].here
    assert found["evolution-threads-faster"].reason == ""


def test_processes_that_share_cores_are_slower_and_this_is_said(tmp_path):
    study = worlds(tmp_path / "w", {("4p", 0): 50, ("4p", 3): 49.99}, shapes=("1p", "4p"))
    found = verdicts(study)
    assert found["evolution-keeps"].verdict == HOLDS_NOT
    assert found["evolution-faster"].verdict in (HOLDS_NOT, OPEN)
    assert "4 workers share 2 cores" in found["evolution-keeps"].reason


def test_at_the_number_of_the_papers_the_figure_must_be_theirs(tmp_path):
    rates = {("64t", 0): 20, ("64t", 3): 43, ("64t", 4): 95}
    found = verdicts(worlds(tmp_path / "w", rates, shapes=("1t", "64t"), cores=64))
    assert found["evolution-threads-faster"].verdict == HOLDS
    assert found["evolution-threads-free"].verdict == HOLDS
    assert found["evolution-threads-isolated"].verdict == HOLDS_NOT


def test_one_worker_says_nothing_about_teams(tmp_path):
    assert worlds(tmp_path / "w", {}, shapes=("1t",)).evidence() == []


def test_modes_are_compared_after_equal_numbers_of_updates(tmp_path):
    study = worlds(tmp_path / "w", {}, {0: 50, 3: 60, 4: 50}, updates=1000, shapes=("2t",))
    found = {(effect.condition, effect.quantity): effect for effect in effects(study)}
    assert found["2 threads, mode 3 none against 0", "births"].verdict == CHANGED
    assert found["2 threads, mode 3 none against 0", "births"].size.value == pytest.approx(1.2, abs=0.01)
    assert found["2 threads, mode 3 none against 0", "length of programs"].verdict == UNCHANGED
    assert {effect.verdict for effect in found.values()} >= {CHANGED, UNCHANGED}
    html, _ = report.render([study])
    assert "Does asynchronicity change evolution here?" in html
    assert list(effects(worlds(tmp_path / "time", {}, updates=0))) == []


def test_a_wide_interval_tells_nothing(tmp_path):
    study = worlds(tmp_path / "w", {}, {0: 50, 3: 50, 4: 50}, updates=1000, shapes=("2t",))
    found = {effect.quantity: effect for effect in effects(study) if "mode 4" in effect.condition}
    assert found["births"].verdict == UNKNOWN
    assert found["resource per cell"].verdict == UNCHANGED
