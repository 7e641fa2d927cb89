"""`compare`: everything that the command line does, as one call of Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from uneven.comparison.errors import InputError, in_python_words, python_words
from uneven.comparison.givenmethods import Methods, as_methods
from uneven.comparison.goals import ranking_measure
from uneven.comparison.inputs import read_data, read_noise
from uneven.comparison.kept_folds import KeptFolds
from uneven.comparison.plan import plan_comparison
from uneven.comparison.progress import Progress
from uneven.comparison.results import Comparison
from uneven.comparison.schemafile import decide
from uneven.comparison.tables import AUTO
from uneven.utils.methods import Settings
from uneven.utils.parameters import Jobs, Maybe, Whole
from uneven.utils.registry import spelled


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
    max_depth: int | None = None,
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
    workers: int = 1,
    progress: Callable[[Progress], None] | None = None,
) -> Comparison:
    """Compare methods on the same folds of one table.

    Parameters
    ----------
    X : array-like, sparse matrix, pandas or polars frame of shape (n, d), or path
        The table. Columns may hold numbers (also with currency, percent, units, thousands and
        decimal commas), dates, booleans, categories, text and missing cells. A path is that of a
        CSV, Parquet, Feather, Excel or JSON lines file. With `on`: a folder or a list of such
        files, or a dict of view names to files or frames.
    y : array-like of shape (n,), or str
        Class labels, or the name of the column of `X` that holds them. Rows without a label are
        left out.
    methods : None, str, classifier, list of them, or dict of str to them
        Names as in ``uneven compare --help``, and scikit-learn classifiers: a pipeline gets the
        columns of a frame as they are (but not inside a stack); for other classifiers categories
        are one-hot encoded, and missing numbers replaced by medians if they do not accept NaN.
        Labels are passed as they are. None compares all methods that fit the data.
    metric : str or None
        Metric by which methods are ranked: ``"confusion_norm"``, ``"gmean"``,
        ``"balanced_accuracy"``, ``"accuracy"``, ``"mauc"``, ``"macro_f1"``, ``"worst_recall"``,
        ``"log_loss"`` or ``"brier"``. None is the confusion norm, or with `noise_matrix` the
        balanced accuracy, which can be corrected without bias.
    measure : str, optional
        Metric for which predictions are optimised, a name as for `metric`, of which it is then the
        default. For every method with probabilities, a decision rule is tuned on out-of-fold
        probabilities, unless its own predictions are better; the model contains it, too.
    cost : array-like of shape (K, K), frame or path, optional
        Costs of predictions: row = true class, column = prediction; classes sorted, or named in a
        frame or file. The class with the smallest expected cost is predicted, and methods are
        ranked by the mean cost per row.
    calibrate : bool, optional
        Whether the probabilities are calibrated on out-of-fold ones; None is True with `measure`
        or `cost`. True alone tunes a rule for `metric`.
    cv : int, splitter or iterable of (train, test)
        Number of stratified folds, or other folds. Pairs hold positions of rows of `X`, or masks;
        a splitter gets the labelled rows; its positions may be those of these or of all rows of
        `X`.
    repeats : int
        Repetitions with new folds, if `cv` is a number.
    groups : str or array-like of shape (n,), optional
        Groups of rows that stay in the same fold, such as those of one patient: the name of a
        column, which is then no feature, or one group for each row. Passed to a splitter, or used
        for stratified folds if `cv` is a number.
    time : str or array-like of shape (n,), optional
        Dates or numbers: the name of a column, or one for each row. Methods are fitted to earlier
        rows and evaluated on `cv` later parts (time series split).
    test : path, frame, or pair of table and labels, optional
        A separate test set, in place of folds. All methods, and the final model, are fitted to `X`
        only.
    id : str, optional
        Column that names the rows in held-out predictions; it is no feature. Without it, rows have
        the names of the index of a frame.
    on : str, optional
        Column by which the tables in `X` are joined. Each is a view, missing in the rows whose key
        it lacks. Rows have the names of their keys, if there is no `id`. See
        `uneven.comparison.join_tables`.
    views : optional
        Views of the table, as for the estimators; or ``"prefix"``, or the path of a TOML file.
    noise_matrix : array-like of shape (K, K), frame or path, optional
        Confusion matrix of the label noise: row = observed label, column = true class, sorted.
        Methods with such a parameter get it, and all are evaluated by corrected metrics.
    rounds, max_depth : int
        Rounds and depth of the trees of the boosting methods of this library; None is the default
        depth of each.
    random_state : int, RandomState or None
        Seed of folds and methods, including given classifiers whose ``random_state`` is None.
    n_jobs : int or None
        Threads that each method may use.
    stack : bool
        Whether to add a stack of all methods, which learns a weight for each.
    diagnosis : bool
        Whether to evaluate each view on its own, if there are several.
    refit : bool
        Whether to fit the best method, and those that can explain themselves, on all rows.
    drop, keep : str or sequence of str
        Columns to leave out, and to use although they look like row numbers or identifiers.
    text : str or sequence of str
        Columns of text, of which the words are features.
    missing : str or sequence of str
        Cells that count as missing in addition to the usual marks, such as ``"999"``.
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
        continues from there with the same results.
    workers : int
        Processes that fit side by side, which helps if single fits use one thread; the results
        are the same. With `time_limit` one fit comes after another; otherwise the workers of a
        Dask cluster fit if this process has its client.
    progress : callable, optional
        Called with a `uneven.comparison.Progress` after every fit and round.

    Returns
    -------
    Comparison
        Ranking, recalls, confusion matrices, held-out predictions, the best model, and a
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
        metric, measure = _name(metric), _name(measure)
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
            workers=workers,
            command=_command(given),
        )
        notes = tuple(map(python_words, plan.notes))
        problem = replace(plan.problem, notes=tuple(map(python_words, plan.problem.notes)))
        plan = replace(plan, notes=notes, problem=problem)
        return plan.run(progress, None if resume is None else KeptFolds(resume))


def _check_numbers(given: Mapping[str, Any]) -> None:
    """Refuse numbers of a call that no fit could use."""
    whole = {"rounds": 1, "repeats": 1, "workers": 1}
    try:
        for name, low in whole.items():
            Whole(low).check(name, given[name])
        Maybe(Whole(1)).check("max_depth", given["max_depth"])
        Maybe(Whole(2)).check("tune", given["tune"])
        Jobs().check("n_jobs", given["n_jobs"])
        if isinstance(given["cv"], bool | float):
            raise ValueError(f"cv must be a whole number of folds, got {given['cv']!r}.")
        if given["n_jobs"] == 0:
            raise ValueError("n_jobs must not be 0; give None, -1 or a number of threads.")
    except ValueError as error:
        raise InputError(str(error)) from error


def _name(given: Any) -> Any:
    """The name of a measure as it is declared; what is no text is refused later."""
    return spelled(given) if isinstance(given, str) else given


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
