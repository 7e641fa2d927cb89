"""Classifiers of other packages that people use for uneven classes, to compare with.

They are there if their package is. Boosts get balanced weights of the rows, as the one of
scikit-learn does, and 100 rounds, of which CatBoost has 1000 by default and takes ten times as long
as the others; apart from that they keep their defaults.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import check_is_fitted

from uneven.decisions import TunedDecisionClassifier
from uneven.utils.methods import method
from uneven.utils.optional import require
from uneven.utils.parameters import store_parameters

ROUNDS = 100

FEWEST_PARALLEL_CELLS = 2_000_000
"""On smaller tables threads of the boosts wait for each other more than they work."""

Maker = Callable[[Any, int | None, int | None], Any]


def _lightgbm(package: Any, seed: int | None, jobs: int | None) -> Any:
    return package.LGBMClassifier(
        n_estimators=ROUNDS, random_state=seed, n_jobs=jobs or 1, verbosity=-1
    )


def _xgboost(package: Any, seed: int | None, jobs: int | None) -> Any:
    return package.XGBClassifier(
        n_estimators=ROUNDS, random_state=seed, n_jobs=jobs or 1, verbosity=0
    )


def _catboost(package: Any, seed: int | None, jobs: int | None) -> Any:
    return package.CatBoostClassifier(
        iterations=ROUNDS,
        random_seed=seed,
        thread_count=jobs or 1,
        verbose=False,
        allow_writing_files=False,
    )


def _balanced_forest(package: Any, seed: int | None, jobs: int | None) -> Any:
    return package.BalancedRandomForestClassifier(
        n_estimators=300,
        sampling_strategy="all",
        replacement=True,
        bootstrap=False,
        random_state=seed,
        n_jobs=jobs,
    )


MAKERS: dict[str, tuple[str, bool, Maker]] = {
    "lightgbm": ("lightgbm", True, _lightgbm),
    "xgboost": ("xgboost", True, _xgboost),
    "catboost": ("catboost", True, _catboost),
    "imbalanced-learn": ("imblearn.ensemble", False, _balanced_forest),
}
"""By package: the module, whether rows get balanced weights, and how a classifier is made."""


def is_installed(package: str) -> bool:
    """Whether a package of the peers can be imported; nothing is imported."""
    return find_spec(MAKERS[package][0].partition(".")[0]) is not None


@method(
    "lightgbm",
    "LightGBM",
    "LightGBM, 100 rounds, rows weighted by balanced class weights.",
    order=93,
    kind="baseline",
    parameters={"package": "lightgbm"},
    package="lightgbm",
)
@method(
    "xgboost",
    "XGBoost",
    "XGBoost, 100 rounds, rows weighted by balanced class weights.",
    order=94,
    kind="baseline",
    parameters={"package": "xgboost"},
    package="xgboost",
)
@method(
    "catboost",
    "CatBoost",
    "CatBoost, 100 rounds, rows weighted by balanced class weights.",
    order=95,
    kind="baseline",
    parameters={"package": "catboost"},
    package="catboost",
)
@method(
    "balanced_forest",
    "Balanced forest",
    "imbalanced-learn's forest, 300 trees, each on the same number of rows of every class.",
    order=96,
    kind="baseline",
    parameters={"package": "imbalanced-learn"},
    package="imbalanced-learn",
)
class PeerClassifier(ClassifierMixin, BaseEstimator):
    """A classifier of another package, with labels of any kind.

    Parameters
    ----------
    package : {"lightgbm", "xgboost", "catboost", "imbalanced-learn"}
    random_state : int, optional
    n_jobs : int, optional

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    estimator_ : object
        The classifier of the package, fitted on codes of the classes.
    """

    classes_: NDArray
    estimator_: Any

    def __init__(
        self,
        package: str = "lightgbm",
        *,
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        store_parameters(self, locals())

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return []  # the packages answer for themselves

    def fit(self, X: Any, y: Any) -> PeerClassifier:
        """Fit the classifier of the package.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self : object
        """
        module, weighted, make = MAKERS[self.package]
        loaded = require(module, f"the method {self.package}", "peers")
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        words = {"sample_weight": compute_sample_weight("balanced", codes)} if weighted else {}
        small = weighted and np.prod(np.shape(X)) < FEWEST_PARALLEL_CELLS
        self.estimator_ = make(loaded, self.random_state, 1 if small else self.n_jobs)
        self.estimator_.fit(_plain(X), codes, **words)
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes, shape (n_samples, n_classes)."""
        check_is_fitted(self)
        said = np.asarray(self.estimator_.predict_proba(_plain(X)), dtype=np.float64)
        return said / said.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> NDArray:
        """The most probable class of every row, shape (n_samples,)."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags


def _plain(X: Any) -> Any:
    """Numbers without names of columns, which some packages forbid, or an old sparse matrix."""
    if sp.issparse(X):
        return sp.csr_matrix(X)
    return X.to_numpy(dtype=np.float64) if hasattr(X, "to_numpy") else X


method(
    "prior_forest",
    "Forest / prior",
    "scikit-learn's random forest, 300 trees; probabilities are divided by the class frequencies.",
    order=97,
    kind="baseline",
    parameters=lambda s: {
        "estimator": RandomForestClassifier(
            300, oob_score=True, random_state=s.seed, n_jobs=s.n_jobs
        ),
        "measure": "balanced_accuracy",
        "calibrate": False,
    },
)(TunedDecisionClassifier)
