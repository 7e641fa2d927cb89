"""What weights cost: the penalties.

A penalty is a sum over blocks of one classifier's weights. The block decides what becomes zero
together: nothing (squared lengths), single weights (l1), or a whole classifier (group). The last
two may have a share of squared lengths in addition to their norms (elastic nets), and may cost more
for one classifier than for another. A constraint says which weights are allowed at all.

``@named(PENALTIES, name)`` makes a class known everywhere by its name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Real
from typing import Any

import numpy as np

from uneven.stacking.model import named
from uneven.stacking.model.constraints import CONSTRAINTS, Constraint, Free, Simplex
from uneven.utils.registry import Registry


class Penalty(ABC):
    """A penalty on ``coef`` of shape (n_members, width).

    Attributes
    ----------
    ridge : float
        Factor on the squared weights in it.
    constraint : Constraint
        Weights that are allowed.
    prices : ndarray of shape (n_members,), or None
        What the norms of each classifier are multiplied by; None is 1.
    """

    name: str
    sparse: bool
    ridge: float
    constraint: Constraint
    prices: np.ndarray | None = None

    @property
    def plain(self) -> bool:
        """Whether it is a norm, or the squared weights, alone, of any weights."""
        simple = not self.sparse or self.ridge == 0.0
        return simple and self.prices is None and isinstance(self.constraint, Free)

    @abstractmethod
    def value(self, coef: np.ndarray) -> float:
        """The penalty of these weights, without its strength."""

    @abstractmethod
    def in_units(self, scale: float, strength: float) -> tuple[Penalty, float]:
        """The same cost, as penalty and strength, of weights that are ``scale`` times as large."""

    @abstractmethod
    def prox(self, coef: np.ndarray, step: float) -> np.ndarray:
        """Minimiser over allowed w of ``step * value(w) + |w - coef|^2 / 2``."""

    @abstractmethod
    def block(self, shape: tuple[int, ...]) -> int:
        """How many neighbouring weights become zero together; 0 if none do."""

    def block_prices(self, coef: np.ndarray) -> np.ndarray:
        """What the length of every block is multiplied by."""
        n_blocks = coef.size // (self.block(coef.shape) or 1)
        if self.prices is None:
            return np.ones(n_blocks)
        return self.prices.repeat(n_blocks // len(self.prices))

    @abstractmethod
    def largest(self, pull: np.ndarray) -> float:
        """Strength from which on a gradient at zero weights moves no weight, or hardly any."""

    @abstractmethod
    def dual(
        self, pull: np.ndarray, gain: float, cost: float, strength: float, reach: float
    ) -> float:
        """Largest lower bound on the objective from multipliers of the scores.

        Multipliers times s give the bound ``s gain - s^2 cost - conjugate(s pull)`` for every s
        that the conjugate of the penalty allows. Where it allows none but a tiny one, because the
        strength is tiny, another bound holds for all weights within reach: s = 1, and what the
        pull exceeds the strength by is charged at the reach.

        Parameters
        ----------
        pull : ndarray of shape (n_members, width)
            Gradient of the loss in the weights that belongs to the multipliers.
        gain, cost : float
            Linear and quadratic part of the conjugate of the loss.
        strength : float
        reach : float
            Length of a block of weights beyond which is not searched.
        """


PENALTIES: Registry[type[Penalty]] = Registry("penalty")
"""The penalties by their names."""


def check_elastic(elastic: Any) -> None:
    """Refuse what is no factor on squared weights."""
    is_number = isinstance(elastic, Real) and not isinstance(elastic, bool)
    if not is_number or not 0.0 <= float(elastic) < np.inf:
        raise ValueError(f"elastic must be a finite number, 0 or more; got {elastic!r}.")


def check_prices(prices: Any, n_members: int, called: str = "prices") -> np.ndarray | None:
    """Refuse costs of classifiers that are not one positive number each; None stays None.

    Examples
    --------
    >>> check_prices([1, 3], 2)
    array([1., 3.])
    """
    if prices is None:
        return None
    found = np.asarray(prices, dtype=np.float64)
    if found.shape != (n_members,) or not np.isfinite(found).all() or (found <= 0.0).any():
        raise ValueError(
            f"{called} must be {n_members} finite numbers above 0, one per classifier; got "
            f"{prices!r}."
        )
    return found


def make_penalty(
    name: str, elastic: float = 0.0, constraint: str = "none", prices: np.ndarray | None = None
) -> Penalty:
    """The penalty of that name on the weights that a constraint allows.

    Parameters
    ----------
    name : str
    elastic : float, default=0.0
        How much of the squared weights to add to norms.
    constraint : str, default="none"
    prices : ndarray of shape (n_members,), optional
        Of the norms of each classifier.

    Examples
    --------
    >>> make_penalty("group", 0.5).ridge
    0.5
    """
    check_elastic(elastic)
    kind, allowed = PENALTIES[name], CONSTRAINTS[constraint]()
    sparse = " or ".join(repr(word) for word, other in PENALTIES.items() if other.sparse)
    if prices is not None and not kind.sparse:
        raise ValueError(
            f"prices are for penalties that drop classifiers, {sparse}; penalty={name!r} keeps all."
        )
    if issubclass(kind, SparsePenalty):
        if isinstance(allowed, Simplex):
            raise ValueError(
                f"constraint='simplex' fixes the sum of the weights, so that penalty={name!r} has "
                "nothing to shorten: use penalty='l2', or constraint='nonneg'."
            )
        return kind(float(elastic), allowed, prices)
    if elastic:
        raise ValueError(
            f"elastic={elastic!r} adds squared weights to penalty={sparse}; "
            f"penalty={name!r} consists of them: leave elastic=0."
        )
    return kind(constraint=allowed)  # type: ignore[call-arg]


@named(PENALTIES, "l2")
class SquaredL2(Penalty):
    """l2: the sum of the squared weights.

    Examples
    --------
    >>> import numpy as np
    >>> SquaredL2().prox(np.array([[3.0, 6.0]]), 1.0)
    array([[1., 2.]])
    """

    sparse = False
    ridge = 1.0

    def __init__(self, constraint: Constraint | None = None) -> None:
        self.constraint = constraint or Free()

    def value(self, coef: np.ndarray) -> float:
        """``sum w^2``."""
        return float(np.vdot(coef, coef))

    def in_units(self, scale: float, strength: float) -> tuple[Penalty, float]:
        """Squares cost ``strength / scale^2``."""
        return self, strength / scale**2

    def prox(self, coef: np.ndarray, step: float) -> np.ndarray:
        """``w / (1 + 2 step)``, or what is allowed and nearest to it."""
        return self.constraint.nearest(coef / (1.0 + 2.0 * step))

    def block(self, shape: tuple[int, ...]) -> int:
        """Nothing becomes zero."""
        return 0

    def largest(self, pull: np.ndarray) -> float:
        """Weights are then no longer than one half, but never zero."""
        return float(np.linalg.norm(self.constraint.inward(pull)))

    def dual(
        self, pull: np.ndarray, gain: float, cost: float, strength: float, reach: float
    ) -> float:
        """The conjugate is ``|pull|^2 / (4 strength)``, of what can move allowed weights."""
        if isinstance(self.constraint, Simplex):
            least = self.constraint.nearest(-pull / (2.0 * strength))
            return gain - cost + float(np.vdot(pull + strength * least, least))
        pull = self.constraint.inward(pull)
        return _best_scale(gain, cost + float(np.vdot(pull, pull)) / (4.0 * strength), 1.0)


class SparsePenalty(Penalty):
    """Norms of blocks, and a share of squared weights.

    Parameters
    ----------
    ridge : float, default=0
        Factor on the squared weights. With some of it, classifiers with nearly the same scores are
        kept together and share the weight.
    constraint : Constraint, optional
        Any weights are allowed by default.
    prices : ndarray of shape (n_members,), optional
    """

    sparse = True

    def __init__(
        self,
        ridge: float = 0.0,
        constraint: Constraint | None = None,
        prices: np.ndarray | None = None,
    ) -> None:
        self.ridge, self.constraint, self.prices = ridge, constraint or Free(), prices

    def _lengths(self, coef: np.ndarray) -> np.ndarray:
        """Length of every block."""
        return np.linalg.norm(coef.reshape(-1, self.block(coef.shape)), axis=1)

    def largest(self, pull: np.ndarray) -> float:
        """Largest length of a block, in units of its cost."""
        pull = self.constraint.inward(pull)
        return float((self._lengths(pull) / self.block_prices(pull)).max(initial=0.0))

    def value(self, coef: np.ndarray) -> float:
        """``sum_g price_g |w_g| + ridge sum w^2``."""
        norms = float(self.block_prices(coef) @ self._lengths(coef))
        return norms + self.ridge * float(np.vdot(coef, coef))

    def in_units(self, scale: float, strength: float) -> tuple[Penalty, float]:
        """Norms cost ``strength / scale``, and their share of squares that once more."""
        return type(self)(self.ridge / scale, self.constraint, self.prices), strength / scale

    def prox(self, coef: np.ndarray, step: float) -> np.ndarray:
        """Shorten every block by the step, not beyond zero, and scale the rest down."""
        coef = self.constraint.nearest(coef)
        lengths, steps = self._lengths(coef), step * self.block_prices(coef)
        longer = lengths > steps
        factor = np.where(longer, 1.0 - steps / np.where(longer, lengths, 1.0), 0.0)
        factor /= 1.0 + 2.0 * step * self.ridge
        return coef * factor.repeat(coef.size // len(factor)).reshape(coef.shape)

    def dual(
        self, pull: np.ndarray, gain: float, cost: float, strength: float, reach: float
    ) -> float:
        """Finite where no block of the pull is longer than the strength, or with a ridge."""
        pull = self.constraint.inward(pull)
        lengths, prices = self._lengths(pull), self.block_prices(pull)
        largest = self.largest(pull)
        scaled = _best_scale(gain, cost, 1.0 if largest <= strength else strength / largest)
        excess = np.maximum(lengths - strength * prices, 0.0)
        charge = reach * float(excess.sum())
        if self.ridge > 0.0:
            charge = min(charge, float(excess @ excess) / (4.0 * strength * self.ridge))
        return max(scaled, gain - cost - charge)


@named(PENALTIES, "l1")
class L1(SparsePenalty):
    """l1: the sum of the absolute weights; single weights become zero.

    Examples
    --------
    >>> import numpy as np
    >>> L1().prox(np.array([[3.0, 0.5]]), 1.0)
    array([[2., 0.]])
    """

    def block(self, shape: tuple[int, ...]) -> int:
        """Every weight is a block."""
        return 1


@named(PENALTIES, "group")
class GroupL2(SparsePenalty):
    """l1-l2: the sum over classifiers of the length of their weights; whole rows become zero.

    With one weight per classifier this is l1.

    Examples
    --------
    >>> import numpy as np
    >>> GroupL2().prox(np.array([[3.0, 4.0], [0.3, 0.4]]), 1.0)
    array([[2.4, 3.2],
           [0. , 0. ]])
    """

    def block(self, shape: tuple[int, ...]) -> int:
        """The whole row."""
        return shape[1]


@named(PENALTIES, "l2_unsquared")
class UnsquaredL2(SparsePenalty):
    """Unsquared l2: the length of all weights together, which become zero together or not at all.

    Examples
    --------
    >>> import numpy as np
    >>> UnsquaredL2().prox(np.array([[3.0], [4.0]]), 1.0)
    array([[2.4],
           [3.2]])
    """

    sparse = False

    def block(self, shape: tuple[int, ...]) -> int:
        """All weights."""
        return shape[0] * shape[1]


def _best_scale(gain: float, cost: float, limit: float) -> float:
    """Maximum of ``s gain - s^2 cost`` over s from 0 to the limit."""
    best = limit if cost <= 0.0 else min(limit, max(0.0, gain / (2.0 * cost)))
    return best * gain - best * best * cost
