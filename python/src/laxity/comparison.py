"""Two studies side by side: the same treatments, before and after a change.

Every treatment and response is tested for a change beyond a tolerance. The family of all these tests is corrected by
Holm, so of comparisons in which nothing has changed, one in twenty has a false alarm at most. That nothing has changed
is a result too: the 90 % interval must lie within the tolerance (two one-sided tests). Where neither is shown, the
comparison says from which size on it would probably have seen a change.

Replicates of different studies are not pairs. Rounds of `interleaved` runs are, so what disturbs the machine for some
time disturbs both members of a pair.

Source: Schuirmann, A comparison of the two one-sided tests procedure, 1987.

Elsewhere: modes and treatments within one study (packages of ``studies``), the tests (``intervals``), running commands
in turn (``interleaved``), many studies (``history``), the page (``comparison_page``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from laxity.error import LaxityError
from laxity.intervals import SIGNIFICANCE, Estimate, difference_of_means, holm, mean_of
from laxity.layout import columns, paragraphs
from laxity.notation import NOTHING, counted, duration, number
from laxity.study import Study

TOLERANCE = 0.05
HEADINGS = ("response", "before", "after", "change", "95 % interval", "p", "seen from", "")
BETTER, WORSE, SAME, UNKNOWN = "better", "worse", "no difference", "cannot be told"

_OF_THE_MACHINE = ("host", "cpu_model", "cores")


@dataclass(frozen=True)
class Measured:
    """One response of one treatment before and after, not judged yet.

    Attributes
    ----------
    treatment, response : str
        What was compared.
    before, after : float
        Means over the runs: geometric, or arithmetic where a value is 0.
    change : Estimate
        Logarithm of after / before, or after - before where a value is 0.
    is_ratio : bool
        Which of the two `change` is.
    """

    treatment: str
    response: str
    before: float
    after: float
    change: Estimate
    is_ratio: bool


@dataclass(frozen=True)
class Change:
    """The judgment of one response of one treatment.

    Attributes
    ----------
    measured : Measured
        What was judged.
    p : float
        Probability of a change that looks at least as large if the true one were within the tolerance, corrected by
        Holm for all changes that were judged together.
    visible : float
        The smallest change that would have been seen with probability 0.8: a logarithm or difference, as measured.
    verdict : str
        ``BETTER``, ``WORSE``, ``SAME`` or ``UNKNOWN``.
    """

    measured: Measured
    p: float
    visible: float
    verdict: str


def compare(before: Study, after: Study, *, quality: bool = False, tolerance: float = TOLERANCE) -> list[Change]:
    """Compare the treatments that both studies have.

    Parameters
    ----------
    before, after : Study
        Of one kind.
    quality : bool
        Also the metrics of quality of service, where the kind has them.
    tolerance : float
        How far a ratio may be from 1, or a share from the other, without being a difference, >= 0.

    Returns
    -------
    list of Change
        By treatment, in the order of `before`.

    Raises
    ------
    LaxityError
        If the studies are of different kinds, of a kind that cannot be compared, or have no treatment in common.
    """
    samples = [study.samples(quality=quality) for study in (before, after)]
    if before.manifest["kind"] != after.manifest["kind"]:
        raise LaxityError(f"{before.path} and {after.path} are studies of different kinds; name two of one kind")
    shared = [treatment for treatment in samples[0] if treatment in samples[1]]
    if not shared:
        raise LaxityError(
            f"{before.path} and {after.path} have no treatment in common; repeat one with the same options"
        )
    return judged(list(_measured(shared, *samples, paired=False)), tolerance)


def compare_rounds(
    rounds: Sequence[tuple[Study, Study]], *, quality: bool = False, tolerance: float = TOLERANCE
) -> list[Change]:
    """Compare pairs of studies that ran right after one another.

    Where they have no treatment in common but equally many, as two settings have, these are compared in their order.

    Parameters
    ----------
    rounds : sequence of (Study, Study)
        Two at least; all of the same two commands.
    quality, tolerance
        As for `compare`.
    """
    of_rounds = [[_means(study.samples(quality=quality)) for study in pair] for pair in rounds]
    sides = [pd.concat([pair[side] for pair in of_rounds], keys=range(len(rounds))) for side in (0, 1)]
    samples = [{name: own.droplevel(1) for name, own in side.groupby(level=1, sort=False)} for side in sides]
    shared = [treatment for treatment in samples[0] if treatment in samples[1]]
    if not shared and len(samples[0]) == len(samples[1]):
        shared = [f"{one} → {other}" for one, other in zip(*samples, strict=True)]
        samples = [dict(zip(shared, side.values(), strict=True)) for side in samples]
    if not shared:
        raise LaxityError("the two commands have no treatment in common, and not equally many")
    return judged(list(_measured(shared, *samples, paired=True)), tolerance)


def judged(measured: Sequence[Measured], tolerance: float = TOLERANCE) -> list[Change]:
    """Judge changes as one family.

    Returns
    -------
    list of Change
        In the order of `measured`.
    """
    limits = [math.log1p(tolerance) if each.is_ratio else tolerance for each in measured]
    p = holm([_p_beyond(each.change, limit) for each, limit in zip(measured, limits, strict=True)])
    return [
        Change(
            each,
            float(corrected),
            limit + each.change.smallest_visible(len(measured)),
            _verdict(each, float(corrected), limit),
        )
        for each, corrected, limit in zip(measured, p, limits, strict=True)
    ]


def reservations(before: Study, after: Study) -> list[str]:
    """List in words what makes two studies hard to compare: other machines, other durations."""
    found = []
    for key in _OF_THE_MACHINE:
        values = [study.manifest.get(key) for study in (before, after)]
        if values[0] != values[1]:
            found.append(f"{key} {values[0]} and {values[1]}")
    durations = [study.durations() for study in (before, after)]
    if durations[0] != durations[1]:
        words = [" and ".join(duration(time) for time in sorted(own)[:3]) or "none" for own in durations]
        found.append(f"runs of {words[0]} and of {words[1]}")
    return found


def differing_options(before: Study, after: Study) -> list[str]:
    """Name the options in which the configurations differ."""
    options = [study.configuration for study in (before, after)]
    return [name for name in dict.fromkeys((*options[0], *options[1])) if options[0].get(name) != options[1].get(name)]


def remarks(before: Study, after: Study) -> list[str]:
    """List in sentences what disturbed the runs, and in which options they differ."""
    of_sides = (("before", before), ("after", after))
    found = [f"{side}: {sentence}" for side, study in of_sides for sentence in study.about_disturbances()]
    if names := differing_options(before, after):
        found.append(f"The options differ: {', '.join(names)}.")
    return found


def render(changes: Sequence[Change], tolerance: float = TOLERANCE) -> str:
    """Write changes as a table for a terminal."""
    rows: list[Sequence[str] | str] = [HEADINGS]
    treatment = None
    for each in changes:
        if each.measured.treatment != treatment:
            treatment = each.measured.treatment
            rows.append(treatment)
        rows.append(cells(each))
    return "\n".join([*columns(rows, to_the_left=(0, 7)), *paragraphs([explanation(changes, tolerance)], "")]) + "\n"


def explanation(changes: Sequence[Change], tolerance: float) -> str:
    """Say how to read the table of changes."""
    return (
        f"p values are those of a change beyond {tolerance:.1%}, corrected for {counted(len(changes), 'comparison')} "
        '(Holm). Smaller changes than those under "seen from" had a chance of less than 80 % to be seen.'
    )


def cells(change: Change) -> tuple[str, ...]:
    """Write the cells of a row under `HEADINGS`."""
    measured = change.measured
    ends = measured.change.ends()
    interval = f"[{_written(ends[0], measured)}, {_written(ends[1], measured)}]" if ends else NOTHING
    seen_from = _written(change.visible, measured) if math.isfinite(change.visible) else NOTHING
    return (
        f"  {measured.response}",
        number(measured.before),
        number(measured.after),
        ("× " if measured.is_ratio else "") + _written(measured.change.value, measured),
        interval,
        f"{change.p:.2g}" if ends else NOTHING,
        ("× " if measured.is_ratio and ends else "") + seen_from,
        change.verdict,
    )


def _written(value: float, measured: Measured) -> str:
    if not measured.is_ratio:
        return f"{value:+.3f}"
    return number(math.exp(value), 4, padded=True) if value < math.log(1e6) else "> 1 M"


def _means(samples: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Average the runs of every treatment of one round: a row per treatment, a column per response."""
    return pd.DataFrame({treatment: own.mean() for treatment, own in samples.items()}).T


