"""The one boosting loop, and its simplest step. A method supplies how it begins and a round."""

from __future__ import annotations

import warnings
from abc import ABCMeta, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from scipy.special import softmax
from sklearn.utils import check_random_state

from uneven.boosting.early_stopping import EarlyStopping, EarlyStoppingMixin
from uneven.boosting.score_leaves import (
    LEAF_STEPS,
    ScoreLearner,
    ScoreResult,
    ScoreSettings,
)
from uneven.boosting.setting import RowDraw, Setting
from uneven.boosting.sharded.blocks import RowBlocks
from uneven.costs import EDGE_CLIP, EDGE_TOLERANCE, line_search_weight, vote_weight
from uneven.costs.expected import NoisyLabels
from uneven.costs.matrices import KnownLabels, VoteCosts
from uneven.costs.score_costs import LOSSES, ScoreCosts
from uneven.metrics.scoring import get_scorer
from uneven.noise import invert_noise
from uneven.noise.matrices import learning_matrix
from uneven.utils.callbacks import CallbackSupportMixin, announced_rounds, with_callbacks
from uneven.utils.model_types import LARGEST
from uneven.utils.parallel import ThreadPool, thread_pool
from uneven.utils.parameters import (
    Choice,
    Flag,
    Interval,
    Jobs,
    Maybe,
    Whole,
    check_integer,
    check_parameters,
    store_parameters,
)
from uneven.utils.validation import (
    check_class_cost,
    is_collection,
    whole_or_nothing,
)
from uneven.views import ViewMap
from uneven.views.training_rows import (
    TrainingRows,
    check_same_table,
    validate_fit_data,
    validate_held_rows,
)
from uneven.voters import TrainingTable, Voter, WeakLearner, as_weak_learner
from uneven.voters.training_table import draw_columns
from uneven.votes import ALL_VIEWS, Term, Vote
from uneven.votes.lazy_answers import answer_lazily
from uneven.votes.vote import StagedVoteClassifier

if TYPE_CHECKING:
    from uneven.boosting.sharded.rows import ShardedRows


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
    scored : ScoreResult or None
        Its leaves and their scores, if leaves hold scores.
    """

    voter: Voter
    answers: np.ndarray
    view: int
    edge: float
    scored: ScoreResult | None = None


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
        Why learning ends after this round, or "" to continue.
    """

    terms: list[Term]
    record: dict[str, Any] = field(default_factory=dict)
    stop: str = ""


@dataclass
class GrowingVote:
    """The vote while it is learnt: its terms, and how many there were after each round."""

    n_classes: int
    views: ViewMap
    terms: list[Term] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def add(self, terms: list[Term]) -> None:
        """Let the voters of a round join."""
        self.terms += terms
        self.ends.append(len(self.terms))

    def stand(self) -> Vote:
        """The vote as it stands."""
        return Vote(self.terms, self.ends, self.n_classes, self.views)


