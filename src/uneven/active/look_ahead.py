"""Which label would leave the fewest errors, by one step of propagation for each possible label."""

from __future__ import annotations

import numpy as np
from scipy.special import log_ndtr, ndtr

from uneven.active.posterior import Products, shares
from uneven.active.registry import rule
from uneven.active.rules import balanced_votes
from uneven.active.state import QueryState

_SMALLEST = 1e-12


@rule("expected_error", "whose label is expected to leave the fewest errors; slower")
def expected_error(
    state: QueryState, *, candidates: int = 100, references: int = 300, answers: int = 3
) -> np.ndarray:
    """The row whose label is expected to leave the fewest errors on the pool.

    Parameters
    ----------
    state : QueryState
    candidates : int, default=100
        So many rows are looked at: half of them those with the most even votes, the others drawn.
    references : int, default=300
        Rows of the pool on which errors are expected. They are drawn, the same after as many
        labels.
    answers : int, default=3
        Number of the most probable labels of each row that are tried.

    Returns
    -------
    ndarray of shape (n_candidates,)
        Minus the expected share of errors; -inf for rows that were not looked at.

    Notes
    -----
    The expected errors of the vote are one minus its largest share. The effect of a label on
    the vote is one step of expectation propagation, which moves the mean and the variance of every
    other product by its covariance with that of the row; nothing is fitted.

    References
    ----------
    Roy and McCallum (2001), Toward optimal active learning through sampling estimation of error
    reduction. Minka (2001), A family of algorithms for approximate Bayesian inference.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from uneven import ActiveLearner
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = ActiveLearner(query="expected_error", random_state=0).start(X)
    >>> utilities = expected_error(learner.tell([0, 60, 120], y[[0, 60, 120]]).state())
    >>> int(np.isfinite(utilities).sum()), bool(utilities.max() > -1.0)
    (100, True)
    """
    utilities = np.full(len(state.candidates), -np.inf)
    rng = np.random.default_rng(len(state.labelled))
    few = shortlist(state, candidates, rng)
    judged = rng.choice(state.candidates, min(references, len(state.candidates)), replace=False)
    asked, judges = Products.of(state, state.candidates[few]), Products.of(state, judged)
    together = judges.covariances(state, asked)
    obeyed, refused = (_votes_after(judges, asked, together, sign) for sign in (1.0, -1.0))
    chances = shares(asked.votes())
    likely = np.argsort(-chances, axis=1, kind="stable")[:, :answers]
    weights = np.take_along_axis(chances, likely, axis=1)
    errors = np.column_stack(
        [_expected_errors(obeyed, refused, likely[:, j]) for j in range(likely.shape[1])]
    )
    utilities[few] = -(weights * errors).sum(axis=1) / weights.sum(axis=1)
    return utilities


def shortlist(state: QueryState, n: int, rng: np.random.Generator) -> np.ndarray:
    """Positions of candidates: half those of the most even votes, half any."""
    order = np.argsort(-balanced_votes(state), kind="stable")
    near, others = order[: (n + 1) // 2], order[(n + 1) // 2 :]
    drawn = rng.choice(others, min(n // 2, len(others)), replace=False)
    return np.concatenate([near, drawn])


def _votes_after(
    judges: Products, asked: Products, together: np.ndarray, sign: float
) -> np.ndarray:
    """Votes on the evaluation rows once each candidate is on a side of every problem.

    together: (n_problems, n_judges, n_asked), covariances. Returns the same shape.
    """
    spread = np.sqrt(asked.variances)
    z = sign * asked.means / spread
    lift = np.exp(-0.5 * z**2 - log_ndtr(z)) / np.sqrt(2.0 * np.pi)
    shrink = np.clip(lift * (lift + z), 0.0, 1.0)
    share = together / spread.T[:, None, :]
    means = judges.means.T[:, :, None] + share * (sign * lift).T[:, None, :]
    variances = judges.variances.T[:, :, None] - share**2 * shrink.T[:, None, :]
    return ndtr(means / np.sqrt(np.maximum(variances, _SMALLEST)))


def _expected_errors(obeyed: np.ndarray, refused: np.ndarray, answer: np.ndarray) -> np.ndarray:
    """Mean over the evaluation rows of one minus the largest share, for a label of each candidate.

    obeyed, refused: (n_problems, n_judges, n_asked), votes if the row belongs to the class of the
    problem, and if not; answer: int (n_asked,). Returns (n_asked,).
    """
    rows = np.arange(len(answer))
    if len(obeyed) == 1:
        votes = np.where(answer == 1, obeyed[0], refused[0])
        return 1.0 - np.maximum(votes, 1.0 - votes).mean(axis=0)
    new, old = obeyed[answer, :, rows].T, refused[answer, :, rows].T
    highest = np.sort(refused, axis=0)[-2:]
    others = np.where(old >= highest[1], highest[0], highest[1])
    total = refused.sum(axis=0) - old + new
    return 1.0 - (np.maximum(new, others) / np.maximum(total, _SMALLEST)).mean(axis=0)
