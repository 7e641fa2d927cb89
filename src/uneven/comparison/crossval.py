"""Cross-validation of several methods on the same folds, and the diagnosis of views."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from threadpoolctl import threadpool_limits

from uneven.comparison.deadline import Deadline
from uneven.comparison.encoding import encode_ordinal
from uneven.comparison.folds import Split, stratified_folds
from uneven.comparison.kept_folds import KeptFolds, fold_key, run_key
from uneven.comparison.known_scores import KnownScores, join, scores_of
from uneven.comparison.measures import MEASURES, Answers, Measure
from uneven.comparison.methodresult import FoldAnswers, FoldError, MethodResult
from uneven.comparison.methods import STACK, build_pipeline, make_classifier
from uneven.comparison.problem import Problem
from uneven.comparison.progress import Observer, RoundCounter, Silent
from uneven.comparison.summaries import shown_params
from uneven.comparison.tuning import EARLY, tuning_folds
from uneven.metrics import confusion_counts
from uneven.utils.frames import take_rows
from uneven.utils.methods import Method, Settings
from uneven.utils.parallel import capped_jobs, cluster_workers, in_worker
from uneven.views import ViewDiagnosis, diagnose

MOST_CURVE_ROWS = 20_000
FEWEST_PARALLEL_CELLS = 2_000_000
WARM_UP_ROWS = (400, 5_000)
"""Rows whose fit compiles the kernels of a method: of a small table, and of a larger one."""
MOST_ROWS = 5_000
"""A longer table is diagnosed on so many of its rows."""


@dataclass
class _Fold:
    """What one fit of one method gave; NaN and None where it failed."""

    values: dict[str, float]
    seconds: tuple[float, float] = (np.nan, np.nan)
    answers: FoldAnswers | None = None
    curves: dict[str, list[float]] = field(default_factory=dict)
    kept: list[str] | None = None
    tuned: dict[str, Any] | None = None
    error: str = ""
    warnings: set[str] = field(default_factory=set)


def cross_validate(
    problem: Problem,
    methods: Sequence[Method],
    settings: Settings,
    *,
    metric: Measure,
    measures: Mapping[str, Measure] = MEASURES,
    folds: int = 5,
    repeats: int = 1,
    splits: Sequence[Split] | None = None,
    observer: Observer | None = None,
    kept: KeptFolds | None = None,
    deadline: Deadline | None = None,
    workers: int = 1,
) -> list[MethodResult]:
    """Fit and score every method on the same stratified folds.

    A method that raises in a fold gets NaN there and its error is kept; the others continue.

    Parameters
    ----------
    problem : Problem
        The data.
    methods : sequence of Method
        What to compare.
    settings : Settings
        Parameters of the methods; its seed also draws the folds.
    metric : Measure
        Measure of the held-out curve.
    measures : mapping of str to Measure
        What to measure.
    folds, repeats : int
        Each method is fitted ``folds * repeats`` times.
    splits : sequence of (train, test), optional
        Positions of the rows of other folds than stratified ones.
    observer : Observer, optional
        Notified of every step.
    kept : KeptFolds, optional
        Where finished fits are kept, and taken from.
    deadline : Deadline, optional
        When no further fit begins. Methods then take turns fold by fold, and those that are left
        all have the same folds; the first fit is always done.
    workers : int
        Processes that fit side by side; one after another with a deadline. If this process has
        the client of a Dask cluster, its workers fit.

    Returns
    -------
    list of MethodResult
        In the order of `methods`, without those that a deadline left no time for.

    Notes
    -----
    A stack of the methods learns from their scores of other folds, see `known_scores`; only where
    few training rows were held out elsewhere are its methods fitted again.
    """
    if splits is None:
        splits = stratified_folds(problem, folds, repeats, settings.seed)
    work = _Work(problem, settings, metric, measures, splits, observer or Silent(), kept)
    found: dict[str, list[_Fold]] = {method.name: [] for method in methods}
    stack = stack_of(methods, problem)
    alone = [method for method in methods if method is not stack]
    order = [(method, number) for method in alone for number in range(len(splits))]
    if deadline is not None:
        order.sort(key=lambda step: step[1])
    pool = None if deadline is not None else _pool(workers, "generator_unordered")
    if pool is not None:
        for (method, _), fold in zip(order, work.side_by_side(order, pool)):
            found[method.name].append(fold)
        order = []
    for method, number in order:
        needed = work.seconds.get(method.name, 0.0)
        if deadline is not None and work.seconds and not deadline.allows(needed):
            break
        found[method.name].append(work.fold(method, number))
    done = min(len(fits) for fits in found.values() if fits)
    if stack is not None:
        found[STACK] = work.joined(stack, alone, found, done, deadline)
        done = min(len(fits) for fits in found.values() if fits)
    return [
        _result(method, problem, settings, found[method.name][:done])
        for method in methods
        if found[method.name]
    ]


@dataclass
class _Work:
    """The fits of a comparison, one after another."""

    problem: Problem
    settings: Settings
    metric: Measure
    measures: Mapping[str, Measure]
    splits: Sequence[Split]
    observer: Observer
    kept: KeptFolds | None
    seconds: dict[str, float] = field(default_factory=dict)
    """What the last fit of each method took."""

    def fold(self, method: Method, number: int) -> _Fold:
        """One method on one fold: kept from an earlier run, or done now."""
        key = self._key(method, number)
        found = self.kept.load(key, _Fold, self.problem.classes) if self.kept else None
        if found is not None:
            self._tell(method, number)
            return found
        started = time.perf_counter()
        train, test = self.splits[number]
        with _threads(self.problem, self.settings):
            if method.name not in self.seconds:
                _warm_up(method, self.problem, self.settings, self.splits[0][0])
            with _watched(self.observer, method, self._step(number)) as watcher:
                judged = (self.metric if number == 0 else None, self.measures)
                rows = (number, train, test)
                found = _run_fold(method, self.problem, self.settings, judged, rows, watcher)
                if self.kept and EARLY not in found.warnings:
                    self.kept.save(key, found, self.problem.classes)
        self.seconds[method.name] = time.perf_counter() - started
        return found

    def side_by_side(self, order: Sequence[tuple[Method, int]], pool: Any) -> list[_Fold]:
        """The folds of some methods, fitted by a pool, in their order.

        One process compiles the kernels of all methods while the others begin with the methods
        that come last, most of which have none; so little is compiled twice.
        """
        found: list[Any] = [
            self.kept.load(self._key(*step), _Fold, self.problem.classes) if self.kept else None
            for step in order
        ]
        left = [place for place in reversed(range(len(order))) if found[place] is None]
        for place in set(range(len(order))) - set(left):
            self._tell(*order[place])
        alone = replace(self, observer=Silent(), kept=None, seconds={})
        methods = {order[place][0].name: order[place][0] for place in reversed(left)}
        worker = partial(delayed(in_worker), os.getpid())
        tasks = [worker(_warm_up_all, alone, list(methods.values()))] * bool(left)
        tasks += [worker(_fold_alone, alone, place, *order[place]) for place in left]
        for done in pool(tasks):
            if done is None:
                continue
            place, found[place] = done
            if self.kept and EARLY not in found[place].warnings:
                self.kept.save(self._key(*order[place]), found[place], self.problem.classes)
            self._tell(*order[place])
        return found

    def joined(
        self,
        stack: Method,
        methods: Sequence[Method],
        found: Mapping[str, list[_Fold]],
        done: int,
        deadline: Deadline | None,
    ) -> list[_Fold]:
        """Folds of a stack, by the scores of its methods where there are enough of them."""
        made = make_classifier(stack, self.settings)
        names = [name for name, _ in made.estimators]
        if any(len(found[name]) < done for name in names):
            return []
        parts = [
            _result(method, self.problem, self.settings, found[method.name][:done])
            for method in methods
            if method.name in names
        ]
        folds: list[_Fold] = []
        again = 5.0 * sum(self.seconds.get(name, 0.0) for name in names)
        for number in range(done):
            known = KnownScores.of(parts, self.splits[number][0], number)
            if known is not None:
                folds.append(self._join(made, known, parts, number))
                self._tell(stack, number)
            elif deadline is None or deadline.allows(again):
                folds.append(self.fold(stack, number))
            else:
                break
        return folds

    def _join(
        self, made: Any, known: KnownScores, parts: Sequence[MethodResult], number: int
    ) -> _Fold:
        """One fold of a stack that learns from scores of other folds."""
        problem, rows = self.problem, self.splits[number][1]
        failed = [part.label for part in parts if all(f.fold != number for f in part.answers)]
        fold = _Fold(dict.fromkeys(self.measures, np.nan))
        if failed:
            fold.error = f"ValueError: {failed[0]} failed in this fold; leave it out"
            return fold
        y = np.searchsorted(problem.classes, problem.y[known.rows])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            started = time.perf_counter()
            said = scores_of(parts, number)
            scores, fold.kept = join(made, known, y, len(problem.classes), said)
            predicted = problem.classes[scores.argmax(axis=1)]
            answers = Answers(problem.y[rows], predicted, scores, problem.classes)
            fold.values = {name: one.value(answers) for name, one in self.measures.items()}
            spent = time.perf_counter() - started
        fitted = sum(part.fit_seconds[number] for part in parts)
        asked = sum(part.predict_seconds[number] for part in parts if part.name in fold.kept)
        fold.seconds = (fitted + spent, asked)
        fold.answers = FoldAnswers(number, rows, predicted, scores)
        fold.warnings = {str(w.message).split("\n")[0] for w in caught}
        return fold

    def _tell(self, method: Method, number: int) -> None:
        """Report that a fold is finished."""
        self.observer.begin(method.label, self._step(number))
        self.observer.end(method.label)

    def _step(self, number: int) -> str:
        return f"fold {number + 1} of {len(self.splits)}"

    def _key(self, method: Method, number: int) -> str:
        if self.kept is None:
            return ""
        tuning = self.settings.tuning
        searched = (tuning.n, tuning.metric.name, method.tunes) if tuning else None
        made = make_classifier(method, self.settings)
        parts = (method.name, method.encoding, method.given, made, searched, self.settings.seed)
        return fold_key(self._run, *parts, self.metric.name, number, *self.splits[number])

    @cached_property
    def _run(self) -> str:
        return run_key(self.problem, self.measures, self.settings.noise_matrix)


def stack_of(methods: Sequence[Method], problem: Problem) -> Method | None:
    """The stack among methods, if it can learn from what the others say.

    Parameters
    ----------
    methods : sequence of Method
    problem : Problem

    Returns
    -------
    Method or None
        None without a stack, without its methods, and if one of these reads the table as it was
        given: inside of a stack it reads another.
    """
    stack = next((method for method in methods if method.name == STACK), None)
    if stack is None:
        return None
    names = {name for name, _ in stack.make(Settings()).estimators}
    members = [method for method in methods if method.name in names]
    odd = any(_table(method, problem)[1] is not None for method in members)
    return None if odd or len(members) < len(names) else stack


def fit_stack(
    methods: Mapping[str, Method],
    problem: Problem,
    settings: Settings,
    known: KnownScores,
    models: Mapping[str, Pipeline],
) -> Pipeline:
    """Fit the stack of a comparison on all rows, by scores that are known.

    Parameters
    ----------
    methods : mapping of str to Method
        The stack and its methods, by name.
    problem : Problem
    settings : Settings
    known : KnownScores
    models : mapping of str to Pipeline
        Methods that are fitted on all rows already; of the others, those that the stack keeps are
        fitted now.

    Returns
    -------
    Pipeline
    """
    plain = replace(settings, tuning=None)
    pipeline = build_pipeline(methods[STACK], problem.schema, plain)
    stack, members = pipeline[-1], list[tuple[str, Any]]()
    fitted = [name for name, _ in stack.estimators if name in models and not methods[name].given]
    for name, _ in stack.estimators:
        chosen = with_params(methods[name], known.tuned.get(name))
        fresh = build_pipeline(chosen, problem.schema, plain)
        members.append((name, models[name] if name in fitted else fresh))
    asked = stack.estimators
    with _threads(problem, settings):
        table = pipeline[:-1].fit_transform(problem.X, problem.y)
        stack.set_params(estimators=members).fit_scores(
            table,
            problem.y,
            known.scores,
            rows=known.rows,
            seconds=known.seconds,
            fitted=fitted,
        )
    stack.set_params(estimators=asked)
    return pipeline


_WARM: set[str] = set()
"""Methods whose kernels this process has loaded."""


def _warm_up_all(work: _Work, methods: Sequence[Method]) -> None:
    """Load or compile the kernels of some methods in this process."""
    with _threads(work.problem, work.settings):
        for method in methods:
            _warm_up(method, work.problem, work.settings, work.splits[0][0])
            _WARM.add(method.name)


def _fold_alone(work: _Work, place: int, method: Method, number: int) -> tuple[int, _Fold]:
    """One fold, in a process that may have fitted others before."""
    found = replace(work, seconds=dict.fromkeys(_WARM, 0.0)).fold(method, number)
    _WARM.add(method.name)
    return place, found


def fit_methods(
    methods: Sequence[Method],
    problem: Problem,
    settings: Settings,
    observer: Observer | None = None,
    workers: int = 1,
) -> Iterator[Pipeline | Exception]:
    """Fit methods on all rows, side by side if there are several workers.

    Yields
    ------
    Pipeline or Exception
        For each method in turn; what went wrong where one failed.
    """
    pool = _pool(workers)
    if pool is None:
        for method in methods:
            yield _fit_or_fail(method, problem, settings, observer)
        return
    parent = os.getpid()
    fitted = pool(
        delayed(in_worker)(parent, _fit_or_fail, method, problem, settings) for method in methods
    )
    for method in methods:
        with _watched(observer or Silent(), method, "all rows"):
            found = next(fitted)
        yield found
    next(fitted, None)


def _pool(workers: int, return_as: str = "generator") -> Any:
    """Who fits side by side: the workers of a Dask cluster, processes here, or None."""
    one_by_one: dict[str, Any] = {"return_as": return_as, "batch_size": 1}
    with cluster_workers() as on_cluster:
        if on_cluster:
            return Parallel(**one_by_one)
        return None if workers == 1 else Parallel(capped_jobs(workers), **one_by_one)


def _fit_or_fail(
    method: Method, problem: Problem, settings: Settings, observer: Observer | None = None
) -> Pipeline | Exception:
    try:
        return fit_method(method, problem, settings, observer)
    except Exception as error:  # what was found before must not be lost
        return error


def _result(
    method: Method, problem: Problem, settings: Settings, folds: Sequence[_Fold]
) -> MethodResult:
    answered = [fold for fold in folds if fold.answers is not None]
    counts = np.zeros((len(problem.classes), len(problem.classes)))
    for fold in answered:
        said: Any = fold.answers
        counts += confusion_counts(problem.y[said.rows], said.predicted, labels=problem.classes)[0]
    return MethodResult(
        name=method.name,
        label=method.label,
        kind=method.kind,
        scores={name: [float(fold.values[name]) for fold in folds] for name in folds[0].values},
        confusion=counts.tolist(),
        fit_seconds=[fold.seconds[0] for fold in folds],
        predict_seconds=[fold.seconds[1] for fold in folds],
        description=method.description,
        params=shown_params(make_classifier(method, settings)),
        curves=folds[0].curves,
        errors=[FoldError(n, fold.error) for n, fold in enumerate(folds) if fold.error],
        answers=[fold.answers for fold in answered if fold.answers is not None],
        kept=[fold.kept for fold in answered if fold.kept is not None],
        tuned=[fold.tuned for fold in answered if fold.tuned is not None],
        warnings=sorted(set().union(*(fold.warnings for fold in folds))),
    )


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
        Notified of every round.
    step : str
        What to call the work.

    Returns
    -------
    Pipeline
        Fitted.
    """
    with _threads(problem, settings), _watched(observer or Silent(), method, step) as report:
        chosen = _search(method, problem, settings, np.arange(len(problem.y)), report)
        return _fit(with_params(method, chosen), problem, settings, None, report)


