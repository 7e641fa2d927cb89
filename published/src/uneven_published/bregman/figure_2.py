"""Figure 2, section 4.2 and footnote 3: more examples, more iterations, two measures."""

from __future__ import annotations

import numpy as np

from uneven_published.bregman.methods import (
    BASELINES,
    BOOSTED,
    CORRECTED,
    DEFAULT,
    OURS,
    PRINTED,
    VOTE,
)
from uneven_published.bregman.runs import (
    COLLECTIONS,
    ChosenIterations,
    LearningCurve,
    OneAgainstRest,
)
from uneven_published.bregman.table_1 import MEASURES, SAMPLE_NOTE
from uneven_published.claims import Check, alike, counted, each_row, within
from uneven_published.description import Claim, Exhibit, Item, Measure, Plot, Significance, Study
from uneven_published.documents import BREGMAN
from uneven_published.numbers import Numbers, Verdict

ITERATIONS = (1, 2, 3, 4, 6, 10)
TUNED = {VOTE: PRINTED[VOTE], CORRECTED: OURS[CORRECTED]}
MOST = 0.5


def two_are_best(column: str) -> Check:
    """The accuracy on the test rows is highest after two iterations."""

    def condition(curve: np.ndarray) -> tuple[bool, str]:
        return bool(ITERATIONS[int(np.argmax(curve))] == 2), " ".join(f"{a:.4f}" for a in curve)

    return each_row([(column, "accuracy")], condition)


ITERATING = Study(
    "bregman-section-4.2", COLLECTIONS, ChosenIterations(TUNED, ITERATIONS), repeats=5, edition=2
)

SECTION_4_2 = Exhibit(
    BREGMAN,
    "Section 4.2",
    "Iterations of the vote that cross-validation chooses",
    status="substitute",
    status_note=SAMPLE_NOTE,
    protocol=(
        "As for Table 1, 5 times. For each class, 5-fold cross-validation on the 100 examples "
        f"chooses among {', '.join(map(str, ITERATIONS))} iterations by accuracy, the fewest of "
        "equals. Shown are the share of classes for which it chooses 2, the mean of what it "
        "chooses, how often it chooses 2 if all classes of a draw get the same number, and the "
        "accuracy on the test rows for every number. The source prints no figures; which numbers "
        "it chose from, and for what, is not stated."
    ),
    studies=(ITERATING,),
    measures=(
        Measure("share", "Share of classes with 2 iterations", None, 2),
        Measure("chosen", "Iterations chosen, mean", None, 1),
        Measure("together", "Share of draws with 2 iterations for all classes", None, 2),
        Measure("accuracy", "Accuracy on the test rows", "higher", 3),
    ),
    columns=tuple(TUNED),
    claims=(
        Claim(
            "Cross-validation chooses 2 iterations in most cases (here: one number for all "
            "classes, in most draws).",
            within(VOTE, "together", low=MOST),
        ),
        Claim(
            "Asked besides: it does so for most single classes.", within(VOTE, "share", low=MOST)
        ),
        Claim(
            "Asked besides: 2 iterations are the best of all on the test rows.", two_are_best(VOTE)
        ),
        Claim(
            "Asked about the corrected vote: it chooses 2 in most draws.",
            within(CORRECTED, "together", low=MOST),
        ),
    ),
    plots=(Plot("accuracy", ITERATIONS, "iterations", "accuracy on the test rows"),),
    explanation=(
        "No cell of this protocol is finished yet with voters that have random cuts, so nothing "
        "can be said about the reason."
    ),
)


SIMILAR = 0.02
PAIRS = tuple(zip(BASELINES, BOOSTED))

MEASURING = Study("bregman-footnote-3", COLLECTIONS, OneAgainstRest(BASELINES | BOOSTED), repeats=5)


FOOTNOTE_3 = Exhibit(
    BREGMAN,
    "Footnote 3",
    "Mono, Concat, Fusion and MV-MV with AdaBoost in place of one tree",
    status="substitute",
    status_note=SAMPLE_NOTE,
    protocol=(
        "As for Table 1, 5 times. AdaBoost has 50 stumps; the source names neither their number "
        f"nor their depth and prints no figures. 'Similar' is asked as: at most {SIMILAR} apart."
    ),
    studies=(MEASURING,),
    measures=MEASURES,
    columns=tuple(column for pair in PAIRS for column in pair),
    claims=tuple(
        Claim(
            f"{measure.title}: AdaBoost and one tree do similarly in {first}.",
            alike(first, second, {measure.key: SIMILAR}),
        )
        for measure in MEASURES
        for first, second in PAIRS
    ),
    significance=Significance("rank_sum", 0.02, ("accuracy", "f1"), PAIRS),
    explanation=(
        "50 stumps are better than one full tree in most cases, by up to 0.07. The source does not "
        "say which trees it boosted; full trees leave nothing to boost and would give the same as "
        "one tree, which may be what it saw."
    ),
)


SIZES = (50, 100, 200, 300, 500)
SIZES_OF_SAMPLE = SIZES[:3]
DRAWS = 5
TOLERANCE = 0.005

SHOWN = PRINTED | {name: OURS[name] for name in (CORRECTED, DEFAULT)}


def _study(name: str, items: tuple[Item, ...], sizes: tuple[int, ...]) -> Study:
    """All sizes of one draw come before the next draw."""
    return Study(
        name,
        items,
        LearningCurve(SHOWN, sizes, SIZES),
        repeats=DRAWS * len(sizes),
        fast_repeats=len(sizes),
        edition=2,
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
        "On the sample of Reuters, where 200 examples are the most, ups and downs are as large as "
        "the gain."
    ),
)
