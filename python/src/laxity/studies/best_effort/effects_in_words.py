"""Effects in sentences: only what is significant is called a difference.

Elsewhere: the regressions (``effects``), how numbers are written (``notation``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from laxity.notation import capital, number, signed_percent
from laxity.regression import STATISTICS, Estimate
from laxity.studies.best_effort.comparisons import Comparison
from laxity.studies.best_effort.effects import COMPLETE, RIGHTMOST, Effect

_SMALLEST_P = 1e-4
_MANY_TIMES = 9.0  # relative change from which a factor reads better than percent


def sentences(comparison: Comparison, effects: Sequence[Effect]) -> list[str]:
    """Describe the effects of a comparison.

    Parameters
    ----------
    comparison : Comparison
        One of `comparisons`.
    effects : sequence of Effect
        Of any comparisons; those of this one are chosen.

    Returns
    -------
    list of str
        First one sentence per significant effect over all levels, then one about changes between the two largest sizes,
        then one that names what did not differ significantly.
    """
    own = [effect for effect in effects if effect.comparison is comparison]
    whole = [effect for effect in own if effect.part == COMPLETE]
    found = [_sentence(effect) for effect in whole if effect.sign != "0"]
    last = [effect for effect in own if effect.part == RIGHTMOST and effect.sign != "0"]
    if last:
        smaller, larger = last[0].labels
        named = ", ".join(f"{_what(effect)} {_direction(effect)}" for effect in last)
        found.append(f"Between the two largest values, {smaller} and {larger}: {named}.")
    same = [effect for effect in whole if effect.sign == "0"]
    if same:
        found.append(f"No significant difference: {_list(same)}.")
    return found or ["Too few runs to compare."]


def size(effect: Effect, value: float) -> str:
    """Write a response or a change of it, with its unit."""
    return number(value, 3) if effect.in_logarithms else effect.metric.write(value, padded=effect.metric.unit == "ns")


def _sentence(effect: Effect) -> str:
    comparison = effect.comparison
    change = _with_ends(effect.absolute, lambda value: size(effect, value))
    if effect.relative:
        change += f", {_relative(effect.relative.value)}"
    subject = f"{capital(_what(effect))} {_direction(effect)}"
    sure = f"{_p(effect.p)}, n = {effect.line.count}"
    if effect.in_logarithms:
        return f"{subject} with {comparison.varied}, as the power {change} of it ({sure})."
    return f"{subject} {'with' if comparison.categorical else 'for each'} {comparison.other}: {change} ({sure})."


def _what(effect: Effect) -> str:
    return f"{effect.statistic} {effect.metric.title}"


def _direction(effect: Effect) -> str:
    if effect.comparison.categorical:
        return "is higher" if effect.sign == "+" else "is lower"
    return "grows" if effect.sign == "+" else "falls"


def _list(effects: Sequence[Effect]) -> str:
    by_metric: dict[str, list[str]] = {}
    for effect in effects:
        by_metric.setdefault(effect.metric.title, []).append(effect.statistic)
    return ", ".join(
        title if len(statistics) == len(STATISTICS) else f"{statistics[0]} {title}"
        for title, statistics in by_metric.items()
    )


def _with_ends(estimate: Estimate, write: Callable[[float], str]) -> str:
    sign = "+" if estimate.value > 0 else ""
    return f"{sign}{write(estimate.value)} [{write(estimate.low)}, {write(estimate.high)}]"


def _relative(share: float) -> str:
    return f"{number(1 + share, 3)} times as much" if share >= _MANY_TIMES else signed_percent(share)


def _p(p: float) -> str:
    return f"p < {_SMALLEST_P}" if p < _SMALLEST_P else f"p = {p:.2g}"
