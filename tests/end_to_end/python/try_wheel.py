"""Tries an installed wheel: command, report, channel, team and mesh. Run by scripts/wheel in an empty folder."""

import subprocess
from pathlib import Path

import numpy as np

import laxity


def body(worker):
    inlet = worker.sink(1 - worker.id, "float64", 8)
    outlet = worker.source(1 - worker.id, "float64", 8)
    inlet.put(np.full(8, float(worker.id)))
    outlet.step()
    return float(outlet.get()[0])


assert "site-packages" in laxity.__file__, laxity.__file__
version = subprocess.run(["laxity", "--version"], capture_output=True, text=True, check=True).stdout
assert laxity.__version__ in version, version
assert laxity.Team(processes=2).run(body) == [1.0, 0.0]
mesh = laxity.Mesh([(0, 1), (1, 0)], {"value": "f8"}, workers=2)


def exchange(worker):
    part = mesh.part(worker)
    part["value"].state[:] = worker.id
    part.flush()
    worker.barrier()
    part.pull()
    return float(part["value"].received[0, 0])


assert laxity.Team(processes=2).run(exchange) == [1.0, 0.0]
color = [
    "laxity",
    "color",
    "--workers",
    "2p",
    "--mode",
    "3",
    "--nodes",
    "64",
    "--duration",
    "0.2",
    "--output",
    "run",
    "--report",
]
subprocess.run(color, check=True, stdout=subprocess.DEVNULL)
assert "<svg" in Path("run/report.html").read_text()
assert len(laxity.open("run").tables["runs"]) == 1
simulated = [
    "laxity",
    "arrival",
    "--simulate",
    "schedule",
    "-n",
    "8",
    "--collectives",
    "reduce",
    "--output",
    "simulated",
]
subprocess.run(simulated, check=True, stdout=subprocess.DEVNULL)
assert len(laxity.open("simulated").tables["runs"]) == 3
