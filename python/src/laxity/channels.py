"""Channels of NumPy arrays between threads and processes: the sender never waits, the receiver reads in place.

An inlet accepts arrays of one dtype and shape; its outlet shows one of them at a time. A buffer holds `depth` arrays in
between; what happens when it is full is the channel's overflow policy. Counters say how many were refused or lost.

References
----------
Moreno, Rodriguez Papa, Ofria, Conduit: a C++ library for best-effort high performance computing (2021).

Elsewhere: teams of processes (``team``), the C++ library (``laxity/channel``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from laxity.error import LaxityError, UsageError

try:
    from laxity import _core as _core  # for the other modules, too
except ImportError:
    raise LaxityError(
        "this laxity has no extension module: install the wheel (make wheel), or build the source tree with nanobind "
        "and put build/<preset>/python on PYTHONPATH"
    ) from None

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    import numpy.typing as npt

Inlet = _core.Inlet
Outlet = _core.Outlet

Overflow: TypeAlias = Literal["drop_newest", "drop_oldest", "latest"]
"""Whether a full channel refuses the new array, or overwrites the oldest; ``latest`` keeps one, whatever the depth."""


def channel(
    dtype: npt.DTypeLike,
    shape: int | Sequence[int] = (),
    *,
    depth: int = 2,
    overflow: Overflow = "drop_newest",
    send_on_change: bool = False,
) -> tuple[Inlet, Outlet]:
    """Make a channel between two threads, or between two processes that are forked later.

    Parameters
    ----------
    dtype, shape
        Of every array; numbers and structures of numbers.
    depth : int
        Arrays in flight, at least 1.
    overflow : {"drop_newest", "drop_oldest", "latest"}
        What a full channel does with a put: it refuses the array, or overwrites the oldest, or keeps only the newest.
    send_on_change : bool
        Not to send an array equal to the one before.

    Returns
    -------
    inlet, outlet
        One thread or process uses the inlet, one the outlet. Before the first array the outlet shows zeros.

    Raises
    ------
    UsageError
        If elements are no numbers, the shape is empty, or an option is out of range.
    """
    return _core.channel(initial_array(dtype, shape), depth, overflow, send_on_change)


def initial_array(dtype: npt.DTypeLike, shape: int | Sequence[int]) -> npt.NDArray[Any]:
    """Make what an outlet of this type shows before the first pull: zeros that cannot be written."""
    try:
        initial = np.zeros(shape, dtype)
    except (TypeError, ValueError) as error:
        raise UsageError(f"dtype = {dtype!r}, shape = {shape!r}: {error}") from None
    if initial.dtype.hasobject:
        raise UsageError(f"dtype = {initial.dtype}: objects of Python cannot leave their process; use numbers")
    initial.flags.writeable = False
    return initial
