"""Checks the rules of the architecture that the compiler does not: who includes whom, sizes and names of files.

Usage: check_layers.py ROOT. Prints one line per broken rule (file:line: what) and ends with 1 if there is any.
Who may include whom is read from the table of ARCHITECTURE.md.
"""

import re
import sys
from pathlib import Path

# A row of the table of ARCHITECTURE.md: | `module/` | what it is, with its `folders/` | `module` `module` |
ROW = re.compile(r"^\| `(\w+)/` \| (.*) \|(.*)\|$", re.MULTILINE)
MPI_FILES = re.compile(
    r"laxity/(mpi_call\.|transport/(detail/)?mpi[_.]|launch/mpi_|clock/mpi_|collective/|trace/)|apps/(smpi_ranks|transpose_fft)/"
)
FOLDERS_OF_CODE = ("laxity", "workloads", "apps", "examples", "benchmarks", "tests", "python/bindings")
TOP_FOLDERS = {
    *FOLDERS_OF_CODE,
    *("python", "packaging", "docs", "LICENSES", "scripts", "cmake", "build", "runs", "shared"),
}
FORBIDDEN_WORDS = {"utils", "util", "common", "helper", "helpers", "manager", "misc", "base", "impl"}
LINES_AT_MOST = 600
# An unchecked call of MPI: any that is not an argument behind its own name, "MPI_Barrier", MPI_Barrier(...).
# Excepted are the tracer, because it passes the results of the program's calls on, calls without a result, and programs
# to be traced or tuned, which look like those of a user of MPI alone.
MPI_CALL = re.compile(r'(?<!["\w:])(MPI_[A-Z]\w+)\s*\(')
NOT_CHECKED = {"MPI_Abort", "MPI_Comm", "MPI_Error_string", "MPI_Win", "MPI_Wtime"}
CHECKED_FOLDERS = ("laxity/", "workloads/", "apps/", "benchmarks/", "examples/")
UNCHECKED_FOLDERS = ("benchmarks/tracer/", "benchmarks/tuned_program/", "apps/transpose_fft/")
COMMENT = re.compile(r"//[^\n]*")
STRING_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
FOREIGN_FLAGS = {"--mca", "--mpi"}  # of mpirun and srun, which messages about launchers name
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def module_of(path: str) -> str:
    """Name the module of a path below laxity/: its folder, or core for the files beside the folders."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 else "core"


def modules_of(architecture: str) -> dict[str, set[str]]:
    """Read the table: the modules that each module may include besides itself and the core (laxity/*.hpp)."""
    modules = {name: set(re.findall(r"`(\w+)`", allowed)) for name, _, allowed in ROW.findall(architecture)}
    return {"core": set(), **modules}


def unnamed_folders(root: Path, architecture: str) -> list[str]:
    """Find folders that the picture and the table of ARCHITECTURE.md do not show."""
    picture = architecture.partition("```")[2].partition("```")[0]
    named = set(re.findall(r"\w+", picture))
    rows = {name: what for name, what, _ in ROW.findall(architecture)}
    missing = []
    groups = ("laxity", "workloads", "apps/laxity")
    folders = (entry for group in groups for entry in (root / group).rglob("*") if entry.is_dir())
    for folder in sorted(entry.relative_to(root) for entry in folders):
        if folder.parts[0] == "laxity" and "detail" not in folder.parts:
            module, *inner = folder.parts[1:]
            if module not in rows or (inner and f"`{'/'.join(inner)}/`" not in rows[module]):
                missing.append(folder)
        elif folder.parent.as_posix() in ("workloads", "apps/laxity") and folder.name not in named:
            missing.append(folder)
    return [f"ARCHITECTURE.md:1: does not name the folder {folder.as_posix()}/" for folder in missing]


def broken_includes(path: str, text: str, modules: dict[str, set[str]]) -> list[str]:
    """Check every include of one C++ file, given its path from the root."""
    broken = []
    for number, line in enumerate(text.splitlines(), start=1):
        include = INCLUDE.match(line)
        if not include:
            continue
        included = include[2]
        if included == "mpi.h" and path.startswith(("laxity/", "workloads/", "apps/")) and not MPI_FILES.match(path):
            broken.append(f"{path}:{number}: <mpi.h> belongs in the files that are about MPI")
        if path.startswith("laxity/"):
            found = broken_library_include(path, include[1], included, modules)
            broken += [f"{path}:{number}: {what}" for what in found]
        elif path.startswith(("workloads/", "python/bindings/")) and "/detail/" in included:
            broken.append(f"{path}:{number}: only the library includes its details, such as {included}")
    return broken


def broken_library_include(path: str, quote: str, included: str, modules: dict[str, set[str]]) -> list[str]:
    """Check one include of a file of the library."""
    if quote == '"' and not included.startswith("laxity/"):
        return [f'write the include from the root: "laxity/.../{Path(included).name}"']
    if not included.startswith("laxity/"):
        return []
    here, there = module_of(path), module_of(included)
    broken = []
    if there not in {here, "core"} | modules.get(here, set()):
        broken.append(f"{here} must not include {there} ({included})")
    if "/detail/" in included and here != there:
        broken.append(f"{included} is a detail of {there}")
    return broken


def unchecked_mpi_calls(path: str, text: str) -> list[str]:
    """Find calls of MPI whose result nobody checks."""
    if not path.startswith(CHECKED_FOLDERS) or path.startswith(UNCHECKED_FOLDERS) or "/preload/" in path:
        return []
    code = COMMENT.sub("", text)
    broken = []
    for call in MPI_CALL.finditer(code):
        name = call[1]
        if name in NOT_CHECKED or code[: call.start()].rstrip().endswith(f'"{name}",'):
            continue
        line = code.count("\n", 0, call.start()) + 1
        broken.append(f'{path}:{line}: check the call: mpi::check("{name}", {name}(...)), see laxity/mpi_call.hpp')
    return broken


def flags_of_the_command_line(path: str, text: str) -> list[str]:
    """Find flags of the command line in messages of the library and of the workloads, but for what makes programs."""
    if not path.startswith(("laxity/", "workloads/")) or path.startswith("laxity/cli/"):
        return []
    broken = []
    for number, line in enumerate(COMMENT.sub("", text).splitlines(), start=1):
        if line.lstrip().startswith("#include"):
            continue
        for literal in STRING_LITERAL.findall(line):
            flags = [flag for flag in FLAG.findall(literal) if flag not in FOREIGN_FLAGS]
            broken += [f'{path}:{number}: {flag} is for apps/; say "option = value: rule"' for flag in flags]
    return broken


def broken_shape(path: str, text: str) -> list[str]:
    """Check the size and the name of one file."""
    broken = []
    lines = text.count("\n")
    if lines > LINES_AT_MOST:
        broken.append(f"{path}:{lines}: longer than {LINES_AT_MOST} lines")
    words = set(re.split(r"[/_.]", path))
    broken += [f"{path}:1: '{word}' in a name says nothing" for word in sorted(words & FORBIDDEN_WORDS)]
    return broken


def is_listed(root: Path, path: str) -> bool:
    """Tell whether the CMake file of its module lists a header."""
    folder = root / "laxity" / ("" if module_of(path) == "core" else module_of(path))
    lists = folder / "CMakeLists.txt"
    name = (root / path).relative_to(folder).as_posix()
    return lists.exists() and re.search(rf"(?<![\w/.]){re.escape(name)}(?![\w.])", lists.read_text()) is not None


def broken_header(root: Path, path: str, text: str) -> list[str]:
    """Check that a header of the library guards itself and is installed: all but details that only sources include."""
    broken = []
    if "#pragma once" not in text:
        broken.append(f"{path}:1: a header begins with #pragma once")
    if not is_listed(root, path) and "/detail/" not in path:
        broken.append(f"{path}:1: not listed in the CMakeLists.txt of {module_of(path)}, so it is not installed")
    if is_listed(root, path):
        included = [include[2] for include in map(INCLUDE.match, text.splitlines()) if include]
        missing = [detail for detail in included if "/detail/" in detail and not is_listed(root, detail)]
        broken += [f"{path}:1: includes {detail}, which is not listed, so it is not installed" for detail in missing]
    return broken


def broken_rules(root: Path) -> list[str]:
    """Check the whole tree."""
    folders = [entry.name for entry in sorted(root.iterdir()) if entry.is_dir()]
    new = [name for name in folders if name not in TOP_FOLDERS and not name.startswith((".", "build-"))]
    architecture = (root / "ARCHITECTURE.md").read_text()
    modules = modules_of(architecture)
    broken = unnamed_folders(root, architecture)
    broken += [f"{name}:1: a new top-level folder needs a decision record and a place in TOP_FOLDERS" for name in new]
    for folder in FOLDERS_OF_CODE:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in {".hpp", ".cpp", ".py"}:
                continue
            path, text = file.relative_to(root).as_posix(), file.read_text()
            broken += broken_shape(path, text)
            if file.suffix != ".py":
                broken += broken_includes(path, text, modules)
                broken += unchecked_mpi_calls(path, text)
                broken += flags_of_the_command_line(path, text)
            if file.suffix == ".hpp" and folder == "laxity":
                broken += broken_header(root, path, text)
    for file in sorted((root / "python").rglob("*.py")):
        broken += broken_shape(file.relative_to(root).as_posix(), file.read_text())
    return broken


if __name__ == "__main__":
    findings = broken_rules(Path(sys.argv[1]))
    print("\n".join(findings) if findings else "layers: every rule holds")
    sys.exit(bool(findings))