def _threads(problem: Problem, settings: Settings) -> Any:
    """Context in which compiled loops of other libraries use as many threads as help.

    Methods that take ``n_jobs`` follow it anyway.  Histogram gradient boosting takes every core
    whatever the setting, which on a small table, or next to other work, is many times slower than
    one thread.
    """
    large = problem.X.size >= FEWEST_PARALLEL_CELLS
    threads = capped_jobs(effective_n_jobs(settings.n_jobs)) if large else 1
    return threadpool_limits(limits=threads, user_api="openmp")


def _warm_up(method: Method, problem: Problem, settings: Settings, rows: NDArray[np.intp]) -> None:
    """Load or compile the kernels of our methods, so that no fold's time includes it.

    Some of the rows do; a table of many rows keeps enough of them to be treated as such. A stack
    comes after its methods, and a whole fit of it would take too long.
    """
    if method.kind == "ours" and method.name != STACK:
        enough = WARM_UP_ROWS[len(rows) >= WARM_UP_ROWS[True]]
        rows = rows[:: max(1, len(rows) // enough)]
        with warnings.catch_warnings(), suppress(Exception):
            warnings.simplefilter("ignore")
            pipeline = _fit(method, problem, replace(settings, rounds=2), rows, Silent())
            pipeline.predict(take_rows(problem.X, rows[:100]))


@contextmanager
def _watched(observer: Observer, method: Method, step: str) -> Iterator[Observer]:
    observer.begin(method.label, step)
    try:
        yield observer
    finally:
        observer.end(method.label)


def _run_fold(
    method: Method,
    problem: Problem,
    settings: Settings,
    judged: tuple[Measure | None, Mapping[str, Measure]],
    rows: tuple[int, NDArray[np.intp], NDArray[np.intp]],
    observer: Observer,
) -> _Fold:
    """Fit on some rows, predict others; curves only if there is a measure for them."""
    (metric, measures), (number, train, test) = judged, rows
    fold = _Fold(dict.fromkeys(measures, np.nan))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            started = time.perf_counter()
            fold.tuned = _search(method, problem, settings, train, observer)
            pipeline = _fit(with_params(method, fold.tuned), problem, settings, train, observer)
            fitted = time.perf_counter()
            X = take_rows(_table(method, problem)[0], test)
            predicted = np.asarray(pipeline.predict(X)).ravel()
            predicted = problem.classes_of(predicted) if method.given else predicted
            seconds = (fitted - started, time.perf_counter() - fitted)
            scores = _scores(pipeline, X, problem, method.given)
            scores = (predicted[:, None] == problem.classes) * 1.0 if scores is None else scores
            answers = Answers(problem.y[test], predicted, scores, problem.classes)
            values = {name: measure.value(answers) for name, measure in measures.items()}
            if metric is not None and method.staged:
                fold.curves = _curves(pipeline, problem, test, metric)
            fold.values, fold.seconds = values, seconds
            fold.answers = FoldAnswers(number, test, predicted, answers.scores)
            if hasattr(pipeline[-1], "selected_"):
                fold.kept = list(pipeline[-1].selected_)
        except Exception as error:  # a failing method must not stop the others
            fold.error = f"{type(error).__name__}: {error}"
    fold.warnings = {str(w.message).split("\n")[0] for w in caught}
    return fold


def open_pipeline(method: Method, problem: Problem, settings: Settings) -> tuple[Pipeline, Any]:
    """A method with its encoder, not fitted, and the table as the encoder takes it."""
    table, names = _table(method, problem)
    return build_pipeline(method, problem.schema, settings, names), table


def _fit(
    method: Method, problem: Problem, settings: Settings, rows: Any, observer: Observer
) -> Pipeline:
    pipeline, table = open_pipeline(method, problem, settings)
    classifier = pipeline[-1]
    counted = method.kind == "ours" and hasattr(classifier, "set_callbacks")
    if counted:
        classifier.set_callbacks(RoundCounter(observer.round))
    watched = hasattr(classifier, "watch")
    if watched:
        classifier.watch(observer.round)
    y = problem.y
    if method.given:
        y = problem.shown_classes[np.searchsorted(problem.classes, y)]
    X = table if rows is None else take_rows(table, rows)
    try:
        pipeline.fit(X, y if rows is None else y[rows])
    finally:
        if counted:
            classifier.set_callbacks()
        if watched:
            classifier.watch(None)
    return pipeline


def _search(
    method: Method,
    problem: Problem,
    settings: Settings,
    rows: NDArray[np.intp],
    observer: Observer,
) -> dict[str, Any] | None:
    """The parameters that are best on folds of the training rows, None if none are searched."""
    tuning, plain = settings.tuning, replace(settings, tuning=None)
    if tuning is None or not method.tunes:
        return None

    def judge(params: Mapping[str, Any], fold: Split) -> float:
        judged = (None, {tuning.metric.name: tuning.metric})
        found = _run_fold(with_params(method, params), problem, plain, judged, (0, *fold), Silent())
        return found.values[tuning.metric.name]

    folds = tuning_folds(problem, rows, settings.seed)
    chosen: dict[str, Any] = tuning.race(method.tunes, folds, judge, settings.seed, observer.round)
    return chosen


def with_params(method: Method, params: Mapping[str, Any] | None) -> Method:
    """A method with other parameters."""
    if not params:
        return method
    return replace(method, make=lambda settings: method.make(settings).set_params(**params))


def _table(method: Method, problem: Problem) -> tuple[Any, list[Any] | None]:
    """The table a method takes; names of its columns if they are those of a given frame."""
    if not (method.given and method.encoding == "as_is") or problem.given_table is None:
        return problem.X, None
    used = set(problem.schema.names)
    return problem.given_table, [name for name in problem.given_table.columns if str(name) in used]


def _scores(
    pipeline: Pipeline, X: Any, problem: Problem, given: bool
) -> NDArray[np.float64] | None:
    """A score for every class, shape (n, K), from shares or decisions; None without either.

    Classes that the pipeline has not seen get its lowest score. A decision between each two
    classes is no score of classes.
    """
    known = getattr(pipeline, "classes_", None)
    shapes = {n: v for n, v in pipeline.get_params().items() if n.endswith("function_shape")}
    pairs = "ovo" in shapes.values()
    for name in ("predict_proba", *["decision_function"] * (not pairs)):
        if known is None or not hasattr(pipeline, name):
            continue
        scores = np.asarray(getattr(pipeline, name)(X), dtype=np.float64)
        if len(known) == (2 if scores.ndim == 1 else scores.shape[1]):
            return _columns(scores, problem.classes_of(known) if given else known, problem.classes)
    return None


def _curves(
    pipeline: Pipeline, problem: Problem, test: NDArray[np.intp], metric: Measure
) -> dict[str, list[float]]:
    """History of the fit and the chosen measure on held-out rows after each round."""
    classifier, classes = pipeline[-1], problem.classes
    curves = {
        name: [float(value) for value in classifier.history_.get(name, ())]
        for name in ("edge", "weight", "log_loss")
    }
    rows = test[:MOST_CURVE_ROWS]
    X, y = pipeline[:-1].transform(take_rows(problem.X, rows)), problem.y[rows]
    stages = zip(classifier.staged_predict(X), classifier.staged_decision_function(X))
    curves["held_out"] = [
        metric.value(
            Answers(y, labels, _columns(scores, classifier.classes_, classes), problem.classes)
        )
        for labels, scores in stages
    ]
    return curves


def _columns(scores: NDArray[np.float64], known: NDArray, classes: NDArray) -> NDArray[np.float64]:
    """One score column per class, also for the single column of two classes.

    Classes that are not known get the lowest score.
    """
    scores = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
    out = np.full((len(scores), len(classes)), scores.min(initial=0.0))
    out[:, np.searchsorted(classes, known)] = scores
    return out


def has_views(problem: Problem) -> bool:
    """Whether there are several views."""
    return problem.views is not None and len(problem.views) > 1


def diagnose_views(
    problem: Problem, settings: Settings, observer: Observer | None = None
) -> ViewDiagnosis:
    """Diagnose the views of a problem on at most 5000 rows.

    Parameters
    ----------
    problem : Problem
        With views.
    settings : Settings
        Its seed and number of threads are used.
    observer : Observer, optional
        Notified of the work as one step.

    Returns
    -------
    ViewDiagnosis
        Its classes are in the order of the problem.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from uneven.datasets import load_demo
    >>> from uneven.comparison import make_problem
    >>> demo = load_demo(as_frame=True)
    >>> problem = make_problem(demo.data.assign(digit=demo.target), "digit")
    >>> views = {name: list(demo.data.columns[where]) for name, where in demo.views.items()}
    >>> found = diagnose_views(replace(problem, views=views), Settings())
    >>> found.names[int(found.accuracy.argmax())]
    'top_down'
    """
    watcher = observer or Silent()
    watcher.begin("Views", "each on its own")
    sparse = problem.schema.sparse
    table = problem.X if sparse else encode_ordinal(problem.schema).fit_transform(problem.X)
    found = diagnose(
        table,
        problem.y,
        {name: list(columns) for name, columns in (problem.view_columns or {}).items()} or None,
        max_rows=MOST_ROWS,
        random_state=settings.seed,
        n_jobs=settings.n_jobs,
    )
    watcher.end("Views")
    return found
