"""Comparing methods on one table: everything is checked, then cross-validated, then refitted.

`plan_comparison` refuses what cannot work before any model is fitted; `Plan.run` does the work.
`compare` and the command line are both built from these two.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline

from uneven.comparison.costfile import read_cost
from uneven.comparison.crossval import (
    Observer,
    Progress,
    Reporter,
    cross_validate,
    diagnose_views,
    fit_method,
    has_views,
    with_params,
)
from uneven.comparison.deadline import Deadline, in_words, read_seconds
from uneven.comparison.deciding import Decider, Deciding
from uneven.comparison.dummies import guess
from uneven.comparison.encoding import encoding_for
from uneven.comparison.errors import InputError, in_python_words, python_words
from uneven.comparison.folds import (
    Split,
    fold_notes,
    past_folds,
    possible_folds,
    stratified_folds,
)
from uneven.comparison.goals import deciding_for, judged_by, measures_of, ranking_measure
from uneven.comparison.inputs import read_data, read_noise
from uneven.comparison.kept_folds import KeptFolds
from uneven.comparison.leaks import leak_notes
from uneven.comparison.measures import MEASURES, LabelNoise, Measure
from uneven.comparison.methods import (
    STACK,
    choose_methods,
    default_methods,
    explains_itself,
    knows_noise,
    stack_methods,
)
from uneven.comparison.problem import Problem
from uneven.comparison.results import Comparison, MethodResult, RefitPlan
from uneven.comparison.schema import Schema
from uneven.comparison.schemafile import decide
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
from uneven.comparison.testtable import join_test
from uneven.comparison.tuning import Tuning, most_chosen
from uneven.utils.methods import Method, Settings
from uneven.utils.parameters import Jobs, Maybe, Whole
from uneven.utils.registry import listing

MOST_SHOWN_FEATURES = 15
MOSTLY = 0.5
"""Numbers that agree with the label in more than this share of the rows look like labels."""

OUT_OF_TIME = "the time limit of"
"""How the note begins about what was left out."""

Methods = str | Any | Sequence[str | Any | tuple[str, Any]] | Mapping[str, str | Any]


def compare(
    X: Any,
    y: Any = None,
    *,
    methods: Methods | None = None,
    metric: str | None = None,
    measure: str | None = None,
    cost: Any = None,
    calibrate: bool | None = None,
    cv: Any = 5,
    repeats: int = 1,
    groups: Any = None,
    time: Any = None,
    test: Any = None,
    id: str | None = None,
    on: str | None = None,
    views: Any = None,
    noise_matrix: Any = None,
    rounds: int = 200,
    max_depth: int = 3,
    random_state: int | np.random.RandomState | None = 0,
    n_jobs: int | None = None,
    stack: bool = False,
    diagnosis: bool = True,
    refit: bool = True,
    drop: str | Sequence[str] = (),
    keep: str | Sequence[str] = (),
    text: str | Sequence[str] = (),
    missing: str | Sequence[str] = (),
    schema: Any = None,
    name: str | None = None,
    encoding: str = AUTO,
    sheet: str | None = None,
    tune: int | None = None,
    time_limit: str | float | None = None,
    resume: str | Path | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Comparison:
    """Compare methods on the same folds of one table.

    Parameters
    ----------
    X : array-like, sparse matrix, pandas or polars frame of shape (n, d), or path
        The table. Columns may hold numbers (also with currency, percent, units, thousands and
        decimal commas), dates, truth values, categories, running text and missing cells. A path
        is that of a CSV, Parquet, Feather, Excel or JSON lines file. With `on`: a folder or a list
        of such files, or a dict of view names to files or frames.
    y : array-like of shape (n,), or str
        Class labels, or the name of the column of `X` that holds them. Rows without a label are
        left out.
    methods : None, str, classifier, list of them, or dict of str to them
        Names as in ``uneven compare --help``, and scikit-learn classifiers: a pipeline gets the
        columns of a frame as they are (but not inside a stack); for other classifiers categories
        become indicators, and missing numbers medians if they do not take NaN. They see labels
        as they are. None compares all methods that fit the data.
    metric : str or None
        Measure that ranks: ``"confusion_norm"``, ``"gmean"``, ``"balanced_accuracy"``,
        ``"accuracy"``, ``"mauc"``, ``"macro_f1"``, ``"worst_recall"``, ``"log_loss"`` or
        ``"brier"``. None takes the confusion norm, or with `noise_matrix` the balanced accuracy,
        which can be corrected without bias.
    measure : str, optional
        What answers are to be good for, a name as for `metric`, which it is the default of. Every
        method with probabilities answers by a decision rule that was chosen for it on out-of-fold
        probabilities, unless its own answers are better; the model answers so, too.
    cost : array-like of shape (K, K), frame or path, optional
        Prices of answers: row = true class, column = answer, sorted, or named in a frame or file.
        The answer of smallest expected cost is given, and the cost per row ranks.
    calibrate : bool, optional
        Whether the probabilities are calibrated on out-of-fold ones; None does it with `measure`
        or `cost`. True alone chooses a rule for `metric`.
    cv : int, splitter or iterable of (train, test)
        Number of stratified folds, or other folds. Pairs hold positions of rows of `X`, or masks;
        a splitter gets the rows with a label, and may count these or all rows of `X`.
    repeats : int
        Repetitions with new folds, if `cv` is a number.
    groups : str or array-like of shape (n,), optional
        Groups of rows that stay together, such as those of one patient: the name of a column,
        which is then not learnt from, or one group for each row. In a splitter, or in stratified
        folds if `cv` is a number.
    time : str or array-like of shape (n,), optional
        Dates or numbers: the name of a column, or one for each row. Methods learn from the past
        and answer for `cv` parts of what comes after.
    test : path, frame, or pair of table and labels, optional
        A table of its own to answer for, in place of folds. Methods, also the best one in the
        end, learn from `X` alone.
    id : str, optional
        Column that names the rows in held-out answers; it is not learnt from. Without it, a frame
        names them by its index.
    on : str, optional
        Column by which the tables in `X` are joined. Each is a view, missing in the rows whose key
        it lacks. See `uneven.comparison.join_tables`.
    views : optional
        How the columns group into views, as for the estimators; or ``"prefix"``, or the path of a
        TOML file.
    noise_matrix : array-like of shape (K, K), frame or path, optional
        How the labels are wrong: row = observed label, column = true class, sorted. Methods that
        can learn through the noise are told, and all are judged by corrected measures.
    rounds, max_depth : int
        Rounds and depth of the trees of the boosting methods of this library.
    random_state : int, RandomState or None
        Seed of folds and methods, also of given classifiers whose ``random_state`` is None.
    n_jobs : int or None
        Threads that each method may use.
    stack : bool
        Whether to join the methods in one more, which learns how much each counts.
    diagnosis : bool
        Whether to look at each view on its own, if there are several.
    refit : bool
        Whether to fit the best method, and those that can explain themselves, on all rows.
    drop, keep : str or sequence of str
        Columns to leave out, and to use although they look like row numbers or identifiers.
    text : str or sequence of str
        Columns of running text, which are learnt from by their words.
    missing : str or sequence of str
        Cells that count as missing beside the usual marks, such as ``"999"``.
    schema : path or mapping, optional
        How columns are to be read: a file as ``Comparison.schema_text`` and the command line write
        it, or its content, ``{"columns": {"zip": {"kind": "category"}}}``.
    name : str, optional
        What to call the data.
    encoding : str
        Of a text file; ``"auto"`` finds it out.
    sheet : str, optional
        Sheet of a workbook.
    tune : int, optional
        How many settings of each method to try in every training part, by `metric` on folds of it;
        what is measured on held-out rows includes the search. Methods without parameters worth a
        search, and classifiers of your own, stay as they are.
    time_limit : float or str, optional
        Seconds, or a span such as ``"10m"``, after which no further fit begins. Methods then take
        turns fold by fold; folds that not all have finished, and methods without any fold, are
        left out, with a note. The best one is fitted on all rows in any case.
    resume : str or Path, optional
        Folder in which finished fits are kept. If the same call is stopped and made again, it
        goes on from there and finds the same.
    progress : callable, optional
        Called with a `uneven.comparison.Progress` after every fit and round.

    Returns
    -------
    Comparison
        Ranking, recalls, confusion matrices, held-out answers and scores, the best model, and a
        report.

    Raises
    ------
    InputError
        A ValueError: if data or arguments are wrong, or if every method fails.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from uneven import compare
    >>> from uneven.datasets import load_demo
    >>> demo = load_demo()
    >>> methods = {"guess": DummyClassifier(), "combo": "combo"}
    >>> found = compare(demo.data, demo.target, methods=methods, cv=2, rounds=40)
    >>> found.best_
    'combo'
    """
    given = dict(locals())
    with in_python_words():
        named = None if methods is None else as_methods(methods)
        _check_numbers(given)
        drop, keep = _column_names(drop), _column_names(keep)
        rank = ranking_measure(metric, measure, cost is not None, noise_matrix is not None)
        problem = read_data(
            X,
            y,
            views=views,
            drop=drop,
            keep=keep,
            name=name,
            encoding=encoding,
            decisions=decide(schema, _column_names(missing), _column_names(text)),
            sheet=sheet,
            groups=groups if isinstance(groups, str) else None,
            time=time if isinstance(time, str) else None,
            id=id,
            on=on,
        )
        plan = plan_comparison(
            problem,
            methods=named,
            metric=rank,
            measure=measure,
            cost=cost,
            calibrate=calibrate,
            noise=read_noise(noise_matrix, problem, encoding),
            cv=cv,
            repeats=repeats,
            groups=None if isinstance(groups, str) else groups,
            time=None if isinstance(time, str) else time,
            test=test,
            encoding=encoding,
            settings=Settings(rounds, max_depth, _seed(random_state), n_jobs),
            stack=stack,
            diagnosis=diagnosis,
            refit=refit,
            tune=tune,
            time_limit=time_limit,
            command=_command(given),
        )
        notes = tuple(map(python_words, plan.notes))
        problem = replace(plan.problem, notes=tuple(map(python_words, plan.problem.notes)))
        plan = replace(plan, notes=notes, problem=problem)
        return plan.run(progress, None if resume is None else KeptFolds(resume))


def as_methods(given: Methods) -> list[Method]:
    """Methods by name, and classifiers from elsewhere.

    Parameters
    ----------
    given : str, classifier, list of them, or dict of str to them

    Raises
    ------
    InputError
        If a name is not known, or something is no classifier.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> [method.name for method in as_methods(["combo", DummyClassifier()])]
    ['combo', 'DummyClassifier']
    """
    pairs: list[tuple[str | None, Any]]
    if isinstance(given, Mapping):
        pairs = [(str(key), value) for key, value in given.items()]
    elif isinstance(given, str) or hasattr(given, "fit"):
        pairs = [(None, given)]
    elif isinstance(given, Iterable):
        pairs = [item if isinstance(item, tuple) else (None, item) for item in given]
    else:
        pairs = [(None, given)]
    if any(len(pair) != 2 or not isinstance(pair[0], str | None) for pair in pairs):
        raise InputError("a tuple in methods must be a name and a classifier: (name, classifier).")
    found: dict[str, Method] = {}
    for key, value in pairs:
        method = choose_methods([value])[0] if isinstance(value, str) else foreign_method(value)
        if key is not None and key != method.name:
            method = replace(method, name=key, label=key)
        elif method.name in found and not isinstance(value, str):
            label = f"{method.name}_{sum(n.startswith(method.name) for n in found) + 1}"
            method = replace(method, name=label, label=label)
        if method.name == STACK:
            raise InputError(f"no method may be called {STACK!r}: a stack of all has this name.")
        if method.name in found:
            raise InputError(f"methods holds {method.name!r} twice; give each a name of its own.")
        found[method.name] = method
    return list(found.values()) or choose_methods([])


def foreign_method(estimator: Any) -> Method:
    """A classifier from elsewhere, as a method.

    Parameters
    ----------
    estimator : classifier
        It is cloned. If it has parameters ``views``, ``noise_matrix`` and ``random_state`` that
        are None, it gets those of the comparison.

    Returns
    -------
    Method
        With the name of its class.
    """
    name = type(estimator).__name__
    if isinstance(estimator, type):
        raise InputError(f"{estimator.__name__} is a class; give an instance, with ().")
    needed = all(hasattr(estimator, part) for part in ("fit", "predict", "get_params"))
    if not needed or not _classifies(estimator):
        raise InputError(
            f"methods holds {name}, which is no classifier; give names of methods or scikit-learn "
            "classifiers."
        )
    kind: Any = "ours" if type(estimator).__module__.startswith("uneven.") else "baseline"
    encoding: Any = encoding_for(estimator)
    make = partial(_copy, estimator)
    return Method(name, name, kind, f"{name}, as it was given.", encoding, make, given=True)


def _copy(estimator: Any, settings: Settings) -> Any:
    """A clone with the seed and the views of the comparison where it has none of its own."""
    made = clone(estimator)
    if "views" in made.get_params(deep=False) and made.views is None and settings.views:
        made.set_params(views={n: list(c) for n, c in settings.views.items()})
    params = made.get_params()
    seeds = [p for p, v in params.items() if p.split("__")[-1] == "random_state" and v is None]
    if seeds:
        made.set_params(**dict.fromkeys(seeds, settings.seed))
    return made


def _classifies(estimator: Any) -> bool:
    try:
        return bool(is_classifier(estimator))
    except (AttributeError, TypeError):
        return True


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
            tune, time_limit
        As in `compare`, but for groups and times in columns, which the problem knows.
    settings : Settings
        Without views and noise matrix, which come from the data.
    command : str
        What was called.
    """
    deadline = None if time_limit is None else Deadline(read_seconds(time_limit) or 0.0)
    counted = isinstance(cv, int | np.integer)
    if counted and repeats < 1:
        raise InputError(f"--repeats is {repeats}; give 1 or more.")
    if test is None:
        problem = _with_order(problem, groups, time)
    training, splits, folds, told = problem, None, cv, list[str]()
    if test is not None:
        problem, pair = join_test(problem, test, encoding)
        splits, folds, repeats = [pair], 1, 1
    elif problem.times is not None:
        splits, repeats = _past(cv, problem), 1
        folds = len(splits)
    elif counted and problem.groups is None:
        told = fold_notes(problem, int(cv))
        folds = possible_folds(problem, int(cv))
    else:
        splits = _splits(cv, problem, repeats, settings.seed)
        folds = len(splits) // int(repeats)
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
        *_uncorrected_notes(measures[metric], noise),
    ]
    matrix = noise.undone.matrix if noise else None
    tuning = None if tune is None else Tuning(tune, judged, deadline)
    notes += _untuned_notes(chosen) if tuning else []
    settings = replace(settings, views=problem.view_columns, noise_matrix=matrix, tuning=tuning)
    looked = diagnosis and has_views(problem)
    counts = (int(folds), int(repeats), splits)
    return Plan(
        problem,
        tuple(chosen),
        judged,
        noise,
        settings,
        *counts,
        looked,
        refit,
        command,
        tuple(notes),
        None if training is problem else training,
        measures,
        deciding,
        deadline,
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
        What the reader should know beside the notes of the problem.
    training : Problem or None
        What the last fits learn from, if not from all rows of the problem.
    measures : dict of str to Measure
        What is measured.
    deciding : Deciding or None
        What answers are to be good for, if that was said.
    deadline : Deadline or None
        When no further fit begins.
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

    @property
    def prices(self) -> NDArray[np.float64] | None:
        """What answers cost, if that was said."""
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
        )
        done = len(next(iter(results[0].scores.values())))
        total, cut = len(splits), done < len(splits)
        methods = [m for m in self.methods if m.name in {result.name for result in results}]
        splits = splits[:done]
        decider = None
        if self.deciding is not None:
            decider = Decider(problem, splits, measures, self.settings, self.deciding)
            results = [decider.decide(*pair) for pair in zip(methods, results)]
        found = Comparison(
            title=f"Methods compared on {problem.name}",
            created=now(),
            command=self.command,
            versions=versions(),
            seed=self.settings.seed,
            data=DataSummary.of(problem),
            metric=self.metric.name,
            measures=[measure.on(len(problem.classes)) for measure in measures.values()],
            folds=done if cut else self.folds,
            repeats=1 if cut else self.repeats,
            methods=[self._corrected(*pair) for pair in zip(methods, results)],
            warnings=[
                *problem.notes,
                *self.notes,
                *self._left_out(methods, done, total),
                *_warned(results),
            ],
            dummies=guess(problem, splits, measures, self.settings.seed, self.prices),
            test_share=float(np.mean([len(test) / len(train) for train, test in splits])),
            views=ViewSummary.all_of(views) if views else [],
            view_rows=views.n_rows if views else 0,
            noise=NoiseSummary.of(self.noise) if self.noise else None,
            refit_plan=RefitPlan(
                problem,
                *self._last_fits(methods, results),
                [test for _, test in splits],
                self.splits is not None,
                training=self.training,
                deciding=self.deciding,
                unseen={} if decider is None else decider.unseen,
            ),
        )
        if np.isnan(found.winner.mean(self.metric.name)):
            best = found.winner
            raise InputError(f"every method failed; {best.label} said: {best.errors[0].message}")
        return self._refitted(found, observer) if self.refit else found

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
        """Tell what a deadline left no time for."""
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
        """Add who speaks for which class, and what a stack keeps, from fits on all rows."""
        refit_plan: Any = found.refit_plan
        settings = refit_plan.settings
        for result in found.methods:
            method = refit_plan.methods[result.name]
            if self._is_refitted(found, result, method):
                try:
                    rows = self.training or self.problem
                    model = fit_method(method, rows, settings, observer)
                    refit_plan.models[result.name] = model
                except Exception as error:  # what was found before must not be lost
                    reason = f"{type(error).__name__}: {error}"
                    told = f"{method.label} could not be fitted on all rows: {reason}"
                    refit_plan.failed[result.name] = told
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


