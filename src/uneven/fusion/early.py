"""Early fusion: one classifier for the columns of all views."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, NuSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

from uneven.fusion.delegate import DelegatingClassifier
from uneven.fusion.per_view import fit_model
from uneven.utils.docstrings import documented
from uneven.utils.estimators import align_probabilities, seeded_clone
from uneven.utils.parallel import ThreadPool
from uneven.utils.parameters import check_choice, store_parameters
from uneven.utils.validation import column_names
from uneven.views.training_rows import TrainingRows
from uneven.votes import Explanation, column_shares

_KEPT_VARIANCE = 0.95
_MOST_SPARSE_COMPONENTS = 100


@documented
class EarlyFusionClassifier(DelegatingClassifier):
    """Early fusion: one classifier for the concatenated features of all views.

    The simplest method for several views, and the baseline for the others. A view with many
    features can dominate; ``scale`` gives each view the same total variance.

    Parameters
    ----------
    {parameters}
    estimator : classifier or None, default=None
        Any classifier; None is a fully grown decision tree.
    scale : bool, default=False
        Standardise every column and divide it by the square root of the width of its view, so that
        all views weigh the same in distances and penalties. NaN stays; columns of sparse tables
        are not centred. Trees do not need it.
    reduce : None, "pca", "select" or transformer, default=None
        What to do with the columns before fitting the classifier: nothing, principal components
        (95 % of the variance; at most 100 components of a sparse table), the better half of the
        columns by the F test, or any transformer of scikit-learn. "pca" and "select" replace NaN
        by the mean of the column.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    model_ : classifier or None
        The classifier, trained on class indices; None if the rows show one class only.
    columns_ : ndarray of int, shape (n_columns,)
        The columns that it reads: those that belong to a view.
    scaler_ : StandardScaler or None
    reducer_ : transformer or None
    class_prior_ : ndarray of shape (n_classes,)
        Class frequencies in training.
    views_ : ViewMap
        The resolved views.

    See Also
    --------
    LateFusionClassifier : one classifier per view.

    Notes
    -----
    Missing views are NaN in the table, so that rows without some view need a classifier that
    accepts NaN. A row without any view is not used in training and gets the most frequent class,
    see :meth:`undecided`.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from uneven import EarlyFusionClassifier
    >>> from uneven.datasets import make_imbalanced_views
    >>> data = make_imbalanced_views(600, random_state=0)
    >>> early = EarlyFusionClassifier(LogisticRegression(), scale=True, views=data.views)
    >>> early.fit(data.data, data.target).explain().view_share.shape
    (4, 6)
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        scale: bool = False,
        reduce: Any = None,
        views: Any = None,
        random_state: Any = None,
    ) -> None:
        store_parameters(self, locals())

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if isinstance(self.reduce, str):
            check_choice("reduce", self.reduce, ("pca", "select"))
        elif self.reduce is not None and not hasattr(self.reduce, "transform"):
            raise TypeError(
                f'reduce must be None, "pca", "select" or a transformer, got {self.reduce!r}.'
            )

    def _unfitted_model(self) -> Any:
        return DecisionTreeClassifier() if self.estimator is None else self.estimator

    def _train(self, rows: TrainingRows, rng: np.random.RandomState, pool: ThreadPool) -> None:
        seen = rows.take(np.flatnonzero(rows.view_mask.any(axis=1)))
        self.columns_ = rows.views.used_columns
        self.scaler_, self.reducer_ = None, None
        if len(np.unique(seen.y)) < 2:
            return
        table = seen.X[:, self.columns_]
        if self.scale:
            self.scaler_ = self._balanced_scaler(table, seen.mass)
            table = self.scaler_.transform(table)
        if self.reduce is not None:
            self.reducer_ = seeded_clone(self._wanted_reducer(table), rng)
            table = self.reducer_.fit(table, seen.y).transform(table)
        self.model_ = fit_model(self.estimator, table, seen.y, seen.mass, rng)

    def _balanced_scaler(self, table: Any, mass: np.ndarray) -> StandardScaler:
        """Standardise columns, then divide by the root of the width of the view they belong to."""
        scaler = StandardScaler(with_mean=not sp.issparse(table)).fit(table, sample_weight=mass)
        widths = np.array([len(columns) for columns in self.views_.columns])
        share = self.views_.membership()[:, self.columns_]
        scaler.scale_ = scaler.scale_ / np.sqrt(share.T @ (1.0 / widths))
        return scaler

    def _wanted_reducer(self, table: Any) -> Any:
        if not isinstance(self.reduce, str):
            return self.reduce
        n_columns = table.shape[1]
        fill = SimpleImputer(keep_empty_features=True)
        if self.reduce == "select":
            return make_pipeline(fill, SelectKBest(f_classif, k=-(-n_columns // 2)))
        if sp.issparse(table):
            n_components = min(_MOST_SPARSE_COMPONENTS, n_columns)
            return make_pipeline(fill, TruncatedSVD(n_components))
        return make_pipeline(fill, PCA(_KEPT_VARIANCE, svd_solver="full"))

    def _able(self, present: np.ndarray) -> np.ndarray:
        return np.asarray(present.any(axis=1))

    def _inputs(self, X: Any, present: np.ndarray) -> Any:
        table = X[:, self.columns_]
        if self.scaler_ is not None:
            table = self.scaler_.transform(table)
        return table if self.reducer_ is None else self.reducer_.transform(table)

    def explain(self) -> Explanation:
        """Importance of each view and column for each class.

        Returns
        -------
        Explanation
            From the classifier's own ``explain``, else its absolute ``coef_``, else its
            ``feature_importances_`` (the same for every class). Coefficients for pairs of classes
            count for both of a pair. Columns that ``reduce`` dropped have no share; a class that
            the classifier never saw has none either.

        Raises
        ------
        AttributeError
            If the classifier has none of these, or if ``reduce`` mixes columns.
        """
        check_is_fitted(self, "class_prior_")
        credit = np.zeros((self.n_features_in_, len(self.classes_)))
        if self.model_ is not None:
            leans = _importance(self.model_)
            credit[self._kept_columns()] = align_probabilities(
                leans, self.model_.classes_, credit.shape[1]
            )
        by_column = column_shares(credit)
        return Explanation(
            view_names=list(self.views_.names),
            feature_names=column_names(self),
            classes=self.classes_,
            view_share=self.views_.membership() @ by_column,
            feature_share=by_column,
        )

    def _kept_columns(self) -> np.ndarray:
        """Columns of ``X`` behind the inputs of the model, shape (n_inputs,)."""
        if self.reducer_ is None:
            return self.columns_
        last = self.reducer_[-1] if hasattr(self.reducer_, "steps") else self.reducer_
        if not hasattr(last, "get_support"):
            raise AttributeError(
                f"explain: {type(last).__name__} mixes the columns, so that they have no share of "
                "their own; use reduce=None or a selection of columns."
            )
        return np.asarray(self.columns_[last.get_support()])

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [cls(), cls(scale=True)]


def _importance(model: Any) -> np.ndarray:
    """Importance of each input of a model for each of its classes.

    Parameters
    ----------
    model : classifier
        Fitted.

    Returns
    -------
    ndarray of shape (n_inputs, n_labels)
        From its own ``explain``, else its absolute ``coef_``, else its ``feature_importances_``.
        Coefficients per pair of classes count for both classes of the pair.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import LinearSVC
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [5.0, 0.0], [5.0, 1.0]])
    >>> share = _importance(LinearSVC().fit(X, [0, 0, 1, 1]))
    >>> bool(np.all(share[0] > share[1]))
    True
    """
    n_labels = len(model.classes_)
    if hasattr(model, "explain"):
        return np.asarray(model.explain().feature_share)
    if hasattr(model, "coef_"):
        given = model.coef_.toarray() if sp.issparse(model.coef_) else model.coef_
        sizes = np.abs(np.atleast_2d(np.asarray(given, dtype=np.float64)))
        if isinstance(model, SVC | NuSVC):
            pairs = list(combinations(range(n_labels), 2))
            belongs = np.array([[c in pair for pair in pairs] for c in range(n_labels)])
            return np.asarray((belongs @ sizes).T)
        return sizes.T if len(sizes) == n_labels else _for_all(sizes.mean(axis=0), n_labels)
    if hasattr(model, "feature_importances_"):
        return _for_all(np.asarray(model.feature_importances_), n_labels)
    raise AttributeError(
        f"explain: {type(model).__name__} has neither explain, coef_ nor feature_importances_."
    )


def _for_all(sizes: np.ndarray, n_labels: int) -> np.ndarray:
    """The same for every class, shape (n_inputs, n_labels)."""
    return np.tile(sizes, (n_labels, 1)).T