class BoostingClassifier(
    EarlyStoppingMixin, CallbackSupportMixin, StagedVoteClassifier, metaclass=ABCMeta
):
    """Base of all boosting methods: owns the loop, the vote and everything after fitting.

    A subclass implements :meth:`_begin`, which returns the state of its process, and
    :meth:`_boost`, which does one round on that state. Its constructor names all parameters.
    """

    _parameters: ClassVar = {
        "n_estimators": Whole(1),
        "max_bins": Whole(2, 255),
        "n_jobs": Jobs(),
        "learning_rate": Interval(0, 1, closed="right"),
        "n_iter_no_change": Whole(1),
        "early_stopping": Flag(),
        "warm_start": Flag(),
        "verbose": Whole(0, or_flag=True),
        "subsample": Interval(0, 1, closed="right"),
        "validation_fraction": Interval(0, 1, closed="neither", says="between 0 and 1"),
    }
    leaves: str = "votes"
    scoring: Any = None
    temperature_: float = 1.0
    loss_: str | None = None

    estimator: Any
    n_estimators: int
    max_depth: Any
    learning_rate: float
    loss: str
    class_cost: Any
    noise_matrix: Any
    subsample: float
    max_features: float = 1.0
    views: Any
    max_bins: int
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    warm_start: bool
    random_state: Any
    verbose: int

    vote_: Vote
    history_: dict[str, Any]
    stop_reason_: str
    subsample_: float

    @abstractmethod
    def _begin(self, setting: Setting) -> Any:
        """Return the state of the process before the first round."""

    @abstractmethod
    def _boost(self, process: Any, seed: int) -> Round:
        """Do one round: find voters, weigh them, bring the state up to date."""

    @abstractmethod
    def _replay(self, process: Any, vote: Vote) -> None:
        """Restore the state after the rounds of this vote."""

    @abstractmethod
    def _class_units(self, class_mass: np.ndarray) -> np.ndarray:
        """Number that the loss divides the examples of each class by, shape (n_classes,)."""

    def _finish(self, process: Any) -> None:
        """Store what else the method has to show once the vote stands."""

    def _admit(
        self,
        costs: VoteCosts | ScoreCosts,
        candidate: Candidate,
        weight: float | None = None,
        **record: Any,
    ) -> Round:
        """Let a voter enter the vote, with the weight of its edge unless another is given."""
        if isinstance(costs, ScoreCosts):
            return self._admit_scores(costs, candidate, **record)
        alpha = self.learning_rate * (vote_weight(candidate.edge) if weight is None else weight)
        costs.add(candidate.answers, alpha)
        found = {"edge": candidate.edge, "weight": alpha, "log_loss": costs.log_loss}
        return Round(
            terms=[Term(candidate.voter, np.full(costs.n_classes, alpha), candidate.view)],
            record=found | record,
            stop="a voter without training errors" if candidate.edge >= 1.0 - EDGE_CLIP else "",
        )

    def _admit_scores(self, costs: ScoreCosts, candidate: Candidate, **record: Any) -> Round:
        """Let a tree with leaf scores enter the vote."""
        scored = candidate.scored
        assert scored is not None
        costs.add(scored.leaf_of, scored.scores)
        found = {"edge": scored.edge, "weight": scored.weight, "log_loss": costs.log_loss}
        return Round(
            terms=[Term(scored.voter, scored.scores, candidate.view)],
            record=found | record,
            stop="no training errors are left" if costs.is_settled else "",
        )

    def _give_up(self) -> Round:
        """No voter is better than guessing: end learning, unless other rows may be drawn."""
        return Round([], stop="" if self.subsample_ < 1.0 else "no voter with a positive edge")

    @with_callbacks
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        clean: Any = None,
        validation: Any = None,
    ) -> Self:
        """Learn the vote.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            Numbers; NaN is a missing value. Category columns of a dataframe are used by code.
            A Dask array or dataframe is used in training where its partitions are.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            Number of examples that each row represents. Rows of weight zero are left out.
        clean : array-like of bool, shape (n_samples,), optional
            With ``noise_matrix``: rows whose label is certain.
        validation : tuple (X, y) or (X, y, sample_weight), optional
            With ``early_stopping``: the validation rows; no training rows are held out. Dask
            collections are computed.

        Returns
        -------
        self : object
        """
        check_parameters(self)
        self._check_leaves()
        if self.scoring is not None and self.scoring not in ("log_loss", "norm"):
            get_scorer(self.scoring)
        with (
            whole_or_nothing(self) as earlier,
            thread_pool(self.n_jobs) as pool,
            closing(self._rows_of(X, y, sample_weight, clean, pool)) as rows,
        ):
            self.classes_, self.views_ = rows.classes, rows.views
            self._settle(rows)
            self.subsample_ = float(self._value("subsample"))
            goes_on = self._continues(earlier, validation is not None)
            continued = earlier["vote_"] if goes_on else None
            self.__dict__.pop("loss_", None)
            if self._has_scores:
                self.loss_ = self.loss
            train, held = self._hold_out(rows, validation)
            setting = self._set_up(train, pool)
            self.class_prior_ = setting.labels.class_prior
            process = self._begin(setting)
            vote = self._resume(setting, process, continued)
            setting.start()
            if self._has_scores:
                self.temperature_ = self._usual_temperature
            watch = None if held is None else self._watch(held, setting, vote)
            self._learn(setting, process, vote, watch)
            self._keep(vote, len(vote.ends) if watch is None else watch.best_round)
            self._finish(process)
            if self._has_scores:
                self.temperature_ = self._fit_temperature(held, setting.labels, watch)
        return self

    def _rows_of(
        self, X: Any, y: Any, sample_weight: Any, clean: Any, pool: ThreadPool
    ) -> TrainingRows | ShardedRows:
        """The training rows, validated, wherever they are."""
        if isinstance(X, RowBlocks) or is_collection(X):
            from uneven.boosting.sharded.opening import open_sharded

            return open_sharded(self, X, y, sample_weight, clean, pool)
        rows = validate_fit_data(self, X, y, sample_weight, clean)
        if self._has_scores and sample_weight is None:
            rows.mass = np.broadcast_to(1.0, len(rows.y))  # takes no memory
        return rows

    def _set_up(self, rows: TrainingRows | ShardedRows, pool: ThreadPool) -> Setting:
        """What the method gets to work with."""
        share = 1.0 if self._has_scores else self.subsample_
        if not isinstance(rows, TrainingRows):
            known = (self._class_units, self._priced_mistakes(), self._noise())
            return rows.setting(*known, share, self.max_bins, pool)
        table = TrainingTable.of(rows, self.max_bins, pool)
        labels = self._observe(rows, pool)
        draw = RowDraw(rows.draw_keys() if share < 1.0 else None, share)
        return Setting(table, rows.views, rows.view_mask, labels, draw)

    def _needs_all_rows(self) -> str:
        """Why the method, with its parameters, cannot learn from rows in shards; "" if it can."""
        return "the method is not written for rows in shards"

    def _settle(self, rows: TrainingRows | ShardedRows) -> None:
        """Set parameters that depend on the table, before training."""

    def _value(self, name: str) -> Any:
        """A parameter, settled."""
        return getattr(self, name)

    @property
    def _has_scores(self) -> bool:
        return self.leaves == "scores"

    def _check_leaves(self) -> None:
        """Refuse parameters that do not go together with the kind of leaves."""
        if not self._has_scores:
            if self.estimator is None or isinstance(self.estimator, (Mapping, list, tuple)):
                self._check_depth()
            for name, neutral in _SCORE_ONLY.items():
                value = getattr(self, name, neutral)
                if value != neutral:
                    raise ValueError(f'{name}={value!r} needs leaves="scores".')
            return
        if self.estimator is not None:
            raise ValueError('leaves="scores" grows its own trees: estimator must be None.')
        if getattr(self, "line_search", False):
            raise ValueError('line_search needs leaves="votes"; leaf_step is its counterpart.')
        if self.max_depth is not None:
            self._check_depth()

    def _check_depth(self) -> None:
        """Refuse a depth that no tree can have."""
        check_integer("max_depth", self.max_depth, 1, 30)

    def _learn(
        self, setting: Setting, process: Any, vote: GrowingVote, watch: EarlyStopping | None
    ) -> None:
        """Run the rounds that are left to do."""
        n_rounds = self._value("n_estimators")
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=n_rounds)
        done = int(self.history_["round"][-1]) if vote.ends else 0
        self.stop_reason_ = "one class" if setting.table.n_classes == 1 else ""
        todo = range(0) if self.stop_reason_ else range(done, n_rounds)
        for number in announced_rounds(self, todo, setting.table, vote):
            seed = int(seeds[number])
            setting.begin_round(seed)
            outcome = self._boost(process, seed)
            if outcome.terms:
                vote.add(outcome.terms)
                self._add_to_history(number + 1, seed, outcome, watch)
            is_stale = watch is not None and watch.should_stop
            self.stop_reason_ = outcome.stop or ("early stopping" if is_stale else "")
            done = number + 1
        if todo and not vote.terms:
            warn_of_guessing()
        if not self.stop_reason_:
            complete = done >= n_rounds
            self.stop_reason_ = "all rounds done" if complete else "a callback asked to stop"

    def _keep(self, vote: GrowingVote, n_rounds: int) -> None:
        """Store the vote as it was after so many rounds."""
        self.vote_ = vote.stand().truncate(n_rounds)
        self.n_estimators_ = n_rounds
        self.history_ = {key: np.array(values[:n_rounds]) for key, values in self.history_.items()}

    def _add_to_history(
        self, number: int, seed: int, outcome: Round, watch: EarlyStopping | None
    ) -> None:
        """Append a round in which voters joined the vote."""
        record = {"round": number} | outcome.record
        if self.subsample_ < 1.0:
            record["draw"] = seed
        if watch is not None:
            record["validation_score"] = watch.score(outcome.terms)
        for key, value in record.items():
            self.history_.setdefault(key, []).append(value)

    def _resume(self, setting: Setting, process: Any, continued: Vote | None) -> GrowingVote:
        """Start from nothing, or from an earlier vote."""
        vote = GrowingVote(setting.table.n_classes, setting.views)
        if continued is None:
            self.history_ = {}
            return vote
        self.history_ = {key: list(values) for key, values in self.history_.items()}
        self._replay(process, continued)
        vote.terms, vote.ends = continued.terms(), continued.rounds.tolist()
        return vote

    def _learnt_terms(self, setting: Setting, vote: Vote) -> Iterator[Term]:
        """The terms of an earlier vote, with the rows of each round drawn again."""
        terms = vote.terms()
        for k, (start, end) in enumerate(pairwise([0, *vote.rounds.tolist()])):
            setting.begin_round(int(self.history_["draw"][k]) if "draw" in self.history_ else 0)
            yield from terms[start:end]

    def _noise(self) -> tuple[np.ndarray, np.ndarray] | None:
        """The noise matrix and its inverse; None if labels are right."""
        if self.noise_matrix is None:
            return None
        noise = learning_matrix(self.noise_matrix, self.classes_)
        if np.array_equal(noise, np.eye(len(noise))):
            return None
        return noise, invert_noise(noise).inverse

    def _observe(self, rows: TrainingRows, pool: ThreadPool) -> KnownLabels:
        """The labels of the training rows, and how they go wrong if that is known."""
        prices = self._priced_mistakes()
        known = (rows.y, rows.mass, len(rows.classes), self._class_units, prices)
        noise = self._noise()
        return (
            KnownLabels(*known) if noise is None else NoisyLabels(*known, *noise, rows.clean, pool)
        )

    def _priced_mistakes(self) -> np.ndarray | None:
        """The cost of each mistake, validated, shape (n_classes, n_classes)."""
        prices = check_class_cost(self.class_cost, self.classes_)
        if prices is not None and self._has_scores:
            largest = (prices - np.diag(np.diag(prices))).max(initial=0.0)
            if largest and not 1e-15 <= largest <= 1e15:
                raise ValueError(
                    f"the largest entry of class_cost is {largest:g}; leaves with scores need one "
                    "between 1e-15 and 1e15: divide class_cost by it."
                )
        return prices

    def _probabilities(self, scores: np.ndarray, balanced: bool = False) -> np.ndarray:
        """Probabilities of the classes, from votes or from leaf scores, (n_samples, n_classes)."""
        if self.loss_ is None:
            return super()._probabilities(scores)
        units = self._class_units(self.class_prior_)
        shift = 0.0 if balanced else np.log(units)
        known = softmax(self.temperature_ * scores + shift, axis=1)
        prior = self.class_prior_ / units if balanced else self.class_prior_
        return np.where(scores.any(axis=1, keepdims=True), known, prior / prior.sum())

    def predict_proba(self, X: Any, balanced: bool = False) -> np.ndarray:
        """Probabilities of the classes.

        If leaves vote, these are the shares of the vote that each class receives: they rank well
        but are not calibrated, usually too even. Wrap the estimator in
        :class:`sklearn.calibration.CalibratedClassifierCV` where a probability is needed.

        If leaves hold scores, they are the softmax of ``temperature_`` times the scores. Methods
        that weigh all classes the same multiply by the class frequencies of the training rows, so
        the largest one need not be what :meth:`predict` returns.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        balanced : bool, default=False
            If leaves hold scores: leave the frequencies out, as if classes were as frequent as
            they weigh in the loss. The largest one is then what :meth:`predict` returns.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to 1. Where all voters abstain, they are the training class frequencies, or
            with ``balanced`` what the classes weigh in the loss, and :meth:`predict` returns the
            most frequent class.
        """
        if is_collection(X):
            return answer_lazily(self, "predict_proba", X, balanced=balanced)
        return self._probabilities(self._scores(X), balanced)

    def staged_predict_proba(self, X: Any, balanced: bool = False) -> Iterator[np.ndarray]:
        """Yield what :meth:`predict_proba` returns, after each round."""
        for scores in self._staged_scores(X):
            yield self._probabilities(scores, balanced)

    def _continues(self, earlier: dict[str, Any], validated: bool) -> bool:
        """Whether ``fit`` continues from an earlier vote; refuse if it cannot."""
        if not self.warm_start or "vote_" not in earlier:
            return False
        if self._value("early_stopping") and self.random_state is None and not validated:
            raise ValueError(
                "warm_start with early_stopping needs a fixed random_state, so that the same rows "
                "stay held out."
            )
        check_same_table(self, earlier)
        before, now = earlier.get("loss_"), self.loss if self._has_scores else None
        if before != now:
            told = [
                'leaves="votes"' if kind is None else f'leaves="scores" and loss={kind!r}'
                for kind in (before, now)
            ]
            raise ValueError(
                f"warm_start goes on from a fit with {told[0]}, but now there is {told[1]}."
            )
        share = earlier.get("subsample_", 1.0)
        if share != self.subsample_:
            raise ValueError(
                f"warm_start needs the subsample of the first fit, {share}, but it is now "
                f"{self.subsample_}."
            )
        learnt = len(earlier["vote_"].rounds)
        n_rounds = self._value("n_estimators")
        if n_rounds < learnt:
            raise ValueError(
                f"warm_start cannot take rounds away: n_estimators={n_rounds}, but "
                f"{learnt} rounds are already learnt."
            )
        return True

    def _hold_out(
        self, rows: TrainingRows | ShardedRows, validation: Any
    ) -> tuple[TrainingRows | ShardedRows, TrainingRows | None]:
        """Validation rows: those given, or a share of every class that has more than one row."""
        if validation is not None and not self._value("early_stopping"):
            raise ValueError("validation is for early stopping: set early_stopping=True.")
        held = None if validation is None else validate_held_rows(self, validation, rows)
        if not self._value("early_stopping") or len(rows.classes) == 1:
            return rows, None
        if held is not None:
            return rows, held
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        return rows.hold_out(self.validation_fraction, int(seed))

    def _check_model_(self) -> None:
        """Refuse a loaded loss or temperature that no training leaves behind."""
        super()._check_model_()
        if self.loss_ not in (None, *LOSSES) or (self.vote_.has_scores and self.loss_ is None):
            raise ValueError(f"its leaf scores were learnt with the loss {self.loss_!r}")
        warmth = self.temperature_
        if not isinstance(warmth, float) or not 0.0 < warmth <= LARGEST:
            raise ValueError(f"its temperature is {warmth!r}")

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [cls(n_estimators=5)]


