"""Scores of held-out rows by the methods of a comparison, to fit a stack to.

The fits of a comparison score every row without having learnt from it. A stack of the methods needs
just that: it learns from these scores, and no method is fitted again for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from uneven.comparison.methodresult import MethodResult
from uneven.comparison.summaries import mean
from uneven.comparison.tuning import most_chosen
from uneven.metrics.probabilities import are_shares
from uneven.stacking import StackCombiner
from uneven.stacking.margin_stacking import weigh_classes
from uneven.stacking.out_of_fold.level_one import scale_margins

FEWEST_KNOWN = 0.5
"""Share of the training rows that must have been held out elsewhere; else methods are fitted."""


@dataclass(frozen=True)
class KnownScores:
    """Scores of some rows by all methods of a stack.

    Attributes
    ----------
    rows : ndarray of int, shape (n,)
        Positions in the data.
    scores : ndarray of shape (n, n_methods, n_classes)
        Probabilities, or margins where a method has no probabilities.
    seconds : ndarray of shape (n_methods,)
        Time that each method takes to score 1000 rows.
    tuned : mapping of str to mapping
        Parameters that were chosen for the methods, if any were searched.
    """

    rows: NDArray[np.intp]
    scores: NDArray[np.float64]
    seconds: NDArray[np.float64]
    tuned: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, results: Sequence[MethodResult], train: NDArray[np.intp], number: int | None = None
    ) -> KnownScores | None:
        """Scores of the training rows of a fold, by fits of other folds that held these rows out.

        Such a fit has learnt from the rows that the fold holds out; their labels reach the stack by
        what they changed in the scores of other rows, and in no other way.

        Parameters
        ----------
        results : sequence of MethodResult
            In the order of the methods.
        train : ndarray of int
        number : int, optional
            Which fold it is; none of them by default. Where repetitions held a row out several
            times, the fold with the nearest number counts.

        Returns
        -------
        KnownScores or None
            None if less than half of the rows were held out by others.
        """
        every = [{one.fold: one for one in result.answers} for result in results]
        folds = set(every[0]).intersection(*every[1:]) - {number}
        place = np.full(1 + max([train.max(), *(one.rows.max() for one in every[0].values())]), -1)
        place[train] = np.arange(len(train))
        found = np.full((len(train), 0, 0), np.nan)
        known = np.zeros(len(train), dtype=bool)
        for fold in sorted(folds, key=lambda fold: (abs(fold - (number or 0)), fold)):
            rows = place[every[0][fold].rows]
            new = (rows >= 0) & ~known[rows]
            said = scores_of(results, fold)[new]
            if not found.size:
                found = np.full((len(train), *said.shape[1:]), np.nan)
            found[rows[new]], known[rows[new]] = said, True
        if not len(train) or known.mean() < FEWEST_KNOWN:
            return None
        times = [mean(result.predict_seconds) for result in results]
        asked = np.mean([len(one.rows) for one in every[0].values()])
        tuned = {result.name: most_chosen(result.tuned) for result in results if result.tuned}
        return cls(train[known], found[known], 1000.0 * np.nan_to_num(times) / asked, tuned)


def scores_of(results: Sequence[MethodResult], fold: int) -> NDArray[np.float64]:
    """Scores of the rows of a fold, shape (n, n_methods, n_classes).

    Of two margins each is half of the decision, as a member of a stack gives them.
    """
    said = [one.scores for result in results for one in result.answers if one.fold == fold]
    halved = [s / 2.0 if s.shape[1] == 2 and not are_shares(s) else s for s in said]
    return np.stack(halved, axis=1)


def join(
    stack: Any, known: KnownScores, y: NDArray[np.intp], n_classes: int, new: NDArray[np.float64]
) -> tuple[NDArray[np.float64], list[str]]:
    """Probabilities of new rows by a stack that was fitted to known scores.

    Parameters
    ----------
    stack : MarginStackingClassifier
        Not fitted.
    known : KnownScores
    y : ndarray of int, shape (n,)
        Classes of its rows.
    n_classes : int
    new : ndarray of shape (n_new, n_methods, n_classes)

    Returns
    -------
    probabilities : ndarray of shape (n_new, n_classes)
    kept : list of str
        The methods that the stack uses.
    """
    P, even = known.scores.copy(), np.full(len(y), 1.0 / len(y))
    share = weigh_classes(even, y, np.arange(n_classes), stack.class_weight)
    odd = [not are_shares(P[:, m]) for m in range(P.shape[1])]
    scale = scale_margins(P, share, np.tile(odd, (len(P), 1)))
    options = {name: getattr(stack, name) for name in StackCombiner().get_params()}
    found = StackCombiner(**options).fit(P, y, share, known.seconds)
    names = [name for name, _ in stack.estimators]
    kept = [name for name, stays in zip(names, found.selected_mask_) if stays]
    return found.predict_proba(new / scale[:, None]), kept
