"""A program of a user, which `mypy --strict` reads with the types of the package; it is not run."""

# The functions of a model have fixed arguments.
# ruff: noqa: ARG001
from typing import Any

import numpy as np
import numpy.typing as npt

import laxity


def body(worker: laxity.Worker) -> float:
    inlet: laxity.Inlet = worker.sink(1 - worker.id, "float64", (2, 3), depth=4)
    outlet: laxity.Outlet = worker.source(1 - worker.id, np.float64, 6, overflow="latest")
    put: bool = inlet.put(np.zeros((2, 3)), timeout_s=1.0)
    view: npt.NDArray[Any] = outlet.get()
    return float(view.sum()) + put


def update(part: laxity.MeshPart) -> npt.NDArray[Any]:
    value: laxity.Layer = part["value"]
    part.pull()
    value.state += 1
    value.state = value.received.mean(axis=0) + value.seen[part.indices[: part.indptr[1]]].sum()
    part.flush()
    return value.state


def init(lp: Any, state: Any) -> None:
    lp.send(lp.self, 1.0, lp.event())


def handle(lp: Any, state: Any, event: Any) -> None:
    state.seen += 1


def main() -> None:
    model = laxity.Model(state=[("seen", "i8")], event=[("hops", "i8")], init=init, handle=handle, lookahead=1.0)
    result: laxity.SimulationResult = laxity.simulate(model, 10, 5.0, threads=2, digest=True)
    committed: int = result.committed
    efficiency: float = result.efficiency
    results: list[float | None] = laxity.Team(processes=2, on_loss="go_on").run(body)
    ends: tuple[laxity.Inlet, laxity.Outlet] = laxity.channel("i8", 3)
    moved: int = ends[1].pull()
    mesh = laxity.Mesh(laxity.topologies.torus(4, 4), {"value": ("f8", 3), "color": np.uint8}, workers=2)
    of_edges = laxity.Mesh([(0, 1), (1, 0)], {"value": "f8"}, workers=1, partition=[0, 0], overflow="latest")
    team = laxity.Team(processes=2, window_s=0.1)
    states: list[npt.NDArray[Any] | None] = team.run(lambda worker: update(mesh.part(worker)), duration_s=1.0)
    rates: list[float] = team.quality()["delivery_failure_rate"].tolist()
    study: laxity.Study = laxity.open("runs/first-light")
    names: list[str] = list(study.figures())
    print(committed, efficiency, results, moved, names, study.manifest["kind"])
    print(of_edges.nodes + mesh.edges, states, rates)
    laxity.channel("i8", 3, overflow="wait")  # type: ignore[arg-type]
    laxity.simulate(model, "ten", 5.0)  # type: ignore[arg-type]
    laxity.Team(threads="two")  # type: ignore[arg-type]
    laxity.Team("two")  # type: ignore[arg-type]
    laxity.Mesh([(0, 1)], ["value"], workers=1)  # type: ignore[arg-type]
    laxity.topologies.torus("4")  # type: ignore[arg-type]
