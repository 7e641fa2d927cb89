"""Blocks of rows: what a shard is made of before its rows are coded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array, column_or_1d

from uneven.utils.validation import missing_labels
from uneven.views.training_rows import X_RULES, encode_categories


class Block(Protocol):
    """Some rows of a table, which can be read as often as needed.

    Attributes
    ----------
    number : int
        Where it stands among others; :class:`RowBlocks` numbers blocks that have none.
    """

    def read(self) -> tuple[Any, Any, Any]:
        """The columns (an array or frame), the labels, and the weights or None."""


@dataclass
class HeldBlock:
    """Rows that are in memory; the number is the position of the block."""

    X: Any
    y: Any
    weight: Any = None
    number: int = 0

    def read(self) -> tuple[Any, Any, Any]:
        """The rows."""
        return self.X, self.y, self.weight


@dataclass(frozen=True)
class NumberedBlock:
    """A block, and where it stands among others."""

    block: Any
    number: int

    def read(self) -> tuple[Any, Any, Any]:
        """The rows."""
        X, y, weight = self.block.read()
        return X, y, weight


def _numbered(block: Any, number: int) -> Any:
    """A block with its number; tuples are (X, y) or (X, y, sample_weight)."""
    if isinstance(block, tuple):
        return replace(HeldBlock(*block), number=number)
    return block if hasattr(block, "number") else NumberedBlock(block, number)


class RowBlocks:
    """A table whose rows come in blocks; :meth:`fit` of boosting takes one in the place of ``X``.

    Parameters
    ----------
    blocks : sequence of Block, or of tuples (X, y) or (X, y, sample_weight)
        In any order. A block may be empty, or lack some of the classes. Frames of all blocks have
        the same columns, and the same categories in the same order.
    example : object, optional
        A few rows of ``X`` that show the columns; by default those of the first block.

    Examples
    --------
    >>> import numpy as np
    >>> from uneven import ComboClassifier
    >>> from uneven.boosting.sharded import RowBlocks
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> blocks = RowBlocks([(X[:60], y[:60]), (X[60:], y[60:])])
    >>> cut = ComboClassifier(n_estimators=5).fit(blocks, None)
    >>> whole = ComboClassifier(n_estimators=5).fit(X, y)
    >>> bool(np.all(cut.decision_function(X) == whole.decision_function(X)))
    True
    """

    one_shard_per_block = True
    on_disk = False

    def __init__(self, blocks: Sequence[Any], example: Any = None) -> None:
        self.blocks = [_numbered(block, number) for number, block in enumerate(blocks)]
        if not self.blocks:
            raise ValueError("there are no blocks of rows to learn from.")
        self.example = self.blocks[0].read()[0] if example is None else example
        self.client: Any = None

    def on_cluster(self, client: Any) -> RowBlocks:
        """The same blocks, to be read by the workers of a Dask cluster."""
        self.client = client
        return self


def numbers_of(X: Any, categories: dict[Any, list], sparse: bool = False) -> Any:
    """The values of a block as floating-point numbers, shape (n_rows, n_features).

    Sparse rows stay sparse; with ``sparse`` dense ones become so.
    """
    encoded = encode_categories(X, categories)
    X = check_array(encoded, input_name="X", ensure_min_samples=0, **X_RULES)
    return sp.csr_array(X) if sparse or sp.issparse(X) else np.asarray(X)


def stack_rows(parts: Sequence[Any], n_columns: int) -> Any:
    """Rows of several tables, one below the other; shape (n_rows, n_columns)."""
    if any(sp.issparse(part) for part in parts):
        return sp.vstack(parts, format="csr")
    return np.concatenate(parts) if parts else np.zeros((0, n_columns))


def labels_of(y: Any) -> np.ndarray:
    """The labels of a block, shape (n_rows,)."""
    labels = column_or_1d(y)
    endless = labels.dtype.kind == "f" and np.isinf(labels).any()
    if endless or missing_labels(labels).any():
        raise ValueError("Input y contains NaN or infinity: leave these rows out, or label them.")
    return np.asarray(labels)
