"""Gradient boosting in which every class weighs the same, with settings that follow the table."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from uneven.boosting.combo import ComboClassifier
from uneven.utils.contract import not_repeatable, rounded_by_row
from uneven.utils.docstrings import documented
from uneven.utils.methods import method
from uneven.utils.model_types import persisted
from uneven.utils.parameters import Interval, Maybe, Whole, store_parameters
from uneven.views.training_rows import TrainingRows, count_categories


@persisted("balanced_boosting", role="classifier")
@method(
    "balanced_boosting",
    "balanced boosting",
    "Gradient boosting with one multi-class tree per round; every class has the same weight.",
    order=8,
    parameters=lambda settings: {"n_estimators": None},
    takes_noise=True,
    tunes={
        "max_leaves": (4, 8, 16, 31, 63),
        "learning_rate": (0.05, 0.1, 0.2, 0.3),
        "l2": (0.3, 1.0, 5.0, 20.0),
        "max_features": (0.3, 1.0),
    },
)
@documented
class BalancedBoostingClassifier(ComboClassifier):
    """Gradient boosting for imbalanced classes, fast on large tables, without tuning.

    CoMBo with ``leaves="scores"``: each round grows one tree, best leaf first, and every leaf adds
    a score to every class, so that K classes need one tree per round instead of K. Every class has
    the same weight in the loss. Number of leaves, learning rate, rounds, and the rows and features
    of a tree depend on the size of the table, unless they are given.

    Categorical features (category columns of a data frame) are split into two subsets, missing
    values go to the side with the larger gain, sparse tables stay sparse.

    Parameters
    ----------
    {parameters}
    n_estimators : int or None, default=None
        Maximum number of rounds; None is 1000 with early stopping, else 50 to 100 depending on the
        rows.
    max_depth : int or None, default=None
        Maximum depth of a tree; None is no limit.
    max_leaves : int or None, default=None
        Maximum number of leaves of a tree; None depends on the number of rows.
    learning_rate : float or None, default=None
        Shrinkage in (0, 1] of every leaf score; None depends on the number of rows.
    l2 : float or None, default=None
        Smoothing of the leaf scores, in examples; None depends on the number of rows.
    loss : {"log", "exponential"}, default="log"
        The log-loss is robust to label noise and gives probabilities; the exponential loss
        is that of CoMBo.
    subsample : float or None, default=None
        Fraction of the rows that a tree is grown on, sampled by their cost; leaf scores are
        computed from all rows. None depends on the number of rows.
    max_features : float or None, default=None
        Fraction of the features used by a tree; None is all, or about a thousand if there are more,
        ten thousand of a sparse table.
    categorical_features : array-like of int, str or bool, default=None
        Features whose values are category codes (integers from 0), by position, name or mask, in
        addition to category columns of a data frame.
    early_stopping : bool or "auto", default="auto"
        Hold out rows of every class for validation, stop when ``scoring`` on them no longer
        improves, and keep the best round; "auto" does so from 10 000 rows on.
    scoring : str, callable or None, default=None
        Validation score of ``early_stopping``: the log-loss with balanced class weights if None or
        "log_loss"; "norm" (the confusion norm); the name of a measure or of a scorer of
        scikit-learn; or a scorer ``scorer(estimator, X, y)``.
    random_state : int, RandomState or None, default=None
        Seeds the rounding of gradients, the validation rows, and the sampling of rows, features and
        axes.

    Attributes
    ----------
    {attributes}
    settled_ : dict of str to object
        Values of the parameters that were chosen automatically.

    See Also
    --------
    ComboClassifier : the published method, whose leaves vote for one class.
    sklearn.ensemble.HistGradientBoostingClassifier : one tree per class and round.

    References
    ----------
    S. Koço and C. Capponi (2013), *On multi-class learning through the minimization of the
    confusion matrix norm*: the loss in which every class has the same weight.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.model_selection import cross_val_score
    >>> from uneven import BalancedBoostingClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> model = BalancedBoostingClassifier(random_state=0)
    >>> bool(cross_val_score(model, X, y, cv=3).mean() > 0.94)
    True
    """

    _parameters: ClassVar = {
        "n_estimators": Maybe(Whole(1)),
        "learning_rate": Maybe(Interval(0, 1, closed="right")),
        "l2": Maybe(Interval(0)),
        "subsample": Maybe(Interval(0, 1, closed="right")),
        "max_features": Maybe(Interval(0, 1, closed="right")),
        "early_stopping": None,
        "leaves": None,
        "line_search": None,
    }
    leaves = "scores"
    line_search = False
    estimator = None

    settled_: dict[str, Any]

    def __init__(
        self,
        *,
        n_estimators: int | None = None,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        learning_rate: float | None = None,
        loss: str = "log",
        leaf_step: str = "auto",
        l2: float | None = None,
        min_weight: float = 0.1,
        class_cost: Any = None,
        noise_matrix: Any = None,
        subsample: float | None = None,
        max_features: float | None = None,
        categorical_features: Any = None,
        views: Any = None,
        max_bins: int = 255,
        early_stopping: bool | str = "auto",
        scoring: Any = None,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 20,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        store_parameters(self, locals())

    def _check_leaves(self) -> None:
        if not isinstance(self.early_stopping, bool | np.bool_) and self.early_stopping != "auto":
            raise ValueError(
                f'early_stopping must be True, False or "auto", got {self.early_stopping!r}.'
            )
        super()._check_leaves()

    def _settle(self, rows: Any) -> None:
        """Choose what was left open, by the size of the table."""
        if isinstance(rows, TrainingRows):
            rows.n_codes = count_categories(self, rows)
        else:
            rows.count_categories(self)
        n_even = int(rows.class_counts.min()) * len(rows.classes)
        kind = (n_even, rows.is_sparse, self.early_stopping)
        found = settings_for(rows.n_rows, rows.n_columns, *kind)
        given = {name: getattr(self, name) for name in found if name != "early_stopping"}
        self.settled_ = found | {name: v for name, v in given.items() if v is not None}

    def _value(self, name: str) -> Any:
        return self.settled_[name] if name in self.settled_ else getattr(self, name)

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [
            (cls(n_estimators=5), rounded_by_row()),
            (
                cls(n_estimators=5, loss="exponential", leaf_step="closed", learning_rate=1.0),
                rounded_by_row(),
            ),
            (
                cls(n_estimators=8, early_stopping=True),
                not_repeatable("the held-out rows are drawn at random"),
            ),
        ]


def settings_for(
    n_rows: int,
    n_columns: int,
    n_even: int,
    is_sparse: bool,
    early_stopping: bool | str = "auto",
) -> dict[str, Any]:
    """Parameters that suit a table of this size; ``docs/score-leaves.md`` has the measurements.

    Parameters
    ----------
    n_rows, n_columns : int
    n_even : int
        Rows that there would be if all classes were as small as the smallest.
    is_sparse : bool
    early_stopping : bool or "auto", default="auto"

    Returns
    -------
    dict of str to object

    Examples
    --------
    >>> found = settings_for(1000, 20, 900, is_sparse=False)
    >>> found["max_leaves"], found["n_estimators"], found["early_stopping"]
    (8, 100, False)
    >>> found = settings_for(1_000_000, 20, 900_000, is_sparse=False)
    >>> found["max_leaves"], found["n_estimators"], found["early_stopping"]
    (127, 1000, True)
    """
    told = np.sqrt(float(n_rows) * n_even)
    most_columns = 10_000 if is_sparse else 1000
    stops = n_rows >= 10_000 if early_stopping == "auto" else bool(early_stopping)
    return {
        "early_stopping": stops,
        "n_estimators": 1000 if stops else int(np.clip(n_rows // 8, 50, 100)),
        "max_leaves": int(np.clip(min(told / 400, np.sqrt(told) / 2.5), 8, 127)),
        "learning_rate": 0.3 if 3000 <= n_rows < 10_000 else 0.2,
        "l2": float(np.clip(n_rows / 3000, 1.0, 20.0)),
        "subsample": 1.0 if n_rows < 50_000 else 0.5 if n_rows < 300_000 else 0.3,
        "max_features": min(1.0, most_columns / n_columns),
    }
