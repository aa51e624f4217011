"""What a study of best-effort communication says about the claims of the papers.

Every figure is one value a run: the median (or mean) of the run's snapshots, or its update rate. Treatments are
compared replicate by replicate. The machines differ: the papers measured hosts of a cluster with MPI between processes.

Elsewhere: the claims (``laxity.evidence.catalog``), the verdicts (``laxity.evidence.verdicts``), the claims about
update rates (``rate_claims``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from laxity.evidence import sizes
from laxity.evidence.verdicts import Check, Evidence, does_not_grow, falls, is_near, rises
from laxity.notation import duration, number, percent
from laxity.regression import MEAN, MEDIAN
from laxity.studies.best_effort.comparisons import Comparison, comparisons
from laxity.studies.best_effort.measured_runs import MeasuredRuns
from laxity.studies.best_effort.quality_of_service import ONE_WAY
from laxity.studies.best_effort.rate_claims import rate_claims

if TYPE_CHECKING:
    from laxity.studies.best_effort.study import BestEffortStudy

PERIOD, LATENCY, WALLTIME = "simstep_period_ns", "simstep_latency_updates", "walltime_latency_ns"
FAILURES, CLUMPINESS = "delivery_failure_rate", "delivery_clumpiness"
_TITLES = {
    PERIOD: "simstep period",
    LATENCY: "simstep latency",
    WALLTIME: "walltime latency",
    FAILURES: "failure rate",
    CLUMPINESS: "clumpiness",
}
_SHARES = (FAILURES, CLUMPINESS)
_SHARE_MARGIN = 0.02  # difference of shares that counts as none
_NO_FAILURE = 0.001
_Weigh = Callable[[MeasuredRuns, Comparison], Iterator[Evidence]]


def claims(study: BestEffortStudy) -> list[Evidence]:
    """Weigh the claims about the experiment of a study, in the order of the catalog."""
    if study.ended_runs().empty or study.is_custom:
        return []
    measured = MeasuredRuns(study)
    weighed = list(rate_claims(measured)) if study.compares_modes else []
    for weigh in _WEIGHED.get(study.experiment, ()):
        for comparison in comparisons([study]):
            weighed += weigh(measured, comparison)
    return weighed


def _write(column: str) -> Callable[[float], str]:
    if column in _SHARES:
        return percent
    return duration if column in (PERIOD, WALLTIME, ONE_WAY.column) else lambda updates: number(updates, 3)


def _figure(sample: pd.Series, write: Callable[[float], str]) -> str:
    size = sizes.value(sample)
    return write(size.value) if size else "no message"


def _here(samples: Sequence[pd.Series], labels: Sequence[str], column: str) -> str:
    write = _write(column)
    return ", ".join(f"{_figure(sample, write)} {label}" for sample, label in zip(samples, labels, strict=True))


def _levels(measured: MeasuredRuns, comparison: Comparison, column: str, statistic: str = MEDIAN) -> list[pd.Series]:
    return [measured.level(comparison, place, column, statistic) for place in range(len(comparison.levels))]


def _of_two(labels: tuple[str, str], expected: dict[str, tuple[str, Callable]]) -> _Weigh:
    """Weigh claims on the medians of two treatments: by column, the claim and what it expects of the second one."""

    def weigh(measured: MeasuredRuns, comparison: Comparison) -> Iterator[Evidence]:
        if comparison.labels != labels:
            return
        for column, (key, expect) in expected.items():
            before, after = _levels(measured, comparison, column)
            title = f"{_TITLES[column]}, {labels[1]} against {labels[0]}"
            if column == WALLTIME:
                yield from _by_clock(measured, comparison, key, expect)
            if column in _SHARES:
                check = Check(title, sizes.difference(before, after), write=percent, **_SIDES[expect])
            else:
                check = expect(title, sizes.ratio(before, after))
            here = _here((after, before), labels[::-1], column)
            yield measured.evidence(key, comparison.condition, here, [check])

    return weigh


def _by_clock(measured: MeasuredRuns, comparison: Comparison, key: str, expect: Callable) -> Iterator[Evidence]:
    """Weigh a claim on the walltime latency on the latency that clocks have measured, where a study has it."""
    before, after = samples = _levels(measured, comparison, ONE_WAY.column)
    if not all(len(sample) and (sample > 0).all() for sample in samples):
        return
    labels = comparison.labels
    check = expect(f"measured latency, {labels[1]} against {labels[0]}", sizes.ratio(before, after))
    here = _here((after, before), labels[::-1], ONE_WAY.column)
    yield measured.evidence(key, f"{comparison.condition}, measured by clocks", here, [check])


_SIDES = {rises: {"above": 0.0}, falls: {"below": 0.0}}

_hosts = _of_two(
    ("same host", "different hosts"),
    {
        PERIOD: ("hosts-period", rises),
        LATENCY: ("hosts-latency", rises),
        WALLTIME: ("hosts-walltime", rises),
        CLUMPINESS: ("hosts-clumpiness", rises),
        FAILURES: ("hosts-failures", falls),
    },
)

_teams = _of_two(
    ("threads with a mutex", "ranks with messages"),
    {
        PERIOD: ("teams-period", rises),
        WALLTIME: ("teams-walltime", rises),
        LATENCY: ("teams-latency", falls),
        CLUMPINESS: ("teams-clumpiness", falls),
        FAILURES: ("teams-failures", rises),
    },
)


def _threads_have_a_tail(measured: MeasuredRuns, comparison: Comparison) -> Iterator[Evidence]:
    """Extreme latencies show as a mean far above the median of a run's snapshots."""
    if comparison.labels != ("threads with a mutex", "ranks with messages"):
        return
    means, medians = (_levels(measured, comparison, WALLTIME, statistic) for statistic in (MEAN, MEDIAN))
    tails = [mean / median.where(median > 0) for mean, median in zip(means, medians, strict=True)]
    here = ", ".join(
        f"mean {_figure(tail, lambda times: number(times, 3))} times the median {label}"
        for tail, label in zip(tails, comparison.labels, strict=True)
    )
    check = rises("mean ÷ median, threads against ranks", sizes.ratio(tails[1], tails[0]))
    yield measured.evidence("teams-tail", comparison.condition, here, [check])


