"""Cross-validation of several methods on the same folds."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.pipeline import Pipeline
from threadpoolctl import threadpool_limits

from uneven.comparison.measures import MEASURES, Answers, MeasureRule
from uneven.comparison.methods import Method, Settings, build_pipeline, make_classifier
from uneven.comparison.problem import Problem, check_folds
from uneven.comparison.progress import Observer, RoundCounter, Silent
from uneven.comparison.stacked import STACK
from uneven.metrics import confusion_counts

__all__ = ["MethodRun", "cross_validate", "fit_method"]

MOST_CURVE_ROWS = 20_000
FEWEST_PARALLEL_CELLS = 2_000_000


@dataclass
class MethodRun:
    """What cross-validation found about one method.

    Attributes
    ----------
    method : Method
        The method.
    classifier : estimator
        Its classifier with the parameters of the run, not fitted.
    confusion : ndarray of shape (K, K)
        Held-out counts summed over the folds; row = true class.
    scores : dict of str to list of float
        One value per fold for each measure; NaN where the fold failed.
    fit_seconds, predict_seconds : list of float
        One value per fold; NaN where the fold failed.
    curves : dict of str to list of float
        Values per round on the first fold, for methods with rounds.
    errors : list of (int, str)
        Folds that failed, and why.
    warnings : set of str
        What the method warned about, each once.
    kept : list of list of str
        For a stack: the methods that it kept, one list per fold that did not fail.
    """

    method: Method
    classifier: Any
    confusion: NDArray[np.float64]
    scores: dict[str, list[float]]
    fit_seconds: list[float] = field(default_factory=list)
    predict_seconds: list[float] = field(default_factory=list)
    curves: dict[str, list[float]] = field(default_factory=dict)
    errors: list[tuple[int, str]] = field(default_factory=list)
    warnings: set[str] = field(default_factory=set)
    kept: list[list[str]] = field(default_factory=list)


def cross_validate(
    problem: Problem,
    methods: Sequence[Method],
    settings: Settings,
    *,
    metric: MeasureRule,
    measures: Mapping[str, MeasureRule] = MEASURES,
    folds: int = 5,
    repeats: int = 1,
    observer: Observer | None = None,
) -> list[MethodRun]:
    """Fit and score every method on the same stratified folds.

    A method that raises in a fold gets NaN there and its error is kept; the others go on.

    Parameters
    ----------
    problem : Problem
        The data.
    methods : sequence of Method
        What to compare.
    settings : Settings
        Parameters of the methods; its seed also draws the folds.
    metric : MeasureRule
        Measure of the held-out curve.
    measures : mapping of str to MeasureRule
        What to measure.
    folds, repeats : int
        Each method is fitted ``folds * repeats`` times.
    observer : Observer, optional
        Told about every step.

    Returns
    -------
    list of MethodRun
        In the order of `methods`.
    """
    check_folds(problem, folds)
    splitter = RepeatedStratifiedKFold(
        n_splits=folds, n_repeats=repeats, random_state=settings.seed
    )
    splits = list(splitter.split(np.zeros(len(problem.y)), problem.y))
    n_classes = len(problem.classes)
    runs = []
    for method in methods:
        run = MethodRun(
            method,
            make_classifier(method, settings),
            np.zeros((n_classes, n_classes)),
            {name: [] for name in measures},
        )
        judged = (metric, measures)
        with _threads(problem, settings):
            _warm_up(method, problem, settings, splits[0][0])
            for number, (train, test) in enumerate(splits):
                step = f"fold {number + 1} of {len(splits)}"
                with _watched(observer or Silent(), method, step) as report:
                    _run_fold(run, problem, settings, judged, number, train, test, report)
        runs.append(run)
    return runs


def fit_method(
    method: Method,
    problem: Problem,
    settings: Settings,
    observer: Observer | None = None,
    step: str = "all rows",
) -> Pipeline:
    """Fit a method on all rows of a problem.

    Parameters
    ----------
    method : Method
        What to fit.
    problem : Problem
        The data.
    settings : Settings
        Parameters of the method.
    observer : Observer, optional
        Told about every round.
    step : str
        What to call the work.

    Returns
    -------
    Pipeline
        Fitted.
    """
    with _threads(problem, settings), _watched(observer or Silent(), method, step) as report:
        return _fit(method, problem, settings, slice(None), report)


def _threads(problem: Problem, settings: Settings) -> Any:
    """Context in which compiled loops of other libraries use as many threads as pays.

    Methods that take ``n_jobs`` follow it anyway.  Histogram gradient boosting takes every core
    whatever it is told, which on a small table, or beside other work, is many times slower than
    one thread.
    """
    large = problem.X.size >= FEWEST_PARALLEL_CELLS
    threads = effective_n_jobs(settings.n_jobs) if large else 1
    return threadpool_limits(limits=threads, user_api="openmp")


def _warm_up(method: Method, problem: Problem, settings: Settings, rows: NDArray[np.intp]) -> None:
    """Load or compile the kernels of our methods, so that no fold pays for it.

    A stack comes after its methods, and a whole fit of it would take too long.
    """
    if method.kind == "ours" and method.name != STACK:
        with warnings.catch_warnings(), suppress(Exception):
            warnings.simplefilter("ignore")
            pipeline = _fit(method, problem, replace(settings, rounds=2), rows, Silent())
            pipeline.predict(problem.X.iloc[rows[:100]])


@contextmanager
def _watched(observer: Observer, method: Method, step: str) -> Iterator[Observer]:
    observer.begin(method.label, step)
    yield observer
    observer.end(method.label)


def _run_fold(
    run: MethodRun,
    problem: Problem,
    settings: Settings,
    judged: tuple[MeasureRule, Mapping[str, MeasureRule]],
    number: int,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    observer: Observer,
) -> None:
    seconds = [np.nan, np.nan]
    metric, measures = judged
    values = dict.fromkeys(measures, np.nan)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            started = time.perf_counter()
            pipeline = _fit(run.method, problem, settings, train, observer)
            fitted = time.perf_counter()
            predicted = pipeline.predict(problem.X.iloc[test])
            seconds = [fitted - started, time.perf_counter() - fitted]
            answers = _answers(pipeline, problem, test, predicted)
            values = {name: rule.value(answers) for name, rule in measures.items()}
            counts, _ = confusion_counts(answers.true, predicted, labels=problem.classes)
            run.confusion += counts
            if hasattr(pipeline[-1], "selected_"):
                run.kept.append(list(pipeline[-1].selected_))
            if number == 0 and run.method.staged:
                run.curves = _curves(pipeline, problem, test, metric)
        except Exception as error:  # a failing method must not stop the others
            run.errors.append((number, f"{type(error).__name__}: {error}"))
    run.warnings.update(str(w.message).split("\n")[0] for w in caught)
    run.fit_seconds.append(seconds[0])
    run.predict_seconds.append(seconds[1])
    for name, value in values.items():
        run.scores[name].append(float(value))


def _fit(
    method: Method, problem: Problem, settings: Settings, rows: Any, observer: Observer
) -> Pipeline:
    pipeline = build_pipeline(method, problem.schema, settings)
    classifier = pipeline[-1]
    counted = method.kind == "ours" and hasattr(classifier, "set_callbacks")
    if counted:
        classifier.set_callbacks(RoundCounter(observer.round))
    watched = hasattr(classifier, "watch")
    if watched:
        classifier.watch(observer.round)
    try:
        pipeline.fit(problem.X.iloc[rows], problem.y[rows])
    finally:
        if counted:
            classifier.set_callbacks()
        if watched:
            classifier.watch(None)
    return pipeline


def _answers(
    pipeline: Pipeline, problem: Problem, rows: NDArray[np.intp], predicted: NDArray
) -> Answers:
    has_shares = hasattr(pipeline, "predict_proba")
    score = pipeline.predict_proba if has_shares else pipeline.decision_function
    scores = _columns(np.asarray(score(problem.X.iloc[rows]), dtype=np.float64))
    return Answers(problem.y[rows], predicted, scores, pipeline.classes_)


def _curves(
    pipeline: Pipeline, problem: Problem, test: NDArray[np.intp], metric: MeasureRule
) -> dict[str, list[float]]:
    """History of the fit and the chosen measure on held-out rows after each round."""
    classifier = pipeline[-1]
    curves = {
        name: [float(value) for value in classifier.history_.get(name, ())]
        for name in ("edge", "weight", "log_loss")
    }
    rows = test[:MOST_CURVE_ROWS]
    X, y = pipeline[:-1].transform(problem.X.iloc[rows]), problem.y[rows]
    stages = zip(classifier.staged_predict(X), classifier.staged_decision_function(X))
    curves["held_out"] = [
        metric.value(Answers(y, labels, _columns(scores), classifier.classes_))
        for labels, scores in stages
    ]
    return curves


def _columns(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """One score column per class, also for the single column of two classes."""
    return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
