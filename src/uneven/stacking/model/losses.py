"""What combined scores cost: the Crammer-Singer hinge, squared distance to targets, log-loss.

``@named(LOSSES, name)`` makes a class known everywhere by its name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.special import entr, softmax

from uneven.decisions.log_pool import softmax_loss
from uneven.stacking._loops import hinge_envelope, nearest_scores
from uneven.stacking.model import named
from uneven.utils.registry import Registry


@dataclass
class Envelope:
    """A smooth function of the scores near some scores.

    Attributes
    ----------
    value : float
    slope : ndarray of shape (n_samples, n_classes)
        Gradient.
    diagonal, spoke : ndarray of shape (n_samples, n_classes)
        Second derivative in row i: ``diag(diagonal[i]) - spoke[i] spoke[i]'``.
    """

    value: float
    slope: np.ndarray
    diagonal: np.ndarray
    spoke: np.ndarray


class Loss(ABC):
    """A loss of combined scores, bound to the labels.

    Parameters
    ----------
    y : ndarray of int, shape (n_samples,)
    n_classes : int
    share : ndarray of shape (n_samples,)
        How much every row counts; adds up to 1.
    target : {"01", "pm1"}, default="01"
        For losses that measure a distance from targets: the target of the wrong classes, 0 or -1.

    Attributes
    ----------
    bend : float or None
        Largest second derivative in a score of a row that counts 1; None if the loss is not smooth.
    of_logs : bool
        Whether what is combined are logarithms of probabilities, not the scores as they are.
    """

    name: str
    bend: float | None = None
    of_logs: bool = False

    def __init__(
        self, y: np.ndarray, n_classes: int, share: np.ndarray, target: str = "01"
    ) -> None:
        self.y, self.n_classes, self.share = y, n_classes, share

    @property
    def smooth(self) -> bool:
        """Whether the loss is its own envelope."""
        return self.bend is not None

    @abstractmethod
    def value(self, scores: np.ndarray) -> float:
        """Loss of scores of shape (n_samples, n_classes)."""

    @abstractmethod
    def envelope(self, scores: np.ndarray, softness: float) -> Envelope:
        """The loss, smoothed at this scale if it is not smooth."""

    @abstractmethod
    def prox(self, scores: np.ndarray, step: float) -> np.ndarray:
        """Minimiser over R of ``step * loss(R) / share + |R - scores|^2 / 2``, row by row."""

    @abstractmethod
    def conjugate(self, slope: np.ndarray) -> tuple[float, float]:
        """Linear and quadratic part of minus the conjugate at a multiple of these multipliers.

        The multipliers ``s * slope`` bound the loss from below by ``s * linear - s^2 * quadratic``
        plus their product with the scores.
        """


LOSSES: Registry[type[Loss]] = Registry("loss")
"""The losses by their names."""

_PROX_STEPS, _PROX_ERROR = 100, 1e-11


@named(LOSSES, "hinge")
class CrammerSingerHinge(Loss):
    """Hinge: by how much the best wrong class comes within 1 of the true one.

    Examples
    --------
    >>> import numpy as np
    >>> hinge = CrammerSingerHinge(np.array([0, 1]), 3, np.full(2, 0.5))
    >>> hinge.value(np.array([[2.0, 0.5, 1.5], [0.0, 3.0, 1.0]]))
    0.25
    """

    def value(self, scores: np.ndarray) -> float:
        """``sum_i share_i max(0, 1 - margin_i)``."""
        return float(self.share @ np.maximum(1.0 - self.margins(scores), 0.0))

    def margins(self, scores: np.ndarray) -> np.ndarray:
        """Score of the true class minus the best of the others, shape (n_samples,)."""
        rows = np.arange(len(scores))
        others = scores.copy()
        others[rows, self.y] = -np.inf
        return scores[rows, self.y] - others.max(axis=1)

    def envelope(self, scores: np.ndarray, softness: float) -> Envelope:
        """Moreau envelope: tied scores share their change, the others do not bend."""
        slope, diagonal, spoke = (np.empty_like(scores) for _ in range(3))
        value = hinge_envelope(scores, self.y, softness, self.share, slope, diagonal, spoke)
        return Envelope(value, slope, diagonal, spoke)

    def prox(self, scores: np.ndarray, step: float) -> np.ndarray:
        """Cap the wrong scores at one level and lift the true one."""
        nearest, inside = np.empty_like(scores), np.empty_like(scores)
        nearest_scores(scores, self.y, step, nearest, inside)
        return nearest

    def conjugate(self, slope: np.ndarray) -> tuple[float, float]:
        """``sum_i (mass that the multipliers put on wrong classes)``."""
        return float(-slope[np.arange(len(slope)), self.y].sum()), 0.0


def class_targets(y: np.ndarray, n_classes: int, target: str = "pm1") -> np.ndarray:
    """What the score of each class should be.

    Parameters
    ----------
    y : ndarray of int, shape (I,)
    n_classes : int
    target : {"pm1", "01"}, default="pm1"
        1 for the class of the row, and -1 or 0 for the others.

    Returns
    -------
    ndarray of shape (I, N)

    Examples
    --------
    >>> class_targets(np.array([0, 2]), 3).tolist()
    [[1.0, -1.0, -1.0], [-1.0, -1.0, 1.0]]
    """
    hits = np.asarray(y)[:, None] == np.arange(n_classes)
    return np.where(hits, 1.0, 0.0 if target == "01" else -1.0)


@named(LOSSES, "squared")
class SquaredLoss(Loss):
    """Least squares: squared distance of every score from its target.

    The source aims at -1 for the wrong classes. Without an intercept that is mis-specified: scores
    of a classifier add up to 1, these targets to ``2 - n_classes``; so the default is 0.

    Examples
    --------
    >>> import numpy as np
    >>> SquaredLoss(np.array([0]), 2, np.ones(1)).value(np.array([[0.5, 0.5]]))
    0.5
    """

    bend = 2.0

    def __init__(
        self, y: np.ndarray, n_classes: int, share: np.ndarray, target: str = "01"
    ) -> None:
        super().__init__(y, n_classes, share)
        self.targets = class_targets(y, n_classes, target)

    def value(self, scores: np.ndarray) -> float:
        """``sum_i share_i |scores_i - targets_i|^2``."""
        away = scores - self.targets
        return float(self.share @ np.einsum("in,in->i", away, away))

    def envelope(self, scores: np.ndarray, softness: float) -> Envelope:
        """The loss itself: it is smooth."""
        twice = np.repeat(2.0 * self.share[:, None], self.n_classes, axis=1)
        slope = (scores - self.targets) * twice
        return Envelope(self.value(scores), slope, twice, np.zeros_like(scores))

    def prox(self, scores: np.ndarray, step: float) -> np.ndarray:
        """Weighted mean of scores and targets."""
        return (scores + 2.0 * step * self.targets) / (1.0 + 2.0 * step)

    def conjugate(self, slope: np.ndarray) -> tuple[float, float]:
        """``-slope . targets`` and ``sum_i |slope_i|^2 / (4 share_i)``."""
        share = np.where(self.share > 0.0, self.share, 1.0)
        return -float(np.vdot(slope, self.targets)), float(
            ((slope * slope).sum(axis=1) / (4.0 * share)).sum()
        )


@named(LOSSES, "log")
class LogLoss(Loss):
    """Log-loss of the softmax of the scores: how surprising the true classes are.

    Combined are logarithms of probabilities. With one weight per classifier the result is the
    logarithmic opinion pool, ``p(n) ~ prod_m p_m(n) ** u[m]``.

    References
    ----------
    C. Genest and J. V. Zidek (1986), *Combining probability distributions: a critique and an
    annotated bibliography*.

    Examples
    --------
    >>> import numpy as np
    >>> round(LogLoss(np.array([0]), 2, np.ones(1)).value(np.zeros((1, 2))), 4)
    0.6931
    """

    bend = 1.0
    of_logs = True

    def value(self, scores: np.ndarray) -> float:
        """``-sum_i share_i log softmax(scores_i)[y_i]``."""
        return softmax_loss(scores, self.y, self.share)[0]

    def envelope(self, scores: np.ndarray, softness: float) -> Envelope:
        """The loss itself: it is smooth."""
        value, slope = softmax_loss(scores, self.y, self.share)
        shares = slope.copy()
        shares[np.arange(len(shares)), self.y] += self.share
        root = np.sqrt(np.where(self.share > 0.0, self.share, 1.0))
        return Envelope(value, slope, shares, shares / root[:, None])

    def prox(self, scores: np.ndarray, step: float) -> np.ndarray:
        """Newton's steps, row by row, each shortened where it would overshoot."""
        nearest, hits = scores.copy(), class_targets(self.y, self.n_classes, "01")
        for _ in range(_PROX_STEPS):
            chance = softmax(nearest, axis=1)
            slope = step * (chance - hits) + nearest - scores
            bend = 1.0 + step * chance
            along, moved = step * chance / bend, slope / bend
            inner = 1.0 - (chance * along).sum(axis=1, keepdims=True)
            moved += along * (chance * moved).sum(axis=1, keepdims=True) / inner
            nearest -= moved / (1.0 + np.abs(moved).max(axis=1, keepdims=True))
            if np.abs(slope).max() < _PROX_ERROR:
                break
        return nearest

    def conjugate(self, slope: np.ndarray) -> tuple[float, float]:
        """Entropy of the probabilities behind the multipliers; a bound for smaller multiples."""
        chance = slope / np.where(self.share > 0.0, self.share, 1.0)[:, None]
        chance[np.arange(len(slope)), self.y] += 1.0
        return float(self.share @ entr(np.maximum(chance, 0.0)).sum(axis=1)), 0.0
