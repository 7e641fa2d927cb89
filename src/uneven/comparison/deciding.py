"""Decision rules for what counts: chosen on out-of-fold probabilities, for every method.

A method predicts in its own way; with a measure or costs that count, its probabilities are
calibrated and a rule of :mod:`uneven.decisions` predicts. The gain of the rule must not be
estimated on the rows that it was chosen on: the rule for a fold is fitted on those of the fold's
training rows that were held out in other folds. Where there are none, as with a test table, the
training rows are cut into folds of their own. The rule that goes with the model is fitted on all of
them.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from uneven.comparison.costfile import COST
from uneven.comparison.crossval import cross_validate
from uneven.comparison.errors import InputError
from uneven.comparison.folds import Split, possible_folds, stratified_folds
from uneven.comparison.measures import Answers, Measure
from uneven.comparison.methodresult import FoldAnswers, MethodResult
from uneven.comparison.problem import Problem
from uneven.comparison.summaries import DecisionSummary
from uneven.decisions import TunedDecisionClassifier
from uneven.decisions.calibration import calibrated_rows, fit_calibration
from uneven.decisions.decision import fit_decision
from uneven.decisions.unseen import UnseenRows
from uneven.metrics import confusion_counts
from uneven.metrics.probabilities import are_shares
from uneven.utils.frames import take_rows
from uneven.utils.methods import Method, Settings

RULES = {
    "confusion_norm": "norm",
    "gmean": "gmean",
    "balanced_accuracy": "balanced_accuracy",
    "worst_recall": "worst_recall",
    "macro_f1": "macro_f1",
    "accuracy": "accuracy",
}
"""What the decision layer calls measures; for measures of scores the most probable class."""

INNER_FOLDS = 5


@dataclass(frozen=True)
class Deciding:
    """The goal of a decision rule.

    Attributes
    ----------
    measure : Measure
        By which a rule is chosen and evaluated.
    cost : ndarray of shape (K, K) or None
        Costs; then the class of smallest expected cost is predicted.
    calibrate : bool
        Whether probabilities are calibrated first.
    always : bool
        Whether the rule is used even where the method's own predictions are better.
    """

    measure: Measure
    cost: NDArray[np.float64] | None = None
    calibrate: bool = True
    always: bool = False

    @property
    def parameters(self) -> dict[str, Any]:
        """Of a `TunedDecisionClassifier`."""
        rule = RULES.get(self.measure.corrects or self.measure.name, "accuracy")
        by_cost = self.cost is not None and self.measure.name == COST
        return {"cost": self.cost} if by_cost else {"measure": rule}


@dataclass(frozen=True)
class Decider:
    """Chooses rules for the results of a comparison.

    Attributes
    ----------
    problem : Problem
    splits : sequence of (train, test)
    measures : mapping of str to Measure
        What to measure again.
    settings : Settings
    deciding : Deciding
    unseen : dict of str to UnseenRows
        What the rules of the models are fitted on, by method; filled by `decide`.
    """

    problem: Problem
    splits: Sequence[Split]
    measures: Mapping[str, Measure]
    settings: Settings
    deciding: Deciding
    unseen: dict[str, UnseenRows] = field(default_factory=dict)

    def decide(self, method: Method, result: MethodResult) -> MethodResult:
        """The result of a method that predicts by a rule, or its own if that is not better.

        Parameters
        ----------
        method : Method
        result : MethodResult
            With the predictions of its folds.

        Returns
        -------
        MethodResult
            With a `DecisionSummary`, unless the method has no probabilities.
        """
        if not result.answers or not all(are_shares(fold.scores) for fold in result.answers):
            return result
        everything = self._rows(method, result, None)
        answers = [self._by_rule(method, result, fold) for fold in result.answers]
        judged = self._judged(result, answers)
        name, best = self.deciding.measure.name, self.deciding.measure
        before, after = result.mean(name), judged.mean(name)
        used = self.deciding.always or best.better(after, before) > 0.0
        model = _Rule.fitted(everything, self.deciding)
        summary = DecisionSummary(
            measure=best.name,
            label=best.label,
            rule=model.words(self.problem.classes),
            factors=[] if model.decision.factors is None else model.decision.factors.tolist(),
            cost=[] if model.decision.cost is None else model.decision.cost.tolist(),
            calibrated=model.calibration is not None,
            before=before,
            after=after,
            used=used,
        )
        if used:
            self.unseen[method.name] = everything
        return replace(judged if used else result, decision=summary)

    def _by_rule(self, method: Method, result: MethodResult, fold: FoldAnswers) -> FoldAnswers:
        """Predictions of a rule that was chosen without the rows of the fold."""
        rule = _Rule.fitted(self._rows(method, result, fold.fold), self.deciding)
        scores, codes = rule.answers(fold.scores)
        return replace(fold, predicted=self.problem.classes[codes], scores=scores)

    def _rows(self, method: Method, result: MethodResult, fold: int | None) -> UnseenRows:
        """Unseen rows to choose a rule on: all, or those that a fold learns from."""
        pairs = list(self._held_out(result.answers, fold))
        if not sum(len(scores) for _, scores in pairs):
            pairs = list(self._inner(method, self.splits[fold or 0][0]))
        rows = np.concatenate([rows for rows, _ in pairs])
        scores = np.concatenate([scores for _, scores in pairs])
        codes = np.searchsorted(self.problem.classes, self.problem.y[rows])
        return UnseenRows(scores / scores.sum(axis=1, keepdims=True), codes, np.ones(len(codes)))

    def _held_out(
        self, answers: Sequence[FoldAnswers], fold: int | None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float64]]]:
        single = len(self.splits) == 1
        learnt = np.zeros(len(self.problem.y), dtype=bool)
        learnt[slice(None) if fold is None else self.splits[fold][0]] = not single
        for other in answers:
            known = learnt[other.rows]
            yield other.rows[known], other.scores[known]

    def _inner(
        self, method: Method, train: NDArray[np.intp]
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float64]]]:
        """Out-of-fold probabilities of folds inside of training rows."""
        given, groups = self.problem.given_table, self.problem.groups
        inner = replace(
            self.problem,
            X=take_rows(self.problem.X, train),
            y=self.problem.y[train],
            given_table=None if given is None else take_rows(given, train),
            groups=None if groups is None else groups[train],
            times=None,
            rows=None,
            index=None,
        )
        measure = {self.deciding.measure.name: self.deciding.measure}
        folds = possible_folds(inner, INNER_FOLDS)
        splits = stratified_folds(inner, folds, 1, self.settings.seed, inner.groups)
        result = cross_validate(
            inner,
            [method],
            self.settings,
            metric=self.deciding.measure,
            measures=measure,
            splits=splits,
        )[0]
        for fold in result.answers:
            place = np.searchsorted(self.problem.classes, inner.classes)
            scores = np.zeros((len(fold.rows), len(self.problem.classes)))
            scores[:, place] = fold.scores
            yield train[fold.rows], scores

    def _judged(self, result: MethodResult, answers: list[FoldAnswers]) -> MethodResult:
        """The result with other predictions."""
        classes = self.problem.classes
        values = {name: list(result.scores[name]) for name in self.measures}
        counts = np.zeros((len(classes), len(classes)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # those are about the method's own predictions
            for fold in answers:
                true = self.problem.y[fold.rows]
                said = Answers(true, fold.predicted, fold.scores, classes)
                counts += confusion_counts(true, fold.predicted, labels=classes)[0]
                for name, measure in self.measures.items():
                    values[name][fold.fold] = measure.value(said)
        return replace(result, scores=values, confusion=counts.tolist(), answers=answers)


@dataclass(frozen=True)
class _Rule:
    """Calibration and decision."""

    calibration: Any
    decision: Any

    @classmethod
    def fitted(cls, rows: UnseenRows, deciding: Deciding) -> _Rule:
        calibration = fit_calibration(rows) if deciding.calibrate else None
        known = calibrated_rows(rows, calibration)
        words = deciding.parameters
        return cls(calibration, fit_decision(known.probabilities, known.codes, **words))

    def answers(self, scores: NDArray[np.float64]) -> tuple[NDArray, NDArray[np.intp]]:
        """Calibrated probabilities, and codes of the predictions."""
        said = scores / scores.sum(axis=1, keepdims=True)
        said = said if self.calibration is None else self.calibration.probabilities([said])
        return said, self.decision.answers(said)

    def words(self, classes: NDArray) -> str:
        return str(self.decision.explain([str(label) for label in classes]))


def with_decision(
    model: Pipeline,
    unseen: UnseenRows,
    deciding: Deciding,
    learnt: NDArray[np.bool_] | None = None,
) -> Pipeline:
    """A fitted pipeline that predicts by a decision rule.

    Parameters
    ----------
    model : Pipeline
        Encoder and classifier, fitted.
    unseen : UnseenRows
        Out-of-fold probabilities, in the order of the classes of the problem.
    deciding : Deciding
    learnt : ndarray of bool, shape (K,), optional
        Which classes the model has learnt; the others are only in a test table.

    Returns
    -------
    Pipeline
        Its classifier is a `TunedDecisionClassifier` around the one of the model.
    """
    if learnt is not None and not learnt.all():
        place = np.cumsum(learnt) - 1
        said = unseen.probabilities[:, learnt]
        said = said / said.sum(axis=1, keepdims=True)
        unseen = UnseenRows(said, place[unseen.codes], unseen.weight)
        cost = None if deciding.cost is None else deciding.cost[np.ix_(learnt, learnt)]
        deciding = replace(deciding, cost=cost)
    classifier = TunedDecisionClassifier.around(
        model[-1], unseen, calibrate=deciding.calibrate, **deciding.parameters
    )
    return Pipeline([*model.steps[:-1], (model.steps[-1][0], classifier)])


def decide_model(
    model: Pipeline, method: Method, problem: Problem, settings: Settings, deciding: Deciding
) -> tuple[Pipeline, str]:
    """Put a decision rule around a model, chosen on folds of its own table.

    Parameters
    ----------
    model : Pipeline
        Encoder and classifier, fitted on all rows of the problem.
    method : Method
        What it is.
    problem : Problem
    settings : Settings
    deciding : Deciding

    Returns
    -------
    model : Pipeline
    sentence : str
        What the rule is and what it brings.

    Raises
    ------
    InputError
        If the method has no probabilities.
    """
    folds = possible_folds(problem, INNER_FOLDS)
    splits = stratified_folds(problem, folds, 1, settings.seed, problem.groups)
    wanted = {deciding.measure.name: deciding.measure}
    result = cross_validate(
        problem, [method], settings, metric=deciding.measure, measures=wanted, splits=splits
    )[0]
    decider = Decider(problem, splits, wanted, settings, replace(deciding, always=True))
    found = decider.decide(method, result).decision
    if found is None:
        raise InputError(
            f"{method.label} has no probabilities, on which a rule could be chosen; leave out "
            "--measure, --cost and --calibrate, or name another method."
        )
    return with_decision(model, decider.unseen[method.name], deciding), found.sentence