def _warned(results: Iterable[MethodResult]) -> list[str]:
    return [f"{result.label} warned: {text}" for result in results for text in result.warnings]


def _explained(
    result: MethodResult, model: Pipeline | None, learnt: NDArray[np.bool_]
) -> MethodResult:
    """Add who speaks for which class; nobody speaks for one that is only in a test table."""
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


OFTEN_MISSING = 0.05
"""A view that is missing in this share of the rows is worth a note."""


def fit_notes(methods: Iterable[Method], problem: Problem, noise: LabelNoise | None) -> list[str]:
    """What the reader should know before methods are fitted: what they cannot use or must not."""
    found = list(methods)
    return [
        *_single_view_notes(found, problem),
        *_missing_view_notes(found, problem),
        *_leak_notes(problem, noise),
        *_unaware_notes(found, noise),
    ]


def _single_view_notes(methods: Iterable[Method], problem: Problem) -> list[str]:
    """Tell which methods have nothing to join because the table is one view."""
    if has_views(problem):
        return []
    return [
        f"{method.label} joins views, but there is one view only; say with --views how the "
        "columns group."
        for method in methods
        if method.joins_views
    ]


def _untuned_notes(methods: Iterable[Method]) -> list[str]:
    """Tell which methods have nothing to search."""
    plain = [method.label for method in methods if not method.tunes]
    return [f"--tune: nothing is searched for {listing(plain)}."] if plain else []


