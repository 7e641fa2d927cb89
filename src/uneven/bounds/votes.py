"""What theory promises about confusion matrices and votes."""

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import bisect
from scipy.special import gammaln, logsumexp, rel_entr, xlogy

from uneven.bounds.arguments import check_numbers

_EXACT_XI_LIMIT = 10_000


def confusion_generalisation_bound(
    empirical_norm: float, class_counts: ArrayLike, delta: float = 0.05
) -> float:
    """Bound the norm of the true error matrix of a classifier by that of its sample.

    With probability at least 1 - delta over samples with these class counts,
    ``norm <= empirical_norm + sqrt(2 K sum_k(1 / m_k) ln(K / delta))``.

    Parameters
    ----------
    empirical_norm : float
        Operator norm of the error matrix on the sample.
    class_counts : array-like of shape (K,)
        Examples of each class, all at least 1.
    delta : float, default=0.05
        Allowed probability of failure, in (0, 1).

    Notes
    -----
    Holds for a classifier that was not chosen on this sample: use held-out rows.

    References
    ----------
    Koço and Capponi (2013), On multi-class learning through the minimization of the
    confusion matrix norm.

    Examples
    --------
    >>> round(confusion_generalisation_bound(0.1, [1000, 500, 200]), 6)
    0.543315
    """
    counts = _counts(class_counts)
    check_numbers(empirical_norm=empirical_norm, delta=delta)
    k = len(counts)
    return empirical_norm + math.sqrt(2 * k * (1 / counts).sum() * math.log(k / delta))


def gibbs_confusion_bound(
    empirical_norm: float,
    class_counts: ArrayLike,
    divergence: float,
    delta: float = 0.05,
    *,
    form: Literal["published", "fine"] = "published",
) -> float:
    """Bound the norm of the true error matrix of a Gibbs classifier (PAC-Bayes).

    Parameters
    ----------
    empirical_norm : float
        Operator norm of the Gibbs error matrix on the sample (see
        `uneven.metrics.gibbs_error_matrix`).
    class_counts : array-like of shape (K,)
        Examples of each class, all at least 1.
    divergence : float
        KL divergence of the vote from the prior (see `vote_divergence`).
    delta : float, default=0.05
        Allowed probability of failure, in (0, 1).
    form : {"published", "fine"}, default="published"
        "published" uses the smallest class m only:
        ``sqrt(8K / (m - 8K) (KL + ln(m / (4 delta))))`` is added to the norm. "fine" uses all
        classes: with ``s = 8 sum_k 1 / m_k`` it adds ``sqrt(s / (1 - s) (KL + ln(2K /
        (s delta))))``, never more than the published form.

    Returns
    -------
    float
        ``inf`` where the formula has no value (m <= 8K, or s >= 1 for the fine form).

    Notes
    -----
    The source asks for more than 8 examples per class; its formula needs more than 8K in the
    smallest one. The proof bounds the deviation of one example by 1 / m where sqrt(2) / m can
    occur, so a cautious reader doubles the 8. A prior that was chosen on the sample, such as the
    pool of voters that boosting grew on it, makes the value indicative only.

    References
    ----------
    Koço (2013), doctoral thesis, Aix-Marseille. Morvant, Koço and Ralaivola (2012), PAC-Bayesian
    generalization bound on confusion matrix for multi-class classification.

    Examples
    --------
    >>> round(gibbs_confusion_bound(0.0, [1000, 1000, 1000], divergence=0.5), 6)
    0.470887
    >>> gibbs_confusion_bound(0.0, [20, 1000, 1000], divergence=0.5)
    inf
    """
    counts = _counts(class_counts)
    check_numbers(empirical_norm=empirical_norm, divergence=divergence, delta=delta)
    k = len(counts)
    if form == "published":
        spread = 8 * k / counts.min()
    elif form == "fine":
        spread = 8 * (1 / counts).sum()
    else:
        raise ValueError(f"form={form!r} is unknown; choose 'published' or 'fine'.")
    if spread >= 1:
        return math.inf
    complexity = divergence + math.log(2 * k / (spread * delta))
    return empirical_norm + math.sqrt(spread / (1 - spread) * complexity)


