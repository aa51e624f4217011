"""Whether a claim holds: three verdicts, from the interval of a size and the range that the claim allows.

A claim says that a size lies in an open range: a ratio above 1 ("is faster"), below 1.1 ("does not grow"), between
1/1.1 and 1.1 ("is unchanged"). It holds where the whole interval lies in the range, it does not hold where no part of
the interval does, and else it cannot be told from these runs. So "no difference was found" never counts as "unchanged":
that takes an interval that excludes a difference, as in a test of equivalence.

Source: Schuirmann, A comparison of the two one-sided tests procedure and the power approach for assessing the
equivalence of average bioavailability, J. Pharmacokinetics and Biopharmaceutics 15 (1987); its tests of level 2.5 %
correspond to the 95 % intervals here.

Elsewhere: the sizes (``sizes``), the claims (``catalog``).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from laxity.evidence.catalog import Claim
from laxity.evidence.sizes import Size
from laxity.notation import number

HOLDS, HOLDS_NOT, OPEN = "holds", "does not hold", "cannot be told here"
MARGIN = 1.1
"""Factor up to which a quantity counts as unchanged."""
NEAR = 1.25
"""Factor up to which a figure counts as that of the paper."""


@dataclass(frozen=True)
class Check:
    """A size, and the open range that a claim allows for it.

    Attributes
    ----------
    what : str
        The size in words.
    size : Size or None
        None where it does not exist.
    above, below : float
        Ends of the range.
    write : callable
        Writes a value of the size with its unit.
    """

    what: str
    size: Size | None
    above: float = -math.inf
    below: float = math.inf
    write: Callable[[float], str] = number

    @property
    def verdict(self) -> str:
        """``HOLDS``, ``HOLDS_NOT`` or ``OPEN``."""
        if self.size is None:
            return OPEN
        if self.above < self.size.low and self.size.high < self.below:
            return HOLDS
        if self.size.high <= self.above or self.size.low >= self.below:
            return HOLDS_NOT
        return OPEN

    @property
    def effect(self) -> str:
        """The size with its interval."""
        if self.size is None:
            return f"{self.what}: not defined"
        ends = f" [{self._written(self.size.low)}, {self._written(self.size.high)}]" if self.size.count > 1 else ""
        return f"{self.what} {self._written(self.size.value)}{ends}"

    @property
    def smallest(self) -> str:
        """The smallest effect that would have been told from none; empty where there is no interval."""
        if self.size is None or not math.isfinite(self.size.smallest):
            return ""
        return f"× {number(self.size.smallest, 3)}" if self.size.is_ratio else f"± {self.write(self.size.smallest)}"

    @property
    def reason(self) -> str:
        """Why it cannot be told, from the numbers; empty for another verdict."""
        if self.verdict != OPEN:
            return ""
        if self.size is None:
            return f"{self.what}: 0 in all runs to compare with, or no run has it"
        if self.size.count < 2:
            return f"{self.what}: one run of each treatment has no interval"
        inside = [end for end in (self.above, self.below) if self.size.low <= end <= self.size.high]
        return f"{self.what}: the interval contains {' and '.join(map(self._written, inside))}"

    def _written(self, end: float) -> str:
        if math.isinf(end):
            return "∞" if end > 0 else "−∞"
        return f"× {number(end, 3)}" if self.size is not None and self.size.is_ratio else self.write(end)


@dataclass(frozen=True)
class Evidence:
    """A claim of a paper, and what one study says about it.

    Attributes
    ----------
    claim : Claim
        Of the catalog.
    condition : str
        Which runs were compared.
    here : str
        The figures of the study.
    checks : tuple of Check
        All of them must hold.
    remark : str
        A reservation that was computed from the runs; may be empty.
    study : str
        Name of the study.
    simulated : str
        Kind of simulated time, where it was not measured in wall time; else empty.
    """

    claim: Claim
    condition: str
    here: str
    checks: tuple[Check, ...]
    remark: str = ""
    study: str = ""
    simulated: str = ""

    @property
    def verdict(self) -> str:
        """The verdict of the checks together."""
        verdicts = {check.verdict for check in self.checks}
        if HOLDS_NOT in verdicts:
            return HOLDS_NOT
        return HOLDS if verdicts == {HOLDS} else OPEN

    @property
    def effect(self) -> str:
        """All sizes with their intervals."""
        return "; ".join(check.effect for check in self.checks)

    @property
    def smallest(self) -> str:
        """The smallest effects that this study could have told from none."""
        return "; ".join(check.smallest for check in self.checks if check.smallest)

    @property
    def reason(self) -> str:
        """Why it cannot be told, and the reservations."""
        reasons = [check.reason for check in self.checks if check.reason] if self.verdict == OPEN else []
        return "; ".join([*reasons, *([self.remark] if self.remark else [])])


def rises(what: str, size: Size | None, **more) -> Check:
    """Expect a ratio above 1."""
    return Check(what, size, above=1.0, **more)


def falls(what: str, size: Size | None, **more) -> Check:
    """Expect a ratio below 1."""
    return Check(what, size, below=1.0, **more)


def does_not_grow(what: str, size: Size | None, **more) -> Check:
    """Expect a ratio below `MARGIN`."""
    return Check(what, size, below=MARGIN, **more)


def is_unchanged(what: str, size: Size | None, **more) -> Check:
    """Expect a ratio between 1/`MARGIN` and `MARGIN`."""
    return Check(what, size, above=1 / MARGIN, below=MARGIN, **more)


def is_near(what: str, size: Size | None, figure: float, **more) -> Check:
    """Expect a size within a factor of `NEAR` of the figure of the paper."""
    return Check(what, size, above=figure / NEAR, below=figure * NEAR, **more)
