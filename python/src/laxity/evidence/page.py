"""The claims of the papers beside the results of studies: rows for a report, and the page of all claims.

Elsewhere: the claims (``catalog``), the verdicts (``verdicts``), the look (``templates/evidence.html``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from laxity.evidence.catalog import CLAIMS, PAPERS, Claim
from laxity.evidence.verdicts import HOLDS, HOLDS_NOT, OPEN, Evidence
from laxity.notation import counted

MARKS = {HOLDS: "✓", HOLDS_NOT: "✗", OPEN: "?"}


def by_claim(found: Iterable[Evidence], *, complete: bool = False) -> list[tuple[Claim, list[Evidence]]]:
    """Sort rows by the claims of the catalog, simulated ones last; `complete`: claims without a row too."""
    rows = list(found)
    sorted_rows = [
        (claim, sorted((row for row in rows if row.claim is claim), key=lambda row: row.simulated != ""))
        for claim in CLAIMS
    ]
    return [(claim, own) for claim, own in sorted_rows if own or complete]


def by_paper(found: Iterable[Evidence], *, complete: bool = False) -> list[tuple[str, list]]:
    """Sort the claims with their rows by paper: pairs of its title and `by_claim`."""
    papers: dict[str, list] = {}
    for claim, rows in by_claim(found, complete=complete):
        papers.setdefault(PAPERS[claim.source.split()[0]], []).append((claim, rows))
    return list(papers.items())


def summary(found: Sequence[Evidence], *, complete: bool = False) -> str:
    """Count the verdicts in a sentence or two."""
    measured, simulated = ([row for row in found if bool(row.simulated) == kind] for kind in (False, True))
    sentences = [f"{counted(len(CLAIMS), 'claim')} of the papers."] if complete else []
    for rows, what in ((measured, "measured"), (simulated, "simulated")):
        if rows:
            counts = {verdict: sum(row.verdict == verdict for row in rows) for verdict in MARKS}
            sentences.append(
                f"{counted(len(rows), f'{what} comparison')}: {counts[HOLDS]} hold, {counts[HOLDS_NOT]} do not, and "
                f"{counts[OPEN]} cannot be told."
            )
    if complete:
        missing = sum(not rows for _, rows in by_claim(found, complete=True))
        sentences.append(f"{counted(missing, 'claim')} without a run; the last column says what a run would need.")
    return " ".join(sentences)


def table_of(found: Iterable[Evidence]) -> pd.DataFrame:
    """Tabulate rows as ``claims.csv``."""
    columns = ["claim", "condition", "paper", "here", "effect", "smallest", "verdict", "simulated"]
    rows = [
        (
            row.claim.text, row.condition, row.claim.figures, row.here, row.effect, row.smallest, row.verdict,
            row.simulated,
        )
        for _, own in by_claim(found)
        for row in own
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=columns)
