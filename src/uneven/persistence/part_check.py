"""Checks of the parts that many models have: numbers, indices, classes, columns, training rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

__all__ = [
    "KERNELS",
    "UnknownPartError",
    "check_classes",
    "check_columns",
    "check_kernel",
    "check_names",
    "check_nodes",
    "check_numbers",
    "check_range",
    "check_rows",
    "check_tree",
    "check_whole",
]

KERNELS = ("linear", "poly", "polynomial", "rbf", "laplacian", "sigmoid", "cosine", "chi2")


class UnknownPartError(ValueError):
    """A model holds something that model files are not made for, though nothing is damaged."""


def check_range(values: NDArray, size: int, what: str) -> None:
    """Refuse indices outside of what they point into."""
    if values.size and (values.min() < 0 or values.max() >= size):
        raise ValueError(f"a tree points to {what} {values.max()} of {size}")


def check_kernel(kernel: Any) -> None:
    """Refuse kernels that are no name of a known one."""
    if kernel not in KERNELS:
        raise UnknownPartError(f"its kernel is {kernel!r}, which a model file cannot hold")


def check_rows(rows: Any, n_rows: int, width: int) -> None:
    """Check training rows; products with sparse ones follow their indices without looking."""
    if sp.issparse(rows):
        rows.check_format(full_check=True)
    values = rows.data if sp.issparse(rows) else rows
    check_numbers(values, values.shape, "training rows", signed=True)
    if rows.shape != (n_rows, width):
        raise ValueError(f"its training rows have the shape {rows.shape}")


def check_names(classifier: Any) -> None:
    """Refuse column names that are not as many as the columns."""
    names = getattr(classifier, "feature_names_in_", None)
    if names is not None and len(names) != classifier.n_features_in_:
        raise ValueError(f"it has {len(names)} names for {classifier.n_features_in_} columns")


def check_classes(classes: Any) -> None:
    """Refuse classes that are not a list of different labels."""
    if type(classes) is not np.ndarray or classes.ndim != 1 or len(np.unique(classes)) == 0:
        raise ValueError("its classes are not a list of labels")
    if len(np.unique(classes)) < len(classes):
        raise ValueError("it has the same class twice")


def check_columns(columns: Any, n_features: int, name: str) -> None:
    """Refuse columns of a view, or of a member, that are not in the table."""
    check_whole(columns, f"columns of view {name!r}")
    if columns.ndim != 1 or not columns.size:
        raise ValueError(f"view {name!r} has no list of columns")
    check_range(columns, n_features, "column")


def check_whole(values: Any, what: str) -> None:
    """Refuse what is not an array of whole numbers."""
    if type(values) is not np.ndarray or values.dtype.kind not in "iu":
        raise ValueError(f"its {what} are not whole numbers")


def check_numbers(
    values: Any, shape: tuple[int, ...], what: str, signed: bool = False
) -> NDArray[np.float64]:
    """Finite numbers of some shape, not below 0 unless ``signed``."""
    if type(values) is not np.ndarray or values.dtype.kind != "f" or values.shape != shape:
        raise ValueError(f"its {what} are not {shape} numbers")
    if not np.isfinite(values).all() or (not signed and (values < 0.0).any()):
        raise ValueError(f"its {what} hold a number that cannot be: {values.min()}")
    return values


def check_nodes(inner: NDArray[np.bool_], children: list[NDArray]) -> None:
    """Every child must come after its parent and lie inside the tree, so walks end."""
    if inner.size == 0:
        raise ValueError("a tree has no nodes")
    parents = np.flatnonzero(inner)
    for child in children:
        check_range(child[inner], inner.size, "child")
        if np.any(child[inner] <= parents):
            raise ValueError("a tree has a child before its parent")


def check_tree(tree: Any, n_features: int) -> None:
    """Check the nodes of a tree of scikit-learn, whose reader follows indices without looking."""
    if tree.n_features != n_features:
        raise ValueError(f"a tree of {tree.n_features} columns is given {n_features}")
    inner = tree.children_left != -1
    if np.any((tree.children_right != -1) != inner):
        raise ValueError("a tree has a node with one child")
    check_nodes(inner, [tree.children_left, tree.children_right])
    check_range(tree.feature[inner], n_features, "column")
    check_numbers(tree.value, tree.value.shape, "answers")
