"""Checks of loaded models whose compiled readers trust their indices.

The trees of scikit-learn and of this library are read by compiled code that follows child and
column indices without looking at their range.  A forged file could use that to read foreign
memory, so every index of a loaded tree is checked once.  Numbers that no training can leave
behind, such as a vote weight that is not finite, are refused as well.
"""

from __future__ import annotations

from collections.abc import Iterator
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
    NormComboClassifier,
    ShareBoostClassifier,
)
from uneven.fusion import BregmanVoteClassifier, CarakoClassifier, LateFusionClassifier
from uneven.fusion.late import check_joining
from uneven.linear import (
    KernelExpansion,
    KernelPerceptronClassifier,
    PerceptronClassifier,
    UltraconservativeClassifier,
)
from uneven.noise import LabelRepairPipeline, NoiseTolerantPerceptron, UMAClassifier
from uneven.persistence.learner_check import check_learner
from uneven.persistence.part_check import (
    UnknownPartError,
    check_classes,
    check_columns,
    check_kernel,
    check_names,
    check_nodes,
    check_numbers,
    check_range,
    check_rows,
    check_tree,
    check_whole,
)
from uneven.persistence.stack_check import check_joined, check_stack
from uneven.persistence.voter_check import VOTERS
from uneven.stacking import MarginStackingClassifier, RuleClassifier
from uneven.versionspace import (
    BayesPointClassifier,
    CompressionPerceptron,
    CuttingPlaneClassifier,
    CuttingPlaneSVC,
    Span,
)
from uneven.views import ViewMap
from uneven.voters import EstimatorVoter
from uneven.votes import Panel, Term, Vote

__all__ = ["UnknownPartError", "check_structure"]

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
    NormComboClassifier,
    ShareBoostClassifier,
)
STACKS = (MarginStackingClassifier, RuleClassifier)
LINEAR = (
    CompressionPerceptron,
    CuttingPlaneClassifier,
    CuttingPlaneSVC,
    LogisticRegression,
    NoiseTolerantPerceptron,
    PerceptronClassifier,
    UltraconservativeClassifier,
    UMAClassifier,
)


def check_structure(pipeline: Any) -> None:
    """Refuse a loaded object that is not an encoder and a well-formed classifier.

    Parameters
    ----------
    pipeline : object
        What a model file held.

    Raises
    ------
    UnknownPartError
        If it is something else.
    ValueError
        If a tree in it points outside its arrays.
    """
    if type(pipeline) is not Pipeline or len(pipeline.steps) != 2:
        raise UnknownPartError("it does not hold a pipeline of an encoder and a classifier")
    encoder, classifier = pipeline[0], pipeline[1]
    _check_encoder(encoder)
    _check_classifier(classifier)


def _check_classifier(classifier: Any) -> None:
    if type(classifier) is RandomForestClassifier:
        _check_forest(classifier)
    elif type(classifier) is HistGradientBoostingClassifier:
        _check_gradient_boosting(classifier)
    elif type(classifier) in OURS:
        _check_votes(classifier)
    elif type(classifier) is LateFusionClassifier:
        _check_members(classifier)
    elif type(classifier) in LINEAR:
        _check_linear(classifier)
    elif type(classifier) is BayesPointClassifier:
        _check_bayes_point(classifier)
    elif type(classifier) is KernelPerceptronClassifier:
        _check_expansion(classifier)
    elif type(classifier) is LabelRepairPipeline:
        _check_repair(classifier)
    elif type(classifier) is MarginStackingClassifier:
        check_stack(classifier, _check_stacked)
    elif type(classifier) is RuleClassifier:
        check_joined(classifier, _check_stacked)
    else:
        raise UnknownPartError(
            f"its classifier is a {type(classifier).__name__}, which is not known"
        )


def _check_stacked(model: Any) -> None:
    """Check one member of a stack: a classifier, an encoder and a classifier, a base learner."""
    if type(model) in (*STACKS, LabelRepairPipeline):
        raise UnknownPartError(f"its stack holds a {type(model).__name__}")
    if type(model) is Pipeline and type(model[0]) is StandardScaler:
        check_learner(model)
    elif type(model) is Pipeline:
        check_structure(model)
        if type(model[-1]) in STACKS:
            raise UnknownPartError("its stack holds another stack")
    else:
        _check_classifier(model)