def _measured(
    treatments: Sequence[str],
    before: Mapping[str, pd.DataFrame],
    after: Mapping[str, pd.DataFrame],
    *,
    paired: bool,
) -> Iterator[Measured]:
    for treatment in treatments:
        for response in before[treatment].columns:
            samples = [side[treatment][response].dropna() for side in (before, after)]
            if paired:
                rounds = samples[0].index.intersection(samples[1].index)
                samples = [sample[rounds] for sample in samples]
            values = [sample.to_numpy(dtype=float) for sample in samples]
            if all(value.size for value in values):  # a link without traffic has no quality of service
                yield _compared(treatment, response, *values, paired=paired)


def _compared(
    treatment: str, response: str, before: NDArray[np.float64], after: NDArray[np.float64], *, paired: bool
) -> Measured:
    is_ratio = bool((before > 0).all() and (after > 0).all())
    samples = (np.log(before), np.log(after)) if is_ratio else (before, after)
    change = mean_of(samples[1] - samples[0]) if paired else difference_of_means(*samples)
    means = [float(np.exp(sample.mean()) if is_ratio else sample.mean()) for sample in samples]
    return Measured(treatment, response, *means, change, is_ratio)


def _p_beyond(change: Estimate, limit: float) -> float:
    return min(1.0, 2 * min(change.p_above(limit), change.p_below(-limit)))


def _verdict(measured: Measured, p: float, limit: float) -> str:
    change = measured.change
    if p < SIGNIFICANCE:
        more_is_better = "_per_second" in measured.response  # times, failures and clumpiness should be small
        return BETTER if (change.value > 0) == more_is_better else WORSE
    if max(change.p_above(-limit), change.p_below(limit)) < SIGNIFICANCE:
        return SAME
    return UNKNOWN
