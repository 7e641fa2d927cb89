"""Section: what more recall of one class costs the others.

The scores of a class are multiplied by a factor before the class with the largest one is predicted.
At a factor of 1 every row gets the prediction of the method. A method with a decision rule of
its own does not predict the most probable class; its rule is taken to be one factor per class and
fold, found so that every class is predicted as often as it was.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from uneven.comparison.results import Comparison
from uneven.metrics import matrix_norm
from uneven.report.markup import Markup, tag
from uneven.report.rowchoice import KeptRows

STEPS = 20
"""Positions of the slider on each side of the method's own predictions."""

NARROWEST, WIDEST = math.log(10.0), 8.0
"""Factors go up to 10 at least, and to exp(8) at most; down to as little."""

SMALLEST = 1e-6
ROOM = 350_000
"""Characters of the page for trades."""

_TURNS = 60


@dataclass(frozen=True, eq=False)
class Trade:
    """Predictions for a range of factors on one class.

    Attributes
    ----------
    factors : ndarray of shape (P,)
        Increasing; the middle one is 1.
    confusions : ndarray of shape (P, K, K)
        Counts of rows by label and prediction.
    """

    factors: NDArray[np.float64]
    confusions: NDArray[np.int64]


def recall_trade(
    levels: NDArray[np.float64], truth: NDArray[np.intp], code: int, steps: int = STEPS
) -> Trade:
    """Count predictions for factors on one class, from never predicting it to finding all its rows.

    Parameters
    ----------
    levels : ndarray of shape (n, K)
        Logarithms of scores; the largest one is predicted.
    truth : ndarray of int, shape (n,)
        Codes of the labels.
    code : int
        The class whose scores are multiplied.
    steps : int
        Factors on each side of 1.

    Examples
    --------
    >>> levels = np.log([[0.6, 0.4], [0.9, 0.1], [0.3, 0.7]])
    >>> found = recall_trade(levels, np.array([1, 0, 1]), 1, steps=2)
    >>> (found.confusions[:, 1, 1] / 2).tolist()
    [0.0, 0.0, 0.5, 1.0, 1.0]
    """
    n, k = levels.shape
    others = levels.copy()
    others[:, code] = -np.inf
    second = others.argmax(axis=1) if k > 1 else np.zeros(n, dtype=np.intp)
    needed = others.max(axis=1) - levels[:, code]
    own = needed[truth == code]
    own = own if len(own) else needed
    margin = 1e-6
    low = float(np.clip(own.min() - margin, -WIDEST, -NARROWEST))
    high = float(np.clip(own.max() + margin, NARROWEST, WIDEST))
    logs = np.r_[np.linspace(low, 0.0, steps + 1), np.linspace(0.0, high, steps + 1)[1:]]
    flips = np.searchsorted(logs, needed, side="left")  # first position at which it is predicted
    size = len(logs) + 1
    gained = np.bincount(flips * k + truth, minlength=size * k).reshape(size, k)
    lost = np.bincount((flips * k + truth) * k + second, minlength=size * k * k)
    before = np.cumsum(gained, axis=0)[:-1]
    moved = lost.reshape(size, k, k)
    confusions = moved.sum(axis=0) - np.cumsum(moved, axis=0)[:-1]
    confusions[:, :, code] += before
    return Trade(np.exp(logs), confusions)


