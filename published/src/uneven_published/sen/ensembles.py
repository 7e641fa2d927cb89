"""The ensembles of the thesis: thirteen kinds of classifiers, and one kind in many settings."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from sklearn.linear_model import Perceptron, RidgeClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils import check_random_state

from uneven.stacking.out_of_fold.members import Member, check_classifier, check_share
from uneven.utils.estimators import seeded_clone
from uneven.utils.parameters import check_integer
from uneven_published.sen.base_learners import (
    GaussianClassifier,
    Likeness,
    NearestMeanClassifier,
    NeighbourCountClassifier,
    ParzenClassifier,
    Squares,
)
from uneven_published.sen.normalised import LaplaceTreeClassifier, NormalisedClassifier


def diverse_learners() -> dict[str, Pipeline]:
    """Thirteen kinds of classifiers, with standardised columns and scores that sum to 1.

    Returns
    -------
    dict of str to Pipeline
        Unfitted. They take dense tables of numbers without holes.

    Notes
    -----
    The source names the kinds and the toolbox defaults only; what these were is our choice. The
    polynomial has squares but no products of columns; the perceptron learns row by row.

    References
    ----------
    M. U. Sen (2011), *Max-margin stacking with group sparse regularization for classifier
    combination*, MSc thesis, Sabanci University, chapter 4.

    Examples
    --------
    >>> from uneven_published.sen.ensembles import diverse_learners
    >>> list(diverse_learners())[:5]
    ['linear_gaussian', 'quadratic_gaussian', 'nearest_mean', 'neighbours', 'polynomial']
    """
    perceptron = Perceptron(max_iter=100, eta0=0.1, tol=None)
    kinds: dict[str, list[Any]] = {
        "linear_gaussian": [GaussianClassifier("shared")],
        "quadratic_gaussian": [GaussianClassifier("own")],
        "nearest_mean": [NearestMeanClassifier()],
        "neighbours": [NeighbourCountClassifier()],
        "polynomial": [Squares(), StandardScaler(), NormalisedClassifier(RidgeClassifier())],
        "likeness": [Likeness(), GaussianClassifier("shared", ridge=0.01)],
        "independent_gaussian": [GaussianClassifier("diagonal")],
        "parzen": [ParzenClassifier()],
        "tree": [LaplaceTreeClassifier(criterion="entropy")],
        "perceptron": [NormalisedClassifier(perceptron)],
        "svm_linear": [_svm(kernel="linear")],
        "svm_cubic": [_svm(kernel="poly", degree=3)],
        "svm_rbf": [_svm(kernel="rbf")],
    }
    return {name: make_pipeline(StandardScaler(), *steps) for name, steps in kinds.items()}


def _svm(**settings: Any) -> NormalisedClassifier:
    """A support vector machine; gamma is one over the number of columns unless given."""
    return NormalisedClassifier(SVC(**{"gamma": "auto", **settings}), "softmax")


def diverse_ensemble(
    n_subsets: int = 10,
    share: float = 0.8,
    learners: Mapping[str, Any] | None = None,
    random_state: Any = None,
) -> list[tuple[str, Member]]:
    """Several kinds of classifiers, each on several random parts of the rows.

    Parameters
    ----------
    n_subsets : int, default=10
        How many parts are drawn; all kinds share them.
    share : float, default=0.8
        Share of every class in a part, without replacement. All rows if it is 1.
    learners : mapping of str to classifier, optional
        The kinds; :func:`diverse_learners` by default.
    random_state : int, RandomState or None, default=None
        Draws the seeds of the parts and of the classifiers; they are set once and for all here.

    Returns
    -------
    list of (str, Member)
        For the parameter ``estimators`` of a stack.

    References
    ----------
    M. U. Sen (2011), *Max-margin stacking with group sparse regularization for classifier
    combination*, MSc thesis, Sabanci University, chapter 4.

    Examples
    --------
    >>> from uneven_published.sen.ensembles import diverse_ensemble
    >>> members = diverse_ensemble(random_state=0)
    >>> len(members), members[0][0], members[-1][0]
    (130, 'linear_gaussian_1', 'svm_rbf_10')
    """
    check_integer("n_subsets", n_subsets, 1)
    check_share(share)
    kinds = diverse_learners() if learners is None else dict(learners)
    if not kinds:
        raise ValueError("learners is empty: give at least one classifier.")
    for name, learner in kinds.items():
        check_classifier(f"learner {name!r}", learner)
    rng = check_random_state(random_state)
    seeds = rng.randint(2**31 - 1, size=n_subsets).tolist()
    return [
        (
            f"{name}_{k + 1}",
            Member(seeded_clone(learner, rng, keep=True), share=share, random_state=seeds[k]),
        )
        for k in range(n_subsets)
        for name, learner in kinds.items()
    ]


def svm_ensemble(max_iter: int = 100_000) -> list[tuple[str, Pipeline]]:
    """Support vector machines with 14 kernels and 11 costs: 154 classifiers that are much alike.

    Parameters
    ----------
    max_iter : int, default=100000
        Steps after which the solver of a machine gives up, with a warning; -1 is never. At the
        highest costs a linear machine can need a hundred million of them on noisy classes.

    Returns
    -------
    list of (str, Pipeline)
        For the parameter ``estimators`` of a stack.

    Notes
    -----
    The source does not give its grid of 154. This one is the customary grid of costs 2⁻⁵, 2⁻³ …
    2¹⁵ with the widths 2⁻¹⁵, 2⁻¹³ … 2³ of the Gaussian kernel, a linear kernel, and polynomials of
    degree 2, 3 and 4.

    References
    ----------
    M. U. Sen (2011), *Max-margin stacking with group sparse regularization for classifier
    combination*, MSc thesis, Sabanci University, chapter 4.

    Examples
    --------
    >>> from uneven_published.sen.ensembles import svm_ensemble
    >>> members = svm_ensemble()
    >>> len(members), members[0][0], members[-1][0]
    (154, 'linear_C-5', 'rbf3_C15')
    """
    check_integer("max_iter", max_iter, -1)
    kernels: dict[str, dict[str, Any]] = {"linear": {"kernel": "linear"}}
    kernels |= {f"poly{degree}": {"kernel": "poly", "degree": degree} for degree in (2, 3, 4)}
    kernels |= {f"rbf{k}": {"kernel": "rbf", "gamma": 2.0**k} for k in range(-15, 4, 2)}
    return [
        (
            f"{name}_C{k}",
            make_pipeline(StandardScaler(), _svm(C=2.0**k, max_iter=max_iter, **settings)),
        )
        for (name, settings), k in product(kernels.items(), range(-5, 16, 2))
    ]
