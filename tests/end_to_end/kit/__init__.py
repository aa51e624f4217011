"""What the end-to-end tests share: running the program, reading run directories, seeing that nothing is left behind."""

from kit.fixtures import InFolder, InSharedFolder, case
from kit.processes import children_of, eventually, processes_with, segments
from kit.program import PROGRAM, laxity, run, start
from kit.run_directory import read_manifest, rows

__all__ = [
    "PROGRAM",
    "InFolder",
    "InSharedFolder",
    "case",
    "children_of",
    "eventually",
    "laxity",
    "processes_with",
    "read_manifest",
    "rows",
    "run",
    "segments",
    "start",
]
