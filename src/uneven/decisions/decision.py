"""A decision rule: from class probabilities to predicted classes.

Two kinds of rule, and what may be added to each:

- class factors: argmax p / prior * f, with f tuned for a metric, also under constraints;
- a cost matrix: argmin_l sum_a p_a cost[a, l], Bayes' rule, in which nothing is tuned.

Probabilities may be adapted to other class frequencies first (prior shift), and the rule may
abstain where a prediction would cost more than abstaining.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import softmax

from uneven.decisions.class_factors import SINGLE_ROW, fit_class_factors, log_scores
from uneven.decisions.measures import find_measure
from uneven.decisions.prior_shift import change_prior, check_prior
from uneven.decisions.rows import (
    check_codes,
    check_probabilities,
    class_evidence,
    effective_mass,
    share_of_classes,
)
from uneven.metrics._checks import pair_counts
from uneven.utils.model_types import check_numbers, check_shares, persisted
from uneven.utils.parameters import Interval

ABSTAIN = -1
"""Class code that stands for abstaining."""

_ENOUGH = 1e-9


@persisted("decision", role="decision")
@dataclass(frozen=True, eq=False)
class Decision:
    """A fitted decision rule; made by :func:`fit_decision`.

    Attributes
    ----------
    prior : ndarray of shape (n_classes,)
        Class frequencies in the rows that the probabilities were fitted on.
    target : ndarray of shape (n_classes,)
        Class frequencies where the rule is used.
    factors : ndarray of shape (n_classes,), or None
        Factors on p / prior; None if a cost matrix decides.
    cost : ndarray of shape (n_classes, n_classes), or None
        Row = true class, column = predicted class.
    abstain_cost : float or None
        Expected cost of a prediction above which the rule abstains.
    measure : str
        The metric that the factors were tuned for, in words.
    least_recall : ndarray of shape (n_classes,)
        Minimum recalls that were required; 0 where none was.
    confusion : ndarray of shape (n_classes, n_classes)
        Confusion matrix of the rule on the rows that it was fitted on, as if it never abstained.
        Weights count within the classes only: each row adds up to the number of equal rows that
        would be as good evidence.
    """

    prior: np.ndarray
    target: np.ndarray
    factors: np.ndarray | None
    cost: np.ndarray | None
    abstain_cost: float | None
    measure: str
    least_recall: np.ndarray
    confusion: np.ndarray

    def posterior(self, probabilities: Any) -> np.ndarray:
        """Probabilities under the class frequencies ``target``, shape (n_samples, n_classes)."""
        shares = check_probabilities(probabilities, len(self.prior))
        return change_prior(shares, self.prior, self.target)

    def scores(self, probabilities: Any) -> np.ndarray:
        """Scores of the classes; the first of the largest ones is the prediction.

        Parameters
        ----------
        probabilities : array-like of shape (n_samples, n_classes)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Logarithms of p / prior * factors, or the negative expected costs; rounded, so that
            scores that differ by rounding errors only are equal.
        """
        if self.cost is not None:
            unit = np.ldexp(1.0, int(np.frexp(np.abs(self.cost).max())[1]) - 40)
            return -np.rint(self.posterior(probabilities) @ self.cost / unit) * unit
        shares = check_probabilities(probabilities, len(self.prior))
        return log_scores(shares, self.prior, np.asarray(self.factors))

    def expected_cost(self, probabilities: Any) -> np.ndarray:
        """Expected cost of the predictions, shape (n_samples,).

        Without a cost matrix, the probability of a misclassification under the class frequencies
        that the factors imply: equal frequencies if all factors are equal.
        """
        scores = self.scores(probabilities)
        if self.cost is not None:
            return np.asarray(-scores.max(axis=1))
        return np.asarray(1.0 - softmax(scores, axis=1).max(axis=1))

    def answers(self, probabilities: Any) -> np.ndarray:
        """Codes of the predicted classes, shape (n_samples,); -1 where the rule abstains."""
        codes = self.scores(probabilities).argmax(axis=1)
        if self.abstain_cost is not None:
            codes[self.expected_cost(probabilities) > self.abstain_cost + _ENOUGH] = ABSTAIN
        return np.asarray(codes)

    @property
    def recalls(self) -> np.ndarray:
        """Recalls on the rows that the rule was fitted on; NaN for classes of at most one row.

        With a single row the recall cannot be estimated, since the rule was fitted to it.
        """
        known = self.confusion.sum(axis=1) > SINGLE_ROW
        return np.where(known, self._found(), np.nan)

    def _found(self) -> np.ndarray:
        """Share of the rows of each class that were found; 1 for classes without rows."""
        sizes = self.confusion.sum(axis=1)
        return np.where(sizes > 0.0, self.confusion.diagonal() / np.maximum(sizes, 1e-300), 1.0)

    def explain(self, classes: Sequence[Any]) -> str:
        """The rule in words.

        Parameters
        ----------
        classes : sequence of length n_classes
            Names of the classes.

        Returns
        -------
        str
        """
        return "\n".join([*_rule_in_words(self, classes), *_extras_in_words(self, classes)])

    def _check_model_(self, n_classes: int) -> None:
        """Refuse loaded numbers that no fit leaves behind."""
        check_shares(self.prior, n_classes)
        check_shares(self.target, n_classes)
        check_numbers(self.confusion, (n_classes, n_classes), "counts")
        check_numbers(self.least_recall, (n_classes,), "recalls")
        if (self.factors is None) == (self.cost is None):
            raise ValueError("it decides by factors or by costs, not by both")
        if (
            self.factors is not None
            and not check_numbers(self.factors, (n_classes,), "class factors").all()
        ):
            raise ValueError("a class factor is 0")
        if self.cost is not None:
            check_numbers(self.cost, (n_classes, n_classes), "costs", signed=True)
        if self.abstain_cost is not None and not np.isfinite(self.abstain_cost):
            raise ValueError(f"abstaining costs {self.abstain_cost!r}")
        if type(self.measure) is not str or not self.measure.isprintable():
            raise ValueError("the name of its measure cannot be printed")


def fit_decision(
    probabilities: Any,
    y: Any,
    *,
    measure: Any = "norm",
    cost: Any = None,
    prior: Any = None,
    constraints: Mapping[int, float] | None = None,
    abstain_cost: float | None = None,
    sample_weight: Any = None,
    pseudo_rows: float | None = None,
    spread_price: float | None = None,
    classes: Sequence[Any] | None = None,
    trained: Any = None,
) -> Decision:
    """Fit a decision rule to predicted probabilities of rows that the model was not fitted to.

    Parameters
    ----------
    probabilities : array-like of shape (n_samples, n_classes)
    y : array-like of int, shape (n_samples,)
        Class codes from 0 to n_classes - 1.
    measure : str or callable, default="norm"
        See :func:`~uneven.decisions.class_factors.fit_class_factors`.
    cost : array-like of shape (n_classes, n_classes), optional
        Row = true class, column = predicted class; see :func:`check_cost`. With it, the class of
        smallest expected cost is predicted, and ``measure`` is not used.
    prior : array-like of shape (n_classes,), optional
        Class frequencies where the rule will be used; None: as in ``y``.
    constraints : mapping of int to float, optional
        Minimum recalls by class code; the metric then chooses among factors that reach them.
    abstain_cost : float, optional
        Cost of abstaining, in the units of ``cost``; without ``cost``, the highest acceptable
        probability of a misclassification.
    sample_weight : array-like of shape (n_samples,), optional
    pseudo_rows, spread_price : float, optional
        See :func:`~uneven.decisions.class_factors.fit_class_factors`.
    classes : sequence of length n_classes, optional
        Names of the classes, for messages.
    trained : array-like of shape (n_classes,), optional
        Class frequencies in the rows that the model was fitted to; None: as in ``y``.

    Returns
    -------
    Decision

    Raises
    ------
    ValueError
        Also if the constraints cannot be met together; the message gives the recalls reached.

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([[0.9, 0.1], [0.7, 0.3]] * 50)
    >>> y = np.array([0, 1, 0, 0] * 25)
    >>> fit_decision(p, y, measure="accuracy").answers(p[:2])
    array([0, 0])
    >>> fit_decision(p, y, measure="accuracy", constraints={1: 0.9}).answers(p[:2])
    array([0, 1])
    >>> fit_decision(p, y, cost=[[0, 1], [5, 0]]).answers(p[:2])
    array([0, 1])
    """
    n_classes = np.shape(probabilities)[-1]
    shares = check_probabilities(probabilities, n_classes)
    codes = check_codes(y, len(shares), n_classes)
    names = range(n_classes) if classes is None else classes
    mass = effective_mass(sample_weight, len(codes))
    if trained is None:
        trained = share_of_classes(codes, mass, n_classes)
    else:
        trained = check_prior(trained, n_classes)
    target = trained if prior is None else check_prior(prior, n_classes)
    least = _check_constraints(constraints, codes, names)
    if abstain_cost is not None:
        Interval(-np.inf, closed="neither").check("abstain_cost", abstain_cost)
    factors, label = None, "expected cost"
    if cost is not None:
        cost = check_cost(cost, names)
        if least.any():
            raise ValueError(
                "cost and constraints cannot be combined: raise the cost of missing the class."
            )
    else:
        label = find_measure(measure).label
        factors = fit_class_factors(
            shares,
            codes,
            trained,
            measure=measure,
            sample_weight=sample_weight,
            pseudo_rows=pseudo_rows,
            spread_price=spread_price,
            target=None if prior is None else target,
            least_recall=least,
        )
    nothing = np.zeros((n_classes, n_classes))
    rule = Decision(trained, target, factors, cost, abstain_cost, label, least, nothing)
    answers = rule.scores(shares).argmax(axis=1)
    evidence = class_evidence(mass, codes)
    rule = replace(rule, confusion=pair_counts(codes, answers, n_classes, evidence))
    _check_reached(rule, names)
    return rule


def check_cost(cost: Any, classes: Sequence[Any]) -> np.ndarray:
    """A cost matrix as an array of finite numbers; warns if a correct prediction costs more.

    Parameters
    ----------
    cost : array-like of shape (n_classes, n_classes)
        In the order of ``classes``. Rows and columns of a pandas frame may have any order: their
        labels are the classes.
    classes : sequence of length n_classes

    Returns
    -------
    ndarray of shape (n_classes, n_classes)

    Examples
    --------
    >>> import pandas as pd
    >>> check_cost(pd.DataFrame({"b": [1, 0], "a": [0, 5]}, index=["a", "b"]), ["a", "b"])
    array([[0., 1.],
           [5., 0.]])
    >>> check_cost([[0, 1]], ["a", "b"])
    Traceback (most recent call last):
    ...
    ValueError: cost has the shape (1, 2); it needs a row per true class and a column...
    """
    n_classes = len(classes)
    if hasattr(cost, "iloc") and hasattr(cost, "columns"):
        cost = _in_order(cost, list(classes))
    try:
        costs = np.array(cost, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"cost must be a square array of numbers: {error}.") from None
    if costs.shape != (n_classes, n_classes):
        raise ValueError(
            f"cost has the shape {costs.shape}; it needs a row per true class and a column per "
            f"predicted class, {n_classes} x {n_classes}, in sorted class order."
        )
    if not np.isfinite(costs).all():
        raise ValueError("cost must hold finite numbers.")
    if n_classes > 1 and (costs == costs[:, :1]).all():
        raise ValueError("every prediction costs the same: give misclassifications a higher cost.")
    cheaper = np.argwhere(costs < costs.diagonal()[:, None])
    if len(cheaper):
        true, said = (classes[k] for k in cheaper[0].tolist())
        warnings.warn(
            f"cost: predicting {said!r} for a row of {true!r} costs less than the correct class. "
            "Rows are true classes, columns predictions; gains are negative costs.",
            stacklevel=2,
        )
    return costs


def _in_order(cost: Any, classes: list[Any]) -> Any:
    """A frame of costs with rows and columns in the order of the classes."""
    places = []
    for name, labels in (("index", cost.index.tolist()), ("columns", cost.columns.tolist())):
        if len(labels) != len(classes) or any(label not in labels for label in classes):
            raise ValueError(
                f"cost is a frame whose {name} is {labels[:10]}, but the classes are "
                f"{classes[:10]}: label it with them, or give an array in sorted class order."
            )
        places.append([labels.index(label) for label in classes])
    return cost.iloc[places[0], places[1]]


def _check_constraints(
    constraints: Mapping[int, float] | None, codes: np.ndarray, names: Sequence[Any]
) -> np.ndarray:
    """Minimum recall of each class, shape (n_classes,)."""
    least, sizes = np.zeros(len(names)), np.bincount(codes, minlength=len(names))
    for code, recall in (constraints or {}).items():
        Interval(0.0, 1.0).check(f"the recall demanded of class {names[code]!r}", recall)
        if recall > 0.0 and len(codes) and sizes[code] < 2:
            raise ValueError(
                f"constraints: the recall of class {names[code]!r} cannot be estimated from "
                f"{sizes[code]} unseen row(s): leave it out, or give more rows of the class."
            )
        least[code] = recall
    return least


def _check_reached(rule: Decision, names: Sequence[Any]) -> None:
    """Refuse a rule whose recalls fall short of what was demanded."""
    recalls = rule._found()
    if (recalls >= rule.least_recall - _ENOUGH).all():
        return
    demanded = np.flatnonzero(rule.least_recall).tolist()
    wanted = ", ".join(f"{names[k]!r} {rule.least_recall[k]:g}" for k in demanded)
    reached = ", ".join(f"{names[k]!r} {recalls[k]:.3g}" for k in demanded)
    raise ValueError(
        f"constraints: no class factors were found with these recalls on unseen rows: {wanted}. "
        f"The nearest ones reach {reached}: demand less, or use a better model."
    )


def _rule_in_words(rule: Decision, classes: Sequence[Any]) -> list[str]:
    """The rule that chooses the predicted class, and a line per class."""
    divided = "Predicts the class with the largest probability divided by its share in training"
    if rule.factors is None:
        lines = ["Predicts the class with the smallest expected cost."]
    elif np.ptp(np.log(rule.factors)) < _ENOUGH:
        lines = [f"{divided} ({rule.measure})."]
    elif np.ptp(np.log(rule.factors / rule.prior)) < _ENOUGH:
        lines = [f"Predicts the most probable class ({rule.measure})."]
    else:
        lines = [f"{divided} and multiplied by its factor, fitted for {rule.measure}."]
    for k, name in enumerate(classes):
        factor = "" if rule.factors is None else f", factor {rule.factors[k]:.3g}"
        recall = rule.recalls[k]
        recall_text = "recall cannot be estimated" if np.isnan(recall) else f"recall {recall:.2f}"
        lines.append(f"  {name}: share {rule.prior[k]:.3g}{factor}, {recall_text}")
    return lines


def _extras_in_words(rule: Decision, classes: Sequence[Any]) -> list[str]:
    lines = [
        f"The recall of {classes[k]} is to be at least {rule.least_recall[k]:g}."
        for k in np.flatnonzero(rule.least_recall).tolist()
    ]
    if not np.allclose(rule.prior, rule.target):
        shares = ", ".join(f"{name} {share:.3g}" for name, share in zip(classes, rule.target))
        lines.append(f"Expected class frequencies at prediction: {shares}.")
    if rule.abstain_cost is not None:
        lines.append(
            f"Abstains where the expected cost of a prediction exceeds {rule.abstain_cost:g}; the "
            "recalls are those without abstaining."
        )
    return lines
