"""What a report shows of optimistic simulations; the template is ``page.html``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from laxity.notation import NOTHING, number, percent
from laxity.studies.timewarp import plots
from laxity.studies.timewarp.study import TimewarpStudy
from laxity.studies.timewarp.time_series import shown_run
from laxity.studies.timewarp.treatments import treatments, what_fits
from laxity.study import Chapter, study_titles

_MAX_WORKERS = 64  # of one run in the table of workers
_MAX_RUNS = 64  # of one study in the table of runs
_SUMMED = (
    *("committed", "processed", "rolled_back", "primary_rollbacks", "secondary_rollbacks", "anti_messages"),
    *("remote_events", "local_events", "throttled", "peak_events"),
)


def chapter(studies: Sequence[TimewarpStudy]) -> Chapter:
    """Compute and draw what the report shows of these studies."""
    titled = list(zip(study_titles(studies), studies, strict=True))
    drawn = [*plots.figures(studies), *plots.over_time(studies)]
    context = {
        "plots": drawn,
        "what_fits": [sentence for study in studies for sentence in what_fits(study)],
        "treatments": [
            (f"{title}: {figure}, {condition}", list(own))
            for title, study in titled
            for (figure, condition), own in groupby(treatments(study), lambda t: (t.figure, t.condition))
        ],
        "runs": [
            (title, study.runs.head(_MAX_RUNS).to_dict("records"), study.rate())
            for title, study in titled
            if not treatments(study)
        ],
        "workers": [table for title, study in titled for table in _workers(title, study)],
        "has_runs": any(len(study.runs) for study in studies),
    }
    warnings = [warning for study in studies for warning in study.warnings()]
    return Chapter("timewarp/page.html", context, drawn, warnings)


def _workers(title: str, study: TimewarpStudy) -> list[tuple[str, list[tuple[str, ...]]]]:
    """Make the table of the workers of the run that the plots show, with their total."""
    run = shown_run(study)
    workers = study.workers[study.workers["run"] == run["run"]] if run is not None else study.workers.head(0)
    if workers.empty:
        return []
    total = workers[list(_SUMMED)].sum().to_dict() | {"worker": "all", "efficiency": run["efficiency"]}
    rows = [*workers.head(_MAX_WORKERS).to_dict("records"), total]
    return [(f"{title}: {run['team']}, run {run['run']}", [_worker(row) for row in rows])]


def _worker(counts: Mapping) -> tuple[str, ...]:
    sent = counts["remote_events"] + counts["local_events"]
    return (
        str(counts["worker"]),
        *(number(counts[column]) for column in _SUMMED[:3]),
        percent(counts["efficiency"]),
        *(number(counts[column]) for column in _SUMMED[3:6]),
        percent(counts["remote_events"] / sent) if sent else NOTHING,
        *(number(counts[column]) for column in ("throttled", "peak_events")),
    )
