"""Figures 1.1 and 2.1: ten examples in a drawing, whose rounds can be run again."""

from __future__ import annotations

import numpy as np

from uneven.boosting import AdaBoostMMClassifier
from uneven.boosting.mumbo import cooperation_shares
from uneven_published.claims import within
from uneven_published.description import Answers, Claim, Context, Exhibit, Item, Measure, Study
from uneven_published.documents import KOCO
from uneven_published.numbers import Numbers, Printed, Value, Verdict, printed_table

ROW = "first round"
VIEWS = ("view 1", "view 2", "view 3")
EXAMPLES = ("1r", "2r", "3r", "4r", "5r", "1b", "2b", "3b", "4b", "5b")
RIGHT = np.array(
    [
        [1, 1, 0, 1, 0, 1, 0, 1, 0, 1],
        [1, 0, 1, 1, 0, 1, 1, 0, 1, 1],
        [0, 1, 1, 1, 0, 1, 1, 1, 1, 0],
    ],
    dtype=bool,
)
"""Which examples each view has right; the text tells all of view 1, four of the others."""


def first_round(item: str, repeat: int, context: Context) -> Answers:
    """Cooperation coefficients of every view."""
    shares = cooperation_shares("binary", RIGHT.T, np.ones_like(RIGHT.T))
    return {
        view: {example: [float(shares[i, j])] for i, example in enumerate(EXAMPLES)}
        for j, view in enumerate(VIEWS)
    }


_TOLD = dict(zip(EXAMPLES, (1, 1, 0, 1, 1, 1, 0, 1, 0, 1)))
_PRINTED = Printed(
    {(ROW, VIEWS[0], example): Value(float(share)) for example, share in _TOLD.items()}
    | {
        (ROW, view, example): Value(1.0)
        for view in VIEWS[1:]
        for example in ("3r", "5r", "2b", "4b")
    }
)


def as_told(numbers: Numbers) -> Verdict:
    """View 1 keeps what it has right and what nobody has, and leaves the rest to the others."""
    shares = {example: numbers.mean(ROW, VIEWS[0], example) for example in EXAMPLES}
    if None in shares.values():
        return Verdict(None, "no numbers")
    left = [example for example, share in shares.items() if share == 0.0]
    kept = all(share == 1.0 for example, share in shares.items() if example not in left)
    return Verdict(kept and left == ["3r", "2b", "4b"], f"left to others: {', '.join(left)}")


def everywhere(numbers: Numbers) -> Verdict:
    """Example 5r, wrong in every view, counts in every view."""
    shares = [numbers.mean(ROW, view, "5r") for view in VIEWS]
    if None in shares:
        return Verdict(None, "no numbers")
    return Verdict(shares == [1.0] * len(VIEWS), " ".join(f"{share:g}" for share in shares))


_FIGURE_2_1 = (
    Exhibit(
        KOCO,
        "Figure 2.1",
        "Cooperation coefficients of ten examples after the first round of MuMBo",
        "substitute",
        "The drawing gives no coordinates: the rules of the views are replaced by which examples "
        "they have right. The text tells this for view 1, and four examples of views 2 and 3; the "
        "rest of these two is filled in.",
        "Five red (r) and five blue (b) examples. A coefficient is 1 where the view is right or "
        "all views are wrong, else 0. The second round needs coordinates and is not run.",
        studies=(Study("ten-views", (Item(ROW),), first_round),),
        measures=tuple(Measure(name, f"coefficient of {name}", None, 0) for name in EXAMPLES),
        printed=_PRINTED,
        columns=VIEWS,
        claims=(
            Claim("View 1 leaves 3r, 2b and 4b to the other views, and nothing else", as_told),
            Claim("5r, wrong in all views, counts in all views", everywhere),
        ),
    ),
)


POINTS_ROW = "ten points"
BLUE = ((1, 5), (1, 3), (3, 8), (5, 7), (6, 9))
RED = ((3, 6), (4, 2), (6, 4), (8, 8), (8, 1))
POINTS = np.array([*BLUE, *RED], dtype=np.float64)


def three_rounds(item: str, repeat: int, context: Context) -> Answers:
    """Weighted errors and weights of three stumps, and what stumps and vote get wrong."""
    y = np.repeat(["blue", "red"], 5)
    model = AdaBoostMMClassifier(n_estimators=3, max_depth=1).fit(POINTS, y)
    stumps = [model.classes_[term.voter.predict(POINTS)] for term in model.vote_.terms()]
    answers = {
        f"round {number}": {
            "error": [(1.0 - edge) / 2.0],
            "weight": [weight],
            "mistakes": [float(np.sum(stump != y))],
        }
        for number, (edge, weight, stump) in enumerate(
            zip(model.history_["edge"], model.history_["weight"], stumps), start=1
        )
    }
    return answers | {"vote": {"mistakes": [float(np.sum(model.predict(POINTS) != y))]}}


_FIGURE_1_1 = (
    Exhibit(
        KOCO,
        "Figure 1.1",
        "Three rounds of AdaBoost on ten points",
        "substitute",
        "Ten points placed here: the figure (an example of Schapire and Freund, 2012) shows its "
        "points, but does not give their coordinates.",
        "Five blue and five red points, lines parallel to the axes as weak learners, three rounds. "
        "The points are placed so that the rules of the figure are among the best ones.",
        studies=(Study("ten-points", (Item(POINTS_ROW),), three_rounds),),
        measures=(
            Measure("error", "weighted error", "lower"),
            Measure("weight", "weight in the vote"),
            Measure("mistakes", "points that are wrong", "lower", 0),
        ),
        printed=printed_table(
            f"""
            set   | round 1: error | round 2: error | round 3: error | vote: mistakes
            {POINTS_ROW} | .3             | .21            | .14            | 0
            """
        )
        | printed_table(
            f"""
            set   | round 1: weight | round 2: weight | round 3: weight | round 1: mistakes
            {POINTS_ROW} | .42             | .66             | .91             | 3
            """
        ),
        claims=(
            Claim("The vote has all points right", within("vote", "mistakes", high=0.0)),
            Claim("The first rule has three points wrong", within("round 1", "mistakes", 3, 3)),
        ),
        errata=(
            "The weights .66 and .91 are computed from rounded errors; errors of 3/14 and 3/22 "
            "give .65 and .92.",
        ),
    ),
)

EXHIBITS = (*_FIGURE_1_1, *_FIGURE_2_1)
