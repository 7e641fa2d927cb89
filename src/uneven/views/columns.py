"""A column transformer whose output names the view of each column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import config_context
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import FunctionTransformer

from uneven.utils.frames import holds_words, named_frame
from uneven.utils.optional import require
from uneven.views.training_rows import learn_categories


class ViewColumns(ColumnTransformer, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Column transformer that returns a frame with ``view__feature`` columns, sparse or dense.

    One transformer per view, then an estimator with ``views="prefix"``: the views survive
    pipelines, cross-validation and grid search, and text stays sparse from end to end. The plain
    :class:`~sklearn.compose.ColumnTransformer` forgets the names of sparse output.

    The parameters and fitted attributes are those of
    :class:`~sklearn.compose.ColumnTransformer`. The frame is sparse where its array would be:
    if one of the transformers is and the share of stored entries is below ``sparse_threshold``.
    A transformer that cannot name its output gets numbers: ``view__0``, ``view__1``. In a dense
    frame, columns that are passed through keep their type, categories included; a sparse frame
    holds numbers only. The names carry the views, so ``verbose_feature_names_out=False`` is
    refused.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from uneven import ViewColumns
    >>> frame = pd.DataFrame({"note": ["all is well", "smoke", "well"], "age": [31.0, None, 58.0]})
    >>> views = ViewColumns(
    ...     [("words", CountVectorizer(), "note"), ("person", "passthrough", ["age"])],
    ...     sparse_threshold=0.9,
    ... )
    >>> found = views.fit_transform(frame)
    >>> found.columns.tolist()
    ['words__all', 'words__is', 'words__smoke', 'words__well', 'person__age']
    >>> all("Sparse" in str(kind) for kind in found.dtypes)
    True
    """

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Fit all transformers and return what they make of ``X``.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), optional
        **params : object
            See :meth:`sklearn.compose.ColumnTransformer.fit_transform`.

        Returns
        -------
        pandas.DataFrame of shape (n_samples, n_output_features)
        """
        if self.verbose_feature_names_out is False:
            raise ValueError(
                "verbose_feature_names_out=False takes the views out of the column names; leave "
                "it at True, or use a plain ColumnTransformer."
            )
        with self._plain_output(X):
            table = super().fit_transform(X, y, **params)
        return self._named(table, X)

    def transform(self, X: Any, **params: Any) -> Any:
        """Return what the fitted transformers make of ``X``.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
        **params : object
            See :meth:`sklearn.compose.ColumnTransformer.transform`.

        Returns
        -------
        pandas.DataFrame of shape (n_samples, n_output_features)
        """
        with self._plain_output(X):
            table = super().transform(X, **params)
        return self._named(table, X)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns that :meth:`transform` returns.

        Parameters
        ----------
        input_features : array-like of str, optional
            See :meth:`sklearn.compose.ColumnTransformer.get_feature_names_out`.

        Returns
        -------
        ndarray of str, shape (n_output_features,)
        """
        try:
            return np.asarray(super().get_feature_names_out(input_features), dtype=object)
        except AttributeError:
            return np.array(self._names_or_numbers(), dtype=object)

    def set_output(self, *, transform: str | None = None) -> ViewColumns:
        """Accept ``"pandas"`` and ``"default"``: the output is a pandas frame in any case.

        Parameters
        ----------
        transform : {"pandas", "default"} or None

        Returns
        -------
        ViewColumns
            The same object.
        """
        if transform not in (None, "default", "pandas"):
            raise ValueError(
                f"set_output(transform={transform!r}) is not possible: ViewColumns returns a "
                'pandas frame; use "pandas" or "default".'
            )
        return self

    @contextmanager
    def _plain_output(self, X: Any) -> Iterator[None]:
        """Let transformers return arrays; if these cannot be joined, say which view is to blame."""
        with config_context(transform_output="default"):
            try:
                yield
            except ValueError:
                if getattr(self, "sparse_output_", False):
                    self._refuse_words(X)
                raise

    def _named(self, table: Any, X: Any) -> Any:
        index = getattr(X, "index", None)
        known = index is not None and not callable(index) and len(index) == table.shape[0]
        if sp.issparse(table):
            self._refuse_words(X)
        names = list(self.get_feature_names_out())
        frame = named_frame(table, names, index if known else None)
        if sp.issparse(table):
            return frame
        return _with_types(frame, X, {out: name for _, name, out in self._passed_through(X)})

    def _passed_through(self, X: Any) -> list[tuple[str, str, str]]:
        """View, column of the frame ``X`` and name in the output of what is not transformed."""
        if not hasattr(X, "columns"):
            return []
        weighted = self.transformer_weights or {}
        return [
            (view, name, out)
            for view, step, _ in self.transformers_
            if isinstance(step, FunctionTransformer) and step.func is None and view not in weighted
            for name, out in zip(getattr(step, "feature_names_in_", ()), self._outputs(view))
        ]

    def _outputs(self, view: str) -> list[str]:
        return list(self.get_feature_names_out()[self.output_indices_[view]])

    def _refuse_words(self, X: Any) -> None:
        """A sparse table holds numbers only: say which column does not."""
        for view, name, _ in self._passed_through(X):
            if holds_words(X, name):
                raise ValueError(
                    f"view {view!r} passes column {name!r} through, which holds words, but the "
                    "output is sparse and holds numbers only: encode the column (OneHotEncoder, "
                    "OrdinalEncoder), or set sparse_threshold=0 for a dense output."
                )

    def _names_or_numbers(self) -> list[str]:
        """Names transformer by transformer, numbers for those that have none."""
        found: list[str] = []
        for view, span in self.output_indices_.items():
            width = span.stop - span.start
            transformer = self.named_transformers_.get(view)
            try:
                names = list(transformer.get_feature_names_out()) if width else []
            except (AttributeError, ValueError):
                names = list(range(width))
            found += [f"{view}__{name}" for name in names]
        return found

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return []  # scikit-learn's own column transformer does not pass its checks


def _with_types(frame: Any, X: Any, source: Mapping[str, Any]) -> Any:
    """Give columns of a frame that come unchanged out of another frame their types back.

    Parameters
    ----------
    frame : pandas.DataFrame of shape (n_samples, n_features)
        Its other columns get the simplest type that holds their values.
    X : dataframe of shape (n_samples, any)
    source : mapping of str to str
        Column of ``frame`` to column of ``X``.

    Returns
    -------
    pandas.DataFrame of shape (n_samples, n_features)

    Examples
    --------
    >>> import pandas as pd
    >>> given = pd.DataFrame({"kind": pd.Categorical(["a", "b"]), "age": [1, 2]})
    >>> mixed = pd.DataFrame(given.to_numpy(), columns=["v__kind", "v__age"])
    >>> _with_types(mixed, given, {"v__kind": "kind", "v__age": "age"}).dtypes.astype(str).tolist()
    ['category', 'int64']
    """
    pandas = require("pandas", "A table with column names")
    frame = frame.infer_objects()
    types = dict(zip(frame.columns, frame.dtypes))
    for out, name in source.items():
        column = X[name]
        kind = str(column.dtype)
        if kind.startswith(("Enum", "Categorical")):
            order = learn_categories(X[[name]])[name]
            frame[out] = pandas.Categorical(column.to_list(), categories=order)
        elif hasattr(column, "array") and column.dtype != types[out] and "Sparse" not in kind:
            frame[out] = column.array
    return frame
