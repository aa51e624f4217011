"""`laxity study fft` as a user runs it: a traced run, measured exchanges, predictions, and runs with each algorithm."""

import csv
import shutil

from kit import InFolder, laxity, read_manifest, rows

SMALL = ("study", "fft", "--processes", 2, "--class", "S", "--steps", 2, "--patterns", "last_delayed", "--quiet")


class TestFftStudy(InFolder):
    def test_each_algorithm_is_run_beside_its_prediction_and_resumed(self):
        path = self.folder / "fft"
        command = (*SMALL, "--replicates", 2, "--output", path)
        ended = laxity(*command, "--report")
        assert ended.code == 0, ended
        assert read_manifest(path)["status"] == "done"
        runs = rows(path, "runs")
        algorithms = {run["algorithm"] for run in runs}
        assert "library" in algorithms
        assert len(algorithms) > 2
        assert len(runs) == 2 * len(algorithms)
        for run in runs:
            assert int(run["calls"]) == 3  # one transform, and one inverse transform a step
            assert 0 < float(run["other_s"]) < float(run["no_delay_s"])
            assert 0 < float(run["inside_s"]) < float(run["run_time_s"])
        assert not (path / "slab-2-run").exists()
        page = (path / "report.html").read_text(encoding="utf-8")
        for part in ("Measured and predicted run times, 2 processes, slab", "Traced programs"):
            assert part in page
        # A run that is missing is measured again, beside the same predictions.
        with (path / "runs.csv").open(encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
        with (path / "runs.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(lines[:-1])
        assert laxity(*command).code == 0
        resumed = rows(path, "runs")
        assert resumed[:-1] == runs[:-1]
        measured = ("run_time_s", "inside_s")
        assert {key: resumed[-1][key] for key in runs[-1] if key not in measured} == {
            key: runs[-1][key] for key in runs[-1] if key not in measured
        }
        shutil.rmtree(path)

    def test_a_division_that_is_impossible_is_said(self):
        ended = laxity(*SMALL[:3], 3, *SMALL[4:], "--output", self.folder / "three")
        assert ended.code == 1
        assert "trace ended with exit code 2; its output is in" in ended.complaint
        assert "a number of ranks that divides the box" in (self.folder / "three" / "slab-3-log").read_text()
