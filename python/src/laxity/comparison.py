"""Two studies side by side: the same treatments, before and after a change.

Replicates of different studies are not pairs, so the ratio of their means has an interval from resampling each study
independently. A treatment is worse where the whole interval lies beyond a tolerance on the bad side, so that automatic
checks can act on it.

Elsewhere: modes and treatments within one study (packages of ``studies``), the intervals (``intervals``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from laxity.error import LaxityError
from laxity.intervals import Interval, ratio_interval
from laxity.layout import columns
from laxity.notation import NOTHING, number
from laxity.study import Study

TOLERANCE = 0.05
BETTER, WORSE, SAME, UNKNOWN = "better", "worse", "no difference", "too few runs"


@dataclass(frozen=True)
class Ratio:
    """One response of one treatment in two studies.

    Attributes
    ----------
    treatment, response : str
        What was compared.
    before, after : float
        Means over the replicates of each study.
    ratio : Interval or None
        after / before; without ends where a study has one replicate, None where `before` is 0.
    verdict : str
        ``BETTER``, ``WORSE``, ``SAME`` or ``UNKNOWN``.
    """

    treatment: str
    response: str
    before: float
    after: float
    ratio: Interval | None
    verdict: str


def compare(before: Study, after: Study, *, quality: bool = False, tolerance: float = TOLERANCE) -> list[Ratio]:
    """Compare the treatments that both studies have.

    Parameters
    ----------
    before, after : Study
        Of one kind.
    quality : bool
        Also the metrics of quality of service, where the kind has them.
    tolerance : float
        How far a ratio may be from 1 without being a difference, >= 0.

    Returns
    -------
    list of Ratio
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
    found = (
        _ratio(treatment, response, samples[0][treatment][response], samples[1][treatment][response], tolerance)
        for treatment in shared
        for response in samples[0][treatment].columns
    )
    return [ratio for ratio in found if ratio is not None]


def render(ratios: Sequence[Ratio]) -> str:
    """Write the ratios as a table for a terminal."""
    rows = [("treatment", "response", "before", "after", "ratio", "95 % interval", "")]
    for each in ratios:
        ends = f"[{each.ratio.low:.3f}, {each.ratio.high:.3f}]" if each.ratio and each.ratio.known else NOTHING
        mean = f"{each.ratio.mean:.3f}" if each.ratio else NOTHING
        rows.append((each.treatment, each.response, number(each.before), number(each.after), mean, ends, each.verdict))
    return "\n".join(columns(rows, to_the_left=(0, 1, 6), margin="")) + "\n"


def _ratio(treatment: str, response: str, before: pd.Series, after: pd.Series, tolerance: float) -> Ratio | None:
    samples = [sample.dropna().to_numpy(dtype=float) for sample in (before, after)]
    if not all(sample.size for sample in samples):
        return None  # a link without traffic has no quality of service
    ratio = ratio_interval(*samples)
    means = [float(sample.mean()) for sample in samples]
    return Ratio(treatment, response, *means, ratio, _verdict(response, ratio, tolerance))


def _verdict(response: str, ratio: Interval | None, tolerance: float) -> str:
    if ratio is None or not ratio.known:
        return UNKNOWN
    grown, shrunk = ratio.low > 1 + tolerance, ratio.high < 1 - tolerance
    if not (grown or shrunk):
        return SAME
    more_is_better = "_per_second" in response  # times, failures and clumpiness should be small
    return BETTER if grown == more_is_better else WORSE