_SCORE_ONLY = {
    "loss": "exponential",
    "leaf_step": "auto",
    "max_leaves": None,
    "l2": 1.0,
    "min_weight": 0.1,
}
"""Parameters of leaves that hold scores, and their values that mean nothing otherwise."""


class ScoreLeavesMixin:
    """The parameters of methods whose leaves may hold scores; files from before have none."""

    _parameters: ClassVar = {
        "leaves": Choice(("votes", "scores")),
        "loss": Choice(LOSSES),
        "leaf_step": Choice(LEAF_STEPS),
        "max_leaves": Maybe(Whole(2, 65_536)),
        "l2": Interval(0),
        "min_weight": Interval(0),
        "max_features": Interval(0, 1, closed="right"),
    }

    leaves: str = "votes"
    loss: str = "exponential"
    leaf_step: str = "auto"
    max_leaves: int | None = None
    l2: float = 1.0
    min_weight: float = 0.1
    max_features: float = 1.0
    scoring: Any = None


@dataclass
class _Process:
    """State of a boosting process with one cost matrix."""

    setting: Setting
    columns: np.ndarray
    view: int
    learner: WeakLearner
    costs: VoteCosts


@dataclass
class _ScoreProcess:
    """State of a boosting process whose leaves hold scores."""

    setting: Setting
    learner: ScoreLearner
    costs: ScoreCosts


