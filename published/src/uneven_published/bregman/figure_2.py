"""Figure 2: the same methods as the training sets grow."""

from __future__ import annotations

import numpy as np

from uneven_published.bregman.methods import CORRECTED, OURS, PRINTED, RANDOM_TREES
from uneven_published.bregman.one_against_rest import LearningCurve
from uneven_published.bregman.sources import COLLECTIONS
from uneven_published.bregman.table_1 import MEASURES, SAMPLE_NOTE
from uneven_published.claims import Check, counted
from uneven_published.description import Claim, Exhibit, Item, Plot, Study
from uneven_published.documents import BREGMAN
from uneven_published.numbers import Numbers, Verdict

__all__ = ["FIGURE_2", "closer", "rises", "slows_down"]

SIZES = (50, 100, 150, 200, 300, 400, 500)
SIZES_OF_SAMPLE = SIZES[:4]
DRAWS = 5
TOLERANCE = 0.005

SHOWN = PRINTED | {name: OURS[name] for name in (CORRECTED, RANDOM_TREES)}


def _study(name: str, items: tuple[Item, ...], sizes: tuple[int, ...]) -> Study:
    """All sizes of one draw come before the next draw."""
    return Study(
        name,
        items,
        LearningCurve(SHOWN, sizes, SIZES),
        repeats=DRAWS * len(sizes),
        fast_repeats=len(sizes),
    )


STUDIES = (
    _study("bregman-figure-2-digits", COLLECTIONS[:2], SIZES),
    _study("bregman-figure-2-texts", COLLECTIONS[2:], SIZES_OF_SAMPLE),
)


def _curves(numbers: Numbers, measure: str) -> dict[tuple[str, str], np.ndarray]:
    """Curves by row and column that have two known places or more; the others are NaN."""
    found = {}
    for row in numbers.rows:
        for column in numbers.columns:
            curve = numbers.mean(row, column, measure)
            if curve is not None and np.isfinite(curve).sum() > 1:
                found[row, column] = np.asarray(curve)
    return found


def rises(measure: str, tolerance: float = TOLERANCE) -> Check:
    """Every curve grows with the number of examples, but for falls up to the tolerance."""

    def check(numbers: Numbers) -> Verdict:
        outcome = {}
        for (row, column), curve in _curves(numbers, measure).items():
            steps = np.diff(curve[np.isfinite(curve)])
            outcome[f"{column} on {row}"] = bool(np.all(steps >= -tolerance))
        return counted(outcome)

    return check


def slows_down(measure: str, x: tuple[int, ...] = SIZES) -> Check:
    """Every curve gains less per example over its last half than over its first."""

    def check(numbers: Numbers) -> Verdict:
        outcome = {}
        for (row, column), curve in _curves(numbers, measure).items():
            known = np.flatnonzero(np.isfinite(curve))
            if len(known) > 2:
                ends = known[[0, len(known) // 2, -1]]
                first, last = np.diff(curve[ends]) / np.diff(np.take(x, ends))
                outcome[f"{column} on {row}"] = bool(last < first)
        return counted(outcome)

    return check


def closer(measure: str, columns: tuple[str, ...]) -> Check:
    """The best and the worst column are closer at the end of the curves than at the beginning."""

    def check(numbers: Numbers) -> Verdict:
        curves = _curves(numbers, measure)
        outcome = {}
        for row in numbers.rows:
            known = [curves[row, c] for c in columns if (row, c) in curves]
            spread = np.ptp(known, axis=0) if len(known) > 1 else np.array([])
            spread = spread[np.isfinite(spread)]
            if len(spread) > 1:
                outcome[row] = bool(spread[-1] < spread[0])
        return counted(outcome)

    return check


def _claims() -> tuple[Claim, ...]:
    return tuple(
        Claim(text.format(measure.title), check)
        for measure in MEASURES
        for text, check in (
            ("{}: all curves rise with the number of examples.", rises(measure.key)),
            ("{}: with enough examples the curves rise more slowly.", slows_down(measure.key)),
            (
                "{}: the methods differ less with more examples.",
                closer(measure.key, tuple(PRINTED)),
            ),
        )
    )


FIGURE_2 = Exhibit(
    BREGMAN,
    "Figure 2",
    "Accuracy and F1 over the number of examples to learn from",
    status="substitute",
    status_note=f"{SAMPLE_NOTE} It has enough documents for up to {SIZES_OF_SAMPLE[-1]} examples.",
    protocol=(
        "As for Table 1, with 50 to 500 examples, half of them of the class, and "
        f"{DRAWS} draws instead of 20; a larger training set contains the smaller ones of the same "
        "draw. A repetition is one size of one draw. The numbers of examples of the source and its "
        "curves cannot be read, so that nothing printed stands beside ours. A curve counts as "
        f"rising if no step falls by more than {TOLERANCE}."
    ),
    studies=STUDIES,
    measures=MEASURES,
    columns=tuple(SHOWN),
    rows=tuple(item.name for item in COLLECTIONS),
    claims=_claims(),
    plots=tuple(
        Plot(measure.key, SIZES, "examples to learn from", measure.title, title=measure.title)
        for measure in MEASURES
    ),
    explanation=(
        "Up to 500 examples the digits' curves mostly rise, but not those of the vote to the "
        "letter, which keeps one view, and on the sample of Reuters, where 200 examples are "
        "the most, ups and downs are as large as the gain. The methods do not come closer: "
        "trees gain less from more examples than votes of many voters."
    ),
)
