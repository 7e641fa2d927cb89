"""The one boosting loop. A method supplies how it begins and what it does in a round."""

from __future__ import annotations

import warnings
from abc import ABCMeta, abstractmethod
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from uneven.boosting.rounds import CallbackSupportMixin, announced_rounds, with_callbacks
from uneven.cost_matrices import RunningCosts
from uneven.costs import EDGE_CLIP, vote_weight
from uneven.door import (
    TrainingRows,
    check_class_cost,
    check_rounds,
    check_same_table,
    enter,
    fitted_attributes,
    whole_or_nothing,
)
from uneven.threads import workers
from uneven.views import ViewMap
from uneven.vote_classifier import StagedVoteClassifier, vote_answers
from uneven.voters import TrainingTable, Voter
from uneven.votes import Term, Vote

__all__ = ["BoostingClassifier", "Candidate", "Round", "Setting"]


@dataclass
class Setting:
    """What a method gets to work with: the training table, its views, and where they are there."""

    table: TrainingTable
    views: ViewMap
    present: np.ndarray


@dataclass
class Candidate:
    """A voter that may enter the vote.

    Attributes
    ----------
    voter : Voter
    answers : ndarray of int, shape (n_samples,)
        On the training rows; -1 abstains.
    view : int
        Its view, or ``ALL_VIEWS``.
    edge : float
        On the costs of the whole vote.
    """

    voter: Voter
    answers: np.ndarray
    view: int
    edge: float


@dataclass
class Round:
    """What a method did in one round.

    Attributes
    ----------
    terms : list of Term
        Voters that join the vote; empty if none was worth it.
    record : dict of str to float or ndarray
        What goes into ``history_`` if a voter joins.
    stop : str
        Why learning ends after this round, or "" to go on.
    """

    terms: list[Term]
    record: dict[str, Any] = field(default_factory=dict)
    stop: str = ""


