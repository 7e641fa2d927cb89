"""What model files may hold: stable names of types, each with the check of what was loaded.

A class that may stand in a model file is declared where it is defined::

    @persisted("combo", role="classifier")
    class ComboClassifier(...):
        def _check_model_(self): ...  # refuses what no training leaves behind

The file knows it by that name, whatever module the class lives in, so names stay for good. A type
that is not registered is not trusted. Checks are needed because compiled code follows the indices
of a loaded tree without looking at their range, and because numbers that no training can leave,
such as a vote weight that is not finite, give meaningless predictions.

Other distributions register their own classes in the same way, and name the module that does it
under the entry point group ``uneven.model_types``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from uneven.utils.parameters import names_parameters

Class = TypeVar("Class", bound=type)

LARGEST = 1e100
"""Larger weights, scales and temperatures, or smaller ones than its inverse, come from no fit."""

KERNELS = ("linear", "poly", "polynomial", "rbf", "laplacian", "sigmoid", "cosine", "chi2")


class UnknownPartError(ValueError):
    """A model holds something that model files are not made for, though nothing is damaged."""


@dataclass(frozen=True)
class ModelType:
    """A type that model files may hold.

    Attributes
    ----------
    name : str
        How files call it, for good.
    home : str
        Module and name of the class, as they are now.
    role : str
        What it does in a model: "classifier", "voter", ...; see `check_part`.
    check : callable or None
        ``check(part, *what it must agree with)`` refuses what no training leaves behind.
    without_check : str
        Why there is no check of its own: who checks it, or why no prediction depends on it.
    """

    name: str
    home: str
    role: str
    check: Callable[..., Any] | None = None
    without_check: str = ""


MODEL_TYPES: dict[str, ModelType] = {}
"""All registered types by their names in files."""

HELPER_TYPES: set[str] = set()
"""Types that stand in files under their own names; only parts that check them may hold them."""


def persisted(
    name: str,
    *,
    role: str = "part",
    check: Callable[..., Any] | None = None,
    without_check: str = "",
) -> Callable[[Class], Class]:
    """Decorate a class that model files may hold.

    Parameters
    ----------
    name : str
        How files call it; never to be changed, never to be given to another class.
    role : str, default="part"
        What it does in a model.
    check : callable, optional
        Its method ``_check_model_`` if not given.
    without_check : str, optional
        For a class without a check: why it needs none.

    Returns
    -------
    callable
        A decorator that registers a class and returns it; a classifier, which people make, then
        also says what to use in place of unknown parameters.
    """

    def register(cls: Class) -> Class:
        found = check or getattr(cls, "_check_model_", None)
        register_type(name, _home(cls), role=role, check=found, without_check=without_check)
        return names_parameters(cls) if role == "classifier" else cls

    return register


def register_type(
    name: str,
    home: str,
    *,
    role: str = "part",
    check: Callable[..., Any] | None = None,
    without_check: str = "",
) -> None:
    """Register a type by the place of its class, for classes that cannot be decorated.

    Raises
    ------
    ValueError
        If the name or the class is taken, or if there is neither a check nor a reason.
    """
    if check is None and not without_check:
        raise ValueError(f"{home} needs a check, or a reason why model files need none.")
    other = MODEL_TYPES.get(name)
    if other is not None and other.home != home:
        raise ValueError(f"model files already know {other.home} as {name!r}, not {home}.")
    if any(kind.home == home and kind.name != name for kind in MODEL_TYPES.values()):
        raise ValueError(f"model files already know {home} by another name than {name!r}.")
    MODEL_TYPES[name] = ModelType(name, home, role, check, without_check)


def find_type(name: str) -> ModelType | None:
    """The type of that name, also where another distribution registers it; None if unknown."""
    if name not in MODEL_TYPES:
        for point in entry_points(group="uneven.model_types"):
            point.load()
    return MODEL_TYPES.get(name)


def trusted_types() -> list[str]:
    """Where the classes of all registered types live now: what skops may build."""
    return sorted(kind.home for kind in MODEL_TYPES.values())


def _home(cls: type) -> str:
    return f"{cls.__module__}.{cls.__name__}"


def _kind(part: Any) -> ModelType | None:
    home = _home(type(part))
    return next((kind for kind in MODEL_TYPES.values() if kind.home == home), None)


def role_of(part: Any) -> str:
    """The role that a part's type is registered for, or an empty string."""
    kind = _kind(part)
    return "" if kind is None else kind.role


def check_part(
    roles: str | tuple[str, ...],
    part: Any,
    *given: Any,
    refusal: str,
    error: type[ValueError] = UnknownPartError,
) -> Any:
    """Check a part of a loaded model by what is registered for its type.

    Parameters
    ----------
    roles : str or tuple of str
        What the part may be.
    part : object
        As it was loaded.
    *given : object
        What it must agree with; the role says what that is.
    refusal : str
        What to say of any other type; ``{}`` stands for its name.
    error : type, default=UnknownPartError
        How to say it: `ValueError` where a file with such a part is damaged.

    Returns
    -------
    object
        What the check returns.

    Raises
    ------
    UnknownPartError, ValueError
    """
    kind = _kind(part)
    allowed = (roles,) if isinstance(roles, str) else roles
    if kind is None or kind.role not in allowed or kind.check is None:
        raise error(refusal.replace("{}", type(part).__name__))
    return kind.check(part, *given)