def majority_vote_bound(gibbs_norm: float, n_classes: int) -> float:
    """Bound the norm of a majority vote by that of its Gibbs classifier: K times.

    A class that wins the vote holds at least 1/K of it, so each entry of the error matrix of the
    vote is at most K times that of the Gibbs classifier, on any sample and in truth.

    Parameters
    ----------
    gibbs_norm : float
        Norm of the Gibbs error matrix, or a bound of it.
    n_classes : int
        Number of classes K.

    Examples
    --------
    >>> majority_vote_bound(0.25, 3)
    0.75
    """
    check_numbers(gibbs_norm=gibbs_norm)
    return _class_number(n_classes) * gibbs_norm


def risk_from_confusion(errors: ArrayLike, class_prior: ArrayLike) -> float:
    """Return the risk that an error matrix means under given class frequencies.

    Parameters
    ----------
    errors : array-like of shape (K, K)
        Row-normalised errors with a zero diagonal.
    class_prior : array-like of shape (K,)
        Frequencies of the classes, which sum to 1.

    Returns
    -------
    float
        The prior-weighted mean of the row sums. (The conference paper leaves the prior out.)

    Examples
    --------
    >>> risk_from_confusion([[0, 0.25], [0.5, 0]], [0.75, 0.25])
    0.3125
    """
    matrix = np.asarray(errors, dtype=np.float64)
    prior = _prior(class_prior)
    if matrix.shape != (len(prior), len(prior)):
        raise ValueError(
            f"errors has shape {matrix.shape}, class_prior {len(prior)} classes: they must agree."
        )
    if np.diag(matrix).any():
        raise ValueError("errors has recalls on its diagonal; pass uneven.metrics.error_matrix.")
    return float(prior @ matrix.sum(axis=1))


def risk_bound(
    norm: float, n_classes: int | None = None, *, class_prior: ArrayLike | None = None
) -> float:
    """Bound the risk of a classifier by the operator norm of its error matrix.

    ``risk <= |p|_2 sqrt(K) norm <= sqrt(K) norm`` for class frequencies p. The product of ``|p|_2``
    and sqrt(K) is 1 for equal classes and grows with the imbalance.

    Parameters
    ----------
    norm : float
        Operator norm of the error matrix, or a bound of it.
    n_classes : int, optional
        Number of classes K; needed if ``class_prior`` is not given.
    class_prior : array-like of shape (K,), optional
        Frequencies of the classes; gives the sharper of the two bounds.

    Examples
    --------
    >>> risk_bound(0.1, n_classes=4)
    0.2
    >>> risk_bound(0.1, class_prior=[0.25, 0.25, 0.25, 0.25])
    0.1
    """
    check_numbers(norm=norm)
    if class_prior is None:
        if n_classes is None:
            raise ValueError("risk_bound needs n_classes or class_prior to know K.")
        return math.sqrt(_class_number(n_classes)) * norm
    prior = _prior(class_prior)
    if n_classes is not None and n_classes != len(prior):
        raise ValueError(f"n_classes={n_classes} but class_prior has {len(prior)} values.")
    return float(np.linalg.norm(prior)) * math.sqrt(len(prior)) * norm


def vote_divergence(weights: ArrayLike, pool_size: int) -> float:
    """Return the KL divergence of a weighted vote from the uniform prior over its pool.

    Parameters
    ----------
    weights : array-like of shape (T,)
        Non-negative vote weights, one per *different* voter: add the weights of equal voters
        first. They need not sum to one.
    pool_size : int
        Number of voters that the prior spreads over; at least the number of positive weights.

    Returns
    -------
    float
        ``ln(pool_size)`` minus the entropy of the normalised weights, never negative.

    Examples
    --------
    >>> vote_divergence([2.0, 2.0], pool_size=2)
    0.0
    >>> round(vote_divergence([1.0], pool_size=100), 4)
    4.6052
    """
    votes = np.asarray(weights, dtype=np.float64)
    if votes.ndim != 1 or votes.size == 0:
        raise ValueError(f"weights has shape {votes.shape}; expected a non-empty 1-D array.")
    if not np.isfinite(votes).all() or (votes < 0).any() or not votes.any():
        raise ValueError("weights must be finite, not negative, and not all zero.")
    used = int(np.count_nonzero(votes))
    if pool_size < used:
        raise ValueError(
            f"pool_size={pool_size} is smaller than the {used} voters with a positive weight."
        )
    shares = votes / votes.sum()
    return max(0.0, math.log(pool_size) + float(xlogy(shares, shares).sum()))


