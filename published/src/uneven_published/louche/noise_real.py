"""Figures 4.2 to 4.6: learning from the labels of a rough classifier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from uneven_published.claims import asked, best, compare
from uneven_published.description import Claim, Exhibit, Measure, Plot
from uneven_published.documents import LOUCHE
from uneven_published.louche.cheap_labels import CHEAP, CLEAN, SAMPLE, UMA
from uneven_published.louche.noise_studies import (
    DIGIT_ERRORS,
    DIGIT_ROW,
    IMAGE_SAMPLES,
    LETTER_ERRORS,
    LETTER_ROW,
    RACE,
    RULES,
    SHARES,
    SIZES,
    SSVM,
    SSVM_UNPROJECTED,
    STEPS,
    TEXT_ERRORS,
    TEXT_ROW,
    TEXT_SAMPLES,
    TOPIC_ROW,
    TOPIC_ROW_70,
)
from uneven_published.numbers import printed_table

_PRINTED = (CHEAP, SAMPLE, CLEAN, SSVM, UMA, SSVM_UNPROJECTED)
_SETTLED = 30

_REUTERS_NOTE = (
    "The Reuters collection of the source (RCV1, about 11 000 training and 11 000 test documents "
    "of nine classes) cannot be had here: the nine largest classes of Reuters-21578 stand in, 5158 "
    "training and 2037 test documents, tf-idf words, unit rows in random order. "
)
_TOPIC_NOTE = (
    "Another row runs on generated documents of nine topics, as many and as uneven as those of the "
    "source: a calibrated toy, not evidence about Reuters. "
)
_TEXT_M = (
    "Documents: the source has M = 70. So do the generated topics; the smallest classes of "
    "Reuters-21578 have 89 documents and would be used up, so M = 20 there. "
)
_CHEAP = (
    "M rows of each class are labelled and train a rough classifier (UMA without a matrix); a "
    "uniform sample S_conf of the other training rows is labelled to estimate its confusion; it "
    "labels all training rows. UMA learns from these labels and the matrix, h_Sy (perceptron) from "
    "the labels alone, h_Sconf from S_conf, h_St from all true labels. A perceptron goes over its "
    "rows 10 times at most, 50 times where there are at most 2000. Errors on clean test rows. "
)
_REDRAWN = "A sample that lacks a class is drawn again. "
_UMA_STEPS = "UMA makes 500 steps, with letters 1000. "
_WIDTHS = (
    "Digits: M = 10, official split, pixels / 16, Gaussian kernel-PCA on 640 axes, unit rows. "
    "Letters: M = 50, first 15 000 rows for training (the source draws them), features / 15, "
    "1600 axes from 3000 landmarks. The source does not say how wide its kernels are, and "
    "everything depends on it: we use 0.575 and 0.1, which gave errors like the printed ones, so "
    "agreement there is partly by construction. "
)
_SVM = (
    "h_SSVM: the source names a multi-class semi-supervised SVM without a formula; ours is one "
    "class against the rest with squared hinge and guessed labels whose weight grows slowly "
    "(C = 10, no offset), fitted to the labels of S_conf only. "
)


def _close(*pairs: float) -> tuple[bool, str]:
    """Pairs of errors, one after the other: all within 0.03."""
    gaps = [b - a for a, b in zip(pairs[::2], pairs[1::2])]
    detail = ", ".join(f"{gap:+.3f}" for gap in gaps)
    return max(abs(gap) for gap in gaps) <= 0.03, f"differences {detail}"


def _error_needs(row: str, *columns: str) -> tuple[tuple[str, str, str], ...]:
    return tuple((row, column, "error") for column in columns)


def _tenth_less(few: float, many: float) -> tuple[bool, str]:
    """Whether the second error is lower by 0.07 to 0.13."""
    return 0.07 <= few - many <= 0.13, f"{many - few:+.3f}"


def _ahead(least: float) -> Callable[..., tuple[bool, str]]:
    """Pairs of errors, one after the other: the first of each is lower by so much or more."""

    def check(*pairs: float) -> tuple[bool, str]:
        gaps = [b - a for a, b in zip(pairs[::2], pairs[1::2])]
        return min(gaps) >= least, ", ".join(f"{gap:+.3f}" for gap in gaps)

    return check


_OUR_SVM = (
    "Our semi-supervised SVM, a reading of a method that the source only names, errs less than the "
    "printed one: {}."
)
_ERROR_CLAIMS = (
    Claim(
        "UMA always has a lower error than h_Sy.",
        compare(UMA, CHEAP, "error", "<", (DIGIT_ROW, LETTER_ROW, TEXT_ROW)),
        "On letters they are level (.335 and .331). On Reuters UMA trusts a matrix that rests on "
        "about four rows of the smallest classes; on generated topics, where the matrix is good, "
        "UMA is at .15 and h_Sy at .44.",
    ),
    Claim(
        "Few labels cost much: h_Sconf errs at least 0.1 more than h_St on all three.",
        asked(
            tuple(
                need
                for row in (DIGIT_ROW, LETTER_ROW, TEXT_ROW)
                for need in _error_needs(row, CLEAN, SAMPLE)
            ),
            _ahead(0.1),
        ),
        "So it is on digits and letters (.18 and .29 more); Reuters-21578 is easier than the "
        "collection of the source, and h_Sconf errs .05 more than h_St there.",
    ),
    Claim(
        "UMA has a lower error than h_Sconf on digits and letters.",
        compare(UMA, SAMPLE, "error", "<", (DIGIT_ROW, LETTER_ROW)),
    ),
    Claim(
        "UMA has a higher error than h_Sconf on Reuters, whose classes are uneven.",
        compare(UMA, SAMPLE, "error", ">", (TEXT_ROW,)),
    ),
    Claim(
        "UMA and h_SSVM are close on digits and Reuters (we ask for at most 0.03).",
        asked((*_error_needs(DIGIT_ROW, UMA, SSVM), *_error_needs(TEXT_ROW, UMA, SSVM)), _close),
        _OUR_SVM.format(".07 against .15 on digits, .08 against .22 on Reuters"),
    ),
    Claim(
        "UMA is clearly better than h_SSVM on letters (we ask for 0.05).",
        asked(_error_needs(LETTER_ROW, UMA, SSVM), _ahead(0.05)),
        _OUR_SVM.format(".30 against .49 on letters, where UMA errs as printed"),
    ),
    Claim(
        "Even h_Sy is better than h_SSVM on letters.",
        compare(CHEAP, SSVM, "error", "<", (LETTER_ROW,)),
        _OUR_SVM.format(".30 against .49 on letters, where h_Sy errs as printed"),
    ),
    Claim(
        "The projection raises the error of h_SSVM.",
        compare(SSVM_UNPROJECTED, SSVM, "error", "<", (DIGIT_ROW, LETTER_ROW)),
        "On letters they are level (.298 and .301), on digits our SVM is better with the "
        "projection (.07) than without (.09); printed .15 and .07.",
    ),
    Claim(
        "h_St, which knows all labels, is better than every other classifier.",
        best(CLEAN, "error", "lower", _PRINTED, (DIGIT_ROW, LETTER_ROW, TEXT_ROW)),
    ),
    Claim(
        "More labelled rows per class (M from 20 to 70) lower UMA's error by almost 0.1 (we ask "
        "for 0.07 to 0.13, of the generated topics).",
        asked(((TOPIC_ROW, UMA, "error"), (TOPIC_ROW_70, UMA, "error")), _tenth_less),
        "They lower it more than said, on generated documents: from .15 to .02.",
    ),
)

FIGURE_43 = Exhibit(
    LOUCHE,
    "Figure 4.3",
    "Test errors of classifiers that make do with cheap labels",
    "substitute",
    "Digits and letters are the original data. " + _REUTERS_NOTE,
    protocol=_CHEAP
    + "S_conf is 5 % of the training rows. "
    + _REDRAWN
    + _UMA_STEPS
    + _WIDTHS
    + "Reuters: M = 20, no kernel. "
    + _SVM
    + "Without kernel-PCA it sees coordinates that span the whole kernel of the landmarks (digits: "
    "all training rows; letters: 3000 of 15 000). 10 draws (published: 10), 3 for letters. Our own "
    "columns: the rough classifier, and h_Sy as a batch perceptron (UMA without a matrix). Our own "
    "rows: digits with a wide kernel, and generated documents of nine topics (M = 20 and 70), as "
    "many and as uneven as those of the source.",
    studies=(DIGIT_ERRORS, LETTER_ERRORS, TEXT_ERRORS),
    measures=(Measure("error", "error rate on the test rows", "lower", 3),),
    printed=printed_table(
        """
        | h_Sy | h_Sconf | h_St | h_SSVM | UMA | h_SSVM (no K-PCA)
        Handwritten Digits | 0.25 | 0.21 | 0.04 | 0.15 | 0.16 | 0.07
        Letter Recognition | 0.35 | 0.36 | 0.23 | 0.49 | 0.33 | 0.18
        Reuters | 0.30 | 0.17 | 0.01 | 0.22 | 0.21 | 0.22
        """,
        "error",
    ),
    claims=_ERROR_CLAIMS,
    errata=(
        "The text compares UMA and h_Sy as the first and the last column; UMA is the fifth.",
        "By the text nothing beats h_St; on letters the printed h_SSVM without kernel-PCA does.",
    ),
    explanation=(
        "The width of the kernel is not printed; ours gives perceptrons like the printed ones, and "
        "at width 1 everybody is better and UMA's gain is nearly gone. The semi-supervised SVM is "
        "our reading of a method that the source only names, and much better than the printed one. "
        "Reuters-21578 is easier than the collection of the source, and so uneven that the 5 % "
        "sample holds about four rows of the smallest classes: the matrix is coarse there, and "
        "UMA, which trusts it, is worse than the cheap labels themselves. On generated topics UMA "
        "does what is claimed: far below the cheap labels."
    ),
)


def _flat(curve: NDArray[np.float64]) -> tuple[bool, str]:
    spread = float(np.ptp(curve))
    return spread <= 0.05, f"errors between {curve.min():.3f} and {curve.max():.3f}"


def _overtakes(uma: NDArray[np.float64], other: NDArray[np.float64]) -> tuple[bool, str]:
    below = np.flatnonzero(other < uma)
    where = f"from {SHARES[below[0]]:.0%} on" if len(below) else "never"
    return bool(other[0] > uma[0] and other[-1] < uma[-1]), f"below UMA: {where}"


_WHY_NOT_FLAT = {
    TEXT_ROW: "From 2 % on it is flat, .20 to .25; with 1 % it is lower, .13.",
    DIGIT_ROW: "It falls from .28 with 1 or 2 % to .10: a matrix from 38 or 76 rows is poor.",
    LETTER_ROW: "From 5 % on it is flat, .36 to .39; with 1 or 2 %, 60 or 120 rows for 26 classes, "
    "the matrix is too poor and UMA fails.",
}
_WHY_NOT_OVERTAKEN = {
    (TOPIC_ROW_70, SAMPLE): "UMA ends at .006 and h_Sconf at .009: nothing is left to overtake.",
    (DIGIT_ROW, SSVM): "h_SSVM is ahead at once (.23 and .28): our SVM errs half as often as the "
    "printed one in figure 4.3.",
    (LETTER_ROW, SSVM): "UMA fails with 1 % of the labels (.97, h_SSVM .75); it is ahead with 5 % "
    "(.39 and .47) and behind with 50 % (.38 and .20), as said.",
}


def _curve_claims(row: str, who: str) -> tuple[Claim, ...]:
    both = ((row, UMA, "error"), (row, who, "error"))
    return (
        Claim(
            f"{row}: UMA's error hardly depends on the size of S_conf (we ask for 0.05).",
            asked(both[:1], _flat),
            _WHY_NOT_FLAT.get(row, ""),
        ),
        Claim(
            f"{row}: {who} starts above UMA and ends below it.",
            asked(both, _overtakes),
            _WHY_NOT_OVERTAKEN.get((row, who), ""),
        ),
    )


def _improves(first: float, last: float) -> tuple[bool, str]:
    return last < first, f"{first:.3f} to {last:.3f}"


_SAMPLE_MEASURES = (
    Measure("error", "error rate on the test rows, by size of S_conf", "lower", 3),
    Measure("first", "error, S_conf of 1 %", "lower", 3),
    Measure("last", "error, S_conf of 50 %", "lower", 3),
)
_SAMPLE_PLOT = Plot("error", SHARES, "S_conf, share of the training rows", "test error", x_log=True)
_GROWING = (
    "S_conf grows from 1 % to 50 % of the training rows; each sample holds the smaller ones. A "
    "class that S_conf lacks counts as never mistaken. The print is a drawing without numbers. "
)


def _settled(*curves: NDArray[np.float64]) -> tuple[bool, str]:
    """From step 30 on, no curve gains more than 0.03 (mean of the last 20 steps)."""
    gains = [float(curve[_SETTLED - 1] - curve[-20:].mean()) for curve in curves]
    detail = ", ".join(f"{gain:+.3f}" for gain in gains)
    return max(gains) <= 0.03, f"later gains {detail} ({', '.join(RULES)})"


def _lower(first: NDArray[np.float64], second: NDArray[np.float64]) -> tuple[bool, str]:
    """Mean over the steps from 30 on."""
    a, b = first[_SETTLED:].mean(), second[_SETTLED:].mean()
    return a < b, f"{a:.3f} and {b:.3f}, mean of the steps after {_SETTLED}"


def _never_best(*curves: NDArray[np.float64]) -> tuple[bool, str]:
    """The last curve is nowhere below all others."""
    best = curves[-1] < np.min(curves[:-1], axis=0)
    return not best.any(), f"best at {int(best.sum())} of {len(best)} steps"


_WHY_UNSETTLED = {
    (
        TEXT_ROW,
        "error",
    ): "The rules error and confusion are; random, which has met 30 of 72 pairs of "
    "classes at most by then, is from step 37 on.",
    (
        TEXT_ROW,
        "rate",
    ): "The rule error is from step 9 on, confusion from step 32; random, which has "
    "met 30 of 72 pairs of classes at most by step 30, from step 62.",
    (
        TOPIC_ROW,
        "error",
    ): "Each curve moves by more than .03 until step 130: it is that of one draw, "
    "not a mean of many.",
    (
        TOPIC_ROW,
        "rate",
    ): "Each curve moves by more than .03 until step 130: it is that of one draw, "
    "not a mean of many.",
}
_WHY_NOT_LOWER = (
    "One rule is ahead in both measures, confusion on Reuters and error on generated topics: which "
    "is better depends on the data, not on the measure."
)
_WHY_RANDOM_IS_BEST = {
    (TEXT_ROW, "error"): "It is in steps 122 to 135 only; one draw.",
    (TOPIC_ROW, "error"): "It is best late, mostly after step 80, when it has met most pairs of "
    "classes; one draw.",
    (TOPIC_ROW, "rate"): "It is best late, mostly after step 105, when it has met most pairs of "
    "classes; one draw.",
}


def _rule_claims(row: str) -> tuple[Claim, ...]:
    def needs(measure: str, *rules: str) -> tuple[tuple[str, str, str], ...]:
        return tuple((row, rule, measure) for rule in rules)

    sentences: tuple[tuple[str, Any, Any, str], ...] = (
        *(
            (f"{title} are stable from about step 30 on", needs(m, *RULES), _settled, why)
            for title, m in (("errors", "error"), ("confusion rates", "rate"))
            for why in (_WHY_UNSETTLED[row, m],)
        ),
        (
            "the rule error has a lower error",
            needs("error", "error", "confusion"),
            _lower,
            _WHY_NOT_LOWER,
        ),
        (
            "the rule confusion has a lower rate",
            needs("rate", "confusion", "error"),
            _lower,
            _WHY_NOT_LOWER,
        ),
        *(
            (f"the rule random never has the lowest {m}", needs(m, *RULES), _never_best, why)
            for m in ("error", "rate")
            for why in (_WHY_RANDOM_IS_BEST.get((row, m), ""),)
        ),
    )
    return tuple(
        Claim(f"{row}: {text}.", asked(wanted, how), why) for text, wanted, how, why in sentences
    )


_STEP_AXIS = tuple(float(step) for step in range(1, STEPS + 1))

EXHIBITS: tuple[Exhibit, ...] = (
    Exhibit(
        LOUCHE,
        "Figure 4.2",
        "Class sizes of the three data sets",
        "substitute",
        "Digits and letters are the original data. " + _REUTERS_NOTE,
        protocol="Training rows of each class, largest class first. Of the source only the "
        "extremes of Reuters are given in the text.",
        studies=(SIZES,),
        measures=(
            Measure("sizes", "rows by class", None, 0),
            Measure("classes", "classes", None, 0),
            Measure("largest", "rows of the largest class", None, 0),
            Measure("smallest", "rows of the smallest class", None, 0),
        ),
        printed=printed_table(
            """
            | training rows: classes | training rows: largest | training rows: smallest
            Handwritten Digits | 10 | - | -
            Letter Recognition | 26 | - | -
            Reuters | 9 | 4000 | 500
            """
        ),
        claims=tuple(
            Claim(
                text,
                asked(tuple((row, "training rows", key) for key in ("largest", "smallest")), check),
            )
            for text, row, check in (
                ("The digits are even.", DIGIT_ROW, lambda a, b: (a < 1.25 * b, f"{a / b:.2f}")),
                ("The letters are even.", LETTER_ROW, lambda a, b: (a < 1.25 * b, f"{a / b:.2f}")),
                (
                    "The Reuters classes are uneven, the largest about eight times the smallest "
                    "(we ask for 6 to 10).",
                    TEXT_ROW,
                    lambda a, b: (6 * b <= a <= 10 * b, f"{a / b:.1f} times"),
                ),
            )
        ),
        plots=(
            Plot(
                "sizes",
                tuple(float(k) for k in range(1, 27)),
                "class, largest first",
                "training rows",
                kind="bar",
            ),
        ),
        explanation=(
            "Reuters-21578 is far more uneven than the collection of the source: the largest class "
            "has 30 times the rows of the smallest."
        ),
    ),
    FIGURE_43,
    Exhibit(
        LOUCHE,
        "Figure 4.4",
        "Error of UMA and of h_Sconf as the labelled sample grows",
        "substitute",
        _REUTERS_NOTE + _TOPIC_NOTE,
        protocol=_CHEAP + "UMA makes 500 steps. " + _TEXT_M + _GROWING + _SVM + "8 draws.",
        studies=(TEXT_SAMPLES,),
        measures=_SAMPLE_MEASURES,
        claims=(*_curve_claims(TEXT_ROW, SAMPLE), *_curve_claims(TOPIC_ROW_70, SAMPLE)),
        plots=(_SAMPLE_PLOT,),
        explanation=(
            "UMA is flat where its matrix is good from the start (generated topics with 70 rows of "
            "each class), and not on Reuters-21578, whose smallest classes have a handful of rows "
            "in a small sample. There a perceptron on the sample alone is ahead from 2 % on."
        ),
    ),
    Exhibit(
        LOUCHE,
        "Figure 4.5",
        "Error of UMA and of a semi-supervised SVM as the labelled sample grows",
        "substitute",
        "Digits and letters are the original data. " + _REUTERS_NOTE + _TOPIC_NOTE,
        protocol=_CHEAP
        + _WIDTHS
        + "UMA makes 500 steps. "
        + "Letters here: 6000 training rows, 2000 test rows, 800 axes from 2000 landmarks, 300 "
        "steps, to stay within minutes. "
        + _TEXT_M
        + _GROWING
        + _SVM
        + "8 draws of documents, 5 of digits and letters (published: 15).",
        studies=(TEXT_SAMPLES, IMAGE_SAMPLES),
        measures=_SAMPLE_MEASURES,
        claims=tuple(
            claim
            for row in (TEXT_ROW, TOPIC_ROW_70, DIGIT_ROW, LETTER_ROW)
            for claim in (
                *_curve_claims(row, SSVM),
                Claim(
                    f"{row}: the error of h_SSVM falls with more labels.",
                    asked(((row, SSVM, "first"), (row, SSVM, "last")), _improves),
                ),
            )
        ),
        plots=(_SAMPLE_PLOT,),
        explanation=(
            "UMA's error falls with the sample, since a matrix from few rows is poor: with 1 or 2 "
            "% of the labels it fails on letters. Our semi-supervised SVM is better than the "
            "source's and is ahead of UMA early, on digits and letters from the start."
        ),
    ),
    Exhibit(
        LOUCHE,
        "Figure 4.6",
        "Error and confusion rate of UMA step by step, for three rules that select pairs",
        "substitute",
        _REUTERS_NOTE + _TOPIC_NOTE,
        protocol=_CHEAP
        + _REDRAWN
        + f"M = 20, S_conf of 5 %, {STEPS} steps of UMA; test error and confusion rate (Frobenius "
        "norm of the test confusion over the root of the number of classes) after every step. 10 "
        "draws; the source does not say how many. The print is a drawing without numbers.",
        studies=(RACE,),
        measures=(
            Measure("error", "test error by step", "lower", 3),
            Measure("rate", "confusion rate by step", "lower", 3),
            Measure("last error", f"test error after {STEPS} steps", "lower", 3),
            Measure("last rate", f"confusion rate after {STEPS} steps", "lower", 3),
        ),
        claims=(*_rule_claims(TEXT_ROW), *_rule_claims(TOPIC_ROW)),
        plots=(
            Plot("error", _STEP_AXIS, "step", "test error", title="Error"),
            Plot("rate", _STEP_AXIS, "step", "confusion rate", title="Confusion rate"),
        ),
        explanation=(
            "Which rule is best depends on the data: the rule confusion on Reuters-21578, the rule "
            "error on generated topics; after many steps the random rule is not worse. Steps count "
            "for less here than published: with nine classes the curves still move after step 30."
        ),
    ),
)
