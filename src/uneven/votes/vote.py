"""The fitted vote: what every ensemble of the library is once it has learnt.

A vote is a list of terms (view, voter, weight per class). Its score is
``score(x, c) = sum over terms of weight[c] * [voter(x) == c]``. The methods differ only in how
they choose voters and weights; scoring, staged scoring and explanation are the same for all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from uneven.utils.parallel import Workers
from uneven.views import ViewMap
from uneven.voters import TreeVoter, Voter
from uneven.voters.forest import Forest

__all__ = ["ALL_VIEWS", "Explanation", "Panel", "Term", "Vote", "column_shares"]

ALL_VIEWS = -1
"""View of a term whose voter reads every view."""


@dataclass
class Term:
    """One voter of a vote.

    Attributes
    ----------
    voter : Voter
    weight : ndarray of shape (n_classes,)
        What its answer is worth, for each class it may answer.
    view : int
        Position of the view it reads, or ``ALL_VIEWS``.
    """

    voter: Voter
    weight: np.ndarray
    view: int = ALL_VIEWS


@dataclass
class Panel:
    """A voter that is itself a small vote: its members agree on one answer.

    Attributes
    ----------
    vote : Vote
    reach : ndarray of shape (n_classes,)
        Share of each class's training mass that it answers rightly.
    """

    vote: Vote
    reach: np.ndarray

    def predict(self, X: Any) -> np.ndarray:
        """Class index for each row, -1 where no member can speak, shape (n_samples,)."""
        scores = self.vote.score(X)
        answers = scores.argmax(axis=1)
        answers[~scores.any(axis=1)] = -1
        return np.asarray(answers)

    def add_credit(self, credit: np.ndarray, weight: np.ndarray) -> None:
        """Divide the credit for right answers as the members' own votes divide it."""
        members = np.zeros_like(credit)
        for term in self.vote.terms():
            term.voter.add_credit(members, term.weight)
        credit += weight * self.reach * column_shares(members)


@dataclass
class Explanation:
    """Who speaks for which class.

    Attributes
    ----------
    view_names : list of str
    feature_names : list of str
    classes : ndarray of shape (n_classes,)
    view_share : ndarray of shape (n_views, n_classes)
        Share of the support that the training rows of a class got for their own class from each
        view; a column sums to 1, or is 0 if no voter ever answered the class rightly.
    feature_share : ndarray of shape (n_features, n_classes)
        The same by column of ``X``.
    """

    view_names: list[str]
    feature_names: list[str]
    classes: np.ndarray
    view_share: np.ndarray
    feature_share: np.ndarray


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

    def __init__(
        self, terms: Sequence[Term], rounds: Sequence[int], n_classes: int, views: ViewMap
    ) -> None:
        self.n_classes = n_classes
        self.views = views
        self.rounds = np.array(rounds, dtype=np.int64)
        self.weights = np.array([t.weight for t in terms]).reshape(len(terms), n_classes)
        self.view_of_term = np.array([t.view for t in terms], dtype=np.int64)
        is_tree = np.array([isinstance(t.voter, TreeVoter) for t in terms], dtype=bool)
        self._trees, self._others = np.flatnonzero(is_tree), np.flatnonzero(~is_tree)
        trees = [t.voter for t in terms if isinstance(t.voter, TreeVoter)]
        self._forest = Forest.pack(trees) if trees else None
        self._voters = [t.voter for t in terms if not isinstance(t.voter, TreeVoter)]

    def __len__(self) -> int:
        return len(self.weights)

    def term(self, t: int) -> Term:
        """Term number ``t``."""
        n_trees = int(self._trees.searchsorted(t))
        if self._forest is not None and t in self._trees[n_trees : n_trees + 1]:
            voter: Voter = self._forest.tree(n_trees)
        else:
            voter = self._voters[t - n_trees]
        return Term(voter, self.weights[t], int(self.view_of_term[t]))

    def terms(self) -> list[Term]:
        """All terms, in the order in which they were learnt."""
        return [self.term(t) for t in range(len(self))]

    def score(self, X: Any, team: Workers | None = None) -> np.ndarray:
        """Sum of the weighted votes.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (n_samples, n_features)
            Validated; NaN allowed. A voter abstains where its view is all missing.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            All zero for a row that no voter can speak about.
        """
        scores = np.zeros((X.shape[0], self.n_classes))
        present = self._presence(X)
        self._add(X, present, 0, len(self), scores, team)
        return self._silence(scores, present)

    def staged_score(self, X: Any, team: Workers | None = None) -> Iterator[np.ndarray]:
        """Yield the scores after each round, each of shape (n_samples, n_classes)."""
        scores = np.zeros((X.shape[0], self.n_classes))
        present = self._presence(X)
        done = 0
        for stop in self.rounds:
            self._add(X, present, done, int(stop), scores, team)
            done = int(stop)
            yield self._silence(scores.copy(), present)

    def truncate(self, n_rounds: int) -> Vote:
        """The vote as it was after ``n_rounds`` rounds."""
        if n_rounds >= len(self.rounds):
            return self
        kept = self.rounds[:n_rounds]
        n_terms = int(kept[-1]) if len(kept) else 0
        return Vote(self.terms()[:n_terms], kept.tolist(), self.n_classes, self.views)

    def explain(self, classes: np.ndarray, feature_names: Sequence[str]) -> Explanation:
        """Say which view and which column speaks for which class; see :class:`Explanation`."""
        n_features = self.views.n_features
        by_column = np.zeros((n_features, self.n_classes))
        by_view = np.zeros((len(self.views), self.n_classes))
        for view in np.unique(self.view_of_term):
            credit = np.zeros((n_features, self.n_classes))
            for t in np.flatnonzero(self.view_of_term == view):
                self.term(int(t)).voter.add_credit(credit, self.weights[t])
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
        present = self.views.presence(X)
        return None if present.all() else present

    def _add(
        self,
        X: Any,
        present: np.ndarray | None,
        first: int,
        last: int,
        scores: np.ndarray,
        team: Workers | None,
    ) -> None:
        """Add terms ``first`` to ``last`` to ``scores``: all trees at once, then the others."""
        low, high = self._trees.searchsorted([first, last])
        if self._forest is not None and low < high:
            self._forest.add_votes(
                X,
                self.weights[self._trees],
                scores,
                present=present,
                view=self.view_of_term[self._trees],
                span=(low, high),
                team=team,
            )
        low, high = self._others.searchsorted([first, last])
        for t, voter in zip(self._others[low:high], self._voters[low:high]):
            self._add_voter(X, present, t, voter, scores)

    def _add_voter(
        self, X: Any, present: np.ndarray | None, t: int, voter: Voter, scores: np.ndarray
    ) -> None:
        view = self.view_of_term[t]
        rows = np.arange(X.shape[0])
        if present is not None:
            able = present.any(axis=1) if view == ALL_VIEWS else present[:, view]
            rows = np.flatnonzero(able)
        if len(rows):
            answers = voter.predict(X if len(rows) == X.shape[0] else X[rows])
            spoken = answers >= 0
            scores[rows[spoken], answers[spoken]] += self.weights[t, answers[spoken]]

    def _silence(self, scores: np.ndarray, present: np.ndarray | None) -> np.ndarray:
        """Zero the rows that have no view at all."""
        if present is not None:
            scores[~present.any(axis=1)] = 0.0
        return scores


def column_shares(credit: np.ndarray) -> np.ndarray:
    """Divide each column by its sum; a column of zeros stays."""
    total = credit.sum(axis=0)
    return np.asarray(credit / np.where(total > 0.0, total, 1.0))
