"""How far it is: numbers, curve, classes, and whether to go on."""

from __future__ import annotations

from collections.abc import Sequence

from uneven.labelling.cards import bar
from uneven.labelling.curve import Point
from uneven.labelling.project import Project
from uneven.labelling.store import Person
from uneven.report.charts import nice_ticks
from uneven.report.markup import Markup, count, percent, tag

LEFT, RIGHT, TOP, BOTTOM = 34.0, 316.0, 8.0, 132.0
MOST_CLASSES = 12
MOST_DOUBTS = 2


def status_panel(project: Project, person: Person) -> Markup:
    """The side of the page.

    Parameters
    ----------
    project : Project
    person : Person
        Who looks at it.
    """
    counts = project.counts()
    total, rows = sum(counts.values()), len(project.pool.names)
    mine = len([e for e in project.ledger.answers(person.id) if e.kind == "label"])
    goal = project.options.budget or rows
    of = f"of {count(goal)} planned" if project.options.budget else f"of {count(rows)} rows"
    parts = [
        tag("p", tag("b", count(total)), f" {'label' if total == 1 else 'labels'} {of}"),
        tag("progress", value=min(total, goal), max=goal, aria_label="Labels so far"),
    ]
    if len(project.people) > 1:
        parts.append(tag("p", f"{count(mine)} of them by you.", class_="note"))
    parts += [_advice(project, total), *_curve(project), *_classes(project)]
    again = len(project.suspicious(person.id))
    if again:
        labels = "label" if again == 1 else "labels"
        link = tag("a", f"{again} of your {labels}", href="/again")
        parts.append(tag("p", link, " should be looked at again.", class_="aside alarm"))
    doubts = [_sentence(doubt) for doubt in project.doubts[:MOST_DOUBTS]]
    parts += [tag("p", doubt, class_="aside") for doubt in doubts]
    if project.trouble:
        told = f"The file of labels is not up to date: {project.trouble} Every answer is kept."
        parts.append(tag("p", told, class_="aside alarm"))
    if project.notes:
        notes = [tag("li", _sentence(note)) for note in project.notes[-4:]]
        parts.append(tag("details", tag("summary", "Notes"), tag("ul", notes)))
    return tag("div", parts)


def _sentence(note: str) -> str:
    return note[:1].upper() + note[1:]


def _advice(project: Project, total: int) -> Markup:
    if project.options.budget and total >= project.options.budget:
        return _aside("You may stop", f"The {project.options.budget} planned labels are there.")
    advice = project.review.advice if project.review else None
    if advice is None:
        return tag("p", "Advice on when to stop comes after some more answers.", class_="note")
    return _aside("You may stop" if advice.stop else "Go on", advice.sentence)


def _aside(head: str, sentence: str) -> Markup:
    badge = tag("b", head, class_="badge good")
    return tag("p", badge, " ", sentence, class_="advice", id="advice")


def _curve(project: Project) -> list[Markup]:
    points = project.review.curve if project.review else []
    if len(points) < 2:
        return []
    last = points[-1]
    now = f"{percent(1 - last.error)} right ({percent(1 - last.high)} to {percent(1 - last.low)})"
    told = tag("figcaption", tag("b", now), f" on {last.tested} random rows, by number of labels")
    return [tag("figure", told, curve_chart(points), class_="curve")]


def curve_chart(points: Sequence[Point]) -> Markup:
    """Accuracy over the number of labels, with a band of 95 %.

    Parameters
    ----------
    points : sequence of Point, two or more
    """
    first, last = points[0].labels, points[-1].labels
    low = min(1 - point.high for point in points)
    low = max(0.0, min(low, 0.95) - 0.02)

    def at(labels: float, right: float) -> str:
        across = LEFT + (RIGHT - LEFT) * (labels - first) / max(last - first, 1)
        return f"{across:.1f},{BOTTOM - (BOTTOM - TOP) * (right - low) / (1.0 - low):.1f}"

    marks = []
    for tick in nice_ticks(100 * low, 100.0, 4):
        y = at(first, tick / 100).split(",")[1]
        marks.append(tag("line", x1=LEFT, x2=RIGHT, y1=y, y2=y, class_="gridline"))
        marks.append(tag("text", f"{tick:g}", x=LEFT - 6, y=y, class_="tick-y"))
    for tick in sorted({first, *(t for t in nice_ticks(first, last, 4)), last}):
        if tick in (first, last) or min(tick - first, last - tick) > (last - first) / 8:
            x = at(tick, low).split(",")[0]
            marks.append(tag("text", f"{tick:g}", x=x, y=BOTTOM + 14, class_="tick-x"))
    upper = [at(point.labels, 1 - point.low) for point in points]
    lower = [at(point.labels, 1 - point.high) for point in reversed(points)]
    line = " ".join(at(point.labels, 1 - point.error) for point in points)
    marks.append(tag("polygon", points=" ".join([*upper, *lower]), class_="band"))
    marks.append(tag("polyline", points=line, class_="line s0"))
    x, y = at(last, 1 - points[-1].error).split(",")
    marks.append(tag("circle", cx=x, cy=y, r=3, class_="now"))
    said = f"From {percent(1 - points[0].error)} right after {first} labels to "
    said += f"{percent(1 - points[-1].error)} after {last}"
    frame = {"viewBox": "0 0 328 154"}
    return tag("svg", marks, class_="chart", role="img", aria_label=said, **frame)


def _classes(project: Project) -> list[Markup]:
    counts = project.counts()
    most = max(counts.values(), default=0)
    names = sorted(project.classes, key=lambda name: -counts[name])
    if not names:
        return []
    lines = [
        tag(
            "li",
            tag("span", name, class_="name"),
            bar(counts[name] / most if most else 0.0),
            tag("span", count(counts[name]), class_="figure"),
        )
        for name in names[:MOST_CLASSES]
    ]
    more = len(names) - MOST_CLASSES
    note = tag("p", f"and {more} more classes", class_="note") if more > 0 else None
    return [tag("h2", "Classes"), tag("ol", lines, class_="bars"), note or Markup("")]
