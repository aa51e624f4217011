"""Programs that do not wait: channels of arrays between processes, and the statistics of what they did.

Channels and teams::

    import laxity

    def body(worker):
        inlet = worker.sink(1 - worker.id, "float64", 8)
        outlet = worker.source(1 - worker.id, "float64", 8)
        ...

    laxity.Team(processes=2).run(body)

Meshes: a graph spread over the workers of a team, programmed in blocks of arrays (`Mesh`).

Simulations, whose handlers numba compiles (`Model`)::

    laxity.simulate(model, logical_processes=1000, end_time=500.0, threads=2)

Run directories that the ``laxity`` command line writes (``docs/run_format.md``)::

    study = laxity.open("runs/first-light")
    study.tables["runs"]  # a pandas frame
    study.figures()  # the plots of the report

Modules: ``channels``, ``mesh``, ``topologies``, ``team`` and ``simulation`` (the library), ``study`` (a run directory
of any kind), ``studies`` (the kinds, a package each), ``intervals`` and ``regression`` (statistics), ``report`` and
``terminal`` (the result).

What a name needs is imported when it is first used, so that ``import laxity`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from laxity.error import (
    DamagedFrame,
    FrameInUse,
    LaxityError,
    ModelError,
    ReportError,
    RunDirectoryError,
    TypeMismatch,
    UsageError,
    WorkerError,
)

if TYPE_CHECKING:
    from laxity import topologies
    from laxity.channels import Inlet, Outlet, channel
    from laxity.mesh import Layer, Mesh, MeshPart
    from laxity.simulation import Model, SimulationResult, check, simulate
    from laxity.study import Study
    from laxity.study import open_study as open  # noqa: A004, as in numpy, PIL and netCDF4
    from laxity.team import Team, Worker

__version__ = "0.1.0"
__all__ = [
    "DamagedFrame",
    "FrameInUse",
    "Inlet",
    "LaxityError",
    "Layer",
    "Mesh",
    "MeshPart",
    "Model",
    "ModelError",
    "Outlet",
    "ReportError",
    "RunDirectoryError",
    "SimulationResult",
    "Study",
    "Team",
    "TypeMismatch",
    "UsageError",
    "Worker",
    "WorkerError",
    "__version__",
    "channel",
    "check",
    "open",
    "simulate",
    "topologies",
]

_PLACES = {
    "Inlet": ("laxity.channels", "Inlet"),
    "Layer": ("laxity.mesh", "Layer"),
    "Mesh": ("laxity.mesh", "Mesh"),
    "MeshPart": ("laxity.mesh", "MeshPart"),
    "Model": ("laxity.simulation", "Model"),
    "Outlet": ("laxity.channels", "Outlet"),
    "SimulationResult": ("laxity.simulation", "SimulationResult"),
    "Study": ("laxity.study", "Study"),
    "Team": ("laxity.team", "Team"),
    "Worker": ("laxity.team", "Worker"),
    "channel": ("laxity.channels", "channel"),
    "check": ("laxity.simulation", "check"),
    "open": ("laxity.study", "open_study"),
    "simulate": ("laxity.simulation", "simulate"),
    "topologies": ("laxity.topologies", None),
}


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module 'laxity' has no attribute {name!r}")
    place, attribute = _PLACES[name]
    module = import_module(place)
    globals()[name] = found = module if attribute is None else getattr(module, attribute)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
