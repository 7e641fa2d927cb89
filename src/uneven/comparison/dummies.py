"""What guessing would reach: the most frequent class, and classes drawn by their shares.

With costs there is a third guess: the class of least mean cost. All use the shares of the classes
in the training rows and nothing else; the shares are also their probabilities. scikit-learn's
``DummyClassifier`` predicts the same, but draws once, so that its figures for a class of a handful
of rows are an accident, and is sure of what it drew.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from uneven.comparison.folds import Split
from uneven.comparison.measures import Answers, Measure
from uneven.comparison.methodresult import MethodResult
from uneven.comparison.problem import Problem
from uneven.metrics.scoring import MEASURES

MOST_FREQUENT, BY_SHARE, CHEAPEST = "most_frequent", "prior_guess", "cheapest_answer"
MOST_DRAWS, DRAWN_ROWS = 20, 40_000
"""Draws of each fold, if they are of no more than so many rows in all."""


def guess(
    problem: Problem,
    splits: Sequence[Split],
    measures: Mapping[str, Measure],
    seed: int = 0,
    cost: NDArray[np.float64] | None = None,
) -> list[MethodResult]:
    """Results of guessing on the folds of a comparison.

    Parameters
    ----------
    problem : Problem
    splits : sequence of (train, test)
    measures : mapping of str to Measure
    seed : int
        Of the draws.
    cost : ndarray of shape (K, K), optional
        Row = true class, column = prediction.

    Returns
    -------
    list of two or three MethodResult
        Of kind ``"dummy"``. Measures of drawn predictions are means over several draws, and the
        confusion is what is expected of them.

    Examples
    --------
    >>> import pandas as pd
    >>> from uneven.comparison import MEASURES, make_problem
    >>> frame = pd.DataFrame({"x": np.sin(np.arange(20)), "label": list("aaab" * 5)})
    >>> rows = np.arange(20)
    >>> most, drawn = guess(make_problem(frame, "label"), [(rows, rows)], MEASURES)
    >>> most.scores["accuracy"], drawn.confusion
    ([0.75], [[11.25, 3.75], [3.75, 1.25]])
    """
    k, codes = len(problem.classes), np.searchsorted(problem.classes, problem.y)
    rng = np.random.default_rng(seed)
    values: dict[str, dict[str, list[float]]]
    names = (MOST_FREQUENT, BY_SHARE, *[CHEAPEST] * (cost is not None))
    values = {name: {m: [] for m in measures} for name in names}
    counts = {name: np.zeros((k, k)) for name in values}
    for train, test in splits:
        share = np.bincount(codes[train], minlength=k) / len(train)
        sizes = np.bincount(codes[test], minlength=k)
        draws = int(np.clip(DRAWN_ROWS // len(test), 1, MOST_DRAWS))
        said = {BY_SHARE: rng.choice(k, (draws, len(test)), p=share)}
        chances = {BY_SHARE: share}
        always = {MOST_FREQUENT: share.argmax()}
        if cost is not None:
            always[CHEAPEST] = (share @ cost).argmin()
        for name, code in always.items():
            said[name], chances[name] = np.full((1, len(test)), code), np.arange(k) == code
        for name, drawn in said.items():
            counts[name] += np.outer(sizes, chances[name])
            found = _measured(problem, test, share, drawn, measures)
            for measure, value in found.items():
                values[name][measure].append(value)
    words = {
        MOST_FREQUENT: ("Most frequent class", "Always predicts the most frequent class."),
        BY_SHARE: ("Guess by class shares", "Draws a class by its share in the training rows."),
        CHEAPEST: ("Cheapest class", "Always predicts the class of least mean cost."),
    }
    return [
        MethodResult(
            name,
            words[name][0],
            "dummy",
            values[name],
            counts[name].tolist(),
            description=words[name][1],
        )
        for name in names
    ]


def _measured(
    problem: Problem,
    test: NDArray[np.intp],
    share: NDArray[np.float64],
    drawn: NDArray[np.intp],
    measures: Mapping[str, Measure],
) -> dict[str, float]:
    """Each measure of guesses, shape (n_draws, n_test), on average over the draws."""
    true, scores = problem.y[test], np.broadcast_to(share, (len(test), len(share)))
    said = [Answers(true, problem.classes[codes], scores, problem.classes) for codes in drawn]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the methods warn about folds with a single class
        return {
            name: float(np.mean([one.value(a) for a in said[: 1 if _reads_scores(name) else None]]))
            for name, one in measures.items()
        }


def _reads_scores(measure: str) -> bool:
    """Whether a measure looks at the scores only, which are the same in every draw."""
    known = MEASURES.get(measure)
    return known is not None and known.needs_scores
