"""What the experiments found, in sentences: only what is significant is called a difference.

Elsewhere: the regressions (``experiments``), how numbers are written (``notation``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from laxity.experiments import COMPLETE, RIGHTMOST, Comparison, Effect
from laxity.notation import duration, number, percent
from laxity.quality_of_service import Metric
from laxity.regression import STATISTICS, Estimate

_SMALLEST_P = 1e-4
_MANY_TIMES = 9.0  # relative change from which a factor reads better than percent


def sentences(comparison: Comparison, effects: Sequence[Effect]) -> list[str]:
    """Say what a comparison found.

    Parameters
    ----------
    comparison : Comparison
        One of `comparisons`.
    effects : sequence of Effect
        Of any comparisons; those of this one are chosen.

    Returns
    -------
    list of str
        First one sentence per significant effect over all levels, then what changed between the two largest sizes, then
        one that names what did not differ significantly.
    """
    own = [effect for effect in effects if effect.comparison is comparison]
    whole = [effect for effect in own if effect.part == COMPLETE]
    said = [_sentence(effect) for effect in whole if effect.line.sign != "0"]
    last = [effect for effect in own if effect.part == RIGHTMOST and effect.line.sign != "0"]
    if last:
        smaller, larger = (label for _, label in last[0].levels)
        named = ", ".join(f"{_what(effect)} {_direction(effect)}" for effect in last)
        said.append(f"Between the two largest, {smaller} and {larger}: {named}.")
    same = [effect for effect in whole if effect.line.sign == "0"]
    if same:
        said.append(f"No significant difference: {_list(same)}.")
    return said or ["Too few runs to compare."]


def size(metric: Metric, value: float, *, logarithmic: bool = False) -> str:
    """Write a response or a change of it, with its unit."""
    if logarithmic:
        return number(value, 3)
    return _writer(metric)(value)


def _sentence(effect: Effect) -> str:
    comparison = effect.comparison
    logarithmic = comparison.is_in_logarithms(effect.metric)
    change = _with_ends(effect.absolute, lambda value: size(effect.metric, value, logarithmic=logarithmic))
    if effect.relative:
        change += f", {_signed_percent(effect.relative.value)}"
    if logarithmic:
        change = f"as the power {change} of it"
    how = "with" if comparison.categorical else "for each"
    other = comparison.levels[-1][1] if comparison.categorical else comparison.predictor
    what = _capital(_what(effect))
    sure = f"{_p(effect.line.p)}, n = {effect.line.count}"
    if logarithmic:
        predictor = comparison.predictor.removeprefix("log4 ").strip("()")
        return f"{what} {_direction(effect)} with {predictor}, {change} ({sure})."
    return f"{what} {_direction(effect)} {how} {other}: {change} ({sure})."


def _what(effect: Effect) -> str:
    return f"{effect.statistic} {effect.metric.title}"


def _direction(effect: Effect) -> str:
    if effect.comparison.categorical:
        return "is higher" if effect.line.sign == "+" else "is lower"
    return "grows" if effect.line.sign == "+" else "falls"


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


def _signed_percent(share: float) -> str:
    if share >= _MANY_TIMES:
        return f"{number(1 + share, 3)} times as much"
    return f"{'+' if share > 0 else '−'}{percent(abs(share))}"


def _p(p: float) -> str:
    return f"p < {_SMALLEST_P}" if p < _SMALLEST_P else f"p = {p:.2g}"


def _writer(metric: Metric) -> Callable[[float], str]:
    if metric.unit == "ns":
        return lambda value: duration(value, padded=True)
    return lambda value: number(value, 3)


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
