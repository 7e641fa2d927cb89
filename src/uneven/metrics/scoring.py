"""Scorers: the measures in the form that cross-validation and grid search take."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn.metrics
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import accuracy_score, make_scorer

from uneven.metrics._checks import as_labels, as_scores
from uneven.metrics.confusion import confusion_norm, confusion_rate
from uneven.metrics.ranking import mauc
from uneven.metrics.recall import geometric_mean_recall, mean_recall, worst_recall

Scorer = Callable[..., float]


class MaucScorer:
    """Score a fitted classifier by MAUC, whatever classes its training fold held.

    ``predict_proba`` is asked first, then ``decision_function``. The columns are matched to the
    labels through ``classes_``: a class without test examples takes part in no pair, and a class
    that training never saw gets the same score everywhere, so its own ranking counts 0.5.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> MaucScorer()(LogisticRegression().fit(X, y), X, y)
    1.0
    """

    def __call__(self, estimator: Any, X: Any, y_true: ArrayLike) -> float:
        """Return the MAUC of ``estimator`` on ``X`` against ``y_true``.

        Parameters
        ----------
        estimator : fitted classifier with ``classes_``
        X : array-like of shape (n, n_features)
        y_true : array-like of shape (n,)

        Returns
        -------
        float
        """
        y = as_labels(y_true, "y_true")
        classes = np.asarray(estimator.classes_)
        scores = _class_scores(estimator, X, len(y), len(classes))
        unseen = np.setdiff1d(np.unique(y), classes)
        constant = np.zeros((len(y), len(unseen)))
        return mauc(y, np.hstack([scores, constant]), labels=np.concatenate([classes, unseen]))

    def __repr__(self) -> str:
        return "MaucScorer()"


def _class_scores(estimator: Any, X: Any, n: int, k: int) -> NDArray[np.float64]:
    for method in ("predict_proba", "decision_function"):
        answer = getattr(estimator, method, None)
        if answer is None:
            continue
        scores = np.asarray(answer(X), dtype=np.float64)
        if k == 1:
            return scores.reshape(n, -1)[:, :1]
        scores = as_scores(scores, n)
        if scores.shape[1] == k:
            return scores
    raise ValueError(
        f"{type(estimator).__name__} offers no score per class: MAUC needs predict_proba or a "
        f"decision_function with {k} columns, one for each of classes_."
    )


scorers: dict[str, Scorer] = {
    "accuracy": make_scorer(accuracy_score),
    "balanced_accuracy": make_scorer(mean_recall),
    "worst_recall": make_scorer(worst_recall),
    "gmean": make_scorer(geometric_mean_recall),
    "mauc": MaucScorer(),
    "confusion_norm": make_scorer(confusion_norm, greater_is_better=False),
    "confusion_norm_fro": make_scorer(confusion_norm, norm="fro", greater_is_better=False),
    "confusion_norm_l1": make_scorer(confusion_norm, norm="l1", greater_is_better=False),
    "confusion_rate": make_scorer(confusion_rate, greater_is_better=False),
}
"""Ready scorers by name; those in `LOWER_IS_BETTER` return the negated measure."""

LOWER_IS_BETTER = frozenset(
    {"confusion_norm", "confusion_norm_fro", "confusion_norm_l1", "confusion_rate"}
)
"""Names of the scorers whose measure is an error, and whose sign is therefore changed."""


def get_scorer(scoring: str | Scorer) -> Scorer:
    """Return the scorer of that name: ours first, then scikit-learn's.

    Parameters
    ----------
    scoring : str or callable
        A key of `scorers`, a name known to scikit-learn, or a scorer, which is returned as is.

    Returns
    -------
    callable
        ``scorer(estimator, X, y)``, greater is better.

    Examples
    --------
    >>> get_scorer("mauc")
    MaucScorer()
    >>> get_scorer("confusion_nrm")
    Traceback (most recent call last):
    ...
    ValueError: Unknown scorer 'confusion_nrm'; did you mean 'confusion_norm'? ...
    """
    if callable(scoring):
        return scoring
    if scoring in scorers:
        return scorers[scoring]
    known = sklearn.metrics.get_scorer_names()
    if scoring in known:
        return sklearn.metrics.get_scorer(scoring)
    close = difflib.get_close_matches(str(scoring), [*scorers, *known], n=1)
    hint = f"; did you mean {close[0]!r}?" if close else "."
    raise ValueError(
        f"Unknown scorer {scoring!r}{hint} Ours are {', '.join(sorted(scorers))}; the others are "
        "listed by sklearn.metrics.get_scorer_names()."
    )
