"""Late fusion: one classifier per view, joined by a fixed rule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from uneven.fusion.forest_logistic import ForestLogisticClassifier
from uneven.fusion.per_view import PUBLISHED, fit_members, validate_rows, view_scores
from uneven.fusion.rules import RULES, WEIGHTED_RULES, check_percent, join_scores
from uneven.utils.contract import TWO_VIEWS
from uneven.utils.docstrings import documented
from uneven.utils.estimators import align_margins, align_probabilities, check_margins
from uneven.utils.model_types import (
    UnknownPartError,
    check_columns,
    check_numbers,
    check_part,
    check_range,
    check_whole,
    persisted,
)
from uneven.utils.parallel import thread_pool
from uneven.utils.parameters import (
    Flag,
    Jobs,
    Maybe,
    check_choice,
    check_parameters,
    store_parameters,
)
from uneven.utils.validation import whole_or_nothing
from uneven.views.training_rows import TrainingRows, validate_predict_data
from uneven.voters import EstimatorVoter
from uneven.votes import Term, Vote
from uneven.votes.vote import VoteClassifier

AUTO = "auto"
_METHOD = {"votes": "predict", "scores": "predict_proba", "margins": "decision_function"}
_JOINED = {
    "votes": {"sum", "mean", "majority", "weighted_mean"},
    "scores": {"sum", *RULES, *WEIGHTED_RULES},
    "margins": {"sum", *RULES, *WEIGHTED_RULES} - {"product", "weighted_product"},
}


def check_joining(combine: Any, rule: Any, percent: Any) -> None:
    """Refuse rules that cannot combine the output of the views.

    Parameters
    ----------
    combine : {"votes", "scores", "margins"}
        Output of the views.
    rule : str
        How it is joined.
    percent : float
        What a trimmed mean leaves out at each end.
    """
    check_choice("combine", combine, _METHOD)
    check_choice("rule", rule, _JOINED["scores"])
    check_percent(percent)
    if rule not in _JOINED[combine]:
        raise ValueError(
            f"rule={rule!r} cannot join combine={combine!r}: choose one of "
            f'{sorted(_JOINED[combine])}, or combine="scores".'
        )


def _has_shares(classifier: LateFusionClassifier) -> bool:
    if getattr(classifier, "combine_", classifier.combine) == "margins":
        raise AttributeError('predict_proba: combine="margins" has no probabilities')
    return True


@persisted("late_fusion", role="classifier")
@documented
class LateFusionClassifier(VoteClassifier):
    """Late fusion: one classifier per view, whose predictions are combined by a rule.

    A clone of ``estimator`` is fitted to each view, on the rows that have the view. With the
    default settings it is a forest and a logistic regression, the probabilities of the views that
    are present are multiplied, and the prediction is the class with the largest ratio to its
    training frequency. ``LateFusionClassifier("published")`` is the majority vote of one tree per
    view (also
    known as MV-MV).

    Parameters
    ----------
    {parameters}
    estimator : classifier, mapping of view name to classifier, "published" or None, default=None
        None, and views that a mapping does not name, get a
        :class:`~uneven.fusion.forest_logistic.ForestLogisticClassifier`; "published" is a fully
        grown decision tree for each view.
    combine : {"auto", "votes", "scores", "margins"}, default="auto"
        What is combined: predicted classes, ``predict_proba``, or ``decision_function``. "auto" is
        "scores" if
        all classifiers have probabilities, else "votes"; for "published", "votes". The margin of a
        two-class model counts half for one class and half against the other; margins of pairs of
        classes are refused. With margins there is no ``predict_proba``.
    rule : str, default="auto"
        How it is combined: "sum", or a rule of :mod:`uneven.fusion.rules` among the views that are
        present. These are "mean", "trimmed_mean", "median", "minimum", "maximum", "majority",
        "product", "weighted_mean" and "weighted_product". Margins have no products; votes have only
        "sum", "mean", "majority" and "weighted_mean". "auto" is "product" (with ``weights``,
        "weighted_product") for the probabilities of ``estimator=None``, else "sum".
    weights : None, "accuracy" or array-like of shape (n_views,), default=None
        Weight of each view: 1 for all, its accuracy in five-fold cross-validation, or the numbers
        given. For the sum and the weighted rules only.
    percent : float, default=25.0
        Percentage of the present views that a trimmed mean leaves out at each end, rounded down.
    normalise : bool, default=False
        Only for margins: divide those of a view by their scale, which is the sum of its vote
        weights for a classifier of this library, and the mean absolute margin of its training
        rows for others. Sums of boosted votes are usually not normalised: a view that learned
        little then has little influence.
    divide_by_prior : bool or None, default=None
        Only for probabilities: predict the class whose combined probability is the largest multiple
        of its training frequency, so that rare classes are found; ``predict_proba`` is unchanged.
        None does so with ``estimator=None``: other classifiers may use class weights themselves.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    estimators_ : list of classifier or None
        One per view, trained on class indices; None for a view whose training rows have fewer than
        two classes.
    combine_, rule_ : str
        What is combined, and how.
    percent_ : float
        What a trimmed mean leaves out.
    divides_by_prior_ : bool
        Whether probabilities are divided by the class frequencies.
    weights_ : ndarray of shape (n_views,)
        Weight of each view, divided by the scale of its margins with ``normalise``.
    vote_ : Vote
        The predictions of the views as a vote; what :meth:`explain` describes, whatever is
        combined. A view weighs its factor, times the scale of its margins where these are added up
        as they are. The share of a view is divided among its columns as its classifier explains it,
        if that is one of this library, and evenly otherwise.
    class_prior_ : ndarray of shape (n_classes,)
        Class frequencies in training.
    views_ : ViewMap
        The resolved views.

    See Also
    --------
    EarlyFusionClassifier : one classifier for the features of all views.
    CarakoClassifier : weights that are learned, for each class.

    Notes
    -----
    A view abstains in rows in which it is missing; for a row without any view the most frequent
    class is predicted, see :meth:`undecided`. A class that is absent from the training rows of a
    view gets the smallest score of the view in the row (0 for ``predict_proba``).

    Examples
    --------
    >>> from sklearn.model_selection import train_test_split
    >>> from uneven import ComboClassifier, LateFusionClassifier
    >>> from uneven.datasets import make_imbalanced_views
    >>> data = make_imbalanced_views(600, random_state=0)
    >>> X, X_new, y, y_new = train_test_split(data.data, data.target, random_state=0)
    >>> boosted = ComboClassifier(n_estimators=30, max_depth=1)
    >>> margins = LateFusionClassifier(boosted, combine="margins", views=data.views).fit(X, y)
    >>> trees = LateFusionClassifier("published", views=data.views, random_state=0).fit(X, y)
    >>> bool(margins.score(X_new, y_new) > trees.score(X_new, y_new))
    True
    >>> late = LateFusionClassifier(views=data.views, random_state=0).fit(X, y)
    >>> late.combine_, late.rule_, bool(late.score(X_new, y_new) > trees.score(X_new, y_new))
    ('scores', 'product', True)
    """

    divides_by_prior_: bool = False
    _parameters: ClassVar = {
        "divide_by_prior": Maybe(Flag()),
        "n_jobs": Jobs(),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        combine: str = AUTO,
        rule: str = AUTO,
        weights: Any = None,
        percent: float = 25.0,
        normalise: bool = False,
        divide_by_prior: bool | None = None,
        views: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        store_parameters(self, locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train one classifier per view.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            NaN is a missing value; a row in which a whole view is NaN is not shown to that view.
            Other NaN are passed on to the classifiers.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            Passed on to the classifiers. Rows of weight zero are left out.

        Returns
        -------
        self : object
        """
        self._check_parameters()
        with whole_or_nothing(self), thread_pool(self.n_jobs) as pool:
            rows = validate_rows(self, X, y, sample_weight)
            n_classes, self.percent_ = len(rows.classes), float(self.percent)
            rng = check_random_state(self.random_state)
            given = self._learners(rows)
            members = fit_members(given, rows, rng, pool)
            self._settle(members)
            self._check_method(members, rows)
            self.estimators_ = [None if m is None else m.estimator for m in members]
            weights = self._given_weights(given, rows, rng, pool)
            scales = self._scales(members, rows)
            self.weights_ = (
                weights / np.where(scales > 0.0, scales, 1.0) if self.normalise else weights
            )
            vote_weights = weights if self.normalise else weights * scales
            terms = [
                Term(member, np.full(n_classes, vote_weights[j]), j)
                for j, member in enumerate(members)
                if member is not None
            ]
            self.vote_ = Vote(terms, [len(terms)], n_classes, rows.views)
        return self

    def _check_parameters(self) -> None:
        """Refuse parameters that are wrong, or do not go together."""
        check_parameters(self)
        check_choice("combine", self.combine, (AUTO, *_METHOD))
        check_choice("rule", self.rule, (AUTO, *_JOINED["scores"]))
        combine = "scores" if self.combine == AUTO else self.combine
        check_joining(combine, "sum" if self.rule == AUTO else self.rule, self.percent)
        if self.weights is not None and self.rule not in (AUTO, "sum", *WEIGHTED_RULES):
            raise ValueError(
                f"rule={self.rule!r} makes no use of weights: leave them out, or choose one of "
                f"{['sum', *sorted(WEIGHTED_RULES)]}."
            )
        if self.normalise and self.combine != "margins":
            raise ValueError(f'normalise=True needs combine="margins", not {self.combine!r}.')
        if self.divide_by_prior and self.combine not in (AUTO, "scores"):
            raise ValueError(f'divide_by_prior=True needs combine="scores", not {self.combine!r}.')

    def _learners(self, rows: TrainingRows) -> dict[str, Any]:
        """Classifier of each view."""
        if isinstance(self.estimator, str) and self.estimator == PUBLISHED:
            return dict.fromkeys(rows.views.names, DecisionTreeClassifier())
        given = rows.views.deal("estimator", self.estimator)
        default = ForestLogisticClassifier()
        return {v: default if one is None else one for v, one in zip(rows.views.names, given)}

    def _settle(self, members: list[EstimatorVoter | None]) -> None:
        """Choose what is combined, how, and whether scores are divided by class frequencies."""
        published = isinstance(self.estimator, str)
        models = [member.estimator for member in members if member is not None]
        has_shares = not published and all(hasattr(m, "predict_proba") for m in models)
        automatic = "scores" if has_shares else "votes"
        self.combine_ = automatic if self.combine == AUTO else self.combine
        is_own = self.estimator is None and self.combine_ == "scores"
        product = "product" if self.weights is None else "weighted_product"
        automatic = product if is_own else "sum"
        self.rule_ = automatic if self.rule == AUTO else self.rule
        check_joining(self.combine_, self.rule_, self.percent)
        divide = self.divide_by_prior
        self.divides_by_prior_ = is_own if divide is None else bool(divide)
        if self.divides_by_prior_ and self.combine_ != "scores":
            raise ValueError("divide_by_prior=True needs classifiers with predict_proba.")

    def _check_method(self, members: list[EstimatorVoter | None], rows: TrainingRows) -> None:
        needed = _METHOD[self.combine_]
        for j, member in enumerate(members):
            if member is None:
                continue
            if not hasattr(member.estimator, needed):
                raise ValueError(
                    f"combine={self.combine_!r} needs classifiers with {needed}; "
                    f"{type(member.estimator).__name__} has none."
                )
            if self.combine_ == "margins":
                one = rows.X[np.flatnonzero(rows.view_mask[:, j])[:1]][:, member.columns]
                check_margins(member.estimator, member.estimator.decision_function(one))

    def _given_weights(
        self, learners: dict[str, Any], rows: TrainingRows, rng: Any, pool: Any
    ) -> np.ndarray:
        n_views = len(rows.views)
        if self.weights is None:
            return np.ones(n_views)
        if isinstance(self.weights, str):
            check_choice("weights", self.weights, ("accuracy",))
            return np.nan_to_num(view_scores(learners, rows, rng, pool))
        weights = np.array(self.weights, dtype=np.float64)
        if weights.shape != (n_views,):
            raise ValueError(
                f"weights has shape {weights.shape}, but there are {n_views} views "
                f"({list(rows.views.names)}): give one number for each."
            )
        if not np.isfinite(weights).all() or (weights < 0.0).any() or not weights.any():
            raise ValueError(
                f"weights must be finite, >= 0 and not all zero; got {weights.tolist()}."
            )
        return weights

    def _scales(self, members: list[EstimatorVoter | None], rows: TrainingRows) -> np.ndarray:
        """How large the margins of each view are, shape (n_views,); 1 if others are added up."""
        scales = np.ones(len(members))
        for j, member in enumerate(members):
            if self.combine_ != "margins" or member is None:
                continue
            if isinstance(member.estimator, VoteClassifier):
                scale = member.estimator.vote_.weights.max(axis=1).sum()
            else:
                here = np.flatnonzero(rows.view_mask[:, j])
                table = rows.X[here][:, member.columns]
                scale = np.abs(member.estimator.decision_function(table)).mean()
            scales[j] = max(0.0, scale)
        return scales

    def _scores(self, X: Any) -> np.ndarray:
        """Scores that predictions are chosen by; shape (n_samples, n_classes)."""
        scores = self._together(X)
        return np.asarray(scores / self.class_prior_ if self.divides_by_prior_ else scores)

    def _together(self, X: Any) -> np.ndarray:
        """Combined output of the views; shape (n_samples, n_classes)."""
        check_is_fitted(self, "vote_")
        if (self.combine_, self.rule_) == ("votes", "sum"):
            return super()._scores(X)
        X = validate_predict_data(self, X)
        return self._sum(X) if self.rule_ == "sum" else self._joined(X)

    def _sum(self, X: Any) -> np.ndarray:
        scores = np.zeros((X.shape[0], len(self.classes_)))
        for j, here, opinion in self._opinions(X):
            scores[here] += self.weights_[j] * opinion
        return scores

    def _joined(self, X: Any) -> np.ndarray:
        said = np.full((X.shape[0], len(self.estimators_), len(self.classes_)), np.nan)
        weighted = self.rule_ in WEIGHTED_RULES
        for j, here, opinion in self._opinions(X):
            said[here, j] = opinion if weighted else self.weights_[j] * opinion
        return join_scores(said, self.rule_, self.weights_ if weighted else None, self.percent_)

    def _opinions(self, X: Any) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Position of each view, the rows that have it, and its scores (n_rows, n_classes)."""
        present = self.views_.presence(X)
        for j, estimator in enumerate(self.estimators_):
            here = np.flatnonzero(present[:, j])
            if estimator is not None and len(here):
                table = X[here][:, self.views_.columns[j]]
                yield j, here, self._opinion(estimator, table)

    def _opinion(self, estimator: Any, table: Any) -> np.ndarray:
        """Output of one view for some rows, shape (n_rows, n_classes)."""
        values = getattr(estimator, _METHOD[self.combine_])(table)
        if self.combine_ == "votes":
            return np.asarray(np.asarray(values)[:, None] == np.arange(len(self.classes_)), float)
        place = align_margins if self.combine_ == "margins" else align_probabilities
        return place(values, estimator.classes_, len(self.classes_))

    @available_if(_has_shares)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Share of what is joined that each class receives; not for margins.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to 1; the training class frequencies where no view is there.
        """
        return self._probabilities(self._together(X))

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [
            cls("published"),
            cls(DecisionTreeClassifier(), views=TWO_VIEWS, n_jobs=2),
            cls(DecisionTreeClassifier(), rule="product", views=TWO_VIEWS),
        ]

    def _check_model_(self) -> None:
        """Refuse loaded classifiers of views that do not fit where they predict or vote."""
        self._check_fit()
        views, n_classes = self.views_, len(self.classes_)
        check_numbers(self.weights_, (len(views),), "weights of the views")
        check_joining(self.combine_, self.rule_, self.percent_)
        if len(self.estimators_) != len(views):
            raise ValueError(
                f"there are {len(self.estimators_)} classifiers for {len(views)} views"
            )
        for columns, member in zip(views.columns, self.estimators_):
            if member is not None:
                _check_member(member, columns, n_classes)
        if type(self.vote_) is not Vote:
            raise ValueError(f"a {type(self.vote_).__name__} stands where a vote should be")
        for term in self.vote_._check_terms(self):
            if type(term.voter) is not EstimatorVoter or term.view < 0:
                raise ValueError("its vote holds a term that is not the classifier of a view")
            check_columns(term.voter.columns, self.n_features_in_, views.names[term.view])
            check_numbers(term.voter.reach, (n_classes,), "rates of correct predictions")
            if not np.array_equal(term.voter.columns, views.columns[term.view]):
                raise ValueError("the classifier of a view reads the columns of another")
            _check_member(term.voter.estimator, term.voter.columns, n_classes)


def _check_member(member: Any, columns: np.ndarray, n_classes: int) -> None:
    """Refuse a loaded classifier of a view that is not known there or reads other columns."""
    refusal = "a view is classified by a {}, which is not known"
    plain = type(member) is not LateFusionClassifier and isinstance(member, VoteClassifier)
    if not plain and type(member) is not ForestLogisticClassifier:
        raise UnknownPartError(refusal.replace("{}", type(member).__name__))
    if member.n_features_in_ != len(columns):
        raise ValueError(
            f"a view of {len(columns)} columns is classified by {member.n_features_in_}"
        )
    check_whole(member.classes_, "classes of a view")
    check_range(member.classes_, n_classes, "class")
    check_part("classifier", member, refusal=refusal)
