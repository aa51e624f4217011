"""Runs two laxity commands in turn, round by round, so that what disturbs the machine disturbs both alike.

Each command writes a run directory per round; the order within a round alternates. A round that is complete is not run
again, so an interrupted comparison resumes.

Elsewhere: the statistics of the pairs (``comparison``).
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

from laxity.error import LaxityError
from laxity.study import DONE, Study, open_study

SIDES = ("before", "after")


def run_in_turn(commands: tuple[str, str], rounds: int, output: Path) -> list[tuple[Study, Study]]:
    """Run both commands once per round.

    Parameters
    ----------
    commands : (str, str)
        Command lines as for a shell, of programs that take ``--output DIR`` and write a run directory there, such as
        ``build/old/laxity color --threads 2``. No shell interprets them.
    rounds : int
        Number of pairs, at least 2.
    output : Path
        Folder for the run directories, ``before/0`` and so on.

    Returns
    -------
    list of (Study, Study)
        By round.

    Raises
    ------
    LaxityError
        If the folder is of other commands, or a command cannot be started or fails.
    """
    _claim(output, commands)
    for number in range(rounds):
        for side in (0, 1) if number % 2 == 0 else (1, 0):
            directory = output / SIDES[side] / str(number)
            if not _is_done(directory):
                print(f"round {number + 1} of {rounds}: {SIDES[side]}", file=sys.stderr, flush=True)
                _run(commands[side], directory)
    return [tuple(open_study(output / side / str(number)) for side in SIDES) for number in range(rounds)]


def _claim(output: Path, commands: tuple[str, str]) -> None:
    """Write the commands into the folder, or check that they are the same as before."""
    record = output / "commands.json"
    written = json.dumps(dict(zip(SIDES, commands, strict=True)), indent=2) + "\n"
    try:
        if record.exists() and record.read_text(encoding="utf-8") != written:
            raise LaxityError(f"{output} compares other commands; name another folder with --output")
        output.mkdir(parents=True, exist_ok=True)
        record.write_text(written, encoding="utf-8")
    except OSError as error:
        raise LaxityError(f"{error.filename}: cannot be written ({error.strerror})") from error


def _is_done(directory: Path) -> bool:
    return (directory / "manifest.json").exists() and open_study(directory).status == DONE


def _run(command: str, directory: Path) -> None:
    words = [*shlex.split(command), "--output", str(directory)]
    try:
        code = subprocess.run(words, stdout=subprocess.DEVNULL, check=False).returncode
    except OSError as error:
        raise LaxityError(f"{words[0]}: cannot be started ({error.strerror}); name a program that exists") from error
    if code != 0:
        raise LaxityError(f"{shlex.join(words)}: ended with code {code}; run it by itself to see why")
