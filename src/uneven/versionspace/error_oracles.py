"""Which of the mistakes to learn from next: the oracles of cutting-plane learners."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from uneven.utils.parameters import check_choice
from uneven.versionspace._loops import mark_dense, mark_sparse

Rule = Callable[[np.ndarray], int | None]
"""From the margins of all rows to a row with none above zero, or None."""


def largest_error(margins: np.ndarray) -> int | None:
    """Pick the row with the lowest margin: the deepest cut.

    Parameters
    ----------
    margins : ndarray of shape (n_samples,)
        Products of the rows in normal form with the weights.

    Returns
    -------
    int or None
        A row; of rows that are equally wrong the first one. None if all margins are positive.

    Notes
    -----
    A margin of zero is a mistake. The source requires less than zero; then weights of zero, where
    it starts, would make no mistake.

    References
    ----------
    Louche (2016), section 6.1.

    Examples
    --------
    >>> margins = np.array([1.0, -0.2, -0.7, 0.0])
    >>> largest_error(margins), smallest_error(margins), first_error(margins)
    (2, 3, 1)
    """
    row = int(margins.argmin()) if len(margins) else 0
    return row if len(margins) and margins[row] <= 0.0 else None


def smallest_error(margins: np.ndarray) -> int | None:
    """Pick the mistake that is nearly right, the shallowest cut; as in `largest_error`."""
    wrong = np.flatnonzero(margins <= 0.0)
    return int(wrong[margins[wrong].argmax()]) if wrong.size else None


def first_error(margins: np.ndarray) -> int | None:
    """Pick the mistake that comes first; as in `largest_error`."""
    wrong = margins <= 0.0
    row = int(wrong.argmax()) if len(wrong) else 0
    return row if len(wrong) and wrong[row] else None


def random_error(priority: np.ndarray) -> Rule:
    """Pick a random mistake: that of lowest priority, with priorities drawn once and for all.

    Parameters
    ----------
    priority : ndarray of shape (n_samples,)
        See `priorities`.

    Returns
    -------
    callable
        As `largest_error`.

    Notes
    -----
    Drawing a mistake anew each time is as random, but then a rerun on the rows chosen may choose
    them in another order, and they are no compression of the sample.

    Examples
    --------
    >>> random_error(np.array([3, 1, 2]))(np.array([-1.0, 1.0, 0.0]))
    2
    """

    def rule(margins: np.ndarray) -> int | None:
        wrong = np.flatnonzero(margins <= 0.0)
        return int(wrong[priority[wrong].argmin()]) if wrong.size else None

    return rule


ORACLES: dict[str, Rule | None] = {
    "first_error": first_error,
    "largest_error": largest_error,
    "random_error": None,
    "smallest_error": smallest_error,
}
"""The oracles by name; "random_error" needs priorities first."""


def error_rule(
    oracle: str | Rule, rows: Any = None, rng: np.random.Generator | None = None
) -> Rule:
    """An oracle by its name.

    Parameters
    ----------
    oracle : {"largest_error", "smallest_error", "random_error", "first_error"} or callable
    rows : ndarray or CSR of shape (n_samples, n_features), optional
        "random_error" gives them their priorities.
    rng : Generator, optional
        For the priorities.

    Returns
    -------
    callable

    Examples
    --------
    >>> error_rule("first_error")(np.array([1.0, -1.0]))
    1
    """
    check_choice("oracle", oracle, ORACLES, or_callable=True)
    if callable(oracle):
        return oracle
    named = ORACLES[oracle]
    if named is not None:
        return named
    if rows is None:
        raise ValueError("oracle='random_error' needs the rows, to give each of them a priority.")
    return random_error(priorities(rows, np.random.default_rng(rng)))


def correctable_error(
    rule: Rule,
    margins: np.ndarray,
    silent: list[int],
    products: Callable[[int, np.ndarray], np.ndarray],
) -> int | None:
    """Pick a mistake that can be corrected, passing over rows of zeros.

    margins: (n_samples,), changed: infinite for rows of zeros; silent: rows of zeros found so far;
    more may be appended; products: products of a row with others.

    Examples
    --------
    >>> rows, silent = np.array([[0.0], [-1.0]]), []
    >>> correctable_error(first_error, np.zeros(2), silent, lambda i, j: rows[j] @ rows[i])
    1
    >>> silent
    [0]
    """
    margins[silent] = np.inf
    row = rule(margins)
    while row is not None and not products(row, np.array([row]))[0] > 0.0:
        silent.append(row)
        margins[row] = np.inf
        row = rule(margins)
    return row


def priorities(rows: Any, rng: np.random.Generator) -> np.ndarray:
    """Random numbers for rows that depend on what is in the row, not on where it stands.

    Parameters
    ----------
    rows : ndarray or CSR of shape (n_samples, n_features)
    rng : Generator
        Another seed gives other numbers.

    Returns
    -------
    ndarray of uint64, shape (n_samples,)
        The same for a row whatever other rows there are, dense or sparse. Rows that are the same
        share a number.

    Examples
    --------
    >>> rows = np.array([[1.0, 0.0], [2.0, 3.0]])
    >>> alone = priorities(rows[1:], np.random.default_rng(0))
    >>> bool(alone[0] == priorities(rows, np.random.default_rng(0))[1])
    True
    """
    seed = np.uint64(rng.integers(2**63))
    marks = np.empty(rows.shape[0], dtype=np.uint64)
    if sp.issparse(rows):
        table = rows if rows.has_canonical_format else rows.copy()
        table.sum_duplicates()
        mark_sparse(table.data.view(np.uint64), table.indices, table.indptr, seed, marks)
    else:
        mark_dense(np.ascontiguousarray(rows).view(np.uint64), seed, marks)
    return marks
