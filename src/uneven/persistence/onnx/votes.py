"""Votes of trees in ONNX."""

from __future__ import annotations

import numpy as np

from uneven.boosting.base import BoostingClassifier
from uneven.fusion import BregmanVoteClassifier
from uneven.persistence.onnx.graph import Answers, Graph, NotExportableError, answers_of
from uneven.persistence.onnx.trees import TreeTable, add_leaf_scores, add_leaves
from uneven.voters import TreeVoter
from uneven.voters.cost_tree import CategoryTree
from uneven.votes import ALL_VIEWS, Panel, Term, Vote
from uneven.votes.vote import VoteClassifier


def vote_scores(graph: Graph, X: str, vote: Vote) -> str:
    """Votes for each class, (n, K); views that a row lacks abstain."""
    terms = vote.terms()
    others = {type(term.voter) for term in terms} - {TreeVoter, CategoryTree, Panel}
    if others:
        raise NotExportableError(
            f"a vote of {', '.join(sorted(kind.__name__ for kind in others))} cannot be exported "
            "to ONNX, only a vote of trees. Learn it with trees, that is without estimator=."
        )
    parts = [_panel_scores(graph, X, term) for term in terms if isinstance(term.voter, Panel)]
    zero, is_tree = graph.constant(0.0), [not isinstance(term.voter, Panel) for term in terms]
    for view in np.unique(vote.view_of_term[is_tree]).tolist():
        asked = np.flatnonzero((vote.view_of_term == view) & is_tree)
        scores = _tree_scores(graph, X, vote, asked)
        if view != ALL_VIEWS and len(vote.views) > 1:
            absent = graph.is_missing(X, vote.views.columns[view])
            scores = graph.op("Where", absent, zero, scores)
        parts.append(scores)
    blind = graph.is_missing(X, vote.views.used_columns)
    return graph.op("Where", blind, zero, graph.sum(parts))


def _tree_scores(graph: Graph, X: str, vote: Vote, terms: np.ndarray) -> str:
    """What some terms, which are trees, add to the votes, (n, K)."""
    forest, values = vote.tree_values(terms)
    trees = TreeTable.of_forest(forest)
    if vote.has_scores:
        return add_leaf_scores(graph, X, trees, values)
    label = forest.trees.label
    weight = values[np.arange(len(label)), label]
    return add_leaves(graph, X, trees, label, weight, vote.n_classes)


def _panel_scores(graph: Graph, X: str, term: Term) -> str:
    """What a term adds whose voter is itself a small vote, (n, K)."""
    assert isinstance(term.voter, Panel)
    inner = vote_scores(graph, X, term.voter.vote)
    worth = graph.constant(np.ascontiguousarray(term.leaf_scores))
    said = graph.op("Gather", worth, graph.argmax(inner), axis=0)
    return graph.op("Where", graph.any_score(inner), said, graph.constant(0.0))


def vote_codes(
    graph: Graph, classifier: VoteClassifier, scores: str, winners: str | None = None
) -> str:
    """Class with the most votes, or `winners`; the most frequent one without votes, (n,)."""
    fallback = graph.constant(np.array([int(classifier.class_prior_.argmax())]))
    speaks = graph.op("Squeeze", graph.any_score(scores), graph.constant(np.array([1])))
    return graph.op("Where", speaks, winners or graph.argmax(scores), fallback)


def vote_shares(graph: Graph, classifier: VoteClassifier, scores: str) -> str:
    """Probabilities of a vote from its scores, (n, K)."""
    prior = graph.constant(classifier.class_prior_[None, :])
    speaks = graph.any_score(scores)
    if isinstance(classifier, BoostingClassifier) and classifier.loss_ is not None:
        units = np.log(classifier._class_units(classifier.class_prior_))
        warm = graph.op("Mul", scores, graph.constant(float(classifier.temperature_)))
        shift = graph.constant(np.broadcast_to(units, (1, len(classifier.classes_))).copy())
        return graph.op("Where", speaks, graph.softmax(graph.op("Add", warm, shift)), prior)
    return graph.shares(graph.op("Where", speaks, scores, prior))


def refuse_category_columns(model: object) -> None:
    """Raise an error if category columns of a data frame were fitted: graphs have no such input."""
    if getattr(model, "categories_", {}):
        raise NotExportableError(
            "the model was fitted on a data frame with category columns; export it with its "
            "encoder, as uneven fit makes it, or fit it on codes with categorical_features=."
        )


@answers_of.register
def _(model: VoteClassifier, graph: Graph, X: str) -> Answers:
    usual = [VoteClassifier, BoostingClassifier]
    for name in ("_scores", "_answers", "_probabilities", "predict_proba"):
        if getattr(type(model), name) not in [getattr(one, name) for one in usual]:
            raise NotExportableError(
                f"a {type(model).__name__} cannot be exported to ONNX: it does more than add votes."
            )
    refuse_category_columns(model)
    scores = vote_scores(graph, X, model.vote_)
    return Answers(vote_codes(graph, model, scores), scores, vote_shares(graph, model, scores))


@answers_of.register
def _(model: BregmanVoteClassifier, graph: Graph, X: str) -> Answers:
    refuse_category_columns(model)
    scores, margins, winners = vote_scores(graph, X, model.vote_), None, None
    if len(model.classes_) == 2:
        margins = graph.op("MatMul", scores, graph.constant(np.array([[-1.0], [1.0]])))
        second = graph.op("GreaterOrEqual", margins, graph.constant(0.0))
        winners = graph.op("Squeeze", graph.cast(second, int), graph.constant(np.array([1])))
    signs = graph.constant(np.array([[-1.0, 1.0]]))
    logits = scores if margins is None else graph.op("Mul", margins, signs)
    below = graph.op("Add", graph.op("Exp", graph.op("Neg", logits)), graph.constant(1.0))
    chances = graph.op("Div", graph.constant(1.0), below)
    prior = graph.constant(model.class_prior_[None, :])
    shares = graph.shares(graph.op("Where", graph.any_score(scores), chances, prior))
    return Answers(vote_codes(graph, model, scores, winners), scores, shares)
