"""Plants a synonym in a small tree and expects check_words to name its line and the right word."""

from pathlib import Path

import pytest
from check_words import LIST, findings_in, synonyms_of

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tree(tmp_path):
    """Make a tree with the real list and no synonym."""
    (tmp_path / "docs").mkdir()
    (tmp_path / LIST).write_text((ROOT / LIST).read_text())
    (tmp_path / "worker.hpp").write_text("// Rolls back events that were processed too early.\n")
    return tmp_path


def test_a_tree_without_synonyms_passes(tree):
    assert findings_in(tree) == []


def test_a_synonym_is_named_with_its_line_and_the_right_word(tree):
    (tree / "worker.cpp").write_text("int a;\n// Events are taken back here.\n")
    assert findings_in(tree) == [
        f'worker.cpp:2: "taken back": write roll back, rollback; an anti-message cancels ({LIST})'
    ]


@pytest.mark.parametrize("text", ["/// which takes\n  /// back", "# which take\n# back", "which taking\nback"])
def test_a_synonym_is_found_across_lines(tree, text):
    (tree / "comment.md").write_text(f"\n{text}\n")
    (finding,) = findings_in(tree)
    assert finding.startswith("comment.md:2: ")
    assert "roll back" in finding


def test_identifiers_are_checked_whole(tree):
    (tree / "limit.hpp").write_text("int at_most_once; int almost_all; int most_bytes;\n")
    (finding,) = findings_in(tree)
    assert '"most_bytes"' in finding


def test_a_row_does_not_apply_to_the_files_that_it_excepts(tree):
    (tree / LIST).write_text("| not | write | not checked in |\n|---|---|---|\n| `duct` | transport | `papers/*` |\n")
    (tree / "papers").mkdir()
    (tree / "papers" / "a.md").write_text("a duct")
    assert findings_in(tree) == []
    (tree / "a.md").write_text("a Duct")
    assert findings_in(tree) == [f'a.md:1: "Duct": write transport ({LIST})']


def test_every_row_of_the_list_is_read():
    text = (ROOT / LIST).read_text()
    rows = [line for line in text.splitlines() if line.startswith("|") and not line.startswith(("| not |", "|---"))]
    assert len(synonyms_of(text)) == len(rows)