def _missing_view_notes(methods: Iterable[Method], problem: Problem) -> list[str]:
    """Tell which views are often missing, if a method reads the columns of all views at once."""
    early = [m.label for m in methods if not (m.joins_views or m.name == "uneven")]
    if not has_views(problem) or sp.issparse(problem.X) or not early:
        return []
    shares = {
        view: float(problem.X[columns].isna().all(axis=1).mean())
        for view, columns in (problem.views or {}).items()
    }
    often = [f"{view} ({share:.0%})" for view, share in shares.items() if share >= OFTEN_MISSING]
    if not often:
        return []
    return [
        f"rows lack whole views: {', '.join(often)}. {', '.join(early)} read all columns at once "
        "and lose most there; uneven, mucombo and mumbo learn each view from the rows that have it."
    ]


def _unaware_notes(methods: Iterable[Method], noise: LabelNoise | None) -> list[str]:
    """Tell which methods learn from noisy labels as if they were true."""
    if noise is None:
        return [
            f"{method.label} is meant for labels that are wrong in a known way; without "
            "--noise-matrix it believes them."
            for method in methods
            if method.needs_noise
        ]
    unaware = [method.label for method in methods if not knows_noise(method)]
    if not unaware:
        return []
    names = ", ".join(unaware)
    return [f"no noise matrix can be given to {names}: the labels are believed as given."]


