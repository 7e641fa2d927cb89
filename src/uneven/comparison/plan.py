"""Comparing methods on one table: everything is checked, then cross-validated, then refitted.

`plan_comparison` refuses what cannot work before any model is fitted; `Plan.run` does the work.
`compare` and the command line are both built from these two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline

from uneven.comparison.crossval import (
    Observer,
    Progress,
    Reporter,
    Split,
    cross_validate,
    diagnose_views,
    fit_method,
    has_views,
    stratified_folds,
)
from uneven.comparison.encoding import encoding_for
from uneven.comparison.errors import InputError, in_python_words, python_words
from uneven.comparison.inputs import read_data, read_noise
from uneven.comparison.measures import MEASURES, LabelNoise, Measure, choose_measure
from uneven.comparison.methods import (
    STACK,
    choose_methods,
    default_methods,
    explains_itself,
    knows_noise,
    stack_methods,
)
from uneven.comparison.problem import Problem, check_folds
from uneven.comparison.results import Comparison, MethodResult, Workshop
from uneven.comparison.summaries import (
    DataSummary,
    NoiseSummary,
    Share,
    StackSummary,
    ViewSummary,
    now,
    versions,
)
from uneven.utils.methods import Method, Settings

MOST_SHOWN_FEATURES = 15
MOSTLY = 0.5
"""Numbers that agree with the label in more than this share of the rows look like labels."""

Methods = str | Any | Sequence[str | Any | tuple[str, Any]] | Mapping[str, str | Any]


def compare(
    X: Any,
    y: Any = None,
    *,
    methods: Methods | None = None,
    metric: str | None = None,
    cv: Any = 5,
    repeats: int = 1,
    groups: Any = None,
    views: Any = None,
    noise_matrix: Any = None,
    rounds: int = 200,
    max_depth: int = 3,
    random_state: int | np.random.RandomState | None = 0,
    n_jobs: int | None = None,
    stack: bool = False,
    diagnosis: bool = True,
    refit: bool = True,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    name: str | None = None,
    encoding: str = "utf-8",
    progress: Callable[[Progress], None] | None = None,
) -> Comparison:
    """Compare methods on the same folds of one table.

    Parameters
    ----------
    X : array-like, sparse matrix, pandas or polars frame of shape (n, d), or path
        The table. Columns may hold numbers, text, dates, truth values and missing cells. A path
        is that of a CSV or Parquet file.
    y : array-like of shape (n,), or str
        Class labels, or the name of the column of `X` that holds them. Rows without a label are
        left out.
    methods : None, str, classifier, list of them, or dict of str to them
        Names as in ``uneven compare --help``, and scikit-learn classifiers: a pipeline gets the
        columns as they are; for other classifiers categories become indicators, and missing
        numbers medians if they do not take NaN. None compares all methods that fit the data.
    metric : {"confusion_norm", "gmean", "balanced_accuracy", "accuracy", "mauc"} or None
        Measure that ranks; None takes the confusion norm, or with `noise_matrix` the balanced
        accuracy, which can be corrected without bias.
    cv : int, splitter or iterable of (train, test)
        Number of stratified folds, or other folds.
    repeats : int
        Repetitions with new folds, if `cv` is a number.
    groups : array-like of shape (n,), optional
        Groups of rows for a splitter that keeps them together.
    views : optional
        How the columns group into views, as for the estimators; or ``"prefix"``, or the path of a
        TOML file.
    noise_matrix : array-like of shape (K, K), frame or path, optional
        How the labels are wrong: row = observed label, column = true class, sorted. Methods that
        can learn through the noise are told, and all are judged by corrected measures.
    rounds, max_depth : int
        Rounds and depth of the trees of the boosting methods of this library.
    random_state : int, RandomState or None
        Seed of folds and methods.
    n_jobs : int or None
        Threads that each method may use.
    stack : bool
        Whether to join the methods in one more, which learns how much each counts.
    diagnosis : bool
        Whether to look at each view on its own, if there are several.
    refit : bool
        Whether to fit the best method, and those that can explain themselves, on all rows.
    drop, keep : sequence of str
        Columns to leave out, and to use although they look like row numbers or identifiers.
    name : str, optional
        What to call the data.
    encoding : str
        Of a CSV file.
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
        chosen = choose_measure(metric or default_metric(noise_matrix is not None))
        problem = read_data(X, y, views=views, drop=drop, keep=keep, name=name, encoding=encoding)
        plan = plan_comparison(
            problem,
            methods=named,
            metric=chosen,
            noise=read_noise(noise_matrix, problem, encoding),
            cv=cv,
            repeats=repeats,
            groups=groups,
            settings=Settings(rounds, max_depth, _seed(random_state), n_jobs),
            stack=stack,
            diagnosis=diagnosis,
            refit=refit,
            command=_command(given),
        )
        notes = tuple(map(python_words, plan.notes))
        problem = replace(problem, notes=tuple(map(python_words, problem.notes)))
        plan = replace(plan, notes=notes, problem=problem)
        return plan.run(progress)


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
    else:
        pairs = [item if isinstance(item, tuple) else (None, item) for item in given]
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
        found[method.name] = method
    return list(found.values()) or choose_methods([])


