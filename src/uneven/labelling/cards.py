"""One row as a person sees it, the buttons below it, and the guess of the learner."""

from __future__ import annotations

from typing import Any

from uneven.labelling.assigning import Question
from uneven.labelling.pool import PoolTable
from uneven.labelling.project import Project
from uneven.labelling.reasons import Guess
from uneven.labelling.store import FROM_FILE, Event, Person
from uneven.report.charts import elide
from uneven.report.markup import Markup, count, percent, tag

SHOWN_SIGNS = 20_000
"""Of a longer cell the beginning is shown, and the rest if asked for."""

LONG = 90
KEYS = "1234567890qertyiopadfhjklzvbm"
"""Keys of the classes, in order; the other letters do something else."""

_WHY = {
    "random": "random row",
    "second opinion": "second opinion",
    "spread": "first rows",
    "skipped before": "skipped before",
}


def row_card(project: Project, person: Person, row: int, why: str = "") -> dict[str, Any]:
    """A row with what the page must know about it.

    Returns
    -------
    dict
        ``card`` and ``choices`` as HTML, ``row``, and ``seen``: the number of the answer that the
        person gave before.
    """
    name = project.pool.names[row]
    said = project.ledger.answer(person.id, name)
    return {
        "card": _card(project, row, why, said),
        "choices": choices(project, said.label if said else ""),
        "row": row,
        "seen": said.id if said else 0,
        "asked": why or "chosen",
    }


def next_card(project: Project, person: Person) -> dict[str, Any]:
    """The next question of a person as a card; one that says so if there is none."""
    question: Question | None = project.next(person.id)
    if question is None:
        done = tag("h2", "All done")
        text = tag("p", "There is no row left for you. You can still change earlier answers.")
        card = tag("article", done, text, class_="card done")
        return {"card": card, "choices": "", "row": None, "seen": 0, "asked": ""}
    return row_card(project, person, question.row, question.why)


def choices(project: Project, chosen: str = "") -> Markup:
    """A button for each class."""
    keys = [*KEYS, *("" for _ in project.classes[len(KEYS) :])]
    buttons = [
        tag(
            "button",
            tag("kbd", key, aria_hidden="true") if key else None,
            tag("span", name, class_="name"),
            type="button",
            class_="choice",
            data_label=name,
            data_key=key or None,
            aria_keyshortcuts=key or None,
            aria_pressed="true" if name == chosen else "false",
        )
        for name, key in zip(project.classes, keys)
    ]
    if not buttons:
        return tag("p", "No class yet: press ", tag("kbd", "n"), " to name the first one.")
    return Markup("".join(buttons))


def guess_panel(project: Project, guess: Guess) -> Markup:
    """The prediction of the learner, and why."""
    if not guess.shares:
        return tag("p", "There is no prediction before two classes are known.")
    bars = [
        tag(
            "li",
            tag("span", label, class_="name"),
            bar(share),
            tag("span", percent(share), class_="figure"),
        )
        for label, share in guess.shares[:4]
    ]
    parts = [tag("ol", bars, class_="bars")]
    if guess.reasons:
        told = [
            tag("li", tag("b", name), f" – without it {_points(fall)} less")
            for name, fall in guess.reasons
        ]
        parts.append(tag("p", "Reasons:"))
        parts.append(tag("ul", told, class_="reasons"))
    if guess.alike:
        names = project.pool.names
        links = [
            tag("li", tag("a", f"row {names[row]}", href=f"/?row={row}"), f": {label}")
            for row, label in guess.alike
        ]
        parts.append(tag("p", "Most similar labelled rows:"))
        parts.append(tag("ul", links, class_="reasons"))
    words = " ".join(name.partition(": ")[2] for name, _ in guess.reasons)
    return tag("div", parts, data_words=words.strip() or None)


def _points(fall: float) -> str:
    shown = f"{100 * fall:.0f}"
    return "1 point" if shown == "1" else f"{shown} points"


