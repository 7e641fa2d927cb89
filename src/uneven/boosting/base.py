"""The one boosting loop. A method supplies how it begins and what it does in a round."""

from __future__ import annotations

import warnings
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from uneven.boosting.judge import Judge
from uneven.boosting.label_noise import known_noise, signals, true_mass
from uneven.costs import EDGE_CLIP, EDGE_TOLERANCE, line_search_weight, vote_weight
from uneven.costs.expected import Beliefs, ExpectedCosts, VoteCosts
from uneven.costs.matrices import CostMatrix, RunningCosts
from uneven.noise import NoiseInverse
from uneven.utils.parallel import ThreadPool, thread_pool
from uneven.utils.parameters import Flag, Interval, Jobs, Whole, check_integer, check_parameters
from uneven.utils.validation import check_class_cost, fitted_attributes, whole_or_nothing
from uneven.views import ViewMap
from uneven.views.training_rows import TrainingRows, check_same_table, validate_fit_data
from uneven.voters import TrainingTable, Voter, WeakLearner, as_weak_learner
from uneven.votes import ALL_VIEWS, Term, Vote
from uneven.votes.vote import StagedVoteClassifier

__all__ = [
    "BoostingClassifier",
    "CallbackSupportMixin",
    "Candidate",
    "Round",
    "RowDraw",
    "Setting",
    "SingleCostBoosting",
    "announced_rounds",
    "with_callbacks",
]


try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stand-in for scikit-learn's mixin: there are no callbacks to support."""

    def with_callbacks(method: Callable) -> Callable:  # type: ignore[no-redef]
        """Stand-in for scikit-learn's decorator."""
        return method


class RowDraw:
    """The rows that the voters of a round learn from.

    Parameters
    ----------
    n_rows : int
    share : float
        Share of the rows to draw, in (0, 1]; 1 takes all of them and draws nothing.

    Attributes
    ----------
    rows : ndarray of bool, shape (n_rows,), or None
        None if all rows take part.

    Examples
    --------
    >>> draw = RowDraw(6, 0.5)
    >>> draw.begin(seed=0)
    >>> int(draw.rows.sum())
    3
    """

    def __init__(self, n_rows: int, share: float) -> None:
        self._n_rows, self._share = n_rows, share
        self.rows: np.ndarray | None = None

    def begin(self, seed: int) -> None:
        """Draw the rows of a round, the same ones for the same seed."""
        if self._share < 1.0:
            size = max(1, round(self._share * self._n_rows))
            drawn = np.random.RandomState(seed).permutation(self._n_rows)[:size]
            self.rows = np.zeros(self._n_rows, dtype=bool)
            self.rows[drawn] = True

    def seen_of(self, costs: CostMatrix, pool: ThreadPool) -> CostMatrix:
        """The costs of the drawn rows; of all rows if the drawn ones cost nothing."""
        if self.rows is None:
            return costs
        seen = costs.where(self.rows, pool)
        return seen if seen.stake > 0.0 else costs


