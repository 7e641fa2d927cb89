"""How much a fitted vote of several views guarantees for new rows, and how its views differ.

Let a term add the scores a(c) to a row of class y, and let s be the largest spread of the scores of
one of its predictions. Its loss is ``1/2 - (a(y) - max of the other a(c)) / (2 s)``: 0 if a voter
of one weight is right, 1 if it is wrong, 1/2 if it abstains, between them for weights by class and
scores of leaves. Voters are weighted by s. Where the vote is wrong the mean loss is at least 1/2,
so bounds for mean and spread of the loss are bounds for the vote.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted, column_or_1d

from uneven.bounds import (
    binary_kl_inverse,
    c_bound,
    disagreement_bound,
    gibbs_risk_bound,
    two_level_divergence,
)
from uneven.bounds.arguments import check_numbers
from uneven.views.training_rows import validate_predict_data
from uneven.votes.vote import ALL_VIEWS, Vote, VoteClassifier


@dataclass(frozen=True)
class VoteCertificate:
    """Diversity of a vote by views, and bounds for new rows; see `certify`.

    Attributes
    ----------
    names : tuple of str
        Views that have voters; "all views" stands for voters that read all of them.
    view_weights : ndarray of shape (n_views,)
        Share of each view in the weights of the vote.
    n_voters : ndarray of int, shape (n_views,)
    n_rows : int
    delta : float
    view_risks : ndarray of shape (n_views,)
        Mean loss of the voters of each view.
    expected_disagreement : ndarray of shape (n_views, n_views)
        Probability that exactly one of two voters, drawn from two views, is right; on the diagonal
        both are drawn from the same view.
    vote_disagreement : ndarray of shape (n_views, n_views)
        Share of the rows that the votes of two views predict differently, among those for which
        both predict; NaN if there are none.
    gibbs_risk, disagreement : float
        Mean loss of a drawn voter; probability that exactly one of two drawn voters is right.
    divergence_between, divergence_within : float
        See `uneven.bounds.two_level_divergence`.
    gibbs_bound : float
        Bound of the true ``gibbs_risk``. Twice as much bounds the error of the vote.
    c_bound : float
        Bound of the true error of the vote by risk and disagreement.
    error : float
        Error rate of the vote.
    error_bound : float
        Bound of its true value by the rows alone (Chernoff), without voters: the baseline.
    """

    names: tuple[str, ...]
    view_weights: np.ndarray
    n_voters: np.ndarray
    n_rows: int
    delta: float
    view_risks: np.ndarray
    expected_disagreement: np.ndarray
    vote_disagreement: np.ndarray
    gibbs_risk: float
    disagreement: float
    divergence_between: float
    divergence_within: float
    gibbs_bound: float
    c_bound: float
    error: float
    error_bound: float

    def __str__(self) -> str:
        lines = [
            f"{self.n_rows} rows, each bound holds with probability {1 - self.delta:g}",
            f"vote: wrong on {self.error:.3f}, at most {self.error_bound:.3f} in truth",
            f"one voter drawn: wrong on {self.gibbs_risk:.3f}, at most {self.gibbs_bound:.3f}",
            f"two voters drawn: they disagree on {self.disagreement:.3f}",
            f"whatever the weights: vote wrong on at most {min(1.0, 2 * self.gibbs_bound):.3f} "
            f"(twice one voter), {self.c_bound:.3f} (C-bound)",
        ]
        for j, name in enumerate(self.names):
            lines.append(
                f"{name}: weight {self.view_weights[j]:.2f}, voters: {self.n_voters[j]}, one is "
                f"wrong on {self.view_risks[j]:.3f}, two disagree on "
                f"{self.expected_disagreement[j, j]:.3f}"
            )
        return "\n".join(lines)


def certify(model: VoteClassifier, X: Any, y: Any, *, delta: float = 0.05) -> VoteCertificate:
    """Measure the diversity of a fitted vote and bound its error on new rows.

    The posterior of the two-level bound is the vote: the weight share of each view, and of each
    voter within its view. The prior is uniform over the views and over the voters of a view.

    Parameters
    ----------
    model : VoteClassifier
        Fitted, and predicting by its ``vote_``: MuMBo, µCoMBo, ShareBoost, NormCoMBo, Carako, the
        Bregman vote, late fusion by votes.
    X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        **Rows that no voter was trained on.**
    y : array-like of shape (n_samples,)
        Their labels. A class that the model was not trained on counts as wrong.
    delta : float, default=0.05
        Each bound fails with at most this probability, over draws of the rows.

    Returns
    -------
    VoteCertificate

    Notes
    -----
    The bounds hold if the rows are drawn independently from the distribution of new rows,
    and the *voters* were fixed before these rows were looked at. ``gibbs_bound`` and ``c_bound``
    hold for all weights at once, so weights may be chosen on these rows; ``error_bound`` needs
    weights fixed before, too, and is then nearly always the smallest. On training rows no bound is
    valid, unless the voters do not depend on data. The three do not hold jointly with probability
    1 - delta: divide delta by three for that.

    The source bounds the expectation over samples; for a uniform prior fixed beforehand the usual
    PAC-Bayes theorem with the binary kl holds for the given sample, and is used here.

    References
    ----------
    Goyal, Morvant, Germain and Amini (2017), PAC-Bayesian analysis for a hierarchical multiview
    learning approach.

    Examples
    --------
    >>> from uneven import MumboClassifier
    >>> from uneven.datasets import make_uneven_views
    >>> data = make_uneven_views(2000, major_noise=0.1, random_state=0)
    >>> X, y = data.data, data.target
    >>> model = MumboClassifier(views=data.views, n_estimators=10).fit(X[:500], y[:500])
    >>> found = certify(model, X[500:], y[500:])
    >>> found.error < found.error_bound < found.c_bound < 1.0
    True
    """
    check_numbers(delta=delta)
    if not isinstance(model, VoteClassifier):
        raise TypeError(f"certify needs a classifier that is a vote, got {model!r}.")
    check_is_fitted(model, "vote_")
    labels = column_or_1d(y)
    table = validate_predict_data(model, X)
    check_consistent_length(table, labels)
    vote = model.vote_
    scores = vote.score(table)
    if not np.allclose(model._scores(X), scores):
        raise ValueError(
            f"{type(model).__name__} joins its views by another rule than a vote, about which the "
            'bound says nothing; late fusion is a vote with combine="votes".'
        )
    if not len(vote):
        raise ValueError("the vote has no voters, so there is nothing to bound.")
    known = np.isin(labels, model.classes_)
    codes = np.full(len(labels), -1, dtype=np.intp)
    codes[known] = np.searchsorted(model.classes_, labels[known])
    wrong = float((model._answers(scores) != labels).mean())
    return _certificate(vote, table, codes, wrong, delta)


def _certificate(
    vote: Vote, X: Any, codes: np.ndarray, wrong: float, delta: float
) -> VoteCertificate:
    """From validated rows, positions of their classes (-1: unknown) and the error of the vote."""
    present, groups = np.unique(vote.view_of_term, return_inverse=True)
    weights = np.array([_spread(term.leaf_scores) for term in vote.terms()])
    if not weights.any():
        raise ValueError("all voters have weight zero, so there is nothing to bound.")
    totals = np.bincount(groups, weights)
    means = np.zeros((len(codes), len(present)))
    said = np.zeros((len(present), len(codes), vote.n_classes))
    for t, added in enumerate(vote.term_scores(X)):
        said[groups[t]] += added
        if weights[t] > 0.0:
            share = weights[t] / totals[groups[t]]
            means[:, groups[t]] += share * _losses(added, codes, weights[t])
    shares, n, spoken = totals / totals.sum(), len(codes), totals > 0.0
    n_views = len(vote.views) + int(ALL_VIEWS in present)
    between, within = two_level_divergence(weights, groups, n_views)
    loss = means @ shares
    risk = float(loss.mean())
    disagreement = float(2.0 * (loss * (1.0 - loss)).mean())
    kl = between + within
    upper = gibbs_risk_bound(risk, n, kl, delta / 2)
    lower = disagreement_bound(disagreement, n, kl, delta / 2)
    pairs = means.T @ (1.0 - means) / n
    return VoteCertificate(
        names=tuple("all views" if j == ALL_VIEWS else vote.views.names[j] for j in present),
        view_weights=shares,
        n_voters=np.bincount(groups),
        n_rows=n,
        delta=delta,
        view_risks=np.where(spoken, means.mean(axis=0), np.nan),
        expected_disagreement=np.where(np.outer(spoken, spoken), pairs + pairs.T, np.nan),
        vote_disagreement=_differing(said),
        gibbs_risk=risk,
        disagreement=disagreement,
        divergence_between=between,
        divergence_within=within,
        gibbs_bound=gibbs_risk_bound(risk, n, kl, delta),
        c_bound=c_bound(upper, lower),
        error=wrong,
        error_bound=binary_kl_inverse(wrong, -math.log(delta) / n),
    )


def _spread(leaf_scores: np.ndarray) -> float:
    """Largest difference of the scores of one prediction, (n_answers, n_classes)."""
    return float(np.ptp(leaf_scores, axis=1).max())


def _losses(added: np.ndarray, codes: np.ndarray, spread: float) -> np.ndarray:
    """Loss of one term on each row, in [0, 1]; 1 for a class that was not in training."""
    rows, known = np.arange(len(codes)), codes >= 0
    others = added.copy()
    others[rows[known], codes[known]] = -np.inf
    margin = added[rows, codes] - others.max(axis=1)
    return np.where(known, 0.5 - 0.5 * np.clip(margin / spread, -1.0, 1.0), 1.0)


def _differing(said: np.ndarray) -> np.ndarray:
    """Share of the rows on which two views differ, from scores (n_views, n, n_classes)."""
    answers, speaks = said.argmax(axis=2), np.asarray(said.any(axis=2))
    both = (speaks[:, None] & speaks[None]).sum(axis=2)
    differ = (answers[:, None] != answers[None]) & speaks[:, None] & speaks[None]
    with np.errstate(invalid="ignore"):
        return np.asarray(differ.sum(axis=2) / np.where(both > 0, both, np.nan))
