"""The methods that can be compared: `METHODS`, filled by the classes themselves.

A class of this library declares its entry beside itself (see `uneven.utils.methods.method`). Here
stand those of scikit-learn, and late fusion, whose members come from another package.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline

from uneven.comparison.encoding import ENCODERS, DenseFrame, GivenColumns, takes_sparse
from uneven.comparison.errors import InputError, check_method_names
from uneven.comparison.peers import is_installed
from uneven.comparison.schema import Schema
from uneven.fusion import LateFusionClassifier
from uneven.stacking import MarginStackingClassifier
from uneven.utils.methods import METHODS as METHODS
from uneven.utils.methods import Method, Settings, method
from uneven.utils.registry import import_families, spelled

import_families()


method(
    "late_fusion",
    "Late fusion",
    "Random forest and logistic regression in every view; the product of their probabilities is "
    "divided by the class frequencies.",
    order=32,
    joins_views=True,
)(LateFusionClassifier)

method(
    "hist_gradient_boosting",
    "Gradient boosting",
    "scikit-learn's histogram gradient boosting with balanced class weights.",
    order=90,
    kind="baseline",
    parameters={"class_weight": "balanced"},
    tunes={
        "max_leaf_nodes": (7, 15, 31, 63),
        "learning_rate": (0.03, 0.1, 0.2),
        "l2_regularization": (0.0, 1.0, 10.0),
        "min_samples_leaf": (5, 20, 50),
    },
)(HistGradientBoostingClassifier)

method(
    "random_forest",
    "Random forest",
    "scikit-learn's random forest, 300 trees, class weights balanced in each sample.",
    order=91,
    kind="baseline",
    parameters={"n_estimators": 300, "class_weight": "balanced_subsample"},
    tunes={"min_samples_leaf": (1, 2, 5, 10), "max_features": ("sqrt", 0.3, 0.6, 1.0)},
)(RandomForestClassifier)

method(
    "logistic_regression",
    "Logistic regression",
    "scikit-learn's logistic regression on scaled columns with balanced class weights.",
    order=92,
    kind="baseline",
    encoding="one_hot",
    parameters={"class_weight": "balanced", "max_iter": 2000, "n_jobs": None},
    tunes={"C": (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)},
)(LogisticRegression)


def choose_methods(names: Iterable[str]) -> list[Method]:
    """Look methods up by name, each once, in the given order; '-' counts as '_'.

    Examples
    --------
    >>> [method.label for method in choose_methods(["combo", "random_forest"])]
    ['CoMBo', 'Random forest']
    """
    wanted = list(dict.fromkeys(map(spelled, names)))
    check_method_names(wanted, METHODS)
    for package in (METHODS[name].package for name in wanted):
        if package and not is_installed(package):
            raise InputError(f"{package} is not installed: pip install {package}.")
    return [METHODS[name] for name in wanted]


def default_methods(several_views: bool, noisy: bool = False) -> list[str]:
    """Names of the methods to compare when none is named: all but those on request.

    Those of other packages are there if their package is.

    Parameters
    ----------
    several_views : bool
        Methods that join views are left out if there is one view only.
    noisy : bool
        Methods that need a noise matrix are left out if there is none.

    Examples
    --------
    >>> default_methods(several_views=False)[:3]
    ['uneven', 'balanced_boosting', 'combo']
    """
    return [
        name
        for name, method in METHODS.items()
        if (several_views or not method.joins_views)
        and (noisy or not method.needs_noise)
        and not method.on_request
        and (not method.package or is_installed(method.package))
    ]


def build_pipeline(
    method: Method, schema: Schema, settings: Settings, given: Sequence[Any] | None = None
) -> Pipeline:
    """Encoder and classifier as one estimator for the tables of a schema.

    It is not fitted; its steps are ``"encode"`` and ``"classify"``. With `given`, the names of
    the columns in a frame of the user, it takes these as they are.
    """
    classifier = make_classifier(method, settings)
    encoder = GivenColumns(given) if given is not None else ENCODERS[method.encoding](schema)
    if schema.sparse and not takes_sparse(classifier):
        encoder = DenseFrame(schema.names)
    elif given is None and method.kind == "ours" and not schema.sparse:
        _name_categories(classifier, schema)
    return Pipeline([("encode", encoder), ("classify", classifier)])


def _name_categories(classifier: Any, schema: Schema) -> None:
    """Tell a classifier of this library that takes them which columns hold codes of categories."""
    names = list(schema.of_kind("category"))
    if names and classifier.get_params(deep=False).get("categorical_features", names) is None:
        classifier.set_params(categorical_features=names)


def make_classifier(method: Method, settings: Settings) -> Any:
    """The classifier of a method, with the noise matrix if there is one and it takes one."""
    classifier = method.make(settings)
    if settings.noise_matrix is not None and knows_noise(method):
        own = classifier.get_params(deep=False)["noise_matrix"]
        classifier.set_params(noise_matrix=settings.noise_matrix if own is None else own)
    return classifier


def explains_itself(method: Method) -> bool:
    """Whether a method can explain which views and columns support which class.

    Examples
    --------
    >>> explains_itself(METHODS["combo"]), explains_itself(METHODS["uma"])
    (True, False)
    """
    return method.kind == "ours" and hasattr(method.make(Settings()), "explain")


def knows_noise(method: Method) -> bool:
    """Whether a method accepts a noise matrix: whether it has a parameter ``noise_matrix``.

    Examples
    --------
    >>> knows_noise(METHODS["random_forest"])
    False
    """
    return "noise_matrix" in method.make(Settings()).get_params(deep=False)


STACK = "stack"
"""Key of the stack among the methods of a comparison."""

STRENGTHS = (1e-5, 1e-4, 1e-3, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
"""Strengths of the penalty to choose from. Weaker ones make no difference to a few methods."""

TOLERANCE = 1e-4
"""Relative precision of the weights; a higher one does not change predictions."""


def stack_methods(methods: Sequence[Method], schema: Schema) -> Method:
    """A method that stacks others, each with an encoder of its own.

    Parameters
    ----------
    methods : sequence of Method
        What to stack, at least two.
    schema : Schema
        What the columns of the table hold.

    Returns
    -------
    Method
        Its classifier is a `MarginStackingClassifier` with a weight per method and class, a group
        penalty and a strength found by cross-validation; all classes count alike, as they do in
        the confusion norm. Methods that take a noise matrix get it; the
        weights are fitted to the labels as they are.

    Raises
    ------
    InputError
        If there are fewer than two methods.

    Examples
    --------
    >>> import pandas as pd
    >>> from uneven.comparison import choose_methods
    >>> schema = Schema.of(pd.DataFrame({"size": [1.0, 2.0]}))
    >>> stack = stack_methods(choose_methods(["combo", "random_forest"]), schema)
    >>> [name for name, _ in stack.make(Settings()).estimators]
    ['combo', 'random_forest']
    """
    if len(methods) < 2:
        raise InputError(
            f"--stack joins several methods, but {methods[0].label if methods else 'none'} is all "
            "there is; name two or more."
        )

    return Method(
        STACK,
        "Stack",
        "ours",
        f"The {len(methods)} methods above combined by stacking, with a weight for every method "
        "and class; methods that add nothing are dropped.",
        "as_is",
        partial(_make_stack, tuple(methods), schema),
    )


def _make_stack(methods: Sequence[Method], schema: Schema, settings: Settings) -> Any:
    return MarginStackingClassifier(
        [(m.name, build_pipeline(m, schema, settings)) for m in methods],
        strengths=STRENGTHS,
        tol=TOLERANCE,
        class_weight="balanced",
        keep_level_one=False,
        random_state=settings.seed,
    )
