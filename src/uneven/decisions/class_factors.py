"""One factor per class on probabilities divided by the prior: multiclass decision thresholds.

The prediction is argmax p / prior * f. With f = 1 all classes have the same weight (the prior
rule), with f = prior the most probable class is predicted. Factors are searched around one of
these rules, on unseen rows, by coordinate descent. The objective is a metric of the confusion
matrix plus a penalty on the spread of log f around the rule. The row of a class in that matrix is
computed from its own rows and from pseudo-rows, i.e. all rows weighted by the model's
p(class | x): with 5 rows of a class the pseudo-rows dominate, with 500 its own rows do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from uneven.decisions._loops import sweep_class
from uneven.decisions.measures import ConfusionMeasure, find_measure
from uneven.decisions.rows import (
    check_codes,
    check_probabilities,
    class_evidence,
    effective_mass,
)

_UNIT = 2.0**30
"""Log-scores are whole multiples of 1 / _UNIT: sums are exact, and last bits decide nothing."""

_OFFSETS = np.linspace(-2.0, 2.0, 33)
_FAR_OFFSETS = np.concatenate([np.linspace(-32.0, -2.5, 60), _OFFSETS, np.linspace(2.5, 32.0, 60)])
_FINE_OFFSETS = np.linspace(-0.25, 0.25, 33)
_SHORT_PRICES = (0.3, 1.0, 3.0, 10.0)
_TURNS = 4
_DIGITS = 9
_BOUND_ERROR = 1e-8

SINGLE_ROW = 1.0 + 1e-9
"""Number of rows of a class up to which nothing about it can be estimated."""


def log_scores(probabilities: np.ndarray, prior: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Logarithms of p / prior * factors, without their last bits.

    Parameters
    ----------
    probabilities : ndarray of shape (n_samples, n_classes)
    prior, factors : ndarray of shape (n_classes,)

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        Whole multiples of 2^-30. What only rounding keeps apart is equal, so that the first class
        with the largest score does not depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> scores = log_scores(np.array([[0.3, 0.7]]), np.array([0.3, 0.7]), np.array([1.0, 2.0]))
    >>> scores.round(3)
    array([[0.   , 0.693]])
    """
    return np.asarray((_levels(probabilities, prior) + _whole_logs(factors)) / _UNIT)