def training_loss_bound(edges: ArrayLike, *, initial_loss: float = 1.0) -> NDArray[np.float64]:
    """Return the bound of the exponential loss after each boosting round.

    Each round multiplies the loss by at most ``sqrt(1 - edge ** 2)``, with equality for two
    classes.

    Parameters
    ----------
    edges : array-like of shape (T,)
        Edges of the rounds, in [-1, 1] (``history_["edge"]``).
    initial_loss : float, default=1.0
        Loss before the first round: K (K - 1) for CoMBo, m (K - 1) for AdaBoost.MM with m
        examples (the thesis omits the m).

    Examples
    --------
    >>> training_loss_bound([0.6, 0.8], initial_loss=6).round(6).tolist()
    [4.8, 2.88]
    """
    steps = _edges(edges)
    check_numbers(initial_loss=initial_loss)
    with np.errstate(divide="ignore"):
        return initial_loss * np.exp(0.5 * np.cumsum(np.log1p(-(steps**2))))


def margin_error_bound(edges: ArrayLike, margin: float, n_classes: int) -> NDArray[np.float64]:
    """Return the bound of the share of training rows with a small margin, after each round.

    The margin of a row is the score of its class minus the largest other one, divided by the sum
    of the vote weights: between -1 and 1. Round t multiplies the bound, which starts at K - 1, by
    ``(1 + edge) ** ((1 + margin) / 2) * (1 - edge) ** ((1 - margin) / 2)``. That is below 1 if the
    edge is at least twice the margin, so with such edges the share falls to 0.

    Parameters
    ----------
    edges : array-like of shape (T,)
        Edges of the rounds, in [-1, 1] (``history_["edge"]``).
    margin : float
        In [0, 1).
    n_classes : int

    Returns
    -------
    ndarray of shape (T,)
        Above 1 it is vacuous.

    Notes
    -----
    For votes that weigh each row alike, such as AdaBoost.MM and MuMBo with a learning rate of 1.
    Lemma 1 and Theorem 3 of the thesis; the lemma is printed with a further division by the number
    of rows, which does not follow from its proof.

    References
    ----------
    S. Koço (2013), *Tackling the uneven views problem with cooperation based ensemble learning
    methods*.

    Examples
    --------
    >>> margin_error_bound([0.6, 0.6, 0.6], margin=0.1, n_classes=2).round(3).tolist()
    [0.857, 0.735, 0.63]
    """
    steps = _edges(edges)
    check_numbers(margin=margin)
    if not 0 <= margin < 1:
        raise ValueError(f"margin must be at least 0 and below 1, got {margin}.")
    start = _class_number(n_classes) - 1
    with np.errstate(divide="ignore"):
        logs = (1 + margin) * np.log1p(steps) + (1 - margin) * np.log1p(-steps)
    return start * np.exp(0.5 * np.cumsum(logs))


def binary_kl(q: float, p: float) -> float:
    """Return the KL divergence between two coins, kl(q || p).

    Parameters
    ----------
    q, p : float
        Probabilities in [0, 1].

    Returns
    -------
    float
        ``inf`` if p excludes what q allows.

    Examples
    --------
    >>> round(binary_kl(0.1, 0.3), 6)
    0.116322
    >>> binary_kl(0.1, 0.0)
    inf
    """
    for name, value in (("q", q), ("p", p)):
        if not 0 <= value <= 1:
            raise ValueError(f"{name}={value} is no probability: it must lie in [0, 1].")
    return float(rel_entr(q, p) + rel_entr(1 - q, 1 - p))


