"""The Bayes point machine: classify by the centre of the version space."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from uneven.linear.base import (
    LinearClassifier,
    check_expansion,
    check_linear,
    generator,
    validate_labelled_rows,
)
from uneven.linear.expansions import KernelExpansion, KernelMixin, check_square, highest
from uneven.linear.rows import add_constant
from uneven.utils.methods import method
from uneven.utils.model_types import check_numbers, check_part, persisted
from uneven.utils.parameters import Choice, Maybe, Whole, check_parameters, store_parameters
from uneven.utils.validation import whole_or_nothing
from uneven.versionspace.bayes_vote import (
    class_frame,
    joint_cuts,
    joint_normal_vote,
    joint_sample_vote,
    normal_vote,
    sample_vote,
    share_out,
)
from uneven.versionspace.gravity import LEARNER_CENTRES, find_centre
from uneven.versionspace.propagation import JITTER, PROPAGATION_PARAMETERS, Propagation, propagate
from uneven.versionspace.space import VersionSpace
from uneven.versionspace.span import Span, span_of

_OFF = np.radians(0.05)
"""Standard error of a drawn direction for each dimension."""

_KEPT = 2000
"""Points of a version space that are kept, and draws that count votes, by default."""


@persisted("bayes_point", role="classifier")
@method(
    "bayespoint",
    "Bayes point",
    "Bayes point machine with a Gaussian kernel on scaled features: the mean of all linear "
    "classifiers that agree with the labels; for tables of few rows.",
    order=41,
    encoding="one_hot",
    parameters={"ridge": 0.1, "max_rank": 300},
    on_request=True,
)
class BayesPointClassifier(KernelMixin, LinearClassifier):
    """Bayes point machine: the mean of all linear classifiers that are consistent with the labels.

    A support vector machine is the point of the version space that is farthest from its boundary.
    The Bayes point machine is the centre of gravity of the version space: the single linear
    classifier, in the feature space of a kernel, that agrees best with the majority vote of all
    consistent ones.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly", "sigmoid", "laplacian", "cosine", "precomputed"} or \
callable, default="rbf"
        A kernel of scikit-learn; or "precomputed", where ``X`` holds the kernel values; or a
        function of two rows, which is slow.
    gamma : float, "scale", "auto" or None, default="scale"
        Of "rbf", "poly", "sigmoid" and "laplacian", as in `sklearn.svm.SVC`; None is "auto".
    degree : int, default=3
        Of "poly".
    coef0 : float, default=1.0
        Of "poly" and "sigmoid"; `sklearn.svm.SVC` has 0.0.
    centre : {"propagation", "hit_and_run", "billiard", "hamiltonian", "chebyshev", "analytic"}, \
