"""Fusion by hold-out: a final model is fitted to the predictions of the views."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from uneven.fusion.delegate import DelegatingClassifier
from uneven.fusion.per_view import fit_members, fit_model
from uneven.utils.contract import not_repeatable
from uneven.utils.docstrings import documented
from uneven.utils.estimators import align_probabilities
from uneven.utils.parallel import ThreadPool
from uneven.utils.parameters import Choice, Interval, Jobs, store_parameters
from uneven.views.training_rows import TrainingRows


@documented
class HoldoutFusionClassifier(DelegatingClassifier):
    """Hold-out fusion: a final model is fitted to the predictions of one classifier per view.

    Some rows of every class train the classifiers of the views; on the others their predictions
    become the columns of a small table, from which the final model learns. Known as the baseline
    "Fusion" with 60 % and 40 % of the rows.

    Parameters
    ----------
    {parameters}
    estimator : classifier, mapping of view name to classifier, or None, default=None
        None, and views that a mapping does not name, get a fully grown decision tree.
    final_estimator : classifier or None, default=None
        Final classifier, fitted to the predictions; None is a fully grown decision tree.
    holdout : float, default=0.4
        Share of every class that is kept for the final model.
    inputs : {"labels", "probabilities"}, default="labels"
        Input of the final model from a view: the predicted class, or ``predict_proba``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    estimators_ : list of classifier or None
        One per view, trained on class indices; None for a view whose training rows show fewer
        than two classes.
    inputs_ : str
        What the final model was trained on.
    model_ : classifier or None
        The final model. Its inputs are ``n_classes + 1`` columns per view: one per class, and one
        that is 1 where the view is absent.
    class_prior_ : ndarray of shape (n_classes,)
        Class frequencies in training.
    views_ : ViewMap
        The resolved views.

    See Also
    --------
    LateFusionClassifier : a fixed rule instead of a learned one.
    sklearn.ensemble.StackingClassifier : the same idea with cross-validation, without views.

    References
    ----------
    A. Goyal, E. Morvant and M.-R. Amini (2018), *Multiview learning of weighted majority vote by
    Bregman divergence minimization* (as a baseline; the final model is not named there).

    Notes
    -----
    The classifiers of the views are not trained again on all rows. A row without any view gets
    the most frequent class, see :meth:`undecided`.

    Examples
    --------
    >>> from uneven.datasets import make_imbalanced_views
    >>> from uneven.fusion import HoldoutFusionClassifier
    >>> data = make_imbalanced_views(600, random_state=0)
    >>> fusion = HoldoutFusionClassifier(views=data.views, random_state=0)
    >>> fusion.fit(data.data, data.target).model_.n_features_in_
    28
    """

    _parameters: ClassVar = {
        "holdout": Interval(0, 1, closed="neither", says="between 0 and 1"),
        "inputs": Choice(("labels", "probabilities")),
        "n_jobs": Jobs(),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        final_estimator: Any = None,
        holdout: float = 0.4,
        inputs: str = "labels",
        views: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        store_parameters(self, locals())

    def _unfitted_model(self) -> Any:
        return DecisionTreeClassifier() if self.final_estimator is None else self.final_estimator

    def _train(self, rows: TrainingRows, rng: np.random.RandomState, pool: ThreadPool) -> None:
        self.inputs_ = self.inputs
        first, second = rows.split(float(self.holdout), rng)
        members = fit_members(self.estimator, first, rng, pool)
        self.estimators_ = [None if member is None else member.estimator for member in members]
        if self.inputs_ == "probabilities":
            self._check_probabilities()
        if len(np.unique(second.y)) < 2:
            second = rows
        usable = second.take(np.flatnonzero(self._able(second.view_mask)))
        if len(np.unique(usable.y)) > 1:
            table = self._inputs(usable.X, usable.view_mask)
            self.model_ = fit_model(self.final_estimator, table, usable.y, usable.mass, rng)

    def _check_probabilities(self) -> None:
        for estimator in self.estimators_:
            if estimator is not None and not hasattr(estimator, "predict_proba"):
                raise ValueError(
                    f'inputs="probabilities" needs classifiers with predict_proba; '
                    f"{type(estimator).__name__} has none."
                )

    def _able(self, present: np.ndarray) -> np.ndarray:
        speaking = [estimator is not None for estimator in self.estimators_]
        return np.asarray(present[:, speaking].any(axis=1))

    def _inputs(self, X: Any, present: np.ndarray) -> np.ndarray:
        n_classes = len(self.classes_)
        table = np.zeros((len(present), len(self.views_), n_classes + 1))
        for j, estimator in enumerate(self.estimators_):
            here = present[:, j] & (estimator is not None)
            table[~here, j, n_classes] = 1.0
            if here.any():
                columns = X[np.flatnonzero(here)][:, self.views_.columns[j]]
                table[here, j, :n_classes] = self._said(estimator, columns)
        return table.reshape(len(present), -1)

    def _said(self, estimator: Any, columns: Any) -> np.ndarray:
        """Scores of one view, input of the final model, shape (n_rows, n_classes)."""
        if self.inputs_ == "probabilities":
            shares = estimator.predict_proba(columns)
            return align_probabilities(shares, estimator.classes_, len(self.classes_))
        return np.eye(len(self.classes_))[np.asarray(estimator.predict(columns))]

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [
            (
                cls(inputs="probabilities"),
                not_repeatable("the rows for the final model are drawn at random"),
            )
        ]
