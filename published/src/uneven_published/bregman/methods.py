"""The methods of the paper's comparison, a compact MVML among them, and ours beside them.

Views and seeds are given to copies of them. The columns with the published names come first.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.tree import DecisionTreeClassifier

from uneven import AdaBoostMMClassifier, BregmanVoteClassifier, EarlyFusionClassifier
from uneven.boosting import ShareBoostClassifier
from uneven.fusion import BestViewClassifier, HoldoutFusionClassifier

Floats = NDArray[np.float64]
_SMALL = 1e-12
_LEAST_EIGENVALUE = 1e-6
_LEAST_KERNEL_EIGENVALUE = 1e-8


class SparseMetricLearning(ClassifierMixin, BaseEstimator):
    """Ridge regression on kernel factors of the views, with a learnt metric between them.

    For two classes. Choices where the comparison it is quoted in says nothing: Gaussian kernels
    with the inverse of the mean squared distance as their width, landmarks drawn at random, equal
    weights of the views, and the two penalties as given below.

    Parameters
    ----------
    views : dict of str to columns
    landmarks : float, default=0.24
        Share of the training rows that the kernel factors are built on.
    ridge, sparsity : float
        Penalties of the coefficients and of the blocks of the metric.
    n_loops : int, default=6
        Turns between coefficients and metric.
    random_state : int, default=0

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    metric_ : ndarray of shape (n_views * n_landmarks, n_views * n_landmarks)
        Positive definite.

    References
    ----------
    R. Huusari, H. Kadri and C. Capponi (2018), *Multi-view metric learning in vector-valued kernel
    spaces*.

    Examples
    --------
    >>> from uneven.datasets import make_uneven_views
    >>> data = make_uneven_views(200, random_state=0)
    >>> is_first = data.target == data.target[0]
    >>> model = SparseMetricLearning(data.views).fit(data.data, is_first)
    >>> bool(model.score(data.data, is_first) > 0.8)
    True
    """

    def __init__(
        self,
        views: Any = None,
        *,
        landmarks: float = 0.24,
        ridge: float = 0.1,
        sparsity: float = 0.01,
        n_loops: int = 6,
        random_state: int = 0,
    ) -> None:
        self.views = views
        self.landmarks = landmarks
        self.ridge = ridge
        self.sparsity = sparsity
        self.n_loops = n_loops
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows of two classes.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features)
        y : array of shape (n_samples,)

        Returns
        -------
        SparseMetricLearning
        """
        self.classes_ = np.unique(y)
        if len(self.classes_) != 2:
            raise ValueError(f"y must have two classes, got {len(self.classes_)}.")
        sign = np.where(np.asarray(y) == self.classes_[1], 1.0, -1.0)
        n_rows = X.shape[0]
        size = max(1, int(self.landmarks * n_rows))
        chosen = np.random.default_rng(self.random_state).choice(n_rows, size, replace=False)
        self._maps = [_kernel_map(X[:, columns], chosen) for columns in self.views.values()]
        factors = self._factors(X)
        gram, target = factors.T @ factors, factors.T @ sign
        self.metric_ = np.eye(len(target))
        for _ in range(self.n_loops):
            inverse = np.linalg.inv(self.metric_)
            self._coefficients = np.linalg.solve(gram + self.ridge * inverse, target)
            self.metric_ = self._improve(self.metric_, inverse @ self._coefficients, size)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Answer a class for each row.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        side = (self._factors(X) @ self._coefficients >= 0.0).astype(int)
        return np.asarray(self.classes_[side])

    def _improve(self, metric: Floats, slope: Floats, size: int) -> Floats:
        """One proximal step: downhill, weak blocks to zero, back to positive definite."""
        moved = metric + self.ridge * np.outer(slope, slope)
        n_views = len(self.views)
        blocks = moved.reshape(n_views, size, n_views, size)
        norms = np.sqrt((blocks**2).sum(axis=(1, 3), keepdims=True))
        shrunk = blocks * np.maximum(0.0, 1.0 - self.sparsity / np.maximum(norms, _SMALL))
        values, vectors = np.linalg.eigh(shrunk.reshape(moved.shape))
        return np.asarray((vectors * np.maximum(values, _LEAST_EIGENVALUE)) @ vectors.T)

    def _factors(self, X: Any) -> Floats:
        """Kernel factors of all views side by side, shape (n_samples, n_views * size)."""
        parts = [
            np.exp(-width * euclidean_distances(X[:, columns], marks, squared=True)) @ root
            for columns, (marks, width, root) in zip(self.views.values(), self._maps)
        ]
        return np.hstack(parts) / len(parts)


