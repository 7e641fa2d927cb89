"""UnevenClassifier, tuned decisions and fusions of views in ONNX."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce, singledispatch
from typing import Any

import numpy as np

from uneven.decisions import TunedDecisionClassifier
from uneven.decisions.class_factors import log_scores
from uneven.decisions.decision import Decision
from uneven.decisions.log_pool import LEAST_FLOOR, LogPool
from uneven.ensemble import UnevenClassifier
from uneven.ensemble.any_classifier import ClassifierModel
from uneven.ensemble.boost import BoostModel
from uneven.ensemble.forests import ForestModel
from uneven.ensemble.landmarks import LandmarkModel
from uneven.ensemble.linear import LinearModel
from uneven.ensemble.number_columns import FARTHEST, NumberColumns
from uneven.ensemble.pooling import PooledMember
from uneven.fusion import LateFusionClassifier
from uneven.fusion.forest_logistic import LARGEST_CELL, LEAST_SHARE, ForestLogisticClassifier
from uneven.fusion.rules import SMALLEST_FACTOR
from uneven.persistence.onnx.graph import Answers, Graph, NotExportableError, answers_of
from uneven.persistence.onnx.linear import linear_scores
from uneven.persistence.onnx.votes import (
    refuse_category_columns,
    vote_codes,
    vote_scores,
    vote_shares,
)
from uneven.votes import ALL_VIEWS

_TINY = np.finfo(float).tiny
_LOG_UNIT = 2.0**30


def probabilities_of(model: Any, graph: Graph, X: str) -> str:
    """Probabilities of a classifier, (n, K)."""
    found = answers_of(model, graph, X).probabilities
    if found is None:
        raise NotExportableError(f"a {type(model).__name__} has no probabilities to join.")
    return found


@singledispatch
def said_by(model: Any, graph: Graph, X: str) -> str:
    """Probabilities of a member of UnevenClassifier, (n, K)."""
    raise NotExportableError(f"a member that is a {type(model).__name__} cannot be exported.")


@said_by.register
def _(model: ForestModel, graph: Graph, X: str) -> str:
    shares = graph.op(
        "Mul", vote_scores(graph, X, model.vote), graph.constant(float(model.n_trees))
    )
    known = graph.op("Add", shares, graph.constant(model.prior[None, :]))
    return graph.op("Div", known, graph.constant(model.n_trees + 1.0))


@said_by.register
def _(model: BoostModel, graph: Graph, X: str) -> str:
    parts = []
    for vote, seen in zip(model.parts, model.seen):
        labels = np.flatnonzero(seen)
        scores = graph.columns(vote_scores(graph, X, vote), labels)
        parts.append(graph.place(graph.softmax(scores), labels, len(seen)))
    total = graph.sum(parts)
    counts = np.maximum(model.seen.sum(axis=0), 1).astype(np.float64)
    return graph.shares(graph.op("Div", total, graph.constant(counts[None, :])))


def number_columns(columns: NumberColumns, graph: Graph, X: str) -> str:
    """Standardised numbers and indicators, (n, width)."""
    if columns.unit:
        raise NotExportableError("a model of a sparse table cannot be exported to ONNX.")
    numbers = graph.columns(X, columns.numbers)
    numbers = graph.op("Sub", numbers, graph.constant(columns.centre[None, :]))
    numbers = graph.op("Div", numbers, graph.constant(columns.scale[None, :]))
    missing = graph.op("IsNaN", numbers)
    numbers = graph.op("Where", missing, graph.constant(0.0), numbers)
    low, high = graph.constant(-FARTHEST), graph.constant(FARTHEST)
    parts = [graph.op("Min", graph.op("Max", numbers, low), high)]
    if len(columns.gaps):
        parts.append(graph.cast(graph.op("IsNaN", graph.columns(X, columns.gaps)), float))
    if len(columns.categories):
        asked = graph.columns(X, columns.categories[:, 0])
        codes = graph.constant(columns.categories[:, 1].astype(np.float64)[None, :])
        parts.append(graph.cast(graph.op("Equal", asked, codes), float))
    return graph.op("Concat", *parts, axis=1)


@said_by.register
def _(model: LinearModel, graph: Graph, X: str) -> str:
    table = number_columns(model.columns, graph, X)
    return graph.softmax(linear_scores(graph, table, model.coef, model.intercept))


@said_by.register
def _(model: LandmarkModel, graph: Graph, X: str) -> str:
    table = number_columns(model.columns, graph, X)
    squares = graph.reduce("Sum", graph.op("Mul", table, table))
    lengths = (model.landmarks**2).sum(axis=1)[None, :]
    products = graph.op("MatMul", table, graph.constant(-2.0 * model.landmarks.T))
    apart = graph.op("Add", graph.op("Add", squares, graph.constant(lengths)), products)
    apart = graph.op("Max", apart, graph.constant(0.0))
    alike = graph.op("Exp", graph.op("Mul", apart, graph.constant(-model.gamma)))
    scores = linear_scores(graph, alike, model.coef.T, model.prior)
    return graph.softmax(graph.op("Mul", scores, graph.constant(float(model.temperature))))


@said_by.register
def _(model: ClassifierModel, graph: Graph, X: str) -> str:
    n_classes = len(model.prior)
    if model.model is None:
        ones = graph.op("Mul", graph.columns(X, [0]), graph.constant(0.0))
        ones = graph.op("Where", graph.op("IsNaN", ones), graph.constant(0.0), ones)
        shares = graph.op("Add", ones, graph.constant(1.0))
    else:
        shares = probabilities_of(model.model, graph, X)
    return graph.place(shares, model.labels, n_classes)


def pooled(pool: LogPool, graph: Graph, said: list[str], silent: list[str | None]) -> str:
    """Log-linear pool of probabilities (n, K).

    Parameters
    ----------
    pool : LogPool
    graph : Graph
    said : list of str
    silent : list of str or None
        Rows in which each member abstains, booleans (n, 1); None if it never does.
    """
    logs = []
    for member, floor in zip(said, pool.floors):
        lowest = graph.constant(np.minimum(floor, pool.prior / 2.0)[None, :])
        logs.append(graph.op("Log", graph.op("Max", member, lowest)))
    if any(one is not None for one in silent):
        logs = _filled(pool, graph, logs, silent)
    weights = map(float, pool.weights)
    total = graph.sum([graph.op("Mul", one, graph.constant(w)) for one, w in zip(logs, weights)])
    return graph.softmax(graph.op("Add", total, graph.constant(pool.bias[None, :])))


def _mixed(graph: Graph, joint: str, single: str, gaps: list[str]) -> str:
    """What `mixed_by_presence` returns, (n, K)."""
    present = graph.sum([_speaks(graph, gap) for gap in gaps])
    share = graph.op("Div", present, graph.constant(float(len(gaps))))
    share = graph.op("Mul", share, share)
    rest = graph.op("Sub", graph.constant(1.0), share)
    return graph.shares(
        graph.op("Mul", graph.op("Pow", joint, share), graph.op("Pow", single, rest))
    )


def _filled(pool: LogPool, graph: Graph, logs: list[str], silent: list[str | None]) -> list[str]:
    """Give members that abstain the weighted mean of the others, or the class frequencies."""
    if not pool.shares_gaps:
        shares = graph.constant(np.log(np.maximum(pool.prior, LEAST_FLOOR))[None, :])
        return [
            one if gap is None else graph.op("Where", gap, shares, one)
            for one, gap in zip(logs, silent)
        ]
    here = [_speaks(graph, gap) for gap in silent]
    worth = [
        graph.op("Mul", one, graph.constant(float(weight)))
        for one, weight in zip(here, pool.weights)
    ]
    total = graph.sum(worth)
    nobody = graph.op("Equal", total, graph.constant(0.0))
    divisor = graph.op("Where", nobody, graph.sum(here), total)
    divisor = graph.op("Max", divisor, graph.constant(_TINY))
    parts = [graph.op("Where", nobody, one, own) for one, own in zip(here, worth)]
    heard = graph.sum([graph.op("Mul", part, one) for part, one in zip(parts, logs)])
    mean = graph.op("Div", heard, divisor)
    return [
        one if gap is None else graph.op("Where", gap, mean, one) for one, gap in zip(logs, silent)
    ]


def _speaks(graph: Graph, silent: str | None) -> str:
    """0 where a member abstains, else 1, (n, 1)."""
    if silent is None:
        return graph.constant(np.ones((1, 1)))
    return graph.cast(graph.op("Not", silent), float)


def decided(decision: Decision, graph: Graph, shares: str) -> tuple[str, str]:
    """Scores of a decision rule, and probabilities at the class shares of its target, (n, K)."""
    posterior = shares
    if not np.array_equal(decision.prior, decision.target):
        ratio = graph.constant((decision.target / decision.prior)[None, :])
        above = graph.op("Max", shares, graph.constant(_TINY))
        posterior = graph.shares(graph.op("Mul", above, ratio))
    if decision.cost is not None:
        unit = np.ldexp(1.0, int(np.frexp(np.abs(decision.cost).max())[1]) - 40)
        expected = graph.op("MatMul", posterior, graph.constant(decision.cost / unit))
        return graph.op("Mul", graph.op("Round", expected), graph.constant(-unit)), posterior
    ones = np.ones((1, len(decision.prior)))
    shift = log_scores(ones, decision.prior, np.asarray(decision.factors))
    logs = graph.op("Log", graph.op("Max", shares, graph.constant(_TINY)))
    whole = graph.op("Round", graph.op("Mul", logs, graph.constant(_LOG_UNIT)))
    return graph.op("Add", graph.op("Div", whole, graph.constant(_LOG_UNIT)),
                    graph.constant(shift)), posterior  # fmt: skip


def answered(decision: Decision, graph: Graph, scores: str) -> str:
    """Codes of the predictions, -1 for abstentions, (n,)."""
    codes = graph.argmax(scores)
    if decision.abstain_cost is None:
        return codes
    if decision.cost is not None:
        price = graph.op("Neg", graph.reduce("Max", scores))
    else:
        best = graph.reduce("Max", graph.softmax(scores))
        price = graph.op("Sub", graph.constant(1.0), best)
    dear = graph.op("Greater", price, graph.constant(decision.abstain_cost + 1e-9))
    flat = graph.op("Squeeze", dear, graph.constant(np.array([1])))
    return graph.op("Where", flat, graph.constant(np.array([-1])), codes)


@answers_of.register
def _(model: UnevenClassifier, graph: Graph, X: str) -> Answers:
    refuse_category_columns(model)
    if model.pool_ is None or model.decision_ is None:
        raise NotExportableError("a model without members always predicts the same: no export.")
    asked = {id(one): one for one in (*model.members_, *model.view_members_)}
    said = {key: _member(member, model, graph, X) for key, member in asked.items()}

    def together(pool: LogPool, members: Sequence[PooledMember]) -> str:
        shares, silent = zip(*(said[id(one)] for one in members))
        return pooled(pool, graph, list(shares), list(silent))

    shares = together(model.pool_, model.members_)
    if model.view_pool_ is not None:
        gaps = [graph.is_missing(X, columns) for columns in model.views_.columns]
        some = reduce(partial(graph.op, "Or"), gaps)
        single = together(model.view_pool_, model.view_members_)
        shares = graph.op("Where", some, _mixed(graph, shares, single, gaps), shares)
    prior = graph.constant(model.class_prior_[None, :])
    blind = graph.is_missing(X, model.views_.used_columns)
    shares = graph.op("Where", blind, prior, shares)
    scores, posterior = decided(model.decision_, graph, shares)
    codes = answered(model.decision_, graph, scores)
    flat = graph.op("Squeeze", blind, graph.constant(np.array([1])))
    kept = graph.op("And", flat, graph.op("GreaterOrEqual", codes, graph.constant(np.array(0))))
    codes = graph.op("Where", kept, graph.argmax(posterior), codes)
    scores = graph.op("Where", blind, posterior, scores)
    return Answers(codes, scores, posterior)


def _member(
    member: PooledMember, model: UnevenClassifier, graph: Graph, X: str
) -> tuple[str, str | None]:
    """Probabilities of a member, and where it abstains."""
    said = said_by(member.model, graph, graph.columns(X, member.columns))
    if member.view == ALL_VIEWS or len(model.views_) == 1:
        return said, None
    return said, graph.is_missing(X, model.views_.columns[member.view])


@answers_of.register
def _(model: TunedDecisionClassifier, graph: Graph, X: str) -> Answers:
    shares = probabilities_of(model.estimator_, graph, X)
    places = np.searchsorted(model.classes_, model.estimator_.classes_)
    shares = graph.place(shares, places, len(model.classes_))
    if model.calibration_ is not None:
        shares = pooled(model.calibration_, graph, [shares], [None])
    scores, posterior = decided(model.decision_, graph, shares)
    return Answers(answered(model.decision_, graph, scores), scores, posterior)


@answers_of.register
def _(model: ForestLogisticClassifier, graph: Graph, X: str) -> Answers:
    if model.forest_ is None:
        raise NotExportableError("a model of a sparse table cannot be exported to ONNX.")
    low, high = graph.constant(-LARGEST_CELL), graph.constant(LARGEST_CELL)
    bounded = graph.op("Min", graph.op("Max", X, low), high)
    gaps = graph.op("IsNaN", X)
    bounded = graph.op("Where", gaps, X, bounded)
    filled = graph.op("Where", gaps, graph.constant(model.fill_[None, :]), bounded)
    scaled = graph.op("Sub", filled, graph.constant(model.shift_[None, :]))
    scaled = graph.op("Div", scaled, graph.constant(model.scale_[None, :]))
    logs = []
    for part, table in ((model.logistic_, scaled), (model.forest_, bounded)):
        shares = probabilities_of(part, graph, table)
        logs.append(graph.op("Log", graph.op("Max", shares, graph.constant(LEAST_SHARE))))
    mean = graph.op("Div", graph.op("Add", *logs), graph.constant(2.0))
    shares = graph.shares(graph.op("Exp", mean))
    return Answers(graph.argmax(shares), None, shares)


@answers_of.register
def _(model: LateFusionClassifier, graph: Graph, X: str) -> Answers:
    is_product = model.rule_ in ("product", "weighted_product")
    if model.combine_ == "margins" or not (is_product or model.rule_ == "sum"):
        raise NotExportableError(
            f"late fusion of {model.combine_} by the rule {model.rule_!r} cannot be exported to "
            "ONNX: sums and products of probabilities or predictions can."
        )
    zero, parts, worth = graph.constant(0.0), [], []
    for estimator, columns, weight in zip(model.estimators_, model.views_.columns, model.weights_):
        if estimator is None:
            continue
        said = _opinion(model, estimator, graph, graph.columns(X, columns))
        factor = graph.constant(float(weight))
        if model.rule_ != "weighted_product":
            said = graph.op("Mul", said, factor)
        absent = graph.is_missing(X, columns)
        here = graph.cast(graph.op("Not", absent), float)
        if is_product:
            said = graph.op("Log", graph.op("Max", said, graph.constant(SMALLEST_FACTOR)))
        if model.rule_ == "weighted_product":
            said, here = graph.op("Mul", said, factor), graph.op("Mul", here, factor)
        parts.append(graph.op("Where", absent, zero, said))
        worth.append(here)
    total = graph.sum(parts)
    if is_product:
        weights = graph.sum(worth)
        mean = graph.op("Div", total, graph.op("Max", weights, graph.constant(_TINY)))
        total = graph.op("Where", graph.op("Greater", weights, zero), graph.op("Exp", mean), zero)
    shares = vote_shares(graph, model, total)
    scores = total
    if model.divides_by_prior_:
        scores = graph.op("Div", total, graph.constant(model.class_prior_[None, :]))
    return Answers(vote_codes(graph, model, scores), scores, shares)


def _opinion(model: LateFusionClassifier, estimator: Any, graph: Graph, X: str) -> str:
    """Probabilities of one view, (n, K)."""
    n_classes = len(model.classes_)
    found = answers_of(estimator, graph, X)
    if model.combine_ == "votes":
        table = graph.constant(np.eye(n_classes)[np.asarray(estimator.classes_)])
        return graph.op("Gather", table, found.codes, axis=0)
    if found.probabilities is None:
        raise NotExportableError(f"a {type(estimator).__name__} has no probabilities to join.")
    return graph.place(found.probabilities, estimator.classes_, n_classes)
