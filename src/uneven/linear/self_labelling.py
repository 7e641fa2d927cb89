"""A support vector machine that also learns from rows without labels, by guessing them in turn."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from scipy.optimize import minimize

from uneven.linear.base import LinearClassifier
from uneven.utils.labels import split_labels
from uneven.utils.model_types import persisted
from uneven.utils.parameters import Interval, Whole, check_parameters, store_parameters
from uneven.utils.validation import check_magnitude, validate_data, whole_or_nothing


@persisted("self_labelling_svm", role="classifier")
class SelfLabellingSVM(LinearClassifier):
    """Semi-supervised support vector machine with pseudo-labels.

    Minimises ``|W|^2 / 2 + C (sum of the losses of labelled rows + s * sum of the losses of
    unlabelled rows with their pseudo-labels)``, alternately over the pseudo-labels (the class with
    the highest score has the lowest loss) and over ``W``. The weight s starts near zero, so that
    the first pseudo-labels follow from the labelled rows. The loss is the squared hinge, one class
    against the rest.

    Parameters
    ----------
    C : float, default=10.0
        Weight of the losses.
    shares : tuple of float, default=(0.001, 0.003, 0.01, 0.03, 0.1)
        Weights s of the unlabelled rows, one after the other.
    n_turns : int, default=2
        Largest number of alternations for each weight.
    max_iter : int, default=15
        Largest number of steps of the solver (L-BFGS) in an alternation.
    fit_intercept : bool, default=False
        Append a constant 1 to the rows. With an intercept all rows that differ from the labelled
        ones may go to one class.
    normalize : bool, default=False
        Scale each row (with its constant) to unit length while learning.
    unlabelled : number, str or None, default=-1
        Marks a missing label in ``y``, in addition to None and NaN.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (n_classes, n_features)
    intercept_ : ndarray of shape (n_classes,)
    guesses_ : ndarray of shape (n_samples,)
        The labels, and the pseudo-labels of unlabelled rows.
    path_ : list of (float, float)
        Strength and objective after every turn.
    n_iter_ : int
        Steps of the solver in the longest turn.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if ``X`` had string column names.

    Notes
    -----
    The source names a multi-class semi-supervised machine without a formula; this is our reading
    of it. It helps where classes are clusters, as topics of text are. Where they are not, the
    pseudo-labels confirm themselves: compare with ``shares=()``, which ignores unlabelled rows.

    References
    ----------
    Bennett and Demiriz (1998), Semi-supervised support vector machines. Louche (2016), From
    confusion noise to active learning: playing on label availability in linear classification
    problems, section 4.5.

    Examples
    --------
    >>> from uneven.linear import SelfLabellingSVM
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2)) + 3.0 * np.repeat([[1, -1], [-1, 1]], 100, axis=0)
    >>> y = np.full(200, -1)
    >>> y[[0, 100]] = 0, 1
    >>> model = SelfLabellingSVM().fit(X, y)
    >>> bool(np.mean(model.predict(X) == np.repeat([0, 1], 100)) > 0.95)
    True
    """

    _parameters: ClassVar = {
        "C": Interval(0.0, closed="neither", says="a number above 0"),
        "n_turns": Whole(1),
        "max_iter": Whole(1),
    }

    def __init__(
        self,
        C: float = 10.0,
        *,
        shares: tuple[float, ...] = (0.001, 0.003, 0.01, 0.03, 0.1),
        n_turns: int = 2,
        max_iter: int = 15,
        fit_intercept: bool = False,
        normalize: bool = False,
        unlabelled: Any = -1,
    ) -> None:
        store_parameters(self, locals())

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows of which some have labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None, NaN or ``unlabelled`` where there is no label.

        Returns
        -------
        self
        """
        check_parameters(self)
        shares = [float(share) for share in self.shares]
        if any(not 0.0 < share < np.inf for share in shares):
            raise ValueError(f"shares must be numbers above 0, got {self.shares}.")
        with whole_or_nothing(self):
            X = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
            check_magnitude(X)
            labelled, labels = split_labels(y, self.unlabelled)
            if len(labelled) != X.shape[0]:
                raise ValueError(
                    f"X has {X.shape[0]} rows, but y {len(labelled)} entries: inconsistent numbers."
                )
            self.classes_, positions = np.unique(labels, return_inverse=True)
            if len(self.classes_) < 2:
                raise ValueError(
                    f"y holds one class only, {self.classes_.tolist()[0]!r}, besides rows without "
                    "label: at least two classes are needed."
                )
            self._take_turns(self._as_learnt(X), labelled, positions, shares)
        return self

    def _take_turns(
        self, rows: Any, labelled: np.ndarray, positions: np.ndarray, shares: list[float]
    ) -> None:
        """Learn from predicted labels (pseudo-labels) with growing weight."""
        guess = np.zeros(len(labelled), dtype=np.intp)
        guess[labelled] = positions
        weight = np.where(labelled, self.C, 0.0)
        coef = np.zeros((rows.shape[1], len(self.classes_)))
        coef, _, self.n_iter_ = self._learn(rows[labelled], positions, weight[labelled], coef)
        self.path_: list[tuple[float, float]] = []
        free = np.flatnonzero(~labelled)
        for share in shares if len(free) else ():
            weight[free] = self.C * share
            for turn in range(self.n_turns):
                better = np.asarray(rows[free] @ coef).argmax(axis=1)
                if turn and np.array_equal(better, guess[free]):
                    break
                guess[free] = better
                coef, objective, n_steps = self._learn(rows, guess, weight, coef)
                self.n_iter_ = max(self.n_iter_, n_steps)
                self.path_.append((share, objective))
        guess[free] = np.asarray(rows[free] @ coef).argmax(axis=1)
        self.guesses_ = self.classes_[guess]
        self._store(np.ascontiguousarray(coef.T))

    def _learn(
        self, rows: Any, positions: np.ndarray, weight: np.ndarray, coef: np.ndarray
    ) -> tuple[np.ndarray, float, int]:
        """Continue from coefficients with these labels; new ones, objective, steps."""
        sign = -np.ones((len(positions), coef.shape[1]))
        sign[np.arange(len(positions)), positions] = 1.0

        def objective(flat: np.ndarray) -> tuple[float, np.ndarray]:
            now = flat.reshape(coef.shape)
            lack = np.maximum(0.0, 1.0 - sign * np.asarray(rows @ now))
            slope = -2.0 * weight[:, None] * sign * lack
            gradient = now + np.asarray(rows.T @ slope)
            return float(0.5 * flat @ flat + weight @ (lack**2).sum(axis=1)), gradient.ravel()

        options = {"maxiter": self.max_iter, "maxcor": 5}
        found = minimize(objective, coef.ravel(), jac=True, method="L-BFGS-B", options=options)
        return found.x.reshape(coef.shape), float(found.fun), int(found.nit)

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [
            cls(fit_intercept=True, unlabelled=None, max_iter=100),
            cls(normalize=True, unlabelled=None),
        ]
