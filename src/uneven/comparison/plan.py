"""Comparing methods on one table: everything is checked, then cross-validated, then refitted.

`plan_comparison` refuses what cannot work before any model is fitted; `Plan.run` does the work.
`uneven.comparison.comparing` and the command line are both built from these two.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from uneven.comparison.costfile import read_cost
from uneven.comparison.crossval import (
    cross_validate,
    diagnose_views,
    fit_methods,
    has_views,
    stack_of,
    with_params,
)
from uneven.comparison.deadline import Deadline, in_words, read_seconds
from uneven.comparison.deciding import Decider, Deciding
from uneven.comparison.dummies import guess
from uneven.comparison.errors import InputError
from uneven.comparison.fitnotes import fit_notes, uncorrected_notes, untuned_notes
from uneven.comparison.foldchoice import choose_folds, with_order
from uneven.comparison.folds import (
    Split,
    stratified_folds,
)
from uneven.comparison.goals import deciding_for, judged_by, measures_of
from uneven.comparison.kept_folds import KeptFolds
from uneven.comparison.known_scores import KnownScores
from uneven.comparison.leaks import leak_notes
from uneven.comparison.measures import MEASURES, LabelNoise, Measure
from uneven.comparison.methodresult import MethodResult
from uneven.comparison.methods import (
    STACK,
    choose_methods,
    default_methods,
    explains_itself,
    knows_noise,
    stack_methods,
)
from uneven.comparison.problem import Problem
from uneven.comparison.progress import Observer, Progress, Reporter
from uneven.comparison.refitplan import RefitPlan
from uneven.comparison.results import Comparison
from uneven.comparison.summaries import (
    DataSummary,
    NoiseSummary,
    Share,
    StackSummary,
    ViewSummary,
    mean,
    now,
    versions,
)
from uneven.comparison.tables import AUTO
from uneven.comparison.tuning import Tuning, most_chosen
from uneven.utils.methods import Method, Settings
from uneven.utils.registry import listing

MOST_SHOWN_FEATURES = 15

OUT_OF_TIME = "the time limit of"
"""How the note begins about what was left out."""


def plan_comparison(
    problem: Problem,
    *,
    methods: Sequence[Method] | None,
    metric: str,
    noise: LabelNoise | None,
    cv: Any,
    repeats: int,
    settings: Settings,
    groups: Any = None,
    time: Any = None,
    test: Any = None,
    encoding: str = AUTO,
    stack: bool = False,
    diagnosis: bool = True,
    refit: bool = True,
    measure: str | None = None,
    cost: Any = None,
    calibrate: bool | None = None,
    tune: int | None = None,
    time_limit: str | float | None = None,
    workers: int = 1,
    command: str = "",
) -> Plan:
    """Check everything that can be checked before a model is fitted.

    Parameters
    ----------
    problem : Problem
    methods : sequence of Method or None
        None takes all that fit the data.
    metric : str
        Measure that ranks, or ``"cost"``; its corrected form, if there is noise and it has one.
    noise : LabelNoise or None
    cv, repeats, groups, time, test, encoding, stack, diagnosis, refit, measure, cost, calibrate,\
            tune, time_limit, workers
        As in `compare`, but for groups and times in columns, which the problem knows.
    settings : Settings
        Without views and noise matrix, which come from the data.
    command : str
        What was called.
    """
    deadline = None if time_limit is None else Deadline(read_seconds(time_limit) or 0.0)
    training = problem if test is not None else with_order(problem, groups, time)
    rows = choose_folds(training, cv, repeats, settings.seed, test=test, encoding=encoding)
    problem, told = rows.problem, rows.notes
    if diagnosis and training.groups is None:
        told += leak_notes(training, training.keys, settings.seed)
    chosen = list(methods or choose_methods(default_methods(has_views(problem), noise is not None)))
    if stack:
        chosen = [*chosen, stack_methods([m for m in chosen if not m.package], problem.schema)]
    costs = read_cost(cost, problem, encoding)
    measures = measures_of(noise, costs)
    judged = judged_by(metric, noise, measures)
    deciding = deciding_for(measure, calibrate, judged, noise, measures, costs)
    notes = [
        *told,
        *fit_notes(chosen, problem, noise),
        *uncorrected_notes(measures[metric], noise),
    ]
    matrix = noise.undone.matrix if noise else None
    tuning = None if tune is None else Tuning(tune, judged, deadline)
    notes += untuned_notes(chosen) if tuning else []
    settings = replace(settings, views=problem.view_columns, noise_matrix=matrix, tuning=tuning)
    looked = diagnosis and has_views(problem)
    return Plan(
        problem,
        tuple(chosen),
        judged,
        noise,
        settings,
        rows.folds,
        rows.repeats,
        rows.splits,
        looked,
        refit,
        command,
        tuple(notes),
        None if training is problem else training,
        measures,
        deciding,
        deadline,
        1 if deadline is not None else workers,
    )


@dataclass(frozen=True)
class Plan:
    """A comparison that can be run.

    Attributes
    ----------
    problem : Problem
    methods : tuple of Method
    metric : Measure
        That ranks.
    noise : LabelNoise or None
    settings : Settings
    folds, repeats : int
    splits : sequence of (train, test) or None
        None for stratified folds.
    diagnosed, refit : bool
        Whether to look at the views, and to fit on all rows in the end.
    command : str
    notes : tuple of str
        What the reader should know in addition to the notes of the problem.
    training : Problem or None
        What the last fits learn from, if not from all rows of the problem.
    measures : dict of str to Measure
        What is measured.
    deciding : Deciding or None
        The goal of decision rules, if one was given.
    deadline : Deadline or None
        When no further fit begins.
    workers : int
        Processes that fit side by side.
    """

    problem: Problem
    methods: tuple[Method, ...]
    metric: Measure
    noise: LabelNoise | None
    settings: Settings
    folds: int
    repeats: int
    splits: Sequence[Split] | None
    diagnosed: bool
    refit: bool
    command: str
    notes: tuple[str, ...]
    training: Problem | None = None
    measures: dict[str, Measure] = field(default_factory=lambda: dict(MEASURES))
    deciding: Deciding | None = None
    deadline: Deadline | None = None
    workers: int = 1

    @property
    def prices(self) -> NDArray[np.float64] | None:
        """Costs of predictions, if they were given."""
        return None if self.deciding is None else self.deciding.cost

    @property
    def steps(self) -> int:
        """How many fits there will be, at most."""
        explained = sum(map(explains_itself, self.methods))
        last = max(explained, 1) if self.refit else 0
        return self.folds * self.repeats * len(self.methods) + last + self.diagnosed

    def run(
        self,
        progress: Callable[[Progress], None] | None = None,
        kept: KeptFolds | None = None,
    ) -> Comparison:
        """Cross-validate, then fit the best method and those that explain themselves on all rows.

        Parameters
        ----------
        progress : callable, optional
            Called with a `Progress` after every fit and round.
        kept : KeptFolds, optional
            Where finished fits are kept, and taken from.

        Raises
        ------
        InputError
            If every method fails.
        """
        observer = Reporter(progress, self.steps)
        problem, measures = self.problem, self.measures
        splits = self.splits or stratified_folds(
            problem, self.folds, self.repeats, self.settings.seed
        )
        views = diagnose_views(problem, self.settings, observer) if self.diagnosed else None
        results = cross_validate(
            problem,
            self.methods,
            self.settings,
            metric=self.metric,
            measures=measures,
            splits=splits,
            observer=observer,
            kept=kept,
            deadline=self.deadline,
            workers=self.workers,
        )
        done = len(next(iter(results[0].scores.values())))
        methods = [m for m in self.methods if m.name in {result.name for result in results}]
        left_out = self._left_out(methods, done, len(splits))
        splits, unseen = splits[:done], dict[str, Any]()
        known = self._known(methods, results)
        if self.deciding is not None:
            decider = Decider(problem, splits, measures, self.settings, self.deciding)
            results = [decider.decide(*pair) for pair in zip(methods, results)]
            unseen = decider.unseen
        found = self._found(methods, results, splits, left_out, unseen, known)
        if views is not None:
            seen = ViewSummary.all_of(views)
            found = replace(found, views=seen, view_rows=views.n_rows)
        if np.isnan(found.winner.mean(self.metric.name)):
            best = found.winner
            raise InputError(f"every method failed; {best.label}: {best.errors[0].message}")
        return self._refitted(found, observer) if self.refit else found

    def _found(
        self,
        methods: Sequence[Method],
        results: Sequence[MethodResult],
        splits: Sequence[Split],
        left_out: Sequence[str],
        unseen: dict[str, Any],
        known: KnownScores | None,
    ) -> Comparison:
        """What cross-validation found on the folds that were finished."""
        problem, measures = self.problem, self.measures
        whole = len(splits) == self.folds * self.repeats
        return Comparison(
            title=f"Methods compared on {problem.name}",
            created=now(),
            command=self.command,
            versions=versions(),
            seed=self.settings.seed,
            data=DataSummary.of(problem),
            metric=self.metric.name,
            measures=[measure.on(len(problem.classes)) for measure in measures.values()],
            folds=self.folds if whole else len(splits),
            repeats=self.repeats if whole else 1,
            methods=[self._corrected(*pair) for pair in zip(methods, results)],
            warnings=[
                *problem.notes,
                *self.notes,
                *left_out,
                *_warned(results),
            ],
            dummies=guess(problem, splits, measures, self.settings.seed, self.prices),
            test_share=float(np.mean([len(test) / len(train) for train, test in splits])),
            noise=NoiseSummary.of(self.noise) if self.noise else None,
            refit_plan=RefitPlan(
                problem,
                *self._last_fits(methods, results),
                [test for _, test in splits],
                self.splits is not None,
                training=self.training,
                deciding=self.deciding,
                unseen=unseen,
                known=known,
            ),
        )

    def _known(
        self, methods: Sequence[Method], results: Sequence[MethodResult]
    ) -> KnownScores | None:
        """Scores of all rows that a stack learns from, if the folds give enough of them."""
        if stack_of(methods, self.problem) is None or self.training is not None:
            return None
        own = [r for m, r in zip(methods, results) if m.name != STACK and not m.package]
        return KnownScores.of(own, np.arange(len(self.problem.y)))

    def _last_fits(
        self, methods: Sequence[Method], results: Sequence[MethodResult]
    ) -> tuple[dict[str, Method], Settings]:
        """How methods are fitted on all rows: with what was searched before, if time is short."""
        needed = 3.0 * max(mean(result.fit_seconds) for result in results)
        if self.settings.tuning is None or self.deadline is None or self.deadline.allows(needed):
            return {method.name: method for method in methods}, self.settings
        chosen = {result.name: most_chosen(result.tuned) for result in results}
        fixed = {m.name: with_params(m, chosen[m.name]) for m in methods}
        return fixed, replace(self.settings, tuning=None)

    def _left_out(self, methods: Sequence[Method], done: int, total: int) -> list[str]:
        """Note what a deadline left no time for."""
        if self.deadline is None:
            return []
        missing = [method.label for method in self.methods if method not in methods]
        if done == total and not missing:
            return []
        told = [f"{done} of {total} folds were finished by all methods"] if done < total else []
        told += [f"{listing(missing)} did not begin and is left out"] if len(missing) == 1 else []
        told += [f"{listing(missing)} did not begin and are left out"] if len(missing) > 1 else []
        limit = in_words(self.deadline.seconds)
        return [f"{OUT_OF_TIME} {limit} was reached: {'; '.join(told)}."]

    def _corrected(self, method: Method, result: MethodResult) -> MethodResult:
        """Add the confusion behind the noise in the labels."""
        if self.noise is None:
            return result
        counts = np.array(result.confusion)
        answered = bool(counts.any())
        return replace(
            result,
            corrected=(self.noise.probable_counts(counts) if answered else counts).tolist(),
            knows_noise=knows_noise(method),
            matrix_range=self.noise.matrix_range(counts) if answered else {},
        )

    def _refitted(self, found: Comparison, observer: Observer) -> Comparison:
        """Add which columns support which class, and what a stack keeps, from fits on all rows."""
        refit_plan: Any = found.refit_plan
        settings = refit_plan.settings
        rows = self.training or self.problem
        chosen = [
            refit_plan.methods[result.name]
            for result in found.methods
            if self._is_refitted(found, result, refit_plan.methods[result.name])
        ]
        last = [m for m in chosen if m.name == STACK and refit_plan.known is not None]
        alone = [method for method in chosen if method not in last]
        fits = fit_methods(alone, rows, settings, observer, self.workers)
        joined = (_fitted_or_error(refit_plan, method, observer) for method in last)
        for fitted, method in zip(chain(fits, joined), [*alone, *last]):
            if not isinstance(fitted, Exception):
                refit_plan.models[method.name] = fitted
                continue
            reason = f"{type(fitted).__name__}: {fitted}"
            told = f"{method.label} could not be fitted on all rows: {reason}"
            refit_plan.failed[method.name] = told
            found.warnings.append(told)
            warnings.warn(told, stacklevel=4)
        models = refit_plan.models
        learnt = np.isin(self.problem.classes, (self.training or self.problem).classes)
        methods = [_explained(one, models.get(one.name), learnt) for one in found.methods]
        stack = None
        if STACK in models:
            kept = next(result.kept for result in methods if result.name == STACK)
            stack = StackSummary.of(STACK, models[STACK][-1], kept)
        return replace(found, methods=methods, stack=stack)

    def _is_refitted(self, found: Comparison, result: MethodResult, method: Method) -> bool:
        """The best method in any case; those that explain themselves if there is time."""
        if result.name == found.best_:
            return True
        in_time = self.deadline is None or self.deadline.allows(2.0 * mean(result.fit_seconds))
        return explains_itself(method) and not result.errors and in_time


def _fitted_or_error(
    refit_plan: RefitPlan, method: Method, observer: Observer
) -> Pipeline | Exception:
    """A stack that is fitted last, by what the fits before it gave."""
    observer.begin(method.label, "all rows")
    try:
        return refit_plan.fit(method.name)
    except Exception as error:  # what was found before must not be lost
        return error
    finally:
        observer.end(method.label)


def _warned(results: Iterable[MethodResult]) -> list[str]:
    return [f"{result.label} warned: {text}" for result in results for text in result.warnings]


def _explained(
    result: MethodResult, model: Pipeline | None, learnt: NDArray[np.bool_]
) -> MethodResult:
    """Add which columns support which class; none for a class that is only in a test table."""
    if model is None or not hasattr(model[-1], "explain"):
        return result
    try:
        explanation = model[-1].explain()
    except Exception:  # a classifier of the user may call something else so
        return result
    if not hasattr(explanation, "view_share"):
        return result
    shares = []
    for known in (explanation.view_share, explanation.feature_share):
        wide = np.zeros((len(known), len(learnt)))
        wide[:, learnt] = known
        shares.append(wide)
    names = (explanation.view_names, explanation.feature_names)
    return replace(
        result,
        view_share=Share.top(names[0], shares[0]),
        feature_share=Share.top(names[1], shares[1], n=MOST_SHOWN_FEATURES),
    )
