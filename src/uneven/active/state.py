"""What a query rule looks at: the unlabelled pool, the labels so far, and the centres they leave.

The pool keeps its rows as the classifier takes them, and as numbers if they are that.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_array

from uneven.active.history import fingerprint
from uneven.active.registry import blind_choices
from uneven.linear.expansions import gram, kernel_parameters
from uneven.linear.rows import row_norms
from uneven.utils.frames import holds_words, take_rows
from uneven.utils.validation import validate_data
from uneven.versionspace import BayesPointClassifier
from uneven.versionspace.propagation import JITTER
from uneven.versionspace.span import feature_norms

_WITHOUT_PARAMETERS = ("linear", "rbf", "laplacian", "cosine", "precomputed")
"""Kernels for which the lengths of rows do not depend on parameters."""


class Pool:
    """The unlabelled pool: rows that wait for labels, with what never changes about them.

    Parameters
    ----------
    given : ndarray, CSR, frame or array of texts, of n_rows rows
        As the classifier takes them.

    Examples
    --------
    >>> Pool(np.eye(3)).X.shape
    (3, 3)
    >>> Pool(np.array(["a text", "another"], dtype=object)).is_numeric
    False
    """

    def __init__(self, given: Any) -> None:
        self.given = given
        self._norms: dict[Any, tuple[dict[str, Any], np.ndarray]] = {}

    @property
    def X(self) -> Any:  # noqa: N802
        """The rows as finite numbers, ndarray or CSR of shape (n_rows, n_features)."""
        table, why = self._numbers
        if table is None:
            raise ValueError(
                f"the geometry of the rows is needed, but not all are finite numbers: {why} Turn "
                "them into numbers first, or use only what looks at the classifier alone: "
                f"{blind_choices()}."
            )
        return table

    @property
    def is_numeric(self) -> bool:
        """Whether the rows are finite numbers, so that they have a geometry."""
        return self._numbers[0] is not None

    @cached_property
    def _numbers(self) -> tuple[Any, str]:
        """The rows as a table of finite numbers, or None and why not."""
        reason = _first_text(self.given)
        if reason:
            return None, reason
        try:
            return check_array(self.given, accept_sparse="csr", dtype=np.float64), ""
        except (TypeError, ValueError) as error:
            return None, str(error).partition("\n")[0]

    @cached_property
    def gamma(self) -> float:
        """The width of a Gaussian kernel that scikit-learn calls "scale", for all rows."""
        return float(kernel_parameters(self.X, "rbf", "scale", 3, 1.0)["gamma"])

    @cached_property
    def bayes_point(self) -> BayesPointClassifier:
        """Straight for sparse pools; else Gaussian, as wide as the whole pool suggests."""
        if not self.is_numeric:
            return BayesPointClassifier()
        if sp.issparse(self.X):
            return BayesPointClassifier("linear")
        return BayesPointClassifier(gamma=self.gamma)

    def __len__(self) -> int:
        return int(self.given.shape[0])

    def fingerprint(self) -> str:
        """A short text that differs between pools; the same for numbers in an array or a frame."""
        return fingerprint(self.X if self.is_numeric else self.given)

    def norms(self, centre: BayesPointClassifier) -> np.ndarray:
        """Lengths of the rows in the space of a fitted centre; one for rows without a direction.

        Parameters
        ----------
        centre : BayesPointClassifier
            Fitted.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        params = {} if centre.kernel in _WITHOUT_PARAMETERS else centre.kernel_params_
        key = (centre.kernel, centre.fit_intercept)
        known, lengths = self._norms.get(key, (None, np.empty(0)))
        if known != params:
            lengths = self._measure(centre)
            self._norms[key] = (params, lengths)
        return lengths

    def _measure(self, centre: BayesPointClassifier) -> np.ndarray:
        constant = float(bool(centre.fit_intercept))
        if centre.kernel == "precomputed":
            lengths = np.sqrt(np.clip(self.X.diagonal(), 0.0, None))
        elif centre.kernel == "linear":
            lengths = np.hypot(row_norms(self.X), constant)
        else:
            lengths = feature_norms(self.X, centre.kernel, centre.kernel_params_)
        return np.where(lengths > 0.0, lengths, 1.0)


GRAVITY = ("propagation", "hit_and_run", "billiard", "hamiltonian")
"""Centres of `BayesPointClassifier` that estimate the centre of gravity."""


