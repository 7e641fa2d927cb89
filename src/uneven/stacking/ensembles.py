"""Ensembles to stack: one classifier on many samples, or on many sets of columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from uneven.stacking.out_of_fold.members import Member, check_classifier, check_share
from uneven.utils.estimators import seeded_clone
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