def check_plain(part: Any, *besides: str) -> None:
    """Refuse an estimator of another library that holds more than numbers, text and arrays.

    Parameters
    ----------
    part : object
        An estimator whose own code trusts what it holds.
    *besides : str
        Attributes that are checked elsewhere, or that no prediction depends on.

    Raises
    ------
    UnknownPartError
    """
    for name, value in vars(part).items():
        odd = None if name in besides else _not_plain(value)
        if odd is not None:
            raise UnknownPartError(
                f"a {type(part).__name__} in it holds a {type(odd).__name__} as {name}"
            )


def is_plain(value: Any) -> bool:
    """Whether a value is a number, text, an array or a list of such."""
    return _not_plain(value) is None


_RANDOM = (np.random.RandomState, np.random.Generator)
_PLAIN = (type(None), bool, int, float, str, slice, np.generic, np.dtype, *_RANDOM)


def _not_plain(value: Any) -> Any:
    """The first thing in a value that is neither plain nor a list of plain things."""
    if isinstance(value, np.ndarray):
        value = value.ravel().tolist() if value.dtype.kind == "O" else None
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set):
        return next((odd for odd in map(_not_plain, value) if odd is not None), None)
    is_plain = isinstance(value, _PLAIN) or (isinstance(value, type) and value in (int, float, str))
    is_scalar_type = isinstance(value, type) and issubclass(value, np.generic)
    return None if is_plain or is_scalar_type else value


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


def check_shares(prior: Any, n_classes: int) -> None:
    """Refuse class frequencies that are not a distribution."""
    if not np.isclose(check_numbers(prior, (n_classes,), "class frequencies").sum(), 1.0):
        raise ValueError("its class frequencies do not add up to 1")


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


def check_size(value: Any, what: str) -> None:
    """Refuse what is no positive number of a size that fitting can give."""
    if not isinstance(value, float) or not 1.0 / LARGEST <= value <= LARGEST:
        raise ValueError(f"{what} {value!r}")


def check_width(number: Any) -> None:
    """Refuse a width or a scale of a learner that is not a positive number."""
    if not 0.0 < number <= LARGEST:
        raise ValueError(f"a width of a learner is {number!r}")


def check_printable(names: Any, what: str) -> None:
    """Refuse names that are not different, plain strings: they are printed."""
    if type(names) is not list or not all(type(name) is str for name in names):
        raise ValueError(f"the names of its {what} are not a list of strings")
    odd = [name for name in names if not name.isprintable()]
    if odd:
        raise ValueError(f"the name {odd[0]!r} of one of its {what} cannot be printed")
    if len(set(names)) < len(names):
        raise ValueError(f"two of its {what} have the same name")


def check_numbers(
    values: Any, shape: tuple[int, ...], what: str, signed: bool = False, most: float = np.inf
) -> NDArray[np.float64]:
    """Finite numbers of some shape, not below 0 unless ``signed``, at most ``most`` in size.

    Scores that are added and exponentiated need ``most=LARGEST``: a sum that is infinite makes
    probabilities that are none.
    """
    if type(values) is not np.ndarray or values.dtype.kind != "f" or values.shape != shape:
        raise ValueError(f"its {what} are not {shape} numbers")
    if not np.isfinite(values).all() or (not signed and (values < 0.0).any()):
        raise ValueError(f"its {what} hold a number that cannot be: {values.min()}")
    if values.size and np.abs(values).max() > most:
        raise ValueError(f"its {what} hold a number that cannot be: {np.abs(values).max():g}")
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


def check_tree(tree: Any, n_features: int, n_classes: int | None = None) -> None:
    """Check the nodes of a tree of scikit-learn, whose reader follows indices without looking."""
    if not 0 < tree.node_count <= tree.capacity:
        raise ValueError(f"a tree has {tree.node_count} nodes in the place of {tree.capacity}")
    if tree.n_features != n_features:
        raise ValueError(f"a tree of {tree.n_features} columns is given {n_features}")
    if n_classes is not None and tree.value.shape[1:] != (1, n_classes):
        raise ValueError("a tree predicts other classes than its own")
    inner = tree.children_left != -1
    if np.any((tree.children_right != -1) != inner):
        raise ValueError("a tree has a node with one child")
    check_nodes(inner, [tree.children_left, tree.children_right])
    check_range(tree.feature[inner], n_features, "column")
    check_numbers(tree.value, tree.value.shape, "leaf probabilities")
    if not np.allclose(tree.value[~inner].sum(axis=2), 1.0):
        raise ValueError("the leaf probabilities of a tree do not add up to 1")