class BoostingClassifier(CallbackSupportMixin, StagedVoteClassifier, metaclass=ABCMeta):
    """Base of all boosting methods: owns the loop, the vote and everything after fitting.

    A subclass implements :meth:`_begin`, which returns the state of its process, and
    :meth:`_boost`, which does one round on that state.
    """

    vote_: Vote
    history_: dict[str, Any]
    stop_reason_: str

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 200,
        max_depth: int = 3,
        learning_rate: float = 1.0,
        class_cost: Any = None,
        views: Any = None,
        max_bins: int = 255,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 20,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.learning_rate = learning_rate
        self.class_cost = class_cost
        self.views = views
        self.max_bins = max_bins
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @abstractmethod
    def _begin(self, setting: Setting) -> Any:
        """Return the state of the process before the first round."""

    @abstractmethod
    def _boost(self, process: Any, seed: int) -> Round:
        """Do one round: find voters, weigh them, bring the state up to date."""

    @abstractmethod
    def _replay(self, process: Any, vote: Vote) -> None:
        """Bring the state to where it was when this vote had been learnt."""

    @abstractmethod
    def _example_weights(self, y: np.ndarray, mass: np.ndarray, n_classes: int) -> np.ndarray:
        """Weight of each example in the method's loss, shape (n_samples,)."""

    def _finish(self, process: Any) -> None:
        """Store what else the method has to show once the vote stands."""

    def _open_costs(self, table: TrainingTable) -> RunningCosts:
        """The first cost matrix of a table; rows without mass cost nothing."""
        return RunningCosts(
            table.y,
            table.n_classes,
            self._example_weights(table.y, table.mass, table.n_classes),
            class_cost=check_class_cost(self.class_cost, self.classes_),
            team=table.team,
        )

    def _open_shared_costs(self, setting: Setting) -> RunningCosts:
        """The first cost matrix of all views together; rows without any view cost nothing."""
        table = setting.table
        return self._open_costs(table.where(np.any(setting.present, axis=1), table.team))

    def _admit(
        self,
        costs: RunningCosts,
        candidate: Candidate,
        weight: float | None = None,
        **record: Any,
    ) -> Round:
        """Let a voter enter the vote, with the weight of its edge unless another is given."""
        alpha = self.learning_rate * (vote_weight(candidate.edge) if weight is None else weight)
        costs.add(candidate.answers, alpha)
        found = {"edge": candidate.edge, "weight": alpha, "log_loss": costs.log_loss}
        return Round(
            terms=[Term(candidate.voter, np.full(costs.n_classes, alpha), candidate.view)],
            record=found | record,
            stop="a voter without training errors" if candidate.edge >= 1.0 - EDGE_CLIP else "",
        )

    def _give_up(self) -> Round:
        """End learning: no voter does better than guessing."""
        if not self.history_:
            warnings.warn(
                "no voter does better than guessing: the classifier always answers the most "
                "frequent class.",
                stacklevel=2,
            )
        return Round([], stop="no voter with a positive edge")

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the vote.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            Numbers; NaN is a missing value. Category columns of a dataframe are used by code.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            How many examples each row stands for. Rows of weight zero are left out.

        Returns
        -------
        self : object
        """
        check_rounds(self)
        with whole_or_nothing(self) as earlier:
            rows = enter(self, X, y, sample_weight)
            self.classes_, self.views_ = rows.classes, rows.views
            continued = earlier["vote_"] if self._continues(earlier) else None
            train, validation = self._hold_out(rows)
            with workers(self.n_jobs) as team:
                table = TrainingTable(
                    train.X, train.y, len(rows.classes), train.mass, self.max_bins, team
                )
                self.class_prior_ = table.class_mass / table.class_mass.sum()
                setting = Setting(table, rows.views, train.present)
                self._learn(setting, self._begin(setting), validation, continued)
        return self

    def _learn(
        self,
        setting: Setting,
        process: Any,
        validation: TrainingRows | None,
        continued: Vote | None,
    ) -> None:
        """Run the loop and store the vote."""
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=self.n_estimators)
        terms, ends = self._resume(process, continued)
        judge = None if validation is None else _Judge(self, validation)
        if judge is not None:
            for start, end in pairwise([0, *ends]):
                judge.score(terms[start:end])
        n_classes, views = setting.table.n_classes, setting.views

        def snapshot() -> dict[str, Any]:
            return fitted_attributes(self) | {"vote_": Vote(terms, ends, n_classes, views)}

        self.stop_reason_ = "one class" if n_classes == 1 else ""
        done = int(self.history_["round"][-1]) if ends else 0
        todo = range(0) if self.stop_reason_ else range(done, self.n_estimators)
        data = (setting.table.X, setting.table.y)
        for number in announced_rounds(self, todo, data, snapshot):
            outcome = self._boost(process, int(seeds[number]))
            if outcome.terms:
                terms += outcome.terms
                ends.append(len(terms))
                record = {"round": number + 1} | outcome.record
                if judge is not None:
                    record["validation_score"] = judge.score(outcome.terms)
                for key, value in record.items():
                    self.history_.setdefault(key, []).append(value)
            tired = judge is not None and judge.is_tired
            self.stop_reason_ = outcome.stop or ("early stopping" if tired else "")
            done = number + 1
        if not self.stop_reason_:
            complete = done >= self.n_estimators
            self.stop_reason_ = "all rounds done" if complete else "a callback asked to stop"
        kept = len(ends) if judge is None else judge.best_round
        self.vote_ = Vote(terms, ends, n_classes, views).truncate(kept)
        self.n_estimators_ = kept
        self.history_ = {key: np.array(v[:kept]) for key, v in self.history_.items()}
        self._finish(process)

    def _resume(self, process: Any, continued: Vote | None) -> tuple[list[Term], list[int]]:
        """Start from nothing, or from an earlier vote."""
        if continued is None:
            self.history_ = {}
            return [], []
        self.history_ = {key: list(values) for key, values in self.history_.items()}
        self._replay(process, continued)
        return continued.terms(), continued.rounds.tolist()

    def _continues(self, earlier: dict[str, Any]) -> bool:
        """Whether ``fit`` goes on from an earlier vote; refuse if it cannot."""
        if not self.warm_start or "vote_" not in earlier:
            return False
        if self.early_stopping and self.random_state is None:
            raise ValueError(
                "warm_start with early_stopping needs a fixed random_state, so that the same rows "
                "stay held out."
            )
        check_same_table(self, earlier)
        learnt = len(earlier["vote_"].rounds)
        if self.n_estimators < learnt:
            raise ValueError(
                f"warm_start cannot take rounds away: n_estimators={self.n_estimators}, but "
                f"{learnt} rounds are already learnt."
            )
        return True

    def _hold_out(self, rows: TrainingRows) -> tuple[TrainingRows, TrainingRows | None]:
        """Split off validation rows, a share of every class that has more than one."""
        if not self.early_stopping or len(rows.classes) == 1:
            return rows, None
        rng = check_random_state(self.random_state)
        return rows.split(self.validation_fraction, rng)


class _Judge:
    """Watches the validation rows and notices when learning no longer helps."""

    def __init__(self, estimator: BoostingClassifier, rows: TrainingRows) -> None:
        self._rows = rows
        self._n_classes = len(rows.classes)
        self._patience = estimator.n_iter_no_change
        weights = estimator._example_weights(rows.y, rows.mass, self._n_classes)
        self._weights = weights / weights.sum()
        self._scores = np.zeros((len(rows.y), self._n_classes))
        self._fallback = int(estimator.class_prior_.argmax())
        self._best = -np.inf
        self._seen = 0
        self.best_round = 0

    @property
    def is_tired(self) -> bool:
        return self._seen - self.best_round >= self._patience

    def score(self, terms: list[Term]) -> float:
        """Share of the validation weight that is classified rightly once ``terms`` have voted."""
        rows = self._rows
        vote = Vote(terms, [len(terms)], self._n_classes, rows.views)
        self._scores += vote.score(rows.X)
        answers = vote_answers(self._scores, self._fallback)
        value = float(self._weights[answers == rows.y].sum())
        self._seen += 1
        if value > self._best:
            self._best, self.best_round = value, self._seen
        return value
