"""Claims of the papers about best-effort communication, beside what a study found.

One row per claim and comparison: the claim in words, the figure of the paper, the figure of the study, whether the
claim holds, and a reason where it does not. The machines differ: the papers measured hosts of a cluster with MPI
between processes; here processes of one host share memory. So a claim that does not hold is a result, not an error.

Source: Moreno and Ofria, Best-effort communication improves performance and scales robustly on conventional hardware,
III-A to III-G; Moreno et al., the section on multithreading against multiprocessing.

Elsewhere: where the figures come from (``effects``), the claims about many ranks (``scaling_claims``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from laxity.notation import duration, number, percent, signed_percent
from laxity.regression import MEAN, MEDIAN
from laxity.studies.best_effort.effects import COMPLETE, RIGHTMOST, Effect, per_run

if TYPE_CHECKING:
    from laxity.studies.best_effort.comparisons import Comparison
    from laxity.studies.best_effort.study import BestEffortStudy

HOLDS, HOLDS_NOT, OPEN = "holds", "does not hold", "undecided"
MAX_MEDIAN_CHANGE = 0.10
"""Relative change of a median up to which it counts as unchanged."""

_MIN_GROWTH = 0.02  # smaller relative effects count as none
_EXCLUDED_GROWTH = 0.25  # the intervals must exclude this growth before a claim that nothing grows holds


@dataclass(frozen=True)
class Evidence:
    """One claim of a paper and the result of a study.

    Attributes
    ----------
    claim, paper, here : str
        The claim, the figure of the paper, the figure of the study.
    verdict : str
        ``HOLDS``, ``HOLDS_NOT`` or ``OPEN``.
    why : str
        Reason for another verdict than ``HOLDS``; may be empty.
    """

    claim: str
    paper: str
    here: str
    verdict: str
    why: str = ""


Weigh = Callable[["BestEffortStudy", Sequence[Effect]], Iterator[Evidence]]


def weighed(claim: str, paper: str, here: str, holds: bool, why: str = "") -> Evidence:
    """Make the evidence for a claim that either holds or does not; `why` is kept only in the latter case."""
    return Evidence(claim, paper, here, HOLDS if holds else HOLDS_NOT, "" if holds else why)


def evidence(study: BestEffortStudy, effects: Sequence[Effect]) -> list[Evidence]:
    """Weigh every claim about the experiment of a study; `effects` are those of this study."""
    return [row for weigh in _CLAIMS.get(study.experiment, ()) for row in weigh(study, effects)]


def _of(effects: Sequence[Effect], column: str, statistic: str, part: str = COMPLETE) -> list[Effect]:
    return [
        effect
        for effect in effects
        if (effect.metric.column, effect.statistic, effect.part) == (column, statistic, part)
    ]


def _by_level(study: BestEffortStudy, effect: Effect, statistic: str) -> list[float]:
    """The response of each level, over its replicates: mean of means, or median of medians."""
    column = effect.metric.column
    observed = effect.comparison.runs.join(per_run(study, statistic)[column], how="inner")
    return observed.groupby("x")[column].agg(statistic).astype(float).tolist()


def _with_medians(
    study: BestEffortStudy, effects: Sequence[Effect], column: str
) -> Iterator[tuple[Effect, list[float]]]:
    for effect in _of(effects, column, MEDIAN):
        yield effect, _by_level(study, effect, MEDIAN)


def _free_is_faster(_study: BestEffortStudy, effects: Sequence[Effect]) -> Iterator[Evidence]:
    for effect in _of(effects, "updates_per_second_per_worker", MEAN):
        if effect.comparison.categorical:
            yield weighed(
                f"Without barriers the update rate is higher than in lockstep ({effect.comparison.condition})",
                "significantly higher at 64 threads and at 4, 16 and 64 processes",
                f"{signed_percent(effect.relative.value if effect.relative else 0)} (p = {effect.p:.2g})",
                effect.sign == "+",
                "a small team loses little at barriers, and few replicates detect only large effects",
            )


def _period_follows_work(_study: BestEffortStudy, effects: Sequence[Effect]) -> Iterator[Evidence]:
    for effect in _of(effects, "simstep_period_ns", MEDIAN, RIGHTMOST):
        power = effect.absolute.value
        yield weighed(
            "Once added work exceeds the update, the period grows in proportion to it",
            "14.7 µs without, 507 ms with 16 777 216 units",
            f"the period grows as the power {number(power, 3)} of the work, between the two largest",
            0.9 <= power <= 1.1,
            "the largest added work does not dominate the update yet",
        )


def _latency_falls_to_one(study: BestEffortStudy, effects: Sequence[Effect]) -> Iterator[Evidence]:
    for _, (first, *_, last) in _with_medians(study, effects, "simstep_latency_updates"):
        yield weighed(
            "With more work between messages, the latency in updates falls to 1",
            "median 42.5 updates without added work, 1.00 with the most",
            f"median {number(first, 3)} without, {number(last, 3)} with the most",
            (last < first or first <= 1) and last < 1.5,
            _backlog(study),
        )


def _clumpiness_falls_to_zero(study: BestEffortStudy, effects: Sequence[Effect]) -> Iterator[Evidence]:
    for _, (first, *_, last) in _with_medians(study, effects, "delivery_clumpiness"):
        yield weighed(
            "Between hosts, clumpiness falls from above 0.9 to 0 as work is added",
            "0.96 without added work, 0.00 with the most",
            f"{number(first, 2)} without, {number(last, 2)} with the most",
            first > 0.9 and last < 0.05,
            "the workers are on one host, where shared memory does not delay messages",
        )


Figure = tuple[str, str, str, str, Callable[[float], str]]
"""Column of the metric, claim, figures of the paper (second treatment first), sign of the effect, format of a value."""


def _medians_of_two(labels: tuple[str, str], figures: Sequence[Figure], why: str) -> Weigh:
    """Weigh claims about the medians of two treatments."""

    def weigh(study: BestEffortStudy, effects: Sequence[Effect]) -> Iterator[Evidence]:
        for column, claim, paper, sign, write in figures:
            for effect, medians in _with_medians(study, effects, column):
                if effect.labels == labels:
                    here = f"{write(medians[1])} against {write(medians[0])}"
                    condition = effect.comparison.condition
                    yield weighed(f"{claim} ({condition})", paper, here, effect.sign == sign, why)

    return weigh


def _share(value: float) -> str:
    return number(value, 2)


# The paper's threads used a mutex and its processes MPI, so threads with a mutex correspond to its threads.
_processes_are_slower = _medians_of_two(
    ("threads", "processes"),
    (
        ("simstep_period_ns", "The period of processes is longer than that of threads", "9 µs against 4.6 µs", "+",
         duration),
        ("delivery_clumpiness", "Clumpiness is lower between processes than between threads", "0.03 against 0.54", "-",
         _share),
        ("delivery_failure_rate", "More messages are refused between processes than between threads", "0.38 against 0",
         "+", percent),
    ),
    "processes share memory here as threads do, with the same rings; in the paper they used MPI",
)  # fmt: skip

_hosts_are_far = _medians_of_two(
    ("same host", "different hosts"),
    (
        ("simstep_period_ns", "Updates take longer where neighbors are on different hosts", "14.4 µs against 9.1 µs",
         "+", duration),
        ("walltime_latency_ns", "Messages take longer between different hosts", "551 µs against 6.9 µs", "+", duration),
        ("simstep_latency_updates", "The latency in updates is higher between different hosts",
         "37 updates against 0.75", "+", lambda updates: number(updates, 3)),
        ("delivery_clumpiness", "Clumpiness is close to 1 between different hosts and to 0 within one",
         "0.96 against 0.002", "+", _share),
        ("delivery_failure_rate", "More messages are refused within a host than between different ones",
         "0 against 0.30", "-", percent),
    ),
    "ranks of one host share memory here; between hosts, flow control by the receiver bounds the messages in flight",
)  # fmt: skip

_a_mutex_explains = _medians_of_two(
    ("lock-free", "mutex"),
    (
        ("simstep_period_ns", "The period is longer with a mutex than with lock-free rings",
         "supposed to explain latencies of milliseconds between threads", "+", duration),
    ),
    "",
)  # fmt: skip


def _threads_have_a_tail(study: BestEffortStudy, effects: Sequence[Effect]) -> Iterator[Evidence]:
    """Extreme latencies show as a mean far above the median."""
    for effect in _of(effects, "walltime_latency_ns", MEAN):
        means, medians = (_by_level(study, effect, statistic) for statistic in (MEAN, MEDIAN))
        if effect.labels == ("threads", "processes") and min(medians) > 0:
            threads, processes = (mean / median for mean, median in zip(means, medians, strict=True))
            yield weighed(
                f"Some latencies are extreme between threads, none between processes ({effect.comparison.condition})",
                "mean 90 times the median between threads (451 and 5 µs), 1.1 times between processes",
                f"mean {number(threads, 3)} times the median between threads, {number(processes, 3)} between processes",
                threads > 2 * processes,
                "both use the same rings here, so only scheduling makes a difference",
            )


def _medians_are_stable(study: BestEffortStudy, effects: Sequence[Effect]) -> Iterator[Evidence]:
    for column, claim, paper in (
        ("simstep_latency_updates", "The median latency in updates does not grow with the number of workers",
         "about 7 updates from 16 to 256 processes"),
        ("delivery_failure_rate", "The median failure rate does not grow with the number of workers",
         "near 0, except with 4 processes per host and one node each"),
    ):  # fmt: skip
        for effect, medians in _with_medians(study, effects, column):
            values = " → ".join(number(median, 3) for median in medians)
            here = f"{values} for {'/'.join(effect.labels)} workers"
            verdict, why = _none_grows([effect], _backlog(study))
            yield Evidence(f"{claim} ({effect.comparison.condition})", paper, here, verdict, why)


def _by_comparison(effects: Sequence[Effect]) -> Iterator[tuple[Comparison, list[Effect], list[Effect]]]:
    """Yield every comparison with the effects on medians and on means."""
    for comparison in dict.fromkeys(effect.comparison for effect in effects):
        own = [effect for effect in effects if effect.comparison is comparison]
        yield comparison, *([effect for effect in own if effect.statistic == which] for which in (MEDIAN, MEAN))


def _a_fault_leaves_medians(_study: BestEffortStudy, effects: Sequence[Effect]) -> Iterator[Evidence]:
    for comparison, medians, means in _by_comparison(effects):
        worse = [effect.metric.title for effect in medians if _grows(effect)]
        larger = [effect.metric.title for effect in means if effect.sign == "+"]
        verdict, why = _none_grows(medians, "in a small team, neighbors of the faulty worker are a large part of all")
        yield Evidence(
            f"No median over the whole team gets worse with {comparison.other} ({comparison.condition})",
            "means of latency and failures grew with the faulty host, no median did",
            f"worse medians: {', '.join(worse) or 'none'}; larger means: {', '.join(larger) or 'none'}",
            verdict,
            why,
        )


def _a_frozen_host_leaves_the_others(_study: BestEffortStudy, effects: Sequence[Effect]) -> Iterator[Evidence]:
    for comparison, medians, _ in _by_comparison(effects):
        ratios = [_ratio(effect) for effect in medians if effect.relative is not None]
        zero = [effect.metric.title for effect in medians if effect.relative is None]
        yield weighed(
            f"While a host is frozen, the medians of the others change by at most 10 % ({comparison.condition})",
            "with a faulty host among 256 no median got worse",
            f"with ÷ without: {', '.join(ratios)}" + (f"; 0 without: {', '.join(zero)}" if zero else ""),
            all(_is_unchanged(effect) for effect in medians),
            "the frozen workers leave cores idle that others shared, and their neighbors receive fewer messages",
        )


def _is_unchanged(effect: Effect) -> bool:
    return effect.sign == "0" if effect.relative is None else abs(effect.relative.value) <= MAX_MEDIAN_CHANGE


def _ratio(effect: Effect) -> str:
    relative = effect.relative
    value, low, high = (number(1 + share, 3) for share in (relative.value, relative.low, relative.high))
    return f"{effect.metric.title} {value} [{low}, {high}]"


def _none_grows(effects: Sequence[Effect], why_it_grows: str) -> tuple[str, str]:
    """Verdict and reason by the ends of the intervals, since an effect that is not significant may be large."""
    if any(_grows(effect) for effect in effects):
        return HOLDS_NOT, why_it_grows
    if any(_may_grow(effect) for effect in effects):
        return (
            OPEN,
            f"the intervals do not exclude a growth by {_EXCLUDED_GROWTH:.0%}; more replicates would narrow them",
        )
    return HOLDS, ""


def _grows(effect: Effect) -> bool:
    small = effect.relative is not None and abs(effect.relative.value) < _MIN_GROWTH
    return effect.sign == "+" and not small


def _may_grow(effect: Effect) -> bool:
    if effect.sign == "-":
        return False
    steps = effect.levels[-1][0] - effect.levels[0][0]
    if effect.relative is None:
        return effect.absolute.high * steps > _MIN_GROWTH
    return effect.relative.high * steps > _EXCLUDED_GROWTH


def _backlog(study: BestEffortStudy) -> str:
    workers = study.runs["workers"].max()
    if study.cores and workers > study.cores:
        return f"{workers} workers share {study.cores} cores: messages wait until their reader is scheduled"
    return "a queue stays full if its sender is faster than its receiver; see the failure rate"


_CLAIMS: dict[str, Sequence[Weigh]] = {
    "performance": (_free_is_faster,),
    "work": (_period_follows_work, _latency_falls_to_one, _clumpiness_falls_to_zero),
    "hosts": (_hosts_are_far,),
    "threads-vs-processes": (_processes_are_slower, _threads_have_a_tail, _a_mutex_explains),
    "weak-scaling": (_medians_are_stable,),
    "faulty": (_a_fault_leaves_medians,),
    "faulty-host": (_a_frozen_host_leaves_the_others,),
}
