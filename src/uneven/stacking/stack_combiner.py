"""From level-1 scores to a combination: weights, members that are kept, probabilities."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from uneven.stacking.kernel.choice import choose_kernel_parameters
from uneven.stacking.kernel.combiner import fit_kernel_combiner
from uneven.stacking.links import fit_link, link_probabilities
from uneven.stacking.model.penalties import check_prices
from uneven.stacking.model.problem import check_level_one
from uneven.stacking.pooled import PooledCombiner, fit_member_pool, give_probabilities
from uneven.stacking.solvers.selection import (
    Limits,
    Selection,
    select_then_refit,
    select_within,
)
from uneven.stacking.solvers.solve import check_strengths, strength_grid
from uneven.stacking.stack_options import CONSTRAINED, OPTIONS, check_together, elastic_of
from uneven.utils.docstrings import described
from uneven.utils.parameters import check_choice, check_parameters, store_parameters

_POSED = ("combination", "loss", "penalty", "elastic", "constraint", "solver", "tol")
_DEAREST, _AROUND = 16.0, 30.0


@described(OPTIONS)
class StackCombiner(BaseEstimator):
    """Learn a combination of the scores of many classifiers that are fitted already.

    Minimises ``mean_i loss(r(x_i), y_i) + strength * R(w)`` over the weights ``w`` of a linear
    combination ``r`` of the scores, with a strength chosen by cross-validation. Members whose
    weights are all zero are dropped. Predictions come from the geometric mean of the probabilities
    of ``r`` and of a log-linear pool of the members that are left.

    Parameters
    ----------
    {parameters}
    random_state : int, RandomState or None, default=None
        Deals the rows to the folds.
    n_jobs : int or None, default=None
        Folds that are solved at the same time, in threads.

    Attributes
    ----------
    selected_mask_ : ndarray of bool, shape (n_members,)
    combiner_ : LinearCombiner, PooledCombiner or KernelCombiner
        Joins the scores of the kept members.
    coef_ : ndarray of shape (n_members, width)
        Weights of all members; zero for those that were dropped. Not with a kernel.
    intercept_ : ndarray of shape (n_classes,) or (0,)
        Only "lsg" has any. Not with a kernel.
    combination_ : str
    strength_ : float
    cv_results_ : dict of str to ndarray of shape (n_strengths,)
        ``strength``, ``mean_error``, ``std_error``, ``mean_loss`` and ``n_selected``.
    floor_, temperature_ : float or None, float
        How scores become probabilities; see :func:`uneven.stacking.links.link_probabilities`. With
        a log-linear pool, scores are logarithms of probabilities: None and 1.
    options_ : dict of str to object
        How the combination was fitted and evaluated. Not with a kernel.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(3, size=200)
    >>> P = rng.dirichlet(np.ones(3), (200, 6))
    >>> P[:, :2] = 0.5 * P[:, :2] + 0.5 * np.eye(3)[y][:, None]
    >>> found = StackCombiner(random_state=0).fit(P, y)
    >>> found.predict_proba(P[:1]).argmax() == y[0], found.selected_mask_[:2].all()
    (np.True_, np.True_)
    """

    _parameters: ClassVar = CONSTRAINED

    def __init__(
        self,
        *,
        combination: str = "cws",
        loss: str = "squared",
        penalty: str = "group",
        elastic: float | None = None,
        constraint: str = "none",
        strength: float | str = "cv",
        strengths: Any = None,
        judge: str = "loss",
        inner_cv: Any = 5,
        tie: str = "largest",
        slack: float = 0.5,
        select_then_refit: bool = False,
        member_cost: Any = None,
        max_members: int | None = None,
        time_budget: float | None = None,
        log_pool: bool | None = None,
        kernel: str | None = None,
        gamma: float | None = None,
        degree: int | None = None,
        solver: str = "auto",
        tol: float = 1e-5,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        store_parameters(self, locals())

    def fit(self, P: Any, y: Any, share: Any = None, seconds: Any = None) -> Self:
        """Learn the combination from scores of rows that the members did not learn from.

        Parameters
        ----------
        P : array-like of shape (n_samples, n_members, n_classes)
        y : array-like of int, shape (n_samples,)
            Positions of the classes.
        share : array-like of shape (n_samples,), optional
            Weights of the rows.
        seconds : array-like of shape (n_members,), optional
            Time that each member takes to predict 1000 rows; for ``member_cost="time"`` and
            ``time_budget``.

        Returns
        -------
        self : object
        """
        check_parameters(self)
        check_together(self)
        P, y, share = check_level_one(P, y, share)
        found = self._select(P, y, share, seconds)
        self.selected_mask_, self.combiner_ = found.mask, found.combiner
        self.combination_, self.strength_ = found.choice.combination, found.choice.strength
        self.cv_results_ = found.choice.results()
        if found.refit is not None:
            self.refit_strength_ = found.refit.strength
            self.refit_cv_results_ = found.refit.results()
        if found.coef is not None:
            self.coef_, self.intercept_ = found.coef, found.combiner.intercept
        self.floor_, self.temperature_ = None, 1.0
        self.class_prior_ = np.bincount(y, share, P.shape[2])
        if found.mask.any():
            self.floor_, self.temperature_ = fit_link(found.held_out, y, share)
            if self._is_pooled(P):
                self._add_pool(P, y, share)
            return self
        warnings.warn(
            f"the strength {self.strength_:g} leaves no member: every row gets the class "
            "frequencies. Lower the strength.",
            stacklevel=5,
        )
        return self

    def _is_pooled(self, P: np.ndarray) -> bool:
        """Whether a log-linear pool of the kept members is requested, and possible."""
        by_default = self.loss == "squared" and self.kernel is None
        if not (by_default if self.log_pool is None else self.log_pool):
            return False
        odd = np.flatnonzero(self.selected_mask_ & ~give_probabilities(P))
        if self.log_pool and odd.size:
            raise ValueError(
                f"log_pool=True needs probabilities, but the scores of member {odd[0]} (of "
                f"{len(self.selected_mask_)}) are none. Ask it for predict_proba, or leave "
                "log_pool out."
            )
        return not odd.size

    def _add_pool(self, P: np.ndarray, y: np.ndarray, share: np.ndarray) -> None:
        """Join the weighted sum with a log-linear pool of the same members."""
        rng = check_random_state(0 if self.random_state is None else self.random_state)
        pool = fit_member_pool(P, self.selected_mask_, y, share, rng)
        self.combiner_ = PooledCombiner(self.combiner_, self.floor_, self.temperature_, pool)
        self.floor_, self.temperature_ = None, 1.0

    def scores(self, P: Any) -> np.ndarray:
        """Combined scores of new rows.

        Parameters
        ----------
        P : array-like of shape (n_samples, n_members, n_classes)
            Of all members; those that were dropped are not looked at.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self, "combiner_")
        if not self.selected_mask_.any():
            with np.errstate(divide="ignore"):
                return np.tile(np.log(self.class_prior_), (len(P), 1))
        kept = np.ascontiguousarray(np.asarray(P, dtype=np.float64)[:, self.selected_mask_])
        return np.asarray(self.combiner_.scores(kept))

    def predict_proba(self, P: Any) -> np.ndarray:
        """Probabilities of the classes of new rows.

        Parameters
        ----------
        P : array-like of shape (n_samples, n_members, n_classes)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return link_probabilities(self.scores(P), self.floor_, self.temperature_)

    def _select(self, P: np.ndarray, y: np.ndarray, share: np.ndarray, seconds: Any) -> Selection:
        rng = check_random_state(0 if self.random_state is None else self.random_state)
        judging = {
            "cv": self.inner_cv,
            "random_state": int(rng.randint(2**31 - 1)),
            "n_jobs": self.n_jobs,
        }
        every = grid = None if self.strengths is None else check_strengths(self.strengths)
        if not isinstance(self.strength, str):
            grid = np.array([float(self.strength)])
            every = strength_grid(_AROUND * grid[0]) if every is None else every
        if self.kernel is not None:
            return self._select_kernel(P, y, share, grid, judging)
        options = {name: getattr(self, name) for name in _POSED} | judging
        options["elastic"] = elastic_of(self)
        options |= {"judge": self.judge, "tie": self.tie, "slack": self.slack}
        options["prices"] = self._prices(seconds, P.shape[1])
        if self.select_then_refit:
            found = select_then_refit(P, y, grid, share=share, **options)
        else:
            limits = Limits(self.max_members, self.time_budget, self._seconds(seconds, P.shape[1]))
            found = select_within(P, y, grid, limits=limits, share=share, **options)
        self.options_ = options | {
            "combination": found.choice.combination,
            "strengths": np.union1d(
                found.choice.strengths if every is None else every, found.choice.strength
            ),
        }
        return found

    def _select_kernel(
        self, P: np.ndarray, y: np.ndarray, share: np.ndarray, grid: Any, judging: dict[str, Any]
    ) -> Selection:
        choice = choose_kernel_parameters(
            P,
            y,
            combination=self.combination,
            kernel=self.kernel,
            strengths=grid,
            gammas=None if self.gamma is None else [self.gamma],
            degrees=None if self.degree is None else [self.degree],
            share=share,
            loss=self.loss,
            **judging,
        )
        self.gamma_, self.degree_ = choice.gamma, choice.degree
        combiner = fit_kernel_combiner(P, y, loss=self.loss, share=share, **choice.options)
        return Selection(np.ones(P.shape[1], dtype=bool), combiner, None, choice)

    def _seconds(self, seconds: Any, n_members: int) -> np.ndarray | None:
        """Time of every member, if it matters."""
        timed = isinstance(self.member_cost, str)
        if timed:
            check_choice("member_cost", self.member_cost, ("time",))
        if not timed and self.time_budget is None:
            return None
        found = np.asarray([] if seconds is None else seconds, dtype=np.float64)
        if found.shape != (n_members,) or not np.isfinite(found).all() or (found < 0.0).any():
            raise ValueError(
                f"member_cost='time' and time_budget need the seconds of {n_members} members, "
                f"each at least 0; got {seconds!r}."
            )
        return found

    def _prices(self, seconds: Any, n_members: int) -> Any:
        """What the weights of every member cost; None is 1."""
        if not isinstance(self.member_cost, str):
            return check_prices(self.member_cost, n_members, called="member_cost")
        found = np.asarray(self._seconds(seconds, n_members))
        middle = float(np.median(found)) or 1.0
        size = np.clip(found / middle, 1.0 / _DEAREST, _DEAREST)
        return np.exp2(np.round(np.log2(np.sqrt(size))))

    @classmethod
    def _test_instances(cls) -> list[Any]:
        """None: scikit-learn's checks give tables, scores of members have three axes."""
        return []
