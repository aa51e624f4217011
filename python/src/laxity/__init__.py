"""Programs that do not wait: channels of arrays between processes, and the statistics of what they did.

Channels and teams::

    import laxity

    def body(worker):
        inlet = worker.sink(1 - worker.id, "float64", 8)
        outlet = worker.source(1 - worker.id, "float64", 8)
        ...

    laxity.Team(processes=2).run(body)

Run directories that the ``laxity`` command line writes (``docs/run_format.md``)::

    study = laxity.open("runs/first-light")
    study.tables["runs"]  # a pandas frame
    study.figures()  # the plots of the report

Modules: ``channels`` and ``team`` (the library), ``study`` (a run directory of any kind), ``studies`` (the kinds, a
package each), ``intervals`` and ``regression`` (statistics), ``report`` and ``terminal`` (the result).

What a name needs is imported when it is first used, so that ``import laxity`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from laxity.error import (
    DamagedFrame,
    FrameInUse,
    LaxityError,
    ReportError,
    RunDirectoryError,
    TypeMismatch,
    UsageError,
    WorkerError,
)

if TYPE_CHECKING:
    from laxity.channels import Inlet, Outlet, channel
    from laxity.study import Study
    from laxity.study import open_study as open  # noqa: A004, as in numpy, PIL and netCDF4
    from laxity.team import Team, Worker

__version__ = "0.1.0"
__all__ = [
    "DamagedFrame",
    "FrameInUse",
    "Inlet",
    "LaxityError",
    "Outlet",
    "ReportError",
    "RunDirectoryError",
    "Study",
    "Team",
    "TypeMismatch",
    "UsageError",
    "Worker",
    "WorkerError",
    "__version__",
    "channel",
    "open",
]

_PLACES = {
    "Inlet": ("laxity.channels", "Inlet"),
    "Outlet": ("laxity.channels", "Outlet"),
    "Study": ("laxity.study", "Study"),
    "Team": ("laxity.team", "Team"),
    "Worker": ("laxity.team", "Worker"),
    "channel": ("laxity.channels", "channel"),
    "open": ("laxity.study", "open_study"),
}


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module 'laxity' has no attribute {name!r}")
    module, attribute = _PLACES[name]
    globals()[name] = found = getattr(import_module(module), attribute)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