def binary_kl_inverse(q: float, budget: float) -> float:
    """Return the largest p with ``kl(q || p) <= budget``, found by bisection.

    Parameters
    ----------
    q : float
        Probability in [0, 1].
    budget : float
        Allowed divergence, not negative.

    Returns
    -------
    float
        In [q, 1].

    Examples
    --------
    >>> round(binary_kl_inverse(0.0, 0.5), 6)
    0.393469
    """
    check_numbers(budget=budget)
    if binary_kl(q, 1.0) <= budget:
        return 1.0
    return float(bisect(lambda p: binary_kl(q, p) - budget, q, 1.0, xtol=1e-14, maxiter=200))


def gibbs_risk_bound(
    empirical_risk: float, n_samples: int, divergence: float = 0.0, delta: float = 0.05
) -> float:
    """Bound the true risk of a binary Gibbs classifier (PAC-Bayes with the binary kl).

    With probability at least 1 - delta, ``kl(empirical || true) <= (KL + ln(xi(m) / delta)) /
    m``; the true risk is bounded by inverting the left side.

    Parameters
    ----------
    empirical_risk : float
        Error rate of the Gibbs classifier on the sample, in [0, 1].
    n_samples : int
        Number of examples m.
    divergence : float, default=0.0
        KL divergence of the vote from a prior that was fixed before the sample was seen.
    delta : float, default=0.05
        Allowed probability of failure, in (0, 1).

    Returns
    -------
    float
        In [empirical_risk, 1].

    Notes
    -----
    xi(m) is the sum over k of C(m, k) (k/m)^k (1 - k/m)^(m - k): computed exactly for small
    samples and replaced by its upper bound 2 sqrt(m) for large ones.

    References
    ----------
    Maurer (2004), A note on the PAC Bayesian theorem. Germain, Lacasse, Laviolette and Marchand
    (2009), PAC-Bayesian learning of linear classifiers.

    Examples
    --------
    >>> round(gibbs_risk_bound(0.1, 1000, divergence=2.0), 4)
    0.1441
    """
    check_numbers(divergence=divergence, delta=delta)
    if n_samples < 1:
        raise ValueError(f"n_samples={n_samples}: the bound needs at least one example.")
    budget = (divergence + _log_xi(n_samples) - math.log(delta)) / n_samples
    return binary_kl_inverse(empirical_risk, budget)


def _log_xi(m: int) -> float:
    if m > _EXACT_XI_LIMIT:
        return math.log(2 * math.sqrt(m))
    k = np.arange(m + 1)
    choices = gammaln(m + 1) - gammaln(k + 1) - gammaln(m - k + 1)
    return float(logsumexp(choices + xlogy(k, k / m) + xlogy(m - k, 1 - k / m)))


def _counts(class_counts: ArrayLike) -> NDArray[np.float64]:
    counts = np.asarray(class_counts, dtype=np.float64)
    if counts.ndim != 1 or counts.size == 0:
        raise ValueError(f"class_counts has shape {counts.shape}; expected one count per class.")
    if not (np.isfinite(counts) & (counts >= 1)).all():
        bad = int(np.flatnonzero(~(np.isfinite(counts) & (counts >= 1)))[0])
        raise ValueError(
            f"class_counts holds {counts[bad]} for class {bad}: a class without examples cannot "
            "be bounded, leave it out."
        )
    return counts


def _prior(class_prior: ArrayLike) -> NDArray[np.float64]:
    prior = np.asarray(class_prior, dtype=np.float64)
    if prior.ndim != 1 or (prior < 0).any() or not math.isclose(prior.sum(), 1, abs_tol=1e-6):
        raise ValueError(
            f"class_prior={prior.tolist()} is no distribution: it must be non-negative and sum "
            "to 1."
        )
    return prior


def _edges(edges: ArrayLike) -> NDArray[np.float64]:
    steps = np.asarray(edges, dtype=np.float64)
    if steps.ndim != 1:
        raise ValueError(f"edges has shape {steps.shape}; expected one edge per round.")
    if not (np.abs(steps) <= 1).all():
        bad = int(np.flatnonzero(~(np.abs(steps) <= 1))[0])
        raise ValueError(f"edges holds {steps[bad]} in round {bad}: an edge lies in [-1, 1].")
    return steps


def _class_number(n_classes: int) -> int:
    if n_classes < 1:
        raise ValueError(f"n_classes={n_classes}: there must be at least one class.")
    return n_classes
