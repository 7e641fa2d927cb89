"""Checks of loaded models whose compiled readers trust their indices.

The trees of scikit-learn and of this library are read by compiled code that follows child and
column indices without looking at their range.  A forged file could use that to read foreign
memory, so every index of a loaded tree is checked once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier

from uneven.boosting import (
    AdaBoostMMClassifier,
    ComboClassifier,
    MuComboClassifier,
    MumboClassifier,
    ShareBoostClassifier,
)
from uneven.fusion import BregmanVoteClassifier, CarakoClassifier, LateFusionClassifier
from uneven.voters import EstimatorVoter, TreeVoter
from uneven.votes import Panel, Vote

__all__ = ["check_structure"]

ENCODERS = (
    str,
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    SimpleImputer,
    StandardScaler,
)
OURS = (
    AdaBoostMMClassifier,
    BregmanVoteClassifier,
    CarakoClassifier,
    ComboClassifier,
    MuComboClassifier,
    MumboClassifier,
    ShareBoostClassifier,
)


def check_structure(pipeline: Any) -> None:
    """Refuse a loaded object that is not an encoder and a well-formed classifier.

    Parameters
    ----------
    pipeline : object
        What a model file held.

    Raises
    ------
    ValueError
        If it is something else, or if a tree in it points outside its arrays.
    """
    if type(pipeline) is not Pipeline or len(pipeline.steps) != 2:
        raise ValueError("it does not hold a pipeline of an encoder and a classifier")
    encoder, classifier = pipeline[0], pipeline[1]
    _check_encoder(encoder)
    if type(classifier) is RandomForestClassifier:
        _check_forest(classifier)
    elif type(classifier) is HistGradientBoostingClassifier:
        _check_gradient_boosting(classifier)
    elif type(classifier) in OURS:
        _check_votes(classifier)
    elif type(classifier) is LateFusionClassifier:
        _check_members(classifier)
    elif type(classifier) is not LogisticRegression:
        raise ValueError(f"its classifier is a {type(classifier).__name__}, which is not known")


def _check_encoder(encoder: Any) -> None:
    if type(encoder) is not ColumnTransformer:
        raise ValueError(f"its encoder is a {type(encoder).__name__}, not a ColumnTransformer")
    for _, part, _ in encoder.transformers_:
        steps = [step for _, step in part.steps] if type(part) is Pipeline else [part]
        for step in steps:
            if type(step) not in ENCODERS or getattr(step, "func", None) is not None:
                raise ValueError(f"its encoder holds a {type(step).__name__}, which is not known")


def _check_forest(forest: RandomForestClassifier) -> None:
    for member in forest.estimators_:
        if type(member) is not DecisionTreeClassifier:
            raise ValueError(f"its forest holds a {type(member).__name__}")
        tree = member.tree_
        widths = {forest.n_features_in_, member.n_features_in_, tree.n_features}
        if len(widths) > 1:
            raise ValueError("the trees of its forest disagree about the number of columns")
        inner = tree.children_left != -1
        if np.any((tree.children_right != -1) != inner):
            raise ValueError("a tree has a node with one child")
        _check_nodes(inner, [tree.children_left, tree.children_right])
        _check_range(tree.feature[inner], forest.n_features_in_, "column")


def _check_gradient_boosting(model: HistGradientBoostingClassifier) -> None:
    for predictor in _predictors(model):
        nodes = predictor.nodes
        inner = nodes["is_leaf"] == 0
        if np.any(nodes["is_categorical"][inner]):
            raise ValueError("a tree splits on categories, which no encoder of uneven makes")
        _check_nodes(inner, [nodes["left"].astype(np.int64), nodes["right"].astype(np.int64)])
        _check_range(nodes["feature_idx"][inner].astype(np.int64), model.n_features_in_, "column")


def _predictors(model: HistGradientBoostingClassifier) -> Iterator[Any]:
    for stage in model._predictors:
        yield from stage


def _check_nodes(inner: NDArray[np.bool_], children: list[NDArray]) -> None:
    """Every child must come after its parent and lie inside the tree, so walks end."""
    if inner.size == 0:
        raise ValueError("a tree has no nodes")
    parents = np.flatnonzero(inner)
    for child in children:
        _check_range(child[inner], inner.size, "child")
        if np.any(child[inner] <= parents):
            raise ValueError("a tree has a child before its parent")


def _check_range(values: NDArray, size: int, what: str) -> None:
    if values.size and (values.min() < 0 or values.max() >= size):
        raise ValueError(f"a tree points to {what} {values.max()} of {size}")


def _check_votes(classifier: Any) -> None:
    """Put a checked copy in the place of every vote that a classifier holds."""
    n_features, n_classes = classifier.n_features_in_, len(classifier.classes_)
    classifier.vote_ = _checked(classifier.vote_, n_features, n_classes)
    if type(classifier) is MumboClassifier:
        votes = [_checked(vote, n_features, n_classes) for vote in classifier.view_votes_]
        classifier.view_votes_ = tuple(votes)


def _check_members(fusion: LateFusionClassifier) -> None:
    """Check the classifier of every view, where it is asked and where it votes."""
    voters: list[Any] = [term.voter for term in fusion.vote_.terms()]
    if any(type(voter) is not EstimatorVoter for voter in voters):
        raise ValueError("its vote holds a term that is not the classifier of a view")
    for columns in [*fusion.views_.columns, *(voter.columns for voter in voters)]:
        _check_range(columns, fusion.n_features_in_, "column")
    members = [voter.estimator for voter in voters]
    for member in [*members, *(m for m in fusion.estimators_ if m is not None)]:
        if type(member) not in OURS:
            raise ValueError(f"a view is judged by a {type(member).__name__}, which is not known")
        _check_votes(member)


def _checked(vote: Any, n_features: int, n_classes: int, may_hold_panels: bool = True) -> Vote:
    """Check every tree, then pack the vote anew, so that its arrays agree with each other."""
    if type(vote) is not Vote:
        raise ValueError(f"a {type(vote).__name__} stands where a vote should be")
    if vote.views.n_features != n_features or vote.n_classes != n_classes:
        raise ValueError("its vote does not fit its columns and classes")
    for columns in vote.views.columns:
        _check_range(columns, n_features, "column")
    terms = vote.terms()
    for term in terms:
        if term.weight.shape != (n_classes,):
            raise ValueError("its vote holds a term without a weight per class")
        if not -1 <= term.view < len(vote.views):
            raise ValueError(f"a tree reads view {term.view} of {len(vote.views)}")
        if type(term.voter) is Panel and may_hold_panels:
            term.voter.vote = _checked(term.voter.vote, n_features, n_classes, False)
        elif type(term.voter) is TreeVoter:
            _check_voter(term.voter, n_features, n_classes)
        else:
            raise ValueError(f"its vote holds a {type(term.voter).__name__}, which is not known")
    stages = np.concatenate([[0], vote.rounds, [len(terms)]])
    if np.any(np.diff(stages) < 0):
        raise ValueError("the rounds of its vote do not increase to the number of terms")
    return Vote(terms, vote.rounds.tolist(), n_classes, vote.views)


def _check_voter(tree: TreeVoter, n_features: int, n_classes: int) -> None:
    sizes = {getattr(tree, part.name).shape for part in fields(TreeVoter)}
    if sizes != {tree.child.shape} or tree.child.ndim != 1:
        raise ValueError("the arrays of a tree differ in length")
    for whole in (tree.child, tree.feature, tree.label):
        if whole.dtype.kind not in "iu":
            raise ValueError(f"a tree has indices of type {whole.dtype}")
    inner = ~tree.is_leaf
    if not (np.isposinf(tree.threshold[~inner]).all() and tree.missing_left[~inner].all()):
        raise ValueError("a leaf of a tree sends rows on")
    _check_nodes(inner, [tree.child, tree.child + 1])
    _check_range(tree.feature, n_features, "column")
    _check_range(tree.label, n_classes, "class")
