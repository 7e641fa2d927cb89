"""Cutting planes: query a point of the remaining space, cut it off if it is wrong, repeat.

The classifier queries a centre of the version space and cuts along a row that it misclassifies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from uneven.linear.hard_margin import NotSeparableError
from uneven.linear.rows import row_norms
from uneven.utils.model_types import persisted
from uneven.utils.parameters import Choice, check_integer, store_parameters
from uneven.versionspace.centres import inside
from uneven.versionspace.cone import EmptyVersionSpaceError
from uneven.versionspace.cut_classifier import CutClassifier
from uneven.versionspace.error_oracles import Rule, correctable_error
from uneven.versionspace.gravity import GRAVITY_METHODS, find_centre
from uneven.versionspace.normal_rows import Sample


@dataclass(frozen=True)
class CuttingPlaneRun:
    """What a cutting-plane run leaves.

    Attributes
    ----------
    w : object
        The last point queried: without misclassified rows if the run converged.
    cuts : ndarray of int, shape (n_cuts,)
        The rows that were cut along, in order.
    history : list of object
        The points queried, the last one included.
    converged : bool
        Whether the oracle had nothing to object to the last point.
    """

    w: Any
    cuts: np.ndarray
    history: list[Any]
    converged: bool

    def depths(self, Z: Any) -> np.ndarray:
        """How far behind each cut the point was that it cut off; zero for a neutral cut.

        Parameters
        ----------
        Z : ndarray or CSR of shape (n_samples, n_features)
            Rows in normal form that the cuts point to.

        Returns
        -------
        ndarray of shape (n_cuts,)
            For points of unit length; zero for the first point, which is the origin.
        """
        found = np.zeros(len(self.cuts))
        lengths = row_norms(Z[self.cuts])
        for k, (cut, point) in enumerate(zip(self.cuts, self.history)):
            size = np.linalg.norm(point) * lengths[k]
            found[k] = -float(np.ravel(Z[[cut]] @ point)[0]) / size if size > 0.0 else 0.0
        return found


def cutting_planes(
    oracle: Callable[[Any], int | None],
    query: Callable[[np.ndarray], Any],
    *,
    max_cuts: int = 10_000,
) -> CuttingPlaneRun:
    """Find a point that an oracle has nothing to object to.

    Parameters
    ----------
    oracle : callable
        From a point to a row that it misclassifies, or to None.
    query : callable
        From the rows cut along so far (ints in order, none at first) to the next point to query:
        the centre of what they leave, or whatever a learner makes of them.
    max_cuts : int, default=10_000
        Stop after so many cuts.

    Returns
    -------
    CuttingPlaneRun

    Notes
    -----
    If the query is the centre of gravity, each cut leaves at most ``1 - 1/e`` of the volume, and
    the run ends after ``ln(V0 / V) / -ln(1 - 1/e)`` cuts, where V0 is the volume at the start and V
    that of the points the oracle accepts. The source gives the order as the logarithm of V alone,
    which is negative. If a query misclassifies a row that it was cut along before,
    the run ends without having converged.

    References
    ----------
    Kelley (1960), The cutting-plane method for solving convex programs.
    Louche (2016), algorithm 5.

    Examples
    --------
    >>> from uneven.linear import run_perceptron
    >>> from uneven.versionspace import largest_error
    >>> Z = np.array([[2.0, 1.0], [-1.0, 1.0], [0.5, 3.0]])
    >>> run = cutting_planes(
    ...     oracle=lambda w: largest_error(Z @ w), query=lambda rows: run_perceptron(Z[rows]).w
    ... )
    >>> run.w.tolist(), run.cuts.tolist(), run.depths(Z).round(3).tolist()
    ([1.0, 2.0], [0, 1], [0.0, 0.316])
    """
    check_integer("max_cuts", max_cuts, 1)
    cuts: list[int] = []
    history: list[Any] = []
    while True:
        history.append(query(np.array(cuts, dtype=np.intp)))
        row = oracle(history[-1])
        if row is None or row in cuts or len(cuts) == max_cuts:
            break
        cuts.append(int(row))
    return CuttingPlaneRun(history[-1], np.array(cuts, dtype=np.intp), history, row is None)


QUERIES = ("analytic", "centre_of_gravity", "chebyshev")
"""Which centre to query, by name."""

Query = Callable[[np.ndarray], np.ndarray]


@persisted("cutting_plane", role="classifier")
class CuttingPlaneClassifier(CutClassifier):
    """The centre of the version space of a few rows, which classifies all others correctly.

    It starts without any row. In each round it queries the centre of all classifiers that agree
    with the rows so far; an oracle names a row that the centre misclassifies; that row joins them.
    In the end the centre classifies all rows correctly, though few of them were used. With the
    centre of gravity this is a Bayes point machine that can be rebuilt from these few rows; with
    the Chebyshev centre a support vector machine without slack.

    Parameters
    ----------
    query : {"centre_of_gravity", "chebyshev", "analytic"} or callable, \
default="centre_of_gravity"
        Which centre to query. A callable gets the cuts, unit rows of shape (n_cuts, n_dims), and
        returns a point; any learner that classifies the rows it has seen correctly will do.
    oracle : {"largest_error", "smallest_error", "random_error", "first_error"} or callable, \
