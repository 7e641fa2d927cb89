"""Mutual information between the label of a row and the classifier (BALD)."""

from __future__ import annotations

import numpy as np
from scipy.special import entr, softmax

from uneven.active.posterior import Products
from uneven.active.registry import rule
from uneven.active.rules import balanced_votes
from uneven.active.state import QueryState

_MOST = 2000
"""Rows that are looked at, those with the most even votes."""

_PROBIT = 1.702
"""A logistic function of that slope is within .01 of the normal distribution function."""


@rule("information", "whose label is most informative about the classifier (BALD)")
def information(state: QueryState, *, noise: float = 0.1, n_draws: int = 64) -> np.ndarray:
    """The row whose label has the most information about the classifier (BALD).

    Votes are even where there are no labels yet (epistemic uncertainty), and where classes overlap
    (aleatoric uncertainty). A label reduces only the first. The utility is the entropy of the label
    minus its expected entropy if the classifier were known, with some noise on its scores.

    Parameters
    ----------
    state : QueryState
    noise : float, default=0.1
        Least variance of the noise on a score; the prior variance of a score is 1. A larger
        ``ridge`` of the Bayes point is used instead.
    n_draws : int, default=64
        Classifiers that are sampled from the normal distributions of the propagation.

    Returns
    -------
    ndarray of shape (n_candidates,)
        In nats. In large pools only the 2000 rows with the most even votes are evaluated; the
        others have -inf.

    Notes
    -----
    Without noise this is the entropy of the vote, which with two classes orders rows as "balanced"
    does.

    References
    ----------
    Houlsby, Huszár, Ghahramani and Lengyel (2011), Bayesian active learning for classification and
    preference learning.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from uneven import ActiveLearner
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = ActiveLearner(query="information").start(X).tell([0, 60, 120], y[[0, 60, 120]])
    >>> bool((information(learner.state()) < np.log(3)).all())
    True
    """
    if not noise > 0.0:
        raise ValueError(f"noise={noise} must be positive; without noise take 'balanced'.")
    utilities = np.full(len(state.candidates), -np.inf)
    near = np.arange(len(utilities))
    if len(near) > _MOST:
        near = np.argsort(-balanced_votes(state), kind="stable")[:_MOST]
    found = Products.of(state, state.candidates[near])
    draws = np.random.default_rng(0).standard_normal((n_draws, 1, found.means.shape[1]))
    spread = np.sqrt(np.maximum(found.variances - found.noise, 0.0))
    scores = found.means + spread * draws
    if scores.shape[2] == 1:
        scores = np.concatenate([-0.5 * scores, 0.5 * scores], axis=2)
    chances = softmax(_PROBIT / np.sqrt(max(noise, found.noise)) * scores, axis=2)
    doubt = entr(chances).sum(axis=2).mean(axis=0)
    utilities[near] = entr(chances.mean(axis=0)).sum(axis=1) - doubt
    return utilities