def _work(measured: MeasuredRuns, comparison: Comparison) -> Iterator[Evidence]:
    units = [int(label) for label in comparison.labels]
    least, most = f"with {units[0]} units", f"with {units[-1]}"
    where = comparison.condition

    periods = _levels(measured, comparison, PERIOD)
    if units[-2] > 0:
        power = np.log(periods[-1] / periods[-2]) / np.log(units[-1] / units[-2])
        here = _here((periods[0], periods[-1]), (least, most), PERIOD)
        checks = [Check("power of the work", sizes.value(power), 0.9, 1.1, lambda power: number(power, 3))]
        yield measured.evidence("work-period", where, here, checks)
    unit_ns = (periods[-1] - periods[0]) / (units[-1] - units[0])
    checks = [is_near("a unit", sizes.value(unit_ns), 35.0, write=duration)]
    yield measured.evidence("work-unit", where, _figure(unit_ns, duration), checks)

    latencies = _levels(measured, comparison, LATENCY)
    checks = [
        falls(f"latency {most}, against {units[0]}", sizes.ratio(latencies[0], latencies[-1])),
        Check(f"latency {most}", sizes.value(latencies[-1]), 0.5, 1.5, _write(LATENCY)),
    ]
    yield measured.evidence("work-latency", where, _here((latencies[0], latencies[-1]), (least, most), LATENCY), checks)

    walltimes = _levels(measured, comparison, WALLTIME)
    if 4096 in units:
        light = walltimes[units.index(4096)]
        checks = [is_near("walltime latency with 4096 units, against 0", sizes.ratio(walltimes[0], light), 1.0)]
        here = _here((walltimes[0], light), (least, "with 4096"), WALLTIME)
        yield measured.evidence("work-walltime-light", where, here, checks)
    checks = [
        rises(f"walltime latency {most}, against {units[0]}", sizes.ratio(walltimes[0], walltimes[-1])),
        is_near(f"walltime latency ÷ period, {most}", sizes.ratio(periods[-1], walltimes[-1]), 1.0),
    ]
    here = _here((walltimes[0], walltimes[-1]), (least, most), WALLTIME)
    yield measured.evidence("work-walltime-heavy", where, here, checks)

    clumpiness = _levels(measured, comparison, CLUMPINESS)
    checks = [
        Check(f"clumpiness {least}", sizes.value(clumpiness[0]), above=0.9, write=percent),
        Check(f"clumpiness {most}", sizes.value(clumpiness[-1]), below=0.05, write=percent),
    ]
    here = _here((clumpiness[0], clumpiness[-1]), (least, most), CLUMPINESS)
    yield measured.evidence("work-clumpiness", where, here, checks)

    failures = _levels(measured, comparison, FAILURES, MEAN)
    worst = max(range(len(units)), key=lambda place: failures[place].mean() if len(failures[place]) else -1.0)
    title = f"failure rate with {units[worst]} units, the highest"
    checks = [Check(title, sizes.value(failures[worst]), below=_NO_FAILURE, write=percent)]
    here = _here((failures[worst],), (f"with {units[worst]} units",), FAILURES)
    yield measured.evidence("work-failures", where, here, checks)


