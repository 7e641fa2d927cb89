"""Who wins, by how much, and whether that is more than chance over the folds."""

from __future__ import annotations

import math
from dataclasses import dataclass

from uneven.report.averages import mean, spread
from uneven.report.numbers import decimal, plus_minus
from uneven.report.results import CompareResults, Measure, MethodResult

__all__ = ["Verdict", "leaders", "verdict"]


@dataclass(frozen=True)
class Verdict:
    """The outcome in words and in numbers.

    Attributes
    ----------
    best : MethodResult
        The winner on the chosen measure.
    rival : MethodResult or None
        The best method of the other kind (baseline or ours), or the second when there is none.
    gain : float
        Mean over the folds of how much better the winner is; NaN without a rival.
    noise : float
        Spread over the folds of that difference, fold by fold.
    wins, fits : int
        Folds in which the winner was strictly better, and folds in which both have a score.
    headline, detail : str
        One sentence each.
    """

    best: MethodResult
    rival: MethodResult | None
    gain: float
    noise: float
    wins: int
    fits: int
    headline: str
    detail: str

    @property
    def clear(self) -> bool:
        """Whether the gain is larger than its spread over the folds."""
        return self.gain > self.noise

    @property
    def sentence(self) -> str:
        """Headline and detail."""
        return f"{self.headline} {self.detail}".strip()


def verdict(results: CompareResults) -> Verdict:
    """Judge a comparison on its chosen measure.

    Methods are compared fold by fold, since both saw the same rows in each; this removes the part
    of the spread that comes from some folds being harder than others.

    Parameters
    ----------
    results : CompareResults
        With at least one method.

    Returns
    -------
    Verdict
        The outcome.
    """
    measure, best = results.chosen, results.best
    if math.isnan(best.mean(measure.name)):
        headline = f"No method has a {measure.label}; the table below says what went wrong."
        return Verdict(best, None, math.nan, math.nan, 0, 0, headline, "")
    rival = _rival(results, best)
    value = plus_minus(best.mean(measure.name), best.spread(measure.name))
    word = "highest" if measure.greater_is_better else "lowest"
    headline = f"{best.label} has the {word} {measure.label}: {value}."
    if rival is None:
        return Verdict(best, None, math.nan, math.nan, 0, 0, headline, "")
    pairs = zip(best.scores[measure.name], rival.scores[measure.name])
    gains = [measure.better(a, b) for a, b in pairs if math.isfinite(a) and math.isfinite(b)]
    wins = sum(g > 0 for g in gains)
    detail = _detail(measure, best, rival, gains, wins)
    return Verdict(best, rival, mean(gains), spread(gains), wins, len(gains), headline, detail)


def leaders(results: CompareResults, measure: str) -> list[MethodResult]:
    """Methods that nobody beats on a measure: the best one, and those with the same mean.

    Parameters
    ----------
    results : CompareResults
        With at least one method.
    measure : str
        Name of the measure.

    Returns
    -------
    list of MethodResult
        In the order of the ranking. A method that failed in some fold is not level with one that
        did not.
    """
    first, *others = results.ranked(measure)
    top = first.mean(measure)

    def level(method: MethodResult) -> bool:
        near = math.isclose(method.mean(measure), top, rel_tol=1e-9, abs_tol=1e-12)
        return near and bool(method.errors) == bool(first.errors)

    return [first, *(method for method in others if level(method))]


def _rival(results: CompareResults, best: MethodResult) -> MethodResult | None:
    scored = [m for m in results.ranked() if not math.isnan(m.mean(results.metric))]
    others = [m for m in scored if m is not best]
    return next((m for m in others if m.kind != best.kind), others[0] if others else None)


def _detail(
    measure: Measure, best: MethodResult, rival: MethodResult, gains: list[float], wins: int
) -> str:
    gain, noise = mean(gains), spread(gains)
    if rival.kind == best.kind:
        who = "the next method"
    else:
        who = "the best baseline" if rival.kind == "baseline" else "the best method of uneven"
    than = f"{who}, {rival.label} ({decimal(rival.mean(measure.name))})"
    if not gains or decimal(gain) == "0.000":
        return f"It is level with {than}."
    word = "above" if measure.greater_is_better else "below"
    lead = f"That is {decimal(abs(gain))} {word} {than}, and better in {wins} of {len(gains)} folds"
    if math.isnan(noise):
        return f"{lead}; one fold is too few to say more."
    if gain > noise:
        return f"{lead}; the lead is larger than its spread over the folds ({decimal(noise)})."
    return (
        f"{lead}; but the lead is smaller than its spread over the folds ({decimal(noise)}), "
        "so take the two as equally good here."
    )