def _kernel_map(X: Any, chosen: NDArray[np.int64]) -> tuple[Any, float, Floats]:
    """Landmarks, kernel width, and the inverse root of the landmarks' kernel."""
    marks = X[chosen]
    width = 1.0 / max(float(euclidean_distances(X, squared=True).mean()), _SMALL)
    kernel = np.exp(-width * euclidean_distances(marks, squared=True))
    values, vectors = np.linalg.eigh(kernel)
    return marks, width, vectors / np.sqrt(np.maximum(values, _LEAST_KERNEL_EIGENVALUE)) @ vectors.T


class VoteOfDepths(ClassifierMixin, BaseEstimator):
    """A Bregman vote of trees with random cuts: in each view one of depth 1, 2 and so on.

    The deepest has two levels less than a full tree of the view, as in the source; each is grown
    for itself. The first author's later program grows its trees with random cuts, too. For two
    classes.

    Parameters
    ----------
    vote : BregmanVoteClassifier
        Gets the voters, and the parameters below.
    max_iter : int, default=2
    views : dict of str to columns
    random_state : int, default=0

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    vote_ : BregmanVoteClassifier
        The fitted vote.

    Examples
    --------
    >>> from uneven import BregmanVoteClassifier
    >>> from uneven.datasets import make_uneven_views
    >>> data = make_uneven_views(200, random_state=0)
    >>> model = VoteOfDepths(BregmanVoteClassifier(), views=data.views).fit(data.data, data.target)
    >>> bool(model.score(data.data, data.target) > 0.8)
    True
    """

    def __init__(
        self, vote: Any = None, *, max_iter: int = 2, views: Any = None, random_state: int = 0
    ) -> None:
        self.vote = vote
        self.max_iter = max_iter
        self.views = views
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the voters and weigh them.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features)
        y : array of shape (n_samples,)

        Returns
        -------
        VoteOfDepths
        """
        voters = {view: self._trees(X[:, columns], y) for view, columns in self.views.items()}
        self.vote_ = clone(self.vote).set_params(
            voters=voters,
            max_iter=self.max_iter,
            views=self.views,
            random_state=self.random_state,
        )
        self.vote_.fit(X, y)
        self.classes_ = self.vote_.classes_
        return self

    def decision_function(self, X: Any) -> Floats:
        """Score of the second class; 0 is a tie. Shape (n_samples,)."""
        return np.asarray(self.vote_.decision_function(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Answer a class for each row, shape (n_samples,)."""
        return np.asarray(self.vote_.predict(X))

    def _trees(self, X: Any, y: Any) -> list[DecisionTreeClassifier]:
        """Trees to grow in a view."""
        full = clone(RANDOM_CUTS).set_params(random_state=self.random_state).fit(X, y)
        deepest = max(1, full.get_depth() - 2)
        return [clone(RANDOM_CUTS).set_params(max_depth=d) for d in range(1, deepest + 1)]


RANDOM_CUTS = DecisionTreeClassifier(splitter="random")
"""A full tree; each cut is the best of random ones, one for each column."""

VOTE = "MωMvC²"
CORRECTED = f"{VOTE}, corrected"
DEFAULT = f"{VOTE}, default of the library"
RANDOM_TREES = f"{VOTE}, 20 random trees of depth 3"
BEST_VIEW = "Mono, best view on test"

