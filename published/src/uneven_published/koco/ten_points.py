"""Figure 1.1: three rounds of AdaBoost on ten points."""

from __future__ import annotations

import numpy as np

from uneven.boosting import AdaBoostMMClassifier
from uneven_published.claims import within
from uneven_published.description import (
    Answers,
    Claim,
    Context,
    Exhibit,
    Item,
    Measure,
    Study,
)
from uneven_published.documents import KOCO
from uneven_published.reading import printed_table

__all__ = ["EXHIBITS", "POINTS", "three_rounds"]

ROW = "ten points"
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


EXHIBITS = (
    Exhibit(
        KOCO,
        "Figure 1.1",
        "Three rounds of AdaBoost on ten points",
        "substitute",
        "Ten points placed here: the figure (an example of Schapire and Freund, 2012) shows its "
        "points, but does not give their coordinates.",
        "Five blue and five red points, lines parallel to the axes as weak learners, three rounds. "
        "The points are placed so that the rules of the figure are among the best ones.",
        studies=(Study("ten-points", (Item(ROW),), three_rounds),),
        measures=(
            Measure("error", "weighted error", "lower"),
            Measure("weight", "weight in the vote"),
            Measure("mistakes", "points that are wrong", "lower", 0),
        ),
        printed=printed_table(
            f"""
            set   | round 1: error | round 2: error | round 3: error | vote: mistakes
            {ROW} | .3             | .21            | .14            | 0
            """
        )
        | printed_table(
            f"""
            set   | round 1: weight | round 2: weight | round 3: weight | round 1: mistakes
            {ROW} | .42             | .66             | .91             | 3
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
