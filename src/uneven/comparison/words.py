"""Running text and dates as columns of numbers: transformers that go into model files.

The words that count are chosen once, from the table as a whole, as the categories of a column are:
they give names to the columns, so that views and explanations can name them. How much a word
counts depends on the training rows alone.

Looked at before this was written: scikit-learn's ``TfidfVectorizer`` does the same arithmetic, but
holds callables and a pattern that a model file would have to trust; its counting is used, its
state is not. skrub's ``StringEncoder`` multiplies the words out into dense columns without names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer

from uneven.comparison.datestyles import SECONDS_PER_DAY
from uneven.utils.frames import named_frame
from uneven.utils.model_types import check_numbers, check_printable, persisted

MOST_WORDS = 2000
"""Words of a column that count: the most frequent ones."""

MOST_DENSE_WORDS = 200
"""Words of a column for learners that take no sparse table."""

FEWEST_ROWS = 2
"""Words in fewer rows are left out."""


def find_words(texts: pd.Series, most: int = MOST_WORDS) -> list[str]:
    """The words of running text that may be informative about other rows.

    Parameters
    ----------
    texts : Series of shape (n,)
    most : int

    Returns
    -------
    list of str
        The most frequent ones in two rows or more, but not in all, most frequent first.

    Examples
    --------
    >>> find_words(pd.Series(["a red car", "the red sky", "the green car"]))
    ['car', 'red', 'the']
    """
    try:
        counter = CountVectorizer(binary=True)
        found = counter.fit_transform(texts.tolist())
    except ValueError:  # no words at all
        return []
    rows = np.asarray(found.sum(axis=0)).ravel()
    names = counter.get_feature_names_out()
    useful = np.flatnonzero((rows >= FEWEST_ROWS) & (rows < len(texts)))
    order = useful[np.argsort(-rows[useful], kind="stable")]
    return [str(names[j]) for j in order[:most] if str(names[j]).isprintable()]


@persisted("text_encoder", role="encoder")
class TextEncoder(TransformerMixin, BaseEstimator):
    """Weighs the words of one column of running text: TF-IDF with logarithmic counts.

    Parameters
    ----------
    words : list of str
        The words that count.
    name : str
        Name of the column, which those of the words begin with.
    framed : {"sparse", "dense"} or None
        Whether to return a frame that has column names, of sparse or dense columns; None for
        a sparse matrix.

    Attributes
    ----------
    idf_ : ndarray of shape (n_words,)
        How much each word counts: the rarer the more.

    References
    ----------
    Salton and Buckley, Term-weighting approaches in automatic text retrieval, 1988.

    Examples
    --------
    >>> encoder = TextEncoder(["car", "red"], "note", framed="dense")
    >>> encoder.fit_transform(pd.Series(["red car", "a red sky", ""])).round(1)
       note: car  note: red
    0        0.8        0.6
    1        0.0        1.0
    2        0.0        0.0
    """

    def __init__(self, words: Sequence[str], name: str, framed: str | None = None) -> None:
        self.words = words
        self.name = name
        self.framed = framed

    def fit(self, X: Any, y: Any = None) -> TextEncoder:
        """Learn how much each word counts from texts of shape (n,)."""
        counts = self._counts(X)
        rows = np.diff(sp.csc_array(counts).indptr) if len(self.words) else np.zeros(0)
        self.idf_ = np.log((1.0 + counts.shape[0]) / (1.0 + rows)) + 1.0
        return self

    def transform(self, X: Any) -> Any:
        """The weights of the words, of shape (n, n_words); each row has length 1 or 0."""
        counts = self._counts(X)
        weights = sp.csr_array(counts, dtype=np.float64)
        weights.data = (1.0 + np.log(weights.data)) * self.idf_[weights.indices]
        squares = np.asarray(weights.power(2).sum(axis=1)).ravel()
        lengths = np.sqrt(np.where(squares > 0.0, squares, 1.0))
        weights = sp.csr_array(sp.diags_array(1.0 / lengths) @ weights)
        if self.framed is None:
            return weights
        index = X.index if hasattr(X, "index") else None
        table = weights if self.framed == "sparse" else weights.toarray()
        return named_frame(table, self.get_feature_names_out().tolist(), index)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns, of shape (n_words,)."""
        return np.array([word_column(self.name, word) for word in self.words], dtype=object)

    def _counts(self, X: Any) -> Any:
        texts = np.asarray(X, dtype=object).ravel().tolist()
        if not len(self.words):
            return sp.csr_array((len(texts), 0))
        return CountVectorizer(vocabulary=list(self.words)).transform(texts)

    def _check_model_(self) -> None:
        check_printable(list(self.words), "words")
        check_printable([self.name], "columns")
        if self.framed not in ("sparse", "dense", None):
            raise ValueError(f"its words are framed {self.framed!r}")
        check_numbers(self.idf_, (len(self.words),), "weights of words")


def word_column(name: str, word: str) -> str:
    """Name of the column that a word of a text becomes."""
    return f"{name}: {word}"


DATE_PARTS = ("year", "month", "weekday", "hour")


@persisted("date_encoder", role="encoder")
class DateEncoder(TransformerMixin, BaseEstimator):
    """Adds year, month, weekday and, where there are times, the hour to columns of dates.

    Parameters
    ----------
    names : list of str
        Columns of days since 1970, which stay as they are: they are the time that has passed.
    timed : list of str
        Those of them that get an hour.

    Examples
    --------
    >>> encoder = DateEncoder(["day"], [])
    >>> encoder.fit_transform(pd.DataFrame({"day": [0.0, 59.5]}))
        day  day (year)  day (month)  day (weekday)
    0   0.0      1970.0          1.0            3.0
    1  59.5      1970.0          3.0            6.0
    """

    def __init__(self, names: Sequence[str], timed: Sequence[str] = ()) -> None:
        self.names = names
        self.timed = timed

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any = None) -> DateEncoder:
        """Do nothing."""
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """Columns of shape (n, n_columns) with the parts of each date beside it."""
        parts: dict[str, Any] = {}
        for name in self.names:
            days = X[name]
            codes, distinct = pd.factorize(days, use_na_sentinel=False)
            each = pd.Series(np.asarray(distinct, dtype=np.float64))
            moments = pd.to_datetime(each * SECONDS_PER_DAY, unit="s").dt.round("s").dt
            found = (moments.year, moments.month, moments.day_of_week, moments.hour)
            parts |= {name: days}
            parts |= {
                date_column(name, part): cells.to_numpy(np.float64, na_value=np.nan)[codes]
                for part, cells in zip(DATE_PARTS, found)
                if part != "hour" or name in self.timed
            }
        return pd.DataFrame(parts, index=X.index)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns."""
        names = [one for name in self.names for one in date_columns(name, name in self.timed)]
        return np.array(names, dtype=object)

    def _check_model_(self) -> None:
        check_printable(list(self.names), "columns")
        check_printable(list(self.timed), "columns")


def date_column(name: str, part: str) -> str:
    """Name of the column that a part of a date becomes."""
    return f"{name} ({part})"


def date_columns(name: str, timed: bool = False) -> list[str]:
    """Names of all columns that a date becomes, the date first."""
    parts = DATE_PARTS if timed else DATE_PARTS[:-1]
    return [name, *(date_column(name, part) for part in parts)]
