"""Many classes as several binary problems: one class against another, or sets of them.

Each binary problem has a linear support vector machine on all scores of all members; the
predictions are then compared with the code of every class.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Self

import numpy as np
from sklearn.svm import LinearSVC

from uneven.fusion.rules import check_labels, check_member_scores, check_same_members, mean
from uneven.utils.model_types import check_numbers, persisted
from uneven.utils.parameters import check_choice

CODES = ("one_vs_one", "one_vs_rest", "output_codes")
_EXHAUSTIVE, _COLUMNS, _DRAWS = 5, 10.0, 50
_PRECISION, _STEPS = 1e-10, 10_000


def code_matrix(kind: str, n_classes: int) -> np.ndarray:
    """Codes of the classes.

    Parameters
    ----------
    kind : {"one_vs_one", "one_vs_rest", "output_codes"}
        Every pair of classes; every class against all others; or sets of classes: all of them for
        up to five classes, else about 10 log2(n_classes) random ones, those of 50 draws whose rows
        differ most.
    n_classes : int

    Returns
    -------
    ndarray of shape (n_classes, n_questions)
        1, -1, or 0 where a class is not in the problem.

    References
    ----------
    T. G. Dietterich and G. Bakiri (1995), *Solving multiclass learning problems via
    error-correcting output codes*. E. L. Allwein, R. E. Schapire and Y. Singer (2000), *Reducing
    multiclass to binary*.

    Examples
    --------
    >>> code_matrix("one_vs_one", 3)
    array([[ 1.,  1.,  0.],
           [-1.,  0.,  1.],
           [ 0., -1., -1.]])
    >>> code_matrix("output_codes", 4).shape
    (4, 7)
    """
    check_choice("code", kind, CODES)
    if kind == "one_vs_rest":
        return 2.0 * np.eye(n_classes) - 1.0
    if kind == "one_vs_one":
        pairs = list(combinations(range(n_classes), 2))
        codes = np.zeros((n_classes, len(pairs)))
        for column, (first, second) in enumerate(pairs):
            codes[[first, second], column] = 1.0, -1.0
        return codes
    if n_classes <= _EXHAUSTIVE:
        sets = np.arange(2 ** (n_classes - 1) - 1)
        inside = (sets >> np.arange(n_classes - 1)[:, None]) & 1
        return np.vstack([np.ones(len(sets)), 2.0 * inside - 1.0])
    rng = np.random.default_rng(0)
    shape = (_DRAWS, n_classes, int(np.ceil(_COLUMNS * np.log2(n_classes))))
    drawn = rng.choice([-1.0, 1.0], shape)
    return np.asarray(max(drawn, key=_least_distance))


def _least_distance(codes: np.ndarray) -> float:
    """Binary problems that separate the two most similar classes; -1 if the codes are equal."""
    if (np.abs(codes.sum(axis=0)) == len(codes)).any():
        return -1.0
    alike = codes @ codes.T
    return float((codes.shape[1] - alike[np.triu_indices(len(codes), 1)]).min() / 2.0)


@persisted("output_code_rule", role="rule")
@dataclass
class OutputCodeRule:
    """Linear support vector machines for pairs, single classes or sets of classes.

    Every machine minimises the squared hinge of its margin plus ``strength`` times its squared
    weights, the intercept's included. The score of a class is minus the mean hinge of its code.

    Attributes
    ----------
    code : {"one_vs_one", "one_vs_rest", "output_codes"}
        See :func:`code_matrix`.
    strength : float
    coef : ndarray of shape (n_questions, n_members * n_classes)
        Set by :meth:`fit`, as is `intercept`, of shape (n_questions,).

    References
    ----------
    E. L. Allwein, R. E. Schapire and Y. Singer (2000), *Reducing multiclass to binary*, for the
    score of a class.

    Examples
    --------
    >>> P = [[[0.9, 0.1], [0.6, 0.4]], [[0.2, 0.8], [0.7, 0.3]]]
    >>> OutputCodeRule("one_vs_rest").fit(P, [0, 1]).scores(P).argmax(axis=1)
    array([0, 1])
    """

    code: str = "one_vs_rest"
    strength: float = 1e-3
    coef: np.ndarray | None = None
    intercept: np.ndarray | None = None

    def fit(self, P: Any, y: Any, share: Any = None) -> Self:
        """Train a support vector machine for every binary problem.

        Parameters
        ----------
        P : array-like of shape (n_samples, n_members, n_classes)
        y : array-like of int, shape (n_samples,)
        share : array-like of shape (n_samples,), optional

        Returns
        -------
        self : object
        """
        P, has_scores = check_member_scores(P)
        y, share = check_labels(y, share, P.shape)
        flat = _flat(P, has_scores)
        codes = code_matrix(self.code, P.shape[2])
        self.coef = np.zeros((codes.shape[1], flat.shape[1]))
        self.intercept = np.zeros(codes.shape[1])
        for k, column in enumerate(codes.T):
            wanted = column[y]
            asked = np.flatnonzero((wanted != 0.0) & (share > 0.0))
            if len(np.unique(wanted[asked])) < 2:
                self.intercept[k] = wanted[asked[0]] if len(asked) else 0.0
                continue
            machine = LinearSVC(
                C=0.5 / self.strength, dual=False, tol=_PRECISION, max_iter=_STEPS, random_state=0
            ).fit(flat[asked], wanted[asked], sample_weight=share[asked])
            self.coef[k], self.intercept[k] = machine.coef_[0], machine.intercept_[0]
        return self

    def scores(self, P: Any) -> np.ndarray:
        """How well the predictions agree with the code of each class.

        Parameters
        ----------
        P : array-like of shape (n_samples, n_members, n_classes)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            At most 0; zeros where all members abstain.
        """
        if self.coef is None or self.intercept is None:
            raise ValueError("the rule has no machines yet: call fit first.")
        P, has_scores = check_member_scores(P)
        n_classes = P.shape[2]
        check_same_members(P.shape, self.coef.shape[1] // n_classes, n_classes)
        answers = _flat(P, has_scores) @ self.coef.T + self.intercept
        codes = code_matrix(self.code, n_classes)
        found = np.empty((len(P), n_classes))
        for n, row in enumerate(codes):
            asked = row != 0.0
            found[:, n] = -np.maximum(1.0 - row[asked] * answers[:, asked], 0.0).mean(axis=1)
        return np.where(has_scores.any(axis=1, keepdims=True), found, 0.0)

    def _check_model_(self, n_members: int, n_classes: int) -> None:
        """Refuse loaded machines of other members, classes or binary problems."""
        shape = (code_matrix(self.code, n_classes).shape[1], n_members * n_classes)
        check_numbers(self.coef, shape, "weights of machines", signed=True)
        check_numbers(self.intercept, shape[:1], "intercepts of machines", signed=True)


def _flat(P: np.ndarray, has_scores: np.ndarray) -> np.ndarray:
    """All scores of a row side by side; members that abstain get the mean of the others."""
    filled = P if has_scores.all() else np.where(has_scores[:, :, None], P, mean(P)[:, None])
    return np.nan_to_num(filled).reshape(len(P), -1)
