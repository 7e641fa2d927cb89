"""Who wins, by how much, and whether that is more than chance over the folds."""

from __future__ import annotations

import math
from dataclasses import dataclass

from uneven.comparison.measures import Measure
from uneven.comparison.results import Comparison, MethodResult
from uneven.comparison.summaries import mean, spread
from uneven.report.markup import count, decimal, plus_minus


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


def verdict(results: Comparison) -> Verdict:
    """Judge a comparison on its chosen measure.

    Methods are compared fold by fold, since both saw the same rows in each; this removes the part
    of the spread that comes from some folds being harder than others.
    """
    measure, best = results.chosen, results.winner
    if math.isnan(best.mean(measure.name)):
        headline = f"No method has a {measure.label}; the table below says what went wrong."
        return Verdict(best, None, math.nan, math.nan, 0, 0, headline, "")
    rival = _rival(results, best)
    value = plus_minus(best.mean(measure.name), best.spread(measure.name))
    word = "highest" if measure.greater_is_better else "lowest"
    headline = f"{best.label} has the {word} {measure.label}: {value}."
    at_end = measure.possible(best.mean(measure.name)) != best.mean(measure.name)
    if at_end:
        headline = f"{best.label} comes out first, but its {measure.label}, {value}, cannot be."
    doubts = " ".join(filter(None, (impossible(results), matrix_doubt(results))))
    if rival is None:
        return Verdict(best, None, math.nan, math.nan, 0, 0, headline, doubts)
    pairs = zip(best.scores[measure.name], rival.scores[measure.name])
    gains = [measure.better(a, b) for a, b in pairs if math.isfinite(a) and math.isfinite(b)]
    wins = sum(g > 0 for g in gains)
    tied = at_end and rival in leaders(results, measure.name)
    lead = "" if tied else _detail(measure, best, rival, gains, wins)
    detail = f"{lead} {doubts}".strip()
    return Verdict(best, rival, mean(gains), spread(gains), wins, len(gains), headline, detail)


def leaders(results: Comparison, measure: str) -> list[MethodResult]:
    """Methods that nobody beats on a measure: the best one, and those with the same mean.

    In the order of the ranking. A method that failed in some fold is not level with one that
    did not.
    """
    first, *others = results.ranked(measure)
    possible = results.measure(measure).possible
    top = possible(first.mean(measure))

    def level(method: MethodResult) -> bool:
        near = math.isclose(possible(method.mean(measure)), top, rel_tol=1e-9, abs_tol=1e-12)
        return near and bool(method.errors) == bool(first.errors)

    return [first, *(method for method in others if level(method))]


def impossible(results: Comparison) -> str:
    """Say which methods have a value of the chosen measure that cannot be, and what that means.

    Empty if every value can be.
    """
    measure = results.chosen
    values = {m.label: m.mean(measure.name) for m in results.ranked()}
    above = {name: value for name, value in values.items() if value > measure.possible(value)}
    below = {name: value for name, value in values.items() if value < measure.possible(value)}
    said = [
        f"A {measure.label} {where} cannot be ({_listed(found)}): it is chance, with too few rows, "
        "or the noise matrix does not fit these labels."
        for where, found in (("above 1", above), ("below 0", below))
        if found
    ]
    if len(above) > 1:
        said.append("Methods above 1 count as level.")
    return " ".join(said)


def _listed(values: dict[str, float], most: int = 4) -> str:
    shown = [f"{name} {decimal(value)}" for name, value in values.items()]
    more = f" and {len(shown) - most} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + more


def matrix_doubt(results: Comparison) -> str:
    """Say how far the noise matrix moves the value of the best method.

    Empty without a noise matrix of a known number of rows, or if the measure is not corrected.
    """
    ends = results.winner.matrix_range.get(results.metric)
    if not ends or results.noise is None or not results.noise.rows:
        return ""
    rows = sum(results.noise.rows)
    return (
        f"The noise matrix was estimated from {count(rows)} rows; matrices that fit them put "
        f"{results.winner.label} between {decimal(ends[0], 2)} and {decimal(ends[1], 2)}, and the "
        "others up or down with it."
    )


def _rival(results: Comparison, best: MethodResult) -> MethodResult | None:
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