default="largest_error"
        Which mistake is cut along, as in `CompressionPerceptron`.
    method : str, default="propagation"
        How the centre of gravity is found, see `centre_of_gravity`. "propagation" and "exact" do
        not draw random numbers: only then the rows used are a compression of the sample.
    kernel, gamma, degree, coef0, fit_intercept, normalize
        As in `CompressionPerceptron`.
    slack : float, default=0.0
        As in `CompressionPerceptron`: with it wrong labels leave a centre.
    max_cuts : int, default=1000
        Use at most so many rows, for each class if there are more than two.
    random_state : int, RandomState or None, default=None
        Seeds "random_error" and the methods that draw random numbers.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features), or (n_classes, n_features) for more than two classes
        Vectors of unit length (with their intercept). Only for the linear kernel.
    intercept_ : ndarray of shape (1,) or (n_classes,)
    expansion_ : KernelExpansion
        The sum of kernels, for the other kernels.
    compression_set_ : ndarray of int
        The rows used, in order; with more than two classes those of the first class, then those of
        the second that are new, and so on.
    compression_sets_ : list of ndarray of int
        The rows used for each class; a single list for two classes.
    converged_ : bool
        Whether all rows are classified correctly.
    n_samples_fit_ : int
        Rows in ``fit``.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if ``X`` had string column names.

    Notes
    -----
    With the exact centre of gravity each cut leaves at most ``1 - 1/e`` of the volume. The source
    recommends this learner, but does not run it. Where an approximate centre lies outside one of
    its own cuts, it is moved towards the Chebyshev centre until it is inside. Rows that no
    hyperplane separates end in a warning; the point kept is that with the fewest mistakes, or the
    last one if ``max_cuts`` ended the run.

    References
    ----------
    Louche (2016), From confusion noise to active learning: playing on label availability in linear
    classification problems, sections 5.2 and 6.2.
    Herbrich, Graepel and Campbell (2001), Bayes point machines.

    Examples
    --------
    >>> from uneven.datasets import make_margin_square
    >>> from uneven.versionspace import CuttingPlaneClassifier
    >>> square = make_margin_square(1000, random_state=0)
    >>> model = CuttingPlaneClassifier().fit(square.data, square.target)
    >>> model.score(square.data, square.target), len(model.compression_set_)
    (1.0, 3)
    """

    _parameters: ClassVar = {
        "query": Choice(QUERIES, or_callable=True),
        "method": Choice(GRAVITY_METHODS),
    }

    def __init__(
        self,
        query: str | Query = "centre_of_gravity",
        oracle: str | Rule = "largest_error",
        *,
        method: str = "propagation",
        kernel: str | Callable[..., float] = "linear",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        fit_intercept: bool = False,
        normalize: bool = False,
        slack: float = 0.0,
        max_cuts: int = 1000,
        random_state: Any = None,
    ) -> None:
        store_parameters(self, locals())

    def _run(self, sample: Sample, rule: Rule, rng: np.random.Generator) -> CuttingPlaneRun:
        game = _Game(sample, rule, self._centre(rng))
        try:
            run = cutting_planes(game.oracle, game.query, max_cuts=self.max_cuts or sample.n_rows)
        except (NotSeparableError, EmptyVersionSpaceError):
            return CuttingPlaneRun(game.best, game.cuts, [], converged=False)
        if run.converged or len(run.cuts) == self.max_cuts:
            return run
        return CuttingPlaneRun(game.best, run.cuts, [], converged=False)

    def _centre(self, rng: np.random.Generator) -> Query:
        if callable(self.query):
            return self.query
        method = self.method if self.query == "centre_of_gravity" else self.query
        return lambda cuts: inside(cuts, find_centre(cuts, method, rng=rng)[0])

    def _advice(self) -> str:
        return f", or raise max_cuts={self.max_cuts}"

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [
            cls(),
            cls("chebyshev", "random_error", kernel="rbf", fit_intercept=True, max_cuts=30),
            cls(slack=1.0),
        ]


class _Game:
    """Query and oracle on one sample; keeps the point with the fewest mistakes."""

    def __init__(self, sample: Sample, rule: Rule, centre: Query) -> None:
        self.sample, self.rule, self.centre = sample, rule, centre
        self.cuts = np.empty(0, dtype=np.intp)
        self.silent: list[int] = []
        self.fewest = sample.n_rows + 1
        self.best: Any = sample.combine(self.cuts, np.zeros(0))

    def query(self, cuts: np.ndarray) -> Any:
        """The centre of what the cuts leave; the origin before the first."""
        self.cuts = cuts
        if not len(cuts):
            return self.sample.combine(cuts, np.zeros(0))
        where, lift = self.sample.place(cuts)
        return lift(np.asarray(self.centre(where), dtype=np.float64))

    def oracle(self, point: Any) -> int | None:
        """A row that the point misclassifies."""
        margins = self.sample.margins(point)
        row = correctable_error(self.rule, margins, self.silent, self.sample.products)
        wrong = int(np.count_nonzero(margins <= 0.0))
        if wrong < self.fewest:
            self.fewest, self.best = wrong, point
        return row
