"""Section: which views and columns support which class."""

from __future__ import annotations

from uneven.comparison.methodresult import MethodResult
from uneven.comparison.results import Comparison
from uneven.comparison.summaries import DataSummary, Share
from uneven.report.charts import MANY, heat_cell, named
from uneven.report.markup import Markup, tag


def voices(results: Comparison) -> Markup | None:
    """Heat tables of views and columns against classes, for each method that has them.

    None when no method has them.
    """
    telling = [m for m in results.ranked() if m.view_share or m.feature_share]
    if not telling:
        return None
    blocks = [
        tag(
            "details",
            tag("summary", tag("strong", method.label)),
            _share_tables(method, results.data),
            open=i == 0,
        )
        for i, method in enumerate(telling)
    ]
    note = (
        "Percent of the correct support for a class that comes from a view or column, measured "
        "while the model was trained. The shares of all views, and of all columns, sum to 100 in "
        "each class; of the columns only the strongest are shown."
    )
    return Markup("".join(blocks) + tag("p", note, class_="note"))


def _share_tables(method: MethodResult, data: DataSummary) -> list[Markup]:
    tables = []
    if method.view_share and len(method.view_share.names) > 1:
        tables.append(_share_table("view", method.view_share, data))
    if method.feature_share:
        tables.append(_share_table("column", method.feature_share, data))
    if not tables:
        tables.append(tag("p", "There is only one view, so its share is 100."))
    return tables


def _share_table(what: str, share: Share, data: DataSummary) -> Markup:
    order = data.by_size()
    classes = [data.classes[c] for c in order]
    top = max((v for row in share.values for v in row if v > 0), default=1.0)
    heads = [tag("th", named(name), scope="col", class_="method") for name in classes]
    rows = [
        tag(
            "tr",
            tag("th", named(name), scope="row"),
            [_share(row[c], top) for c in order],
        )
        for name, row in zip(share.names, share.values)
    ]
    head = tag("thead", tag("tr", tag("th", what, scope="col"), heads))
    css = "heatmap many" if len(classes) > MANY else "heatmap"
    return tag("div", tag("table", head, tag("tbody", rows), class_=css), class_="wide")


def _share(value: float, top: float) -> Markup:
    return heat_cell(value, value / top, shown="" if not value >= 0.005 else f"{100 * value:.0f}")