def bar(share: float) -> Markup:
    """A bar as a picture, which needs no style of its own."""
    width = f"{100 * min(max(share, 0.0), 1.0):.1f}"
    inside = tag("rect", width=width, height=6, rx=1, class_="fill")
    frame = {"viewBox": "0 0 100 6", "preserveAspectRatio": "none"}
    return tag("svg", inside, class_="bar-line", aria_hidden="true", **frame)


def in_words(event: Event) -> str:
    """What was saved."""
    said = {"skip": "skipped", "unsure": "cannot tell", "ruling": f"decided, {event.label}"}
    return f"Saved, row {event.row}: {said.get(event.kind, event.label)}."


def decided(project: Project, row: str) -> str:
    """Who decided between the labels of a row, and how; empty if nobody did."""
    ruling = project.ledger.ruling(row)
    return f"{ruling.label}, by {project.person(ruling.person).name}" if ruling else ""


def from_file(project: Project, row: str) -> str:
    """The label of a row in the file of labels; empty if an annotator changed it later."""
    return project.ledger.votes(row).get(FROM_FILE, "")


def overruled(project: Project, event: Event) -> str:
    """Note for an annotator whose answer does not count because of a decision."""
    ruling = project.ledger.ruling(event.row)
    if event.kind == "ruling" or ruling is None or ruling.label == event.label:
        return ""
    return (
        f"Your answer about row {event.row} is saved, but its label stays as it was decided: "
        f"{decided(project, event.row)}. Decisions are changed on the page People."
    )


def _card(project: Project, row: int, why: str, said: Event | None) -> Markup:
    pool = project.pool
    cells = pool.cells([row])[0]
    long = [name for name in pool.shown if name in pool.text or len(cells[name]) > LONG]
    short = [name for name in pool.shown if name not in long and name != pool.image]
    where = {name: j for j, name in enumerate(pool.shown)}
    head = [tag("span", f"{pool.key} {pool.names[row]}", class_="row-name")]
    if why in _WHY:
        head.append(tag("span", _WHY[why], class_="badge"))
    if said is not None:
        now = said.label or {"skip": "skipped", "unsure": "cannot tell"}.get(said.kind, "")
        head.append(tag("span", f"your answer: {now}", class_="badge good"))
    elif typed := from_file(project, pool.names[row]):
        head.append(tag("span", f"label in the file: {typed}", class_="badge"))
    if ruling := decided(project, pool.names[row]):
        head.append(tag("span", f"decided: {ruling}", class_="badge"))
    parts = [tag("div", head, class_="card-head")]
    if pool.image is not None:
        parts.append(_picture(pool, row))
    parts += [
        _long_cell(name, cells[name], row, where[name], alone=len(long) == 1) for name in long
    ]
    if short:
        facts = [(tag("dt", name), tag("dd", cells[name] or "–")) for name in short]
        parts.append(tag("dl", facts, class_="facts cells"))
    name = f"{pool.key} {pool.names[row]}"
    return tag("article", parts, class_="card", tabindex="-1", data_row=row, aria_label=name)


def _picture(pool: PoolTable, row: int) -> Markup:
    if pool.image_of(row) is None:
        told = f"No image of this row can be shown: {elide(pool.image_cell(row), 80) or 'no file'}."
        return tag("p", told, class_="aside alarm")
    alt = f"Image of row {pool.names[row]}"
    return tag("div", tag("img", src=f"/image/{row}", alt=alt), class_="picture")


def _long_cell(name: str, text: str, row: int, column: int, alone: bool) -> Markup:
    rest = None
    if len(text) > SHOWN_SIGNS:
        rest = tag(
            "button",
            f"Show all {count(len(text))} characters",
            type="button",
            class_="quiet",
            data_all=f"/cell/{row}/{column}",
        )
    body = tag("div", text[:SHOWN_SIGNS] or "–", class_="text", dir="auto")
    return tag("div", tag("h3", name, class_="hidden" if alone else None), body, rest)
