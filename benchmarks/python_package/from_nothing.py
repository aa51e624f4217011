"""Seconds from an empty virtual environment to a mesh that has run on two processes, and of `import laxity`.

The wheel and its requirements are installed as a user does, so that the figures have the network in them.
Usage: from_nothing.py WHEEL
"""

import statistics
import subprocess
import sys
import tempfile
import time

MESH = """
import numpy as np, laxity

mesh = laxity.Mesh(laxity.topologies.torus(16, 16), layers={"number": "i8"}, workers=2)


def gossip(worker):
    part = mesh.part(worker)
    number = part["number"]
    number.state[:] = part.nodes
    while not worker.stop_requested:
        part.pull()
        np.maximum(number.state, number.received.max(axis=0), out=number.state)
        part.flush()
        worker.update_done()
    return int(number.state.min())


assert laxity.Team(processes=2).run(gossip, duration_s=0.5) == [255, 255]
"""
IMPORT = "import time; begin = time.perf_counter(); import laxity; print(time.perf_counter() - begin)"


def seconds(*command):
    begin = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - begin


with tempfile.TemporaryDirectory() as folder:
    python = f"{folder}/environment/bin/python"
    made = seconds(sys.executable, "-m", "venv", f"{folder}/environment")
    installed = seconds(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", sys.argv[1])
    ran = seconds(python, "-I", "-c", MESH)
    imports = [float(subprocess.check_output([python, "-I", "-c", IMPORT])) for _ in range(7)]
total = made + installed + ran
print(f"environment {made:.1f} s, installation {installed:.1f} s, mesh {ran:.1f} s: {total:.1f} s (at most 60)")
print(f"import laxity {statistics.median(imports):.3f} s ({min(imports):.3f} to {max(imports):.3f}; at most 0.15)")
