"""The pages: label, earlier answers, suspicious labels, people."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from uneven.labelling.agreement import kappas
from uneven.labelling.cards import next_card, row_card
from uneven.labelling.guard import write_token
from uneven.labelling.project import Project
from uneven.labelling.statuspanel import status_panel
from uneven.labelling.store import Event, Person
from uneven.noise import ConfusionEstimate
from uneven.report.charts import elide
from uneven.report.markup import Markup, count, decimal, percent, tag

MOST_SHOWN = 200
TINTS = 9

_KEYS = (
    ("skip", "s", "Skip"),
    ("unsure", "x", "Cannot tell"),
    ("undo", "u", "Undo"),
    ("guess", "g", "Show the guess"),
    ("comment", "c", "Comment"),
    ("class", "n", "New class"),
    ("doubt", "w", "Not sure"),
)


def label_page(project: Project, person: Person, row: int | None = None) -> str:
    """The page on which rows are labelled; a chosen row, or the next one."""
    found = next_card(project, person) if row is None else row_card(project, person, row)
    further = [
        tag(
            "button",
            tag("kbd", key, aria_hidden="true"),
            text,
            type="button",
            class_="quiet",
            id=f"do-{name}",
            data_do=name,
            aria_keyshortcuts=key,
            aria_pressed="false" if name == "doubt" else None,
        )
        for name, key, text in _KEYS
    ]
    comment = tag(
        "label", "Comment on this row", tag("textarea", id="comment", maxlength=2000, rows=2)
    )
    new = tag(
        "form",
        tag("label", "New class", tag("input", id="new-class", maxlength=200, autocomplete="off")),
        tag("button", "Add and choose it", type="submit"),
        id="class-form",
        hidden=True,
    )
    work = tag(
        "section",
        tag("div", found["card"], id="card"),
        tag("div", found["choices"], id="choices", role="group", aria_label="Classes"),
        tag("div", further, class_="further", role="group", aria_label="Other answers"),
        tag("div", comment, id="comment-box", hidden=True),
        new,
        tag("div", id="guess", hidden=True, aria_live="polite"),
        class_="work",
        id="work",
        aria_label="Row to label",
        data_row=found["row"],
        data_seen=found["seen"],
        data_asked=found["asked"],
        data_chosen="yes" if row is not None else None,
    )
    side = tag("aside", status_panel(project, person), id="status", aria_label="Progress")
    return _page(project, person, "Label", "/", tag("div", work, side, class_="desk"))


def answers_page(project: Project, person: Person, query: str = "") -> str:
    """What the person answered, or rows in which a word occurs."""
    words = query.casefold().split()
    form = tag(
        "form",
        tag("label", "Search all rows", tag("input", name="q", type="search", value=query)),
        tag("button", "Search", type="submit"),
        class_="search",
        action="/answers",
        role="search",
    )
    if words:
        searched = project.pool.searched
        rows = [k for k, text in enumerate(searched) if all(word in text for word in words)]
        said = f"{count(len(rows))} rows hold “{query}”"
    else:
        mine = project.ledger.answers(person.id)
        rows = [project.pool.where[event.row] for event in mine]
        said = f"{count(len(rows))} answers of yours, the latest first"
    more = f"; the first {MOST_SHOWN} are shown" if len(rows) > MOST_SHOWN else ""
    table = _rows_table(project, person, rows[:MOST_SHOWN])
    body = tag("section", tag("h2", "Answers"), form, tag("p", said + more + "."), table)
    return _page(project, person, "Answers", "/answers", body)


def again_page(project: Project, person: Person) -> str:
    """Own labels that the others speak against."""
    found = project.suspicious(person.id)
    lead = (
        "Learners that have not seen these labels hold another class to be more probable. Some of "
        "the labels are wrong, others are just unusual: look at the row and say it again."
    )
    lines = []
    for row, label, other, share in found:
        name = project.pool.names[row]
        link = tag("a", f"Look at {project.pool.key} {name}", href=f"/?row={row}")
        shown = elide(" · ".join(project.pool.cells([row])[0].values()), 90)
        cells = (shown, label, f"{other} ({percent(share)})")
        lines.append(tag("tr", tag("th", link, scope="row"), [tag("td", cell) for cell in cells]))
    head = [tag("th", name, scope="col") for name in ("Row", "Shows", "Your label", "Rather")]
    table = tag("table", tag("thead", tag("tr", head)), tag("tbody", lines))
    body = (
        [tag("p", lead), tag("div", table, class_="wide")]
        if lines
        else tag("p", "No label looks suspicious so far.")
    )
    return _page(
        project, person, "Look again", "/again", tag("section", tag("h2", "Look again"), body)
    )


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
        tag("section", tag("h2", "Agreement"), agreement(project)),
        tag("section", tag("h2", "Take it away"), tag("ul", links, class_="downloads")),
    ]
    if project.confusion() is not None:
        name = "noise.csv"
        text = " for --noise-matrix of uneven fit and compare"
        parts[-1] = Markup(
            parts[-1] + tag("p", tag("a", name, href=f"/export/{name}", download=name), text)
        )
    parts.append(tag("p", tag("a", "Report of the labelling", href="/report")))
    return _page(project, person, "People", "/people", Markup("".join(parts)))


def disputes(project: Project) -> Markup:
    """Rows with different labels, each with buttons to decide."""
    rows = project.ledger.disputed()
    if not rows:
        return tag("p", "Nobody disagrees about any row.")
    lines = []
    for name in rows[:MOST_SHOWN]:
        row, votes = project.pool.where[name], project.ledger.votes(name)
        said = [f"{project.person(who).name}: {label}" for who, label in votes.items()]
        shown = elide(" · ".join(project.pool.cells([row])[0].values()), 120)
        buttons = [
            tag("button", label, type="button", class_="quiet", data_rule=row, data_label=label)
            for label in dict.fromkeys(votes.values())
        ]
        link = tag("a", f"{project.pool.key} {name}", href=f"/?row={row}")
        cells = [tag("td", shown), tag("td", ", ".join(said)), tag("td", buttons)]
        lines.append(tag("tr", tag("th", link, scope="row"), cells))
    head = [tag("th", text, scope="col") for text in ("Row", "Shows", "Labels", "Decide")]
    table = tag("table", tag("thead", tag("tr", head)), tag("tbody", lines))
    return tag("div", table, class_="wide", id="disputes")


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
            value = float(found.matrix[i, j])
            tint = min(round(value * TINTS), TINTS)
            css = f"tint{tint}" if i == j else f"off{tint}"
            ends = f"{100 * found.low[i, j]:.0f}–{100 * found.high[i, j]:.0f}"
            ends = ends if math.isfinite(found.low[i, j]) and found.sizes[j] > 0 else ""
            number = tag("small", ends)
            cells.append(tag("td", f"{100 * value:.0f}", number, class_=f"cell {css}"))
        lines.append(tag("tr", tag("th", elide(name, 14), scope="row"), cells))
    table = tag("table", tag("thead", tag("tr", head)), tag("tbody", lines), class_="confusion")
    return tag("div", table, class_="wide")


def _rows_table(project: Project, person: Person, rows: Sequence[int]) -> Markup:
    lines = []
    for row, cells in zip(rows, project.pool.cells(np.asarray(rows, dtype=int)) if rows else []):
        name = project.pool.names[row]
        said = project.ledger.answer(person.id, name)
        link = tag("a", f"{project.pool.key} {name}", href=f"/?row={row}")
        shown = elide(" · ".join(cell for cell in cells.values() if cell), 100)
        lines.append(
            tag(
                "tr",
                tag("th", link, scope="row"),
                tag("td", shown),
                tag("td", _answer_words(said)),
                tag("td", said.comment if said else ""),
                tag("td", _undo_button(said)),
            )
        )
    heads = ("Row", "Shows", "Your answer", "Comment", "")
    head = [tag("th", text, scope="col") for text in heads]
    return tag(
        "div", tag("table", tag("thead", tag("tr", head)), tag("tbody", lines)), class_="wide"
    )


def _answer_words(said: Event | None) -> str:
    if said is None:
        return "–"
    told = said.label or {"skip": "skipped", "unsure": "cannot tell"}[said.kind]
    return told if said.sure else f"{told} (not sure)"


def _undo_button(said: Event | None) -> Markup | None:
    if said is None:
        return None
    return tag("button", "Undo", type="button", class_="quiet", data_undo=said.id)


def _page(project: Project, person: Person, title: str, here: str, body: Markup) -> str:
    again = len(project.suspicious(person.id))
    links = [("/", "Label"), ("/answers", "Answers")]
    links += [("/again", f"Look again ({again})" if again else "Look again"), ("/people", "People")]
    nav = [
        tag("a", text, href=where, aria_current="page" if where == here else None)
        for where, text in links
    ]
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="write-token", content=write_token(person.token)),
        tag("title", f"{title} · {project.pool.path.name}"),
        tag("link", rel="stylesheet", href="/page.css"),
        tag("script", src="/page.js", defer=True),
    )
    top = tag(
        "header",
        tag("strong", project.pool.path.name, class_="pool"),
        tag("nav", nav, aria_label="Pages"),
        tag("span", person.name, class_="me"),
        class_="top",
    )
    return "<!doctype html>\n" + tag(
        "html",
        head,
        tag(
            "body",
            tag("a", "Skip to the row", href="#main", class_="skip"),
            top,
            tag("div", id="banner", role="alert", hidden=True),
            tag("main", body, id="main"),
            tag("p", id="said", role="status", class_="hidden"),
        ),
        lang="en",
    )
