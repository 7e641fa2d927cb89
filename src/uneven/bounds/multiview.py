"""What theory promises about a vote of two levels: views, and the voters of each view.

A Gibbs classifier draws a view by the weights of the views, then a voter by its weight in the view.
`uneven.votes.certify` puts the numbers of a fitted vote into these formulas.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from uneven.bounds.arguments import check_numbers
from uneven.bounds.votes import gibbs_risk_bound, vote_divergence


def two_level_divergence(
    weights: ArrayLike, views: ArrayLike, n_views: int | None = None
) -> tuple[float, float]:
    """Return how far the weights of views and voters are from even ones.

    Parameters
    ----------
    weights : array-like of shape (T,)
        Non-negative weights of the voters; they need not sum to one.
    views : array-like of int, shape (T,)
        View of each voter.
    n_views : int, optional
        Views that the prior spreads over, with those that have no voter. By default those that
        have one.

    Returns
    -------
    between : float
        KL divergence of the weight shares of the views from the uniform prior over views.
    within : float
        Mean over the views, by their shares, of the KL divergence of the voters' weights from the
        uniform prior over the voters of the view. The sum of both is the divergence of the vote.

    References
    ----------
    Goyal, Morvant, Germain and Amini (2017), PAC-Bayesian analysis for a hierarchical multiview
    learning approach.

    Examples
    --------
    The first view has all its weight on one of two voters, and three quarters of the whole.

    >>> between, within = two_level_divergence([3.0, 0.0, 1.0], [0, 0, 1])
    >>> round(between, 4), round(within, 4)
    (0.1308, 0.5199)
    """
    votes, where = np.asarray(weights, dtype=np.float64), np.asarray(views)
    if votes.shape != where.shape or votes.ndim != 1:
        raise ValueError(
            f"weights has shape {votes.shape}, views {where.shape}; both need one value per voter."
        )
    names, groups = np.unique(where, return_inverse=True)
    if n_views is not None and n_views < len(names):
        raise ValueError(f"n_views={n_views} is smaller than the {len(names)} views with voters.")
    shares = np.bincount(groups, votes)
    between = vote_divergence(shares, n_views or len(names))
    shares = shares / shares.sum()
    own = [votes[groups == j] for j in range(len(names))]
    spoken = np.flatnonzero(shares > 0.0)
    within = sum(shares[j] * vote_divergence(own[j], len(own[j])) for j in spoken)
    return between, float(within)


def disagreement_bound(
    empirical_disagreement: float, n_samples: int, divergence: float = 0.0, delta: float = 0.05
) -> float:
    """Bound the true expected disagreement of two voters from below.

    Two voters are drawn independently, so the divergence from the prior counts twice.

    Parameters
    ----------
    empirical_disagreement : float
        Share of the sample on which exactly one of two drawn voters is right, in [0, 1].
    n_samples : int
        Number of examples.
    divergence : float, default=0.0
        KL divergence of the vote from a prior that was fixed before the sample was seen.
    delta : float, default=0.05
        Allowed probability of failure, in (0, 1).

    Returns
    -------
    float
        In [0, empirical_disagreement].

    Examples
    --------
    >>> round(disagreement_bound(0.3, 1000, divergence=1.0), 4)
    0.2421
    """
    return 1.0 - gibbs_risk_bound(1.0 - empirical_disagreement, n_samples, 2 * divergence, delta)


def c_bound(risk: float, disagreement: float) -> float:
    """Bound the risk of a majority vote by the risk and the disagreement of its voters.

    ``1 - (1 - 2 risk)^2 / (1 - 2 disagreement)``: of two votes with equally good voters, the one
    whose voters disagree more has the smaller bound. It is Cantelli's inequality for the share of
    voters that are wrong, which is at least one half where the vote is wrong.

    Parameters
    ----------
    risk : float
        Risk of the Gibbs classifier, or an upper bound of it.
    disagreement : float
        Probability that exactly one of two drawn voters is right, or a lower bound of it. With two
        classes this is the probability that they disagree.

    Returns
    -------
    float
        1 if the risk is one half or more: then the bound is vacuous.

    References
    ----------
    Lacasse, Laviolette, Marchand, Germain and Usunier (2006), PAC-Bayes bounds for the risk of the
    majority vote and the variance of the Gibbs classifier. Laviolette, Morvant, Ralaivola and Roy
    (2017), Risk upper bounds for general ensemble methods with an application to multiclass
    classification.

    Examples
    --------
    >>> round(c_bound(0.3, 0.4), 6)
    0.2
    >>> round(c_bound(0.3, 0.1), 6)
    0.8
    """
    check_numbers(risk=risk, disagreement=disagreement)
    if risk >= 0.5:
        return 1.0
    most = 2.0 * risk * (1.0 - risk)
    if disagreement > most and not math.isclose(disagreement, most, rel_tol=1e-9):
        raise ValueError(
            f"disagreement={disagreement}: voters of risk {risk} disagree on at most {most:.6g}."
        )
    return max(0.0, 1.0 - (1.0 - 2.0 * risk) ** 2 / (1.0 - 2.0 * min(disagreement, most)))
