"""Max-margin stacking: many classifiers, joined by margin, of which few are kept."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from uneven.stacking.composition import open_members
from uneven.stacking.entrance import enter_stack, enter_stack_again, weigh_classes
from uneven.stacking.explanation import MemberShares, member_shares
from uneven.stacking.kernel.choice import select_kernel
from uneven.stacking.model.problem import LinearCombiner
from uneven.stacking.out_of_fold.level_one import LevelOne, score_members
from uneven.stacking.out_of_fold.tables import count_rows
from uneven.stacking.parameters import (
    check_stacking,
    judging_words,
    learning_words,
    strength_grid,
)
from uneven.stacking.solvers.selection import Selection, choose_strength, select, select_then_refit
from uneven.stacking.solvers.solve import SelectionPath, check_strengths, solve_path, strength_for
from uneven.stacking.stacked import StackedClassifier
from uneven.stacking.temperature import fit_temperature
from uneven.utils.contract import not_repeatable
from uneven.utils.model_types import (
    check_numbers,
    check_part,
    check_printable,
    check_shares,
    check_size,
    persisted,
)
from uneven.utils.validation import fitted_attributes, whole_or_nothing

__all__ = ["MarginStackingClassifier"]


@persisted("margin_stacking", role="stack")
class MarginStackingClassifier(StackedClassifier):
    r"""Max-margin stacking: learn how to join many classifiers, and drop those that add nothing.

    Every member scores rows that it did not learn from (level-1 scores, by cross-validation). A
    linear combination of these scores is then learnt by minimising

    .. math:: \tfrac1I \sum_i \ell(r(x_i), y_i) + \lambda R(w)

    with the hinge loss of the margin between the right class and the best wrong one. The group
    penalty puts all weights of a member to zero at once: such a member is dropped, not fitted on
    all rows, and never asked by ``predict``.

    Parameters
    ----------
    estimators : list of (str, classifier), (str, classifier, columns) or (str, Member)
        The members. ``columns`` are what a member reads: names, positions, a slice, a mask, or the
        name of one of the ``views``. :class:`~uneven.stacking.Member` can also limit the rows.
    combination : {"ws", "cws", "lsg", "auto"}, default="cws"
        One weight per member; one per member and class; every score of every member speaks for
        every class; or whichever does best in cross-validation.
    loss : {"hinge", "squared"}, default="hinge"
    penalty : {"group", "l1", "l2"}, default="group"
        Whole members, single weights, or nothing becomes zero.
    elastic : float, default=0.0
        Squared weights in the penalties "group" and "l1", in shares of the strength: members that
        say nearly the same are then kept together. See :func:`uneven.stacking.solvers.solve.solve`.
    strength : float or "cv", default="cv"
        The factor on the penalty; "cv" takes the best one of ``strengths``.
    strengths : sequence of float, default=None
        None is the grid of the source, twelve numbers from 1e-11 to 10.
    cv : int, splitter, iterable of splits, "prefit", ..., default=4
        Folds of the level-1 scores. With "prefit" the members are fitted already, and the rows
        given to ``fit`` should be new to them.
    inner_cv : int or splitter, default=2
        Folds of the level-1 scores by which the strength is chosen.
    tie : {"largest", "smallest"}, default="largest"
        Which of several equally good strengths is taken.
    class_weight : dict, "balanced" or None, default=None
        How much the rows of a class count when weights are learnt and strengths are judged;
        "balanced" counts all classes alike. Members have a ``class_weight`` of their own.
    select_then_refit : bool, default=False
        Let the sparse penalty choose the members only, then weigh these anew with the penalty
        "l2" and a strength of its own.
    kernel : {"rbf", "poly", None}, default=None
        Combine by functions in the space of a kernel instead. Needs ``penalty="l2"``, and keeps
        all members.
    gamma, degree : float, int or None, default=None
        Of the kernel "rbf" or "poly"; None is chosen by cross-validation.
    solver : str, default="auto"
        See :func:`uneven.stacking.solvers.solve.solve`.
    tol : float, default=1e-5
        Relative precision of the objective.
    score_method : {"auto", "predict_proba", "decision_function", "predict"}, default="auto"
        What members are asked for; "auto" is the first of them that a member has.
    memory : str, joblib.Memory or None, default=None
        Where level-1 scores are kept, so that fits with other strengths need not train the members
        again.
    keep_level_one : bool, default=True
        Keep the level-1 scores on the fitted classifier, for :meth:`path` and
        :meth:`strength_for`. They take 8 bytes per row, member and class.
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
        Names of all members, and of those that are kept, in their order.
    selected_mask_ : ndarray of bool, shape (n_members,)
    estimators_ : list of FittedMember
        The kept members, trained on all rows.
    combiner_ : LinearCombiner or KernelCombiner
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
        ``strength``, ``mean_error``, ``std_error`` and ``n_selected``.
    refit_cv_results_ : dict of str to ndarray
        The same for the second stage of ``select_then_refit``. Its errors are too low: the members
        were chosen with the labels of all rows, also of those that are held out here.
    temperature_ : float
        What scores are divided by before the softmax of :meth:`predict_proba`.
    class_prior_ : ndarray of shape (n_classes,)
        Class frequencies in training.
    member_share_ : ndarray of shape (n_members, n_classes)
        How much the score of a class moves with what a member says; see :meth:`explain`.
    level_one_ : LevelOne
        Level-1 ``scores`` of shape (n_samples, n_members, n_classes), their ``y`` and ``share``.
        Only with ``keep_level_one``.
    words_ : dict of str to object
        How the combination was learnt and judged, for :meth:`path` and :meth:`strength_for`. Not
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

    classes_: np.ndarray

    def __init__(
        self,
        estimators: Any,
        *,
        combination: str = "cws",
        loss: str = "hinge",
        penalty: str = "group",
        elastic: float = 0.0,
        strength: float | str = "cv",
        strengths: Any = None,
        cv: Any = 4,
        inner_cv: Any = 2,
        tie: str = "largest",
        class_weight: Any = None,
        select_then_refit: bool = False,
        kernel: str | None = None,
        gamma: float | None = None,
        degree: int | None = None,
        solver: str = "auto",
        tol: float = 1e-5,
        score_method: str = "auto",
        memory: Any = None,
        keep_level_one: bool = True,
        views: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimators = estimators
        self.combination = combination
        self.loss = loss
        self.penalty = penalty
        self.elastic = elastic
        self.strength = strength
        self.strengths = strengths
        self.cv = cv
        self.inner_cv = inner_cv
        self.tie = tie
        self.class_weight = class_weight
        self.select_then_refit = select_then_refit
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.solver = solver
        self.tol = tol
        self.score_method = score_method
        self.memory = memory
        self.keep_level_one = keep_level_one
        self.views = views
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Learn how to join the members, and train those that are kept.

        Parameters
        ----------
        X : array-like, sparse matrix, dataframe or list of texts, of n_samples rows
            Data frames are handed on to the members as they are.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            For the members that take weights, and for the combination. Rows of weight zero are
            left out.
        groups : array-like of shape (n_samples,), optional
            For a ``cv`` that keeps groups of rows together.

        Returns
        -------
        self : object
        """
        check_stacking(self)
        members = open_members(self, self.score_method)
        with whole_or_nothing(self):
            for name in fitted_attributes(self):
                delattr(self, name)
            rows = enter_stack(self, X, y, sample_weight)
            weigh_classes(rows.share, rows.y, rows.classes, self.class_weight)
            level = self._ask_members(members, rows, self.cv, groups, finish=False)
            share = weigh_classes(level.share, level.y, rows.classes, self.class_weight)
            level = replace(level, share=share)
            self.classes_, self.names_ = rows.classes, level.names
            self.class_prior_ = np.bincount(rows.y, rows.share, len(rows.classes))
            self._combine(level)
            self.estimators_ = self._finish_members(level, self.selected_mask_)
            if self.keep_level_one:
                self.level_one_ = replace(level, members=[], put_off=[], training=None)
        return self

    def _combine(self, level: LevelOne) -> None:
        """Learn the combination from level-1 scores; store it, and who is kept."""
        P, y, share = level.scores, level.y, level.share
        found = self._select(P, y, share)
        self.selected_mask_, self.combiner_ = found.mask, found.combiner
        self.selected_ = [name for name, kept in zip(level.names, found.mask) if kept]
        self.combination_, self.strength_ = found.choice.combination, found.choice.strength
        self.cv_results_ = found.choice.results()
        if found.refit is not None:
            self.refit_strength_ = found.refit.strength
            self.refit_cv_results_ = found.refit.results()
        if found.coef is not None:
            self.coef_, self.intercept_ = found.coef, found.combiner.intercept
        kept = np.ascontiguousarray(P[:, found.mask])
        self.member_share_ = np.zeros((len(found.mask), P.shape[2]))
        self.temperature_ = 1.0
        if found.mask.any():
            self.member_share_[found.mask] = member_shares(kept, found.combiner, share)
            self.temperature_ = fit_temperature(found.held_out, y, share)
            return
        warnings.warn(
            f"the strength {self.strength_:g} leaves no member: every row gets the class "
            "frequencies. Lower the strength.",
            stacklevel=4,
        )

    def _select(self, P: np.ndarray, y: np.ndarray, share: np.ndarray) -> Selection:
        words, grid = learning_words(self) | judging_words(self), strength_grid(self)
        if self.kernel is None:
            how = select_then_refit if self.select_then_refit else select
            found = how(P, y, grid, share=share, **words)
            self.words_ = words | {
                "combination": found.choice.combination,
                "strengths": np.union1d(check_strengths(self.strengths), found.choice.strength),
            }
            return found
        for word in ("penalty", "elastic", "solver", "tol", "tie"):
            del words[word]
        words |= {"kernel": self.kernel, "gamma": self.gamma, "degree": self.degree}
        found = select_kernel(P, y, grid, share=share, **words)
        self.gamma_, self.degree_ = found.choice.gamma, found.choice.degree
        return found

    def _scores(self, X: Any) -> np.ndarray:
        """Scores of the classes by the kept members, shape (n_samples, n_classes)."""
        check_is_fitted(self, "combiner_")
        X = enter_stack_again(self, X)
        if not self.estimators_:
            return np.tile(np.log(self.class_prior_), (count_rows(X), 1))
        return self.combiner_.scores(score_members(self.estimators_, X, n_jobs=self.n_jobs))

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
        level, words = self._kept_level("path")
        grid = words.pop("strengths")
        if strengths is not None:
            grid = check_strengths(strengths)
        judging = {word: words.pop(word) for word in ("cv", "tie", "random_state", "n_jobs")}
        P, y, share = level.scores, level.y, level.share
        combiners = solve_path(P, y, grid, share=share, **words)
        results = self.cv_results_
        if not np.array_equal(grid, results["strength"]):
            words.pop("tol")
            results = choose_strength(P, y, grid, share=share, **words, **judging).results()
        chosen = np.flatnonzero(grid == self.strength_)
        return SelectionPath(
            grid,
            combiners,
            list(self.names_),
            results["mean_error"],
            results["std_error"],
            int(chosen[0]) if len(chosen) else None,
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
        level, words = self._kept_level("strength_for")
        for word in ("strengths", "cv", "tie", "random_state", "n_jobs"):
            del words[word]
        found, _ = strength_for(level.scores, level.y, n_members, share=level.share, **words)
        return found

    def explain(self) -> MemberShares:
        """Say which member speaks for which class.

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
        """Level-1 scores of the fit, and a copy of the words it was done with."""
        check_is_fitted(self, "combiner_")
        if not hasattr(self, "coef_"):
            raise ValueError(f"{method}: with a kernel no member is ever dropped.")
        if not hasattr(self, "level_one_"):
            raise ValueError(f"{method} needs level-1 scores: fit with keep_level_one=True.")
        return self.level_one_, self.words_ | {"n_jobs": self.n_jobs}

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
        self._check_members(self.selected_)
        given = (len(self.estimators_), len(self.classes_))
        check_part("combiner", self.combiner_, *given, refusal="its members are joined by a {}")
        self._check_told()

    def _check_kept(self) -> None:
        """Refuse a loaded mask, names and members that do not agree about who is kept."""
        mask = self.selected_mask_
        if type(mask) is not np.ndarray or mask.dtype != bool or mask.shape != (len(self.names_),):
            raise ValueError("it does not say which of its members are kept")
        if len(self.estimators_) != mask.sum():
            raise ValueError(f"it keeps {mask.sum()} members, but has {len(self.estimators_)}")
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
        if type(combiner) is not LinearCombiner:
            return
        shape = (n_members, combiner.coef.shape[1])
        coef = check_numbers(self.coef_, shape, "weights of all members", signed=True)
        if coef[~mask].any() or not np.array_equal(coef[mask], combiner.coef):
            raise ValueError("its weights of all members are not those of the kept ones")
