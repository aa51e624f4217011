"""Checks the documents: included sources and tables are current, links lead to files that exist, there is one version.

Usage: check_documents.py ROOT [--fix]. A code block is an included source if the line before it is
`<!-- verbatim: path -->`; a table between `<!-- table: name -->` and `<!-- end -->` comes from
laxity/metrics/tables.json (described_tables.py), and --fix writes it anew. Prints one line per fault (file: what) and
ends with 1 if there is any.
"""

import re
import sys
from pathlib import Path

from described_tables import DESCRIPTION, undocumented, with_tables

INCLUDED = re.compile(r"<!-- verbatim: (\S+) -->\n```\w*\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
SKIPPED = {"build", "runs", "shared", ".venv", ".git"}


def faults_of(root: Path, document: Path) -> list[str]:
    """Check one document."""
    name, text = document.relative_to(root).as_posix(), document.read_text()
    faults = []
    for path, block in INCLUDED.findall(text):
        source = root / path
        if not source.exists():
            faults.append(f"{name}: includes {path}, which does not exist")
        elif source.read_text() != block:
            faults.append(f"{name}: the copy of {path} differs from the file")
    if with_tables(root, text) != text:
        faults.append(f"{name}: its tables differ from {DESCRIPTION}; run {Path(__file__).name} {root} --fix")
    if name == "docs/run_format.md":
        faults += [f"{name}: the table {table} is missing" for table in undocumented(root, text)]
    targets = [target for target in LINK.findall(CODE.sub("", text)) if ":" not in target]
    dead = [target for target in targets if not (document.parent / target).exists()]
    return faults + [f"{name}: the link to {target} leads nowhere" for target in dead]


def wrong_versions(root: Path) -> list[str]:
    """Compare every place that names the version with laxity/version.hpp."""
    header = (root / "laxity/version.hpp").read_text()
    version = ".".join(re.findall(r"^#define LAXITY_VERSION_[A-Z]+ (\d+)$", header, re.MULTILINE))
    places = {
        "python/pyproject.toml": r'^version = "(.*)"$',
        "python/src/laxity/__init__.py": r'^__version__ = "(.*)"$',
        "CHANGELOG.md": r"^## (\d\S*) - \d{4}-\d{2}-\d{2}$",
        "README.md": r"^Version (\d\S*)[,.:]? ",
        "CITATION.cff": r"^version: (.*)$",
        "packaging/apptainer/laxity.def": r"image\.version (.*)$",
        "packaging/conda/recipe.yaml": r"^  version: (.*)$",
        "packaging/easybuild/laxity-0.1.0-foss-2024a.eb": r"^version = '(.*)'$",
        "packaging/spack/packages/laxity/package.py": r'^    version\("(.*?)"',
    }
    faults = []
    for path, pattern in places.items():
        found = re.search(pattern, (root / path).read_text(), re.MULTILINE)
        if found is None or found[1] != version:
            faults.append(f"{path}: names version {found and found[1]}, laxity/version.hpp {version}")
    return faults


if __name__ == "__main__":
    tree = Path(sys.argv[1])
    documents = [file for file in sorted(tree.rglob("*.md")) if not SKIPPED & set(file.relative_to(tree).parts)]
    if "--fix" in sys.argv[2:]:
        for document in documents:
            document.write_text(with_tables(tree, document.read_text()))
    found = [fault for document in documents for fault in faults_of(tree, document)] + wrong_versions(tree)
    print("\n".join(found) if found else f"documents: {len(documents)} are in order")
    sys.exit(bool(found))
