"""CoMBo: boosting that drives down the norm of the confusion matrix."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from uneven.boosting.base import SingleCostBoosting
from uneven.utils.contract import not_repeatable, rounded_by_row
from uneven.utils.docstrings import documented
from uneven.utils.methods import method
from uneven.utils.model_types import persisted


@persisted("combo", role="classifier")
@method(
    "combo",
    "CoMBo",
    "Boosting that minimises the norm of the confusion matrix: every class has the same weight, "
    "however rare.",
    order=10,
    staged=True,
    takes_noise=True,
    tunes={"max_depth": (1, 2, 3, 4, 6), "learning_rate": (0.1, 0.3, 1.0), "subsample": (0.5, 1.0)},
)
@documented
class ComboClassifier(SingleCostBoosting):
    """CoMBo: boosting for imbalanced classes that minimises the norm of the confusion matrix.

    Divide each row of the confusion matrix by the size of its class and set the diagonal to zero:
    the largest singular value of the result is small only if *every* class is recognised. CoMBo
    minimises ``L = sum_i (1 / m_{y_i}) sum_{l != y_i} exp(f(i, l) - f(i, y_i))``, where ``m_c``
    is the size of class ``c``. That norm never exceeds ``min(L, sqrt(L))``, and ``L`` shrinks by
    at least ``sqrt(1 - edge ** 2)`` in every round. Each class has the same weight whatever its
    size; nothing is resampled and no class weights have to be tuned.

    Overall accuracy is usually slightly lower, because the majority classes lose some recall.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    AdaBoostMMClassifier : the same with equal weights for all examples.
    uneven.metrics.confusion_norm : the norm that is minimised.

    References
    ----------
    S. Koço and C. Capponi (2013), *On multi-class learning through the minimization of the
    confusion matrix norm*.
    S. Koço (2013), *Tackling the uneven views problem with cooperation based ensemble learning
    methods*, PhD thesis, Aix-Marseille Université, chapter 3.

    Notes
    -----
    Corrections of the sources: the squared norm is bounded by the sum of the *squared* entries
    (the paper has products of mirrored entries, which is another quantity); the sum of the
    per-class errors bounds the norm directly, so ``L`` bounds it for every number of classes.

    Examples
    --------
    >>> from uneven import AdaBoostMMClassifier, ComboClassifier
    >>> from uneven.datasets import make_balance_scale
    >>> from uneven.metrics import confusion_norm
    >>> from sklearn.model_selection import StratifiedKFold, cross_val_predict
    >>> data = make_balance_scale()
    >>> folds = StratifiedKFold(5, shuffle=True, random_state=0)
    >>> def norm(model):
    ...     answers = cross_val_predict(model, data.data, data.target, cv=folds)
    ...     return confusion_norm(data.target, answers)
    >>> bool(norm(ComboClassifier(max_depth=2)) < norm(AdaBoostMMClassifier(max_depth=2)))
    True
    """

    _instead: ClassVar = {
        "class_weight": "every class weighs the same already; give class_cost to price mistakes"
    }

    def _class_units(self, class_mass: np.ndarray) -> np.ndarray:
        return np.maximum(class_mass, np.finfo(float).tiny)

    @classmethod
    def _test_instances(cls) -> list[Any]:
        from sklearn.tree import DecisionTreeClassifier

        return [
            cls(n_estimators=5),
            cls(n_estimators=5, max_depth=1, line_search=True, n_jobs=2),
            (cls(n_estimators=5, leaves="scores"), rounded_by_row()),
            (
                cls(DecisionTreeClassifier(max_depth=2), n_estimators=3),
                not_repeatable("scikit-learn's trees break ties by a random order of the columns"),
            ),
            (
                cls(n_estimators=5, early_stopping=True),
                not_repeatable("the held-out rows are drawn at random"),
            ),
        ]