def _check_encoder(encoder: Any) -> None:
    if type(encoder) is not ColumnTransformer:
        raise UnknownPartError(
            f"its encoder is a {type(encoder).__name__}, not a ColumnTransformer"
        )
    for _, part, _ in encoder.transformers_:
        steps = [step for _, step in part.steps] if type(part) is Pipeline else [part]
        for step in steps:
            if type(step) not in ENCODERS or getattr(step, "func", None) is not None:
                raise UnknownPartError(
                    f"its encoder holds a {type(step).__name__}, which is not known"
                )


def _check_forest(forest: RandomForestClassifier) -> None:
    for member in forest.estimators_:
        if type(member) is not DecisionTreeClassifier:
            raise ValueError(f"its forest holds a {type(member).__name__}")
        tree = member.tree_
        widths = {forest.n_features_in_, member.n_features_in_, tree.n_features}
        if len(widths) > 1:
            raise ValueError("the trees of its forest disagree about the number of columns")
        check_tree(tree, forest.n_features_in_)


def _check_gradient_boosting(model: HistGradientBoostingClassifier) -> None:
    for predictor in _predictors(model):
        nodes = predictor.nodes
        inner = nodes["is_leaf"] == 0
        if np.any(nodes["is_categorical"][inner]):
            raise ValueError("a tree splits on categories, which no encoder of uneven makes")
        check_numbers(nodes["value"].copy(), nodes.shape, "answers", signed=True)
        check_nodes(inner, [nodes["left"].astype(np.int64), nodes["right"].astype(np.int64)])
        check_range(nodes["feature_idx"][inner].astype(np.int64), model.n_features_in_, "column")


def _predictors(model: HistGradientBoostingClassifier) -> Iterator[Any]:
    for stage in model._predictors:
        yield from stage


def _check_linear(classifier: Any) -> None:
    """Check the weights of columns, or of training rows where there is a kernel."""
    if hasattr(classifier, "expansion_"):
        _check_expansion(classifier)
        n_outputs = classifier.expansion_.coefficients.shape[1]
        check_numbers(classifier.intercept_, (n_outputs,), "intercepts", signed=True)
        return
    check_classes(classifier.classes_)
    check_names(classifier)
    _check_weights(classifier, classifier.coef_, classifier.n_features_in_)
    check_numbers(classifier.intercept_, (len(classifier.coef_),), "intercepts", signed=True)


def _check_expansion(classifier: Any) -> None:
    """Check a weighted sum of kernels, one for each class or one for two."""
    check_classes(classifier.classes_)
    check_names(classifier)
    expansion = classifier.expansion_
    if type(expansion) is not KernelExpansion:
        raise ValueError(f"a {type(expansion).__name__} stands where an expansion should be")
    check_kernel(expansion.kernel)
    _check_weights(classifier, expansion.coefficients.T, len(expansion.support))
    check_rows(expansion.rows, len(expansion.coefficients), classifier.n_features_in_)


def _check_bayes_point(classifier: BayesPointClassifier) -> None:
    """Check the outputs, the frame of the version spaces and the distributions in their place."""
    if classifier.kernel == "linear":
        _check_linear(classifier)
    else:
        _check_expansion(classifier)
    span, n_spaces = classifier.span_, len(classifier.means_)
    if type(span) is not Span:
        raise ValueError(f"a {type(span).__name__} stands where a span should be")
    check_kernel(span.kernel)
    n_dims = span.n_dims
    check_numbers(span.norms, (n_dims,), "lengths of rows")
    if span.triangle is not None:
        check_numbers(span.triangle, (n_dims, n_dims), "places of rows", signed=True)
        width = classifier.n_features_in_ + bool(classifier.fit_intercept)
        check_rows(span.rows, n_dims, width)
    size = n_dims * (len(classifier.classes_) - 1) if classifier.is_joint else n_dims
    check_numbers(classifier.means_, (n_spaces, size), "centres", signed=True)
    check_numbers(classifier.covariances_, (n_spaces, size, size), "covariances", signed=True)
    if classifier.samples_ is not None:
        n_points = classifier.samples_.shape[1]
        check_numbers(classifier.samples_, (n_spaces, n_points, size), "drawn points", signed=True)


