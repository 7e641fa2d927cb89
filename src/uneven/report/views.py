"""Section: how well each view predicts on its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from uneven.comparison.results import Comparison
from uneven.comparison.summaries import ViewSummary
from uneven.report.charts import MANY, heat_cell, named
from uneven.report.markup import Markup, count, decimal, percent, tag, whole_percent

BADGES = {"strong": "badge good", "weak": "badge alarm", "absent": "badge alarm"}


def views(results: Comparison) -> Markup | None:
    """A remark on each view, its recalls by class, and two maps of pairs of views.

    None when the views were not looked at.
    """
    found = results.views
    if not found:
        return None
    note = (
        "One forest per view was evaluated on held-out rows in which the view is present"
        f" ({count(results.view_rows)} rows were used). Its accuracy is a lower estimate of "
        "the strength of the view. Cells are percent of the rows of a class that were recognised."
    )
    parts = [
        tag("ul", [tag("li", view.remark) for view in found if view.remark], class_="remarks"),
        tag(
            "div", _view_recalls(found, results.data.classes, results.data.by_size()), class_="wide"
        ),
        tag("p", note, class_="note"),
    ]
    if len(found) > 1:
        maps = tag("div", _together(found), _rescue(found), class_="two pairs")
        parts.append(tag("details", tag("summary", "Which views fail on the same rows"), maps))
    return Markup("".join(parts))


def _view_recalls(found: list[ViewSummary], classes: list[str], order: list[int]) -> Markup:
    plain = ["view", "", "present", "accuracy", "guessing", "norm"]
    heads = [tag("th", word, scope="col") for word in plain]
    heads += [tag("th", named(classes[c]), scope="col", class_="method") for c in order]
    rows = [
        tag(
            "tr",
            tag("th", named(view.name), scope="row"),
            tag("td", tag("span", view.verdict, class_=BADGES.get(view.verdict, "badge"))),
            tag("td", percent(view.presence), class_="number"),
            [
                tag("td", decimal(value, 2), class_="number")
                for value in (view.accuracy, view.chance, view.confusion_norm)
            ],
            [
                heat_cell(
                    view.recalls[c], view.recalls[c] ** 2, shown=whole_percent(view.recalls[c])
                )
                for c in order
            ],
        )
        for view in found
    ]
    css = "heatmap many" if len(classes) > MANY else "heatmap"
    return tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows), class_=css)


def _together(found: list[ViewSummary]) -> Markup:
    note = (
        "Correlation, within the classes, of two views being right: 1 if they fail on the same "
        "rows, 0 if they fail independently, below 0 if one is right where the other fails."
    )
    return _pairs(
        "Which views fail together",
        note,
        found,
        [view.redundancy for view in found],
        lambda value: decimal(value, 2),
    )


def _rescue(found: list[ViewSummary]) -> Markup:
    note = "Percent of the mistakes of the view in the row that the view in the column gets right."
    return _pairs(
        "Errors corrected by views", note, found, [view.rescue for view in found], whole_percent
    )


def _pairs(
    caption: str,
    note: str,
    found: list[ViewSummary],
    values: Sequence[Sequence[float]],
    show: Callable[[float], str],
) -> Markup:
    """Heat table of views against views; the diagonal stays empty."""
    heads = [tag("th", named(view.name), scope="col", class_="method") for view in found]
    rows = [
        tag(
            "tr",
            tag("th", named(view.name), scope="row"),
            [
                tag("td") if j == k else heat_cell(value, max(value, 0.0), shown=show(value))
                for k, value in enumerate(line)
            ],
        )
        for j, (view, line) in enumerate(zip(found, values))
    ]
    head = tag("thead", tag("tr", tag("th", "view", scope="col"), heads))
    css = "heatmap many" if len(found) > MANY else "heatmap"
    table = tag("table", tag("caption", caption), head, tag("tbody", rows), class_=css)
    return tag("div", tag("div", table, class_="wide"), tag("p", note, class_="note"))
