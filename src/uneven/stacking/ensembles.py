"""Ensembles to stack: one classifier on many samples or columns, or classifiers of many kinds."""

from __future__ import annotations

import warnings
from time import process_time
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils import check_consistent_length, check_random_state

from uneven.boosting import BalancedBoostingClassifier
from uneven.stacking.out_of_fold.members import Member, check_classifier, check_share
from uneven.stacking.out_of_fold.rows import open_table
from uneven.stacking.solvers.solve import check_positive
from uneven.utils.estimators import seeded_clone
from uneven.utils.frames import take_rows
from uneven.utils.parameters import check_integer


def bagged_ensemble(
    estimator: Any, n: int = 10, *, share: float = 1.0, random_state: Any = None
) -> list[tuple[str, Member]]:
    """Copies of one classifier, each for a sample of the rows with replacement.

    Parameters
    ----------
    estimator : classifier
    n : int, default=10
        How many.
    share : float, default=1.0
        Size of a sample, as a share of the rows.
    random_state : int, RandomState or None, default=None
        Draws the seeds of the samples and of the copies.

    Returns
    -------
    list of (str, Member)

    References
    ----------
    L. Breiman (1996), *Bagging predictors*.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from uneven.stacking import bagged_ensemble
    >>> [name for name, _ in bagged_ensemble(DecisionTreeClassifier(), 3)]
    ['bag_1', 'bag_2', 'bag_3']
    """
    check_classifier("estimator", estimator)
    check_integer("n", n, 1)
    check_share(share)
    rng = check_random_state(random_state)
    seeds = rng.randint(2**31 - 1, size=n).tolist()
    return [
        (
            f"bag_{k + 1}",
            Member(
                seeded_clone(estimator, rng, keep=True),
                share=share,
                bootstrap=True,
                random_state=seed,
            ),
        )
        for k, seed in enumerate(seeds)
    ]


def random_subspaces(
    estimator: Any,
    n_features: int,
    n: int = 10,
    *,
    share: float = 0.5,
    random_state: Any = None,
) -> list[tuple[str, Member]]:
    """Copies of one classifier, each for some columns.

    Parameters
    ----------
    estimator : classifier
    n_features : int
        Columns of the table.
    n : int, default=10
        How many.
    share : float, default=0.5
        Share of the columns that each one reads; at least one.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    list of (str, Member)

    References
    ----------
    T. K. Ho (1998), *The random subspace method for constructing decision forests*.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from uneven.stacking import random_subspaces
    >>> [member.columns for _, member in random_subspaces(GaussianNB(), 4, 2, random_state=0)]
    [[2, 3], [0, 2]]
    """
    check_classifier("estimator", estimator)
    check_integer("n", n, 1)
    check_integer("n_features", n_features, 1)
    check_share(share)
    rng = check_random_state(random_state)
    width = max(1, round(share * n_features))
    drawn = [np.sort(rng.choice(n_features, width, replace=False)).tolist() for _ in range(n)]
    return [
        (f"subspace_{k + 1}", Member(seeded_clone(estimator, rng, keep=True), columns=columns))
        for k, columns in enumerate(drawn)
    ]


