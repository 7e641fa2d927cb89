"""The Bregman vote: weights of voters within views and of views, learnt together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import expit
from sklearn.utils import check_random_state, get_tags

from uneven.fusion.bregman import VIEW_RULES, Descent, DoubleWeights
from uneven.fusion.per_view import validate_rows, warn_if_nothing_learnt
from uneven.fusion.voter_pools import Pool, Question, as_voters, make_pool
from uneven.utils.contract import not_repeatable
from uneven.utils.docstrings import documented
from uneven.utils.methods import method
from uneven.utils.model_types import persisted
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
from uneven.utils.validation import whole_or_nothing
from uneven.views.training_rows import TrainingRows, tell_absent_views
from uneven.voters import TreeVoter
from uneven.votes import Term, Vote
from uneven.votes.vote import VoteClassifier, checked_vote, flatten_binary

_SHARE = Interval(0, 1, says="a number between 0 and 1")


@dataclass
class _Solved:
    """One class against the others: its voters and what they weigh."""

    question: Question
    pools: list[Pool]
    weights: DoubleWeights


@persisted("bregman_vote", role="classifier")
@method(
    "bregman_vote",
    "Bregman vote",
    "Random trees in every view, with a weight for every tree and for every view.",
    order=31,
    joins_views=True,
)
@documented
class BregmanVoteClassifier(VoteClassifier):
    """Bregman vote (MωMvC²): a vote with a weight for every voter and a weight for every view.

    Each view gets a pool of voters, by default 20 random trees. The
    vote for the second of two classes is ``B(x) = sum_v rho_v sum_j pi_vj h_vj(x)``, where a voter
    ``h`` predicts -1 or +1. An iteration moves the weights ``pi`` of all voters at once, then the
    weights ``rho`` of the views, to lower the logistic loss ``sum_i ln(1 + exp(-y_i B(x_i)))``,
    which is the Bregman divergence of the examples' weights from 0. With more than two classes,
    each is learnt against the others, all in one vote.

    Parameters
    ----------
    voters : None, "published", classifier, list of classifiers, or dict of view name to these, \
