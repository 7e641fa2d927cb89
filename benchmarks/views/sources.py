"""Tables whose columns fall into views, read from public sets without a download.

Every source returns an object with ``data``, a frame of numbers whose columns are called
``view__feature``, and ``target``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.datasets import load_digits
from sklearn.utils import Bunch

from uneven.datasets import (
    DatasetUnavailableError,
    image_quarters,
    make_dialogues,
    make_imbalanced_views,
    make_uneven_views,
)
from uneven.dialogues import DialogueViews
from uneven_published import Context
from uneven_published.norm.folds import Source, draw_rows, read_table

MOST_ROWS = 800
MOST_WORDS = 200


@dataclass(frozen=True)
class GroupedColumns:
    """A table whose columns are told apart by their names.

    Attributes
    ----------
    source : str or callable
        The table.
    views : tuple of (str, str)
        Name of a view, and the regular expression that the names of its columns match from their
        start on. The first one counts; columns that match none are left out.
    """

    source: Source
    views: tuple[tuple[str, str], ...]

    @property
    def data(self) -> tuple[str, ...]:
        """Data sets it needs."""
        return (self.source,) if isinstance(self.source, str) else ()

    @property
    def packages(self) -> tuple[str, ...]:
        """Modules that bring it along."""
        return getattr(self.source, "packages", ())

    def __call__(self, context: Context) -> Bunch:
        """Read it; categories become indicators."""
        X, y = read_table(self.source, context)
        blocks: dict[str, list[str]] = {view: [] for view, _ in self.views}
        for column in X.columns:
            own = next((view for view, names in self.views if re.match(names, column)), None)
            if own is not None:
                blocks[own].append(column)
        return side_by_side(
            {view: pd.get_dummies(X[names], dtype=float) for view, names in blocks.items()}, y
        )


@dataclass(frozen=True)
class Holes:
    """A table in which each view is missing in a share of the rows, drawn view by view.

    Attributes
    ----------
    source : callable
    share : float
        A row keeps at least one view, drawn by lot.
    """

    source: Callable[[Context], Any]
    share: float

    @property
    def data(self) -> tuple[str, ...]:
        """Data sets it needs."""
        return getattr(self.source, "data", ())

    @property
    def packages(self) -> tuple[str, ...]:
        """Modules that bring it along."""
        return getattr(self.source, "packages", ())

    def __call__(self, context: Context) -> Bunch:
        """Draw at most 800 rows, and take views away; always the same."""
        X, y = draw_rows(*read_table(self.source, context), MOST_ROWS)
        names = X.columns.str.split("__", n=1).str[0]
        views = names.unique()
        rng = np.random.default_rng(0)
        gone = rng.random((len(y), len(views))) < self.share
        gone[np.arange(len(y)), rng.integers(len(views), size=len(y))] &= ~gone.all(axis=1)
        cells = X.to_numpy(dtype=np.float64, copy=True)
        cells[gone[:, views.get_indexer(names)]] = np.nan
        return Bunch(data=pd.DataFrame(cells, columns=X.columns), target=y)


def side_by_side(blocks: Mapping[str, Any], y: Any) -> Bunch:
    """Views as one frame, without constant columns.

    Parameters
    ----------
    blocks : mapping of str to array or frame of shape (n, d)
    y : array-like of shape (n,)

    Examples
    --------
    >>> side_by_side({"a": np.eye(2), "b": np.ones((2, 1))}, [0, 1]).data.columns.tolist()
    ['a__0', 'a__1']
    """
    frames = [
        pd.DataFrame(block).rename(columns=f"{v}__{{}}".format) for v, block in blocks.items()
    ]
    whole = pd.concat([frame.reset_index(drop=True) for frame in frames], axis=1)
    return Bunch(data=whole.loc[:, whole.nunique() > 1], target=np.asarray(y))


def partial_views(context: Context) -> Bunch:
    """Six classes, four views that know a few of them each."""
    drawn = make_imbalanced_views(MOST_ROWS, random_state=0)
    return _split(drawn.data, drawn.views, drawn.target)


def uneven_views(context: Context) -> Bunch:
    """Two classes, a strong view and two weak ones."""
    drawn = make_uneven_views(600, major_noise=0.3, random_state=0)
    return _split(drawn.data, drawn.views, drawn.target)


def calls(context: Context) -> Bunch:
    """Telephone calls about nine themes, the 200 most frequent columns of each view."""
    drawn = make_dialogues(condition="gold", random_state=0)
    extract = DialogueViews().fit(drawn.dialogues)
    return _split(extract.transform(drawn.dialogues), extract.views_, drawn.target)


@dataclass(frozen=True)
class Multilingual:
    """News in five languages, the 200 most frequent words of each."""

    data: tuple[str, ...] = ("reuters_multilingual_1200",)

    def __call__(self, context: Context) -> Bunch:
        """Read it."""
        news = context.fetch(*self.data)
        return _split(news.data, news.views, news.target)


@dataclass(frozen=True)
class Quarters:
    """Handwritten digits, cut into four quarters."""

    data: tuple[str, ...] = ("mnist",)

    def __call__(self, context: Context) -> Bunch:
        """Read every fiftieth image."""
        digits = context.fetch(*self.data)
        X, views = image_quarters(np.asarray(digits.images)[::50])
        return _split(X, views, np.asarray(digits.target)[::50])


@dataclass(frozen=True)
class HomeTasks:
    """Seven tasks at home by sound and by the movement of the wrist.

    The set is HTAD (E. Garcia-Ceja et al., 2021), which ``multiviewstacking`` brings along.
    """

    packages: tuple[str, ...] = ("multiviewstacking",)

    def __call__(self, context: Context) -> Bunch:
        """Read it."""
        found = find_spec(*self.packages)
        folder = found and found.submodule_search_locations
        if not folder:
            raise DatasetUnavailableError("pip install multiviewstacking brings the table along.")
        cells = pd.read_csv(Path(folder[0]) / "data" / "htad.csv")
        views = {"sound": cells.filter(regex="^v1"), "wrist": cells.filter(regex="^v2")}
        return side_by_side(views, cells["class"])


def digit_features(context: Context) -> Bunch:
    """Digits of scikit-learn as pixels, sizes of Fourier coefficients, and central moments."""
    digits = load_digits()
    waves = np.abs(np.fft.rfft2(digits.images)).reshape(len(digits.target), -1)
    views = {"pixels": digits.data, "fourier": waves, "moments": _moments(digits.images)}
    return side_by_side(views, digits.target)


def _moments(images: np.ndarray, order: int = 5) -> np.ndarray:
    """Central moments of total order 2 to 5, relative to the ink; shape (n, n_moments)."""
    ink = images / images.sum(axis=(1, 2), keepdims=True)
    place = np.arange(images.shape[1], dtype=np.float64)
    down = place - np.einsum("nij,i->n", ink, place)[:, None]
    across = place - np.einsum("nij,j->n", ink, place)[:, None]
    powers = [(p, q) for p in range(order + 1) for q in range(order + 1 - p) if p + q >= 2]
    return np.column_stack([np.einsum("nij,ni,nj->n", ink, down**p, across**q) for p, q in powers])


def _split(X: Any, views: Mapping[str, Any], y: Any) -> Bunch:
    """Columns of each view, the 200 that are filled most often if there are more."""
    blocks = {}
    for view, columns in views.items():
        part = X[:, columns]
        block = np.asarray(part.toarray() if sp.issparse(part) else part, dtype=np.float64)
        filled = np.argsort(-(block != 0.0).sum(axis=0), kind="stable")[:MOST_WORDS]
        blocks[view] = block[:, np.sort(filled)]
    return side_by_side(blocks, y)
