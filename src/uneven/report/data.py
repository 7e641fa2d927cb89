"""Section: figures of the table, and its classes and views."""

from __future__ import annotations

from uneven.comparison.results import Comparison
from uneven.comparison.summaries import DataSummary
from uneven.report.charts import elide, named
from uneven.report.markup import Markup, count, decimal, percent, tag
from uneven.report.profile import profile_table
from uneven.report.recalls import is_rare

COLUMNS_SHOWN = 40


def data(results: Comparison) -> Markup:
    """Key figures, class sizes and views."""
    summary = results.data
    kinds = ", ".join(f"{count(n)} {kind}" for kind, n in summary.column_kinds.items() if n)
    missing = percent(summary.missing_share, 1) if summary.missing_share else "none"
    tiles = [
        ("rows", count(summary.rows), ""),
        ("columns", count(summary.columns), kinds),
        ("classes", count(len(summary.classes)), f"in column “{elide(summary.target, 40)}”"),
        ("imbalance", f"{decimal(summary.imbalance_ratio, 1)} : 1", "largest to smallest class"),
        ("missing cells", missing, ""),
    ]
    boxes = [
        tag("div", tag("dt", name), tag("dd", value, tag("small", more) if more else None))
        for name, value, more in tiles
    ]
    return Markup(
        tag("dl", boxes, class_="tiles")
        + tag("div", _class_sizes(summary), _view_list(summary), class_="two")
        + _columns(results)
    )


def _columns(results: Comparison) -> Markup:
    """The profile of the columns, and those that are left out; empty without the table."""
    if results.refit_plan is None:
        return Markup("")
    problem = results.refit_plan.problem
    title = tag("h3", "Columns")
    table = profile_table(problem, results.data.classes, results.data.by_size())
    left = [
        tag("li", tag("b", elide(name, 60)), f" {why}")
        for name, why in list(problem.left_out.items())[:COLUMNS_SHOWN]
        if name != problem.target
    ]
    unused = tag(
        "details", tag("summary", "Columns that are not used as features"), tag("ul", left)
    )
    return Markup(title + table + (unused if left else ""))


def _class_sizes(summary: DataSummary) -> Markup:
    total, largest = sum(summary.class_counts), max(summary.class_counts, default=1) or 1
    rows = []
    for c in summary.by_size():
        size = summary.class_counts[c]
        css = "bar rare" if is_rare(size, total, len(summary.classes)) else "bar"
        bar = tag("span", class_=css, style=f"--v:{size / largest:.3f}", aria_hidden="true")
        rows.append(
            tag(
                "tr",
                tag("th", named(summary.classes[c]), scope="row"),
                tag("td", count(size), class_="number"),
                tag("td", percent(size / total if total else 0.0, 1), class_="number"),
                tag("td", bar, class_="bar-cell"),
            )
        )
    names = [("class", ""), ("rows", "number"), ("share", "number"), ("", "")]
    heads = [tag("th", name, scope="col", class_=css or None) for name, css in names]
    caption = tag("caption", "Class sizes; orange is rare")
    return _sizes(caption, heads, rows)


def _view_list(summary: DataSummary) -> Markup:
    if len(summary.views) < 2:
        return Markup("")
    rows = []
    for name, columns in summary.views.items():
        shown = ", ".join(elide(c, 60) for c in columns[:COLUMNS_SHOWN])
        more = f" and {count(len(columns) - COLUMNS_SHOWN)} more"
        names = shown + (more if len(columns) > COLUMNS_SHOWN else "")
        listing = tag("details", tag("summary", "names"), tag("p", names, class_="names"))
        rows.append(
            tag(
                "tr",
                tag("th", named(name), scope="row"),
                tag("td", count(len(columns)), class_="number"),
                tag("td", listing),
            )
        )
    heads = [
        tag("th", n, scope="col", class_=c or None)
        for n, c in (("view", ""), ("columns", "number"), ("", ""))
    ]
    return _sizes(tag("caption", "Views"), heads, rows)


def _sizes(caption: Markup, heads: list[Markup], rows: list[Markup]) -> Markup:
    table = tag(
        "table", caption, tag("thead", tag("tr", heads)), tag("tbody", rows), class_="sizes"
    )
    return tag("div", tag("div", table, class_="wide"))
