"""The best single view: the baseline of all multi-view methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from uneven.fusion.delegate import DelegatingClassifier
from uneven.fusion.per_view import check_folds, fit_model, view_scores
from uneven.utils.contract import not_repeatable
from uneven.utils.docstrings import documented
from uneven.utils.parallel import ThreadPool
from uneven.utils.parameters import Jobs, store_parameters
from uneven.views.training_rows import TrainingRows, speaking_views


@documented
class BestViewClassifier(DelegatingClassifier):
    """Best view (Mono): one classifier on the view that does best in cross-validation.

    Parameters
    ----------
    {parameters}
    estimator : classifier, mapping of view name to classifier, or None, default=None
        None, and views that a mapping does not name, get a fully grown decision tree.
    scoring : str, callable or None, default=None
        Any scorer of scikit-learn, larger is better; None is accuracy.
    cv : int or splitter, default=5
        Folds by which views are compared, on the rows that have them.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    best_view_ : str
        Name of the chosen view; the first one among equals.
    best_index_ : int
        Its position.
    view_scores_ : ndarray of shape (n_views,)
        Mean score of each view; NaN where its rows show fewer than two classes.
    model_ : classifier or None
        Trained on all rows that have the view, with class indices as labels.
    class_prior_ : ndarray of shape (n_classes,)
        Class frequencies in training.
    views_ : ViewMap
        The resolved views.

    See Also
    --------
    LateFusionClassifier : the vote of all views.

    Notes
    -----
    Papers often report the view that was best on the test rows, which flatters it. Rows without
    the chosen view get the most frequent class, see :meth:`undecided`.

    Examples
    --------
    >>> from uneven.datasets import make_uneven_views
    >>> from uneven.fusion import BestViewClassifier
    >>> data = make_uneven_views(random_state=0)
    >>> mono = BestViewClassifier(views=data.views, random_state=0).fit(data.data, data.target)
    >>> mono.best_view_ in data.views
    True
    """

    _parameters: ClassVar = {"n_jobs": Jobs()}

    def __init__(
        self,
        estimator: Any = None,
        *,
        scoring: Any = None,
        cv: Any = 5,
        views: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        store_parameters(self, locals())

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_folds(self.cv)

    def _unfitted_model(self) -> Any:
        given = self.estimator
        if isinstance(given, Mapping):
            given = next(iter(given.values()), None)
        return DecisionTreeClassifier() if given is None else given

    def _train(self, rows: TrainingRows, rng: np.random.RandomState, pool: ThreadPool) -> None:
        self.view_scores_ = view_scores(
            self.estimator, rows, rng, pool, cv=self.cv, scoring=self.scoring
        )
        speaking = speaking_views(rows.y, rows.view_mask, rows.views)
        known = np.nan_to_num(self.view_scores_[speaking], nan=-np.inf)
        self.best_index_ = speaking[int(known.argmax())] if speaking else 0
        self.best_view_ = rows.views.names[self.best_index_]
        if speaking:
            here = rows.take(np.flatnonzero(rows.view_mask[:, self.best_index_]))
            given = rows.views.deal("estimator", self.estimator)[self.best_index_]
            self.model_ = fit_model(
                given, self._inputs(here.X, here.view_mask), here.y, here.mass, rng
            )

    def _able(self, present: np.ndarray) -> np.ndarray:
        return np.asarray(present[:, self.best_index_])

    def _inputs(self, X: Any, present: np.ndarray) -> Any:
        return X[:, self.views_.columns[self.best_index_]]

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [
            (
                cls(cv=2),
                not_repeatable("folds are numbered after rows of weight zero have been left out"),
            )
        ]
