import numpy as np
import pytest
from written import write_directory

from laxity import layout, report, terminal
from laxity.studies.fft.study import FftStudy
from laxity.study import open_study


def write_fft(path, times, predicted, *, processes=4, dropped=()):
    """Write runs of algorithms 0, 1, ...: measured times by replicate, and predictions (no delay, robust, traced)."""
    names = ["library", "linear", "pairwise"]
    rows = []
    for replicate in range(len(times[0])):
        for number, measured in enumerate(times):
            if (replicate, number) in dropped:
                continue
            values = ",".join(str(value) for value in predicted[number])
            rows.append(
                f"{len(rows)},{processes},slab,{names[number]},{number},{replicate},10,1.0,{values},"
                f"{measured[replicate]},0.5,done"
            )
    configuration = {"study": "fft", "class": "W", "steps": 9}
    return open_study(write_directory(path, "fft", {"runs": rows}, configuration=configuration))


NOISE = np.array([0.99, 1.0, 1.01, 1.0])


@pytest.fixture
def study(tmp_path):
    """Linear is slow, but the exchange without delay makes it look fast; the mean over the patterns is right."""
    times = (2.0 * NOISE, 3.0 * NOISE[::-1], 2.1 * NOISE)
    return write_fft(tmp_path / "fft", times, ((2.0, 2.0, 2.0), (1.5, 3.0, 2.5), (2.0, 2.1, 2.1)))


def test_errors_are_those_of_the_predictions(study):
    assert isinstance(study, FftStudy)
    (case,) = study.cases()
    assert case.title == "4 processes, slab"
    linear = case.algorithms[1]
    assert linear.error("no_delay_s") == pytest.approx(1.5 / 3 - 1, abs=1e-3)
    assert linear.exchange_s == pytest.approx((1.5 - 1.0) / 10)
    assert case.errors("no_delay_s").mean() == pytest.approx((np.log(2) + np.log(2.1 / 2)) / 3, abs=0.01)
    assert case.gain("robust_s").value == pytest.approx(case.errors("no_delay_s").mean(), abs=0.02)


def test_conclusions_are_about_the_choice_and_the_error(study):
    said = " ".join(study.conclusions())
    assert "the prediction by mean over all patterns is closer to the measured run time than that without delay" in said
    assert "the fastest by the prediction without delay is linear" in said
    assert "it is slower" in said
    assert "by the prediction mean over all patterns the library's own choice is the fastest" in said


def test_noise_tells_nothing(tmp_path):
    times = ((2.0, 2.6, 2.2, 1.7), (2.4, 1.6, 1.9, 2.5))
    said = " ".join(write_fft(tmp_path / "fft", times, ((2.1, 2.05, 2.1), (2.0, 2.1, 2.0))).conclusions())
    assert "whether the prediction by mean over all patterns is closer than that without delay cannot be told" in said
    assert "a difference cannot be told" in said


def test_only_whole_replicates_are_compared(tmp_path):
    study = write_fft(tmp_path / "fft", ((2.0, 9.0), (3.0, 3.0)), ((2, 2, 2), (3, 3, 3)), dropped={(1, 1)})
    assert [len(each.measured_s) for each in study.cases()[0].algorithms] == [1, 1]
    assert "cannot be told" in " ".join(study.conclusions())


def test_the_page_shows_every_algorithm(study, tmp_path):
    html, plots = report.render([study])
    assert [plot.title for plot in plots] == ["Measured and predicted run times, 4 processes, slab"]
    for part in ("pairwise", "nearest patterns", "ratio to library"):
        assert part in html
    assert all(len(line) <= layout.WIDTH for line in terminal.render([study]).splitlines())
    empty = write_fft(tmp_path / "empty", ((2.0,), (3.0,)), ((2, 2, 2), (3, 3, 3)), dropped={(0, 0)})
    assert "nothing to show" in empty.summary()
    assert report.render([empty])[1] == []
