"""Who wins, whether it is better than guessing, and whether the lead is more than chance."""

from __future__ import annotations

import math
from dataclasses import dataclass

from uneven.comparison.measures import Measure
from uneven.comparison.methodresult import MethodResult
from uneven.comparison.results import Comparison
from uneven.comparison.summaries import mean, spread
from uneven.metrics import corrected_t_test
from uneven.report.guessing import Guessing, compared_with_guessing
from uneven.report.headline import in_rows, measured, small_class
from uneven.report.markup import count, decimal

SURE = 0.05
"""A p-value below this is called more than chance."""

TEST = "corrected t-test of Nadeau and Bengio"


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
        One or two sentences each.
    pvalue : float
        How likely such a gain, or a loss as large, is among equally good methods, by Nadeau and
        Bengio's corrected t-test over the folds; NaN with fewer than two.
    guessing : Guessing or None
        The winner compared with guesses; None without guesses.
    """

    best: MethodResult
    rival: MethodResult | None
    gain: float
    noise: float
    wins: int
    fits: int
    headline: str
    detail: str
    pvalue: float = math.nan
    guessing: Guessing | None = None

    @property
    def clear(self) -> bool:
        """Whether the lead is larger than chance over the folds."""
        return self.gain > 0.0 and self.pvalue < SURE

    @property
    def beats_guessing(self) -> bool:
        """Whether the winner is better than guessing; also without baselines of guesses."""
        return self.guessing is None or self.guessing.beaten

    @property
    def sentence(self) -> str:
        """Headline and detail."""
        return f"{self.headline} {self.detail}".strip()


def verdict(results: Comparison) -> Verdict:
    """Evaluate a comparison on its chosen measure.

    Methods are compared fold by fold, since both saw the same rows in each; this removes the part
    of the spread that comes from some folds being harder than others.
    """
    measure, best = results.chosen, results.winner
    if math.isnan(best.mean(measure.name)):
        headline = f"No method has a {measure.label}; the table below says what went wrong."
        return Verdict(best, None, math.nan, math.nan, 0, 0, headline, "")
    rival = _rival(results, best)
    guessing = compared_with_guessing(results, best)
    plain, figure = in_rows(results, best, rival), measured(results, best, guessing)
    rule = f"Decision rule: {best.decision.sentence}" if best.decision else ""
    doubts = [rule, impossible(results), matrix_doubt(results)]
    beaten = guessing is None or guessing.beaten
    if guessing is not None and not beaten:
        headline, told = guessing.sentence, [plain, figure]
    else:
        headline, told = (plain or figure), [figure if plain else ""]
        doubts.insert(0, small_class(results, best))
    if rival is None:
        detail = " ".join(filter(None, [*told, *doubts]))
        return Verdict(best, None, math.nan, math.nan, 0, 0, headline, detail, guessing=guessing)
    pairs = zip(best.scores[measure.name], rival.scores[measure.name])
    gains = [measure.better(a, b) for a, b in pairs if math.isfinite(a) and math.isfinite(b)]
    wins, pvalue = sum(g > 0 for g in gains), lead_by_chance(gains, results)
    at_end = measure.possible(best.mean(measure.name)) != best.mean(measure.name)
    tied = at_end and rival in leaders(results, measure.name)
    if beaten and not tied:
        told.append(_detail(measure, best, rival, gains, pvalue))
    detail = " ".join(filter(None, [*told, *doubts]))
    counted = (mean(gains), spread(gains), wins, len(gains))
    return Verdict(best, rival, *counted, headline, detail, pvalue, guessing)


def lead_by_chance(gains: list[float], results: Comparison) -> float:
    """The p-value of gains, one per fit, by the corrected t-test; NaN with fewer than two fits."""
    if len(gains) < 2:
        return math.nan
    share = results.test_share or 1.0 / max(results.folds - 1, 1)
    return corrected_t_test(gains, [0.0] * len(gains), share).pvalue


def leaders(results: Comparison, measure: str) -> list[MethodResult]:
    """The best methods on a measure: the best one, and those with the same mean.

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
    """Note which methods have a value of the chosen measure that cannot be, and what that means.

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
        said.append("Methods above 1 are tied.")
    return " ".join(said)


def _listed(values: dict[str, float], most: int = 4) -> str:
    shown = [f"{name} {decimal(value)}" for name, value in values.items()]
    more = f" and {len(shown) - most} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + more


def matrix_doubt(results: Comparison) -> str:
    """Note how far the noise matrix moves the value of the best method.

    Empty without a noise matrix of a known number of rows, or if the measure is not corrected.
    """
    ends = results.winner.matrix_range.get(results.metric)
    if not ends or results.noise is None or not results.noise.rows:
        return ""
    rows = sum(results.noise.rows)
    return (
        f"The noise matrix was estimated from {count(rows)} rows; over the matrices compatible "
        f"with them, {results.winner.label} is between {decimal(ends[0], 2)} and "
        f"{decimal(ends[1], 2)}, and the others move with it."
    )


def _rival(results: Comparison, best: MethodResult) -> MethodResult | None:
    scored = [m for m in results.ranked() if not math.isnan(m.mean(results.metric))]
    others = [m for m in scored if m is not best]
    return next((m for m in others if m.kind != best.kind), others[0] if others else None)


def _detail(
    measure: Measure, best: MethodResult, rival: MethodResult, gains: list[float], pvalue: float
) -> str:
    gain, wins = mean(gains), sum(g > 0 for g in gains)
    if rival.kind == best.kind:
        who = "the next method"
    else:
        who = "the best baseline" if rival.kind == "baseline" else "the best method of uneven"
    than = f"{who}, {rival.label} ({decimal(rival.mean(measure.name))})"
    if not gains or decimal(gain) == "0.000":
        return f"It is tied with {than}."
    word = "above" if measure.greater_is_better else "below"
    lead = f"That is {decimal(abs(gain))} {word} {than}, and better in {wins} of {len(gains)} folds"
    if math.isnan(pvalue):
        return f"{lead}; one fold is too few for a test."
    chance = f"p = {decimal(pvalue)}" if pvalue >= 0.001 else "p < 0.001"
    if gain > 0.0 and pvalue < SURE:
        return f"{lead}; the difference is significant ({chance}, {TEST})."
    return (
        f"{lead}; but the difference is not significant ({chance}, {TEST}), so consider the two "
        "as equally good here."
    )
