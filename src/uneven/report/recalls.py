"""Section: the recall of each class by each method."""

from __future__ import annotations

import math

from uneven.comparison.results import Comparison
from uneven.report.charts import (
    MANY,
    heat_cell,
    named,
)
from uneven.report.headline import FEW_ROWS
from uneven.report.markup import (
    Markup,
    count,
    tag,
    whole_percent,
)


def is_rare(size: int, rows: int, n_classes: int) -> bool:
    """Whether a class has less than half of an equal share of the rows.

    Examples
    --------
    >>> is_rare(10, 100, 4), is_rare(13, 100, 4)
    (True, False)
    """
    return 2 * n_classes * size < rows


def recalls(results: Comparison) -> Markup:
    """Heat table: a row per class, a column per method."""
    data, methods = results.data, results.ranked()
    table = {m.name: m.recalls() for m in methods}
    total, largest = sum(data.class_counts), max(data.class_counts, default=1) or 1
    ends = {m.name: m.recall_intervals(results.repeats) for m in methods}
    rows, sure = [], results.noise is None
    for c in data.by_size():
        size = data.class_counts[c]
        line = [table[m.name][c] for m in methods]
        top = max((v for v in line if math.isfinite(v)), default=math.nan)
        rare = is_rare(size, total, len(data.classes))
        badge = tag("span", "rare", class_="badge") if rare else None
        bar = tag("span", class_="bar", style=f"--v:{size / largest:.3f}", aria_hidden="true")
        rows.append(
            tag(
                "tr",
                tag("th", named(data.classes[c]), " ", badge, scope="row"),
                tag("td", tag("span", count(size), bar, class_="sized"), data_value=size),
                [
                    heat_cell(
                        value,
                        _tint(value),
                        shown=whole_percent(value),
                        best=value == top and len(line) > 1,
                        below=_interval(ends[m.name][c]) if size < FEW_ROWS and sure else None,
                    )
                    for m, value in zip(methods, line)
                ],
            )
        )
    plain = [tag("th", word, scope="col") for word in ("class", "rows")]
    heads = plain + [tag("th", named(m.label), scope="col", class_="method") for m in methods]
    css = "sortable heatmap many" if len(methods) > MANY else "sortable heatmap"
    inner = tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows), class_=css)
    return Markup(tag("div", inner, class_="wide") + tag("p", _note(results), class_="note"))


def _note(results: Comparison) -> str:
    note = (
        "Percent of the held-out rows of a class that were recognised; bold is best. A class is "
        "called rare when it has less than half of an equal share of the rows."
    )
    if results.noise is None and min(results.data.class_counts, default=FEW_ROWS) < FEW_ROWS:
        note += (
            f" Small figures are 95 % intervals (Wilson) of classes with fewer than {FEW_ROWS} "
            "rows: the range to expect on new rows."
        )
    if results.noise is not None:
        note += (
            " Recalls are corrected for the noise in the labels, over all folds together, and "
            "clipped to the range from 0 to 100; the numbers of rows are not corrected. The "
            "corrected balanced accuracy in the ranking is not clipped, so that it is unbiased: "
            "the mean of a column may differ from it."
        )
    return note


def _interval(ends: list[float]) -> str | None:
    """Both ends in percent; None where they are unknown."""
    if not all(map(math.isfinite, ends)):
        return None
    return f"{100 * ends[0]:.0f}–{100 * ends[1]:.0f}"


def _tint(recall: float) -> float:
    """Strength of the colour: recalls near 1 are told apart best.

    Examples
    --------
    >>> _tint(1.0), round(_tint(0.96), 3), round(_tint(0.5), 3)
    (1.0, 0.8, 0.293)
    """
    return 1.0 - math.sqrt(1.0 - min(max(recall, 0.0), 1.0)) if recall == recall else math.nan