def _check_weights(classifier: Any, weights: NDArray, width: int) -> None:
    n_classes = len(classifier.classes_)
    if len(weights) not in ({1, 2} if n_classes == 2 else {n_classes}):
        raise ValueError(f"its coefficients are of {len(weights)} classes")
    check_numbers(weights, (len(weights), width), "coefficients", signed=True)


def _check_repair(repair: LabelRepairPipeline) -> None:
    """Check the classifier that gave the cheap labels, and the one that learnt from them."""
    check_classes(repair.classes_)
    for part in (repair.rough_, repair.learner_):
        if type(part) is LabelRepairPipeline:
            raise UnknownPartError("it repairs labels within itself")
        _check_classifier(part)
        if part.n_features_in_ != repair.n_features_in_:
            raise ValueError("its parts disagree about the number of columns")
        if not np.isin(part.classes_, repair.classes_).all():
            raise ValueError("its parts know other classes")


def _check_votes(classifier: Any) -> None:
    """Put a checked copy in the place of every vote that a classifier holds."""
    _check_fit(classifier)
    signed = type(classifier) is BregmanVoteClassifier
    classifier.vote_ = _checked(classifier.vote_, classifier, signed=signed)
    if type(classifier) is MumboClassifier:
        votes = [_checked(vote, classifier) for vote in classifier.view_votes_]
        if len(votes) != len(classifier.views_):
            raise ValueError(f"there are {len(votes)} votes for {len(classifier.views_)} views")
        classifier.view_votes_ = tuple(votes)
    if type(classifier) is NormComboClassifier:
        _check_unseen(classifier)


def _check_unseen(classifier: NormComboClassifier) -> None:
    """Check factors, prices and error rates that come from rows not drawn."""
    n_classes = len(classifier.classes_)
    factors = check_numbers(classifier.class_factors_, (n_classes,), "factors of the classes")
    if not factors.all():
        raise ValueError("a factor of its classes is 0, which silences the class")
    pairs = (n_classes, n_classes)
    check_numbers(classifier.steering_cost_, pairs, "prices of mistakes")
    errors = check_numbers(classifier.unseen_errors_, pairs, "error rates")
    if np.diagonal(errors).any() or (errors.sum(axis=1) > 1.0 + 1e-9).any():
        raise ValueError("its error rates do not leave room for right answers")
    check_numbers(np.asarray(classifier.unseen_norm_), (), "norm")
    if classifier.linear_share_ not in (0.0, 0.5):
        raise ValueError(f"its linear voters have a share of {classifier.linear_share_!r}")
    judged = classifier.judged_
    is_count = type(judged) is np.ndarray and judged.dtype.kind == "i"
    if not is_count or judged.shape != (n_classes,) or (judged < 0).any():
        raise ValueError(f"its judged rows are not {n_classes} whole numbers")


def _check_fit(classifier: Any) -> None:
    """Check what every classifier that votes knows about columns, classes and views."""
    n_features, classes = classifier.n_features_in_, classifier.classes_
    check_classes(classes)
    prior = check_numbers(classifier.class_prior_, (len(classes),), "shares of the classes")
    if not np.isclose(prior.sum(), 1.0):
        raise ValueError("the shares of its classes do not add up to 1")
    check_names(classifier)
    _check_views(classifier.views_, n_features)


def _check_views(views: Any, n_features: int) -> None:
    if type(views) is not ViewMap or views.n_features != n_features:
        raise ValueError(f"its views do not belong to a table of {n_features} columns")
    if len(views.names) != len(views.columns) or not views.names:
        raise ValueError(f"there are {len(views.columns)} lists of columns for {views.names}")
    for name, columns in zip(views.names, views.columns):
        check_columns(columns, n_features, name)