def _leak_notes(problem: Problem, noise: LabelNoise | None) -> list[str]:
    """Tell which columns may hold the checked labels, from which methods would read the answer.

    Columns of class names, and columns of numbers that are classes and mostly agree with the
    label.
    """
    if noise is None or problem.schema.sparse:
        return []
    classes, labels = set(problem.classes.astype(str)), problem.y.astype(str)
    suspects = []
    for column in problem.schema.columns:
        cells = problem.X[column.name]
        present = cells.notna().to_numpy()
        names = np.array([_class_name(cell) for cell in cells[present]])
        if len(set(names)) < 2 or not set(names) <= classes:
            continue
        if column.kind == "category" or np.mean(names == labels[present]) > MOSTLY:
            suspects.append(column.name)
    return [
        f"column {name!r} holds nothing but classes; if these are checked labels, the methods read "
        f"the answer there: --drop {name}."
        for name in suspects
    ]


def _class_name(cell: object) -> str:
    whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell)) if whole else str(cell)  # type: ignore[call-overload]


def _uncorrected_notes(metric: Measure, noise: LabelNoise | None) -> list[str]:
    if noise is None or noise.judged_by(metric) is not metric:
        return []
    return [f"{metric.label} cannot be corrected for the noise: it ranks by the labels as given."]


