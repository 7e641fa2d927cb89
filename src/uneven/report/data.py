"""The parts of the page about the data: label noise, views, who speaks, figures, provenance.

Each takes a `Comparison` and returns the content of its section, or None if it has nothing to say.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from uneven.comparison.results import Comparison, MethodResult
from uneven.comparison.summaries import DataSummary, NoiseSummary, Share, ViewSummary
from uneven.report.charts import MANY, elide, heat_cell, named
from uneven.report.markup import Markup, count, decimal, percent, tag, whole_percent
from uneven.report.methods import is_rare

MANY_BESIDE = 8
"""Above this many classes the cells get smaller, so that the matrix fits beside its table."""

EASY, HARD = 3.0, 30.0
"""Condition numbers up to which undoing the noise costs little, and from which it costs a lot."""

FEW_ROWS = 50
"""A column that rests on fewer rows is a rough guess: shares of it are known to about 0.1."""


def noise(results: Comparison) -> Markup | None:
    """The matrix, remarks in words, and labels beside true classes.

    None when no noise matrix was given.
    """
    found = results.noise
    if found is None:
        return None
    order = results.data.by_size()
    names = [results.data.classes[c] for c in order]
    css = "pairs" if len(names) > MANY else "two pairs"
    remarks = [*_noise_remarks(found, results.data.classes), _listeners(results)]
    return Markup(
        tag("ul", [tag("li", remark) for remark in remarks], class_="remarks")
        + tag(
            "div",
            _noise_matrix(found, names, order),
            _noise_classes(found, names, order),
            class_=css,
        )
    )


def _noise_remarks(found: NoiseSummary, classes: Sequence[str]) -> list[str]:
    worst = max(range(len(classes)), key=lambda c: found.amplification[c])
    if found.condition <= EASY:
        verdict = "undoing the noise costs little, if the matrix is right"
    elif found.condition < HARD:
        verdict = "undoing the noise makes every estimate less certain"
    else:
        verdict = "the noise hides much: corrected numbers are very uncertain"
    fewest = min(found.rows, default=math.inf)
    if fewest < FEW_ROWS and found.condition < HARD:
        rarest = elide(classes[found.rows.index(fewest)], 24)
        verdict = f"but the matrix itself is a rough guess, from {count(fewest)} rows of {rarest}"
    return [
        f"{percent(found.wrong_share)} of the labels are wrong, says the noise matrix "
        f"({elide(found.name, 60)}). Measures on the labels as they are would blame right answers "
        "for wrong labels; corrected measures estimate what they would be against the true "
        "classes.",
        f"Condition number {decimal(found.condition, 1)}: {verdict}. Chance counts up to "
        f"{decimal(found.amplification[worst], 1)} times as much as with true labels (class "
        f"{elide(classes[worst], 24)}).",
    ]


def _listeners(results: Comparison) -> str:
    told = [elide(m.label, 40) for m in results.methods if m.knows_noise]
    if not told:
        return "No method was told about the noise: all of them believe the labels."
    others = "" if len(told) == len(results.methods) else " The others believe the labels."
    return f"Told about the noise: {', '.join(told)}.{others}"


def _noise_matrix(found: NoiseSummary, names: Sequence[str], order: Sequence[int]) -> Markup:
    heads = [tag("th", named(name), scope="col", class_="method") for name in names]
    small = "" if len(names) > MANY else "<1"
    rows = [
        tag(
            "tr",
            tag("th", named(name), scope="row"),
            [_noise_cell(found.matrix[i][j], i == j, small) for j in order],
        )
        for name, i in zip(names, order)
    ]
    head = tag("thead", tag("tr", tag("th", "label", scope="col"), heads))
    css = "heatmap many" if len(names) > MANY_BESIDE else "heatmap"
    caption = tag("caption", "Which label each class gets")
    table = tag("table", caption, head, tag("tbody", rows), class_=css)
    note = (
        "A column is a true class, a row a label: a cell is the percentage of the class that gets "
        "the label, so columns sum to 100. Blue labels are right, orange ones are wrong."
    )
    return tag("div", tag("div", table, class_="wide"), tag("p", note, class_="note"))


def _noise_cell(share: float, right: bool, small: str) -> Markup:
    shown = "" if share == 0.0 else small if share < 0.005 else whole_percent(share)
    tint = share if right else share**0.5
    return heat_cell(share, tint, shown=shown, wrong=not right and share > 0.0)


def _noise_classes(found: NoiseSummary, names: Sequence[str], order: Sequence[int]) -> Markup:
    rows = [
        tag(
            "tr",
            tag("th", named(name), scope="row"),
            [
                tag("td", shown, class_="number")
                for shown in (
                    percent(found.observed[c], 1),
                    percent(found.recovered[c], 1),
                    percent(found.matrix[c][c]),
                    f"{decimal(found.amplification[c], 1)} ×",
                )
            ],
        )
        for name, c in zip(names, order)
    ]
    words = ("labels", "true", "right", "chance")
    heads = [tag("th", word, scope="col", class_="number") for word in words]
    head = tag("thead", tag("tr", tag("th", "class", scope="col"), heads))
    caption = tag("caption", "Labels, and the classes behind them")
    table = tag("table", caption, head, tag("tbody", rows), class_="sizes")
    note = (
        "Share of the rows that are labelled so; share that truly are, recovered through the "
        "inverse of the matrix; how many of the class get the right label; and how much more "
        "chance counts in what is estimated for the class."
    )
    return tag("div", tag("div", table, class_="wide"), tag("p", note, class_="note"))


BADGES = {"strong": "badge good", "weak": "badge alarm", "absent": "badge alarm"}


def views(results: Comparison) -> Markup | None:
    """A remark on each view, its recalls by class, and two maps of pairs of views.

    None when the views were not looked at.
    """
    found = results.views
    if not found:
        return None
    note = (
        "One forest per view answered for held-out rows on which the view is present"
        f" ({count(results.view_rows)} rows were looked at). Its accuracy is a lower estimate of "
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
        parts.append(tag("div", _together(found), _rescue(found), class_="two pairs"))
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
    return _pairs("Who helps whom", note, found, [view.rescue for view in found], whole_percent)


def _pairs(
    caption: str,
    note: str,
    found: list[ViewSummary],
    values: Sequence[Sequence[float]],
    show: Callable[[float], str],
) -> Markup:
    """Heat table of views against views; the diagonal says nothing and stays empty."""
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


def voices(results: Comparison) -> Markup | None:
    """Heat tables of views and columns against classes, for each method that can tell.

    None when no method can tell.
    """
    telling = [m for m in results.ranked() if m.view_share or m.feature_share]
    if not telling:
        return None
    blocks = [
        tag(
            "details",
            tag("summary", tag("strong", method.label)),
            _share_tables(method, results.data.classes),
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


def _share_tables(method: MethodResult, classes: list[str]) -> list[Markup]:
    tables = []
    if method.view_share and len(method.view_share.names) > 1:
        tables.append(_share_table("view", method.view_share, classes))
    if method.feature_share:
        tables.append(_share_table("column", method.feature_share, classes))
    if not tables:
        tables.append(tag("p", "There is only one view, so it says everything."))
    return tables


def _share_table(what: str, share: Share, classes: list[str]) -> Markup:
    top = max((v for row in share.values for v in row if v > 0), default=1.0)
    heads = [tag("th", named(name), scope="col", class_="method") for name in classes]
    rows = [
        tag(
            "tr",
            tag("th", named(name), scope="row"),
            [heat_cell(v, v / top, shown="" if not v >= 0.005 else f"{100 * v:.0f}") for v in row],
        )
        for name, row in zip(share.names, share.values)
    ]
    head = tag("thead", tag("tr", tag("th", what, scope="col"), heads))
    css = "heatmap many" if len(classes) > MANY else "heatmap"
    return tag("div", tag("table", head, tag("tbody", rows), class_=css), class_="wide")


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
    )


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
    return tag("table", caption, tag("thead", tag("tr", heads)), tag("tbody", rows), class_="sizes")


def _view_list(summary: DataSummary) -> Markup:
    if not summary.views:
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
    caption = tag("caption", "Views")
    return tag("table", caption, tag("thead", tag("tr", heads)), tag("tbody", rows), class_="sizes")


def reproduce(results: Comparison) -> Markup:
    """Command, seed, digest of the data, versions and parameters."""
    repeats = f", repeated {results.repeats} times" if results.repeats > 1 else ""
    kind = "" if results.refit_plan and results.refit_plan.given_folds else "stratified, "
    facts = [
        ("created", results.created),
        ("validation", f"{results.folds}-fold, {kind}same folds for all{repeats}"),
        ("seed", str(results.seed)),
        ("data", results.data.name),
        ("SHA-256", results.data.sha256 or "no file"),
        ("versions", ", ".join(f"{name} {v}" for name, v in results.versions.items())),
        ("results format", str(results.schema)),
    ]
    command = tag("pre", tag("code", results.command, id="command"))
    return Markup(
        tag("div", command, class_="command")
        + tag("dl", [(tag("dt", k), tag("dd", v)) for k, v in facts], class_="facts")
        + _parameters(results)
    )


def _parameters(results: Comparison) -> Markup:
    rows = [
        tag(
            "tr",
            tag("th", method.label, scope="row"),
            tag("td", method.description),
            tag("td", tag("code", ", ".join(f"{k}={v}" for k, v in method.params.items()))),
        )
        for method in results.methods
        if method.params or method.description
    ]
    if not rows:
        return Markup("")
    heads = [tag("th", name, scope="col") for name in ("method", "what it is", "parameters")]
    table = tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows), class_="plain")
    return tag(
        "details",
        tag("summary", "Methods and their parameters"),
        tag("div", table, class_="wide"),
    )
