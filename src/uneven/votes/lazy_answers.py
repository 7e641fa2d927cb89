"""Lazy predictions for Dask collections, computed partition by partition."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from uneven.utils.optional import require


def answer_lazily(
    classifier: Any, method: str, X: Any, labels: np.dtype | None = None, **words: Any
) -> Any:
    """What a method of a fitted classifier returns for a Dask collection.

    Parameters
    ----------
    classifier : classifier
        Fitted.
    method : {"predict", "predict_proba", "decision_function"}
    X : dask array or dataframe
    labels : dtype, optional
        Of what ``predict`` returns; by default that of the classes.
    **words : object
        Further arguments of the method.

    Returns
    -------
    dask array, series or dataframe
        Cut like ``X``. Of a dataframe the index is kept; a dataframe of one column per class, or a
        series where there is one number per row.
    """
    check_is_fitted(classifier, "classes_")
    _check_columns(classifier, X)
    classes = classifier.classes_
    n_answers = 0 if method == "predict" else len(classes)
    if method == "decision_function" and len(classes) == 2:
        n_answers = 0
    dtype = np.dtype(np.float64)
    if method == "predict":
        dtype = classes.dtype if labels is None else labels
    told = {"classifier": classifier, "method": method, "n_answers": n_answers, "words": words}
    if hasattr(X, "columns"):
        pandas = require("pandas", f"{method} of a dataframe")
        if n_answers:
            meta = pandas.DataFrame(np.empty((0, n_answers)), columns=classes)
        else:
            meta = pandas.Series(np.empty(0, dtype=dtype))
        meta.index = X._meta.index[:0]
        return X.map_partitions(_answer_frame, **told, meta=meta)
    if X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    told["dtype"], told["meta"] = dtype, np.empty((0,) * (1 + bool(n_answers)), dtype=dtype)
    if n_answers:
        return X.map_blocks(_answer_block, **told, chunks=(X.chunks[0], (n_answers,)))
    return X.map_blocks(_answer_block, **told, drop_axis=1)


def _check_columns(classifier: Any, X: Any) -> None:
    """Refuse columns that are not those of ``fit`` at once, and not where they are computed."""
    name = type(classifier).__name__
    n_columns = getattr(classifier, "n_features_in_", X.shape[1])
    if X.shape[1] != n_columns:
        raise ValueError(
            f"X has {X.shape[1]} features, but {name} is expecting {n_columns} features as input."
        )
    known = list(getattr(classifier, "feature_names_in_", ()))
    given = [str(column) for column in getattr(X, "columns", ())]
    if known and given and given != known:
        raise ValueError(
            f"X must have the columns that {name} was fitted to, in their order: {known[:8]}; "
            f"got {given[:8]}."
        )


def _answer_block(
    X: Any, classifier: Any, method: str, n_answers: int, words: dict[str, Any]
) -> np.ndarray:
    """Predictions for the rows of one partition, which may be none."""
    if not X.shape[0]:
        dtype = classifier.classes_.dtype if method == "predict" else np.float64
        return np.empty((0, n_answers) if n_answers else 0, dtype=dtype)
    return np.asarray(getattr(classifier, method)(X, **words))


def _answer_frame(
    frame: Any, classifier: Any, method: str, n_answers: int, words: dict[str, Any]
) -> Any:
    """Predictions for one partition of a dataframe, with its index."""
    pandas = require("pandas", f"{method} of a dataframe")
    found = _answer_block(frame, classifier, method, n_answers, words)
    if n_answers:
        return pandas.DataFrame(found, index=frame.index, columns=classifier.classes_)
    return pandas.Series(found, index=frame.index)