_NO_GROWTH = {
    PERIOD: "weak-period",
    WALLTIME: "weak-walltime",
    LATENCY: "weak-latency",
    CLUMPINESS: "weak-clumpiness",
    FAILURES: "weak-failures",
}
_OVER_ALL_SIZES = (LATENCY, CLUMPINESS, FAILURES)  # others only between the two largest


def no_growth(before: pd.Series, after: pd.Series, column: str, what: str) -> list[Check]:
    """Expect a metric not to get worse; an improvement is none.

    A share that is close to 1 cannot grow by much, so what is left of it, as the messages that were not refused, must
    not shrink either.
    """
    title = f"{_TITLES[column]}, {what}"
    if column not in _SHARES:
        return [does_not_grow(title, sizes.ratio(before, after))]
    checks = [Check(title, sizes.difference(before, after), below=_SHARE_MARGIN, write=percent)]
    if before.mean() > 0.5:
        left = {FAILURES: "share delivered", CLUMPINESS: "1 − clumpiness"}[column]
        checks.append(does_not_grow(f"{left}, inverse, {what}", sizes.ratio(1 - after, 1 - before)))
    return checks


def _weak_scaling(measured: MeasuredRuns, comparison: Comparison) -> Iterator[Evidence]:
    for column, key in _NO_GROWTH.items():
        samples = _levels(measured, comparison, column)
        first = 0 if column in _OVER_ALL_SIZES else len(samples) - 2
        what = f"{comparison.labels[-1]} against {comparison.labels[first]} workers"
        here = _here(samples, [f"with {label}" for label in comparison.labels], column)
        checks = no_growth(samples[first], samples[-1], column, what)
        yield measured.evidence(key, comparison.condition, here, checks)
    *_, before, after = _levels(measured, comparison, FAILURES, MEAN)
    title = f"mean failure rate, {' against '.join(comparison.labels[:-3:-1])} workers"
    check = Check(title, sizes.difference(before, after), above=0.0, write=percent)
    here = _here((before, after), [f"with {label}" for label in comparison.labels[-2:]], FAILURES)
    yield measured.evidence("weak-outliers", comparison.condition, here, [check])


def _fault(measured: MeasuredRuns, comparison: Comparison) -> Iterator[Evidence]:
    """Weigh all workers; of a frozen host only those that are not frozen."""
    label = comparison.labels[1]
    where = f"{comparison.condition}: {label}"
    if measured.study.experiment != "faulty-host":
        means = {column: _levels(measured, comparison, column, MEAN) for column in (WALLTIME, LATENCY, FAILURES)}
        checks = [rises(f"mean {_TITLES[column]}", sizes.ratio(*means[column])) for column in (WALLTIME, LATENCY)]
        checks.append(Check("mean failure rate", sizes.difference(*means[FAILURES]), above=0.0, write=percent))
        here = "; ".join(f"{_TITLES[column]} {_here(two, comparison.labels, column)}" for column, two in means.items())
        yield measured.evidence("fault-means", where, here, checks)
        periods = _levels(measured, comparison, PERIOD, MEAN)
        checks = [does_not_grow("mean simstep period", sizes.ratio(*periods))]
        yield measured.evidence("fault-period", where, _here(periods, comparison.labels, PERIOD), checks)
    medians = {column: _levels(measured, comparison, column) for column in _TITLES}
    checks = [check for column, two in medians.items() for check in no_growth(*two, column, "median")]
    here = "; ".join(f"{_TITLES[column]} {_here(two, comparison.labels, column)}" for column, two in medians.items())
    yield measured.evidence("fault-medians", where, here, checks)


def _scale(measured: MeasuredRuns, comparison: Comparison) -> Iterator[Evidence]:
    """Weigh the two kinds of comparison of `laxity scale`: numbers of ranks, and a slow rank with none."""
    return (_fault if comparison.categorical else _weak_scaling)(measured, comparison)


_WEIGHED: dict[str, Sequence[_Weigh]] = {
    "work": (_work,),
    "hosts": (_hosts,),
    "threads-vs-processes": (_teams, _threads_have_a_tail),
    "weak-scaling": (_weak_scaling,),
    "scale": (_scale,),
    "faulty": (_fault,),
    "faulty-host": (_fault,),
}
