"""AdaBoost.MM: multi-class boosting under the weakest condition that still works."""

from __future__ import annotations

from typing import Any

import numpy as np

from uneven.boosting.base import SingleCostBoosting
from uneven.utils.contract import not_repeatable, rounded_by_row
from uneven.utils.docstrings import documented
from uneven.utils.methods import method
from uneven.utils.model_types import persisted


@persisted("adaboost_mm", role="classifier")
@method(
    "adaboost_mm",
    "AdaBoost.MM",
    "Multi-class AdaBoost with a full cost matrix: every row has the same weight.",
    order=12,
    staged=True,
    takes_noise=True,
    tunes={"max_depth": (1, 2, 3, 4, 6), "learning_rate": (0.1, 0.3, 1.0), "subsample": (0.5, 1.0)},
)
@documented
class AdaBoostMMClassifier(SingleCostBoosting):
    """AdaBoost.MM: multi-class boosting with a cost matrix.

    In every round a weak learner gets a cost matrix, the cost of predicting each class for each
    example. Its total cost only has to be lower than that of random guessing with a slight
    preference for the true class. The loss is ``sum_i sum_{l != y_i} exp(f(i, l) - f(i, y_i))``;
    the training error decreases at least as fast as the product of ``sqrt(1 - edge ** 2)``. With
    two classes this is AdaBoost.

    Every example has the same weight, so the recall of rare classes can be low. Use
    :class:`~uneven.ComboClassifier` if they matter.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    ComboClassifier : the same with every class weighing the same.

    References
    ----------
    I. Mukherjee and R. E. Schapire (2013), *A theory of multiclass boosting*, Journal of Machine
    Learning Research 14.

    Notes
    -----
    Correction of the sources: the bound of the summed loss starts at ``n_samples *
    (n_classes - 1)``; the factor ``n_samples`` is missing in the source.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import cross_val_score
    >>> from uneven import AdaBoostMMClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> scores = cross_val_score(AdaBoostMMClassifier(n_estimators=50), X, y, cv=5)
    >>> bool(scores.mean() > 0.93)
    True
    """

    def _class_units(self, class_mass: np.ndarray) -> np.ndarray:
        return np.ones(len(class_mass))

    @classmethod
    def _test_instances(cls) -> list[Any]:
        from sklearn.tree import DecisionTreeClassifier

        from uneven.voters import Resampled

        return [
            cls(n_estimators=5),
            (cls(n_estimators=5, leaves="scores", loss="log", n_jobs=2), rounded_by_row()),
            (
                cls(Resampled(DecisionTreeClassifier(max_depth=3), fraction=1.0), n_estimators=5),
                not_repeatable("drawing rows is random"),
            ),
        ]
