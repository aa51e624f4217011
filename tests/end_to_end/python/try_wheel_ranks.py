"""Tries an installed wheel on four ranks of an MPI: which it chooses, and why. Run by scripts/wheel in an empty folder.

Arguments: openmpi or mpich, its launcher, and the folder in which its library must have been found.
"""

import json
import os
import subprocess
import sys

import laxity

family, launcher, folder = sys.argv[1:]
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
}


def run(*words, code=0, **variables):
    environment = {**os.environ, **ENVIRONMENT, **variables}
    done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=300, check=False)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout if code == 0 else done.stderr


def mpi_of(*words, **variables):
    findings = json.loads(run(*words, "laxity", "doctor", "--json", **variables))
    return next(each["found"] for each in findings if each["subject"] == "MPI")


launched = mpi_of(launcher, "-n", "4")
assert "4 ranks on 1 host" in launched, launched
assert f"chosen: {folder}" in launched, launched
assert f"started by {'mpirun of Open MPI' if family == 'openmpi' else 'mpiexec of MPICH'}" in launched, launched
assert f"as LAXITY_MPI = {family}" in mpi_of(LAXITY_MPI=family)
assert "chosen: none, as LAXITY_MPI = none" in mpi_of(LAXITY_MPI="none")
wrong = run("laxity", "doctor", code=2, LAXITY_MPI="lam")
assert wrong == "laxity: LAXITY_MPI = lam: must be openmpi, mpich or none\n", wrong
refused = run(launcher, "-n", "2", "laxity", "phold", code=1, LAXITY_MPI="none")
assert "without MPI" in refused, refused

run(launcher, "-n", "4", "laxity", "color", "--mode", "3", "--nodes", "64", "--duration", "0.5", "--output", family)
workers = laxity.open(family).tables["workers"]
assert workers["process"].tolist() == [0, 1, 2, 3], workers
assert (workers["updates"] > 0).all(), workers
