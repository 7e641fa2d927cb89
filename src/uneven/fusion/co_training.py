"""Co-training: views label rows for each other, as long as they come to agree."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from uneven.fusion.late import LateFusionClassifier
from uneven.utils.labels import split_labels
from uneven.utils.parameters import Interval, Whole, check_parameters, store_parameters
from uneven.utils.validation import validate_data, whole_or_nothing
from uneven.views import ViewMap
from uneven.views.maps import resolve_views


class CoTrainingClassifier(ClassifierMixin, BaseEstimator):
    """Co-training: a multi-view classifier that also learns from unlabelled rows.

    Each view predicts the unlabelled rows by itself. The most certain predictions of the other
    views are pseudo-labels for a view, and the classifier is fitted again, with more such rows in
    every round. Training stops when the agreement of the views no longer increases, and the
    classifier with the best agreement is kept.

    Parameters
    ----------
    estimator : classifier, optional
        Any classifier with a parameter ``views``, with ``predict_proba``, that accepts missing
        views, as all multi-view methods of this library do. By default a
        `uneven.LateFusionClassifier`.
    n_rounds : int, default=10
        Maximum number of rounds.
    growth : float, default=0.1
        Share of the unlabelled rows that get pseudo-labels in the first round; twice as many in
        the second, and so on, until all have one.
    views : mapping, sequence or None, default=None
        As for the estimator; those of the estimator if not given.
    unlabelled : number, str or None, default=-1
        Marks a missing label in ``y``, in addition to None and NaN.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    model_ : classifier
        The fitted estimator: an ordinary multi-view classifier, to be kept in a model file.
    views_ : ViewMap
    agreement_ : list of float
        Agreement of the views on the unlabelled rows, before the first round and after each:
        Cohen's kappa, the mean over pairs of views.
    n_rounds_ : int
        Rounds of the classifier that was kept.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if ``X`` had string column names.

    Notes
    -----
    A pseudo-labelled row is used for one view: the classifier gets it with the other views missing.
    Pseudo-labels are assigned anew in every round, so wrong ones can be corrected, and per class in
    proportion to the known labels: a view that predicts some class too rarely labels fewer rows.
    Where this leaves no row for the first round, with few rows and many classes, nothing is learnt
    from unlabelled rows, and a warning says so; a larger ``growth`` begins with more.
    Agreement is corrected for chance: views that all predict the largest class agree by chance
    only.

    Agreement is informative if views are not copies of each other, and if each is sufficient to
    separate the classes. It may increase while the vote gets worse: compare with the estimator
    alone on held-out labels. Sparse tables are made dense.

    References
    ----------
    Blum and Mitchell (1998), Combining labeled and unlabeled data with co-training. Dasgupta,
    Littman and McAllester (2002), PAC generalization bounds for co-training.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from uneven import LateFusionClassifier
    >>> from uneven.fusion import CoTrainingClassifier
    >>> rng = np.random.default_rng(0)
    >>> t = rng.integers(0, 2, 400)
    >>> X = rng.normal(size=(400, 4)) + 1.5 * (2 * t[:, None] - 1)
    >>> y = np.where(np.arange(400) < 8, t, -1)
    >>> views = {"left": [0, 1], "right": [2, 3]}
    >>> late = LateFusionClassifier(LogisticRegression(), views=views)
    >>> model = CoTrainingClassifier(late).fit(X, y)
    >>> alone = clone(late).fit(X[:8], y[:8])
    >>> bool(model.score(X, t) >= alone.score(X, t)), bool(model.agreement_[-1] > 0.5)
    (True, True)
    """

    _parameters: ClassVar = {
        "n_rounds": Whole(0),
        "growth": Interval(0.0, 1.0, closed="right", says="a number in (0, 1]"),
    }

    classes_: np.ndarray
    model_: Any
    views_: ViewMap

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_rounds: int = 10,
        growth: float = 0.1,
        views: Any = None,
        unlabelled: Any = -1,
    ) -> None:
        store_parameters(self, locals())

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows of which some have labels.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of numbers, shape (n_samples, n_features)
            A view is missing in a row where all of it is NaN.
        y : array-like of shape (n_samples,)
            None, NaN or ``unlabelled`` where there is no label.

        Returns
        -------
        self
        """
        check_parameters(self)
        with whole_or_nothing(self):
            rows = self._numbers(X, reset=True)
            labelled, labels = split_labels(y, self.unlabelled)
            if len(labelled) != len(rows):
                raise ValueError(
                    f"X has {len(rows)} rows, but y {len(labelled)} entries: inconsistent numbers."
                )
            learner = self._learner()
            names = getattr(self, "feature_names_in_", None)
            self.views_ = resolve_views(
                learner.views, n_features=rows.shape[1], feature_names=names, frame=X
            )
            named = zip(self.views_.names, self.views_.columns)
            learner.set_params(views={name: columns.tolist() for name, columns in named})
            self.classes_, counts = np.unique(labels, return_counts=True)
            self.model_ = clone(learner).fit(rows[labelled], labels)
            self.agreement_: list[float] = []
            self.n_rounds_ = 0
            free = rows[~labelled]
            if len(free) and len(self.classes_) > 1 and len(self.views_) > 1:
                self._take_turns(learner, rows[labelled], labels, free, counts / len(labels))
        return self

    def _take_turns(
        self, learner: Any, known: np.ndarray, labels: np.ndarray, free: np.ndarray, prior: Any
    ) -> None:
        """Let views label rows for each other while they come to agree."""
        probabilities = self._ask_views(self.model_, free)
        self.agreement_.append(_agreement(probabilities))
        for turn in range(1, self.n_rounds + 1):
            share = min(1.0, turn * self.growth)
            pseudo = list(self._pseudo_rows(free, probabilities, share, prior))
            if not any(len(some) for some, _ in pseudo):
                if turn == 1:
                    self._tell_that_none_is_labelled(len(free))
                return
            table = np.vstack([known, *(some for some, _ in pseudo)])
            answers = np.concatenate([labels, *(names for _, names in pseudo)])
            model = clone(learner).fit(table, answers)
            probabilities = self._ask_views(model, free)
            self.agreement_.append(_agreement(probabilities))
            if not self.agreement_[-1] >= self.agreement_[-2]:
                return
            self.model_, self.n_rounds_ = model, turn
            if share == 1.0:
                return

    def _tell_that_none_is_labelled(self, n_free: int) -> None:
        warnings.warn(
            f"no view labels any of the {n_free} rows without label in the first round: they are "
            f"too few for {len(self.classes_)} classes with growth={self.growth}, so increase it, "
            "or the views hardly ever predict some class. The model is the estimator, fitted to "
            "the labelled rows.",
            UserWarning,
            stacklevel=4,
        )

    def _pseudo_rows(
        self, free: np.ndarray, probabilities: np.ndarray, share: float, prior: np.ndarray
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """For each view, rows with this view only and the most confident classes of the others.

        probabilities: (n_views, n_rows, n_classes), NaN where a view abstains; share: of the rows,
        that get a label; prior: (n_classes,), shares of the classes among them.
        """
        for j, columns in enumerate(self.views_.columns):
            others = np.delete(probabilities, j, axis=0)
            is_known = np.isfinite(others[:, :, 0]).any(axis=0) & np.isfinite(
                probabilities[j, :, 0]
            )
            teacher = np.zeros(probabilities.shape[1:])
            teacher[is_known] = np.nanmean(others[:, is_known], axis=0)
            answer, sure = teacher.argmax(axis=1), teacher.max(axis=1)
            by_class = [np.flatnonzero(is_known & (answer == k)) for k in range(len(self.classes_))]
            wanted = prior * len(free)
            scale = min(1.0, min(len(rows) / most for rows, most in zip(by_class, wanted)))
            counts = np.floor(share * scale * wanted).astype(int)
            order = [rows[np.argsort(-sure[rows], kind="stable")] for rows in by_class]
            rows = np.concatenate([some[:count] for some, count in zip(order, counts)])
            alone = np.full((len(rows), free.shape[1]), np.nan)
            alone[:, columns] = free[rows][:, columns]
            yield alone, self.classes_[answer[rows]]

    def _ask_views(self, model: Any, free: np.ndarray) -> np.ndarray:
        """Probabilities of each view alone, (n_views, n_rows, n_classes); NaN where it abstains."""
        here = self.views_.presence(free)
        probabilities = np.full((len(self.views_), len(free), len(self.classes_)), np.nan)
        for j, columns in enumerate(self.views_.columns):
            alone = np.full_like(free, np.nan)
            alone[:, columns] = free[:, columns]
            speaks = here[:, j]
            if hasattr(model, "undecided"):
                speaks = speaks & ~model.undecided(alone)
            if speaks.any():
                probabilities[j, speaks] = model.predict_proba(alone[speaks])
        return probabilities

    def _learner(self) -> Any:
        learner = LateFusionClassifier() if self.estimator is None else self.estimator
        if not hasattr(learner, "get_params") or "views" not in learner.get_params(deep=False):
            raise ValueError(f"estimator must be a classifier with views, got {learner!r}.")
        learner = clone(learner)
        return learner if self.views is None else learner.set_params(views=self.views)

    def _numbers(self, X: Any, *, reset: bool) -> np.ndarray:
        rules: dict[str, Any] = {"accept_sparse": "csr", "ensure_all_finite": "allow-nan"}
        if "category" in map(str, getattr(X, "dtypes", ())):
            raise ValueError("X has category columns: encode them as numbers before co-training.")
        rows = validate_data(self, X, reset=reset, dtype=np.float64, **rules)
        return rows.toarray() if sp.issparse(rows) else rows

    def predict(self, X: Any) -> np.ndarray:
        """Classes of rows, as all their views see them.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self, "model_")
        return self.model_.predict(self._numbers(X, reset=False))

    @available_if(lambda self: hasattr(self._learner(), "predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self, "model_")
        return self.model_.predict_proba(self._numbers(X, reset=False))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        return tags

    @classmethod
    def _test_instances(cls) -> list[Any]:
        from sklearn.tree import DecisionTreeClassifier

        from uneven.utils.contract import TWO_VIEWS

        late = LateFusionClassifier(
            DecisionTreeClassifier(random_state=0), views=TWO_VIEWS, random_state=0
        )
        return [cls(late, unlabelled=None)]


def _agreement(probabilities: np.ndarray) -> float:
    """Cohen's kappa between views, the mean over pairs that predict the same rows.

    probabilities: (n_views, n_rows, n_classes), NaN where a view abstains.

    Examples
    --------
    >>> left = np.eye(2)[[0, 0, 1, 1]]
    >>> _agreement(np.stack([left, left])), _agreement(np.stack([left, left[[1, 2, 3, 0]]]))
    (1.0, 0.0)
    """
    n_views, _, n_classes = probabilities.shape
    found = []
    for i in range(n_views):
        for j in range(i):
            both = np.isfinite(probabilities[[i, j], :, 0]).all(axis=0)
            if not both.any():
                continue
            answers = probabilities[[i, j]][:, both].argmax(axis=2)
            shares = [np.bincount(one, minlength=n_classes) / both.sum() for one in answers]
            chance = float(shares[0] @ shares[1])
            same = float(np.mean(answers[0] == answers[1]))
            found.append((same - chance) / (1.0 - chance) if chance < 1.0 else 0.0)
    return float(np.mean(found)) if found else 0.0
