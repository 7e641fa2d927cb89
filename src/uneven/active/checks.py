"""What a learner may be given and told, and what a query rule may return."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import is_regressor

from uneven.utils.labels import find_labels, split_labels
from uneven.utils.parameters import check_choice

if TYPE_CHECKING:
    from uneven.active.state import Pool

__all__ = [
    "check_answers",
    "check_classifier",
    "check_query",
    "check_stop",
    "check_utilities",
    "join_labels",
    "refuse_words",
    "split_known",
]


def check_query(name: Any, known: Iterable[str]) -> None:
    """Refuse a name that no query rule has, and propose the nearest one.

    Parameters
    ----------
    name : object
    known : iterable of str

    Examples
    --------
    >>> check_query("blanced", ["balanced", "random"])
    Traceback (most recent call last):
        ...
    ValueError: query must be one of 'balanced', 'random'; got 'blanced'. Did you mean 'balanced'?
    """
    names = list(known)
    try:
        check_choice("query", name, names)
    except ValueError as error:
        near = difflib.get_close_matches(str(name).lower(), names, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else " A function may be given, too."
        raise ValueError(f"{error}{hint}") from None


def check_stop(stop: Any) -> None:
    """Refuse what is neither a stopping rule nor several of them.

    Parameters
    ----------
    stop : object

    Examples
    --------
    >>> check_stop(5)
    Traceback (most recent call last):
        ...
    ValueError: stop must be a stopping rule or a list of them, got 5. Budget(5) stops at 5 labels.
    """
    several = isinstance(stop, Sequence) and not isinstance(stop, str)
    wrong = [rule for rule in (stop if several else [stop]) if not _is_rule(rule)]
    if stop is None or not wrong:
        return
    hint = "See uneven.active.stopping."
    if isinstance(wrong[0], int) and wrong[0] > 0:
        hint = f"Budget({wrong[0]}) stops at {wrong[0]} labels."
    elif isinstance(wrong[0], type):
        hint = f"Write {wrong[0].__name__}(...), with its choices."
    raise ValueError(f"stop must be a stopping rule or a list of them, got {stop!r}. {hint}")


def _is_rule(rule: Any) -> bool:
    return callable(rule) and not isinstance(rule, type)


def check_classifier(estimator: Any, scores: bool) -> None:
    """Refuse what cannot learn classes.

    Parameters
    ----------
    estimator : object
    scores : bool
        Whether it must say how sure it is.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> check_classifier(Ridge(), scores=False)
    Traceback (most recent call last):
        ...
    ValueError: estimator must be a classifier, got the regressor Ridge().
    """
    if isinstance(estimator, type):
        raise ValueError(
            f"estimator must be an object, got the class {estimator.__name__}: write "
            f"{estimator.__name__}()."
        )
    lacking = [name for name in ("fit", "predict", "get_params") if not hasattr(estimator, name)]
    if lacking:
        raise ValueError(
            f"estimator must be a classifier of scikit-learn's kind, got {estimator!r}, which has "
            f"no {lacking[0]}()."
        )
    if is_regressor(estimator):
        raise ValueError(f"estimator must be a classifier, got the regressor {estimator!r}.")
    if scores and not any(hasattr(estimator, n) for n in ("predict_proba", "decision_function")):
        raise ValueError(
            f"query='uncertainty' needs a classifier with predict_proba or decision_function, and "
            f"{estimator!r} has neither. Choose another one, or another query."
        )


def refuse_words(pool: Pool, query: Any) -> None:
    """Refuse a pool that is not of finite numbers, for a rule that looks at its rows.

    Parameters
    ----------
    pool : Pool
    query : str
    """
    try:
        _ = pool.X
    except ValueError as error:
        raise ValueError(f"query={query!r} cannot be asked here: {error}") from None


def split_known(
    labels: Any, unlabelled: Any, n_rows: int, *, needed: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Rows that have a label from the start, and their labels.

    Parameters
    ----------
    labels : array-like of shape (n_rows,), or None
        Empty text is no label.
    unlabelled : number, str or None
        A further mark of rows without label.
    n_rows : int
    needed : bool, default=False
        Refuse labels that are all missing.

    Returns
    -------
    rows : ndarray of int, shape (n_labelled,)
    labels : ndarray of shape (n_labelled,)

    Examples
    --------
    >>> split_known(["cat", "", None, "dog"], -1, 4)
    (array([0, 3]), array(['cat', 'dog'], dtype='<U3'))
    """
    if labels is None and not needed:
        return np.empty(0, dtype=np.intp), np.empty(0)
    known, values = find_labels(labels, unlabelled)
    known &= find_labels(values, "")[0]
    if len(known) != n_rows:
        raise ValueError(
            f"labels has {len(known)} entries, the pool {n_rows} rows: give one per row, None "
            "where there is no label yet."
        )
    if not known.any() and not needed:
        return np.empty(0, dtype=np.intp), np.empty(0)
    return np.flatnonzero(known), split_labels(values[known], None)[1]


