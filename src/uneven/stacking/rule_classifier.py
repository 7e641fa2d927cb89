"""Any list of classifiers, joined by a fixed or a simple rule."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from uneven.fusion.output_codes import CODES
from uneven.fusion.rules import RULES, WEIGHTED_RULES, check_member_weights, check_percent
from uneven.fusion.trained_rules import TRAINED_RULES
from uneven.fusion.weighted_rules import FixedRule, WeightedRule
from uneven.stacking.links import fit_temperature
from uneven.stacking.out_of_fold.level_one import score_members
from uneven.stacking.out_of_fold.members import FittedMember, Member, score_method
from uneven.stacking.out_of_fold.rows import StackRows
from uneven.stacking.stacked import StackedClassifier, open_members
from uneven.utils.contract import not_repeatable
from uneven.utils.model_types import check_part, check_printable, persisted
from uneven.utils.parameters import Choice, Passes, store_parameters

_PRODUCTS = ("product", "weighted_product")


def _has_probabilities(classifier: RuleClassifier) -> bool:
    if hasattr(classifier, "rule_"):
        fixed = type(classifier.rule_) is FixedRule
        margins = any(member.method == "decision_function" for member in classifier.estimators_)
    else:
        fixed, margins = not classifier._learns(), bool(classifier._margins())
    if fixed and margins:
        raise AttributeError("predict_proba: a fixed rule of margins gives no probabilities")
    return True


@persisted("rule_classifier", role="stack")
class RuleClassifier(StackedClassifier):
    """Any list of classifiers, joined by a rule that is fixed or learns little.

    Parameters
    ----------
    estimators : list of (str, classifier), (str, classifier, columns) or (str, Member)
        The members, as in :class:`~uneven.stacking.MarginStackingClassifier`.
    rule : str, default="mean"
        Fixed: "mean", "trimmed_mean", "median", "minimum", "maximum", "product" or "majority".
        Fitted to scores of rows that the members were not fitted to: "weighted_mean",
        "weighted_product", "greedy" (ensemble selection), "nnls" (least squares with weights that
        are not negative), "mce" (minimum classification error), "decision_templates",
        "dempster_shafer", or support vector machines on all scores, "one_vs_one", "one_vs_rest"
        and "output_codes". Members without weight are dropped. See :mod:`uneven.fusion.rules`,
        :mod:`uneven.fusion.weighted_rules`, :mod:`uneven.fusion.output_codes` and
        :mod:`uneven.fusion.trained_rules`.
    weights : array-like of shape (n_members,) or None, default=None
        For the weighted rules; None takes how much better than chance each member does.
    percent : float, default=25.0
        How many members a trimmed mean leaves out at each end, rounded down.
    cv : int, splitter, iterable of splits, "prefit", ..., default=4
        Folds of the scores that a rule learns from. With "prefit" the members are fitted already,
        and the rows given to ``fit`` should be new to them. Fixed rules need no folds.
    score_method : {"auto", "predict_proba", "decision_function", "predict"}, default="auto"
        Method of the members that is used; "auto" is the first of these that a member has.
        Margins are divided by the root of the mean of their squares.
    memory : str, joblib.Memory or None, default=None
        Where trainings are kept, so that other rules need not train the members again.
    views : dict, sequence of int, "prefix" or None, default=None
        Named groups of columns that ``estimators`` may refer to; see
        :func:`uneven.views.resolve_views`.
    random_state : int, RandomState or None, default=None
        Seeds the folds, the rows and the members.
    n_jobs : int or None, default=None
        Members that are trained at the same time, through joblib. The result does not depend on it.
    verbose : int, default=0
        1 prints how many members are trained.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    names_ : list of str of length n_members
        Members that are used: all but those whose learnt weight is 0.
    estimators_ : list of FittedMember
        These, trained on all rows.
    rule_ : FixedRule, WeightedRule, DecisionTemplates, DempsterShafer or OutputCodeRule
        Joins their scores.
    temperature_ : float or None
        What scores are divided by before the softmax of :meth:`predict_proba`; None if the scores
        are probabilities already.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if ``X`` had string column names.

    See Also
    --------
    MarginStackingClassifier : learns how to join the members, and drops those that add nothing.
    LateFusionClassifier : one classifier per view, and views that may be missing.

    References
    ----------
    M. U. Sen (2011), *Max-margin stacking with group sparse regularization for classifier
    combination*, MSc thesis, Sabanci University, chapter 2.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from uneven.stacking import RuleClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(random_state=0))]
    >>> members += [(f"near{k}", KNeighborsClassifier(k)) for k in (1, 3, 5, 9)]
    >>> for rule in ("mean", "dempster_shafer"):
    ...     joined = RuleClassifier(members, rule=rule, random_state=0).fit(X[::2], y[::2])
    ...     print(rule, round(joined.score(X[1::2], y[1::2]), 2))
    mean 0.85
    dempster_shafer 0.91
    """

    _parameters: ClassVar = {
        "rule": Choice(lambda: {*RULES, *TRAINED_RULES}),
        "percent": Passes(check_percent),
    }

    rule_: Any
    estimators_: list[FittedMember]

    def __init__(
        self,
        estimators: Any,
        *,
        rule: str = "mean",
        weights: Any = None,
        percent: float = 25.0,
        cv: Any = 4,
        score_method: str = "auto",
        memory: Any = None,
        views: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        store_parameters(self, locals())

    def _learns(self) -> bool:
        """Whether the rule learns from the scores of the members."""
        return self.rule in TRAINED_RULES and self.weights is None

    def _margins(self) -> list[str]:
        """Names of the members that give margins."""
        return [
            name
            for name, member in open_members(self, self.score_method)
            if score_method(member.estimator, member.score) == "decision_function"
        ]

    def _check_together(self, n_members: int) -> None:
        if self.weights is not None:
            if self.rule not in WEIGHTED_RULES:
                raise ValueError(
                    f"rule={self.rule!r} takes no weights; those that do are "
                    f"{sorted(WEIGHTED_RULES)}."
                )
            check_member_weights(self.weights, n_members)
        if self.rule in _PRODUCTS and self._margins():
            raise ValueError(
                f"rule={self.rule!r} multiplies probabilities, but member {self._margins()[0]!r} "
                'gives margins: calibrate it, use score_method="predict", or another rule.'
            )

    def _learn(self, members: list[tuple[str, Member]], rows: StackRows, groups: Any) -> None:
        """Train the members; set up the rule, and what turns its scores into probabilities."""
        prefit = isinstance(self.cv, str) and self.cv == "prefit"
        cv = self.cv if prefit or self._learns() else "resubstitution"
        level = self._ask_members(members, rows, cv, groups, finish=not self._learns())
        self.temperature_ = None
        if not self._learns():
            self.names_, self.estimators_ = level.names, level.members
            weights = None
            if self.weights is not None:
                weights = check_member_weights(self.weights, len(level.names))
            self.rule_ = FixedRule(self.rule, weights, float(self.percent))
            return
        self.rule_ = TRAINED_RULES[self.rule]().fit(level.scores, level.y, level.share)
        means = isinstance(self.rule_, WeightedRule) and self.rule_.rule == "weighted_mean"
        distances = self.rule in ("decision_templates", *CODES)
        if distances or (means and self._margins()):
            scores = self.rule_.scores(level.scores)
            self.temperature_ = fit_temperature(scores, level.y, level.share)
        kept = np.ones(len(level.names), dtype=bool)
        if isinstance(self.rule_, WeightedRule):
            kept = np.asarray(self.rule_.weights) > 0.0
            self.rule_.weights = np.asarray(self.rule_.weights)[kept]
        self.names_ = [name for name, stays in zip(level.names, kept) if stays]
        self.estimators_ = self._finish_members(level, kept)

    def _scores(self, X: Any) -> np.ndarray:
        """Scores of the classes by the rule, shape (n_samples, n_classes)."""
        check_is_fitted(self, "rule_")
        X = self._validate_again(X)
        said = score_members(self.estimators_, X, n_jobs=self.n_jobs)
        return np.asarray(self.rule_.scores(said))

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Shares of the scores; of templates, machines and means of margins, their softmax.

        Fixed rules of members that give margins have no probabilities.

        Parameters
        ----------
        X : array-like, sparse matrix, dataframe or list of texts, of n_samples rows

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Even where every class has the score 0.
        """
        check_is_fitted(self, "rule_")
        if self.temperature_ is not None:
            return super().predict_proba(X)
        scores = self._scores(X)
        scores[~scores.any(axis=1)] = 1.0
        return np.asarray(scores / scores.sum(axis=1, keepdims=True))

    @classmethod
    def _test_instances(cls) -> list[Any]:
        from sklearn.naive_bayes import GaussianNB
        from sklearn.tree import DecisionTreeClassifier

        members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=3))]

        return [
            cls(members, rule="median", cv=None),
            (
                cls(members, rule="dempster_shafer", cv=2),
                not_repeatable("folds are numbered after rows of weight zero have been left out"),
            ),
        ]

    def _check_model_(self) -> None:
        """Refuse loaded members that do not fit the rule by which they are joined."""
        check_printable(self.names_, "members")
        n_members, n_classes = len(self.estimators_), len(self.classes_)
        if n_members != len(self.names_) or not n_members:
            raise ValueError(f"it has {n_members} members, but {len(self.names_)} names")
        self._check_members(self.names_)
        refusal = "its members are joined by a {}"
        check_part("rule", self.rule_, n_members, n_classes, refusal=refusal)
