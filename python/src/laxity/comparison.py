"""Two studies side by side: the same treatments, before and after a change.

Replicates of different studies are not pairs, so the ratio of their means gets its interval by resampling each study by
itself. A treatment is worse where the whole interval lies beyond a tolerance on the bad side; that is what an automatic
check can act on.

Elsewhere: modes and treatments within one study (``treatments``, ``experiments``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from laxity.bootstrap import CONFIDENCE, RESAMPLES, SEED, Interval
from laxity.error import LaxityError
from laxity.experiments import per_run
from laxity.notation import NOTHING, THIN_SPACE, number
from laxity.quality_of_service import METRICS
from laxity.regression import MEAN
from laxity.run_directory import RunDirectory
from laxity.simulation_directory import SimulationDirectory
from laxity.treatments import MODES

TOLERANCE = 0.05
BETTER, WORSE, SAME, UNKNOWN = "better", "worse", "no difference", "too few runs"

_COLORING = ("shape", "mode", "nodes_per_worker", "work", "guard", "fault", "reaction", "parts_per_worker", "hosts")
_PHOLD = ("team", "shape", "receivers", "range", "remote", "lps", "events_per_lp", "queue", "optimism")
_CUSTOM = ("treatment", "shape")
_RATE, _EVENTS = "updates_per_second_per_worker", "committed_per_second"
_MORE_IS_BETTER = (_RATE, _EVENTS)
QUALITY = tuple(metric.column for metric in METRICS)


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


def compare(
    before: RunDirectory | SimulationDirectory,
    after: RunDirectory | SimulationDirectory,
    *,
    quality: bool = False,
    tolerance: float = TOLERANCE,
) -> list[Ratio]:
    """Compare the treatments that both studies have.

    Parameters
    ----------
    before, after : RunDirectory or SimulationDirectory
        Of one kind.
    quality : bool
        Also the five metrics of quality of service, of graph coloring.
    tolerance : float
        How far a ratio may be off 1 before it matters, >= 0.

    Returns
    -------
    list of Ratio
        By treatment, in the order of `before`.

    Raises
    ------
    LaxityError
        If the studies are of different kinds or have no treatment in common.
    """
    for study in (before, after):
        if not isinstance(study, RunDirectory | SimulationDirectory):
            raise LaxityError(f"{study.path}: studies of this kind cannot be compared yet; name one of laxity study")
    if before.manifest.get("kind") != after.manifest.get("kind"):
        raise LaxityError(f"{before.path} and {after.path} are studies of different kinds; compare like with like")
    coloring = isinstance(before, RunDirectory)
    keys = (_CUSTOM if before.is_custom else _COLORING) if coloring else _PHOLD
    responses = ((_RATE, *QUALITY) if quality else (_RATE,)) if coloring else (_EVENTS,)
    samples = [_samples(study, keys, responses) for study in (before, after)]
    shared = [key for key in samples[0] if key in samples[1]]
    if not shared:
        raise LaxityError(
            f"{before.path} and {after.path} have no treatment in common; repeat one with the same options"
        )
    return [
        ratio
        for key in shared
        for response in responses
        if (ratio := _ratio(_title(keys, key), response, samples[0][key], samples[1][key], tolerance))
    ]


def render(ratios: Sequence[Ratio]) -> str:
    """Write the ratios as a table for a terminal."""
    rows = [("treatment", "response", "before", "after", "ratio", "95 % interval", "")]
    for each in ratios:
        ends = f"[{each.ratio.low:.3f}, {each.ratio.high:.3f}]" if each.ratio and each.ratio.known else NOTHING
        mean = f"{each.ratio.mean:.3f}" if each.ratio else NOTHING
        rows.append((each.treatment, each.response, number(each.before), number(each.after), mean, ends, each.verdict))
    plain = [tuple(cell.replace(THIN_SPACE, " ") for cell in row) for row in rows]
    widths = [max(len(row[column]) for row in plain) for column in range(len(plain[0]))]
    to_the_left = (0, 1, len(widths) - 1)
    lines = []
    for row in plain:
        cells = [
            cell.ljust(width) if column in to_the_left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def ratio_interval(before: NDArray[np.float64], after: NDArray[np.float64]) -> Interval | None:
    """Mean of `after` over mean of `before` with a percentile bootstrap interval; None where the latter is 0.

    Parameters
    ----------
    before, after : array of float, shape (n,), (m,)
        Independent replicates, not negative; n, m >= 1. The interval is left out where either is 1.
    """
    base = float(before.mean())
    if not base > 0:
        return None
    mean = float(after.mean()) / base
    count = min(before.size, after.size)
    if count < 2:
        return Interval(mean, None, None, count)
    generator = np.random.default_rng(SEED)
    drawn = [
        sample[generator.integers(0, sample.size, (RESAMPLES, sample.size))].mean(axis=1) for sample in (before, after)
    ]
    usable = drawn[0] > 0
    low, high = np.quantile(drawn[1][usable] / drawn[0][usable], ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    return Interval(mean, float(low), float(high), count)


def _samples(study, keys: Sequence[str], responses: Sequence[str]) -> dict[tuple, pd.DataFrame]:
    runs = study.ended_runs().set_index("run")
    if isinstance(study, RunDirectory):
        runs = runs.drop(columns=[_RATE, "conflicts", "moves"]).join(per_run(study, MEAN), how="left")
    return {key: of_key[list(responses)] for key, of_key in runs.groupby(list(keys), sort=False)}


def _ratio(treatment: str, response: str, before: pd.DataFrame, after: pd.DataFrame, tolerance: float) -> Ratio | None:
    samples = [frame[response].dropna().to_numpy(dtype=float) for frame in (before, after)]
    if not all(sample.size for sample in samples):
        return None  # nothing was sent, so there is no quality to compare
    ratio = ratio_interval(*samples)
    means = [float(sample.mean()) for sample in samples]
    return Ratio(treatment, response, *means, ratio, _verdict(response, ratio, tolerance))


def _verdict(response: str, ratio: Interval | None, tolerance: float) -> str:
    if ratio is None or ratio.low is None or ratio.high is None:
        return UNKNOWN
    grown, shrunk = ratio.low > 1 + tolerance, ratio.high < 1 - tolerance
    if not (grown or shrunk):
        return SAME
    return BETTER if grown == (response in _MORE_IS_BETTER) else WORSE


def _title(keys: Sequence[str], key: tuple) -> str:
    words = dict(zip(keys, key, strict=True))
    if keys is _CUSTOM:
        return f"{words['treatment']}, {words['shape']}"
    if keys is _PHOLD:
        return f"{words['team']} {words['shape']} {words['receivers']} {words['queue']} {words['optimism']}"
    title = f"{words['shape']}, {MODES[words['mode']].title}, {words['nodes_per_worker']} nodes each"
    title += f", work {words['work']}" if words["work"] else ""
    title += ", mutex" if words["guard"] == "mutex" else ""
    title += f", {words['fault']}" if words["fault"] != "none" else ""
    title += f", {words['parts_per_worker']} parts per worker" if words["parts_per_worker"] != 1 else ""
    title += f", reaction {words['reaction']}" if words["reaction"] != "none" else ""
    return title + (f", on {words['hosts']} hosts" if words["hosts"] != 1 else "")
