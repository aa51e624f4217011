"""Quality of service: how well best-effort messages get through, from the counts between two observations.

The five metrics of Moreno and Ofria with the misprints put right. A row of ``qos.csv`` is one snapshot of one link, the
traffic of a layer from one worker to another; its counts are differences between the snapshot's two observations. The
C++ side writes the metrics beside the counts; here they are computed again, and ``disagreements`` compares.

None of the metrics is ever NaN or negative: where nothing happened in a window, the best case is assumed, that it would
have happened just after its end.

Source: Moreno and Ofria, Best-effort communication improves performance and scales robustly on conventional hardware,
section II-D.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

RELATIVE_TOLERANCE = 1e-6
"""Largest disagreement with the columns that C++ wrote; they are printed with fewer digits than they had."""


@dataclass(frozen=True)
class Metric:
    """One entry of the catalog: its column in ``qos.csv``, what to call it and how to read it.

    ``worker`` is the column of the worker whose counters it comes from: the sender's inlets or the receiver's outlets.
    """

    column: str
    title: str
    unit: str
    definition: str
    worker: str = "to_worker"


METRICS = (
    Metric("simstep_period_ns", "simstep period", "ns", "wall time per update: Δtime / Δupdates"),
    Metric(
        "simstep_latency_updates",
        "simstep latency",
        "updates",
        "updates that pass while a message travels one way: Δupdates / max(Δtouches, 1); a round trip touches twice",
    ),
    Metric("walltime_latency_ns", "walltime latency", "ns", "time of one way: simstep latency × simstep period"),
    Metric(
        "delivery_failure_rate",
        "delivery failure rate",
        "1",
        "share of messages refused because the buffer was full: 1 − Δaccepted / Δattempted; 0 when none was sent",
        worker="from_worker",
    ),
    Metric(
        "delivery_clumpiness",
        "delivery clumpiness",
        "1",
        "how far messages arrive in bunches: 1 − Δladen pulls / min(Δreceived, Δpulls); 0 when none was received",
    ),
)


def simstep_period_ns(updates: ArrayLike, window_ns: ArrayLike) -> NDArray[np.float64]:
    """Wall time per update.

    Parameters
    ----------
    updates, window_ns : array of int, shape (n,)
        Updates done in each window; length of each window, ns.

    Returns
    -------
    array of float, shape (n,)
        ns. A window without an update counts as one, which might have ended just after it.

    Raises
    ------
    ValueError
        If shapes differ or a count is negative.

    References
    ----------
    Moreno and Ofria, II-D 1; the paper prints the inverse.
    """
    updates, window_ns = _counts(updates, window_ns)
    return window_ns / np.maximum(updates, 1)


def simstep_latency_updates(updates: ArrayLike, touches: ArrayLike) -> NDArray[np.float64]:
    """Updates that pass while a message travels one way.

    Parameters
    ----------
    updates, touches : array of float, shape (n,)
        Updates done and touches counted in each window, a mean where there are several channels. A message carries the
        touch count of its channel pair; on receipt the own count becomes 1 + the carried one: a round trip adds 2.

    Returns
    -------
    array of float, shape (n,)
        Updates. A window without a touch counts as one, which might have come just after it.

    Raises
    ------
    ValueError
        If shapes differ or a count is negative.

    References
    ----------
    Moreno and Ofria, II-D 2; the paper prints min where max is meant.
    """
    updates, touches = _counts(updates, touches)
    return updates / np.maximum(touches, 1)


def walltime_latency_ns(updates: ArrayLike, touches: ArrayLike, window_ns: ArrayLike) -> NDArray[np.float64]:
    """Time that a message travels one way: simstep latency times simstep period.

    Parameters
    ----------
    updates, touches, window_ns : array of int, shape (n,)
        As for `simstep_latency_updates` and `simstep_period_ns`.

    Returns
    -------
    array of float, shape (n,)
        ns.

    Raises
    ------
    ValueError
        If shapes differ or a count is negative.

    References
    ----------
    Moreno and Ofria, II-D 3.
    """
    return simstep_latency_updates(updates, touches) * simstep_period_ns(updates, window_ns)


def delivery_failure_rate(accepted: ArrayLike, attempted: ArrayLike) -> NDArray[np.float64]:
    """Share of puts that were refused because the buffer was full.

    Parameters
    ----------
    accepted, attempted : array of int, shape (n,)
        Puts in each window.

    Returns
    -------
    array of float, shape (n,)
        Dimensionless, in [0, 1]; 0 where no put was made.

    Raises
    ------
    ValueError
        If shapes differ or a count is negative.

    References
    ----------
    Moreno and Ofria, II-D 4; the paper prints the success rate.
    """
    accepted, attempted = _counts(accepted, attempted)
    return _missing_share(accepted, attempted)


def delivery_clumpiness(laden: ArrayLike, received: ArrayLike, pulls: ArrayLike) -> NDArray[np.float64]:
    """How far messages arrive in bunches instead of one with each pull.

    Parameters
    ----------
    laden, received, pulls : array of int, shape (n,)
        Pulls that brought a message, messages that pulls brought, and all pulls in each window.

    Returns
    -------
    array of float, shape (n,)
        Dimensionless, in [0, 1]; 0 where nothing was received.

    Raises
    ------
    ValueError
        If shapes differ or a count is negative.

    References
    ----------
    Moreno and Ofria, II-D 5.
    """
    laden, received, pulls = _counts(laden, received, pulls)
    return _missing_share(laden, np.minimum(received, pulls))


def spoken_over(qos: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of links over which something was sent or received; the others tell nothing about quality."""
    return qos[(qos["attempted"] > 0) | (qos["received"] > 0)]


