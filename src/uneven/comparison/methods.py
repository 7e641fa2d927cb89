"""The methods that can be compared: one table, one entry each.

A new method is one more `Method` in `METHODS`: how the columns are encoded for it, and how it is
built from the settings of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline

from uneven.boosting import (
    AdaBoostMMClassifier,
    ComboClassifier,
    MuComboClassifier,
    MumboClassifier,
    NormComboClassifier,
)
from uneven.comparison.encoding import encode_one_hot, encode_ordinal
from uneven.comparison.errors import InputError, closest, listing
from uneven.comparison.schema import Schema
from uneven.fusion import BregmanVoteClassifier, CarakoClassifier, LateFusionClassifier
from uneven.noise import UMAClassifier
from uneven.versionspace import BayesPointClassifier

__all__ = [
    "METHODS",
    "Method",
    "Settings",
    "build_pipeline",
    "choose_methods",
    "default_methods",
    "explains_itself",
    "knows_noise",
    "make_classifier",
]


@dataclass(frozen=True)
class Settings:
    """What a run may set about the methods.

    Attributes
    ----------
    rounds, max_depth : int
        Rounds and tree depth of the boosting methods of this library; NormCoMBo, whose deep trees
        are few, has three trees for a round, of depths that it chooses itself.
    seed : int
        Seed of every method.
    n_jobs : int or None
        Threads each method may use, in scikit-learn's convention.
    views : mapping of str to sequence of str, or None
        Columns of each view.
    noise_matrix : ndarray of shape (K, K) or None
        How the labels are wrong (row = observed label, column = true class, in sorted order); for
        the methods that take it.
    """

    rounds: int = 200
    max_depth: int = 3
    seed: int = 0
    n_jobs: int | None = None
    views: Mapping[str, Sequence[str]] | None = None
    noise_matrix: NDArray[np.float64] | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Method:
    """A method to compare.

    Attributes
    ----------
    name, label : str
        Key and what a reader sees.
    kind : {"ours", "baseline"}
        Whether it comes from this library.
    description : str
        One sentence.
    encode : callable
        Takes a `Schema`, returns the transformer that goes before the classifier.
    make : callable
        Takes `Settings`, returns the classifier.
    staged : bool
        Whether it learns in rounds: it then has ``staged_predict``, ``staged_decision_function``
        and, in ``history_``, the course of edges, vote weights and losses.
    joins_views : bool
        Whether it is meant for several views.
    needs_noise : bool
        Whether it is meant for labels with a known noise matrix.
    on_request : bool
        Whether it is left out unless it is named.
    """

    name: str
    label: str
    kind: Literal["ours", "baseline"]
    description: str
    encode: Callable[[Schema], ColumnTransformer]
    make: Callable[[Settings], Any]
    staged: bool = False
    joins_views: bool = False
    needs_noise: bool = False
    on_request: bool = False


def _with_views(classifier: type) -> Callable[[Settings], Any]:
    def make(s: Settings) -> Any:
        views = None if s.views is None else {name: list(c) for name, c in s.views.items()}
        return classifier(views=views, random_state=s.seed, n_jobs=s.n_jobs)

    return make


def _boosting(classifier: type) -> Callable[[Settings], Any]:
    def make(s: Settings) -> Any:
        model = _with_views(classifier)(s)
        return model.set_params(n_estimators=s.rounds, max_depth=s.max_depth)

    return make


def _norm_combo(s: Settings) -> Any:
    """NormCoMBo with three small trees for each round of the others, as its default has."""
    model = _with_views(NormComboClassifier)(s)
    return model.set_params(n_estimators=3 * s.rounds)


def _late_fusion(s: Settings) -> Any:
    member = AdaBoostMMClassifier(n_estimators=s.rounds, max_depth=s.max_depth)
    return _with_views(LateFusionClassifier)(s).set_params(estimator=member, combine="scores")


METHODS = {
    method.name: method
    for method in (
        Method(
            "combo",
            "CoMBo",
            "ours",
            "Boosting that minimises the norm of the confusion matrix: every class weighs the "
            "same, however rare.",
            encode_ordinal,
            _boosting(ComboClassifier),
            staged=True,
        ),
        Method(
            "norm_combo",
            "NormCoMBo",
            "ours",
            "Many short CoMBos on bootstraps, steered by the norm of the confusion matrix on rows "
            "they have not drawn, and one factor per class: for classes of a handful of rows.",
            encode_ordinal,
            _norm_combo,
        ),
        Method(
            "adaboost_mm",
            "AdaBoost.MM",
            "ours",
            "Multi-class boosting with the whole cost matrix: every row weighs the same.",
            encode_ordinal,
            _boosting(AdaBoostMMClassifier),
            staged=True,
        ),
        Method(
            "mucombo",
            "µCoMBo",
            "ours",
            "A CoMBo in every view, and a weight for every view, class and round: for rare classes "
            "and views that know only some of them.",
            encode_ordinal,
            _boosting(MuComboClassifier),
            staged=True,
            joins_views=True,
        ),
        Method(
            "mumbo",
            "MuMBo",
            "ours",
            "Views boost side by side and leave each other the rows they get wrong; the best voter "
            "of each round enters the vote.",
            encode_ordinal,
            _boosting(MumboClassifier),
            staged=True,
            joins_views=True,
        ),
        Method(
            "carako",
            "Carako",
            "ours",
            "One tree per view, weighed class by class.",
            encode_ordinal,
            _with_views(CarakoClassifier),
            joins_views=True,
        ),
        Method(
            "bregman_vote",
            "Bregman vote",
            "ours",
            "Trees of growing depth in every view, a weight for every tree and for every view.",
            encode_ordinal,
            _with_views(BregmanVoteClassifier),
            joins_views=True,
        ),
        Method(
            "late_fusion",
            "Late fusion",
            "ours",
            "An AdaBoost.MM in every view, each for itself; their shares of the vote are added.",
            encode_ordinal,
            _late_fusion,
            joins_views=True,
        ),
        Method(
            "uma",
            "UMA",
            "ours",
            "A multi-class perceptron on scaled columns that learns from sums of rows in which the "
            "known noise of the labels cancels out.",
            encode_one_hot,
            lambda s: UMAClassifier(average=True, fit_intercept=True, random_state=s.seed),
            needs_noise=True,
        ),
        Method(
            "bayespoint",
            "Bayes point",
            "ours",
            "The centre of all linear classifiers, in the space of a Gaussian kernel over scaled "
            "columns, that agree with the labels; for tables of few rows.",
            encode_one_hot,
            lambda s: BayesPointClassifier(ridge=0.1, max_rank=300, random_state=s.seed),
            on_request=True,
        ),
        Method(
            "hist_gradient_boosting",
            "Gradient boosting",
            "baseline",
            "scikit-learn's histogram gradient boosting with balanced class weights.",
            encode_ordinal,
            lambda s: HistGradientBoostingClassifier(class_weight="balanced", random_state=s.seed),
        ),
        Method(
            "random_forest",
            "Random forest",
            "baseline",
            "scikit-learn's random forest, 300 trees, class weights balanced in each sample.",
            encode_ordinal,
            lambda s: RandomForestClassifier(
                n_estimators=300,
                class_weight="balanced_subsample",
                random_state=s.seed,
                n_jobs=s.n_jobs,
            ),
        ),
        Method(
            "logistic_regression",
            "Logistic regression",
            "baseline",
            "scikit-learn's logistic regression on scaled columns with balanced class weights.",
            encode_one_hot,
            lambda s: LogisticRegression(
                class_weight="balanced", max_iter=2000, random_state=s.seed
            ),
        ),
    )
}


def choose_methods(names: Iterable[str]) -> list[Method]:
    """Look methods up by name, each once, in the given order.

    Examples
    --------
    >>> [method.label for method in choose_methods(["combo", "random_forest"])]
    ['CoMBo', 'Random forest']
    """
    chosen: dict[str, Method] = {}
    for name in names:
        if name == "stack":
            raise InputError(
                "'stack' is no method of its own: leave it out and add --stack, which joins the "
                "methods that are named."
            )
        if name not in METHODS:
            raise InputError(
                f"unknown method {name!r}; {closest(name, METHODS)}the methods are "
                f"{listing(METHODS)}."
            )
        chosen[name] = METHODS[name]
    if not chosen:
        raise InputError(f"no method was named; the methods are {listing(METHODS)}.")
    return list(chosen.values())


def default_methods(several_views: bool, noisy: bool = False) -> list[str]:
    """Names of the methods to compare when none is named: all but those on request.

    Parameters
    ----------
    several_views : bool
        Methods that join views are left out if there is one view only.
    noisy : bool
        Methods that need a noise matrix are left out if there is none.

    Examples
    --------
    >>> default_methods(several_views=False)[:3]
    ['combo', 'norm_combo', 'adaboost_mm']
    """
    return [
        name
        for name, method in METHODS.items()
        if (several_views or not method.joins_views)
        and (noisy or not method.needs_noise)
        and not method.on_request
    ]


def build_pipeline(method: Method, schema: Schema, settings: Settings) -> Pipeline:
    """Encoder and classifier as one estimator for the tables of a schema.

    Parameters
    ----------
    method : Method
        Which classifier.
    schema : Schema
        What the columns hold.
    settings : Settings
        Parameters of the run.

    Returns
    -------
    Pipeline
        Not fitted; steps ``"encode"`` and ``"classify"``.
    """
    classifier = make_classifier(method, settings)
    return Pipeline([("encode", method.encode(schema)), ("classify", classifier)])


def make_classifier(method: Method, settings: Settings) -> Any:
    """The classifier of a method, with the noise matrix if there is one and it takes one.

    Parameters
    ----------
    method : Method
        Which classifier.
    settings : Settings
        Parameters of the run.

    Returns
    -------
    estimator
        Not fitted.
    """
    classifier = method.make(settings)
    if settings.noise_matrix is not None and knows_noise(method):
        classifier.set_params(noise_matrix=settings.noise_matrix)
    return classifier


def explains_itself(method: Method) -> bool:
    """Whether a method can say which views and columns speak for which class.

    Examples
    --------
    >>> explains_itself(METHODS["combo"]), explains_itself(METHODS["uma"])
    (True, False)
    """
    return hasattr(method.make(Settings()), "explain")


def knows_noise(method: Method) -> bool:
    """Whether a method can be told how labels are wrong: whether it takes ``noise_matrix``.

    Examples
    --------
    >>> knows_noise(METHODS["random_forest"])
    False
    """
    return "noise_matrix" in method.make(Settings()).get_params(deep=False)