@dataclass
class QueryState:
    """Input of a query rule: the labels so far and the rows to choose from.

    Attributes
    ----------
    pool : Pool
    candidates : ndarray of int, shape (n_candidates,)
        Rows of the pool that may be queried.
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
        Random generator for rules that sample.
    n_discarded : int
        Candidates that a rule could discard by a bound, without measuring them.
    wanted : int or None
        How many rows are to be chosen, for rules that rank a part of them; None if it is not known.

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
    n_discarded: int = 0
    wanted: int | None = None
    _centres: dict[str, BayesPointClassifier] = field(default_factory=dict, repr=False)

    def centre(
        self, name: str = "gravity", *, multi_class: str | None = None
    ) -> BayesPointClassifier:
        """A centre of the version space of the labelled rows.

        Parameters
        ----------
        name : str, default="gravity"
            "gravity" by the method of ``geometry``, or by propagation if that is something
            else; or the name of any centre of `uneven.BayesPointClassifier`.
        multi_class : {"ovr", "joint"}, optional
            As in ``geometry`` if not given.

        Returns
        -------
        BayesPointClassifier
            Fitted; the model itself if it is that centre.
        """
        if name == "gravity":
            name = self.geometry.centre if self.geometry.centre in GRAVITY else "propagation"
        multi_class = multi_class or self.geometry.multi_class
        key = f"{name} {multi_class}"
        if key not in self._centres:
            asked = {"centre": name, "multi_class": multi_class}
            self._centres[key] = self.model if self._is_model(asked) else self._fit(asked)
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
        norms = self.pool.norms(centre)
        if centre.kernel == "linear":
            scores = np.asarray(self.pool.X @ centre.coef_.T) + centre.intercept_
            scores /= norms[:, None]
            return scores[self.candidates, 0 if scores.shape[1] == 1 else slice(None)]
        scores = centre.decision_function(self.rows(self.candidates))
        return (scores.T / norms[self.candidates]).T

    def votes(self, which: np.ndarray | None = None) -> np.ndarray:
        """Share of the version space that gives each class to each candidate.

        Parameters
        ----------
        which : ndarray of int, shape (n,), optional
            Positions in ``candidates``; all by default.

        Returns
        -------
        ndarray of shape (n_candidates, n_classes), or (n, n_classes)
        """
        rows = self.candidates if which is None else self.candidates[which]
        return self.centre().predict_proba(self.rows(rows))

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

    def cosines(self, which: np.ndarray, others: np.ndarray | None = None) -> np.ndarray:
        """Cosines between rows of the pool in the space of the kernel.

        Parameters
        ----------
        which : ndarray of int, shape (n,)
        others : ndarray of int, shape (m,), optional
            The same rows if not given.

        Returns
        -------
        ndarray of shape (n, m)
            Zero for rows without a direction.
        """
        centre = self.centre(multi_class="ovr")
        others = which if others is None else others
        if centre.kernel == "precomputed":
            values: Any = self.pool.X[which][:, others]
        else:
            known = (centre.kernel, centre.kernel_params_)
            values = gram(self.pool.X[which], self.pool.X[others], known[0], **known[1])
        values = values.toarray() if sp.issparse(values) else values
        norms = self.pool.norms(centre)
        return (values + float(bool(centre.fit_intercept))) / norms[which, None] / norms[others]

    def _is_model(self, asked: dict[str, str]) -> bool:
        """Whether the classifier is the geometry with other parameters, fitted."""
        if type(self.model) is not type(self.geometry):
            return False
        mine, wanted = vars(self.model), {**self.geometry.get_params(deep=False), **asked}
        return all(mine[name] is one or mine[name] == one for name, one in wanted.items())

    def _fit(self, asked: dict[str, str]) -> BayesPointClassifier:
        centre = clone(self.geometry).set_params(**asked)
        return centre.fit(self.rows(self.labelled), self.y)


def validate_rows(learner: Any, estimator: Any, X: Any, *, reset: bool = True) -> Any:
    """Rows as a classifier takes them.

    Parameters
    ----------
    learner : object
        Stores the number and names of the columns.
    estimator : object
        The classifier. A `uneven.BayesPointClassifier` takes numbers; another one gets frames and
        texts as they are, and NaN if its tags allow it or it is a pipeline.
    X : object
        As the user gave it.
    reset : bool, default=True
        Whether to store the columns or to compare them with the stored ones.
    """
    own = isinstance(estimator, BayesPointClassifier)
    if not own and (_is_frame(X) or _holds_text(X)):
        X = X if _is_frame(X) else np.asarray(X, dtype=object)
        validate_data(learner, X, reset=reset, skip_check_array=True)
        if len(X) and not _first_text(X):
            holes = "allow-nan" if takes_nan(estimator) else True
            check_array(X, dtype=np.float64, ensure_all_finite=holes)
        if not len(X):
            raise ValueError("Found array with 0 sample(s): there are no rows.")
        return X
    holes = "allow-nan" if not own and takes_nan(estimator) else True
    rules: dict[str, Any] = {"accept_sparse": "csr", "dtype": np.float64}
    try:
        return validate_data(learner, X, reset=reset, ensure_all_finite=holes, **rules)
    except ValueError as error:
        if not (own and "could not convert string" in str(error)):
            raise
        raise ValueError(
            f"{error}. A BayesPointClassifier, the default, takes numbers: encode the rows, or "
            "pass a classifier that takes them as they are, such as "
            "ActiveLearner(make_pipeline(TfidfVectorizer(), LogisticRegression())) for texts."
        ) from None


def takes_nan(estimator: Any) -> bool:
    """Whether a classifier takes NaN, according to its tags; pipelines may impute on the way."""
    return hasattr(estimator, "steps") or get_tags(estimator).input_tags.allow_nan


def _is_frame(X: Any) -> bool:
    return hasattr(X, "columns") and hasattr(X, "dtypes") and len(X.shape) == 2


def _holds_text(X: Any) -> bool:
    """Whether a list, a column or an array holds text."""
    is_column = hasattr(X, "to_numpy") and not _is_frame(X)
    if not is_column and not isinstance(X, list | tuple | np.ndarray):
        return False
    if isinstance(X, np.ndarray) and X.dtype.kind not in "OUT":
        return False
    return any(isinstance(value, str) for value in np.asarray(X, dtype=object).ravel())


def _first_text(given: Any) -> str:
    """What kind of text there is, if any."""
    if _is_frame(given):
        texts = [name for name in given.columns if holds_words(given, name)]
        return f"column {texts[0]!r} holds text or categories." if texts else ""
    return "they are texts." if _holds_text(given) else ""
