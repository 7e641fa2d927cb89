"""The pages: label, earlier answers, suspicious labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from uneven.labelling.cards import decided, from_file, next_card, row_card
from uneven.labelling.guard import write_token
from uneven.labelling.project import Project
from uneven.labelling.statuspanel import status_panel
from uneven.labelling.store import Event, Person
from uneven.report.charts import elide
from uneven.report.markup import Markup, count, percent, tag

MOST_SHOWN = 200
_KEYS = (
    ("skip", "s", "Skip"),
    ("unsure", "x", "Cannot tell"),
    ("undo", "u", "Undo"),
    ("guess", "g", "Show the prediction"),
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
    return page(project, person, "Label", "/", tag("div", work, side, class_="desk"))


def answers_page(project: Project, person: Person, query: str = "") -> str:
    """Answers of the person, or rows in which a word occurs."""
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
        rulings = [event for event in project.ledger.rulings() if event.person == person.id]
        mine = sorted([*project.ledger.answers(person.id), *rulings], key=lambda event: -event.id)
        rows = list(dict.fromkeys(project.pool.where[event.row] for event in mine))
        said = f"{count(len(rows))} rows that you answered, the latest first"
    more = f"; the first {MOST_SHOWN} are shown" if len(rows) > MOST_SHOWN else ""
    table = _rows_table(project, person, rows[:MOST_SHOWN])
    body = tag("section", tag("h2", "Answers"), form, tag("p", said + more + "."), table)
    return page(project, person, "Answers", "/answers", body)


def again_page(project: Project, person: Person) -> str:
    """Own labels that the others contradict."""
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
        chance = percent(share).replace(" ", "\u00a0")
        cells = (shown, label, f"{other} ({chance})")
        lines.append(tag("tr", tag("th", link, scope="row"), [tag("td", cell) for cell in cells]))
    head = [tag("th", name, scope="col") for name in ("Row", "Shows", "Your label", "Rather")]
    table = tag("table", tag("thead", tag("tr", head)), tag("tbody", lines), class_="stacked")
    body = (
        [tag("p", lead), tag("div", table, class_="wide")]
        if lines
        else tag("p", "No label looks suspicious so far.")
    )
    return page(
        project, person, "Look again", "/again", tag("section", tag("h2", "Look again"), body)
    )


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
                tag("td", _answer_words(said), _decision(project, name)),
                tag("td", said.comment if said else ""),
                tag("td", undo_button(said, f"the answer about {project.pool.key} {name}")),
            )
        )
    heads = ("Row", "Shows", "Your answer", "Comment", "")
    head = [tag("th", text, scope="col") for text in heads]
    table = tag("table", tag("thead", tag("tr", head)), tag("tbody", lines), class_="stacked")
    return tag("div", table, class_="wide")


def _answer_words(said: Event | None) -> str:
    if said is None:
        return "–"
    told = said.label or {"skip": "skipped", "unsure": "cannot tell"}[said.kind]
    return told if said.sure else f"{told} (not sure)"


def _decision(project: Project, row: str) -> Markup | None:
    ruling, typed = decided(project, row), from_file(project, row)
    told = f"decided: {ruling}" if ruling else f"in the file: {typed}" if typed else ""
    return tag("div", told, class_="note") if told else None


def undo_button(said: Event | None, what: str) -> Markup | None:
    """A button that takes an answer back; `what` tells it from others where it is only heard."""
    if said is None:
        return None
    told = f"Undo {what}"
    undo = {"type": "button", "class_": "quiet", "data_undo": said.id, "aria_label": told}
    return tag("button", "Undo", **undo)


def page(project: Project, person: Person, title: str, here: str, body: Markup) -> str:
    """A whole page around its body."""
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
        tag("meta", name="person", content=person.id),
        tag("title", f"{title} · {project.pool.path.name}"),
        tag("link", rel="stylesheet", href="/page.css"),
        tag("script", src="/page.js", defer=True),
    )
    top = tag(
        "header",
        tag("strong", project.pool.path.name, class_="pool"),
        tag("nav", nav, aria_label="Pages"),
        tag("p", id="said", role="status"),
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
        ),
        lang="en",
    )
