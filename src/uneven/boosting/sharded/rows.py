"""Training rows in shards, validated: what ``fit`` learns from where they are not in one table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from uneven.boosting.sharded import shard as rows_of
from uneven.boosting.sharded.blocks import RowBlocks, stack_rows
from uneven.boosting.sharded.costs import ShardedLabels
from uneven.boosting.sharded.engine import Engine, LocalEngine
from uneven.boosting.sharded.noise import ShardedNoisyLabels
from uneven.boosting.sharded.shard import Shard
from uneven.boosting.sharded.table import (
    ShardedDraw,
    ShardedSetting,
    ShardedTable,
    last_lots,
    number_rows,
)
from uneven.utils.parallel import ThreadPool
from uneven.utils.reproducible_sums import fold_units
from uneven.utils.validation import validate_data
from uneven.views.maps import resolve_views
from uneven.views.training_rows import (
    X_RULES,
    CodeRange,
    TrainingRows,
    category_columns,
    count_codes,
    encode_categories,
    learn_categories,
)


class ShardedRows:
    """Validated training rows in shards.

    Parameters
    ----------
    estimator : object
        Its ``views`` are resolved; gets ``n_features_in_``, ``feature_names_in_``,
        ``categories_``.
    example : array or frame
        A few rows that show the columns.
    open_engine : callable
        Gets the categories of the columns; returns the engine that sends steps to the shards.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
    views : ViewMap
    class_counts : ndarray of int, shape (n_classes,)
        Rows of each class.
    n_columns : int
    is_sparse : bool
        Whether a block is sparse; then all are made so.
    n_codes : ndarray of int, shape (n_columns,), or None
        Categories of each column, 0 for numbers.
    """

    def __init__(
        self, estimator: Any, example: Any, open_engine: Callable[[dict[Any, list]], Engine]
    ) -> None:
        categories = learn_categories(example)
        encoded = encode_categories(example, categories)
        validate_data(estimator, encoded, ensure_min_samples=0, **X_RULES)
        estimator.categories_ = categories
        self.n_columns = int(estimator.n_features_in_)
        names = getattr(estimator, "feature_names_in_", None)
        self.views = resolve_views(
            estimator.views,
            n_features=self.n_columns,
            feature_names=names,
            frame=example if hasattr(example, "columns") else None,
        )
        self.n_codes: np.ndarray | None = None
        if categories:
            self.n_codes = np.array([len(categories.get(name, ())) for name in example.columns])
        self.engine = open_engine(categories)
        try:
            self._count()
        except BaseException:
            self.engine.close()
            raise

    def _count(self) -> None:
        """Look at all blocks once, and number the classes."""
        blocks = self.engine.ask(rows_of.describe_blocks())
        check_blocks(blocks, self.n_columns)
        check_classification_targets(_union([block["all_classes"] for block in blocks]))
        self.classes = _union([block["classes"] for block in blocks])
        top = max(block["largest"] for block in blocks)
        divisor = 1.0 if 1e-100 <= top <= 1e100 else top
        self.is_sparse = any(block["sparse"] for block in blocks)
        shape = (self.n_columns, self.is_sparse)
        self.class_counts = self.engine.ask(rows_of.number_labels(self.classes, divisor, shape))
        self.engine.later(rows_of.look_for_views(self.views))

    @property
    def n_rows(self) -> int:
        """Rows of all shards."""
        return int(self.class_counts.sum())

    def count_categories(self, estimator: Any) -> None:
        """Count the categories of columns of codes; see ``training_rows.count_categories``."""
        if estimator.categorical_features is None:
            return
        columns = category_columns(estimator, self.n_columns, self.is_sparse)
        if columns.size:
            found = [CodeRange(*own) for own in self.engine.ask(rows_of.range_of_codes(columns))]
            self.n_codes = count_codes(columns, found, self.n_codes, self.n_columns)

    def hold_out(self, share: float, seed: int) -> tuple[ShardedRows, TrainingRows]:
        """Take a share of every class out of the shards; see ``TrainingRows.hold_out``."""
        number_rows(self.engine)
        counts = self.class_counts
        wanted = [min(n - 1, max(1, round(share * n))) for n in counts.tolist()]
        sizes = np.array(wanted)
        last = last_lots(self.engine, seed, sizes, by_class=True)
        taken = self.engine.ask(rows_of.hold_out(seed, last, sizes > 0))
        values, *rest = zip(*taken)
        X = stack_rows(values, self.n_columns)
        y, mass, presence = (np.concatenate(parts) for parts in rest)
        self.class_counts = counts - np.bincount(y, minlength=len(counts))
        held = TrainingRows(X, y, mass, presence, self.classes, self.views, n_codes=self.n_codes)
        return self, held

    def setting(
        self,
        units_of: Callable[[np.ndarray], np.ndarray],
        class_cost: np.ndarray | None,
        noise: tuple[np.ndarray, np.ndarray] | None,
        share: float,
        max_bins: int,
        pool: ThreadPool,
    ) -> ShardedSetting:
        """What a method gets to work with.

        Parameters
        ----------
        units_of, class_cost : object
            As for :class:`~uneven.costs.matrices.KnownLabels`.
        noise : (noise_matrix, inverse) or None
            As for :class:`~uneven.costs.expected.NoisyLabels`; None if labels are right.
        share : float
            Of the rows that a round draws.
        max_bins : int
        pool : ThreadPool
            For what is done in this process.
        """
        engine, n_rows, n_classes = self.engine, self.n_rows, len(self.classes)
        presence, n_seen = engine.ask(rows_of.count_presence(n_classes))
        heaviest, lightest = engine.ask(rows_of.range_of_mass(rows_of.ALL_ROWS))
        units = fold_units(n_rows, heaviest)
        engine.later(rows_of.fold_mass(rows_of.ALL_ROWS, units))
        folds, _ = engine.ask(rows_of.sum_mass(rows_of.ALL_ROWS, n_classes, units))
        mass = folds.sum(axis=0)
        total = None if heaviest == -lightest else float(folds.sum(axis=1).sum())
        table = ShardedTable(
            engine, n_rows, self.n_columns, n_classes, mass, total, heaviest, max_bins, pool,
            self.n_codes, self.is_sparse,
        )  # fmt: skip
        known = (engine, n_rows, mass, units_of, class_cost)
        labels = ShardedLabels(*known) if noise is None else ShardedNoisyLabels(*known, *noise)
        draw = ShardedDraw(engine, n_rows, share)
        nobody = np.zeros((0, len(self.views)), dtype=bool)
        return ShardedSetting(table, self.views, nobody, labels, draw, presence, n_seen)

    def close(self) -> None:
        """Free the shards."""
        self.engine.close()


def check_blocks(blocks: list[dict[str, Any]], n_columns: int) -> None:
    """Refuse blocks that do not make a table, with what is wrong."""
    blocks = sorted(blocks, key=lambda block: block["number"])
    for what, name in (("labels", "y"), ("weights", "sample_weight")):
        lengths = [block["rows"] for block in blocks]
        others = [block[what] for block in blocks]
        if lengths != others:
            raise ValueError(
                f"X and {name} are cut differently: their blocks have {_some(lengths)} and "
                f"{_some(others)} rows. Rechunk or repartition one of them."
            )
    wrong = {block["columns"] for block in blocks} - {n_columns}
    if wrong:
        raise ValueError(f"X has {n_columns} columns, but a block of it has {min(wrong)}.")
    if not sum(block["rows"] for block in blocks):
        raise ValueError("X has no rows: there is nothing to learn from.")
    if not all(block["fine"] for block in blocks):
        raise ValueError("sample_weight must hold finite numbers >= 0.")
    if not any(block["largest"] > 0.0 for block in blocks):
        raise ValueError("sample_weight is zero for every row: there is nothing to learn from.")


def _some(lengths: list[int]) -> str:
    shown = ", ".join(map(str, lengths[:8]))
    return f"[{shown}, ...]" if len(lengths) > 8 else f"[{shown}]"


def _union(parts: list[np.ndarray]) -> np.ndarray:
    """Different labels of all blocks, in increasing order."""
    there = [part for part in parts if len(part)]
    return np.unique(np.concatenate(there))


def open_blocks(estimator: Any, blocks: RowBlocks, pool: ThreadPool) -> ShardedRows:
    """Rows that come in blocks, as shards in this process: one per block, or one per thread."""
    given = blocks.blocks
    size = len(given) if blocks.one_shard_per_block else min(pool.n_threads, len(given))

    def open_engine(categories: dict[Any, list]) -> Engine:
        shards = [
            Shard(given[number::size], categories, number, blocks.on_disk) for number in range(size)
        ]
        return LocalEngine(shards, pool)

    return ShardedRows(estimator, blocks.example, open_engine)
