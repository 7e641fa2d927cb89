"""Finished fits of a comparison, kept in a folder so that a stopped run can go on.

A fit is found again only if everything is the same that it depends on: the table, the rows of the
fold, the method with all its parameters, the measures, and the versions of the packages. Files
hold numbers and text; nothing in them is run when they are read, and one that cannot be read does
not count.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from uneven.comparison.methodresult import FoldAnswers
from uneven.comparison.summaries import versions
from uneven.utils.files import replace_file

if TYPE_CHECKING:
    from uneven.comparison.problem import Problem

FOLDER = "folds"
"""Name of the folder in that of the results."""


class KeptFolds:
    """A folder of finished fits.

    Parameters
    ----------
    folder : str or Path
        It is made when the first fit is kept.
    take : bool, default=True
        Whether fits of earlier runs are taken; if not, they are only written.

    Attributes
    ----------
    taken, written : int
        How many fits were taken from the folder, and written to it.
    """

    def __init__(self, folder: str | Path, take: bool = True) -> None:
        self.folder = Path(folder)
        self.take = take
        self.taken = self.written = 0

    def load(self, key: str, kind: type, classes: NDArray) -> Any:
        """A fit that is kept, None if there is none.

        Parameters
        ----------
        key : str
            See `fold_key`.
        kind : type
            Dataclass of the fit, with a field ``answers``.
        classes : ndarray of shape (K,)
        """
        if not self.take:
            return None
        try:
            with np.load(self._path(key), allow_pickle=False) as kept:
                plain = json.loads(str(kept["plain"]))
                predicted = classes[kept["predicted"]]
                answers = FoldAnswers(plain.pop("fold"), kept["rows"], predicted, kept["scores"])
                found = kind(**plain, answers=answers)
        except (OSError, ValueError, LookupError, TypeError, BadZipFile):
            return None
        self.taken += 1
        return found

    def save(self, key: str, found: Any, classes: NDArray) -> None:
        """Keep a fit, unless it failed.

        Parameters
        ----------
        key : str
        found : dataclass
            Its fields but ``answers`` are plain data.
        classes : ndarray of shape (K,)
        """
        answers = found.answers
        if answers is None:
            return
        plain = {f.name: getattr(found, f.name) for f in fields(found) if f.name != "answers"}
        self.folder.mkdir(parents=True, exist_ok=True)
        with replace_file(self._path(key)) as draft:
            np.savez(
                draft,
                plain=np.array(json.dumps(plain | {"fold": answers.fold}, default=_plain)),
                rows=answers.rows,
                predicted=np.searchsorted(classes, answers.predicted),
                scores=answers.scores,
            )
        self.written += 1

    def clear(self) -> None:
        """Remove the fits of runs that are over, and the folder if nothing else is in it."""
        for path in self.folder.glob("*.npz"):
            path.unlink()
        if self.folder.is_dir() and not any(self.folder.iterdir()):
            self.folder.rmdir()

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.npz"


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, set | frozenset) else value.item()


def run_key(problem: Problem, measures: Iterable[str], noise: Any = None) -> str:
    """What the fits of all methods depend on: table, labels, how columns are read, versions."""
    X = problem.X
    cells: Any = (X.data, X.indices, X.indptr) if sp.issparse(X) else _frame_digest(X)
    read = (problem.schema.to_list(), problem.views)
    return fingerprint((cells, problem.y, *read, list(measures), noise, versions()))


def _frame_digest(frame: pd.DataFrame) -> list[Any]:
    columns = (frame.iloc[:, j] for j in range(frame.shape[1]))
    return [[str(c.name), pd.util.hash_pandas_object(c, index=False).to_numpy()] for c in columns]


def fold_key(run: str, *parts: Any) -> str:
    """Key of a fit: of its run, its method with all parameters, and the rows of its fold."""
    return fingerprint((run, *parts))


def fingerprint(value: Any) -> str:
    """A text that is the same for equal parameters in every process.

    Parameters
    ----------
    value : object
        Plain data, arrays, estimators, functions, and containers of them. What else there is
        counts by its ``repr``: if that differs from process to process, nothing is found again.

    Returns
    -------
    str
        In hexadecimal.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> one, other = (DecisionTreeClassifier(max_depth=depth) for depth in (2, 3))
    >>> fingerprint(one) == fingerprint(DecisionTreeClassifier(max_depth=2))
    True
    >>> fingerprint(one) == fingerprint(other)
    False
    """
    digest = hashlib.sha256()
    _feed(value, digest)
    return digest.hexdigest()[:32]


def _feed(value: Any, digest: Any) -> None:
    """Add a value to a digest, with marks that tell kinds and lengths apart."""
    kind = type(value)
    digest.update(f"<{kind.__module__}.{kind.__qualname__}>".encode())
    if isinstance(value, np.ndarray) and value.dtype != object:
        digest.update(f"{value.dtype}{value.shape}".encode())
        digest.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, Mapping):
        _feed(sorted(([str(k), v] for k, v in value.items()), key=lambda pair: pair[0]), digest)
    elif isinstance(value, list | tuple | np.ndarray):
        digest.update(str(len(value)).encode())
        for one in value:
            _feed(one, digest)
    elif hasattr(value, "get_params") and not isinstance(value, type):
        _feed(value.get_params(deep=False), digest)
    elif hasattr(value, "__code__"):
        code = value.__code__
        digest.update(value.__qualname__.encode() + code.co_code + repr(code.co_consts).encode())
    else:
        digest.update(repr(value).encode())
