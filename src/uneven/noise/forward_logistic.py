"""Logistic regression for labels that were drawn through a noise matrix."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, logsumexp, softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets

from uneven.linear.base import LinearClassifier
from uneven.noise.matrices import learning_matrix, warn_of_alike_classes
from uneven.utils.methods import method
from uneven.utils.model_types import persisted
from uneven.utils.parameters import Flag, Interval, Whole, check_parameters, store_parameters
from uneven.utils.validation import (
    check_clean,
    check_magnitude,
    check_mass,
    validate_data,
    whole_or_nothing,
)

_RULES = {"accept_sparse": "csr", "dtype": np.float64, "ensure_min_samples": 1}


@persisted("forward_logistic", role="classifier")
@method(
    "forward_logistic",
    "Forward logistic",
    "Multinomial logistic regression on scaled features with forward loss correction by the noise "
    "matrix.",
    order=38,
    encoding="one_hot",
    takes_noise=True,
    needs_noise=True,
)
class ForwardLogisticRegression(LinearClassifier):
    r"""Multinomial logistic regression for labels that are wrong in a known pattern.

    The probabilities of the *true* classes are ``p = softmax(x W + b)``, and with the noise matrix
    ``C`` those of the labels are ``C p``. ``fit`` minimises::

        - sum_i w_i log (C p(x_i))[y_i]  +  l2 / 2 |W|^2,

    the forward correction: what is compared with noisy labels is made noisy, too. Without noise it
    is plain logistic regression. With noise the problem is not convex; the start is at zero.

    Parameters
    ----------
    noise_matrix : array-like or dataframe of shape (n_classes, n_classes), default=None
        Column = true class, row = observed label, in sorted class order; columns sum to 1. None
        takes the labels as they are.
    l2 : float, default=1.0
        Strength of the L2 penalty: ``1 / C`` of scikit-learn's LogisticRegression.
    fit_intercept : bool, default=True
    max_iter : int, default=300
        Steps of L-BFGS.
    tol : float, default=1e-5
        Largest slope, per row, at which it stops.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (n_classes, n_features)
    intercept_ : ndarray of shape (n_classes,)
    n_iter_ : int

    See Also
    --------
    uneven.NoiseAwareClassifier : the same idea for any classifier.
    uneven.UMAClassifier : a perceptron that learns through the inverse of the matrix.

    References
    ----------
    G. Patrini, A. Rozza, A. Menon, R. Nock and L. Qu (2017), *Making deep neural networks robust
    to label noise: a loss correction approach*.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from uneven import ForwardLogisticRegression
    >>> from uneven.noise import corrupt_labels, cyclic_noise
    >>> X, y = load_digits(return_X_y=True)
    >>> noise = cyclic_noise(10, (0.3, 0.1))
    >>> labels = corrupt_labels(y, noise, rng=0)
    >>> train, test = slice(None, 1200), slice(1200, None)
    >>> def accuracy(matrix):
    ...     model = ForwardLogisticRegression(matrix).fit(X[train] / 16, labels[train])
    ...     return model.score(X[test] / 16, y[test])
    >>> bool(accuracy(noise) > accuracy(None) + 0.02)
    True
    """

    _parameters: ClassVar = {
        "l2": Interval(0.0, closed="left"),
        "fit_intercept": Flag(),
        "max_iter": Whole(1),
        "tol": Interval(0.0),
    }
    normalize = False

    def __init__(
        self,
        noise_matrix: Any = None,
        *,
        l2: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int = 300,
        tol: float = 1e-5,
    ) -> None:
        store_parameters(self, locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None, clean: Any = None) -> Self:
        """Learn from labels of which some are wrong.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Columns of similar size learn fastest.
        y : array-like of shape (n_samples,)
            Observed labels.
        sample_weight : array-like of shape (n_samples,), optional
        clean : array-like of bool, shape (n_samples,), optional
            Rows whose label is certain.

        Returns
        -------
        self : object
        """
        check_parameters(self)
        with whole_or_nothing(self):
            X, y = validate_data(self, X, y, **_RULES)
            check_magnitude(X)
            check_classification_targets(y)
            weight = check_mass(sample_weight, len(y))
            self.classes_, codes = np.unique(y, return_inverse=True)
            if len(self.classes_) < 2:
                raise ValueError("y holds one class only: there is nothing to learn.")
            chance = self._label_chances(codes, check_clean(clean, len(codes)))
            self._minimise(X, chance, weight)
        return self

    def _label_chances(self, codes: np.ndarray, clean: np.ndarray | None) -> np.ndarray:
        """How probable each class makes the label of each row, (n_samples, n_classes)."""
        exact = np.eye(len(self.classes_))
        if self.noise_matrix is None:
            return np.asarray(exact[codes])
        noise = learning_matrix(self.noise_matrix, self.classes_)
        never = np.flatnonzero(noise.max(axis=1) == 0.0)
        if len(never):
            raise ValueError(
                f"label {self.classes_[never[0]]!r} occurs, but noise_matrix says that no class "
                "ever gets it (its row is zero)."
            )
        warn_of_alike_classes(noise, self.classes_)
        chance = noise[codes]
        if clean is not None:
            chance[clean] = exact[codes[clean]]
        return np.asarray(chance)

    def _minimise(self, X: Any, chance: np.ndarray, weight: np.ndarray) -> None:
        n_features, n_classes = X.shape[1], len(self.classes_)
        height = n_features + int(self.fit_intercept)
        with np.errstate(divide="ignore"):
            log_chance = np.log(chance)

        def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
            W = flat.reshape(height, n_classes)
            scores = np.asarray(X @ W[:n_features]) + (W[n_features] if self.fit_intercept else 0.0)
            logs = log_softmax(scores, axis=1)
            seen = logsumexp(log_chance + logs, axis=1)
            posterior = np.exp(log_chance + logs - seen[:, None])
            slope = weight[:, None] * (np.exp(logs) - posterior)
            gradient = np.empty_like(W)
            gradient[:n_features] = X.T @ slope + self.l2 * W[:n_features]
            if self.fit_intercept:
                gradient[n_features] = slope.sum(axis=0)
            penalty = 0.5 * self.l2 * float((W[:n_features] ** 2).sum())
            total, scale = float(-weight @ seen) + penalty, 1.0 / weight.sum()
            return scale * total, scale * gradient.ravel()

        options = {"maxiter": self.max_iter, "gtol": self.tol, "ftol": 1e-12, "maxls": 50}
        start = np.zeros(height * n_classes)
        found = minimize(loss, start, jac=True, method="L-BFGS-B", options=options)
        if not np.isfinite(found.fun):
            raise ValueError("the loss is not a finite number: scale the columns of X.")
        if found.nit >= self.max_iter:
            warnings.warn(
                f"ForwardLogisticRegression stopped after {self.max_iter} steps: scale the "
                "columns of X (StandardScaler), or raise max_iter.",
                ConvergenceWarning,
                stacklevel=4,
            )
        W = found.x.reshape(height, n_classes)
        self.coef_ = np.ascontiguousarray(W[:n_features].T)
        self.intercept_ = W[n_features] if self.fit_intercept else np.zeros(n_classes)
        self.n_iter_ = int(found.nit)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the true classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        scores = self.decision_function(X)
        if len(self.classes_) == 2:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        return np.asarray(softmax(scores, axis=1))

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [cls(), cls(l2=0.1, fit_intercept=False)]
