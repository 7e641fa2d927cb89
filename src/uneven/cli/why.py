"""Explanations of the predictions for rows of a table, and importances of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.text import Text
from sklearn.pipeline import Pipeline

from uneven.cli import terminal
from uneven.comparison import InputError, Schema, file_digest
from uneven.comparison.classlabels import class_labels
from uneven.comparison.importance import ColumnImportance, column_importance
from uneven.comparison.latertable import read_later_table
from uneven.comparison.tables import READ
from uneven.persistence.model_file import ModelCard
from uneven.votes.shapley import Contributions

MOST_CLASSES = 4
"""Classes shown for a row: the prediction, then those with the highest scores."""

FOLDS = 5
REAL_DIRECTION = 0.05


@dataclass(frozen=True)
class GivenTable:
    """A table to explain predictions for.

    Attributes
    ----------
    path : Path
    frame : DataFrame of shape (n, any)
        As it was read.
    X : DataFrame or CSR matrix of shape (n, d)
        As the model takes it.
    target : str
    rows : tuple of int
        Numbers of the rows to explain, from 1.
    answers : tuple of str
        Predictions of the model for them.
    """

    path: Path
    frame: pd.DataFrame
    X: Any
    target: str
    rows: tuple[int, ...] = ()
    answers: tuple[str, ...] = ()

    def label(self, row: int) -> str | None:
        """The label of a row, if the table has one."""
        if self.target not in self.frame or pd.isna(self.frame[self.target].iloc[row]):
            return None
        return str(self.frame[self.target].iloc[row])

    def cell(self, row: int, name: str) -> str:
        """A cell as it was written; empty for a column that the model made of another."""
        if name not in self.frame:
            return ""
        value = self.frame[name].iloc[row]
        if pd.isna(value):
            return "missing"
        return f"{value:.6g}" if isinstance(value, float) else str(value)


def read_given(
    path: Path,
    model: Pipeline,
    card: ModelCard,
    rows: Sequence[int],
    encoding: str,
    sheet: str | None,
) -> GivenTable:
    """Read a table for a model; rows are counted from 1."""
    schema = Schema.from_list(card.columns)
    frame, X, told = read_later_table(
        path, schema, label=card.target, encoding=encoding, sheet=sheet
    )
    terminal.notes([*frame.attrs.get(READ, {}).get("notes", ()), *told])
    if rows and max(rows) > len(frame):
        raise InputError(f"--row {max(rows)}: {path} has {len(frame)} rows.")
    answers = model.predict(X.iloc[[row - 1 for row in rows]]) if rows else ()
    return GivenTable(path, frame, X, card.target, tuple(rows), tuple(map(str, answers)))


def judge_columns(
    model: Pipeline, card: ModelCard, given: GivenTable, metric: str
) -> ColumnImportance:
    """Importances of columns on labelled rows; on folds if the model was fitted to them."""
    if given.target not in given.frame:
        raise InputError(
            f"{given.path} has no column {given.target!r}, so importances cannot be measured; name "
            "rows to explain with --row."
        )
    labelled = np.flatnonzero(given.frame[given.target].notna())
    names = class_labels(given.frame[given.target].iloc[labelled], given.path.name).astype(str)
    place = {str(label): label for label in model.classes_.tolist()}
    known = np.isin(names, list(place))
    if not known.any():
        raise InputError(f"{given.path} has no row of a class that the model knows.")
    if not known.all():
        strange = names[~known][0]
        terminal.notes([f"the model has never seen the class {strange!r}; its rows are left out."])
    y = np.array([place[name] for name in names[known]])
    seen = bool(card.sha256) and card.sha256 == file_digest(given.path)
    X = given.X.iloc[labelled[known]].reset_index(drop=True)
    return column_importance(model, X, y, metric=metric, cv=FOLDS if seen else None)


def row_dict(found: Contributions, given: GivenTable, k: int) -> dict[str, Any]:
    """One row as plain data for JSON."""
    known = {"row": given.rows[k], "answer": given.answers[k]}
    return known | {"label": given.label(given.rows[k] - 1)} | found.to_dict(k)


def print_row(console: Console, found: Contributions, given: GivenTable, k: int, top: int) -> None:
    """Print contributions to the predicted class and its rivals in one row."""
    row, answered = given.rows[k] - 1, found.classes.astype(str) == given.answers[k]
    shown = np.lexsort((-found.scores[k], ~answered))[:MOST_CLASSES]
    names = [str(label) for label in found.classes[shown]]
    label = given.label(row)
    told = "" if label is None else f"; labelled {label!r}"
    console.print(Text(f"Row {row + 1}: predicted {names[0]!r}{told}", style="bold"))
    values = found.values[k][:, shown]
    gap = np.abs(values[:, 0] - values[:, 1]) if len(shown) > 1 else np.abs(values[:, 0])
    order = np.argsort(-gap, kind="stable")
    order = order[np.abs(values[order]).max(axis=1) > 0.0]
    out = terminal.table("", ["column", "cell", *names])
    out.columns[1].no_wrap = False
    out.add_row("usual", "", *(f"{value:.3f}" for value in found.base[shown]), style="dim")
    for j in order[:top]:
        out.add_row(
            Text(found.names[j]),
            Text(_short(given.cell(row, found.names[j]))),
            *(_signed(value) for value in values[j]),
        )
    rest = values[order[top:]].sum(axis=0)
    if len(order) > top:
        words = f"{len(order) - top} others"
        out.add_row(words, "", *(_signed(value) for value in rest), style="dim")
    out.add_row("together", "", *(f"{value:.3f}" for value in found.scores[k][shown]))
    console.print(out)
    console.print(Text(_caption(found, k), style="italic"))
    if found.of_views is not None and len(found.view_names) > 1:
        views = terminal.table("", ["view", *names])
        for name, said in zip(found.view_names, found.of_views[k][:, shown]):
            views.add_row(Text(name), *(_signed(value) for value in said))
        console.print(views)


def _caption(found: Contributions, k: int) -> str:
    what = {"votes": "votes", "probability": "probabilities", "score": "scores"}[found.what]
    if found.standard_error is None:
        return f"{what}; exact Shapley values above the mean of the table"
    worst = float(found.standard_error[k].max())
    return f"{what}; sampled Shapley values, standard error at most {worst:.2g}"


def _short(text: str, most: int = 24) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _signed(value: float) -> Text:
    style = "green" if value > 0 else "red" if value < 0 else "dim"
    return Text(f"{value:+.3f}" if abs(value) >= 5e-4 else "0", style=style)


def print_importance(console: Console, found: ColumnImportance, top: int) -> None:
    """Print the importances of columns, the most important first."""
    out = terminal.table("Importance of columns", ["column", "loss", "spread", "more of it"])
    for j in found.order()[:top]:
        out.add_row(
            Text(found.names[j]),
            f"{found.mean[j]:+.4f}",
            f"{found.spread[j]:.4f}",
            Text(_direction(found, int(j))),
        )
    rows = (
        f"held-out rows of {FOLDS} folds, the model fitted anew on the others"
        if found.refitted
        else "the rows of the table, which the model was not fitted to"
    )
    told = f"loss of {found.metric} ({found.score:.3f} with all columns) if a column is shuffled"
    console.print(out)
    console.print(Text(f"{told}; mean and standard deviation over {rows}", style="italic"))


def _direction(found: ColumnImportance, column: int) -> str:
    """Which class a larger value of a column supports, and which it contradicts."""
    values = found.direction[column]
    if np.isnan(values).all() or np.nanmax(np.abs(values)) < REAL_DIRECTION:
        return "-"
    best, worst = int(np.nanargmax(values)), int(np.nanargmin(values))
    told = f"for {found.classes[best]} ({values[best]:+.2f})"
    return f"{told}, against {found.classes[worst]} ({values[worst]:+.2f})"