def foreign_method(estimator: Any) -> Method:
    """A classifier from elsewhere, as a method.

    Parameters
    ----------
    estimator : classifier
        It is cloned. If it has parameters ``views`` and ``noise_matrix`` that are None, it gets
        those of the comparison.

    Returns
    -------
    Method
        With the name of its class.
    """
    name = type(estimator).__name__
    if isinstance(estimator, type):
        raise InputError(f"{estimator.__name__} is a class; give an instance, with ().")
    if not (hasattr(estimator, "fit") and hasattr(estimator, "predict") and _classifies(estimator)):
        raise InputError(
            f"methods holds {name}, which is no classifier; give names of methods or scikit-learn "
            "classifiers."
        )
    ours = type(estimator).__module__.partition(".")[0] == "uneven"

    def make(settings: Settings) -> Any:
        made = clone(estimator)
        if "views" in made.get_params(deep=False) and made.views is None and settings.views:
            made.set_params(views={n: list(c) for n, c in settings.views.items()})
        return made

    kind = "ours" if ours else "baseline"
    told = f"{name}, as it was given."
    return Method(name, name, kind, told, encoding_for(estimator), make)  # type: ignore[arg-type]


def _classifies(estimator: Any) -> bool:
    try:
        return bool(is_classifier(estimator))
    except (AttributeError, TypeError):
        return True


def plan_comparison(
    problem: Problem,
    *,
    methods: Sequence[Method] | None,
    metric: Measure,
    noise: LabelNoise | None,
    cv: Any,
    repeats: int,
    settings: Settings,
    groups: Any = None,
    stack: bool = False,
    diagnosis: bool = True,
    refit: bool = True,
    command: str = "",
) -> Plan:
    """Check everything that can be checked before a model is fitted.

    Parameters
    ----------
    problem : Problem
    methods : sequence of Method or None
        None takes all that fit the data.
    metric : Measure
        Its corrected form ranks, if there is noise and it has one.
    noise : LabelNoise or None
    cv, repeats, groups, stack, diagnosis, refit
        As in `compare`.
    settings : Settings
        Without views and noise matrix, which come from the data.
    command : str
        What was called.
    """
    splits, folds = None, cv
    if isinstance(cv, int | np.integer):
        check_folds(problem, int(cv))
        if repeats < 1:
            raise InputError(f"--repeats is {repeats}; give 1 or more.")
    else:
        splits = _splits(cv, problem, repeats, groups)
        folds = len(splits)
    chosen = list(methods or choose_methods(default_methods(has_views(problem), noise is not None)))
    if stack:
        chosen = [*chosen, stack_methods(chosen, problem.schema)]
    notes = [*fit_notes(chosen, problem, noise), *_uncorrected_notes(metric, noise)]
    matrix = noise.undone.matrix if noise else None
    settings = replace(settings, views=problem.view_columns, noise_matrix=matrix)
    judged = noise.judged_by(metric) if noise else metric
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

    @property
    def steps(self) -> int:
        """How many fits there will be, at most."""
        explained = sum(map(explains_itself, self.methods))
        last = max(explained, 1) if self.refit else 0
        return self.folds * self.repeats * len(self.methods) + last + self.diagnosed

    def run(self, progress: Callable[[Progress], None] | None = None) -> Comparison:
        """Cross-validate, then fit the best method and those that explain themselves on all rows.

        Parameters
        ----------
        progress : callable, optional
            Called with a `Progress` after every fit and round.

        Raises
        ------
        InputError
            If every method fails.
        """
        observer = Reporter(progress, self.steps)
        problem, measures = self.problem, self.noise.measures if self.noise else MEASURES
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
        )
        found = Comparison(
            title=f"Methods compared on {problem.name}",
            created=now(),
            command=self.command,
            versions=versions(),
            seed=self.settings.seed,
            data=DataSummary.of(problem),
            metric=self.metric.name,
            measures=list(measures.values()),
            folds=self.folds,
            repeats=self.repeats,
            methods=[self._corrected(*pair) for pair in zip(self.methods, results)],
            warnings=[*problem.notes, *_warned(results)],
            views=ViewSummary.all_of(views) if views else [],
            view_rows=views.n_rows if views else 0,
            noise=NoiseSummary.of(self.noise) if self.noise else None,
            workshop=Workshop(
                problem,
                {method.name: method for method in self.methods},
                self.settings,
                [test for _, test in splits],
                self.splits is not None,
            ),
        )
        if np.isnan(found.winner.mean(self.metric.name)):
            best = found.winner
            raise InputError(f"every method failed; {best.label} said: {best.errors[0].message}")
        return self._refitted(found, observer) if self.refit else found

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
        workshop: Any = found.workshop
        for result in found.methods:
            method = workshop.methods[result.name]
            if result.name == found.best_ or (explains_itself(method) and not result.errors):
                model = fit_method(method, self.problem, self.settings, observer)
                workshop.models[result.name] = model
        models = workshop.models
        methods = [_explained(result, models.get(result.name)) for result in found.methods]
        stack = None
        if STACK in models:
            kept = next(result.kept for result in methods if result.name == STACK)
            stack = StackSummary.of(STACK, models[STACK][-1], kept)
        return replace(found, methods=methods, stack=stack)


