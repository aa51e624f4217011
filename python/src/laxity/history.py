"""A history of studies, one run directory per commit: where a response changed.

Each run directory is one observation, because its replicates share what was particular about the machine at that time.
A segment is looked for whose mean differs most from that of the rest, relative to the standard error; if it is
significant, the segment and what is before and after it are searched again. The p value comes from permutations, since
the largest of many differences is not distributed as one of them; p values are corrected by Holm for all series.

Source: circular binary segmentation, Olshen, Venkatraman, Lucito and Wigler, Biostatistics 5 (2004).

Elsewhere: two studies (``comparison``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laxity.comparison import BETTER, WORSE, reservations
from laxity.error import LaxityError
from laxity.intervals import SIGNIFICANCE, Interval, holm, ratio_interval
from laxity.layout import columns, paragraphs
from laxity.notation import bounds, counted, number
from laxity.study import Study, open_study

MIN_STUDIES = 6
"""Fewer have too few orders for a p value below 0.05."""

MAX_STUDIES = 120
"""Of more, the newest are searched."""

_MIN_SEGMENT = 2
_PERMUTATIONS, _BLOCKS = 1_990, 10
_SEED = 20_210_523


@dataclass(frozen=True)
class ChangePoint:
    """A response of a treatment that was different from some study on.

    Attributes
    ----------
    treatment, response : str
        What changed.
    study : Study
        The first one after the change.
    ratio : Interval
        Of the studies until the next change to those since the previous one.
    is_last : bool
        Whether it is the newest change of this response.
    verdict : str
        ``BETTER`` or ``WORSE``.
    """

    treatment: str
    response: str
    study: Study
    ratio: Interval
    is_last: bool
    verdict: str


def open_history(folder: Path) -> list[Study]:
    """Open the run directories below a folder that can be compared with the newest of them, by their start.

    Raises
    ------
    LaxityError
        If there are fewer than `MIN_STUDIES`, or they are of different kinds or machines.
    """
    directories = sorted(manifest.parent for manifest in folder.glob("*/manifest.json"))
    studies = sorted((open_study(path) for path in directories), key=lambda study: str(study.manifest.get("start")))
    if len(studies) < MIN_STUDIES:
        raise LaxityError(f"{folder}: a history needs {MIN_STUDIES} run directories or more, here are {len(studies)}")
    studies = studies[-MAX_STUDIES:]
    for study in studies:
        if study.manifest["kind"] != studies[-1].manifest["kind"]:
            raise LaxityError(f"{study.path} is of another kind than {studies[-1].path}; keep them in two folders")
    return studies


def differences(studies: Sequence[Study]) -> list[str]:
    """List in words which studies differ from the newest in machine or duration."""
    found = [(study, reservations(study, studies[-1])) for study in studies]
    return [f"{study.path} and {studies[-1].path}: {', '.join(words)}" for study, words in found if words]


def change_points(studies: Sequence[Study]) -> list[ChangePoint]:
    """Find where responses changed, by treatment and response, in the order of the studies.

    Parameters
    ----------
    studies : sequence of Study
        Of one kind, by time. A treatment that some lack is looked for in the others.
    """
    series = _series(studies)
    corrected = holm([first_segment(values)[1] for _, _, values in series])
    found = []
    for (name, places, values), p in zip(series, corrected, strict=True):
        if p < SIGNIFICANCE:
            found += _changes(studies, name, places, values)
    return found


def first_segment(values: ArrayLike) -> tuple[list[int], float]:
    """Find the segment of a sequence that differs most from the rest.

    Parameters
    ----------
    values : array of float, shape (n,)
        One per study, in order.

    Returns
    -------
    edges : list of int
        Where the segment begins and ends, of these what is inside the sequence; empty where it is too short.
    p : float
        Probability of a segment at least as different if the order meant nothing.
    """
    given = np.asarray(values, dtype=float)
    begins, ends = _segments(given.size)
    if not begins.size or np.ptp(given) == 0:
        return [], 1.0
    found = _clearness(given[None, :], begins, ends)[0]
    generator = np.random.default_rng(_SEED)
    at_least = 0
    for _ in range(_BLOCKS):
        shuffled = generator.permuted(np.tile(given, (_PERMUTATIONS // _BLOCKS, 1)), axis=1)
        at_least += np.count_nonzero(_clearness(shuffled, begins, ends).max(axis=1) >= found.max() * (1 - 1e-12))
    best = int(found.argmax())
    edges = [int(edge) for edge in (begins[best], ends[best]) if 0 < edge < given.size]
    return edges, (1 + at_least) / (1 + _PERMUTATIONS)


def all_changes(values: ArrayLike) -> list[int]:
    """Search a sequence, and its parts again, while a segment is significant: where the changes are, ascending."""
    given = np.asarray(values, dtype=float)
    edges, p = first_segment(given)
    if p >= SIGNIFICANCE:
        return []
    bounds_of_parts = [0, *edges, given.size]
    inside = [begin + change for begin, end in pairwise(bounds_of_parts) for change in all_changes(given[begin:end])]
    return sorted([*edges, *inside])


def render(found: Sequence[ChangePoint], studies: Sequence[Study]) -> str:
    """Write the changes as a table for a terminal."""
    summary = f"{len(studies)} studies from {studies[0].name} to {studies[-1].name}"
    if not found:
        return f"{summary}: no change\n"
    rows = [("treatment", "response", "since", "commit", "ratio", "95 % interval", "")]
    for each in found:
        commit = str(each.study.manifest.get("git_commit") or "")[:12]
        ratio = number(each.ratio.mean, padded=True), bounds(each.ratio, lambda end: number(end, padded=True))
        rows.append((each.treatment, each.response, each.study.name, commit, *ratio, each.verdict))
    heading = f"{summary}: {counted(len(found), 'change')}"
    return "\n".join([*paragraphs([heading], ""), *columns(rows, to_the_left=(0, 1, 2, 3, 6), margin="")]) + "\n"


def _series(studies: Sequence[Study]) -> list[tuple[tuple[str, str], list[int], NDArray[np.float64]]]:
    """List treatment and response, positions of the studies that have it, and its mean logarithm in each."""
    collected: dict[tuple[str, str], dict[int, float]] = {}
    for position, study in enumerate(studies):
        for treatment, own in study.samples(quality=False).items():
            for response in own.columns:
                sample = own[response].dropna()
                if len(sample) and (sample > 0).all():
                    collected.setdefault((treatment, response), {})[position] = float(np.log(sample).mean())
    return [(name, list(values), np.array(list(values.values()))) for name, values in collected.items()]


def _segments(count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """List begin and end of the segments; they, the rest, and what is before and after have `_MIN_SEGMENT` values."""
    begins, ends = np.triu_indices(count + 1, _MIN_SEGMENT)
    rest = count - (ends - begins)
    at_edges = ((begins == 0) | (begins >= _MIN_SEGMENT)) & ((ends == count) | (ends <= count - _MIN_SEGMENT))
    allowed = at_edges & (rest >= _MIN_SEGMENT)
    return begins[allowed], ends[allowed]


def _clearness(rows: NDArray[np.float64], begins: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.float64]:
    """Compute for every row and segment the variance between segment and rest ÷ that within both."""
    count = rows.shape[1]
    centered = rows - rows.mean(axis=1, keepdims=True)
    sums = np.concatenate([np.zeros((len(rows), 1)), centered.cumsum(axis=1)], axis=1)
    inside = ends - begins
    between = (sums[:, ends] - sums[:, begins]) ** 2 * count / (inside * (count - inside))
    within = (centered**2).sum(axis=1, keepdims=True) - between
    return between / np.maximum(within, 1e-30)


def _changes(
    studies: Sequence[Study], name: tuple[str, str], places: Sequence[int], values: NDArray[np.float64]
) -> list[ChangePoint]:
    changes = all_changes(values)
    edges = [0, *changes, len(values)]
    found = []
    for before, at, after in zip(edges, changes, edges[2:], strict=False):
        ratio = ratio_interval(np.exp(values[before:at]), np.exp(values[at:after]))
        assert ratio is not None
        grown, more_is_better = ratio.mean > 1, "_per_second" in name[1]
        verdict = BETTER if grown == more_is_better else WORSE
        found.append(ChangePoint(*name, studies[places[at]], ratio, at == changes[-1], verdict))
    return found