def make_ensemble(
    X: Any = None,
    y: Any = None,
    *,
    time_budget: float | None = None,
    folds: int = 4,
    random_state: Any = None,
) -> list[tuple[str, Any]]:
    """Fifteen classifiers of different kinds, ready to be stacked.

    Forests, boosted trees (scikit-learn's, and ours whose leaves hold scores), linear classifiers,
    support vector machines, neighbours and naive Bayes, for tables of numbers; missing values are
    allowed. The kinds that helped most, for their time, come first.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), optional
        Rows to estimate times from; needed with ``time_budget``.
    y : array-like of shape (n_samples,), optional
    time_budget : float, optional
        Seconds of the processor that trials and all trainings of a stack may take, about. Each
        classifier is tried on 300 rows, and on 1200 if it looks affordable; how its time grew says
        what all rows will take. Those that still fit are kept, in their order. The first one
        always is.
    folds : int, default=4
        Fits per classifier, without the last one on all rows.
    random_state : int, RandomState or None, default=None
        Seeds the classifiers, and draws the rows.

    Returns
    -------
    list of (str, classifier)

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from uneven import MarginStackingClassifier
    >>> from uneven.stacking import make_ensemble
    >>> X, y = load_iris(return_X_y=True)
    >>> len(make_ensemble())
    15
    >>> few = make_ensemble(X, y, time_budget=1e-6, random_state=0)
    >>> [name for name, _ in few]
    ['forest']
    """
    check_integer("folds", folds, 1)
    rng = check_random_state(random_state)
    every = [(name, seeded_clone(model, rng)) for name, model in _kinds().items()]
    if time_budget is None:
        return every
    check_positive("time_budget", time_budget)
    if X is None or y is None:
        raise ValueError("time_budget needs X and y: times are estimated on some of their rows.")
    labels, table = np.asarray(y), open_table(X)
    check_consistent_length(table, labels)
    order = rng.permutation(len(labels))
    left, kept = float(time_budget), list[tuple[str, Any]]()
    trainings = folds * (1.0 - 1.0 / folds) + 1.0
    for name, model in every:
        if left <= 0.0:
            break
        tried, whole = _training_time(model, table, labels, order, left / trainings)
        left -= tried
        if trainings * whole <= left or not kept:
            left -= trainings * whole
            kept.append((name, model))
    return kept


_FEW, _MORE = 300, 1200


def _training_time(
    model: Any, table: Any, labels: np.ndarray, order: np.ndarray, affordable: float
) -> tuple[float, float]:
    """Seconds spent on trials, and about how many a training on all rows takes.

    What takes time with the square of the rows looks cheap on a few. What looks cheap is therefore
    tried on four times as many, and its time taken to grow on as it did between the two.
    """

    def seconds(n_rows: int) -> float:
        start = process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            clone(model).fit(take_rows(table, order[:n_rows]), labels[order[:n_rows]])
        return process_time() - start

    n_samples = len(labels)
    few = seconds(min(_FEW, n_samples))
    whole = few * max(1.0, n_samples / _FEW)
    if n_samples <= _MORE or whole > affordable:
        return few, whole
    more = seconds(_MORE)
    growth = max(1.0, np.log(more / max(few, 1e-6)) / np.log(_MORE / _FEW))
    return few + more, more * (n_samples / _MORE) ** growth


def _kinds() -> dict[str, Any]:
    """The classifiers by name, the most useful ones first."""

    def numbers(classifier: Any) -> Any:
        return make_pipeline(SimpleImputer(), StandardScaler(), classifier)

    return {
        "forest": RandomForestClassifier(200),
        "boost": HistGradientBoostingClassifier(max_leaf_nodes=15),
        "svm": numbers(SVC(C=10.0)),
        "score_boost": BalancedBoostingClassifier(),
        "extra_trees": ExtraTreesClassifier(200),
        "logistic": numbers(LogisticRegression(max_iter=500)),
        "near7": numbers(KNeighborsClassifier(7)),
        "network": numbers(MLPClassifier((50,), alpha=0.01, max_iter=150)),
        "boost_small": HistGradientBoostingClassifier(max_leaf_nodes=4, learning_rate=0.2),
        "forest_leaf5": RandomForestClassifier(200, min_samples_leaf=5),
        "lda": numbers(LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")),
        "svm_smooth": numbers(SVC(C=1.0)),
        "near_weighted": numbers(KNeighborsClassifier(20, weights="distance")),
        "bayes": numbers(GaussianNB(var_smoothing=1e-3)),
        "logistic_strong": numbers(LogisticRegression(C=0.05, max_iter=500)),
    }