def by_channel(qos: pd.DataFrame) -> pd.DataFrame:
    """Average each metric over the snapshots of a channel.

    Parameters
    ----------
    qos : pandas.DataFrame
        The table of a run directory, or part of it. Channels have rows of their own if the study was run with
        ``--per-channel`` and packing plain; else a row is a link with all its channels.

    Returns
    -------
    pandas.DataFrame
        Index ``run``, ``layer``, ``from_worker``, ``to_worker``, ``channel``; a column per metric.
    """
    return _means(qos, ["run", "layer", "from_worker", "to_worker", "channel"], METRICS)


def by_neighbor_kind(qos: pd.DataFrame) -> pd.DataFrame:
    """Average each metric over the links and snapshots of a neighbor kind.

    Parameters
    ----------
    qos : pandas.DataFrame
        The table of a run directory, or part of it.

    Returns
    -------
    pandas.DataFrame
        Index ``run``, ``neighbor_kind``; a column per metric.
    """
    return _means(qos, ["run", "neighbor_kind"], METRICS)


def by_worker(qos: pd.DataFrame) -> pd.DataFrame:
    """Average each metric over the links of a worker: the sender's where it sends, the others where it receives.

    Parameters
    ----------
    qos : pandas.DataFrame
        The table of a run directory, or part of it; leave out links from a worker to itself to see how it gets on with
        the others.

    Returns
    -------
    pandas.DataFrame
        Index ``run``, ``worker``; a column per metric, NaN where a worker only sends or only receives.
    """
    of_end = [
        _means(qos, ["run", end], [metric for metric in METRICS if metric.worker == end]).rename_axis(["run", "worker"])
        for end in ("from_worker", "to_worker")
    ]
    return of_end[0].join(of_end[1], how="outer")[[metric.column for metric in METRICS]]


def _means(qos: pd.DataFrame, by: list[str], metrics: Sequence[Metric]) -> pd.DataFrame:
    return qos.groupby(by)[[metric.column for metric in metrics]].mean()


def recompute(qos: pd.DataFrame, summed_channels: ArrayLike = 1) -> pd.DataFrame:
    """Compute the five metrics from the counts.

    Parameters
    ----------
    qos : pandas.DataFrame
        The table of a run directory.
    summed_channels : array of int, shape (n,), or int
        Touch counts that were summed in a row's touches: 1 where the channels of a link share frames (packing), as many
        as there are channels where each has a ring of its own, those of pairs of parts where workers have several.

    Returns
    -------
    pandas.DataFrame
        A column per metric, named as in ``qos.csv``; same index.
    """
    touches = qos["touches"] / summed_channels
    columns = {
        "simstep_period_ns": simstep_period_ns(qos["updates"], qos["window_ns"]),
        "simstep_latency_updates": simstep_latency_updates(qos["updates"], touches),
        "walltime_latency_ns": walltime_latency_ns(qos["updates"], touches, qos["window_ns"]),
        "delivery_failure_rate": delivery_failure_rate(qos["accepted"], qos["attempted"]),
        "delivery_clumpiness": delivery_clumpiness(qos["laden"], qos["received"], qos["pulls"]),
    }
    return pd.DataFrame(columns, index=qos.index)


def disagreements(qos: pd.DataFrame) -> pd.Series:
    """Count the rows whose metric, as C++ wrote it, is not what its counts say.

    Parameters
    ----------
    qos : pandas.DataFrame
        The table of a run directory.

    Returns
    -------
    pandas.Series of int
        Rows by metric; only metrics with a disagreement, so empty when all is well.
    """
    columns = [metric.column for metric in METRICS]
    # The table does not say how many of a link's channels had touch counts of their own; some whole number must be
    # right, and the latency written tells which one to try.
    summed = (qos["simstep_latency_updates"] * qos["touches"] / qos["updates"].clip(lower=1)).round()
    summed = summed.clip(lower=1, upper=qos["channels"].clip(lower=1))
    agrees = np.isclose(recompute(qos, summed)[columns], qos[columns], rtol=RELATIVE_TOLERANCE, atol=RELATIVE_TOLERANCE)
    counts = pd.Series((~agrees).sum(axis=0), index=columns)
    return counts[counts > 0]


def _missing_share(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 − part / whole. A worker that was read while it did not answer may show more parts than wholes."""
    return np.clip(whole - part, 0, None) / np.maximum(whole, 1)


def _counts(*arrays: ArrayLike) -> list[NDArray[np.float64]]:
    checked = [np.asarray(array, dtype=float) for array in arrays]
    if any(array.shape != checked[0].shape for array in checked):
        raise ValueError("counts of one snapshot have one shape")
    if any((array < 0).any() for array in checked):
        raise ValueError("a count never decreases")
    return checked
