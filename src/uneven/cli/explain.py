"""``uneven explain``: what a saved model predicts by."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from rich.text import Text
from sklearn.pipeline import Pipeline

from uneven.cli import terminal, why
from uneven.comparison import METHODS, explain_rows
from uneven.comparison.summaries import Share
from uneven.decisions import TunedDecisionClassifier
from uneven.persistence.model_file import ModelCard, in_use, load_model


@dataclass(frozen=True)
class ExplainRequest:
    """What to explain.

    Attributes
    ----------
    path : Path
        Model file.
    table : Path or None
        Rows to explain, or to compute importances on.
    rows : tuple of int
        Numbers of rows, from 1.
    metric : str
        Metric of the importance of columns.
    json : bool
        Whether to write JSON in place of tables.
    top : int
        How many columns to show.
    sheet, encoding : str or None and str
        Of the table.
    """

    path: Path
    table: Path | None = None
    rows: tuple[int, ...] = ()
    metric: str = "balanced_accuracy"
    json: bool = False
    top: int = 15
    sheet: str | None = None
    encoding: str = "auto"


def explain(request: ExplainRequest) -> None:
    """Print the weights of a model, explanations of rows, or importances of columns."""
    model, card = load_model(request.path)
    with in_use(request.path):
        if request.table is None:
            if request.json:
                terminal.stdout().print_json(json.dumps(_learnt(model, card)))
            else:
                _show(model, card, request.top)
            return
        asked = (request.rows, request.encoding, request.sheet)
        given = why.read_given(request.table, model, card, *asked)
        console = terminal.stdout()
        if request.rows:
            found = explain_rows(model, given.X, [row - 1 for row in request.rows])
            told: dict[str, Any] = {
                "rows": [why.row_dict(found, given, k) for k in range(len(request.rows))]
            }
        else:
            with terminal.busy("shuffling columns"):
                worth = why.judge_columns(model, card, given, request.metric)
            told = {"importance": worth.to_dict()}
        if request.json:
            console.print_json(json.dumps(told))
        elif request.rows:
            for k in range(len(request.rows)):
                why.print_row(console, found, given, k, request.top)
        else:
            why.print_importance(console, worth, request.top)


def _learnt(model: Pipeline, card: ModelCard) -> dict[str, Any]:
    """The card of a model and which columns support which class, as plain data."""
    told: dict[str, Any] = {"model": asdict(card)}
    classifier = model[-1]
    explanation = classifier.explain() if hasattr(classifier, "explain") else None
    for what in ("view", "feature"):
        shares = getattr(explanation, f"{what}_share", None)
        if shares is not None:
            names = getattr(explanation, f"{what}_names")
            by_class = [dict(zip(card.classes, map(float, row))) for row in shares]
            told[f"{what}_share"] = dict(zip(names, by_class))
    return told


def _show(model: Pipeline, card: ModelCard, top: int) -> None:
    console = terminal.stdout()
    classifier = model[-1]
    console.print(_card_table(card, getattr(classifier, "noise_matrix", None)))
    console.print(_class_table(card))
    if isinstance(classifier, TunedDecisionClassifier):
        console.print(classifier.explain(), markup=False, highlight=False)
        classifier = classifier.estimator_
    if not hasattr(classifier, "explain"):
        console.print(f"{card.label} is not a vote, so there are no shares to show.", markup=False)
        return
    explanation = classifier.explain()
    if hasattr(explanation, "decision"):
        console.print(str(explanation), markup=False, highlight=False)
    if hasattr(explanation, "selected"):
        _print_members(console, classifier, explanation, card.classes)
        return
    if hasattr(classifier, "class_factors_"):
        _print_factors(console, classifier, card.classes)
    elif hasattr(classifier, "staged_predict"):
        _print_rounds(console, classifier)
    views = Share.top(explanation.view_names, explanation.view_share)
    if len(views.names) > 1:
        _print_shares(console, "Which view supports which class", views, card.classes)
    columns = Share.top(explanation.feature_names, explanation.feature_share, n=top)
    _print_shares(console, "Which column supports which class", columns, card.classes)


def _print_members(console: Console, classifier: Any, found: Any, classes: Sequence[str]) -> None:
    """Print which members a stack kept, and how much each moves the score of each class."""
    members = {name: m for m, name in enumerate(found.names)}
    kept = [name for name, stays in zip(found.names, found.selected) if stays]
    dropped = [name for name in found.names if name not in kept]
    for title, names in (("kept", kept), ("dropped", dropped)):
        labels = ", ".join(_label(name) for name in names) or "none"
        console.print(f"{len(names)} of {len(members)} {title}: {labels}", markup=False)
    console.print(f"strength of the penalty: {classifier.strength_:g}", markup=False)
    if kept:
        share = Share.top(list(map(_label, kept)), [found.share[members[name]] for name in kept])
        _print_shares(console, "How much each method moves each class", share, classes)


def _label(name: str) -> str:
    return METHODS[name].label if name in METHODS else name


def _card_table(card: ModelCard, noise: Any = None) -> Table:
    out = terminal.table("Model", ["", ""])
    out.show_header = False
    out.columns[1].justify = "left"
    out.columns[1].no_wrap = False
    parameters = ", ".join(f"{name}={value}" for name, value in card.params.items())
    made_with = ", ".join(f"{name} {number}" for name, number in card.versions.items())
    for name, value in (
        ("method", card.label),
        ("target", card.target),
        ("trained on", f"{card.data}, {card.rows} rows, {len(card.columns)} columns"),
        ("missing cells", f"{100 * card.missing_share:.1f}%"),
        ("data sha256", card.sha256 or "-"),
        ("parameters", parameters or "-"),
        *([] if noise is None else [("label noise", _told_noise(noise))]),
        ("created", card.created),
        ("command", card.command),
        ("versions", made_with),
    ):
        out.add_row(name, Text(value))
    return out


def _told_noise(noise: Any) -> str:
    """Size of the noise matrix of a model, and its share of wrong labels."""
    kept = np.diag(np.asarray(noise, dtype=np.float64))
    return (
        f"{len(kept)} x {len(kept)} matrix; {100 * (1 - kept.mean()):.0f}% of the labels of a "
        f"class are wrong on average, {100 * (1 - kept.min()):.0f}% at most"
    )


def _class_table(card: ModelCard) -> Table:
    out = terminal.table("Classes", [card.target, "rows", "share"])
    for label, count in zip(card.classes, card.class_counts):
        out.add_row(Text(label), str(count), f"{100 * count / max(card.rows, 1):.1f}%")
    return out


def _print_rounds(console: Console, classifier: Any) -> None:
    out = terminal.table("Vote weights", ["", "first", "median", "last", "largest"])
    for name in ("weight", "edge"):
        values: NDArray[np.float64] = np.asarray(classifier.history_.get(name, ()))
        if values.size:
            shown = (values[0], np.median(values), values[-1], values.max())
            out.add_row(name, *(f"{value:.3f}" for value in shown))
    out.caption = f"{classifier.n_estimators_} rounds"
    out.caption_justify = "left"
    console.print(out)


def _print_factors(console: Console, classifier: Any, classes: Sequence[str]) -> None:
    """Print the factor of every class, and its out-of-bag recall."""
    out = terminal.table("Unseen training rows", ["", "factor", "recall", "taken most often for"])
    for label, factor, errors, judged in zip(
        classes,
        classifier.class_factors_,
        classifier.unseen_errors_,
        classifier.judged_,
        strict=True,
    ):
        rival = f"{classes[errors.argmax()]} ({errors.max():.2f})" if errors.any() else "-"
        recall = f"{1.0 - errors.sum():.2f}" if judged else "not known"
        out.add_row(Text(label), f"{factor:.2f}", recall, Text(rival))
    n_linear = len(classifier.vote_) - classifier.n_estimators_
    out.caption = (
        f"confusion norm {classifier.unseen_norm_:.3f}, a little optimistic\n"
        f"{classifier.n_estimators_} trees in {len(classifier.vote_.rounds)} boosts"
        + (f", and {n_linear} linear models with half of the vote" if n_linear else "")
    )
    out.caption_justify = "left"
    console.print(out)


def _print_shares(console: Console, title: str, share: Share, classes: Sequence[str]) -> None:
    """Print shares, in as many tables one below the other as the width of the console needs."""
    console.print(Text(title, style="bold"))
    room = console.width - max(len(name) for name in share.names) - 2
    start = 0
    while start < len(classes):
        stop, used = start, 0
        while stop < len(classes) and (stop == start or used + _room(classes[stop]) <= room):
            used += _room(classes[stop])
            stop += 1
        out = terminal.table("", ["", *classes[start:stop]])
        for name, values in zip(share.names, share.values):
            out.add_row(Text(name), *(terminal.shade(value) for value in values[start:stop]))
        console.print(out)
        start = stop


def _room(label: str) -> int:
    return max(len(label), len("100%")) + 3
