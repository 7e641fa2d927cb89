"""Measures by name, and scorers: the form that cross-validation and grid search take.

A measure declares its names next to its function:

.. code-block:: python

    @measure("gmean", "G-mean", "Geometric mean of the recalls of all classes; ...", order=20)
    def geometric_mean_recall(y_true, y_pred, ...):

A comparison of methods reports those that have a label; one without it is a scorer only.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import sklearn.metrics
from sklearn.metrics import accuracy_score, make_scorer

from uneven.metrics._checks import without_last_bits
from uneven.utils.registry import MIDDLE, Registry

Scorer = Callable[..., float]
_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Measure:
    """A measure, in words and as a function.

    Attributes
    ----------
    name, label : str
        Key, and name in tables and reports.
    description : str
        One sentence.
    function : callable
        Takes true and predicted labels, or true labels and scores per class.
    greater_is_better : bool
        Direction.
    needs_scores : bool
        Whether it takes scores instead of predictions.
    highest : callable
        Largest value for a number of classes; the smallest is 0.
    """

    name: str
    label: str
    description: str
    function: Callable[..., float]
    greater_is_better: bool
    needs_scores: bool
    highest: Callable[[int], float] = lambda n_classes: 1.0

    def value(self, true: Any, predicted: Any, scores: Any, classes: Any) -> float:
        """The measure, with its natural sign, of held-out predictions.

        Parameters
        ----------
        true, predicted : array-like of shape (n,)
        scores : array-like of shape (n, K)
        classes : array-like of shape (K,)
            Labels of the columns of ``scores``.

        Returns
        -------
        float
            Scores that agree in twelve digits are equal.
        """
        words = {"labels": classes} if self._takes_labels else {}
        said = without_last_bits(np.asarray(scores)) if self.needs_scores else predicted
        return float(self.function(true, said, **words))

    @cached_property
    def _takes_labels(self) -> bool:
        return "labels" in inspect.signature(self.function).parameters


MEASURES: Registry[Measure] = Registry("metric")
"""The measures that a comparison of methods reports, by name."""

scorers: dict[str, Scorer] = {}
"""Ready scorers by name; those in `LOWER_IS_BETTER` return the negated measure."""

LOWER_IS_BETTER: set[str] = set()
"""Names of the scorers whose measure is an error, and whose sign is therefore changed."""


def measure(
    name: str,
    label: str = "",
    description: str = "",
    *,
    order: float = MIDDLE,
    greater_is_better: bool = True,
    scorer: Scorer | None = None,
    highest: Callable[[int], float] = lambda n_classes: 1.0,
    **parameters: Any,
) -> Callable[[_Function], _Function]:
    """Register a function as a metric that can be chosen by name.

    Parameters
    ----------
    name, label, description : str
        Key, name, and a sentence for help and report; constants, because the help
        reads them from the source. Without a label it is a scorer only.
    order : float, default=50
        Where it stands in every list; smaller numbers first.
    greater_is_better : bool, default=True
    scorer : callable, optional
        For a function of true labels and scores: ``scorer(estimator, X, y)``.
    highest : callable, optional
        Largest value for a number of classes, if it is not 1.
    **parameters
        Given to the function.

    Returns
    -------
    callable
        Takes the function and returns it.
    """

    def declare(function: _Function) -> _Function:
        if label:
            words = (name, label, description, function, greater_is_better)
            MEASURES.register(name, Measure(*words, scorer is not None, highest), order)
        scorers[name] = scorer or make_scorer(
            function, greater_is_better=greater_is_better, **parameters
        )
        if not greater_is_better:
            LOWER_IS_BETTER.add(name)
        return function

    return declare


measure(
    "accuracy", "accuracy", "Share of correct predictions; rare classes hardly count.", order=40
)(accuracy_score)


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