def _splits(cv: Any, problem: Problem, repeats: int, seed: int) -> list[Split]:
    """Folds of a splitter, or given ones, each with rows to learn from and to answer for."""
    n, y = len(problem.y), problem.y
    total = problem.n_given or n
    rows = np.arange(n) if problem.rows is None else problem.rows
    kept, pairs = problem.groups, cv
    try:
        if isinstance(cv, int | np.integer):
            pairs = stratified_folds(problem, int(cv), int(repeats), seed, kept)
        elif repeats != 1:
            raise InputError(
                "--repeats belongs to a number of folds; a splitter repeats by itself."
            )
        elif hasattr(cv, "split") and not isinstance(cv, str):
            pairs = list(cv.split(problem.X, y, kept))
        elif isinstance(cv, str) or not isinstance(cv, Iterable):
            raise InputError(f"--cv must be a number, a splitter or pairs of rows, got {cv!r}.")
        found = [tuple(map(np.asarray, (train, test))) for train, test in pairs]
    except (TypeError, ValueError, IndexError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"--cv cannot split the {n} rows: {error}") from error
    if not found:
        raise InputError("--cv has no folds; give a number, a splitter or (train, test) pairs.")
    place = np.full(total, -1)
    place[rows] = np.arange(n)
    if pairs is not cv and all((part < n).all() for pair in found for part in pair):
        place = np.arange(n)  # a splitter counts the rows with a label, or all
    folds = [_fold(number, pair, place) for number, pair in enumerate(found, start=1)]
    for number, (train, _) in enumerate(folds, start=1):
        if len(np.unique(y[train])) < 2:
            raise InputError(f"fold {number} of --cv has a single class to learn from.")
    return folds


