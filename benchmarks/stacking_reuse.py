"""A stack that learns from the folds of a comparison, and one that fits its methods again.

Half of the rows of each development table are compared, the other half tells what the fitted
models are worth. What the folds promise beyond that is the optimism of the estimate: for the
methods by themselves it is the yardstick, for the stack it would be larger if it learnt from
labels that it is judged on.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from benchmarks.lines import Line
from benchmarks.stacking.tables import DEVELOPMENT
from uneven import compare
from uneven.comparison import STACK, cross_validate, fit_method
from uneven.comparison.measures import MEASURES
from uneven.utils.frames import take_rows
from uneven_published.description import Context
from uneven_published.norm.folds import draw_rows, read_table, without_tiny_classes
from uneven_published.norm.methods import as_frame

MOST_ROWS, LEAST_ROWS, DRAWS, FOLDS = 600, 12, 1, 5
JOINED, AGAIN, ALONE = "stack, by the folds", "stack, methods fitted again", "methods alone"


def methods() -> dict[str, Any]:
    """Quick classifiers of different kinds."""
    return {
        "bayes": GaussianNB(var_smoothing=1e-3),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=300)),
        "near1": KNeighborsClassifier(1),
        "near15": KNeighborsClassifier(15),
        "tree": DecisionTreeClassifier(random_state=0),
        "forest": RandomForestClassifier(30, random_state=0),
        "extra": ExtraTreesClassifier(30, random_state=0),
    }


def halves(name: str, draw: int) -> dict[str, np.ndarray]:
    """Error estimated by folds and error on the other half; and the seconds of the stack."""
    X, y = read_table(DEVELOPMENT[name], Context())
    X, y = without_tiny_classes(*draw_rows(as_frame(X), y, MOST_ROWS), LEAST_ROWS)
    y = np.unique(y, return_inverse=True)[1]
    X = np.nan_to_num(np.asarray(take_rows(X, np.arange(len(y))).apply(_codes), dtype=np.float64))
    parts = train_test_split(np.arange(len(y)), train_size=0.5, stratify=y, random_state=draw)
    varies = [len(np.unique(column)) > 1 for column in X[parts[0]].T]
    known, new = (X[np.ix_(rows, varies)] for rows in parts)
    start = time.process_time()
    found = compare(known, y[parts[0]], methods=methods(), stack=True, cv=FOLDS, diagnosis=False)
    plan: Any = found.refit_plan
    estimated = {m.name: 1.0 - m.mean("accuracy") for m in found.methods}
    said = {m: np.asarray(found.best_model(m).predict(new)) for m in estimated}
    true = {m: float(np.mean(answers != y[parts[1]])) for m, answers in said.items()}
    own = float(np.mean([m.fit_seconds for m in found.methods[:-1]])) * len(methods())
    joined = float(np.mean(found.methods[-1].fit_seconds)) - own
    start = time.process_time()
    (again,) = cross_validate(
        plan.problem, [plan.methods[STACK]], plan.settings, metric=MEASURES["accuracy"], folds=FOLDS
    )
    nested = (time.process_time() - start) / FOLDS
    model = fit_method(plan.methods[STACK], plan.problem, plan.settings)
    answers = plan.problem.shown_classes[
        np.searchsorted(
            plan.problem.classes,
            model.predict(as_frame(new).set_axis(plan.problem.schema.names, axis=1)),
        )
    ]
    names = list(methods())
    return {
        JOINED: np.array([estimated[STACK], true[STACK], joined]),
        AGAIN: np.array(
            [1.0 - again.mean("accuracy"), float(np.mean(answers != y[parts[1]])), nested]
        ),
        ALONE: np.array([np.mean([kind[n] for n in names]) for kind in (estimated, true)] + [own]),
    }


def _codes(column: Any) -> Any:
    """A column as numbers."""
    return column.cat.codes if hasattr(column, "cat") else column


def run() -> list[Line]:
    """Means over tables and draws, in percent."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [halves(name, draw) for name in DEVELOPMENT for draw in range(DRAWS)]
    lines = []
    for way in (JOINED, AGAIN, ALONE):
        table = np.array([one[way] for one in found])
        gap = 100.0 * (table[:, 1] - table[:, 0])
        error = gap.std(ddof=1) / np.sqrt(len(gap))
        lines += [
            Line(f"{way}: error by folds; other: on new rows", *_percent(table)),
            Line(f"{way}: optimism", f"{gap.mean():.2f} ± {error:.2f} points"),
            Line(f"{way}: seconds per fold", f"{table[:, 2].mean():.3f} s"),
        ]
    return lines


def _percent(table: np.ndarray) -> tuple[str, str]:
    return f"{100.0 * table[:, 0].mean():.2f} %", f"{100.0 * table[:, 1].mean():.2f} %"
