"""Tables 1 and 2: CoMBo and AdaBoost.MM on eight tables, error and norm of the confusion matrix."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from uneven.boosting import AdaBoostMMClassifier, ComboClassifier
from uneven_published.claims import alike, asked, average, compare
from uneven_published.combo.nursery import whole_nursery
from uneven_published.combo.poker import uci_like_poker
from uneven_published.description import Claim, Exhibit, Item, Measure, Study
from uneven_published.documents import COMBO as DOCUMENT
from uneven_published.documents import CONNECT_REBUILT as REBUILT
from uneven_published.numbers import Printed, Value
from uneven_published.protocols import CrossValidated, pick
from uneven_published.reading import printed_table

__all__ = ["EXHIBITS", "STUDY"]

COMBO, PLAIN = "CoMBo", "AdaBoost.MM"

DATA = {
    "Abalone": "abalone",
    "Car": "car",
    "Connect-4": "connect4",
    "Nursery": "nursery_s",
    "Poker": "",
    "Pendigits": "pendigits",
    "Im. Segm.": "segment",
    "Letter": "letter",
}
IMBALANCED = ("Abalone", "Car", "Connect-4", "Nursery", "Poker")
BALANCED = ("Pendigits", "Im. Segm.", "Letter")

STUDY = Study(
    "combo-paper",
    tuple(Item(name, (data,) if data else ()) for name, data in DATA.items()),
    CrossValidated(
        DATA | {"Nursery": whole_nursery, "Poker": uci_like_poker},
        {PLAIN: AdaBoostMMClassifier(max_depth=5), COMBO: ComboClassifier(max_depth=5)},
        pick("norm", "error", "matrix"),
        n_folds=10,
        fold_by_fold=True,
        class_sizes={"Car": (1210, 384, 69, 65), "Connect-4": (44473, 6449, 16635)},
    ),
    repeats=10,
    fast_repeats=2,
)

_TABLE_1 = printed_table(
    """
    set       | AdaBoost.MM: norm | CoMBo: norm | AdaBoost.MM: error | CoMBo: error
    Abalone   | 2.939             | 1.373       | .76                | .86
    Car       | .328              | .055        | .02                | .05
    Connect-4 | 1.066             | .437        | .24                | .36
    Nursery   | .923              | .201        | .07                | .12
    Poker     | 1.778             | .471        | .33                | .50
    Pendigits | .004              | .011        | .00                | .00
    Im. Segm. | .138              | .257        | .04                | .06
    Letter    | .187              | .194        | .13                | .13
    """
)
_TABLE_2 = Printed(
    {
        ("Car", PLAIN, "matrix"): Value(
            np.array(
                [[0, 0.006, 0, 0.001], [0, 0, 0, 0.015], [0, 0.167, 0, 0], [0, 0.25, 0.013, 0]]
            )
        ),
        ("Car", COMBO, "matrix"): Value(
            np.array([[0, 0.045, 0.004, 0.007], [0, 0, 0.021, 0.01], [0, 0, 0, 0.013], [0] * 4])
        ),
        ("Connect-4", PLAIN, "matrix"): Value(
            np.array([[0, 0, 0.048], [0.89, 0, 0.11], [0.582, 0, 0]])
        ),
        ("Connect-4", COMBO, "matrix"): Value(
            np.array([[0, 0.232, 0.137], [0.181, 0, 0.212], [0.079, 0.266, 0]])
        ),
    }
)
_PROTOCOL = (
    "Ten stratified folds, 200 rounds. The source does not name its weak learner: here cost trees "
    "of depth 5, with which the errors on Poker and Letter come near the print (depth 3 is too "
    "weak for both). Categories are numbered in their order and split like numbers. Poker hands "
    "are dealt by a generator, as many of each class as the UCI training set holds; the two rows "
    "that Nursery has more than Nursery-s are added again. Norms are means over folds; on Poker, "
    "Nursery and Abalone some folds have no row of a rare class, which then adds nothing to them."
)
SHARPLY = 0.5
CLOSE = 0.1


def rare_gain_on_car(combo: np.ndarray, plain: np.ndarray) -> tuple[bool, str]:
    """Fewer errors in classes 3 and 4, more in class 1."""
    ours, theirs = combo.sum(axis=1), plain.sum(axis=1)
    said = "; ".join(" ".join(f"{rate:.3f}" for rate in one) for one in (ours, theirs))
    return bool((ours[2:] < theirs[2:]).all() and ours[0] > theirs[0]), f"wrong by class: {said}"


def draws_are_lost(plain: np.ndarray) -> tuple[bool, str]:
    """AdaBoost.MM gets most of classes 2 and 3 wrong."""
    wrong = plain.sum(axis=1)
    return bool((wrong[1:] > 0.5).all()), " ".join(f"{rate:.3f}" for rate in wrong)


def as_good_as_class_1(combo: np.ndarray) -> tuple[bool, str]:
    """Classes 2 and 3 are recognised about as well as class 1."""
    wrong = combo.sum(axis=1)
    return bool((wrong[1:] - wrong[0] < CLOSE).all()), " ".join(f"{rate:.3f}" for rate in wrong)


def _matrices(row: str) -> tuple[tuple[str, str, str], ...]:
    return ((row, COMBO, "matrix"), (row, PLAIN, "matrix"))


EXHIBITS = (
    Exhibit(
        DOCUMENT,
        "Table 1",
        "AdaBoost.MM and CoMBo: norm of the confusion matrix and error",
        "substitute",
        "Poker hands are dealt afresh, as many of each class as the UCI training set holds, which "
        "chance would not deal; all other sets are those of the source.",
        protocol=_PROTOCOL,
        studies=(STUDY,),
        measures=(
            Measure("norm", "norm of the confusion matrix", "lower"),
            Measure("error", "error", "lower"),
        ),
        printed=_TABLE_1,
        columns=(PLAIN, COMBO),
        claims=(
            Claim(
                "On imbalanced sets the norm is much smaller with CoMBo (here: half or less)",
                compare(COMBO, PLAIN, "norm", "<=", IMBALANCED, share=SHARPLY),
            ),
            Claim(
                "On imbalanced sets the error is a bit higher with CoMBo (here: not lower)",
                compare(COMBO, PLAIN, "error", ">=", IMBALANCED),
            ),
            Claim(
                "Only a bit (here: at most .2 apart)",
                alike(COMBO, PLAIN, {"error": 0.2}, IMBALANCED),
            ),
            Claim(
                "On Poker the norm falls drastically (here: to half or less)",
                compare(COMBO, PLAIN, "norm", "<=", ("Poker",), share=SHARPLY),
            ),
            Claim(
                "On balanced sets both are similar (here: errors within .03, norms within .15)",
                alike(COMBO, PLAIN, {"norm": 0.15, "error": 0.03}, BALANCED),
            ),
            Claim(
                "Asked besides: over the imbalanced sets CoMBo has the lower mean norm",
                average(COMBO, PLAIN, "norm", "<", IMBALANCED),
            ),
        ),
        errata=(
            "Both error columns are too small by a factor of ten: the matrices of table 2 and the "
            "class shares give .025 and .047 for Car, where .002 and .005 are printed. Ten times "
            "the printed values are shown here.",
            "The errors .000 of Pendigits stay .00 here: a printed .000 stands for anything below "
            ".005 after the correction.",
        ),
        explanation=(
            "Trees of depth 5 make next to no mistakes on Car and Nursery, where the source's weak "
            "learner made some: there is nothing to level. On Poker a fold holds at most one hand "
            "of each of the rarest classes, and a single one that is wrong makes the norm 1 or "
            "more; the printed .471 needs nearly all of them right. " + REBUILT
        ),
    ),
    Exhibit(
        DOCUMENT,
        "Table 2",
        "Confusion matrices on Car and Connect-4",
        "original",
        protocol=f"{_PROTOCOL} Mean of the matrices of the folds; rows are true classes: unacc, "
        "acc, good, vgood for Car, win, draw, loss for Connect-4.",
        studies=(
            replace(STUDY, items=tuple(i for i in STUDY.items if i.name in ("Car", "Connect-4"))),
        ),
        measures=(Measure("matrix", "shares of a class taken for another"),),
        printed=_TABLE_2,
        columns=(PLAIN, COMBO),
        claims=(
            Claim(
                "On Car CoMBo errs less in classes 3 and 4 and more in class 1",
                asked(_matrices("Car"), rare_gain_on_car),
            ),
            Claim(
                "On Connect-4 AdaBoost.MM gets most of classes 2 and 3 wrong",
                asked((("Connect-4", PLAIN, "matrix"),), draws_are_lost),
            ),
            Claim(
                "On Connect-4 CoMBo recognises classes 2 and 3 as well as class 1 (here: at most "
                f"{CLOSE} worse)",
                asked((("Connect-4", COMBO, "matrix"),), as_good_as_class_1),
            ),
        ),
        errata=(
            "The text gives the class shares of Connect-4 in the order win, loss, draw; with the "
            "errors of table 1 the matrices agree better in the order win, draw, loss: .365 and "
            ".36 for CoMBo, but .270 and .24 for AdaBoost.MM.",
            "The norms of the printed matrices are .301, .046, 1.067 and .387; table 1 has .328, "
            ".055, 1.066 and .437, which are means over folds.",
        ),
        explanation=(
            "A stronger weak learner than the source's: Car has hardly any mistakes left, and "
            "AdaBoost.MM recognises most losses of Connect-4, though few draws. " + REBUILT
        ),
    ),
)
