"""Every command of the tutorial on worlds runs, with fewer cells, updates and replicates."""

import re
import shlex
from pathlib import Path

from kit import InFolder, laxity

ROOT = Path(__file__).parents[3]
SMALLER = {"--cells": 64, "--updates": 300, "--replicates": 2}


def commands():
    text = (ROOT / "docs/evolution_tutorial.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [shlex.split(line) for block in blocks for line in block.splitlines()]


def smaller(words):
    return [SMALLER.get(before, word) for before, word in zip(["", *words], words, strict=False)]


class TestTutorial(InFolder):
    def test_all_commands_run_in_their_order(self):
        (self.folder / "docs").symlink_to(ROOT / "docs")
        assert len(commands()) == 8
        for program, *words in commands():
            assert program == "laxity"
            ended = laxity(*smaller(words), cwd=self.folder)
            assert ended.code == 0, (words, ended)
        first = (self.folder / "runs/first/report.html").read_text()
        for title in ("Population over time", "Births over time", "Lineages over time", "Kin groups over time"):
            assert title in first
        experiment = (self.folder / "runs/experiment/report.html").read_text()
        assert "Does asynchronicity change evolution here?" in experiment
        assert "mode 3 none against 0" in experiment
