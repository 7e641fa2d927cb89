"""Answers for Dask collections: computed partition by partition, and only when asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from uneven.utils.optional import require


def answer_lazily(classifier: Any, method: str, X: Any, **words: Any) -> Any:
    """What a method of a fitted classifier returns for a Dask collection.

    Parameters
    ----------
    classifier : VoteClassifier
    method : {"predict", "predict_proba", "decision_function"}
    X : dask array or dataframe
    **words : object
        Further arguments of the method.

    Returns
    -------
    dask array, series or dataframe
        Cut like ``X``. Of a dataframe the index is kept; a dataframe of one column per class, or a
        series where there is one number per row.
    """
    check_is_fitted(classifier, "vote_")
    classes = classifier.classes_
    n_answers = 0 if method == "predict" else len(classes)
    if method == "decision_function" and len(classes) == 2:
        n_answers = 0
    dtype = classes.dtype if method == "predict" else np.dtype(np.float64)
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


def _answer_block(
    X: Any, classifier: Any, method: str, n_answers: int, words: dict[str, Any]
) -> np.ndarray:
    """Answers for the rows of one partition, which may be none."""
    if not X.shape[0]:
        dtype = classifier.classes_.dtype if method == "predict" else np.float64
        return np.empty((0, n_answers) if n_answers else 0, dtype=dtype)
    return np.asarray(getattr(classifier, method)(X, **words))


def _answer_frame(
    frame: Any, classifier: Any, method: str, n_answers: int, words: dict[str, Any]
) -> Any:
    """Answers for one partition of a dataframe, with its index."""
    pandas = require("pandas", f"{method} of a dataframe")
    found = _answer_block(frame, classifier, method, n_answers, words)
    if n_answers:
        return pandas.DataFrame(found, index=frame.index, columns=classifier.classes_)
    return pandas.Series(found, index=frame.index)