def _check_members(fusion: LateFusionClassifier) -> None:
    """Check the classifier of every view, where it is asked and where it votes."""
    _check_fit(fusion)
    views, n_classes = fusion.views_, len(fusion.classes_)
    check_numbers(fusion.weights_, (len(views),), "weights of the views")
    check_joining(fusion.combine_, fusion.rule_, fusion.percent_)
    if len(fusion.estimators_) != len(views):
        raise ValueError(f"there are {len(fusion.estimators_)} classifiers for {len(views)} views")
    for columns, member in zip(views.columns, fusion.estimators_):
        if member is not None:
            _check_member(member, columns, n_classes)
    terms = _check_terms(fusion.vote_, fusion)
    for term in terms:
        if type(term.voter) is not EstimatorVoter or term.view < 0:
            raise ValueError("its vote holds a term that is not the classifier of a view")
        check_columns(term.voter.columns, fusion.n_features_in_, views.names[term.view])
        check_numbers(term.voter.reach, (n_classes,), "shares of right answers")
        if not np.array_equal(term.voter.columns, views.columns[term.view]):
            raise ValueError("the classifier of a view reads the columns of another")
        _check_member(term.voter.estimator, term.voter.columns, n_classes)


def _check_member(member: Any, columns: NDArray[np.intp], n_classes: int) -> None:
    if type(member) not in OURS:
        raise UnknownPartError(f"a view is judged by a {type(member).__name__}, which is not known")
    if member.n_features_in_ != len(columns):
        raise ValueError(f"a view of {len(columns)} columns is judged by {member.n_features_in_}")
    check_whole(member.classes_, "classes of a view")
    check_range(member.classes_, n_classes, "class")
    _check_votes(member)


def _checked(
    vote: Any, classifier: Any, *, signed: bool = False, may_hold_panels: bool = True
) -> Vote:
    """Check every voter, then pack the vote anew, so that its arrays agree with each other."""
    terms = _check_terms(vote, classifier, signed)
    n_features, n_classes = classifier.n_features_in_, len(classifier.classes_)
    for term in terms:
        if type(term.voter) is Panel and may_hold_panels:
            check_numbers(term.voter.reach, (n_classes,), "shares of right answers")
            term.voter.vote = _checked(term.voter.vote, classifier, may_hold_panels=False)
        elif type(term.voter) in VOTERS:
            asked = VOTERS[type(term.voter)](term.voter, n_features, n_classes)
            own = vote.views.used_columns if term.view < 0 else vote.views.columns[term.view]
            if not np.isin(asked, own).all():
                raise ValueError("a voter reads a column that is not in its view")
        else:
            raise UnknownPartError(
                f"its vote holds a {type(term.voter).__name__}, which is not known"
            )
    return Vote(terms, vote.rounds.tolist(), n_classes, vote.views)


def _check_terms(vote: Any, classifier: Any, signed: bool = False) -> list[Term]:
    """Terms of a vote whose weights, views and rounds are as they should be."""
    if type(vote) is not Vote:
        raise ValueError(f"a {type(vote).__name__} stands where a vote should be")
    n_classes, views = len(classifier.classes_), classifier.views_
    _check_views(vote.views, classifier.n_features_in_)
    same = [np.array_equal(a, b) for a, b in zip(vote.views.columns, views.columns)]
    if vote.n_classes != n_classes or vote.views.names != views.names or not all(same):
        raise ValueError("its vote does not fit its views and classes")
    check_numbers(vote.weights, (len(vote.weights), n_classes), "vote weights", signed)
    check_whole(vote.view_of_term, "views of the terms")
    check_whole(vote.rounds, "rounds")
    terms = vote.terms()
    if vote.view_of_term.shape != (len(terms),):
        raise ValueError(f"{len(terms)} terms have {vote.view_of_term.shape} views")
    for view in vote.view_of_term:
        if not -1 <= view < len(views):
            raise ValueError(f"a tree reads view {view} of {len(views)}")
    stages = np.concatenate([[0], vote.rounds, [len(terms)]])
    if np.any(np.diff(stages) < 0):
        raise ValueError("the rounds of its vote do not increase to the number of terms")
    return terms