@dataclass
class Setting:
    """What a method gets to work with.

    Attributes
    ----------
    table : TrainingTable
    views : ViewMap
    view_mask : ndarray of bool, shape (n_samples, n_views)
        Where the views are there.
    draw : RowDraw
        The rows that the voters of the current round learn from.
    noise : NoiseInverse or None
        How labels go wrong, if they do.
    clean : ndarray of bool, shape (n_samples,), or None
        Rows whose label is known to be right.
    beliefs : Beliefs or None
        What the true labels may be, if the observed ones are noisy.
    """

    table: TrainingTable
    views: ViewMap
    view_mask: np.ndarray
    draw: RowDraw
    noise: NoiseInverse | None = None
    clean: np.ndarray | None = None
    beliefs: Beliefs | None = None

    def begin_round(self, seed: int) -> None:
        """Draw the rows of the round."""
        self.draw.begin(seed)
        if self.beliefs is not None:
            self.beliefs.begin_round(self.draw.rows)

    def labels(self) -> np.ndarray:
        """The labels, or the most probable ones if they are noisy, shape (n_samples,)."""
        return self.table.y if self.beliefs is None else self.beliefs.labels()


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

    _parameters: ClassVar = {
        "n_estimators": Whole(1),
        "max_bins": Whole(2, 255),
        "n_jobs": Jobs(),
        "learning_rate": Interval(0, 1, closed="right"),
        "n_iter_no_change": Whole(1),
        "early_stopping": Flag(),
        "warm_start": Flag(),
        "subsample": Interval(0, 1, closed="right"),
        "validation_fraction": Interval(0, 1, closed="neither", says="between 0 and 1"),
    }

    vote_: Vote
    history_: dict[str, Any]
    stop_reason_: str
    subsample_: float

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 200,
        max_depth: int = 3,
        learning_rate: float = 1.0,
        class_cost: Any = None,
        noise_matrix: Any = None,
        subsample: float = 1.0,
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
        self.noise_matrix = noise_matrix
        self.subsample = subsample
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
    def _class_units(self, class_mass: np.ndarray) -> np.ndarray:
        """Number that the loss divides the examples of each class by, shape (n_classes,)."""

    def _finish(self, process: Any) -> None:
        """Store what else the method has to show once the vote stands."""

    def _open_costs(
        self, setting: Setting, table: TrainingTable, tells_beliefs: bool = False
    ) -> VoteCosts:
        """The first cost matrix of a table; rows without mass cost nothing."""
        class_cost = check_class_cost(self.class_cost, self.classes_)
        units = self._class_units(
            true_mass(table.y, table.mass, table.n_classes, setting.noise, setting.clean)
        )
        if setting.beliefs is None:
            weights = table.mass / units[table.y]
            return RunningCosts(table.y, table.n_classes, weights, class_cost, table.pool)
        return ExpectedCosts(
            table.y, table.mass, setting.beliefs, units, class_cost, tells_beliefs, table.pool
        )

    def _open_shared_costs(self, setting: Setting) -> VoteCosts:
        """The first cost matrix of all views together; rows without any view cost nothing."""
        seen = setting.table.where(np.any(setting.view_mask, axis=1), setting.table.pool)
        return self._open_costs(setting, seen, tells_beliefs=True)

    def _open_beliefs(self, setting: Setting) -> Beliefs | None:
        """What the true labels may be before anybody has voted, if the observed ones are noisy."""
        table = setting.table
        if setting.noise is None:
            return None
        units = self._class_units(self.class_prior_ * table.class_mass.sum())
        prices = check_class_cost(self.class_cost, self.classes_)
        if prices is not None:
            np.fill_diagonal(prices, 0.0)
            means = prices.mean(axis=1)
            units = units / np.where(means > 0.0, means, 1.0)
        chances = np.vstack([setting.noise.matrix, np.eye(table.n_classes)])
        seen = signals(table.y, table.n_classes, setting.clean)
        return Beliefs(seen, chances, self.class_prior_, units, table.pool)

    def _admit(
        self,
        costs: VoteCosts,
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
        """No voter does better than guessing: end learning, unless other rows may be drawn."""
        return Round([], stop="" if self.subsample < 1.0 else "no voter with a positive edge")

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None, clean: Any = None) -> Self:
        """Learn the vote.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            Numbers; NaN is a missing value. Category columns of a dataframe are used by code.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            How many examples each row stands for. Rows of weight zero are left out.
        clean : array-like of bool, shape (n_samples,), optional
            With ``noise_matrix``: rows whose label is known to be right.

        Returns
        -------
        self : object
        """
        check_parameters(self)
        if self.estimator is None or isinstance(self.estimator, Mapping):
            check_integer("max_depth", self.max_depth, 1, 30)
        with whole_or_nothing(self) as earlier:
            rows = validate_fit_data(self, X, y, sample_weight, clean)
            self.classes_, self.views_ = rows.classes, rows.views
            self.subsample_ = float(self.subsample)
            continued = earlier["vote_"] if self._continues(earlier) else None
            train, validation = self._hold_out(rows)
            with thread_pool(self.n_jobs) as pool:
                table = TrainingTable.of(train, self.max_bins, pool)
                noise = known_noise(self.noise_matrix, self.classes_)
                mass = true_mass(train.y, train.mass, len(rows.classes), noise, train.clean)
                self.class_prior_ = mass / mass.sum()
                draw = RowDraw(len(train.y), self.subsample)
                setting = Setting(table, rows.views, train.view_mask, draw, noise, train.clean)
                setting.beliefs = self._open_beliefs(setting)
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
        judge = None if validation is None else self._appoint_judge(validation, setting.noise)
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
            setting.begin_round(int(seeds[number]))
            outcome = self._boost(process, int(seeds[number]))
            if outcome.terms:
                terms += outcome.terms
                ends.append(len(terms))
                record = {"round": number + 1} | outcome.record
                if self.subsample < 1.0:
                    record["draw"] = int(seeds[number])
                if judge is not None:
                    record["validation_score"] = judge.score(outcome.terms)
                for key, value in record.items():
                    self.history_.setdefault(key, []).append(value)
            tired = judge is not None and judge.is_tired
            self.stop_reason_ = outcome.stop or ("early stopping" if tired else "")
            done = number + 1
        if todo and not terms and done:
            warnings.warn(
                "no voter does better than guessing: the classifier always answers the most "
                "frequent class.",
                stacklevel=2,
            )
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

    def _retold(self, setting: Setting, vote: Vote) -> Iterator[Term]:
        """The terms of an earlier vote, with the rows of each round drawn again."""
        terms = vote.terms()
        for k, (start, end) in enumerate(pairwise([0, *vote.rounds.tolist()])):
            setting.begin_round(int(self.history_["draw"][k]) if "draw" in self.history_ else 0)
            yield from terms[start:end]

    def _appoint_judge(self, rows: TrainingRows, noise: NoiseInverse | None) -> Judge:
        """Who decides about early stopping."""
        n_classes = len(rows.classes)
        mass = true_mass(rows.y, rows.mass, n_classes)
        if noise is not None:
            mass = rows.mass.sum() * self.class_prior_
        units = self._class_units(mass)
        certain = np.eye(n_classes)
        gains = np.hstack([certain if noise is None else noise.inverse, certain])
        worth = gains / units[:, None] / (mass / units).sum()
        seen = signals(rows.y, n_classes, rows.clean)
        fallback = int(self.class_prior_.argmax())
        return Judge(rows, seen, worth, fallback, self.n_iter_no_change)

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
        share = earlier.get("subsample_", 1.0)
        if share != self.subsample:
            raise ValueError(
                f"warm_start needs the subsample of the first fit, {share}, but it is now "
                f"{self.subsample}."
            )
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

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [cls(n_estimators=5)]


