"""Quality of service: how well best-effort messages are delivered, from the counts between two observations.

The five metrics of Moreno and Ofria with the misprints corrected. A row of ``qos.csv`` is one snapshot of one link, the
traffic of a layer from one worker to another; its counts are differences between the snapshot's two observations. The
C++ programs write the metrics beside the counts; `recompute` computes them again, and `disagreements` compares.

None of the five is ever NaN or negative: where nothing happened in a window, it is assumed to have happened just
after its end. The measured latency is NaN where no message was timed, and between hosts it may be negative, by the
error of their clocks.

Source: Moreno and Ofria, Best-effort communication improves performance and scales robustly on conventional hardware,
section II-D.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from laxity.columns import Column, tables_of
from laxity.notation import duration, number, percent

RELATIVE_TOLERANCE = 1e-6
"""Largest disagreement with the columns that C++ wrote, which are rounded."""


@dataclass(frozen=True)
class Metric:
    """A quantity of a run or a link: its column, what to call it, its unit and definition.

    ``worker`` is the column of the worker whose counters it is computed from: the sender's inlets or the receiver's
    outlets. The latency that an inlet sees is that of the outlet of the same worker on the link back.
    """

    column: str
    title: str
    unit: str
    definition: str
    worker: str = "to_worker"

    @property
    def end(self) -> str:
        """Which end of a link it is of: inlet or outlet."""
        return "inlet" if self.worker == "from_worker" else "outlet"

    @property
    def title_with_unit(self) -> str:
        """Title for a heading; the unit is left out where every value has its own."""
        return f"{self.title}, {self.unit}" if self.unit == "updates" else self.title

    def write(self, value: float, *, padded: bool = True) -> str:
        """Write a value with its unit."""
        if self.unit == "ns":
            return duration(value, padded=padded)
        return percent(value) if self.unit == "1" else number(value, 3, padded=padded)


def _metric(column: Column) -> Metric:
    title, _, meaning = column.meaning.replace("`", "").rstrip(".").partition(": ")
    definition, *rest = meaning.split("; ")
    definition = "; ".join([f"{definition}: {column.formula}", *rest])
    return Metric(
        column.name, title.lower(), column.unit, definition, "from_worker" if column.end == "sender" else "to_worker"
    )


_REAL = tuple(_metric(column) for column in tables_of("coloring")["qos"].columns if column.type == "real")

METRICS = _REAL[:5]
"""The five metrics of the paper."""

SENDER_PERIOD, ONE_WAY = _REAL[5:]
"""The simstep period at the inlet, and the latency measured by synchronized clocks. A run may lack them."""

ALL_METRICS = _REAL


def without_missing(qos: pd.DataFrame) -> pd.DataFrame:
    """Replace what was not measured by NaN: the latency where no message was timed, the inlets of older tables."""
    period = qos[SENDER_PERIOD.column].where(qos[SENDER_PERIOD.column] > 0)
    one_way = qos[ONE_WAY.column].where(qos["timed"] > 0)
    return qos.assign(**{SENDER_PERIOD.column: period, ONE_WAY.column: one_way})


def simstep_period_ns(updates: ArrayLike, window_ns: ArrayLike) -> NDArray[np.float64]:
    """Wall time per update.

    Parameters
    ----------
    updates, window_ns : array of int, shape (n,)
        Updates in each window; length of each window, ns.

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
    """One-way latency of a message in updates.

    Parameters
    ----------
    updates, touches : array of float, shape (n,)
        Updates and touches in each window, means over channels where there are several. A message carries the touch
        count of its channel pair; the receiver's count becomes 1 + the carried one, so a round trip adds 2.

    Returns
    -------
    array of float, shape (n,)
        Updates. A window without a touch counts as one with a touch, which might have happened just after it.

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
    """One-way latency of a message in time: simstep latency times simstep period.

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
    """Fraction of puts that were refused because the buffer was full.

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
    """How unevenly messages are spread over pulls: 0 where each arrives with a pull of its own.

    Parameters
    ----------
    laden, received, pulls : array of int, shape (n,)
        Pulls that received a message, messages received, and all pulls in each window.

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


def with_traffic(qos: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of links over which a message was sent or received; others have no quality of service."""
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
    return _means(qos, ["run", "layer", "from_worker", "to_worker", "channel"], ALL_METRICS)


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
    return _means(qos, ["run", "neighbor_kind"], ALL_METRICS)


def by_worker(qos: pd.DataFrame) -> pd.DataFrame:
    """Average each metric over the links of a worker: sender's metrics where it sends, receiver's where it receives.

    Parameters
    ----------
    qos : pandas.DataFrame
        The table of a run directory, or part of it. Leave out links from a worker to itself to see only its exchange
        with other workers.

    Returns
    -------
    pandas.DataFrame
        Index ``run``, ``worker``; a column per metric, NaN where a worker only sends or only receives.
    """
    of_end = [
        _means(qos, ["run", end], [metric for metric in ALL_METRICS if metric.worker == end]).rename_axis(
            ["run", "worker"]
        )
        for end in ("from_worker", "to_worker")
    ]
    joined = of_end[0].join(of_end[1], how="outer")
    return joined[[metric.column for metric in ALL_METRICS if metric.column in joined]]


def _means(qos: pd.DataFrame, by: list[str], metrics: Sequence[Metric]) -> pd.DataFrame:
    return qos.groupby(by)[[metric.column for metric in metrics if metric.column in qos]].mean()


def recompute(qos: pd.DataFrame, summed_channels: ArrayLike = 1) -> pd.DataFrame:
    """Compute the five metrics from the counts.

    Parameters
    ----------
    qos : pandas.DataFrame
        The table of a run directory.
    summed_channels : array of int, shape (n,), or int
        Number of touch counts that a row's touches are the sum of: 1 where the channels of a link share frames
        (packing), the number of channels where each has a ring of its own, that of pairs of parts where workers have
        several.

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
    """Count the rows whose metric, as C++ wrote it, differs from the one computed from the counts.

    Parameters
    ----------
    qos : pandas.DataFrame
        The table of a run directory.

    Returns
    -------
    pandas.Series of int
        Rows by metric; only metrics with a disagreement.
    """
    columns = [metric.column for metric in METRICS]
    # The table does not say how many of a link's channels had touch counts of their own. It is a whole number, which
    # the latency that was written reveals.
    summed = (qos["simstep_latency_updates"] * qos["touches"] / qos["updates"].clip(lower=1)).round()
    summed = summed.clip(lower=1, upper=qos["channels"].clip(lower=1))
    agrees = np.isclose(recompute(qos, summed)[columns], qos[columns], rtol=RELATIVE_TOLERANCE, atol=RELATIVE_TOLERANCE)
    counts = pd.Series((~agrees).sum(axis=0), index=columns)
    return counts[counts > 0]


def _missing_share(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 − part / whole, at least 0: counters read from a worker that did not answer may be inconsistent."""
    return np.clip(whole - part, 0, None) / np.maximum(whole, 1)


def _counts(*arrays: ArrayLike) -> list[NDArray[np.float64]]:
    checked = [np.asarray(array, dtype=float) for array in arrays]
    if any(array.shape != checked[0].shape for array in checked):
        raise ValueError("the counts of a snapshot must have one shape")
    if any((array < 0).any() for array in checked):
        raise ValueError("a count never decreases: differences must not be negative")
    return checked
