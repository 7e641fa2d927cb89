"""Fitted members, and which of them the pool uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from uneven.decisions.log_pool import LogPool, bias_penalty_of, fit_log_pool
from uneven.decisions.rows import effective_mass, share_of_classes
from uneven.ensemble.shared_table import Model
from uneven.utils.estimators import deal_folds
from uneven.utils.model_types import check_columns, check_part, check_printable, persisted
from uneven.utils.parallel import ThreadPool
from uneven.views import resolve_views
from uneven.votes import ALL_VIEWS

_CLEARLY = 0.995

_ENOUGH_GAPS = 0.1
"""Share of the training rows that must lack a view to show how certain the pool may then be."""


@persisted("pooled_member", role="ensemble_member")
@dataclass
class PooledMember:
    """A fitted member.

    Attributes
    ----------
    name : str
    model : Model
    columns : ndarray of int, shape (n_columns,)
        What it reads.
    view : int
        Position of the view these columns are, or ``ALL_VIEWS``.
    """

    name: str
    model: Model
    columns: np.ndarray
    view: int = ALL_VIEWS

    def speaks_on(self, presence: np.ndarray) -> np.ndarray:
        """Rows that have what it reads, of those with these views (n_samples, n_views)."""
        return np.asarray(
            presence.any(axis=1) if self.view == ALL_VIEWS else presence[:, self.view]
        )

    def probabilities(self, X: Any, asked: np.ndarray, pool: ThreadPool) -> np.ndarray:
        """Its probabilities for the rows of a mask, NaN elsewhere, shape (n_samples, n_classes).

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (n_samples, n_features)
        asked : ndarray of bool, shape (n_samples,)
        pool : ThreadPool
        """
        able = np.flatnonzero(asked)
        table = X if len(able) == X.shape[0] else X[able]
        table = table if len(self.columns) == X.shape[1] else table[:, self.columns]
        said = self.model.probabilities(table, pool)
        if not np.isfinite(said).all():
            raise ValueError(f"member {self.name!r} gave probabilities that are no numbers.")
        return scattered(said, able, X.shape[0])

    def _check_model_(self, classifier: Any) -> None:
        """Refuse a loaded member that does not fit the columns and classes."""
        check_columns(self.columns, classifier.n_features_in_, self.name)
        if not ALL_VIEWS <= self.view < len(classifier.views_):
            raise ValueError(f"member {self.name!r} reads view {self.view}")
        width = len(self.columns)
        own = SimpleNamespace(
            classes_=classifier.classes_,
            n_features_in_=width,
            views_=resolve_views(None, n_features=width),
        )
        check_part("ensemble_model", self.model, own, refusal="a member is a {}")


def ask_members(
    members: Sequence[PooledMember],
    weights: np.ndarray,
    X: Any,
    presence: np.ndarray,
    pool: ThreadPool,
) -> list[np.ndarray]:
    """Probabilities of the members, for their pool.

    A member of weight 0 is used only for rows in which all others abstain: elsewhere its
    prediction changes nothing.

    Parameters
    ----------
    members : sequence of PooledMember
    weights : ndarray of shape (n_members,)
        In the pool.
    X : ndarray or sparse matrix of shape (n_samples, n_features)
    presence : ndarray of bool, shape (n_samples, n_views)
    pool : ThreadPool

    Returns
    -------
    list of ndarray of shape (n_samples, n_classes)
        NaN where a member abstains or is not used.
    """
    able = np.array([one.speaks_on(presence) for one in members])
    is_heard = able[weights > 0.0].any(axis=0)
    asked = np.where((weights > 0.0)[:, None], able, able & ~is_heard)
    return [one.probabilities(X, rows, pool) for one, rows in zip(members, asked)]


def pooled_probabilities(
    members: Sequence[PooledMember],
    log_pool: LogPool | None,
    X: Any,
    presence: np.ndarray,
    prior: np.ndarray,
    threads: ThreadPool,
) -> np.ndarray:
    """Probabilities of a pool of members; the class frequencies for rows without a view.

    Parameters
    ----------
    members : sequence of PooledMember
    log_pool : LogPool or None
        None if there are no members.
    X : ndarray or sparse matrix of shape (n_samples, n_features)
    presence : ndarray of bool, shape (n_samples, n_views)
    prior : ndarray of shape (n_classes,)
    threads : ThreadPool

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
    """
    shares = np.tile(prior, (X.shape[0], 1))
    able = np.flatnonzero(presence.any(axis=1))
    if log_pool is None or not len(able):
        return shares
    said = ask_members(members, log_pool.weights, X, presence, threads)
    shares[able] = log_pool.probabilities([one[able] for one in said])
    return shares


def scattered(said: np.ndarray, rows: np.ndarray, n_rows: int) -> np.ndarray:
    """Expand probabilities of some rows to all rows, NaN elsewhere."""
    if len(rows) == n_rows:
        return said
    full = np.full((n_rows, said.shape[1]), np.nan)
    full[rows] = said
    return full


@dataclass
class PooledRows:
    """Out-of-bag or out-of-fold probabilities of the members for training rows.

    Attributes
    ----------
    said : list of ndarray of shape (n_samples, n_classes)
        One per member; NaN in rows in which it abstains.
    y : ndarray of int, shape (n_samples,)
    mass : ndarray of shape (n_samples,)
        Classes have the shares of training.
    prior : ndarray of shape (n_classes,)
        These shares.
    share_of_gaps : float
        Share of the training rows that lack a view.
    """

    said: list[np.ndarray]
    y: np.ndarray
    mass: np.ndarray
    prior: np.ndarray
    share_of_gaps: float = 0.0

    @classmethod
    def of(
        cls,
        members: Sequence[PooledMember],
        said: list[np.ndarray],
        y: np.ndarray,
        mass: np.ndarray,
        presence: np.ndarray,
    ) -> PooledRows:
        """Rows for which all members of the whole table have unseen predictions.

        A boost that leaves rows out once leaves out more of tiny classes than of large ones;
        these rows count less, so that each class has the share of all rows with such predictions.

        Parameters
        ----------
        members : sequence of PooledMember
        said : list of ndarray of shape (n_samples, n_classes)
            Probabilities for the training rows, NaN where it was fitted to them or abstains.
        y : ndarray of int, shape (n_samples,)
        mass : ndarray of shape (n_samples,)
        presence : ndarray of bool, shape (n_samples, n_views)
        """
        whole = [~np.isnan(p[:, 0]) for one, p in zip(members, said) if one.view == ALL_VIEWS]
        judged = np.all(whole, axis=0)
        able = np.flatnonzero(presence.any(axis=1))
        said = [one[judged] for one in said]
        rows = cls.of_judged(said, y[able], mass[able], np.flatnonzero(judged[able]))
        return replace(rows, share_of_gaps=float(np.mean(~presence.all(axis=1))))

    @classmethod
    def of_judged(
        cls, said: list[np.ndarray], y: np.ndarray, mass: np.ndarray, judged: np.ndarray
    ) -> PooledRows:
        """Rows for which all members have unseen predictions.

        Parameters
        ----------
        said : list of ndarray of shape (n_judged, n_classes)
        y : ndarray of int, shape (n_samples,)
            Of all rows with a view.
        mass : ndarray of shape (n_samples,)
        judged : ndarray of int, shape (n_judged,)
            Positions of these rows.
        """
        n_classes = said[0].shape[1]
        prior, held = (
            share_of_classes(labels, effective_mass(own, len(own)), n_classes)
            for labels, own in ((y, mass), (y[judged], mass[judged]))
        )
        weight = mass[judged] * (prior / held)[y[judged]]
        return cls(said, y[judged], weight, prior)

    def _take(self, rows: np.ndarray) -> PooledRows:
        said = [one[rows] for one in self.said]
        return PooledRows(said, self.y[rows], self.mass[rows], self.prior)

    def fit_pool(self, members: Sequence[int]) -> LogPool:
        """The pool of some members."""
        said = [self.said[m] for m in members]
        rows = np.bincount(self.y, self.mass / self.mass.mean(), said[0].shape[1])
        return fit_log_pool(said, self.y, self.mass, bias_penalty=bias_penalty_of(rows))

    def fit_view_pool(
        self, members: Sequence[PooledMember], n_views: int, seed: int
    ) -> tuple[list[int], LogPool | None]:
        """The pool for rows in which views are missing, if hardly any training row lacks one.

        Then the weights in the pool of all members say nothing of such rows. Members of single
        views are pooled once more, and views are hidden at random while their weights are fitted,
        so that the pool is less certain if fewer views are there. See :func:`mixed_by_presence`.

        Parameters
        ----------
        members : sequence of PooledMember
        n_views : int
        seed : int
            Hides the views.

        Returns
        -------
        list of int
            Positions of the members; none if enough training rows lack a view, or if a view has no
            member.
        LogPool or None
        """
        single = [m for m, one in enumerate(members) if one.view != ALL_VIEWS]
        n_heard = len({members[m].view for m in single})
        if self.share_of_gaps >= _ENOUGH_GAPS or n_views < 2 or n_heard < n_views:
            return [], None
        rng, n_rows = np.random.RandomState(seed), len(self.y)
        shown = rng.uniform(size=(n_rows, n_views)) < rng.uniform(size=(n_rows, 1))
        shown[np.arange(n_rows), rng.randint(n_views, size=n_rows)] = True
        said = [np.where(shown[:, [members[m].view]], self.said[m], np.nan) for m in single]
        return single, replace(self, said=said).fit_pool(range(len(single)))

    def losses(self, members: Sequence[int], rng: np.random.RandomState) -> np.ndarray:
        """Log-loss of each row by a pool fitted on the other half of them, shape (n_samples,)."""
        half = deal_folds(self.y, 2, rng)
        losses = np.empty(len(self.y))
        for k in (0, 1):
            kept, out = np.flatnonzero(half != k), np.flatnonzero(half == k)
            pool = self._take(kept).fit_pool(members)
            shares = pool.probabilities([self.said[m][out] for m in members])
            losses[out] = -np.log(np.maximum(shares[np.arange(len(out)), self.y[out]], 1e-12))
        return losses

    def loss(self, members: Sequence[int], rng: np.random.RandomState) -> float:
        """Mean of :meth:`losses`."""
        return float(np.average(self.losses(members, rng), weights=self.mass))


def mixed_by_presence(joint: np.ndarray, single: np.ndarray, presence: np.ndarray) -> np.ndarray:
    """Probabilities for rows that lack views, from the usual pool and from that of single views.

    A geometric mean: the usual pool counts by the squared share of the views that are there, which
    is about the share of the pairs of views whose interactions it can still see.

    Parameters
    ----------
    joint, single : ndarray of shape (n_samples, n_classes)
    presence : ndarray of bool, shape (n_samples, n_views)

    Returns
    -------
    ndarray of shape (n_samples, n_classes)

    Examples
    --------
    >>> joint, single = np.array([[0.9, 0.1]]), np.array([[0.5, 0.5]])
    >>> [mixed_by_presence(joint, single, np.array([row])).round(2).tolist()
    ...  for row in ([True, True], [True, False], [False, False])]
    [[[0.9, 0.1]], [[0.63, 0.37]], [[0.5, 0.5]]]
    """
    share = presence.mean(axis=1, keepdims=True) ** 2
    mixed = joint**share * single ** (1.0 - share)
    return np.asarray(mixed / mixed.sum(axis=1, keepdims=True))


def choose_members(members: Sequence[PooledMember], rows: PooledRows, seed: int) -> list[int]:
    """Positions of the members to pool: those of single views only where they clearly help.

    Parameters
    ----------
    members : sequence of PooledMember
    rows : PooledRows
        Their probabilities, in the same order.
    seed : int
        Deals the halves on which the choice is made.
    """
    every = list(range(len(members)))
    whole = [m for m in every if members[m].view == ALL_VIEWS]
    if len(whole) in (0, len(every)):
        return every
    losses = [rows.loss(asked, np.random.RandomState(seed)) for asked in (whole, every)]
    return every if losses[1] < _CLEARLY * losses[0] else whole


MISPLACED = "a {} stands in it where it should not"


def check_pooled_members(
    classifier: Any, members: Sequence[PooledMember], pool: LogPool | None
) -> None:
    """Refuse loaded members, or a pool of them, that do not fit together."""
    check_printable([one.name for one in members], "members")
    for one in members:
        check_part("ensemble_member", one, classifier, refusal=MISPLACED)
    check_part("pool", pool, len(classifier.classes_), refusal=MISPLACED)
    if pool is not None and len(pool.weights) != len(members):
        raise ValueError(f"its pool does not weigh {len(members)} members")