@dataclass
class _Process:
    """State of a boosting process with one cost matrix."""

    setting: Setting
    columns: np.ndarray
    view: int
    learner: WeakLearner
    costs: VoteCosts


class SingleCostBoosting(BoostingClassifier):
    """One cost matrix, one voter per round; subclasses only weigh the examples."""

    _parameters: ClassVar = {"line_search": Flag()}

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 200,
        max_depth: int = 3,
        learning_rate: float = 1.0,
        class_cost: Any = None,
        noise_matrix: Any = None,
        subsample: float = 1.0,
        line_search: bool = False,
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
        super().__init__(
            estimator,
            n_estimators=n_estimators,
            max_depth=max_depth,
            learning_rate=learning_rate,
            class_cost=class_cost,
            noise_matrix=noise_matrix,
            subsample=subsample,
            views=views,
            max_bins=max_bins,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            warm_start=warm_start,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.line_search = line_search

    def _begin(self, setting: Setting) -> _Process:
        views = setting.views
        view = 0 if len(views) == 1 else ALL_VIEWS
        learner = as_weak_learner(self.estimator, self.max_depth)
        costs = self._open_shared_costs(setting)
        return _Process(setting, views.used_columns, view, learner, costs)

    def _boost(self, process: _Process, seed: int) -> Round:
        costs, table = process.costs, process.setting.table
        seen = process.setting.draw.seen_of(costs, table.pool)
        voter, answers = process.learner.learn(table, process.columns, seen, seed)
        edge = costs.edge(answers)
        if edge <= EDGE_TOLERANCE:
            return self._give_up()
        searched = line_search_weight(*costs.right_and_wrong(answers)) if self.line_search else None
        return self._admit(costs, Candidate(voter, answers, process.view, edge), searched)

    def _replay(self, process: _Process, vote: Vote) -> None:
        for term in self._retold(process.setting, vote):
            process.costs.add(term.voter.predict(process.setting.table.X), term.weight)


def announced_rounds(
    estimator: Any, rounds: range, data: tuple[Any, Any], snapshot: Callable[[], dict]
) -> Iterator[int]:
    """Iterate over the rounds of a fit, reporting each one when it has been done.

    Parameters
    ----------
    estimator : object
        Has ``verbose``, a ``history_`` that the loop body appends to, and a ``stop_reason_`` that
        it sets to end the rounds: breaking out would keep the end from the callbacks.
    rounds : range
        Round numbers still to do.
    data : (X, y)
        What callbacks receive as the training data.
    snapshot : callable
        Returns the fitted attributes as they would be if learning ended now; called only if a
        callback asks for them.

    Yields
    ------
    int
        The round number. Iteration ends early when a callback asks for it.
    """
    start_context = getattr(estimator, "_init_callback_context", None)
    if start_context is None:
        for number in rounds:
            yield number
            _print_round(estimator, number)
            if estimator.stop_reason_:
                return
        return
    X, y = data
    context = start_context(max_subtasks=len(rounds))
    context.call_on_fit_task_begin(estimator=estimator, X=X, y=y)
    for number in rounds:
        inner = context.subcontext(task_name="round")
        inner.call_on_fit_task_begin(estimator=estimator, X=X, y=y)
        yield number
        _print_round(estimator, number)
        asked_to_stop = inner.call_on_fit_task_end(
            estimator=estimator, X=X, y=y, reconstruction_attributes=snapshot
        )
        if asked_to_stop or estimator.stop_reason_:
            break
    context.call_on_fit_task_end(estimator=estimator, X=X, y=y, reconstruction_attributes=snapshot)


def _print_round(estimator: Any, number: int) -> None:
    """Print the newest line of the history every ``10 / verbose`` rounds."""
    if not estimator.verbose:
        return
    every = max(1, 10 // int(estimator.verbose))
    last = {k: v[-1] for k, v in estimator.history_.items() if len(v) and np.ndim(v[-1]) == 0}
    last.pop("round", None)
    if last and (number + 1) % every == 0:
        line = "  ".join(f"{key} {value:.4f}" for key, value in last.items())
        print(f"{type(estimator).__name__}  round {number + 1}  {line}")
