"""Stacking with sparse weights: many classifiers are joined, and few are kept."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from uneven.stacking.model.problem import LinearCombiner
from uneven.stacking.out_of_fold.given_scores import given_level_one
from uneven.stacking.out_of_fold.level_one import LevelOne, score_members
from uneven.stacking.out_of_fold.members import Member
from uneven.stacking.out_of_fold.rows import StackRows, count_rows
from uneven.stacking.passthrough import PassedInputs, check_passthrough, pass_inputs
from uneven.stacking.solvers.solve import (
    SelectionPath,
    check_strengths,
    solve_path,
    strength_for,
)
from uneven.stacking.solvers.strength_choice import JUDGING, choose_strength
from uneven.stacking.stack_combiner import StackCombiner
from uneven.stacking.stack_options import CONSTRAINED, OPTIONS, PUBLISHED, check_together
from uneven.stacking.stacked import StackedClassifier
from uneven.utils.contract import not_repeatable
from uneven.utils.docstrings import described
from uneven.utils.model_types import (
    check_numbers,
    check_part,
    check_printable,
    check_shares,
    check_size,
    persisted,
)
from uneven.utils.parameters import Flag, Maybe, store_parameters
from uneven.utils.validation import fitted_attributes

_NOT_POSED = (*JUDGING, "strengths")
_KEPT_BYTES = 100_000_000


@persisted("margin_stacking", role="stack")
@described(OPTIONS)
class MarginStackingClassifier(StackedClassifier):
    r"""Stacking that learns how to join many classifiers, and drops those that add nothing.

    Every member scores rows that it did not learn from (level-1 scores, by cross-validation). A
    linear combination of these scores is then learnt by minimising

    ``mean_i loss(r(x_i), y_i) + strength * R(w)``

    The group penalty puts all weights of a member to zero at once: such a member is dropped, not
    fitted on all rows, and not used by ``predict``. The source takes the hinge of the margin
    between the right class and the best wrong one for the loss; :meth:`as_published` does that. The
    default, least squares with some squared weights in the penalty, measured better. Its
    probabilities are averaged, geometrically, with those of a log-linear pool of the kept members.

    Parameters
    ----------
    estimators : list of (str, classifier), (str, classifier, columns) or (str, Member)
        The members. ``columns`` are what a member reads: names, positions, a slice, a mask, or the
        name of one of the ``views``. :class:`~uneven.stacking.Member` can also limit the rows.
    {parameters}
    passthrough : bool, columns or names of views, default=False
        Columns of ``X`` that are combined with the scores; True is all of them. Each is
        standardised and has weights for all classes, which the group penalty drops together; a
        missing value counts as the mean. ``max_members`` counts them, too.
    cv : int, splitter, iterable of splits, "prefit", ..., default="auto"
        Folds of the level-1 scores. "auto" is 4; above 50 000 rows a fifth of them is held out
        instead, and no member is trained twice. With "prefit" the members are fitted already (they
        need no ``fit`` then), and the rows given to ``fit`` should be new to them. See
        :func:`~uneven.stacking.level_one`.
    class_weight : dict, "balanced" or None, default=None
        How much the rows of a class count when weights are learnt and strengths are evaluated;
        "balanced" counts all classes alike. Members have their own ``class_weight``.
    score_method : {"auto", "predict_proba", "decision_function", "predict"}, default="auto"
        Method of the members that is used; "auto" is the first of these that a member has.
    memory : str, joblib.Memory or None, default=None
        Where level-1 scores are kept, so that fits with other strengths need not train the members
        again.
    keep_level_one : bool or None, default=None
        Keep the level-1 scores on the fitted classifier, for :meth:`path` and
        :meth:`strength_for`. They take 8 bytes per row, member and class; None keeps them up to
        100 MB.
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
    names_, selected_ : list of str
        Names of all members, and of those that are kept, in their order; with ``passthrough``
        columns follow, as "input" and their name or position.
    selected_mask_ : ndarray of bool, shape (n_members,)
    estimators_ : list of FittedMember
        The kept members, trained on all rows.
    inputs_ : PassedInputs
        The kept columns; only if ``passthrough`` kept any.
    combiner_ : LinearCombiner, PooledCombiner or KernelCombiner
        Joins the scores of the kept members.
    coef_ : ndarray of shape (n_members, width)
        Weights of all members; zero for those that were dropped. Not with a kernel.
    intercept_ : ndarray of shape (n_classes,) or (0,)
        Only "lsg" has any. Not with a kernel.
    combination_ : str
    strength_ : float
        Strength of the penalty that chose the members.
    gamma_, degree_ : float, int or None
        Of the kernel, if there is one.
    refit_strength_ : float
        Of the second stage of ``select_then_refit``.
    cv_results_ : dict of str to ndarray of shape (n_strengths,)
        ``strength``, ``mean_error``, ``std_error``, ``mean_loss`` and ``n_selected``.
    refit_cv_results_ : dict of str to ndarray
        The same for the second stage of ``select_then_refit``. Its errors are too low: the members
        were chosen with the labels of all rows, also of those that are held out here.
    floor_, temperature_ : float or None, float
        How scores become the probabilities of :meth:`predict_proba`; see
        :func:`uneven.stacking.links.link_probabilities`. With a log-linear pool: None and 1.
    seconds_ : ndarray of shape (n_members,)
        Processor time that each member took to score 1000 rows while level-1 scores were made.
    class_prior_ : ndarray of shape (n_classes,)
        Class frequencies in training.
    member_share_ : ndarray of shape (n_members, n_classes)
        How much the weighted sum of a class moves with the score of a member; see :meth:`explain`.
    level_one_ : LevelOne
        Level-1 ``scores`` of shape (n_samples, n_members, n_classes), their ``y`` and ``share``.
        Only with ``keep_level_one``.
    options_ : dict of str to object
        How the combination was fitted and evaluated, for :meth:`path` and :meth:`strength_for`. Not
        with a kernel.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if ``X`` had string column names.

    References
    ----------
    M. U. Şen (2011), *Max-margin stacking with group sparse regularization for classifier
    combination*, MSc thesis, Sabanci University.
    D. Wolpert (1992), *Stacked generalization*.

    Notes
    -----
    Corrections of the source: level-1 scores are computed for all rows of a fold, not only for
    those that a member was trained on; squared losses aim at 0 and 1, since weighted sums without
    constants cannot reach -1 and 1; among equally good strengths the largest is taken.

    If the penalty is so strong that no member is left, there is a warning, and every row gets the
    class frequencies.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from uneven import MarginStackingClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(random_state=0))]
    >>> members += [(f"near{k}", KNeighborsClassifier(k)) for k in (1, 3, 5, 9)]
    >>> stack = MarginStackingClassifier(members, random_state=0).fit(X[::2], y[::2])
    >>> len(stack.selected_) < len(stack.names_)
    True
    >>> stack.score(X[1::2], y[1::2]) > 0.9
    True
    """

    _parameters: ClassVar = CONSTRAINED | {"keep_level_one": Maybe(Flag())}

    def __init__(
        self,
        estimators: Any,
        *,
        combination: str = "cws",
        loss: str = "squared",
        penalty: str = "group",
        elastic: float | None = None,
        constraint: str = "none",
        strength: float | str = "cv",
        strengths: Any = None,
        judge: str = "loss",
        cv: Any = "auto",
        inner_cv: Any = 5,
        tie: str = "largest",
        slack: float = 0.5,
        class_weight: Any = None,
        select_then_refit: bool = False,
        member_cost: Any = None,
        max_members: int | None = None,
        time_budget: float | None = None,
        log_pool: bool | None = None,
        passthrough: Any = False,
        kernel: str | None = None,
        gamma: float | None = None,
        degree: int | None = None,
        solver: str = "auto",
        tol: float = 1e-5,
        score_method: str = "auto",
        memory: Any = None,
        keep_level_one: bool | None = None,
        views: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        store_parameters(self, locals())

    @classmethod
    def as_published(cls, estimators: Any, **options: Any) -> MarginStackingClassifier:
        """The method of the source: hinge loss, group penalty, its twelve strengths, two folds.

        Parameters
        ----------
        estimators : list
            The members.
        **options
            Of the constructor, in addition to those of the source or instead of them.

        Returns
        -------
        MarginStackingClassifier
            Not fitted.

        Examples
        --------
        >>> from sklearn.naive_bayes import GaussianNB
        >>> MarginStackingClassifier.as_published([("bayes", GaussianNB())], cv=2).loss
        'hinge'
        """
        return cls(estimators, **(PUBLISHED | options))

    def _check_together(self, n_members: int) -> None:
        check_together(self)
        check_passthrough(self)

    def _learn(self, members: list[tuple[str, Member]], rows: StackRows, groups: Any) -> None:
        """Compute the level-1 scores of the members, and fit the combination to them."""
        weigh_classes(rows.share, rows.y, rows.classes, self.class_weight)
        self._learn_from(self._ask_members(members, rows, self.cv, groups, finish=False), rows)

    def fit_scores(
        self,
        X: Any,
        y: Any,
        scores: Any,
        *,
        rows: Any = None,
        seconds: Any = None,
        fitted: Collection[str] = (),
    ) -> Self:
        """Learn from out-of-fold scores that are known already, as of ``cross_val_predict``.

        No member is trained for level-1 scores; those that are kept are trained on all rows, unless
        they are fitted already. ``cv`` is not used.

        Parameters
        ----------
        X : array-like, sparse matrix, dataframe or list of texts, of n_samples rows
        y : array-like of shape (n_samples,)
            Class labels.
        scores : array-like of shape (n_rows, n_members, n_classes)
            Out-of-fold predictions of each member: probabilities, or margins
            (one per class) where a member has no probabilities; classes in sorted order.
        rows : array-like of int, shape (n_rows,), optional
            Which rows of ``X`` these are; all of them by default.
        seconds : array-like of shape (n_members,), optional
            Time that each member takes to score 1000 rows; for ``member_cost`` and ``time_budget``.
        fitted : collection of str
            Members whose classifiers are fitted to all rows already; they are used as they are.

        Returns
        -------
        self : object

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.datasets import load_wine
        >>> from sklearn.model_selection import cross_val_predict
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from uneven import MarginStackingClassifier
        >>> X, y = load_wine(return_X_y=True)
        >>> models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}
        >>> said = [cross_val_predict(m, X, y, method="predict_proba") for m in models.values()]
        >>> stack = MarginStackingClassifier(list(models.items()), random_state=0)
        >>> stack.fit_scores(X, y, np.stack(said, axis=1)).selected_
        ['bayes', 'tree']
        """
        known = {"rows": rows, "seconds": seconds, "fitted": fitted}
        return self._fit_by(partial(self._learn_known, scores=scores, **known), X, y, None)

    def _learn_known(
        self, members: list[tuple[str, Member]], table: StackRows, **known: Any
    ) -> None:
        """Learn from known scores."""
        known |= {"views": self.views, "random_state": self.random_state}
        self._learn_from(given_level_one(members, table, **known), table)

    def _learn_from(self, level: LevelOne, rows: StackRows) -> None:
        """Learn the combination from level-1 scores, and train the members that are kept."""
        share = weigh_classes(level.share, level.y, rows.classes, self.class_weight)
        level, n_members = replace(level, share=share), len(level.names)
        inputs = None
        if self.passthrough is not None and self.passthrough is not False:
            level, inputs = pass_inputs(level, rows.X, self.passthrough, self.views)
        self.names_ = level.names
        self.class_prior_ = np.bincount(rows.y, rows.share, len(rows.classes))
        self._combine(level)
        mask = self.selected_mask_
        self.estimators_ = self._finish_members(level, mask[:n_members])
        if inputs is not None and mask[n_members:].any():
            self.inputs_ = inputs.restrict(mask[n_members:])
        few = level.scores.nbytes <= _KEPT_BYTES
        if few if self.keep_level_one is None else self.keep_level_one:
            self.level_one_ = replace(level, members=[], put_off=[], training=None)

    def _combine(self, level: LevelOne) -> None:
        """Learn the combination from level-1 scores; store it, and who is kept."""
        P, share = level.scores, level.share
        options = {name: getattr(self, name) for name in StackCombiner().get_params()}
        found = StackCombiner(**options).fit(P, level.y, share, level.seconds)
        for name in fitted_attributes(found):
            if name != "class_prior_":
                setattr(self, name, getattr(found, name))
        mask, self.seconds_ = found.selected_mask_, level.seconds
        self.selected_ = [name for name, kept in zip(level.names, mask) if kept]
        self.member_share_ = np.zeros((len(mask), P.shape[2]))
        if mask.any():
            kept = np.ascontiguousarray(P[:, mask])
            weighted = getattr(found.combiner_, "linear", found.combiner_)
            self.member_share_[mask] = member_shares(kept, weighted, share)

    def _scores(self, X: Any) -> np.ndarray:
        """Scores of the classes by the kept members, shape (n_samples, n_classes)."""
        check_is_fitted(self, "combiner_")
        X = self._validate_again(X)
        inputs: PassedInputs | None = getattr(self, "inputs_", None)
        said = []
        if self.estimators_:
            said.append(score_members(self.estimators_, X, n_jobs=self.n_jobs))
        if inputs is not None:
            said.append(inputs.scores(X, len(self.classes_)))
        if not said:
            return np.tile(np.log(self.class_prior_), (count_rows(X), 1))
        joined = said[0] if len(said) == 1 else np.concatenate(said, axis=1)
        return self.combiner_.scores(joined)

    def path(self, strengths: Any = None) -> SelectionPath:
        """Weights, kept members and cross-validated errors for a grid of strengths.

        Parameters
        ----------
        strengths : sequence of float, optional
            None is the grid that the classifier was fitted with, and ``strength_``.

        Returns
        -------
        SelectionPath
            Of the penalty that chose the members, as it was when they were fitted; no member is
            trained again.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.neighbors import KNeighborsClassifier
        >>> from uneven import MarginStackingClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> members = [(f"near{k}", KNeighborsClassifier(k)) for k in (1, 5, 25)]
        >>> stack = MarginStackingClassifier(members).fit(X, y)
        >>> stack.path([1e-3, 10.0]).n_selected[-1]
        np.int64(0)
        """
        level, options = self._kept_level("path")
        grid = options.pop("strengths") if strengths is None else check_strengths(strengths)
        model = {name: value for name, value in options.items() if name not in _NOT_POSED}
        P, y, share = level.scores, level.y, level.share
        combiners = solve_path(P, y, grid, share=share, **model)
        results = self.cv_results_
        if not np.array_equal(grid, results["strength"]):
            del model["tol"]
            judging = {name: options[name] for name in JUDGING}
            results = choose_strength(P, y, grid, share=share, **model, **judging).results()
        chosen = np.flatnonzero(grid == self.strength_)
        return SelectionPath(
            grid,
            combiners,
            list(self.names_),
            results["mean_error"],
            results["std_error"],
            int(chosen[0]) if len(chosen) else None,
            self.seconds_,
        )

    def strength_for(self, n_members: int) -> float:
        """Smallest strength found that keeps no more than so many members.

        Parameters
        ----------
        n_members : int

        Returns
        -------
        float
            To be given as ``strength`` to another fit; see
            :func:`uneven.stacking.solvers.solve.strength_for`.
        """
        level, options = self._kept_level("strength_for")
        model = {name: value for name, value in options.items() if name not in _NOT_POSED}
        found, _ = strength_for(level.scores, level.y, n_members, share=level.share, **model)
        return found

    def explain(self) -> MemberShares:
        """Which member supports which class.

        Returns
        -------
        MemberShares
            From the level-1 scores; no data is needed.
        """
        check_is_fitted(self, "combiner_")
        return MemberShares(
            list(self.names_), self.classes_, self.selected_mask_, self.member_share_
        )

    def _kept_level(self, method: str) -> tuple[LevelOne, dict[str, Any]]:
        """Level-1 scores of the fit, and a copy of the options it was done with."""
        check_is_fitted(self, "combiner_")
        if not hasattr(self, "coef_"):
            raise ValueError(f"{method}: with a kernel no member is ever dropped.")
        if not hasattr(self, "level_one_"):
            raise ValueError(f"{method} needs level-1 scores: fit with keep_level_one=True.")
        return self.level_one_, self.options_ | {"n_jobs": self.n_jobs}

    @classmethod
    def _test_instances(cls) -> list[Any]:
        from sklearn.naive_bayes import GaussianNB
        from sklearn.tree import DecisionTreeClassifier

        members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=3))]

        return [
            (
                instance,
                not_repeatable("folds are numbered after rows of weight zero have been left out"),
            )
            for instance in (
                cls(members, strengths=[0.01, 0.1], cv=2),
                cls(members, combination="lsg", loss="squared", penalty="l2", strength=0.01, cv=2),
            )
        ]

    def _check_model_(self) -> None:
        """Refuse loaded members and a combiner that do not fit together."""
        check_shares(self.class_prior_, len(self.classes_))
        check_size(self.temperature_, "its temperature is")
        check_size(self.strength_, "the strength of its penalty is")
        check_printable(self.names_, "members")
        self._check_kept()
        self._check_members(self.selected_[: len(self.estimators_)])
        given = (len(self.selected_), len(self.classes_))
        check_part("combiner", self.combiner_, *given, refusal="its members are joined by a {}")
        self._check_told()

    def _check_kept(self) -> None:
        """Refuse a loaded mask, names and members that do not agree about who is kept."""
        mask = self.selected_mask_
        if type(mask) is not np.ndarray or mask.dtype != bool or mask.shape != (len(self.names_),):
            raise ValueError("it does not say which of its members are kept")
        inputs: PassedInputs | None = getattr(self, "inputs_", None)
        if inputs is not None:
            refusal = "a {} stands where its inputs should be"
            given = (self.n_features_in_,)
            check_part("inputs", inputs, *given, refusal=refusal, error=ValueError)
        n_kept = len(self.estimators_) + (0 if inputs is None else len(inputs.columns))
        if n_kept != mask.sum():
            raise ValueError(f"it keeps {mask.sum()} members, but has {n_kept}")
        kept = [name for name, stays in zip(self.names_, mask) if stays]
        if type(self.selected_) is not list or self.selected_ != kept:
            raise ValueError(f"it says that it keeps {self.selected_!r}, not {kept!r}")

    def _check_told(self) -> None:
        """Refuse loaded shares and weights of all members that are not those of the kept ones."""
        n_members, mask, combiner = len(self.names_), self.selected_mask_, self.combiner_
        shape = (n_members, len(self.classes_))
        share = check_numbers(self.member_share_, shape, "shares of the members")
        if (share > 1.0 + 1e-9).any() or share[~mask].any():
            raise ValueError("its shares of the members are not those of the kept ones")
        if self.combination_ != combiner.combination:
            raise ValueError(
                f"its members are joined by {combiner.combination!r}, but it says other"
            )
        combiner = getattr(combiner, "linear", combiner)
        if type(combiner) is not LinearCombiner:
            return
        shape = (n_members, combiner.coef.shape[1])
        coef = check_numbers(self.coef_, shape, "weights of all members", signed=True)
        if coef[~mask].any() or not np.array_equal(coef[mask], combiner.coef):
            raise ValueError("its weights of all members are not those of the kept ones")


def weigh_classes(
    share: np.ndarray, y: np.ndarray, classes: np.ndarray, class_weight: Any
) -> np.ndarray:
    """How much rows count when some classes count more than others.

    Parameters
    ----------
    share : ndarray of shape (n_samples,)
        How much they count by themselves.
    y : ndarray of int, shape (n_samples,)
        Positions in ``classes``.
    classes : ndarray of shape (n_classes,)
    class_weight : dict of label to number, "balanced" or None
        Labels that a dict does not name count as 1.

    Returns
    -------
    ndarray of shape (n_samples,)
        Adds up to 1. With "balanced" the rows of every class have the same sum.
    """
    if class_weight is None:
        return share
    labels = classes.tolist()
    if isinstance(class_weight, str) and class_weight == "balanced":
        sums = np.bincount(y, share, len(classes))
        weights = 1.0 / np.where(sums > 0.0, sums, 1.0)
    elif isinstance(class_weight, Mapping):
        unknown = [label for label in class_weight if label not in labels]
        if unknown:
            raise ValueError(
                f"class_weight names {unknown[0]!r}, which is not among the classes {labels}."
            )
        given = [class_weight.get(label, 1.0) for label in labels]
        weights = np.asarray(given, dtype=np.float64)
    else:
        raise ValueError(f'class_weight must be a dict, "balanced" or None; got {class_weight!r}.')
    if not np.isfinite(weights).all() or (weights < 0.0).any() or not weights.any():
        raise ValueError(
            f"class_weight must be finite, >= 0 and not all zero; got {class_weight!r}."
        )
    weighed = share * weights[y]
    return np.asarray(weighed / weighed.sum())


@dataclass(frozen=True)
class MemberShares:
    """Which classifier of a stack supports which class.

    Attributes
    ----------
    names : list of str of length n_members
        All members, those that were dropped too.
    classes : ndarray of shape (n_classes,)
    selected : ndarray of bool, shape (n_members,)
    share : ndarray of shape (n_members, n_classes)
        How much the score of a class moves with the score of the member; a column sums to 1, or is
        0 if the score never moves. Dropped members have 0.
    """

    names: list[str]
    classes: np.ndarray
    selected: np.ndarray
    share: np.ndarray

    @property
    def n_dropped(self) -> int:
        """How many members ``predict`` does not need."""
        return int((~self.selected).sum())

    def __str__(self) -> str:
        """The members, the strongest first, with their mean share."""
        mean = self.share.mean(axis=1)
        order = [m for m in np.argsort(-mean, kind="stable") if self.selected[m]]
        lines = [f"{mean[m]:6.1%}  {self.names[m]}" for m in order]
        return "\n".join([*lines, f"{self.n_dropped} of {len(self.names)} members are dropped"])


def member_shares(P: np.ndarray, combiner: Any, share: np.ndarray) -> np.ndarray:
    """How much each member moves the score of each class.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_members, n_classes)
        Level-1 scores.
    combiner : LinearCombiner or KernelCombiner
        Of these members.
    share : ndarray of shape (n_samples,)
        Weights of the rows.

    Returns
    -------
    ndarray of shape (n_members, n_classes)
        The standard deviation, over the rows, of what a member adds to the score of a class (for
        a combiner that is not linear: of what is lost if the member always gives its mean), divided
        by the sum over the members.

    Examples
    --------
    >>> import numpy as np
    >>> P = np.array([[[1.0, 0.0], [0.5, 0.5]], [[0.0, 1.0], [0.5, 0.5]]])
    >>> combiner = LinearCombiner("ws", np.array([[1.0], [9.0]]), np.zeros(0))
    >>> member_shares(P, combiner, np.array([0.5, 0.5]))
    array([[1., 1.],
           [0., 0.]])
    """
    n_classes = P.shape[2]
    moves = np.zeros((P.shape[1], n_classes))
    for m in range(P.shape[1]):
        said = _contribution(P, combiner, m, share)
        moves[m] = np.sqrt(share @ (said - share @ said) ** 2)
    total = moves.sum(axis=0)
    return np.asarray(np.divide(moves, total, out=np.zeros_like(moves), where=total > 0.0))


def _contribution(P: np.ndarray, combiner: Any, member: int, share: np.ndarray) -> np.ndarray:
    """What a member adds to the scores, shape (n_samples, n_classes)."""
    if isinstance(combiner, LinearCombiner):
        alone = combiner.restrict(np.array([member]))
        return alone.scores(np.ascontiguousarray(P[:, [member]]))
    without = P.copy()
    without[:, member] = share @ P[:, member]
    return np.asarray(combiner.scores(P) - combiner.scores(without))