def fit_class_factors(
    probabilities: Any,
    y: Any,
    prior: Any,
    *,
    measure: Any = "norm",
    sample_weight: Any = None,
    pseudo_rows: float | None = None,
    spread_price: float | None = None,
    target: Any = None,
    least_recall: Any = None,
) -> np.ndarray:
    """Tune class factors on rows that the model was not fitted to.

    Parameters
    ----------
    probabilities : array-like of shape (n_samples, n_classes)
    y : array-like of int, shape (n_samples,)
        Class codes from 0 to n_classes - 1.
    prior : array-like of shape (n_classes,)
        Class frequencies in training, by which the probabilities are divided.
    measure : {"norm", "gmean", "balanced_accuracy", "macro_f1", "worst_recall", "accuracy"} or \
            callable, default="norm"
        Metric to optimise. A callable gets a confusion matrix (row = true class) and returns a
        score; greater is better.
    sample_weight : array-like of shape (n_samples,), optional
        Only their ratios count.
    pseudo_rows, spread_price : float, optional
        Regularisation of the factors: number of pseudo-rows per class, and penalty on the spread
        of the log factors. None is a default that depends on the metric.
    target : array-like of shape (n_classes,), optional
        Class frequencies where the factors will be used, for metrics that depend on them. None:
        as in ``y``.
    least_recall : array-like of shape (n_classes,), optional
        Minimum recalls on these rows (0: none required). The metric then chooses among factors
        that reach them.

    Returns
    -------
    ndarray of shape (n_classes,)
        Their geometric mean is about 1. Without rows: 1 for all classes, the prior rule; for
        "macro_f1" and "accuracy" proportional to the class frequencies, so that the most probable
        class is predicted.

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([[0.9, 0.1], [0.8, 0.2], [0.6, 0.4], [0.7, 0.3]] * 100)
    >>> y = np.array([0, 0, 1, 0] * 100)
    >>> factors = fit_class_factors(p, y, [0.75, 0.25])
    >>> np.argmax(p[:4] / [0.75, 0.25] * factors, axis=1)
    array([0, 0, 1, 0])
    """
    prior = np.asarray(prior, dtype=np.float64)
    if prior.ndim != 1 or not np.isfinite(prior).all() or (prior <= 0.0).any():
        raise ValueError(f"prior must hold a positive share for every class, got {prior}.")
    prior = prior / prior.sum()
    shares = check_probabilities(probabilities, len(prior))
    codes = check_codes(y, len(shares), len(prior))
    chosen = find_measure(measure)
    natural = prior if target is None else np.asarray(target, dtype=np.float64)
    centre = _whole_logs(np.ones(len(prior)) if chosen.rule == "prior" else natural)
    demands = np.zeros(len(prior)) if least_recall is None else np.asarray(least_recall, float)
    if len(codes) and (chosen.searched or demands.any()):
        rows = JudgedRows.of(shares, codes, prior, sample_weight, target)
        pseudo = chosen.pseudo_rows if pseudo_rows is None else pseudo_rows
        price = chosen.spread_price if spread_price is None else spread_price
        search = FactorSearch(rows, chosen, float(pseudo), float(price), centre, demands)
        log_factors = search.run()
    else:
        log_factors = centre
    return np.asarray(np.exp((log_factors - np.rint(log_factors.mean())) / _UNIT))


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """Rows in the form that the search reads.

    Attributes
    ----------
    levels : ndarray of shape (n_samples, n_classes)
        log p / prior in whole units.
    y : ndarray of int, shape (n_samples,)
    mass : ndarray of shape (n_samples,)
        Weights within the classes; see :func:`~uneven.decisions.rows.class_evidence`.
    belief : ndarray of shape (n_samples, n_classes)
        Share of the row in the weight that is believed to be of each class; columns sum to 1.
    sizes : ndarray of shape (n_classes,)
        As how many equal rows those of each class are evidence.
    target : ndarray of shape (n_classes,)
        Row sums of the confusion matrices that are evaluated.
    """

    levels: np.ndarray
    y: np.ndarray
    mass: np.ndarray
    belief: np.ndarray
    sizes: np.ndarray
    target: np.ndarray

    @classmethod
    def of(
        cls, shares: np.ndarray, y: np.ndarray, prior: np.ndarray, sample_weight: Any, target: Any
    ) -> JudgedRows:
        """Prepare rows; see :func:`fit_class_factors`."""
        mass = effective_mass(sample_weight, len(y))
        rows = np.flatnonzero(mass)
        shares, y, mass = shares[rows], y[rows], mass[rows]
        weighed = shares * mass[:, None]
        totals = weighed.sum(axis=0)
        belief = weighed / np.where(totals > 0.0, totals, 1.0)
        goal = np.bincount(y, weights=mass, minlength=len(prior))
        if target is not None:
            goal = np.asarray(target, float) * goal.sum()
        own = class_evidence(mass, y)
        sizes = np.bincount(y, weights=own, minlength=len(prior))
        return cls(_levels(shares, prior), y, own, belief, sizes, np.where(sizes > 0, goal, 0.0))

    def confusion(self, counts: np.ndarray, beliefs: np.ndarray, pseudo_rows: float) -> np.ndarray:
        """Confusion matrices of rows and pseudo-rows, whose row sums are ``target``.

        Parameters
        ----------
        counts, beliefs : ndarray of shape (..., n_classes, n_classes)
        pseudo_rows : float

        Returns
        -------
        ndarray of shape (..., n_classes, n_classes)
        """
        believed = beliefs.sum(axis=-1).max(axis=tuple(range(beliefs.ndim - 2))) > 0.0
        sizes = np.where(self.sizes > 0.0, self.sizes, 1.0)
        trust = np.where(believed, sizes / (sizes + pseudo_rows), 1.0)[:, None]
        rates, believed_rates = np.maximum(counts, 0.0), np.maximum(beliefs, 0.0)
        rates *= trust
        rates /= sizes[:, None]
        believed_rates *= 1.0 - trust
        rates += believed_rates
        rates *= self.target[:, None]
        return rates

    def recalls(self, counts: np.ndarray) -> np.ndarray:
        """Recalls on the rows themselves, shape (..., n_classes); 1 for classes without rows."""
        right = np.diagonal(counts, axis1=-2, axis2=-1)
        known = self.sizes > 0.0
        return np.where(known, right / np.where(known, self.sizes, 1.0), 1.0)

    def sweep(
        self, log_factors: np.ndarray, column: int, offsets: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Counts and beliefs by class and prediction, for offsets on one log factor.

        Offsets with the same predictions share a matrix.

        Parameters
        ----------
        log_factors : ndarray of shape (n_classes,)
        column : int
        offsets : ndarray of shape (n_offsets,)
            Ascending.

        Returns
        -------
        counts, beliefs : ndarray of shape (n_matrices, n_classes, n_classes)
        places : ndarray of int, shape (n_offsets,)
            The matrix of each offset.
        """
        n_classes = len(log_factors)
        counts = np.empty((len(offsets), n_classes, n_classes))
        beliefs = np.empty_like(counts)
        rows = (self.y, self.mass, self.belief)
        places = sweep_class(self.levels, log_factors, column, offsets, *rows, counts, beliefs)
        n_matrices = places[-1] + 1
        return counts[:n_matrices], beliefs[:n_matrices], places


@dataclass(frozen=True, eq=False)
class FactorSearch:
    """A search of log factors by coordinates: the classes take turns.

    Attributes
    ----------
    rows : JudgedRows
    measure : ConfusionMeasure
    pseudo_rows, spread_price : float
    centre : ndarray of shape (n_classes,)
        Log factors to begin with, whose distance from the others is penalised.
    least_recall : ndarray of shape (n_classes,)
    """

    rows: JudgedRows
    measure: ConfusionMeasure
    pseudo_rows: float
    spread_price: float
    centre: np.ndarray
    least_recall: np.ndarray

    def run(self) -> np.ndarray:
        """Log factors in whole units, shape (n_classes,); where recalls are demanded, the better
        end of two ways: they come first at once, or have a penalty that rises from turn to turn.
        """
        if not self.least_recall.any():
            return self._descend([(_OFFSETS, 0.0)] * _TURNS)
        fine = [(_FINE_OFFSETS, np.inf)] * _TURNS
        at_once = [(_FAR_OFFSETS, np.inf)] * _TURNS + fine
        rising = [(_OFFSETS, price) for price in _SHORT_PRICES]
        ends = [self._descend(at_once), self._descend([*rising, *at_once])]
        return min(ends, key=self._value)

    def _descend(self, turns: list[tuple[np.ndarray, float]]) -> np.ndarray:
        """In each turn, every class takes the best of some offsets on its log factor.

        The factor of a class of a single row stays, since nothing can be learnt about it.
        A unit of missing recall has the penalty of the turn; if that is infinite, recalls are
        compared first. The smallest of equally good moves is taken.
        """
        log_factors = self.centre.copy()
        for offsets, short_price in turns:
            before = log_factors.copy()
            whole = np.rint(offsets * _UNIT)
            for column in np.flatnonzero(self.rows.sizes > SINGLE_ROW).tolist():
                short, losses = self._judge(log_factors, column, whole)
                if np.isfinite(short_price):
                    short, losses = np.zeros(len(short)), losses + short_price * short
                keys = (whole, np.abs(whole), losses.round(_DIGITS), short.round(_DIGITS))
                log_factors[column] += whole[np.lexsort(keys)[0]]
            if short_price == 0.0 and np.array_equal(log_factors, before):
                break
        return log_factors

    def _judge(
        self, log_factors: np.ndarray, column: int, offsets: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Missing recall, and loss with the penalty of the spread, for every offset."""
        counts, beliefs, places = self.rows.sweep(log_factors, column, offsets)
        tried = np.repeat((log_factors - self.centre)[None, :], len(offsets), axis=0)
        tried[:, column] += offsets
        spread = self.spread_price * tried.std(axis=1) / _UNIT
        confusion = self.rows.confusion(counts, beliefs, self.pseudo_rows)
        short = np.maximum(self.least_recall - self.rows.recalls(counts), 0.0).sum(axis=1)
        bound = self.measure.bound
        if bound is None or self.least_recall.any():
            losses = self.measure.loss(confusion)
        else:
            losses = self._losses_of_the_best(bound(confusion), confusion, places, spread)
        return short[places], losses[places] + spread

    def _losses_of_the_best(
        self, bounds: np.ndarray, confusion: np.ndarray, places: np.ndarray, spread: np.ndarray
    ) -> np.ndarray:
        """Losses with the penalty where they may be the smallest, else lower bounds."""
        losses = bounds.copy()
        least = losses[places] + spread
        best = least.argmin()
        reached = self.measure.loss(confusion[places[best]]) + spread[best]
        near = np.unique(places[least <= reached + _BOUND_ERROR])
        losses[near] = self.measure.loss(confusion[near])
        return losses

    def _value(self, log_factors: np.ndarray) -> tuple[float, float]:
        short, losses = self._judge(log_factors, 0, np.zeros(1))
        return float(short[0].round(_DIGITS)), float(losses[0].round(_DIGITS))


def _levels(probabilities: np.ndarray, prior: np.ndarray) -> np.ndarray:
    present = np.maximum(probabilities, np.finfo(float).tiny)
    return np.ascontiguousarray(_whole_logs(present) - _whole_logs(prior / prior.sum()))


def _whole_logs(values: np.ndarray) -> np.ndarray:
    return np.asarray(np.rint(np.log(values) * _UNIT))
