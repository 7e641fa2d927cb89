"""The fitted vote, what every fitted ensemble is, and the classifiers that end in one.

A vote is a list of terms (view, voter, scores per prediction). A voter predicts a class or the
number of a leaf, and its term adds the scores of that prediction: ``score(x, c) = sum over terms of
scores[voter(x), c]``. A hard vote is the case of one weight per class, ``scores = diag(weight)``.
The methods differ only in how they choose voters and scores; scoring, staged scoring and
explanation are the same for all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from uneven.utils.model_types import (
    LARGEST,
    check_classes,
    check_names,
    check_numbers,
    check_part,
    check_shares,
    check_whole,
    persisted,
    role_of,
)
from uneven.utils.parallel import ThreadPool, thread_pool
from uneven.utils.validation import column_names, is_collection
from uneven.views import ViewMap
from uneven.views.training_rows import validate_predict_data
from uneven.voters import TreeVoter, Voter
from uneven.voters.cost_tree import Forest
from uneven.votes.lazy_answers import answer_lazily

if TYPE_CHECKING:
    from uneven.votes.shapley import Contributions

ALL_VIEWS = -1
"""View of a term whose voter reads every view."""


@dataclass
class Term:
    """One voter of a vote.

    Attributes
    ----------
    voter : Voter
    weight : ndarray of shape (n_classes,) or (n_leaves, n_classes)
        Weight of its vote for each class that it may predict; or what each leaf that it may
        return adds to every class.
    view : int
        Position of the view it reads, or ``ALL_VIEWS``.
    """

    voter: Voter
    weight: np.ndarray
    view: int = ALL_VIEWS

    @property
    def leaf_scores(self) -> np.ndarray:
        """Scores of every prediction, shape (n_answers, n_classes)."""
        return self.weight if self.weight.ndim == 2 else np.diag(self.weight)


@persisted("panel", role="panel")
@dataclass
class Panel:
    """A voter that is itself a small vote: its members agree on one class.

    Attributes
    ----------
    vote : Vote
    reach : ndarray of shape (n_classes,)
        Share of each class's training weight that it predicts correctly.
    """

    vote: Vote
    reach: np.ndarray

    def predict(self, X: Any) -> np.ndarray:
        """Class index for each row, -1 where all members abstain, shape (n_samples,)."""
        scores = self.vote.score(X)
        answers = scores.argmax(axis=1)
        answers[~scores.any(axis=1)] = -1
        return np.asarray(answers)

    def add_credit(self, credit: np.ndarray, weight: np.ndarray) -> None:
        """Divide the credit for correct predictions as the members' own votes divide it."""
        members = np.zeros_like(credit)
        for term in self.vote.terms():
            term.voter.add_credit(members, term.weight)
        credit += weight * self.reach * column_shares(members)

    def _check_model_(self, classifier: Any) -> None:
        """Replace the loaded vote by a checked copy."""
        check_numbers(self.reach, (len(classifier.classes_),), "rates of correct predictions")
        self.vote = checked_vote(self.vote, classifier, may_hold_panels=False)


@dataclass
class Explanation:
    """How much views and columns support each class.

    Attributes
    ----------
    view_names : list of str
    feature_names : list of str
    classes : ndarray of shape (n_classes,)
    view_share : ndarray of shape (n_views, n_classes)
        Share of the support that the training rows of a class got for their own class from each
        view; a column sums to 1, or is 0 if no voter ever predicted the class correctly.
    feature_share : ndarray of shape (n_features, n_classes)
        The same by column of ``X``.
    """

    view_names: list[str]
    feature_names: list[str]
    classes: np.ndarray
    view_share: np.ndarray
    feature_share: np.ndarray


