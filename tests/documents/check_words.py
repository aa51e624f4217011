"""Finds synonyms of the field's words, which docs/banned_words.md lists, and names the right word for each.

Usage: check_words.py ROOT. Prints one line per finding (file:line: "synonym": write ...) and ends with 1 if there is
any.
"""

import re
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

LIST = "docs/banned_words.md"
SUFFIXES = {".hpp", ".cpp", ".c", ".py", ".md", ".txt", ".cmake", ".in", ".json", ".html", ".css", ".j2", ".toml", ""}
NOT_OURS = ("LICENSE", "*.lock", ".git*", "docs/examples/*.html", "tests/documents/check_words_test.py", LIST)
# A sentence may go on in the next line, behind the mark of a comment.
SPACE = r"(?:[ \t]+|[ \t]*\n[ \t]*(?:///?|#+|\*)?[ \t]*)"


class Synonym(NamedTuple):
    """A row of the list."""

    pattern: re.Pattern
    right: str
    exceptions: tuple


def synonyms_of(text: str) -> list[Synonym]:
    """Read the rows of the tables: `regular expression` | right word | patterns of paths."""
    rows = re.findall(r"^\| `(.+?)` \| (.+?) \| ?(.*?) ?\|$", text, re.MULTILINE)
    return [
        Synonym(
            re.compile(pattern.replace(r"\|", "|").replace(" ", SPACE), re.IGNORECASE),
            right,
            tuple(re.findall(r"`(.+?)`", where)),
        )
        for pattern, right, where in rows
    ]


def files_of(root: Path) -> list[str]:
    """Paths of the tree's own text files: what git knows, without git all but hidden and built files."""
    listed = subprocess.run(
        ["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if listed.returncode == 0:
        paths = listed.stdout.splitlines()
    else:
        every = (file.relative_to(root) for file in root.rglob("*") if file.is_file())
        paths = [path.as_posix() for path in every if not path.parts[0].startswith((".", "build", "runs"))]
    return [
        path
        for path in sorted(set(paths))
        if Path(path).suffix in SUFFIXES
        and not any(fnmatch(path, pattern) for pattern in NOT_OURS)
        and (root / path).is_file()
        and not (root / path).is_symlink()
    ]


def findings_of(path: str, text: str, synonyms: list[Synonym]) -> list[str]:
    """Check one file."""
    found = []
    for synonym in synonyms:
        if any(fnmatch(path, pattern) for pattern in synonym.exceptions):
            continue
        for match in synonym.pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            words = " ".join(re.sub(r"\n\s*(///?|#+|\*)?", " ", match[0]).split())
            found.append((line, f'{path}:{line}: "{words}": write {synonym.right} ({LIST})'))
    return [text for _, text in sorted(found)]


def findings_in(root: Path) -> list[str]:
    """Check the whole tree."""
    synonyms = synonyms_of((root / LIST).read_text())
    found = []
    for path in files_of(root):
        try:
            found += findings_of(path, (root / path).read_text(), synonyms)
        except UnicodeDecodeError:  # not a text
            continue
    return found


if __name__ == "__main__":
    findings = findings_in(Path(sys.argv[1]))
    print("\n".join(findings) if findings else "words: no synonym of the list is used")
    sys.exit(bool(findings))
