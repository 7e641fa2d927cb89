"""Views that say nothing new: are they dropped, and what do predictions lose?

Every view of a table also comes as a copy with a little noise, and with its rows shuffled. A third
of the rows is for testing.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import balanced_accuracy_score, log_loss
from sklearn.model_selection import train_test_split

from benchmarks.lines import Line
from benchmarks.views.groups import GROUPS
from benchmarks.views.rivals import columns_of_views
from uneven import MarginStackingClassifier, UnevenClassifier
from uneven_published.description import Context
from uneven_published.norm.folds import read_table

COPY, SHUFFLED = "copy of ", "shuffled "
NOISE = 0.1
"""Standard deviation of what is added to a copy, in standard deviations of the column."""
TREES = 100
TABLES = ("Partial views", "Uneven views", "Breast cells", "Skin", "Pictures", "Satellite")
"""Development tables with few columns and classes, which keeps it short."""


def widened(X: pd.DataFrame, seed: int) -> pd.DataFrame:
    """The views, a noisy copy of each, and each with its rows shuffled.

    Examples
    --------
    >>> widened(pd.DataFrame({"a__x": [1.0, 2.0]}), 0).columns.tolist()
    ['a__x', 'copy of a__x', 'shuffled a__x']
    """
    rng = np.random.default_rng(seed)
    noise = NOISE * rng.normal(size=X.shape) * X.std().to_numpy()
    shuffled = X.iloc[rng.permutation(len(X))].reset_index(drop=True)
    parts = [X, (X + noise).add_prefix(COPY), shuffled.add_prefix(SHUFFLED)]
    return pd.concat(parts, axis=1)


def _given_only(X: pd.DataFrame) -> Any:
    names = [name for name in columns_of_views(X) if not name.startswith((COPY, SHUFFLED))]
    return UnevenClassifier(views=_views(X, names), random_state=0)


def _selecting(X: pd.DataFrame) -> Any:
    views = _views(X, columns_of_views(X))
    return UnevenClassifier(views=views, max_views=len(views), random_state=0)


def _all(X: pd.DataFrame) -> Any:
    return UnevenClassifier(views=_views(X, columns_of_views(X)), random_state=0)


def _group_penalty(X: pd.DataFrame, **words: Any) -> Any:
    forest = RandomForestClassifier(TREES, random_state=0)
    alone = [(name, forest, columns) for name, columns in columns_of_views(X).items()]
    return MarginStackingClassifier(alone, random_state=0, **words)


METHODS: Mapping[str, Callable[[pd.DataFrame], Any]] = {
    "UnevenClassifier, views as given": _given_only,
    "UnevenClassifier, all views": _all,
    "UnevenClassifier, max_views": _selecting,
    "group penalty, a forest per view": _group_penalty,
    "group penalty alone, 3 views at most": partial(_group_penalty, max_members=3, elastic=0.0),
}
"""A classifier for a table, the columns of which name their views."""


def _views(X: pd.DataFrame, names: Any) -> dict[str, list[int]]:
    columns = columns_of_views(X)
    return {name: columns[name] for name in names}


def views_read(model: Any) -> list[str]:
    """Names of the views that a fitted model asks for."""
    return list(model.views_.names if hasattr(model, "views_") else model.selected_)


def judge(X: pd.DataFrame, y: np.ndarray) -> dict[str, tuple[float, ...]]:
    """By method: balanced accuracy, log-loss, and how many views it reads: all, twice, shuffled."""
    seen, held = train_test_split(np.arange(len(y)), test_size=1 / 3, stratify=y, random_state=0)
    found = {}
    for name, make in METHODS.items():
        model = make(X).fit(X.iloc[seen].to_numpy(), y[seen])
        new = X.iloc[held].to_numpy()
        kept = views_read(model)
        found[name] = (
            balanced_accuracy_score(y[held], model.predict(new)),
            log_loss(y[held], model.predict_proba(new), labels=model.classes_),
            len(kept),
            sum(COPY + view in kept for view in kept),
            sum(view.startswith(SHUFFLED) for view in kept),
        )
    return found


def run() -> list[Line]:
    """Measures of each table, their means, and sums of views."""
    tables = []
    lines = []
    for table in TABLES:
        X, y = read_table(GROUPS["development"][table], Context())
        y = np.unique(y, return_inverse=True)[1]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tables.append(judge(widened(X, seed=0), y))
        lines += [_line(f"{table}: {name}", tables[-1][name]) for name in METHODS]
    for name in METHODS:
        every = np.array([one[name] for one in tables])
        total = (*every[:, :2].mean(axis=0), *every[:, 2:].sum(axis=0))
        lines.append(_line(f"mean, views in all: {name}", total))
    return lines


def _line(what: str, found: tuple[float, ...]) -> Line:
    balanced, loss, kept, twice, shuffled = found
    views = f"{kept:.0f} views, {twice:.0f} twice, {shuffled:.0f} shuffled"
    return Line(what, f"{balanced:.3f}", f"log-loss {loss:.3f}", views)
