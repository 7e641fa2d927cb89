"""What a query rule looks at: the pool, the labels so far, and the centres of what they leave."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from uneven.active.pools import Pool
from uneven.utils.frames import take_rows
from uneven.versionspace import BayesPointClassifier
from uneven.versionspace.propagation import JITTER

__all__ = ["QueryState"]

GRAVITY = ("propagation", "hit_and_run", "billiard", "hamiltonian")
"""Centres of `BayesPointClassifier` that estimate the centre of gravity."""


@dataclass
class QueryState:
    """The question that a query rule answers: which of these rows would tell most?

    Attributes
    ----------
    pool : Pool
    candidates : ndarray of int, shape (n_candidates,)
        Rows of the pool that may be asked for.
    labelled : ndarray of int, shape (n_labelled,)
        Rows that have a label, in the order in which they got it.
    y : ndarray of shape (n_labelled,)
        Their labels.
    classes : ndarray of shape (n_classes,)
        Classes that have been seen, two or more.
    model : object
        The classifier, fitted to the labelled rows.
    geometry : BayesPointClassifier
        Whose kernel and tolerance for wrong labels make the version space; not fitted.
    rng : Generator
        For rules that draw.

    Examples
    --------
    A rule needs no more than ``state.model`` and ``state.inputs``; what looks at the version space,
    ``centre``, ``distances``, ``votes`` and ``rows``, needs a pool of finite numbers.

    >>> from sklearn.datasets import load_iris
    >>> from uneven import ActiveLearner
    >>> def least_sure_and_unlike(state):
    ...     sure = state.model.predict_proba(state.inputs(state.candidates)).max(axis=1)
    ...     here, known = state.rows(state.candidates), state.rows(state.labelled)
    ...     return (1 - sure) * abs(here[:, None] - known).sum(axis=2).min(axis=1)
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = ActiveLearner(query=least_sure_and_unlike).start(X).tell([0, 60], ["a", "b"])
    >>> state = learner.state()
    >>> len(state.candidates), state.labelled.tolist(), state.classes.tolist()
    (148, [0, 60], ['a', 'b'])
    >>> state.votes().shape, state.distances("chebyshev").shape
    ((148, 2), (148,))
    >>> learner.ask().shape
    (1,)
    """

    pool: Pool
    candidates: np.ndarray
    labelled: np.ndarray
    y: np.ndarray
    classes: np.ndarray
    model: Any
    geometry: BayesPointClassifier
    rng: np.random.Generator
    _centres: dict[str, BayesPointClassifier] = field(default_factory=dict, repr=False)

    def centre(
        self, name: str = "gravity", *, multi_class: str | None = None
    ) -> BayesPointClassifier:
        """A centre of the version space of the labelled rows.

        Parameters
        ----------
        name : str, default="gravity"
            "gravity" by the way that ``geometry`` says, or by propagation if it says something
            else; or the name of any centre of `uneven.BayesPointClassifier`.
        multi_class : {"ovr", "joint"}, optional
            As ``geometry`` says if not given.

        Returns
        -------
        BayesPointClassifier
            Fitted; the model itself if it is that centre.
        """
        if name == "gravity":
            name = self.geometry.centre if self.geometry.centre in GRAVITY else "propagation"
        asked = clone(self.geometry).set_params(
            centre=name, multi_class=multi_class or self.geometry.multi_class
        )
        key = f"{name} {asked.multi_class}"
        if key not in self._centres:
            self._centres[key] = self.model if _same(self.model, asked) else self._fit(asked)
        return self._centres[key]

    def body(self, name: str = "gravity") -> BayesPointClassifier:
        """The one-against-rest spaces around a centre, with room for labels that contradict.

        Parameters
        ----------
        name : str, default="gravity"
            See `centre`.

        Returns
        -------
        BayesPointClassifier
            Fitted. Propagation leaves out the dimensions that a ridge gives to each row; where
            there are such, the spaces are those of the Chebyshev centre, which has them.
        """
        soft = self.geometry.ridge > JITTER
        return self.centre("chebyshev" if soft else name, multi_class="ovr")

    def distances(self, name: str = "gravity", *, multi_class: str | None = None) -> np.ndarray:
        """Signed distances of a centre from the hyperplanes of the candidates.

        Parameters
        ----------
        name, multi_class
            See `centre`.

        Returns
        -------
        ndarray of shape (n_candidates,) for two classes, else (n_candidates, n_classes)

        Notes
        -----
        With the linear kernel one product of the whole pool with the centre, which costs less
        than taking the candidates out of a sparse table.
        """
        centre = self.centre(name, multi_class=multi_class)
        norms = self.pool.norms(centre)[self.candidates]
        if centre.kernel == "linear":
            scores = np.asarray(self.pool.X @ centre.coef_.T) + centre.intercept_
            scores = scores[self.candidates]
            scores = scores[:, 0] if scores.shape[1] == 1 else scores
        else:
            scores = centre.decision_function(self.rows(self.candidates))
        return (scores.T / norms).T

    def votes(self) -> np.ndarray:
        """Share of the version space that gives each class to each candidate.

        Returns
        -------
        ndarray of shape (n_candidates, n_classes)
        """
        return self.centre().predict_proba(self.rows(self.candidates))

    def inputs(self, which: np.ndarray) -> Any:
        """Rows of the pool as ``model`` takes them, for its ``predict`` and ``predict_proba``.

        Parameters
        ----------
        which : ndarray of int, shape (n,)

        Returns
        -------
        object
            Of the kind of the pool: ndarray, CSR, frame or array of texts, with n rows.
        """
        rows = take_rows(self.pool.given, which)
        return rows[:, self.labelled] if get_tags(self.model).input_tags.pairwise else rows

    def rows(self, which: np.ndarray) -> Any:
        """Numbers of rows of the pool; those with the labelled rows if the kernel is precomputed.

        Parameters
        ----------
        which : ndarray of int, shape (n,)

        Returns
        -------
        ndarray or CSR of shape (n, n_features) or (n, n_labelled)
        """
        rows = self.pool.X[which]
        return rows[:, self.labelled] if self.geometry.kernel == "precomputed" else rows

    def _fit(self, centre: BayesPointClassifier) -> BayesPointClassifier:
        return centre.fit(self.rows(self.labelled), self.y)


def _same(model: Any, centre: BayesPointClassifier) -> bool:
    """Whether a fitted model is the centre that is asked for."""
    if type(model) is not type(centre):
        return False
    mine, theirs = model.get_params(), centre.get_params()
    return all(mine[name] is theirs[name] or mine[name] == theirs[name] for name in mine)
