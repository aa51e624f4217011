"""The result of studies as plain text, at most 100 characters wide.

Elsewhere: the same with plots (``report``), what each kind writes (``study``).
"""

from __future__ import annotations

from collections.abc import Sequence

from laxity.study import Study, by_kind


def render(studies: Sequence[Study]) -> str:
    """Write the results of studies.

    Parameters
    ----------
    studies : sequence of Study
        One or several, of any kinds; kinds appear in the order of their first study.

    Returns
    -------
    str
        Lines of at most `layout.WIDTH` characters, the last with its end.
    """
    lines = [line.rstrip() for kind, own in by_kind(studies).items() for line in kind.text(own)]
    return "\n".join(lines).rstrip("\n") + "\n"
