"""Sphinx builds the documentation site from a copy of the repository's documents, which scripts/site makes.

The documents are written for a reader of the repository: their links lead to other documents, which the site has too,
and to sources, which it has not. The latter become plain text here. Pages that exist only here are made below: the
command line from its own help, the Python reference from the docstrings, the frame of Doxygen's C++ reference.
The tutorials are notebooks as text, which myst-nb executes.
"""

import os
import re
import subprocess
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(os.environ["LAXITY_PROGRAM"])
LINK = re.compile(r"(?<!!)\[([^\]\n]+)\]\((?!\w+:)([^)#\s]*)(#[^)\s]*)?\)")
TITLE = re.compile(r"^# .*$", re.MULTILINE)
CODE = re.compile(r"(```.*?```|`[^`\n]*`)", re.DOTALL)

project = "laxity"
author = "the laxity authors"
copyright = "2026, the laxity authors"  # noqa: A001
release = re.search(r'^__version__ = "(.*)"$', (SOURCE / "python/src/laxity/__init__.py").read_text(), re.MULTILINE)[1]

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "README"
html_theme = "furo"
html_title = f"laxity {release}"
myst_enable_extensions = ["html_image"]
myst_heading_anchors = 3
# The tutorials are notebooks, executed anew for each site.
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 300
autodoc_member_order = "bysource"
autodoc_typehints = "description"
napoleon_use_ivar = True

CONTENTS = {
    "Tutorials": [
        "docs/tutorials/channels",
        "docs/tutorials/mesh",
        "docs/tutorials/simulation",
        "docs/tutorials/run_directory",
        "docs/evolution_tutorial",
        "docs/gallery",
    ],
    "Guide": [
        "docs/meshes",
        "docs/modeling",
        "docs/measuring",
        "docs/waiting",
        "docs/evolution",
        "docs/virtual_cpu",
        "docs/examples/evidence/README",
    ],
    "Reference": [
        "reference/command_line",
        "reference/cpp",
        "reference/python",
        "python/README",
        "docs/run_format",
        "docs/trace_format",
        "docs/statistics",
        "docs/colors",
        "docs/glossary",
        "docs/banned_words",
    ],
    "Benchmarks": ["benchmarks/*/README"],
    "Project": [
        "ARCHITECTURE",
        "docs/decisions/index",
        "CONTRIBUTING",
        "CHANGELOG",
        "docs/corrections",
        "packaging/README",
        "docs/xsdk",
        "SUPPORT",
        "SECURITY",
    ],
}
PYTHON_MODULES = [
    "laxity",
    "laxity.channels",
    "laxity.mesh",
    "laxity.topologies",
    "laxity.team",
    "laxity.simulation",
    "laxity.study",
    "laxity.run_directory",
    "laxity.report",
    "laxity.intervals",
    "laxity.regression",
    "laxity.evidence.verdicts",
]


def help_of(*words: str) -> str:
    """Return what a subcommand says about itself."""
    return subprocess.run([PROGRAM, *words, "--help"], capture_output=True, text=True, check=True).stdout


def subcommands_in(text: str) -> list[str]:
    """List the names below "Subcommands:"."""
    block = re.search(r"^Subcommands:\n((?:  .*\n)+)", text, re.MULTILINE)
    return re.findall(r"^  (\S+)", block[1], re.MULTILINE) if block else []


def command_pages(folder: Path) -> None:
    """Write a page for each subcommand, with a section for each of its own subcommands."""

    def section(words: list[str], depth: int) -> str:
        text = help_of(*words)
        title = " ".join(["laxity", *words])
        page = f"{'#' * depth} {title}\n```text\n{text.strip()}\n```\n\n"
        return page + "".join(section([*words, name], depth + 1) for name in subcommands_in(text))

    names = subcommands_in(help_of())
    for name in names:
        (folder / f"{name}.md").write_text(section([name], 1))
    contents = "\n".join(names)
    (folder.parent / "command_line.md").write_text(
        f"# Command line\n```text\n{help_of().strip()}\n```\n```{{toctree}}\n:hidden:\n:glob:\n\ncommand/*\n```\n"
        if contents
        else ""
    )


def generate(app) -> None:
    """Write the pages that exist only in the site."""
    root = Path(app.srcdir)
    folder = root / "reference" / "command"
    folder.mkdir(parents=True, exist_ok=True)
    command_pages(folder)
    (folder.parent / "cpp.md").write_text(
        "# C++\nThe headers of the library, with every public class and function, are in\n"
        '<a href="../cpp/index.html">the C++ reference</a>, which Doxygen makes.\n'
        "[ARCHITECTURE](../ARCHITECTURE.md) says which folder is what.\n"
    )
    modules = "\n\n".join(
        f"## {name}\n```{{eval-rst}}\n.. automodule:: {name}\n{'   :members:' if '.' in name else ''}\n```"
        for name in PYTHON_MODULES
    )
    (folder.parent / "python.md").write_text(f"# Python\n{modules}\n")
    (root / "docs/decisions/index.md").write_text("# Decisions\n```{toctree}\n:glob:\n\n0*\n```\n")


def read(app, name: str, text: list[str]) -> None:
    """Turn links to sources into text, and give the first page the table of contents."""
    folder = (Path(app.srcdir) / name).parent

    def kept(match: re.Match) -> str:
        label, target, _ = match.groups()
        return match[0] if not target or (folder / target).is_file() else label

    parts = CODE.split(text[0])
    prose = range(0, len(parts), 2)
    for i in prose:
        parts[i] = LINK.sub(kept, parts[i])
    titles = 0
    for i in prose:  # a further title in the same document would be a page of its own in the contents
        titles, before = titles + len(TITLE.findall(parts[i])), titles
        parts[i] = TITLE.sub(r"#\g<0>", parts[i])
        if before == 0 < titles:
            parts[i] = parts[i].replace("## ", "# ", 1)
    joined = "".join(parts)
    if name == root_doc:
        for caption, pages in CONTENTS.items():
            joined += f"\n```{{toctree}}\n:hidden:\n:glob:\n:caption: {caption}\n\n" + "\n".join(pages) + "\n```\n"
    text[0] = joined


def setup(app) -> None:
    """Connect the steps to Sphinx."""
    app.connect("builder-inited", generate)
    app.connect("source-read", read)