@persisted("vote", role="vote")
class Vote:
    """A weighted vote of voters, each of which reads one view or all of them.

    Parameters
    ----------
    terms : sequence of Term
        In the order in which they were learnt.
    rounds : sequence of int
        Number of terms after each round of learning; the stages of staged scores.
    n_classes : int
    views : ViewMap

    Examples
    --------
    >>> import numpy as np
    >>> from uneven import ComboClassifier
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    >>> vote = ComboClassifier(n_estimators=3, max_depth=1).fit(X, y).vote_
    >>> vote.score(X).argmax(axis=1)
    array([0, 0, 1, 1])
    """

    leaf_scores: np.ndarray | None = None
    first_leaf: np.ndarray | None = None

    def __init__(
        self, terms: Sequence[Term], rounds: Sequence[int], n_classes: int, views: ViewMap
    ) -> None:
        self.n_classes = n_classes
        self.views = views
        self.rounds = np.array(rounds, dtype=np.int64)
        if any(t.weight.ndim == 2 for t in terms):
            scores = [t.leaf_scores for t in terms]
            self.leaf_scores = np.concatenate(scores)
            self.first_leaf = np.cumsum([0, *map(len, scores)])
            self.weights = np.zeros((len(terms), n_classes))
        else:
            self.weights = np.array([t.weight for t in terms]).reshape(len(terms), n_classes)
        self.view_of_term = np.array([t.view for t in terms], dtype=np.int64)
        is_tree = np.array([isinstance(t.voter, TreeVoter) for t in terms], dtype=bool)
        self._trees, self._others = np.flatnonzero(is_tree), np.flatnonzero(~is_tree)
        trees = [t.voter for t in terms if isinstance(t.voter, TreeVoter)]
        self._forest = Forest.pack(trees) if trees else None
        self._voters = [t.voter for t in terms if not isinstance(t.voter, TreeVoter)]

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def has_scores(self) -> bool:
        """Whether predictions are leaves that add scores to every class."""
        return self.leaf_scores is not None

    def _worth(self, t: int) -> np.ndarray:
        """Weights (n_classes,) or leaf scores (n_leaves, n_classes) of term ``t``."""
        if self.leaf_scores is None or self.first_leaf is None:
            return np.asarray(self.weights[t])
        return self.leaf_scores[self.first_leaf[t] : self.first_leaf[t + 1]]

    @property
    def only_trees(self) -> bool:
        """Whether all voters are trees."""
        return not len(self._others)

    def tree_values(self, terms: Iterable[int]) -> tuple[Forest, np.ndarray]:
        """Some terms, which are trees, and what each of their nodes adds to the scores as a leaf.

        Returns
        -------
        forest : Forest
        values : ndarray of shape (n_nodes, n_classes)
        """
        found = [self.term(int(t)) for t in terms]
        trees = [term.voter for term in found if isinstance(term.voter, TreeVoter)]
        values = [term.leaf_scores[tree.label] for term, tree in zip(found, trees)]
        return Forest.pack(trees), np.concatenate(values)

    def term(self, t: int) -> Term:
        """Term number ``t``."""
        n_trees = int(self._trees.searchsorted(t))
        if self._forest is not None and t in self._trees[n_trees : n_trees + 1]:
            voter: Voter = self._forest.tree(n_trees)
        else:
            voter = self._voters[t - n_trees]
        return Term(voter, self._worth(t), int(self.view_of_term[t]))

    def terms(self) -> list[Term]:
        """All terms, in the order in which they were learnt."""
        return [self.term(t) for t in range(len(self))]

    def score(
        self, X: Any, pool: ThreadPool | None = None, view_mask: np.ndarray | None = None
    ) -> np.ndarray:
        """Sum of the weighted votes.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (n_samples, n_features)
            Validated; NaN allowed. A voter abstains where its view is all missing.
        pool : ThreadPool, optional
        view_mask : ndarray of bool, shape (n_samples, n_views), optional
            Where the views are there, if that is known.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            All zero for a row in which all voters abstain.
        """
        scores = np.zeros((X.shape[0], self.n_classes))
        view_mask = self._presence(X) if view_mask is None else _or_none(view_mask)
        self._add(X, view_mask, 0, len(self), scores, pool)
        return self._silence(scores, view_mask)

    def staged_score(self, X: Any, pool: ThreadPool | None = None) -> Iterator[np.ndarray]:
        """Yield the scores after each round, each of shape (n_samples, n_classes)."""
        scores = np.zeros((X.shape[0], self.n_classes))
        view_mask = self._presence(X)
        done = 0
        for stop in self.rounds:
            self._add(X, view_mask, done, int(stop), scores, pool)
            done = int(stop)
            yield self._silence(scores.copy(), view_mask)

    def term_scores(self, X: Any) -> Iterator[np.ndarray]:
        """Yield what each term adds to the scores, each of shape (n_samples, n_classes)."""
        view_mask = self._presence(X)
        for t in range(len(self)):
            scores = np.zeros((X.shape[0], self.n_classes))
            self._add(X, view_mask, t, t + 1, scores, None)
            yield self._silence(scores, view_mask)

    def truncate(self, n_rounds: int) -> Vote:
        """The vote as it was after ``n_rounds`` rounds."""
        if n_rounds >= len(self.rounds):
            return self
        kept = self.rounds[:n_rounds]
        n_terms = int(kept[-1]) if len(kept) else 0
        return Vote(self.terms()[:n_terms], kept.tolist(), self.n_classes, self.views)

    def explain(self, classes: np.ndarray, feature_names: Sequence[str]) -> Explanation:
        """Return which view and which column supports which class; see :class:`Explanation`."""
        n_features = self.views.n_features
        by_column = np.zeros((n_features, self.n_classes))
        by_view = np.zeros((len(self.views), self.n_classes))
        for view in np.unique(self.view_of_term):
            credit = np.zeros((n_features, self.n_classes))
            for t in np.flatnonzero(self.view_of_term == view):
                voter, worth = self.term(int(t)).voter, self._worth(int(t))
                is_hard = worth.ndim == 2 and not isinstance(voter, TreeVoter)
                voter.add_credit(credit, np.diagonal(worth) if is_hard else worth)
            by_column += credit
            if view == ALL_VIEWS:
                by_view += self.views.membership() @ credit
            else:
                by_view[view] += credit.sum(axis=0)
        return Explanation(
            view_names=list(self.views.names),
            feature_names=list(feature_names),
            classes=classes,
            view_share=column_shares(by_view),
            feature_share=column_shares(by_column),
        )

    def _presence(self, X: Any) -> np.ndarray | None:
        """Presence of views in rows, or None if nothing is missing."""
        return _or_none(self.views.presence(X))

    def _add(
        self,
        X: Any,
        view_mask: np.ndarray | None,
        first: int,
        last: int,
        scores: np.ndarray,
        pool: ThreadPool | None,
    ) -> None:
        """Add terms ``first`` to ``last`` to ``scores``: all trees at once, then the others."""
        low, high = self._trees.searchsorted([first, last])
        if self._forest is not None and low < high:
            self._forest.add_votes(
                X,
                self._tree_weights(),
                scores,
                view_mask=view_mask,
                view=self.view_of_term[self._trees],
                span=(low, high),
                pool=pool,
            )
        low, high = self._others.searchsorted([first, last])
        for t, voter in zip(self._others[low:high], self._voters[low:high]):
            self._add_voter(X, view_mask, t, voter, scores)

    def _tree_weights(self) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """What the trees' predictions add, as :meth:`Forest.add_votes` takes it."""
        if self.leaf_scores is None or self.first_leaf is None:
            return np.asarray(self.weights[self._trees])
        table = np.zeros((len(self.leaf_scores), -(-self.n_classes // 4) * 4))
        table[:, : self.n_classes] = self.leaf_scores
        return self.first_leaf[self._trees], table

    def _add_voter(
        self, X: Any, view_mask: np.ndarray | None, t: int, voter: Voter, scores: np.ndarray
    ) -> None:
        view = self.view_of_term[t]
        rows = np.arange(X.shape[0])
        if view_mask is not None:
            able = view_mask.any(axis=1) if view == ALL_VIEWS else view_mask[:, view]
            rows = np.flatnonzero(able)
        if len(rows):
            answers = voter.predict(X if len(rows) == X.shape[0] else X[rows])
            spoken = answers >= 0
            if self.has_scores:
                scores[rows[spoken]] += self._worth(t)[answers[spoken]]
            else:
                scores[rows[spoken], answers[spoken]] += self.weights[t, answers[spoken]]

    def _silence(self, scores: np.ndarray, view_mask: np.ndarray | None) -> np.ndarray:
        """Zero the rows that have no view at all."""
        if view_mask is not None:
            scores[~view_mask.any(axis=1)] = 0.0
        return scores

    def _check_model_(self, classifier: Any, signed: bool, may_hold_panels: bool) -> Vote:
        """Check every voter, then pack the vote anew, so that its arrays agree with each other."""
        terms = self._check_terms(classifier, signed)
        n_features, n_classes = classifier.n_features_in_, len(classifier.classes_)
        for term in terms:
            if may_hold_panels and role_of(term.voter) == "panel":
                check_part("panel", term.voter, classifier, refusal="")
                continue
            asked = check_part(
                "voter",
                term.voter,
                n_features,
                len(term.weight),
                refusal="its vote holds a {}, which is not known",
            )
            own = self.views.used_columns if term.view < 0 else self.views.columns[term.view]
            if not np.isin(asked, own).all():
                raise ValueError("a voter reads a column that is not in its view")
        return Vote(terms, self.rounds.tolist(), n_classes, self.views)

    def _check_terms(self, classifier: Any, signed: bool = False) -> list[Term]:
        """Terms of a loaded vote whose weights, views and rounds are as they should be."""
        n_classes, views = len(classifier.classes_), classifier.views_
        check_views(self.views, classifier.n_features_in_)
        same = [np.array_equal(a, b) for a, b in zip(self.views.columns, views.columns)]
        if self.n_classes != n_classes or self.views.names != views.names or not all(same):
            raise ValueError("its vote does not fit its views and classes")
        shape = (len(self.weights), n_classes)
        check_numbers(self.weights, shape, "vote weights", signed, LARGEST)
        check_whole(self.view_of_term, "views of the terms")
        check_whole(self.rounds, "rounds")
        self._check_leaves(n_classes)
        terms = self.terms()
        if self.view_of_term.shape != (len(terms),):
            raise ValueError(f"{len(terms)} terms have {self.view_of_term.shape} views")
        for view in self.view_of_term:
            if not -1 <= view < len(views):
                raise ValueError(f"a tree reads view {view} of {len(views)}")
        stages = np.concatenate([[0], self.rounds, [len(terms)]])
        if np.any(np.diff(stages) < 0):
            raise ValueError("the rounds of its vote do not increase to the number of terms")
        return terms

    def _check_leaves(self, n_classes: int) -> None:
        """Refuse loaded leaf scores that do not belong to the terms."""
        scores, first = self.leaf_scores, self.first_leaf
        if scores is None and first is None:
            return
        check_whole(first, "leaves of the terms")
        assert first is not None
        if first.shape != (len(self.weights) + 1,):
            raise ValueError("the leaf scores of its vote do not belong to its terms")
        check_numbers(scores, (int(first[-1]), n_classes), "leaf scores", True, LARGEST)
        if first[0] != 0 or np.any(np.diff(first) < 1):
            raise ValueError("the leaf scores of its vote do not belong to its terms")


def _or_none(view_mask: np.ndarray) -> np.ndarray | None:
    """Presence of views in rows, or None if nothing is missing."""
    return None if view_mask.all() else view_mask


def column_shares(credit: np.ndarray) -> np.ndarray:
    """Divide each column by its sum; a column of zeros stays."""
    total = credit.sum(axis=0)
    return np.asarray(credit / np.where(total > 0.0, total, 1.0))


class VoteClassifier(ClassifierMixin, BaseEstimator):
    """Base of all classifiers whose fitted form is a :class:`~uneven.votes.Vote`.

    A subclass's ``fit`` calls :func:`~uneven.views.training_rows.validate_fit_data` and sets
    ``classes_``, ``class_prior_``, ``views_`` and ``vote_``.
    """

    classes_: np.ndarray
    class_prior_: np.ndarray
    vote_: Vote
    n_jobs: int | None = None

    def _scores(self, X: Any) -> np.ndarray:
        """Votes for each class, shape (n_samples, n_classes)."""
        check_is_fitted(self, "vote_")
        X = validate_predict_data(self, X)
        with thread_pool(self.n_jobs) as pool:
            return self.vote_.score(X, pool)

    def _staged_scores(self, X: Any) -> Iterator[np.ndarray]:
        check_is_fitted(self, "vote_")
        X = validate_predict_data(self, X)
        with thread_pool(self.n_jobs) as pool:
            yield from self.vote_.staged_score(X, pool)

    def _answers(self, scores: np.ndarray) -> np.ndarray:
        return np.asarray(self.classes_[vote_answers(scores, int(self.class_prior_.argmax()))])

    def decision_function(self, X: Any) -> np.ndarray:
        """Votes received by each class.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            With two classes: the votes for the second class minus those for the first.
        """
        if is_collection(X):
            return answer_lazily(self, "decision_function", X)
        return flatten_binary(self._scores(X))

    def predict(self, X: Any) -> np.ndarray:
        """Class with the most votes.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
            A row in which all voters abstain gets the most frequent class; see :meth:`undecided`.
            For a Dask collection, one that is still to be computed.
        """
        if is_collection(X):
            return answer_lazily(self, "predict", X)
        return self._answers(self._scores(X))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Share of the vote that each class receives.

        These shares rank well but are not calibrated probabilities: they are usually too even.
        Wrap the estimator in :class:`sklearn.calibration.CalibratedClassifierCV` where a
        probability is needed.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to 1; the training class frequencies where all voters abstain.
        """
        if is_collection(X):
            return answer_lazily(self, "predict_proba", X)
        return self._probabilities(self._scores(X))

    def _probabilities(self, scores: np.ndarray) -> np.ndarray:
        """Shares of the votes, both of shape (n_samples, n_classes)."""
        scores = np.where(scores.any(axis=1, keepdims=True), scores, self.class_prior_)
        return np.asarray(scores / scores.sum(axis=1, keepdims=True))

    def undecided(self, X: Any) -> np.ndarray:
        """Rows without any vote: all their views are missing, or every vote is zero.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of bool, shape (n_samples,)
            :meth:`predict` returns the most frequent training class there.
        """
        return np.asarray(~self._scores(X).any(axis=1))

    def explain(self) -> Explanation:
        """Return which view and which column supports which class.

        Returns
        -------
        Explanation
            From the training rows; no data is needed.
        """
        check_is_fitted(self, "vote_")
        return self.vote_.explain(self.classes_, column_names(self))

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each column in the support for correct predictions, shape (n_features,).

        The mean over the classes of ``explain().feature_share``, so that a rare class counts as
        much as a frequent one. They sum to 1 unless no voter ever predicted some class correctly.
        They come from the training rows: columns with many values look better than they are, see
        :func:`uneven.column_importance` for rows that were not seen.
        """
        return np.asarray(self.explain().feature_share.mean(axis=1))

    def contributions(self, X: Any, background: Any = None) -> Contributions:
        """What each column adds to the votes for each class: exact Shapley values.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            Rows to explain.
        background : array-like of shape (n_background, n_features), optional
            Background rows, above which votes are counted. 100 rows of ``X`` by
            default, so give training rows if ``X`` is small.

        Returns
        -------
        Contributions
            Its ``values`` (n_samples, n_features, n_classes) sum to the votes of a row minus the
            mean votes of the background.

        Raises
        ------
        ValueError
            If some voters are no trees; :func:`uneven.explain_rows` takes any classifier.

        Examples
        --------
        >>> import numpy as np
        >>> from uneven import ComboClassifier
        >>> X, y = np.array([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0], [3.0, 5.0]]), [0, 0, 1, 1]
        >>> found = ComboClassifier(n_estimators=1, max_depth=1).fit(X, y).contributions(X)
        >>> np.sign(found.values[3]).tolist()
        [[-1.0, 1.0], [0.0, 0.0]]
        """
        from uneven.votes.shapley import contributions, draw_background

        check_is_fitted(self, "vote_")
        if not self.vote_.only_trees:
            raise ValueError(
                "exact values need a vote whose voters are all trees; uneven.explain_rows samples "
                "them for any classifier."
            )
        X = validate_predict_data(self, X)
        others = X if background is None else validate_predict_data(self, background)
        told = (self.classes_, column_names(self))
        with thread_pool(self.n_jobs) as pool:
            return contributions(self.vote_, X, others[draw_background(others)], *told, pool)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags

    def _check_model_(self) -> None:
        """Replace the loaded vote by a checked copy."""
        self._check_fit()
        self.vote_ = checked_vote(self.vote_, self)

    def _check_fit(self) -> None:
        """Refuse loaded columns, classes and views that do not fit together."""
        check_classes(self.classes_)
        check_shares(self.class_prior_, len(self.classes_))
        check_names(self)
        check_views(self.views_, self.n_features_in_)


class StagedVoteClassifier(VoteClassifier):
    """A vote that was learnt in rounds, with the predictions after each of them."""

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """Yield what :meth:`decision_function` returns, after each round."""
        for scores in self._staged_scores(X):
            yield flatten_binary(scores)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Yield what :meth:`predict` returns, after each round."""
        for scores in self._staged_scores(X):
            yield self._answers(scores)

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Yield the accuracy on ``X`` and ``y`` after each round."""
        right = np.asarray(y)
        for answers in self.staged_predict(X):
            yield float(np.average(answers == right, weights=sample_weight))


def vote_answers(scores: np.ndarray, fallback: int) -> np.ndarray:
    """Class index with the most votes: the lowest among ties, ``fallback`` without any vote."""
    best = scores.argmax(axis=1)
    best[~scores.any(axis=1)] = fallback
    return np.asarray(best)


def flatten_binary(scores: np.ndarray) -> np.ndarray:
    """Turn the votes for two classes into one margin for the second; leave more classes alone."""
    return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores


def checked_vote(
    vote: Any, classifier: Any, *, signed: bool = False, may_hold_panels: bool = True
) -> Vote:
    """A loaded vote, checked and packed anew.

    Parameters
    ----------
    vote : object
        As it was loaded.
    classifier : classifier
        Whose columns, classes and views it must fit.
    signed : bool, default=False
        Whether voters may vote against a class.
    may_hold_panels : bool, default=True
        Whether a voter may be a small vote.
    """
    refusal = "a {} stands where a vote should be"
    given = (classifier, signed, may_hold_panels)
    return check_part("vote", vote, *given, refusal=refusal, error=ValueError)


def check_views(views: Any, n_features: int) -> None:
    """Refuse loaded views that do not belong to a table of so many columns."""
    refusal = f"its views do not belong to a table of {n_features} columns"
    check_part("views", views, n_features, refusal=refusal, error=ValueError)
