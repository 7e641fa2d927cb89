"""The methods that can be compared: `METHODS`, filled by the classes themselves.

A class of this library declares its entry beside itself (see `uneven.utils.methods.method`). Here
stand those of scikit-learn, and late fusion, whose members come from another room.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline

from uneven import linear, noise, stacking, versionspace  # noqa: F401  (they fill METHODS)
from uneven.boosting import AdaBoostMMClassifier
from uneven.comparison.encoding import ENCODERS
from uneven.comparison.errors import check_method_names
from uneven.comparison.schema import Schema
from uneven.fusion import LateFusionClassifier
from uneven.utils.methods import METHODS, Method, Settings, method

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

method(
    "late_fusion",
    "Late fusion",
    "An AdaBoost.MM in every view, each for itself; their shares of the vote are added.",
    order=32,
    joins_views=True,
    parameters=lambda s: {
        "estimator": AdaBoostMMClassifier(n_estimators=s.rounds, max_depth=s.max_depth),
        "combine": "scores",
    },
)(LateFusionClassifier)

method(
    "hist_gradient_boosting",
    "Gradient boosting",
    "scikit-learn's histogram gradient boosting with balanced class weights.",
    order=90,
    kind="baseline",
    parameters={"class_weight": "balanced"},
)(HistGradientBoostingClassifier)

method(
    "random_forest",
    "Random forest",
    "scikit-learn's random forest, 300 trees, class weights balanced in each sample.",
    order=91,
    kind="baseline",
    parameters={"n_estimators": 300, "class_weight": "balanced_subsample"},
)(RandomForestClassifier)

method(
    "logistic_regression",
    "Logistic regression",
    "scikit-learn's logistic regression on scaled columns with balanced class weights.",
    order=92,
    kind="baseline",
    encoding="one_hot",
    parameters={"class_weight": "balanced", "max_iter": 2000, "n_jobs": None},
)(LogisticRegression)


def choose_methods(names: Iterable[str]) -> list[Method]:
    """Look methods up by name, each once, in the given order.

    Examples
    --------
    >>> [method.label for method in choose_methods(["combo", "random_forest"])]
    ['CoMBo', 'Random forest']
    """
    wanted = list(dict.fromkeys(names))
    check_method_names(wanted, METHODS)
    return [METHODS[name] for name in wanted]


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
    return Pipeline([("encode", ENCODERS[method.encoding](schema)), ("classify", classifier)])


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