default="propagation"
        The centre of gravity by expectation propagation or as the mean of drawn points; the centre
        of the largest ball, which is the support vector machine with a hard margin; or the
        analytic centre.
    multi_class : {"ovr", "joint"}, default="ovr"
        With more than two classes: a version space for each class against the rest, or one for
        the vectors of all classes, in which the true class of each row scores highest.
    fit_intercept : bool, default=False
        Add a constant column; only with the linear kernel.
    flip : float, default=0.0
        Probability that a label is wrong, for propagation: wrong labels are then outvoted. With a
        small ridge, such as 1e-3, it settles sooner.
    ridge : float, default=1e-8
        Gives every row a dimension of its own, of this squared length as a share of the row's:
        rows that contradict each other then leave a version space. The larger, the softer.
    max_rank : int, optional
        Use only so many dimensions of the kernel, those that explain the rows best. Centres other
        than by propagation count the rows' own dimensions of ``ridge`` among them.
    n_samples : int, optional
        Points that are drawn for "hit_and_run", "billiard" and "hamiltonian" and, with "joint", to
        count votes. By default as many as make the direction as exact as that of propagation, with
        a standard error of 0.05 degrees times the root of the dimensions; of these 2000 are
        kept. 2000 for votes.
    tol : float, default=1e-6
        Tolerance of the propagation.
    max_sweeps : int, default=100
        Largest number of passes of the propagation.
    random_state : int, RandomState or None, default=None
        Seeds the points that are drawn.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    spaces_ : list of VersionSpace
        One for two classes or "joint", else one for each class. Rows of zeros cut nothing.
    log_volume_ : ndarray of shape (n_spaces,)
        Logarithm of the share of the unit ball that each version space takes, by propagation.
    coef_ : ndarray of shape (n_outputs, n_features)
        Only with the linear kernel. One output for two classes, else one for each class.
    intercept_ : ndarray of shape (n_outputs,)
        Only with the linear kernel; zeros without ``fit_intercept``.
    expansion_ : KernelExpansion
        With other kernels.
    span_ : Span
        The frame of the version spaces.
    places_ : ndarray of shape (n_cuts, n_dims)
        Unit training rows in that frame, before their labels turn them into cuts.
    targets_ : ndarray of int, shape (n_cuts,)
        Their classes.
    means_ : ndarray of shape (n_spaces, n_dims)
    covariances_ : ndarray of shape (n_spaces, n_dims, n_dims)
        The normal distributions in the place of the version spaces.
    samples_ : ndarray of shape (n_spaces, n_samples, n_dims) or None
        Points of the version spaces, if the centre was found by drawing.
    kernel_params_ : dict of str to object
    n_mistakes_ : int
        Training rows on the wrong side: a ridge or flips allow some.
    n_sweeps_ : int
        Most passes that a propagation took.
    converged_ : bool
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if ``X`` had string column names.

    Notes
    -----
    Everything happens in the span of the rows: n² kernel values, then n times M² per sweep and
    problem for n rows that span M dimensions. Up to a few hundred rows that is quick; with more,
    limit M by ``max_rank``, which also needs only n M kernel values. With the linear kernel, M is
    at most the number of columns. "joint" has n (K - 1) cuts in M (K - 1) dimensions: ten
    classes are affordable with about a hundred rows, or with ``max_rank``.

    Rows enter with unit length, as the source assumes tacitly, and there is no offset. The normal
    prior of the propagation gives the same direction as the uniform one of the source.

    References
    ----------
    Herbrich, Graepel and Campbell (2001), Bayes point machines. Minka (2001), A family of
    algorithms for approximate Bayesian inference. Louche (2016), From confusion noise to active
    learning: playing on label availability in linear classification problems, section 6.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BayesPointClassifier(ridge=0.1).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.97
    >>> model.predict_proba([[6.0, 2.8, 4.9, 1.6]]).round(2).tolist()
    [[0.0, 0.55, 0.45]]
    """

    _parameters: ClassVar = {
        "centre": Choice(LEARNER_CENTRES),
        "multi_class": Choice(("ovr", "joint")),
        "n_samples": Maybe(Whole(1)),
        "max_rank": Maybe(Whole(1)),
        "normalize": None,
        **PROPAGATION_PARAMETERS,
    }

    expansion_: KernelExpansion
    span_: Span
    places_: np.ndarray
    targets_: np.ndarray
    samples_: np.ndarray | None
    converged_: bool

    def __init__(
        self,
        kernel: str | Callable[..., float] = "rbf",
        *,
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        centre: str = "propagation",
        multi_class: str = "ovr",
        fit_intercept: bool = False,
        flip: float = 0.0,
        ridge: float = JITTER,
        max_rank: int | None = None,
        n_samples: int | None = None,
        tol: float = 1e-6,
        max_sweeps: int = 100,
        random_state: Any = None,
    ) -> None:
        store_parameters(self, locals())

    def fit(self, X: Any, y: Any) -> Self:
        """Cut the version spaces and find their centres.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Kernel values of shape (n_samples, n_samples) with "precomputed".
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        self._check()
        with whole_or_nothing(self):
            X, y = validate_labelled_rows(self, X, y)
            rows = self._open_span(X, y)
            found = [self._propagate(space) for space in self._cuts()]
            self.log_volume_ = np.array([one.log_evidence for one in found])
            self.means_ = np.stack([one.mean for one in found])
            self.covariances_ = np.stack([one.covariance for one in found])
            self.n_sweeps_ = max(one.n_sweeps for one in found)
            self.converged_ = all(one.converged for one in found)
            weights = self._output_weights(self._centres())
            self._keep(weights)
            self._count_mistakes(rows, y, weights)
        if not self.converged_:
            warnings.warn(
                f"the propagation still moved after {self.max_sweeps} sweeps: raise max_sweeps, or "
                "ridge if labels contradict each other.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Products of rows, in the space of the kernel, with the centres.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Kernel values with all training rows if the kernel is "precomputed".

        Returns
        -------
        ndarray of shape (n_samples,) for two classes, else (n_samples, n_classes)
            Centres have unit length ("joint": all class vectors together), so that dividing by
            the length of the row gives the distance of the centre from its hyperplane.
        """
        return self._scores(self._validate(X))

    def predict_proba(self, X: Any) -> np.ndarray:
        """The Bayes vote: share of the version space that gives each class to each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Of the points that were drawn, or of the normal distribution of the propagation. With
            "ovr" the votes of the classes against the rest are scaled to add up to 1.

        Notes
        -----
        The vote also depends on how open the version space is in the direction of the row, so it
        does not rank rows as ``decision_function`` does; and where several classes are close, the
        majority of the version space may differ from its centre, which `predict` follows.
        """
        X = self._validate(X)
        where, rest = self.span_.coordinates(add_constant(X) if self.fit_intercept else X)
        if self.ridge > JITTER:
            rest = np.hypot(rest, np.sqrt(self.ridge))
        n_classes = len(self.classes_)
        if self.is_joint:
            if self.samples_ is not None:
                return joint_sample_vote(where, rest, self.samples_[0], n_classes)
            both = (self.means_[0], self.covariances_[0])
            return joint_normal_vote(where, rest, *both, n_classes, self.n_samples or _KEPT)
        votes = np.column_stack([self._vote(k, where, rest) for k in range(len(self.means_))])
        if n_classes == 2:
            return np.hstack([1.0 - votes, votes])
        return share_out(votes, self._scores(X))

    @property
    def spaces_(self) -> list[VersionSpace]:
        """The version spaces; those of "joint" have no span."""
        span = None if self.is_joint else self.span_
        return [VersionSpace(cuts, span) for cuts in self._cuts()]

    @property
    def is_joint(self) -> bool:
        """Whether a fitted model has one version space for the vectors of all classes."""
        return self.multi_class == "joint" and len(self.classes_) > 2

    @property
    def _has_private_dimensions(self) -> bool:
        """Propagation integrates the rows' own dimensions out; other centres need to see them."""
        return self.centre != "propagation" and self.ridge > JITTER

    def _open_span(self, X: Any, y: np.ndarray) -> Any:
        """Find the frame and the coordinates of the rows in it; return the rows for the kernel."""
        rows = add_constant(X) if self.fit_intercept else X
        narrow = self.kernel == "linear" and rows.shape[1] <= rows.shape[0]
        rows = rows.toarray() if narrow and sp.issparse(rows) else rows
        self.kernel_params_ = self._kernel_parameters(rows)
        check_square(X, self.kernel)
        ridge = self.ridge if self._has_private_dimensions else 0.0
        with np.errstate(invalid="ignore"):
            self.span_, places = span_of(
                rows, self.kernel, self.kernel_params_, ridge=ridge, max_rank=self.max_rank
            )
        if not np.isfinite(places).all() or (self.kernel != "linear" and not places.size):
            raise ValueError(
                f"the kernel {self.kernel!r} gives values that are not finite, or only zeros: "
                "scale the columns of X, or lower gamma or degree."
            )
        cutting = places.any(axis=1)
        if not cutting.any():
            raise ValueError(
                f"all {len(places)} rows of X are zeros: they rule out no classifier. Check the "
                "columns, or use fit_intercept=True."
            )
        self.places_, self.targets_ = places[cutting], y[cutting]
        return rows

    def _cuts(self) -> list[np.ndarray]:
        """The cuts of each version space, in normal form."""
        if self.is_joint:
            return [joint_cuts(self.places_, self.targets_, len(self.classes_))]
        positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        return [self.places_ * np.where(self.targets_ == k, 1.0, -1.0)[:, None] for k in positive]

    def _propagate(self, cuts: np.ndarray) -> Propagation:
        ridge = JITTER if self._has_private_dimensions else max(JITTER, self.ridge)
        return propagate(
            cuts, flip=self.flip, ridge=ridge, tol=self.tol, max_sweeps=self.max_sweeps
        )

    def _centres(self) -> np.ndarray:
        """Unit vectors, one for each version space, shape (n_spaces, n_dims)."""
        self.samples_ = None
        centres = self.means_
        if self.centre != "propagation":
            rng = generator(self.random_state)
            cuts = self._cuts()
            tol = _OFF * np.sqrt(cuts[0].shape[1])
            found = [find_centre(c, self.centre, self.n_samples, tol=tol, rng=rng) for c in cuts]
            centres = np.stack([point for point, _ in found])
            drawn = [points for _, points in found if points is not None]
            self.samples_ = self._some_of(drawn) if drawn else None
        lengths = np.linalg.norm(centres, axis=1, keepdims=True)
        return np.where(lengths > 1e-12, centres / np.where(lengths, lengths, 1.0), 0.0)

    def _some_of(self, drawn: list[np.ndarray]) -> np.ndarray:
        """As many points of each version space, spread over all that were drawn."""
        size = self.n_samples or min(_KEPT, *map(len, drawn))
        kept = [np.linspace(0, len(points) - 1, size).astype(np.intp) for points in drawn]
        return np.stack([points[rows] for points, rows in zip(drawn, kept)])

    def _output_weights(self, centres: np.ndarray) -> np.ndarray:
        """Vectors of the outputs, shape (n_dims, n_outputs)."""
        if self.is_joint:
            frame = class_frame(len(self.classes_))
            return (frame @ centres.reshape(frame.shape[1], -1)).T
        return centres.T

    def _keep(self, weights: np.ndarray) -> None:
        """Write the outputs as weights of columns, or as sums of kernels."""
        for name in ("coef_", "intercept_", "expansion_"):
            if hasattr(self, name):
                delattr(self, name)
        coefficients = self.span_.expand(weights)
        if self.kernel != "linear":
            self.expansion_ = KernelExpansion(
                np.ascontiguousarray(coefficients),
                self.span_.rows,
                self.span_.support,
                self.kernel,
                self.kernel_params_,
            )
            return
        plain = self.span_.rows is None
        self._store((coefficients if plain else np.asarray(self.span_.rows.T @ coefficients)).T)

    def _count_mistakes(self, rows: Any, y: np.ndarray, weights: np.ndarray) -> None:
        where = self.span_.coordinates(rows)[0] if self._has_private_dimensions else None
        scores = (self.places_ if where is None else where) @ weights
        y = self.targets_ if where is None else y
        scores = scores[:, 0] if scores.shape[1] == 1 else scores
        self.n_mistakes_ = int(np.count_nonzero(highest(scores) != y))

    def _scores(self, X: Any) -> np.ndarray:
        if self.kernel == "linear":
            scores = np.asarray(X @ self.coef_.T) + self.intercept_
        else:
            scores = self.expansion_(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _vote(self, k: int, where: np.ndarray, rest: np.ndarray) -> np.ndarray:
        if self.samples_ is not None:
            return sample_vote(where, rest, self.samples_[k])
        return normal_vote(where, rest, self.means_[k], self.covariances_[k])

    def _check(self) -> None:
        check_parameters(self)
        if self.fit_intercept and self.kernel != "linear":
            raise ValueError(
                f"fit_intercept=True needs kernel='linear', got {self.kernel!r}: other kernels "
                "have no column to add a constant to."
            )

    @classmethod
    def _test_instances(cls) -> list[Any]:
        checks = ("check_decision_proba_consistency", "check_classifiers_train")
        reason = (
            "a row's share of the version space is no distance of the centre from its hyperplane"
        )
        return [
            (instance, dict.fromkeys(checks, reason))
            for instance in (
                cls(max_rank=30),
                cls("linear", fit_intercept=True, flip=0.05),
                cls("linear", multi_class="joint"),
                cls("precomputed", max_rank=30),
                cls("linear", centre="chebyshev", ridge=1.0),
                cls("linear", centre="hamiltonian", ridge=1.0, n_samples=50, random_state=0),
            )
        ]

    def _check_model_(self) -> None:
        """Refuse loaded outputs, frames and distributions that do not fit together."""
        if self.kernel == "linear":
            check_linear(self)
        else:
            check_expansion(self)
        width = self.n_features_in_ + bool(self.fit_intercept)
        refusal = "a {} stands where a span should be"
        check_part("span", self.span_, width, refusal=refusal, error=ValueError)
        n_spaces, n_dims = len(self.means_), self.span_.n_dims
        size = n_dims * (len(self.classes_) - 1) if self.is_joint else n_dims
        check_numbers(self.means_, (n_spaces, size), "centres", signed=True)
        check_numbers(self.covariances_, (n_spaces, size, size), "covariances", signed=True)
        if self.samples_ is not None:
            shape = (n_spaces, self.samples_.shape[1], size)
            check_numbers(self.samples_, shape, "drawn points", signed=True)