def check_utilities(utilities: np.ndarray, n_candidates: int) -> None:
    """Refuse what is not one number for each candidate.

    Parameters
    ----------
    utilities : ndarray
        What a query rule returned.
    n_candidates : int
    """
    if utilities.shape != (n_candidates,):
        raise ValueError(
            f"the query rule returned shape {utilities.shape}; expected one number for each of "
            f"the {n_candidates} candidates."
        )
    if np.isnan(utilities).any():
        raise ValueError("the query rule returned NaN: utilities must be numbers or -inf.")


def check_answers(rows: Any, labels: Any, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Refuse answers that are not one label for each of some different rows.

    Parameters
    ----------
    rows : array-like of int, shape (n,), or int
    labels : array-like of shape (n,), or one label
    n_rows : int
        Rows of the pool.

    Returns
    -------
    rows : ndarray of int, shape (n,)
    labels : ndarray of shape (n,)
        In numpy's own type for them.
    """
    rows = np.atleast_1d(np.asarray(rows))
    mixed = isinstance(labels, list | tuple)
    labels = np.atleast_1d(np.asarray(labels, dtype=object if mixed else None))
    if rows.ndim != 1 or labels.shape != rows.shape:
        raise ValueError(
            f"rows has shape {rows.shape} and labels {labels.shape}: give one label per row."
        )
    if not rows.size:
        return rows.astype(np.intp), labels
    if rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= n_rows:
        raise ValueError(f"rows must be whole numbers from 0 to {n_rows - 1}, rows of the pool.")
    twice, counts = np.unique(rows, return_counts=True)
    if (counts > 1).any():
        raise ValueError(f"row {twice[counts > 1][0]} is there more than once.")
    labelled = find_labels(labels, None)[0] & find_labels(labels, "")[0]
    if not labelled.all():
        raise ValueError(f"the label of row {rows[~labelled][0]} is missing.")
    return rows.astype(np.intp), split_labels(labels, None)[1]


def join_labels(old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Labels so far and new ones, which must be of one kind.

    Parameters
    ----------
    old : ndarray of shape (n,)
    new : ndarray of shape (m,)

    Returns
    -------
    ndarray of shape (n + m,)

    Examples
    --------
    >>> join_labels(np.array([0, 1]), np.array(["yes"]))
    Traceback (most recent call last):
        ...
    ValueError: labels so far are [0, 1], the new ones ['yes']: text and numbers cannot be classes
        of one problem.
    """
    if not len(old) or not len(new):
        return new if len(new) else old
    if (old.dtype.kind in "OUST") != (new.dtype.kind in "OUST"):
        raise ValueError(
            f"labels so far are {old[:3].tolist()}, the new ones {new[:3].tolist()}: text and "
            "numbers cannot be classes of one problem."
        )
    return np.concatenate([old, new])
