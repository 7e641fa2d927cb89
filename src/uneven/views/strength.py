"""How strong each view is, and how much views repeat each other: held-out answers of each alone."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.utils import check_array, check_consistent_length, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from uneven.metrics import class_recalls, confusion_norm, mean_recall
from uneven.utils.estimators import deal_folds, rows_by_class
from uneven.views.diagnosis import ViewDiagnosis, judge
from uneven.views.maps import ViewMap, resolve_views
from uneven.views.training_rows import encode_categories, learn_categories

__all__ = ["agreement", "diagnose"]

MOST_DENSE_CELLS = 4_000_000


def diagnose(
    X: Any,
    y: Any,
    views: Any,
    *,
    estimator: Any = None,
    cv: int = 5,
    max_rows: int | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> ViewDiagnosis:
    """Measure what each view knows on its own, and what views know together.

    One classifier per view and fold is fitted on the rows where the view is present, and answers
    for the rows of the fold it has not seen.

    Parameters
    ----------
    X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        NaN stands for a missing value; category columns of frames are taken as they are.
    y : array-like of shape (n_samples,)
        Class labels, at least two different ones.
    views : dict, sequence of int, "prefix" or None
        Named groups of columns; see :func:`uneven.views.resolve_views`.
    estimator : classifier, default=None
        Fitted on each view. None is a forest of 50 extremely randomised trees with balanced class
        weights, which accepts missing values.
    cv : int, default=5
        Folds. Rows of a class are dealt out in turn, so a class with fewer rows than folds is
        missing in some of them; no class is refused.
    max_rows : int or None, default=None
        Look at so many rows at most, drawn from each class in proportion.
    random_state : int, RandomState or None, default=None
        Draws rows and folds and seeds the default estimator.
    n_jobs : int or None, default=None
        Threads; -1 uses every core. The result does not depend on it.

    Returns
    -------
    ViewDiagnosis

    Examples
    --------
    >>> from uneven.datasets import make_imbalanced_views
    >>> bunch = make_imbalanced_views(600, separation=3.0, random_state=0)
    >>> print(diagnose(bunch.data, bunch.target, bunch.views, cv=2, random_state=0).verdicts)
    ('imbalanced', 'imbalanced', 'imbalanced', 'imbalanced')
    """
    table, classes, codes, resolved = _enter(X, y, views)
    rng = check_random_state(random_state)
    kept = _sample(codes, _whole("max_rows", max_rows, 2), rng)
    table, codes = table[kept], codes[kept]
    folds = deal_folds(codes, int(_whole("cv", cv, 2, len(codes)) or 0), rng)
    present = resolved.presence(table)
    seeds = rng.randint(2**31 - 1, size=(len(resolved), folds.max() + 1))
    answers = np.column_stack(
        Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(_held_out)(table, codes, folds, resolved, j, present[:, j], estimator, seeds[j])
            for j in range(len(resolved))
        )
    )
    return _summary(resolved, classes, codes, present, answers)


def _enter(X: Any, y: Any, views: Any) -> tuple[Any, np.ndarray, np.ndarray, ViewMap]:
    """Validated table, classes, positions of the labels in them, and views."""
    frame = X if hasattr(X, "columns") else None
    names = None if frame is None else list(frame.columns)
    if names is not None and not all(isinstance(name, str) for name in names):
        names = None
    table = check_array(
        encode_categories(X, learn_categories(X)),
        accept_sparse="csr",
        dtype=[np.float64, np.float32],
        ensure_all_finite="allow-nan",
    )
    y = column_or_1d(y)
    check_consistent_length(table, y)
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y holds one class, {classes[0]!r}: views cannot differ in telling it.")
    resolved = resolve_views(views, n_features=table.shape[1], feature_names=names, frame=frame)
    return table, classes, codes, resolved


def _whole(name: str, value: Any, low: int, high: int | None = None) -> int | None:
    if value is None and name == "max_rows":
        return None
    whole = int(value) if isinstance(value, Integral) else low - 1
    if whole < low or (high is not None and whole > high):
        span = f"at least {low}" if high is None else f"between {low} and {high}, the rows of X"
        raise ValueError(f"{name} must be a whole number {span}, got {value!r}.")
    return whole


def _sample(codes: np.ndarray, wanted: int | None, rng: Any) -> np.ndarray:
    """Positions of at most ``wanted`` rows, about the same share of every class, in order."""
    if wanted is None or wanted >= len(codes):
        return np.arange(len(codes))
    by_class = rows_by_class(codes, rng)
    ranks = np.floor(np.arange(len(codes)) * wanted / len(codes))
    return np.sort(by_class[np.diff(ranks, prepend=-1.0) > 0])


def _held_out(
    table: Any,
    codes: np.ndarray,
    folds: np.ndarray,
    views: ViewMap,
    j: int,
    present: np.ndarray,
    estimator: Any,
    seeds: np.ndarray,
) -> np.ndarray:
    """Answers of one view, shape (n_samples,); -1 where the view is missing."""
    block = _block(table, views.columns[j])
    answers = np.full(len(codes), -1, dtype=np.intp)
    for fold, seed in enumerate(seeds):
        train = np.flatnonzero(present & (folds != fold))
        test = np.flatnonzero(present & (folds == fold))
        if not len(test):
            continue
        if len(np.unique(codes[train])) < 2:
            answers[test] = np.bincount(codes[train] if len(train) else codes).argmax()
            continue
        model = _forest(int(seed)) if estimator is None else clone(estimator)
        answers[test] = model.fit(block[train], codes[train]).predict(block[test])
    return answers


def _forest(seed: int) -> ExtraTreesClassifier:
    return ExtraTreesClassifier(
        n_estimators=50, min_samples_leaf=5, class_weight="balanced", random_state=seed
    )


def _block(table: Any, columns: np.ndarray) -> Any:
    """Columns of one view: dense if that is small, else sparse with its missing entries as 0."""
    block = table[:, columns]
    if not sp.issparse(block):
        return block
    if block.shape[0] * block.shape[1] <= MOST_DENSE_CELLS:
        return block.toarray()
    block.data = np.nan_to_num(block.data, nan=0.0)
    return block


def _summary(
    views: ViewMap,
    classes: np.ndarray,
    codes: np.ndarray,
    present: np.ndarray,
    answers: np.ndarray,
) -> ViewDiagnosis:
    """Measures of all views from their held-out answers, shape (n_samples, n_views)."""
    labels = np.arange(len(classes))
    measures: dict[str, list] = {name: [] for name in ("accuracy", "chance", "balanced", "norm")}
    recalls, counts, verdicts = [], [], []
    for answer, there in zip(answers.T, present.T):
        true, said = codes[there], answer[there]
        sizes = np.bincount(true, minlength=len(classes))
        any_row = bool(there.any())
        recall = class_recalls(true, said, labels=labels) if any_row else labels * np.nan
        measures["accuracy"].append((true == said).mean() if any_row else np.nan)
        measures["chance"].append(sizes.max() / sizes.sum() if any_row else np.nan)
        measures["balanced"].append(mean_recall(true, said, labels=labels) if any_row else np.nan)
        measures["norm"].append(confusion_norm(true, said, labels=labels) if any_row else np.nan)
        recalls.append(recall)
        counts.append(sizes)
        verdicts.append(judge(recall, sizes))
    redundancy, rescue = agreement(answers == codes[:, None], present, codes)
    return ViewDiagnosis(
        names=views.names,
        classes=classes,
        class_counts=np.bincount(codes, minlength=len(classes)),
        view_counts=np.array(counts),
        n_rows=len(codes),
        n_columns=np.array([len(columns) for columns in views.columns]),
        presence=present.mean(axis=0),
        accuracy=np.array(measures["accuracy"]),
        chance=np.array(measures["chance"]),
        balanced_accuracy=np.array(measures["balanced"]),
        confusion_norm=np.array(measures["norm"]),
        recalls=np.array(recalls),
        redundancy=redundancy,
        rescue=rescue,
        verdicts=tuple(verdicts),
    )


def agreement(
    right: np.ndarray, present: np.ndarray, classes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Redundancy and rescue of every pair of views, on the rows where both are present.

    Parameters
    ----------
    right : ndarray of bool, shape (n_samples, n_views)
        Which view answers which row rightly.
    present : ndarray of bool, shape (n_samples, n_views)
    classes : ndarray of int, shape (n_samples,)
        Class of each row. Correlations are taken within classes, since views that find the same
        class easy are not yet redundant.

    Returns
    -------
    redundancy, rescue : ndarray of shape (n_views, n_views)
        As in :class:`ViewDiagnosis`.

    Examples
    --------
    >>> import numpy as np
    >>> right = np.array([[1, 1], [1, 0], [0, 0], [0, 1]], dtype=bool)
    >>> redundancy, rescue = agreement(right, np.ones_like(right), np.zeros(4, dtype=int))
    >>> redundancy.tolist(), rescue.tolist()
    ([[1.0, 0.0], [0.0, 1.0]], [[0.0, 0.5], [0.5, 0.0]])
    """
    n_views = right.shape[1]
    redundancy, rescue = np.full((2, n_views, n_views), np.nan)
    for j in range(n_views):
        for k in range(n_views):
            both = present[:, j] & present[:, k]
            pair, group = right[both][:, [j, k]].astype(float), classes[both]
            wrong = pair[:, 0] == 0.0
            if wrong.any():
                rescue[j, k] = pair[wrong, 1].mean()
            sizes = np.maximum(np.bincount(group), 1.0)
            means = np.column_stack([np.bincount(group, column) / sizes for column in pair.T])
            centred = pair - means[group]
            spread = np.sqrt((centred**2).sum(axis=0)).prod()
            if spread > 1e-9:
                redundancy[j, k] = (centred[:, 0] * centred[:, 1]).sum() / spread
    return redundancy.clip(-1.0, 1.0), rescue