def answer_levels(
    scores: NDArray[np.float64], answers: NDArray[np.intp], folds: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Logarithms of scores times factors per class and fold, whose largest one is the prediction.

    Parameters
    ----------
    scores : ndarray of shape (n, K)
        Probabilities.
    answers, folds : ndarray of int, shape (n,)
        Codes of the predictions, and the fold of each row.

    Examples
    --------
    >>> scores, answers = np.array([[0.8, 0.2], [0.6, 0.4]]), np.array([0, 1])
    >>> answer_levels(scores, answers, np.zeros(2, int)).argmax(axis=1)
    array([0, 1])
    """
    levels = np.log(np.maximum(scores, SMALLEST))
    k, rows = levels.shape[1], np.arange(len(levels))
    for fold in np.unique(folds):
        here = folds == fold
        wanted = np.bincount(answers[here], minlength=k) + 0.5
        offsets, best, least = np.zeros(k), np.zeros(k), len(levels) + 1
        for turn in range(_TURNS):
            said = (levels[here] + offsets).argmax(axis=1)
            wrong = int(np.count_nonzero(said != answers[here]))
            if wrong < least:
                best, least = offsets.copy(), wrong
            if not wrong:
                break
            step = np.log(wanted / (np.bincount(said, minlength=k) + 0.5))
            offsets += step / (1.0 + 0.1 * turn)
        levels[here] += best
    top = levels.max(axis=1) + 1e-9
    own = levels[rows, answers]
    levels[rows, answers] = np.where(levels.argmax(axis=1) == answers, own, top)
    return np.asarray(levels)


def trade_data(
    results: Comparison,
    kept: KeptRows,
    order: Sequence[int],
    cost: NDArray[np.float64] | None = None,
) -> dict[str, Any] | None:
    """What the slider reads: for the best methods and every class, measures by position.

    Parameters
    ----------
    results : Comparison
    kept : KeptRows
    order : sequence of int
        Codes of the classes from the largest to the smallest: the page counts them so.
    cost : ndarray of shape (K, K), optional
        What a prediction costs, row = true class.

    Returns
    -------
    dict or None
        None if no method gives probabilities.
    """
    labels = {m.name: m.label for m in results.methods}
    held, k = kept.held, len(order)
    one = k * (2 * STEPS + 1) * (3 * k + 12)
    methods = []
    for name in kept.probable[: max(1, ROOM // one)] if one <= 4 * ROOM else []:
        known = held.answers[name] >= 0
        answers = held.answers[name][known].astype(np.intp)
        levels = answer_levels(held.scores[name][known], answers, held.folds[known])
        trades = [recall_trade(levels, held.truth[known], c) for c in order]
        methods.append(
            {"label": labels[name], "classes": [_measures(t, order, cost) for t in trades]}
        )
    if not methods or k < 2:
        return None
    return {"classes": [results.data.classes[c] for c in order], "methods": methods, "zero": STEPS}


def _measures(
    trade: Trade, order: Sequence[int], cost: NDArray[np.float64] | None
) -> dict[str, Any]:
    counts = trade.confusions[:, order][:, :, order].astype(float)
    sizes = counts.sum(axis=2, keepdims=True)
    rates = np.divide(counts, sizes, out=np.zeros_like(counts), where=sizes > 0)
    errors = rates * (1.0 - np.eye(len(order)))
    recalls = np.diagonal(rates, axis1=1, axis2=2)
    known = sizes[0, :, 0] > 0
    right = np.trace(counts, axis1=1, axis2=2) / np.maximum(counts.sum(axis=(1, 2)), 1.0)
    found: dict[str, Any] = {
        "factors": [float(f"{f:.3g}") for f in trade.factors],
        "recalls": [
            [round(1000 * r) if k else None for r, k in zip(row, known)] for row in recalls.tolist()
        ],
        "accuracy": np.round(1000 * right).astype(int).tolist(),
        "norm": [round(1000 * matrix_norm(e)) for e in errors],
    }
    if cost is not None:
        spent = (trade.confusions * cost).sum(axis=(1, 2)) / max(counts[0].sum(), 1.0)
        found["cost"] = [float(f"{value:.4g}") for value in spent]
    return found


NOTE = (
    "Held-out rows, predicted again with the scores of one class multiplied by a factor: 2 means "
    "that half the probability is enough to predict the class. In the middle every row has the "
    "prediction of the method. The results are slightly optimistic if you choose the factor by "
    "them."
)


def trade(data: dict[str, Any] | None, results: Comparison) -> Markup | None:
    """Rules that were chosen, the controls and the place for their picture.

    None without anything to trade.
    """
    if data is None:
        return None
    rules = [
        tag("li", tag("b", f"{method.label}: "), method.decision.sentence)
        for method in results.ranked()
        if method.decision is not None
    ]
    chosen = tag("ul", rules[:1], class_="remarks") if rules else ""
    others = tag("details", tag("summary", "Rules of the other methods"), tag("ul", rules[1:]))
    return Markup(
        chosen
        + (others if rules[1:] else "")
        + tag("p", "The slider needs scripts.", class_="note unscripted")
        + _controls(data)
        + tag("p", "", class_="said", role="status", id="trade-said")
        + tag("dl", class_="tiles", id="trade-figures")
        + tag(
            "div",
            tag("div", tag("div", id="trade-chart")),
            tag("div", id="trade-recalls"),
            class_="two",
        )
        + tag("p", NOTE, class_="note")
    )


def _controls(data: dict[str, Any]) -> Markup:
    """Menus of method and class, and the slider; the script shows them."""
    methods = [tag("option", m["label"], value=i) for i, m in enumerate(data["methods"])]
    recalls = [method["classes"][0]["recalls"][0] for method in data["methods"]]
    places = [i for i, found in enumerate(zip(*recalls)) if any(r is not None for r in found)]
    classes = [tag("option", data["classes"][i], value=i, selected=i == places[-1]) for i in places]
    return tag(
        "form",
        tag("label", "Method ", tag("select", methods, name="method")),
        tag("label", "Class ", tag("select", classes, name="class")),
        tag(
            "label",
            tag("span", "less often", class_="end"),
            tag(
                "input",
                type="range",
                name="position",
                min=0,
                max=2 * STEPS,
                step=1,
                value=STEPS,
                aria_label="Factor of the class",
            ),
            tag("span", "more often", class_="end"),
            class_="slide",
        ),
        tag("button", "Reset", type="button", class_="quiet", name="reset"),
        class_="controls",
        hidden=True,
        id="trade-controls",
    )