def _past(cv: Any, problem: Problem) -> list[Split]:
    """Folds that learn from the past."""
    if not isinstance(cv, int | np.integer):
        raise InputError("--time belongs to a number of folds; a splitter knows its own order.")
    times = np.asarray(problem.times, dtype=np.float64)
    return past_folds(problem, times, int(cv), problem.groups)


def _with_order(problem: Problem, groups: Any, time: Any) -> Problem:
    """A problem with the groups and the times of its rows, if they were given as such."""
    rows = np.arange(len(problem.y)) if problem.rows is None else problem.rows
    total = problem.n_given or len(problem.y)
    if groups is not None:
        problem = replace(problem, groups=_groups(groups, total, rows))
    if time is not None:
        given = pd.Series(np.asarray(time)) if not hasattr(time, "to_numpy") else pd.Series(time)
        given = given.reset_index(drop=True)
        if given.shape != (total,):
            raise InputError(f"time must hold one value for each of the {total} rows of X.")
        schema = Schema.of(given.to_frame("time"))
        if schema.columns[0].kind not in ("date", "number"):
            raise InputError("time must hold dates or numbers.")
        times = schema.convert(given.to_frame("time"))["time"].to_numpy(np.float64)[rows]
        problem = replace(problem, times=times)
    return problem


