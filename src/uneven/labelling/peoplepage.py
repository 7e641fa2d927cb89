"""The page of those who label: their names, agreement, disagreements, decisions, exports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from uneven.labelling.agreement import kappas
from uneven.labelling.cards import decided
from uneven.labelling.project import Project
from uneven.labelling.store import Event, Person
from uneven.labelling.views import MOST_SHOWN, page, undo_button
from uneven.noise import ConfusionEstimate
from uneven.report.charts import elide
from uneven.report.markup import Markup, count, decimal, percent, tag

TINTS = 9


def people_page(project: Project, person: Person) -> str:
    """Who labels, how far they agree, and rows on which they do not."""
    rename = tag(
        "form",
        tag("label", "Your name", tag("input", id="my-name", value=person.name, maxlength=80)),
        tag("button", "Save", type="submit"),
        id="name-form",
    )
    links = [
        tag("li", tag("a", name, href=f"/export/{name}", download=name))
        for name in ("answers.csv", "answers.parquet", "labelled.csv", "labelled.parquet")
    ]
    links += [tag("li", tag("a", "labels.csv", href="/export/labels.csv", download="labels.csv"))]
    parts = [
        tag("section", tag("h2", "You"), rename),
        tag("section", tag("h2", "Disagreements"), disputes(project)),
        *decisions(project, person),
        tag("section", tag("h2", "Agreement"), agreement(project)),
        tag("section", tag("h2", "Export"), tag("ul", links, class_="downloads")),
    ]
    if project.confusion() is not None:
        name = "noise.csv"
        text = " for --noise-matrix of uneven fit and compare"
        parts[-1] = Markup(
            parts[-1] + tag("p", tag("a", name, href=f"/export/{name}", download=name), text)
        )
    parts.append(tag("p", tag("a", "Report of the labelling", href="/report")))
    return page(project, person, "People", "/people", Markup("".join(parts)))


def disputes(project: Project) -> Markup:
    """Rows with different labels, each with buttons to decide."""
    rows = project.ledger.disputed()
    if not rows:
        return tag("p", "No row has different labels.")
    lines = [_votes_line(project, name, _rule_buttons(project, name)) for name in rows[:MOST_SHOWN]]
    return _votes_table(lines, "Decide", "disputes")


def decisions(project: Project, person: Person) -> list[Markup]:
    """What was decided; everybody can decide otherwise, who decided can take it back."""
    lines = []
    for ruling in project.ledger.rulings()[:MOST_SHOWN]:
        mine = ruling.person == person.id
        what = f"the decision about {project.pool.key} {ruling.row}"
        undo = undo_button(ruling, what) if mine else None
        change = [_rule_buttons(project, ruling.row, ruling), undo]
        told = tag("b", decided(project, ruling.row))
        lines.append(_votes_line(project, ruling.row, [told, " ", change]))
    if not lines:
        return []
    return [tag("section", tag("h2", "Decisions"), _votes_table(lines, "Decided", "decisions"))]


def _rule_buttons(project: Project, name: str, ruling: Event | None = None) -> list[Markup]:
    """A button for each label that somebody gave to a row, but that for which it is decided."""
    people = project.ledger.people(name).values()
    labels = dict.fromkeys([*project.ledger.votes(name).values(), *(e.label for e in people)])
    return [
        tag(
            "button",
            label,
            type="button",
            class_="quiet",
            data_rule=project.pool.where[name],
            data_label=label,
            data_seen=ruling.id if ruling else 0,
            aria_label=f"Decide for {label} in {project.pool.key} {name}",
        )
        for label in labels
        if label and not (ruling and ruling.label == label)
    ]


def _votes_line(project: Project, name: str, end: Sequence[Any]) -> Markup:
    row = project.pool.where[name]
    votes = project.ledger.votes(name)
    said = [f"{project.person(who).name}: {label}" for who, label in votes.items()]
    shown = elide(" · ".join(project.pool.cells([row])[0].values()), 120)
    link = tag("a", f"{project.pool.key} {name}", href=f"/?row={row}")
    cells = [tag("td", shown), tag("td", ", ".join(said)), tag("td", end)]
    return tag("tr", tag("th", link, scope="row"), cells)


def _votes_table(lines: Sequence[Markup], end: str, name: str) -> Markup:
    head = [tag("th", text, scope="col") for text in ("Row", "Shows", "Labels", end)]
    table = tag("table", tag("thead", tag("tr", head)), tag("tbody", lines), class_="stacked")
    return tag("div", table, class_="wide", id=name)


def agreement(project: Project) -> Markup:
    """Kappa of each pair, and how each annotator errs."""
    given = project.given()
    pairs = kappas(given)
    if not pairs:
        return tag("p", "No row has been labelled by two people yet.")
    lines = [
        tag(
            "tr",
            tag("th", f"{project.person(a).name}, {project.person(b).name}", scope="row"),
            tag("td", count(rows), class_="number"),
            tag("td", percent(same), class_="number"),
            tag("td", decimal(kappa, 2), class_="number"),
        )
        for a, b, rows, same, kappa in pairs
    ]
    heads = ("Pair", "Shared rows", "Same label", "Cohen's kappa")
    head = [tag("th", text, scope="col") for text in heads]
    parts = [
        tag(
            "div",
            tag("table", tag("thead", tag("tr", head)), tag("tbody", lines)),
            class_="wide",
        )
    ]
    figures = [
        tag("figure", tag("figcaption", tag("b", project.person(who).name)), _matrix(found))
        for who in given
        if (found := project.confusion(who)) is not None
    ]
    if figures:
        note = (
            "How often each true class (column) gets each label (row), in percent with 95 % "
            "intervals, by the method of Dawid and Skene: no label is known to be right."
        )
        if len(given) == 2:
            note += " Two people leave open which of them is wrong where they differ."
        parts += [tag("p", note, class_="note"), tag("div", figures, class_="matrices")]
    return Markup("".join(parts))


def _matrix(found: ConfusionEstimate) -> Markup:
    names = [str(name) for name in found.classes]
    head = [tag("th", ""), *(tag("th", elide(name, 14), scope="col") for name in names)]
    lines = []
    for i, name in enumerate(names):
        cells = []
        for j in range(len(names)):
            if found.sizes[j] < 0.5:  # probably no row of this class was labelled by both
                cells.append(tag("td", "–", class_="cell"))
                continue
            value = float(found.matrix[i, j])
            tint = min(round(value * TINTS), TINTS)
            css = f"tint{tint}" if i == j else f"off{tint}"
            ends = f"{100 * found.low[i, j]:.0f}–{100 * found.high[i, j]:.0f}"
            ends = ends if math.isfinite(found.low[i, j]) else ""
            number = tag("small", ends)
            cells.append(tag("td", f"{100 * value:.0f}", number, class_=f"cell {css}"))
        lines.append(tag("tr", tag("th", elide(name, 14), scope="row"), cells))
    table = tag("table", tag("thead", tag("tr", head)), tag("tbody", lines), class_="confusion")
    return tag("div", table, class_="wide")
