"""Pictures of a comparison, drawn by `uneven.plots`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from uneven.comparison.errors import InputError
from uneven.comparison.methodresult import MethodResult
from uneven.comparison.results import Comparison
from uneven.metrics import matrix_norm
from uneven.utils.registry import closest, listing

KINDS = ("confusion", "recalls", "shares", "critical_difference")


def draw(found: Comparison, kind: str, method: str | None, *, ax: Any = None, **words: Any) -> Any:
    """Draw a comparison; see `Comparison.plot`."""
    if kind not in KINDS:
        raise InputError(
            f"unknown plot {kind!r}; {closest(str(kind), KINDS)}the plots are {listing(KINDS)}."
        )
    if kind == "recalls":
        return _recalls(found, ax=ax, **words)
    if kind == "critical_difference":
        return _ranks(found, ax=ax, **words)
    known = {result.name: result for result in found.methods}
    if method is not None and method not in known:
        raise InputError(f"no method {method!r} was compared; the methods are {listing(known)}.")
    result = found.winner if method is None else known[method]
    make = _confusion if kind == "confusion" else _shares
    return make(found, result).plot(ax=ax, **words)


def _confusion(found: Comparison, result: MethodResult) -> Any:
    from uneven.plots import ConfusionNormDisplay

    counts = np.array(result.corrected or result.confusion)
    sizes = counts.sum(axis=1, keepdims=True)
    rates = np.divide(counts, sizes, out=np.zeros_like(counts), where=sizes > 0)
    recalls = np.diag(rates)
    return ConfusionNormDisplay(
        rates,
        sizes.ravel(),
        display_labels=found.data.classes,
        norm=matrix_norm(rates - np.diag(recalls)),
        gmean=float(np.exp(np.log(recalls).mean())) if recalls.all() else 0.0,
    )


def _recalls(found: Comparison, ax: Any = None, title: str = "Recall of each class") -> Any:
    from uneven.plots.drawing import SUPPORT, draw_cells, fresh_axes, headline, name_cells, percent

    ranked = found.ranked()
    recalls = np.nan_to_num([result.recalls() for result in ranked])
    if ax is None:
        n_rows, n_columns = recalls.shape
        (ax,) = fresh_axes(max(3.0 + 0.6 * n_columns, 5.0), 1.6 + 0.45 * n_rows)
    texts = draw_cells(ax, np.asarray(SUPPORT(recalls)), [list(map(percent, r)) for r in recalls])
    name_cells(ax, [result.label for result in ranked], found.data.classes, length=28)
    headline(ax, title, "percent of the rows of a class that are recognised, best method first")
    return SimpleNamespace(ax_=ax, figure_=ax.figure, text_=texts)


def _shares(found: Comparison, result: MethodResult) -> Any:
    from uneven.plots import VoteShareDisplay

    views, columns = result.view_share, result.feature_share
    share = views if views and len(views.names) > 1 else columns
    if share is None:
        raise InputError(
            f"{result.label} does not report which columns support which class, or was not fitted "
            "again; name another method, or compare with refit=True."
        )
    return VoteShareDisplay(share.values, share.names, found.data.classes)


def _ranks(found: Comparison, **words: Any) -> Any:
    from uneven.plots import CriticalDifferenceDisplay

    whole = [result for result in found.ranked() if not result.errors]
    fits = found.folds * found.repeats
    if len(whole) < 2 or fits < 2:
        raise InputError(
            f"ranks over {fits} folds of {len(whole)} methods without failures show nothing; "
            "compare at least two methods on two folds."
        )
    values = np.array([result.scores[found.metric] for result in whole]).T
    better = "high" if found.chosen.greater_is_better else "low"
    names = [result.label for result in whole]
    words = {"title": f"Ranks by {found.chosen.label} over {fits} folds"} | words
    return CriticalDifferenceDisplay.from_values(values, names, better=better, **words)