def _fold(number: int, pair: Iterable[NDArray], place: NDArray[np.intp]) -> Split:
    """Rows to learn from and to answer for, counted among those with a label."""
    found = []
    for part, given in zip(("learn from", "answer for"), pair):
        rows = (
            np.flatnonzero(given) if given.shape == place.shape and given.dtype == bool else given
        )
        if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
            raise InputError(
                f"fold {number} of --cv must hold positions of rows, or one truth value for each "
                f"of the {len(place)} rows, got {given.dtype} of shape {given.shape}."
            )
        fits = rows.size and rows.min() >= 0 and rows.max() < len(place)
        rows = place[rows] if fits else rows[:0]
        found.append(rows[rows >= 0])
        if not found[-1].size:
            raise InputError(
                f"fold {number} of --cv has no rows to {part} among the {len(place)} rows."
            )
    if np.intersect1d(found[0], found[1]).size:
        raise InputError(f"fold {number} of --cv answers for rows that it learns from.")
    if np.unique(found[1]).size < found[1].size:
        raise InputError(f"fold {number} of --cv answers for a row twice.")
    return found[0], found[1]


def _groups(given: Any, total: int, rows: NDArray[np.intp]) -> NDArray | None:
    """The groups of the rows with a label."""
    if given is None:
        return None
    groups = np.asarray(given)
    if groups.shape != (total,):
        raise InputError(
            f"groups must hold one group for each of the {total} rows of X, got "
            f"{repr(given) if groups.ndim == 0 else f'shape {groups.shape}'}."
        )
    return groups[rows]


def _check_numbers(given: Mapping[str, Any]) -> None:
    """Refuse numbers of a call that no fit could use."""
    whole = {"rounds": 1, "max_depth": 1, "repeats": 1}
    try:
        for name, low in whole.items():
            Whole(low).check(name, given[name])
        Maybe(Whole(2)).check("tune", given["tune"])
        Jobs().check("n_jobs", given["n_jobs"])
        if isinstance(given["cv"], bool | float):
            raise ValueError(f"cv must be a whole number of folds, got {given['cv']!r}.")
        if given["n_jobs"] == 0:
            raise ValueError("n_jobs must not be 0; give None, -1 or a number of threads.")
    except ValueError as error:
        raise InputError(str(error)) from error


def _column_names(given: Any) -> list[str]:
    """Names of columns as text; a single one may stand alone."""
    alone = isinstance(given, str) or not isinstance(given, Iterable)
    return [str(name) for name in ([given] if alone else given)]


def _seed(random_state: Any) -> int:
    if isinstance(random_state, int | np.integer) and 0 <= random_state < 2**32:
        return int(random_state)
    if random_state is None:
        return int(np.random.default_rng().integers(2**32))
    if hasattr(random_state, "randint"):
        return int(random_state.randint(2**31))
    raise InputError(
        "random_state must be None, a RandomState or a number from 0 to 2**32 - 1, "
        f"got {random_state!r}."
    )


def _command(given: Mapping[str, Any]) -> str:
    """The call as a person would write it: arguments that are not as usual."""
    usual = compare.__kwdefaults__ or {}
    words = [repr(str(given["X"])) if isinstance(given["X"], str | Path) else "X"]
    words.append(repr(given["y"]) if isinstance(given["y"], str) else "y")
    for name, default in usual.items():
        value = given[name]
        if (
            name == "progress"
            or value is default
            or (isinstance(value, str | int) and value == default)
        ):
            continue
        plain = isinstance(value, str | int | float | list | tuple | dict)
        shown = repr(value) if plain else ""
        words.append(f"{name}={shown}" if 0 < len(shown) < 200 else f"{name}=...")
    return f"uneven.compare({', '.join(words)})"