default=None
        Voters of each view, fitted on its columns. None is 20 trees of depth 6 that choose among
        the square root of the number of columns, drawn at random at every split. "published" grows
        one full decision tree per view and takes it cut at depth 1, 2, ... up to two less than its
        own depth. Views that a dict does not name get random trees. Sample weights reach those
        whose ``fit`` takes them. Decision trees are kept as cost trees are, which vote faster and
        may go into model files.
    variant : {"safe", "paper"}, default="safe"
        "safe" divides each step by the number of voters in the view and moves the weights of the
        views only as far as the loss does not grow: it never does. "paper" is the published
        algorithm to the letter, without smoothing; its loss may grow.
    max_iter : int, default=5
        Iterations. The published experiments use 2; more bring the vote nearer to the logistic
        regression on the predictions of the voters.
    view_weights : str, default=None
        Where the weights of the views go: "proportional" to what the step of each view gains,
        "fixed" at even weights, "exact" to the least loss, "frank_wolfe" towards the view along
        which the loss falls most steeply, "lp" to the one view that gains most, or "projected",
        the nearest weights to the gains. None is "proportional" in the safe variant, "lp" in the
        other.
    smoothing : float, default=None
        Share of the examples' weight that is added to what a voter has right and wrong. None is
        one example's share in the safe variant, so that multiplying all sample weights changes
        the vote, as more examples would; in the other it is 0. At least machine precision
        (2.2e-16) is always added: a voter without errors then moves by 18, not without end.
    floor : float, default=None
        Least weight of a view in the safe variant, where the loss allows it. None is 0.001
        divided by the number of views.
    tol : float, default=1e-6
        The safe variant stops when an iteration lowers the loss by less than this share.
    return_index : {"last", "paper"}, default="last"
        "paper" returns the weights before the last iteration, as the published algorithm does.
    out_of_fold : bool or int, default=False
        Evaluate the voters on rows that they did not see, in so many folds (True is 5): the voters
        kept are still those that saw all rows.
    clip_negative : bool, default=False
        Keep the weights of the voters from becoming negative.
    balance : bool, default=False
        Learn each class against as many other rows, drawn at random, as it has (or the other way
        round if it is the larger side). Off by default: all rows are used, nothing is random, and
        the probabilities follow the class frequencies.
    {parameters}
    random_state : int, RandomState or None, default=None
        Seeds the voters (trees break ties between columns at random), the folds and ``balance``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels; of two, the second is the positive one.
    vote_ : Vote
        The fitted vote. Its scores differ by ``B`` for two classes; for more, the score of a
        class is its ``B``.
    view_weights_ : ndarray of shape (n_views,), or (n_classes, n_views) for more than two classes
        ``rho``.
    voter_weights_ : list of ndarray of shape (n_voters,), or a list of these per class
        ``pi`` of each view. Only the products ``rho_v pi_vj`` matter for the vote.
    history_ : dict of str to ndarray of shape (n_iter_, ...)
        ``loss_after_voters`` and ``loss_after_views``, the divergence after each half of an
        iteration, and ``view_weight``; with one more axis for more than two classes. A class that
        stopped earlier keeps its last values.
    n_iter_ : int
        Iterations of the class that took most.
    class_prior_ : ndarray of shape (n_classes,)
        Class frequencies in training.
    views_ : ViewMap
        The resolved views.
    categories_ : dict of str to list
        Categories of the category columns seen in training.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if ``X`` had string column names.

    See Also
    --------
    uneven.fusion.bregman : the formulas.

    References
    ----------
    A. Goyal, E. Morvant and M.-R. Amini (2018), *Multiview learning of weighted majority vote by
    Bregman divergence minimization*.

    Notes
    -----
    Corrections of the source: its problem for the weights of the views is linear, so that its
    solution is always one single view; its step needs the sum of all voters' predictions to stay
    within 1, hence the division by their number; its bound leaves out the change of the views'
    weights, hence the guard; the gain of a view sums over its voters, not over the examples; the
    returned iterate is the one before the last.

    A view that is missing in a row abstains there, in training and afterwards.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import cross_val_score
    >>> from uneven import BregmanVoteClassifier
    >>> from uneven.datasets import load_demo
    >>> demo = load_demo()
    >>> is_even = np.isin(demo.target, ["zero", "two", "four", "six", "eight"])
    >>> model = BregmanVoteClassifier(views=demo.views, random_state=0)
    >>> bool(cross_val_score(model, demo.data, is_even).mean() > 0.8)
    True
    >>> bool((np.diff(model.fit(demo.data, is_even).history_["loss_after_views"]) < 0.0).all())
    True
    """

    voter_weights_: list[Any]
    _parameters: ClassVar = {
        "variant": Choice(("safe", "paper")),
        "max_iter": Whole(1),
        "view_weights": Maybe(Choice(VIEW_RULES)),
        "smoothing": Maybe(_SHARE),
        "floor": Maybe(_SHARE),
        "tol": _SHARE,
        "return_index": Choice(("last", "paper")),
        "clip_negative": Flag(),
        "balance": Flag(),
        "n_jobs": Jobs(),
    }

    def __init__(
        self,
        voters: Any = None,
        *,
        variant: str = "safe",
        max_iter: int = 5,
        view_weights: str | None = None,
        smoothing: float | None = None,
        floor: float | None = None,
        tol: float = 1e-6,
        return_index: str = "last",
        out_of_fold: bool | int = False,
        clip_negative: bool = False,
        balance: bool = False,
        views: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        store_parameters(self, locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the voters of every view and learn the weights.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            Numbers; NaN is a missing value, which the default voters can handle: trees choose its
            side at every split, in a sparse table it counts as larger than every number.
            Category columns of a dataframe are used by code.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            Examples that each row represents: weights of 2 are not the same as weights of 1,
            see ``smoothing``. Rows of weight zero are left out.

        Returns
        -------
        self : object
        """
        descent = self._checked_descent()
        with whole_or_nothing(self), thread_pool(self.n_jobs) as pool:
            rows = validate_rows(self, X, y, sample_weight)
            tell_absent_views(rows)
            rng = check_random_state(self.random_state)
            solved = [
                self._solve(question, descent, rng, pool) for question in self._ask(rows, rng)
            ]
            self._store(solved, len(rows.classes))
        return self

    def _ask(self, rows: TrainingRows, rng: np.random.RandomState) -> Iterator[Question]:
        """One problem for two classes; for more, one per class against the others."""
        n_classes = len(rows.classes)
        asked = range(n_classes) if n_classes > 2 else range(1, n_classes)
        for label in asked:
            chosen = rows
            if self.balance:
                sides = [np.flatnonzero((rows.y == label) == side) for side in (False, True)]
                size = min(len(side) for side in sides)
                drawn = [rng.choice(side, size, replace=False) for side in sides]
                chosen = rows.take(np.sort(np.concatenate(drawn)))
            yield Question(chosen, yes=label, no=(label + 1) % n_classes)

    def _solve(
        self, question: Question, descent: Descent, rng: np.random.RandomState, threads: ThreadPool
    ) -> _Solved:
        """Train the voters of every view, then learn the weights from their predictions."""
        rows = question.rows
        whether = isinstance(self.out_of_fold, bool | np.bool_)
        n_folds = int(self.out_of_fold) * (5 if whether else 1)
        given = [as_voters(part) for part in rows.views.deal("voters", self.voters)]
        jobs = [
            partial(make_pool, question, view, voters, int(rng.randint(2**31 - 1)), n_folds)
            for view, voters in enumerate(given)
        ]
        pools = threads.map(jobs)
        weights = descent.learn([pool.margins for pool in pools], rows.mass, threads)
        return _Solved(question, pools, weights)

    def _store(self, solved: list[_Solved], n_classes: int) -> None:
        """Keep the weights, the history and the vote."""
        terms = [
            term for part in solved for term in (_terms if n_classes == 2 else _one_sided)(part)
        ]
        weights = [part.weights for part in solved]
        self.n_iter_ = max([len(w.history["view_weight"]) for w in weights], default=0)
        view_weights = np.array([w.view_weight for w in weights]).reshape(-1, len(self.views_))
        voter_weights = [w.voter_weight for w in weights]
        history = {
            key: np.stack([_padded(w.history[key], self.n_iter_) for w in weights], axis=1)
            for key in ("loss_after_voters", "loss_after_views", "view_weight")
            if weights
        }
        if n_classes == 2:
            self.view_weights_, self.voter_weights_ = view_weights[0], voter_weights[0]
            self.history_ = {key: values[:, 0] for key, values in history.items()}
        else:
            self.view_weights_, self.voter_weights_ = view_weights, voter_weights
            self.history_ = history
        self.vote_ = Vote(terms, [len(terms)], n_classes, self.views_)
        warn_if_nothing_learnt(self.vote_)

    def _checked_descent(self) -> Descent:
        """Refuse impossible parameters, and put together how the weights are learnt."""
        check_parameters(self)
        if not isinstance(self.out_of_fold, bool | np.bool_):
            check_integer("out_of_fold", self.out_of_fold, 2)
        is_safe = self.variant == "safe"
        return Descent(
            rule=self.view_weights or ("proportional" if is_safe else "lp"),
            max_iter=self.max_iter,
            smoothing=0.0 if self.smoothing is None and not is_safe else self.smoothing,
            shared_step=is_safe,
            guarded=is_safe,
            floor=self.floor,
            tol=self.tol if is_safe else 0.0,
            clip_negative=self.clip_negative,
            drop_last=self.return_index == "paper",
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        given = self.voters.values() if isinstance(self.voters, Mapping) else [self.voters]
        for voter in chain.from_iterable(as_voters(part) or [] for part in given):
            reads = get_tags(voter).input_tags
            tags.input_tags.sparse &= reads.sparse
            tags.input_tags.allow_nan &= reads.allow_nan
        return tags

    def _answers(self, scores: np.ndarray) -> np.ndarray:
        if scores.shape[1] != 2:
            return super()._answers(scores)
        best = (flatten_binary(scores) >= 0.0).astype(np.intp)
        best[~scores.any(axis=1)] = self.class_prior_.argmax()
        return np.asarray(self.classes_[best])

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class by the logistic model that was fitted.

        Two iterations leave it far from extreme, and voters are evaluated on the rows they were
        trained on: calibrate it where a probability is needed.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            ``1 / (1 + exp(-B))`` for the second of two classes; for more, the same of every class,
            divided by their sum. The training class frequencies where all voters abstain.
        """
        scores = self._scores(X)
        silent = ~scores.any(axis=1)
        if scores.shape[1] == 2:
            margin = flatten_binary(scores)
            chances = np.column_stack([expit(-margin), expit(margin)])
        else:
            chances = expit(scores)
        chances[silent] = self.class_prior_
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))

    def undecided(self, X: Any) -> np.ndarray:
        """Rows without a decision: all their views are missing, or it is a tie.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of bool, shape (n_samples,)
            For these, :meth:`predict` returns the most frequent training class, or in a tie the
            second of the two classes.
        """
        scores = self._scores(X)
        return np.asarray(~scores.any(axis=1) | (np.ptp(scores, axis=1) == 0.0))

    @classmethod
    def _test_instances(cls) -> list[Any]:
        from sklearn.naive_bayes import GaussianNB
        from sklearn.tree import DecisionTreeClassifier

        return [
            cls(),
            (
                cls(view_weights="exact", out_of_fold=3, balance=True, n_jobs=2),
                not_repeatable("the rows of the larger side are drawn at random"),
            ),
            cls([GaussianNB(), DecisionTreeClassifier(max_depth=2)]),
        ]

    def _check_model_(self) -> None:
        """Replace the loaded vote, which may have negative weights, by a checked copy."""
        self._check_fit()
        self.vote_ = checked_vote(self.vote_, self, signed=True)


def _terms(solved: _Solved) -> list[Term]:
    """Voters of two classes: whatever they predict gets their weight."""
    return [
        Term(voter, np.full(2, weight), view)
        for view, pool in enumerate(solved.pools)
        for voter, weight in zip(pool.voters, solved.weights.joint(view))
    ]


def _one_sided(solved: _Solved) -> list[Term]:
    """Voters of one class against others, so that its score is ``B``.

    A "yes" counts twice and one more voter always says yes with the weight of all others: together
    that is +1 for each "yes" and -1 for each "no", and nothing for any other class.
    """
    yes = solved.question.yes
    side = np.zeros(len(solved.question.rows.classes))
    side[yes] = 1.0
    terms = []
    for view, pool in enumerate(solved.pools):
        weights = solved.weights.joint(view)
        terms += [Term(voter, 2.0 * w * side, view) for voter, w in zip(pool.voters, weights)]
        if pool.voters:
            terms.append(Term(TreeVoter.constant(yes), -weights.sum() * side, view))
    return terms


def _padded(values: list, length: int) -> np.ndarray:
    """Values of each iteration, the last one repeated, shape (length, ...)."""
    return np.array(values + values[-1:] * (length - len(values)))