class SingleCostBoosting(ScoreLeavesMixin, BoostingClassifier):
    """One cost matrix, one voter per round; subclasses only weigh the examples."""

    _parameters: ClassVar = {"line_search": Flag()}

    line_search: bool

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 200,
        leaves: str = "votes",
        max_depth: int | None = 3,
        max_leaves: int | None = None,
        learning_rate: float = 1.0,
        loss: str = "exponential",
        leaf_step: str = "auto",
        l2: float = 1.0,
        min_weight: float = 0.1,
        class_cost: Any = None,
        noise_matrix: Any = None,
        subsample: float = 1.0,
        max_features: float = 1.0,
        line_search: bool = False,
        views: Any = None,
        max_bins: int = 255,
        early_stopping: bool = False,
        scoring: Any = None,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 20,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        store_parameters(self, locals())

    def _needs_all_rows(self) -> str:
        return ""

    def _begin(self, setting: Setting) -> _Process | _ScoreProcess:
        views = setting.views
        view = 0 if len(views) == 1 else ALL_VIEWS
        if self._has_scores:
            return self._begin_scores(setting, view)
        learner = as_weak_learner(self.estimator, self.max_depth or 3)
        costs = setting.open_shared_costs()
        return _Process(setting, views.used_columns, view, learner, costs)

    def _begin_scores(self, setting: Setting, view: int) -> _ScoreProcess:
        table = setting.table
        settings = ScoreSettings.of(self._value, table.n_rows, table.n_classes)
        return _ScoreProcess(setting, *setting.open_scores(settings, view))

    def _boost(self, process: _Process | _ScoreProcess, seed: int) -> Round:
        if isinstance(process, _ScoreProcess):
            return self._boost_scores(process, seed)
        costs, table = process.costs, process.setting.table
        seen = process.setting.draw.seen_of(costs, table.pool)
        columns = draw_columns(process.columns, self.max_features, seed)
        voter, answers = process.learner.learn(table, columns, seen, seed)
        edge = costs.edge(answers)
        if edge <= EDGE_TOLERANCE:
            return self._give_up()
        searched = line_search_weight(*costs.right_and_wrong(answers)) if self.line_search else None
        return self._admit(costs, Candidate(voter, answers, process.view, edge), searched)

    def _boost_scores(self, process: _ScoreProcess, seed: int) -> Round:
        result = process.learner.learn(process.costs, seed)
        if result.edge <= EDGE_TOLERANCE:
            return self._give_up()
        candidate = Candidate(result.voter, result.leaf_of, result.view, result.edge, result)
        return self._admit(process.costs, candidate)

    def _replay(self, process: _Process | _ScoreProcess, vote: Vote) -> None:
        for term in self._learnt_terms(process.setting, vote):
            process.costs.add(process.setting.table.answers_of(term.voter), term.weight)


def warn_of_guessing() -> None:
    """Warn that no round found a voter worth a vote."""
    warnings.warn(
        "no weak learner is better than guessing: the classifier always predicts the most "
        "frequent class.",
        stacklevel=4,
    )
