"""Checks that everything that `cmake --install` copies is there after `make run`, which builds only a few targets.

Usage: check_install.py SOURCE BUILD NINJA. Reads the targets out of the Makefile's rule `run` and asks ninja for all
that they depend on. Prints one line per file that would be missing and ends with 1 if there is any.
"""

import re
import subprocess
import sys
from pathlib import Path

source, build, ninja = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]


def ask(*words):
    """Lines of the answer of a tool of ninja."""
    command = [ninja, "-C", build, "-t", *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


rule = re.search(r"^run:.*?(?=^\w)", (source / "Makefile").read_text(), re.DOTALL | re.MULTILINE)[0]
targets = re.search(r"--target (.*)", rule)[1].split()
labels = (re.search(r'\[label="([^"]+)"', line) for line in ask("graph", *targets))
built_by_run = {(build / label[1]).as_posix() for label in labels if label}
has_a_rule = {(build / line.rpartition(": ")[0]).as_posix() for line in ask("targets", "all")}
installed = {
    file
    for script in build.rglob("cmake_install.cmake")
    for command in re.findall(r"^ *file\(INSTALL .*\)$", script.read_text(), re.MULTILINE)
    for file in re.findall(r'"([^"]+)"', command)
    if Path(file).is_relative_to(build)
}
missing = sorted((installed & has_a_rule) - built_by_run)
print("\n".join(f"{file}: installed, and not built by make run ({' '.join(targets)})" for file in missing))
if not installed & has_a_rule:
    sys.exit("no file is installed at all: this check reads CMake's scripts wrongly")
print(f"{len(installed)} files are installed, {len(missing)} of them would be missing")
sys.exit(bool(missing))