def _warned(results: Iterable[MethodResult]) -> list[str]:
    return [f"{result.label} warned: {text}" for result in results for text in result.warnings]


def _explained(result: MethodResult, model: Pipeline | None) -> MethodResult:
    if model is None or not hasattr(model[-1], "explain"):
        return result
    explanation = model[-1].explain()
    if not hasattr(explanation, "view_share"):
        return result
    names, shares = explanation.feature_names, explanation.feature_share
    return replace(
        result,
        view_share=Share.top(explanation.view_names, explanation.view_share),
        feature_share=Share.top(names, shares, n=MOST_SHOWN_FEATURES),
    )


def fit_notes(methods: Iterable[Method], problem: Problem, noise: LabelNoise | None) -> list[str]:
    """What the reader should know before methods are fitted: what they cannot use or must not."""
    found = list(methods)
    return [
        *_single_view_notes(found, problem),
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


def default_metric(noisy: bool) -> str:
    """The norm of the errors, or what can be corrected for noise without bias."""
    return "balanced_accuracy" if noisy else "confusion_norm"


def _splits(cv: Any, problem: Problem, repeats: int, groups: Any) -> list[Split]:
    """Folds of a splitter, or given ones, each with rows to learn from and to answer for."""
    n = len(problem.y)
    if repeats != 1:
        raise InputError("--repeats belongs to a number of folds; a splitter repeats by itself.")
    try:
        rows = np.arange(n) if problem.rows is None else problem.rows
        kept = None if groups is None else np.asarray(groups)[rows]
        splitter = check_cv(cv, problem.y, classifier=True)
        found = [
            (np.asarray(a), np.asarray(b)) for a, b in splitter.split(problem.X, problem.y, kept)
        ]
    except (TypeError, ValueError, IndexError) as error:
        raise InputError(f"--cv cannot split the {n} rows: {error}") from error
    if not found:
        raise InputError("--cv has no folds; give a number, a splitter or (train, test) pairs.")
    for number, (train, test) in enumerate(found, start=1):
        for part, rows in (("learn from", train), ("answer for", test)):
            if rows.size == 0 or rows.max() >= n:
                raise InputError(f"fold {number} of --cv has no rows to {part} among the {n} rows.")
        if len(np.unique(problem.y[train])) < 2:
            raise InputError(f"fold {number} of --cv has a single class to learn from.")
    return found


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