_ROUNDS = 100
GUARD = 0.001
"""Share of the weight that a voter without errors is taken to have wrong: a tenth of an example."""


def _shared_boosting(selection: str, depth: int | None) -> ShareBoostClassifier:
    """Boosting with one distribution for all views; full trees with random cuts without a depth."""
    return ShareBoostClassifier(
        RANDOM_CUTS if depth is None else None,
        selection=selection,
        n_estimators=_ROUNDS,
        max_depth=depth or 1,
    )


def _vote(voters: Any = "published", **words: Any) -> BregmanVoteClassifier:
    """The vote with two iterations and, unless others are given, one tree cut at every depth."""
    return BregmanVoteClassifier(voters, max_iter=2, **words)


def _literal(**words: Any) -> BregmanVoteClassifier:
    """The published step of the voters; two iterations."""
    return BregmanVoteClassifier(variant="paper", max_iter=2, **words)


def _uniform_vote(voter: Any) -> BregmanVoteClassifier:
    """One voter per view, all of the same weight: the vote before it learns."""
    return BregmanVoteClassifier(voter, variant="paper", return_index="paper", max_iter=1)


BASELINES: dict[str, Any] = {
    "Mono": BestViewClassifier(),
    "Concat": EarlyFusionClassifier(),
    "Fusion": HoldoutFusionClassifier(),
    "MV-MV": _uniform_vote(DecisionTreeClassifier()),
}
"""The four that use one full tree per view, or one in all, with the best cuts."""

_STUMPS = AdaBoostMMClassifier(n_estimators=50, max_depth=1)

BOOSTED: dict[str, Any] = {
    "Mono, AdaBoost": BestViewClassifier(_STUMPS),
    "Concat, AdaBoost": EarlyFusionClassifier(_STUMPS),
    "Fusion, AdaBoost": HoldoutFusionClassifier(_STUMPS),
    "MV-MV, AdaBoost": _uniform_vote(_STUMPS),
}
"""The same four with boosted stumps in place of trees."""

PRINTED: dict[str, Any] = {
    "Mono": BestViewClassifier(RANDOM_CUTS),
    "Concat": EarlyFusionClassifier(RANDOM_CUTS),
    "Fusion": HoldoutFusionClassifier(RANDOM_CUTS),
    "MVMLsp": SparseMetricLearning(),
    "MV-MV": VoteOfDepths(BregmanVoteClassifier(variant="paper", return_index="paper"), max_iter=1),
    "MVWAB": _shared_boosting("combination", 1),
    "rBoost.SH": _shared_boosting("bandit", None),
    VOTE: VoteOfDepths(_literal(view_weights="fixed", smoothing=GUARD)),
}
"""The methods of the source, in its order."""

OURS: dict[str, Any] = {
    "MV-MV, one full tree per view": BASELINES["MV-MV"],
    "rBoost.SH, depth 2": _shared_boosting("bandit", 2),
    f"{VOTE}, no guard": VoteOfDepths(_literal(view_weights="fixed")),
    f"{VOTE}, one view": VoteOfDepths(_literal(smoothing=GUARD)),
    f"{VOTE}, one tree cut at each depth": _vote(
        variant="paper", view_weights="fixed", smoothing=GUARD
    ),
    f"{VOTE}, one view, one tree cut at each depth": _vote(variant="paper"),
    CORRECTED: VoteOfDepths(BregmanVoteClassifier()),
    f"{CORRECTED}, one tree cut at each depth": _vote(),
    RANDOM_TREES: _vote([DecisionTreeClassifier(max_depth=3, max_features="sqrt")] * 20),
    DEFAULT: BregmanVoteClassifier(),
}
"""Other depths of the boosted trees, other readings and corrections of the vote, other voters."""

VOTES = {
    name: method for name, method in (PRINTED | OURS).items() if name.startswith((VOTE, "MV-MV"))
}
"""Those that are a Bregman vote, even ones among them: they are cheap."""
