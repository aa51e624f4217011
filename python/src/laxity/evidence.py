"""What the papers claim about best-effort communication, beside what the studies of a report found.

A row per qualitative claim: the claim in words, the paper's figure, the figure here, whether it holds here, and why if
it does not. The machines differ (theirs: nodes of a cluster with MPI between processes; here: what the manifest says,
with shared memory between processes), so a claim that does not hold here is a result, not an error.

Source: Moreno and Ofria, Best-effort communication improves performance and scales robustly on conventional hardware,
III-A to III-G; Moreno et al., the section on multithreading against multiprocessing.

Elsewhere: where the figures come from (``experiments``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from laxity.experiments import COMPLETE, RIGHTMOST, Comparison, Effect, experiment_of, per_run
from laxity.notation import duration, number, percent
from laxity.regression import MEAN, MEDIAN
from laxity.run_directory import RunDirectory

HOLDS, HOLDS_NOT, OPEN = "holds", "does not hold", "cannot be told"
_SAME = 0.02  # rates and shares closer than this are called equal
_CLOSE = 0.10  # by which a median may differ and still not be moved by what happens elsewhere
_GROWTH = 0.25  # what an interval has to exclude before it is said that nothing grew


@dataclass(frozen=True)
class Evidence:
    """One claim and what became of it here.

    Attributes
    ----------
    claim, there, here : str
        The claim, the figure of the paper, the figure of this report.
    verdict : str
        ``HOLDS``, ``HOLDS_NOT`` or ``OPEN``.
    why : str
        What explains a verdict other than ``HOLDS``; may be empty.
    """

    claim: str
    there: str
    here: str
    verdict: str
    why: str = ""


def evidence(studies: Sequence[RunDirectory], effects: Sequence[Effect]) -> list[Evidence]:
    """Weigh every claim that one of the studies can say something about."""
    found = []
    for position, study in enumerate(studies):
        own = [effect for effect in effects if effect.comparison.study == position]
        for weigh in _CLAIMS.get(experiment_of(study), ()):
            found += weigh(study, own)
    return found


def _by_level(study: RunDirectory, comparison: Comparison, column: str, statistic: str) -> pd.Series:
    """The response of each level, over its replicates: mean of means, or median of medians."""
    observed = comparison.runs.join(per_run(study, statistic)[column], how="inner")
    return observed.groupby("x")[column].agg(statistic)


def _of(effects: Sequence[Effect], column: str, statistic: str, part: str = COMPLETE) -> list[Effect]:
    return [
        effect
        for effect in effects
        if effect.metric.column == column and effect.statistic == statistic and effect.part == part
    ]


def _verdict(holds: bool) -> str:
    return HOLDS if holds else HOLDS_NOT


def _free_is_faster(_study: RunDirectory, effects: Sequence[Effect]) -> list[Evidence]:
    return [
        Evidence(
            f"Without barriers workers make more updates than in lockstep ({effect.comparison.condition})",
            "significantly faster at 64 threads and at 4, 16 and 64 processes",
            f"{_signed(effect.relative.value if effect.relative else 0)} (p = {effect.line.p:.2g})",
            _verdict(effect.line.sign == "+"),
            "" if effect.line.sign == "+" else "few workers lose little at a barrier, and few replicates show little",
        )
        for effect in _of(effects, "updates_per_second_per_worker", MEAN)
        if effect.comparison.categorical
    ]


def _period_follows_work(_study: RunDirectory, effects: Sequence[Effect]) -> list[Evidence]:
    found = []
    for effect in _of(effects, "simstep_period_ns", MEDIAN, RIGHTMOST):
        power = effect.absolute
        found.append(
            Evidence(
                "Once added work exceeds the update, the period grows in proportion to it",
                "14.7 µs without, 507 ms with 16 777 216 units",
                f"period grows as work to the power {number(power.value, 3)} at the largest",
                _verdict(0.9 <= power.value <= 1.1),
                "" if 0.9 <= power.value <= 1.1 else "the largest added work does not dominate the update yet",
            )
        )
    return found


def _latency_falls_to_one(study: RunDirectory, effects: Sequence[Effect]) -> list[Evidence]:
    found = []
    for effect in _of(effects, "simstep_latency_updates", MEDIAN):
        levels = _by_level(study, effect.comparison, "simstep_latency_updates", MEDIAN)
        first, last = float(levels.iloc[0]), float(levels.iloc[-1])
        falls = last < first or first <= 1
        found.append(
            Evidence(
                "With more work between messages the latency in updates falls to 1",
                "median 42.5 updates without added work, 1.00 with the most",
                f"median {number(first, 3)} without, {number(last, 3)} with the most",
                _verdict(falls and last < 1.5),
                "" if falls and last < 1.5 else _backlog(study),
            )
        )
    return found


def _clumpiness_falls_to_zero(study: RunDirectory, effects: Sequence[Effect]) -> list[Evidence]:
    found = []
    for effect in _of(effects, "delivery_clumpiness", MEDIAN):
        levels = _by_level(study, effect.comparison, "delivery_clumpiness", MEDIAN)
        first, last = float(levels.iloc[0]), float(levels.iloc[-1])
        found.append(
            Evidence(
                "Clumpiness falls from above 0.9 to 0 as work is added, between hosts",
                "0.96 without added work, 0.00 with the most",
                f"{number(first, 2)} without, {number(last, 2)} with the most",
                _verdict(first > 0.9 and last < 0.05),
                "" if first > 0.9 and last < 0.05 else "the workers share a host: memory does not hold messages back",
            )
        )
    return found


def _processes_are_slower(study: RunDirectory, effects: Sequence[Effect]) -> list[Evidence]:
    """Threads there went through a mutex, processes through MPI: so threads with a mutex are the like of theirs."""
    figures = (
        ("simstep_period_ns", "The period of processes is longer than that of threads", "9 µs against 4.6 µs", "+",
         duration),
        ("delivery_clumpiness", "Clumpiness is lower between processes than between threads", "0.03 against 0.54", "-",
         lambda share: number(share, 2)),
        ("delivery_failure_rate", "More messages are refused between processes than between threads", "0.38 against 0",
         "+", percent),
    )  # fmt: skip
    why = "processes share memory here as threads do, with the same rings; there, they spoke MPI"
    return _two(study, effects, ("threads", "processes"), figures, why)


def _threads_have_a_tail(study: RunDirectory, effects: Sequence[Effect]) -> list[Evidence]:
    """Extreme latencies show as a mean far above the median."""
    found = []
    for effect in _of(effects, "walltime_latency_ns", MEAN):
        if tuple(label for _, label in effect.levels) != ("threads", "processes"):
            continue
        means = _by_level(study, effect.comparison, "walltime_latency_ns", MEAN)
        medians = _by_level(study, effect.comparison, "walltime_latency_ns", MEDIAN)
        if not (medians > 0).all():
            continue
        threads, processes = (float(means.iloc[level] / medians.iloc[level]) for level in (0, 1))
        holds = threads > 2 * processes
        found.append(
            Evidence(
                f"Between threads some latencies are extreme, between processes none ({effect.comparison.condition})",
                "mean 90 times the median between threads (451 and 5 µs), 1.1 times between processes",
                f"mean {number(threads, 3)} times the median between threads, {number(processes, 3)} between processes",
                _verdict(holds),
                "" if holds else "both use the same rings here, and who is held up by the system is chance",
            )
        )
    return found


def _hosts_are_far(study: RunDirectory, effects: Sequence[Effect]) -> list[Evidence]:
    figures = (
        ("simstep_period_ns", "Updates take longer where neighbors are on different hosts",
         "14.4 µs against 9.1 µs", "+", duration),
        ("walltime_latency_ns", "Messages take longer between different hosts", "551 µs against 6.9 µs", "+", duration),
        ("simstep_latency_updates", "More updates pass while a message is on its way between different hosts",
         "37 updates against 0.75", "+", lambda updates: number(updates, 3)),
        ("delivery_clumpiness", "Clumpiness is close to 1 between different hosts and to 0 within one",
         "0.96 against 0.002", "+", lambda share: number(share, 2)),
        ("delivery_failure_rate", "More messages are refused within a host than between different ones",
         "0 against 0.30", "-", percent),
    )  # fmt: skip
    why = "ranks of one host share memory here; between hosts the receiver's room bounds what may be sent"
    return _two(study, effects, ("same host", "different hosts"), figures, why)


def _two(
    study: RunDirectory,
    effects: Sequence[Effect],
    labels: tuple[str, str],
    figures: Sequence[tuple[str, str, str, str, Callable[[float], str]]],
    why: str,
) -> list[Evidence]:
    """Weigh claims about the medians of two treatments.

    A figure has the metric's column, the claim, what the paper says (second against first), the sign of the effect, and
    how to write a value.
    """
    found = []
    for column, claim, there, sign, write in figures:
        for effect in _of(effects, column, MEDIAN):
            if tuple(label for _, label in effect.levels) != labels:
                continue
            levels = _by_level(study, effect.comparison, column, MEDIAN)
            holds = effect.line.sign == sign
            found.append(
                Evidence(
                    f"{claim} ({effect.comparison.condition})",
                    there,
                    f"{write(float(levels.iloc[1]))} against {write(float(levels.iloc[0]))}",
                    _verdict(holds),
                    "" if holds else why,
                )
            )
    return found


def _a_mutex_explains(study: RunDirectory, effects: Sequence[Effect]) -> list[Evidence]:
    found = []
    for effect in _of(effects, "simstep_period_ns", MEDIAN):
        if tuple(label for _, label in effect.levels) != ("lock-free", "mutex"):
            continue
        levels = _by_level(study, effect.comparison, "simstep_period_ns", MEDIAN)
        found.append(
            Evidence(
                f"A mutex makes updates longer ({effect.comparison.condition})",
                "supposed to explain latencies of milliseconds between threads",
                f"{duration(float(levels.iloc[1]))} with a mutex, {duration(float(levels.iloc[0]))} without",
                _verdict(effect.line.sign == "+"),
            )
        )
    return found


def _medians_are_stable(study: RunDirectory, effects: Sequence[Effect]) -> list[Evidence]:
    found = []
    for column, claim, there in (
        ("simstep_latency_updates", "The median latency in updates does not grow with the number of workers",
         "about 7 updates from 16 to 256 processes"),
        ("delivery_failure_rate", "The median failure rate does not grow with the number of workers",
         "near 0, but for 4 processes a host with one node each"),
    ):  # fmt: skip
        for effect in _of(effects, column, MEDIAN):
            levels = _by_level(study, effect.comparison, column, MEDIAN)
            values = " → ".join(number(float(value), 3) for value in levels)
            verdict = _none_grows([effect])
            found.append(
                Evidence(
                    f"{claim} ({effect.comparison.condition})",
                    there,
                    f"{values} for {'/'.join(label for _, label in effect.levels)} workers",
                    verdict,
                    _why_not(verdict, _backlog(study)),
                )
            )
    return found


def _a_fault_leaves_medians(_study: RunDirectory, effects: Sequence[Effect]) -> list[Evidence]:
    found = []
    conditions = {id(effect.comparison): effect.comparison for effect in effects}
    for comparison in conditions.values():
        own = [effect for effect in effects if effect.comparison is comparison and effect.statistic == MEDIAN]
        worse = [effect.metric.title for effect in own if _grows(effect)]
        verdict = _none_grows(own)
        means = [
            effect.metric.title
            for effect in effects
            if effect.comparison is comparison and effect.statistic == MEAN and effect.line.sign == "+"
        ]
        found.append(
            Evidence(
                f"Of the whole team no median gets worse with {comparison.levels[-1][1]} ({comparison.condition})",
                "means of latency and failures grew with the faulty host, no median did",
                f"worse medians: {', '.join(worse) or 'none'}; larger means: {', '.join(means) or 'none'}",
                verdict,
                _why_not(verdict, "in a small team the neighbors of the worker are a large part of all"),
            )
        )
    return found


def _a_frozen_node_leaves_the_others(_study: RunDirectory, effects: Sequence[Effect]) -> list[Evidence]:
    found = []
    conditions = {id(effect.comparison): effect.comparison for effect in effects}
    for comparison in conditions.values():
        own = [effect for effect in effects if effect.comparison is comparison and effect.statistic == MEDIAN]
        ratios = [_ratio(effect) for effect in own if effect.relative is not None]
        zero = [effect.metric.title for effect in own if effect.relative is None]
        moved = [effect for effect in own if not _is_close(effect)]
        found.append(
            Evidence(
                f"While a host stands still the medians of the others stay within 10 % ({comparison.condition})",
                "with a faulty host among 256 no median got worse",
                f"with it ÷ without: {', '.join(ratios)}" + (f"; 0 without: {', '.join(zero)}" if zero else ""),
                _verdict(not moved),
                "who shares a core with it feels it, and a neighbor has fewer messages to take" if moved else "",
            )
        )
    return found


def _is_close(effect: Effect) -> bool:
    return effect.line.sign == "0" if effect.relative is None else abs(effect.relative.value) <= _CLOSE


def _ratio(effect: Effect) -> str:
    relative = effect.relative
    value, low, high = (number(1 + share, 3) for share in (relative.value, relative.low, relative.high))
    return f"{effect.metric.title} {value} [{low}, {high}]"


def _none_grows(effects: Sequence[Effect]) -> str:
    """Whether nothing grew: told by the ends of the intervals, since what is not significant may still be large."""
    if any(_grows(effect) for effect in effects):
        return HOLDS_NOT
    return OPEN if any(_may_grow(effect) for effect in effects) else HOLDS


def _why_not(verdict: str, why_it_grows: str) -> str:
    if verdict == OPEN:
        return f"the intervals do not exclude a growth by {_GROWTH:.0%}; more replicates would tell"
    return why_it_grows if verdict == HOLDS_NOT else ""


def _grows(effect: Effect) -> bool:
    small = effect.relative is not None and abs(effect.relative.value) < _SAME
    return effect.line.sign == "+" and not small


def _may_grow(effect: Effect) -> bool:
    if effect.line.sign == "-":
        return False
    steps = effect.levels[-1][0] - effect.levels[0][0]
    if effect.relative is None:
        return effect.absolute.high * steps > _SAME
    return effect.relative.high * steps > _GROWTH


def _backlog(study: RunDirectory) -> str:
    cores = study.manifest.get("cores")
    if isinstance(cores, int) and (study.runs["workers"] > cores).any():
        most = study.runs["workers"].max()
        return f"{most} workers share {cores} cores: messages wait while their reader does not run"
    return "a queue that one side fills faster than the other empties it stays full; see the failure rate"


def _signed(share: float) -> str:
    return f"{'+' if share > 0 else '−'}{percent(abs(share))}"


_CLAIMS: dict[str, Sequence[Callable[[RunDirectory, Sequence[Effect]], list[Evidence]]]] = {
    "performance": (_free_is_faster,),
    "work": (_period_follows_work, _latency_falls_to_one, _clumpiness_falls_to_zero),
    "hosts": (_hosts_are_far,),
    "threads-vs-processes": (_processes_are_slower, _threads_have_a_tail, _a_mutex_explains),
    "weak-scaling": (_medians_are_stable,),
    "faulty": (_a_fault_leaves_medians,),
    "faulty-host": (_a_frozen_node_leaves_the_others,),
}
