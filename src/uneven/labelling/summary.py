"""The report of a labelling: what was labelled, how good it is, who agrees, how long it took."""

from __future__ import annotations

from pathlib import Path
from statistics import median

from uneven.labelling.peoplepage import agreement
from uneven.labelling.project import Project
from uneven.labelling.statuspanel import curve_chart
from uneven.report.markup import Markup, asset, count, percent, seconds, tag, whole_page
from uneven.utils.files import replace_file

REPORT = "report.html"


def write_summary(project: Project) -> Path:
    """Write the report into the folder of the project."""
    path = project.folder / REPORT
    with replace_file(path) as draft:
        draft.write_text(summary_page(project), encoding="utf-8")
    return path


def summary_page(project: Project) -> str:
    """The report as a page that needs nothing else."""
    counts = project.counts()
    total = sum(counts.values())
    advice = project.review.advice if project.review else None
    lead = f"{count(total)} of {count(len(project.pool.names))} rows have a label"
    verdict = tag("p", tag("strong", lead), advice.sentence if advice else None, class_="verdict")
    head = tag("header", tag("h1", f"Labelling of {project.pool.path.name}"), verdict)
    parts = [
        ("curve", "Curve", "How good it is", _curve(project)),
        ("classes", "Classes", "Classes", _classes(project)),
        ("agreement", "Agreement", "Agreement", _agreement(project)),
        ("time", "Time", "Time per answer", _times(project)),
    ]
    style = asset("page.css", "uneven.labelling")
    return whole_page(
        f"Labelling of {project.pool.path.name}",
        head,
        parts,
        footer="Written by uneven label.",
        style=style,
    )


def _curve(project: Project) -> Markup | None:
    points = project.review.curve if project.review else []
    if len(points) < 2:
        return None
    last = points[-1]
    said = (
        f"{percent(1 - last.error)} of {last.tested} random rows are predicted rightly "
        f"(95 % interval {percent(1 - last.high)} to {percent(1 - last.low)}), by learners that "
        "have not seen their labels. The rows are the beginning of a random order of the table, so "
        "that the figure holds for the table as a whole."
    )
    return tag("div", curve_chart(points), tag("p", said, class_="note"), class_="curve")


def _classes(project: Project) -> Markup:
    counts = project.counts()
    total = sum(counts.values()) or 1
    lines = [
        tag(
            "tr",
            tag("th", name, scope="row"),
            tag("td", count(counts[name]), class_="number"),
            tag("td", percent(counts[name] / total), class_="number"),
        )
        for name in sorted(project.classes, key=lambda name: -counts[name])
    ]
    head = [tag("th", text, scope="col") for text in ("Class", "Rows", "Share of labels")]
    note = "Informative rows were chosen: the class frequencies differ from those of the table."
    table = tag("table", tag("thead", tag("tr", head)), tag("tbody", lines))
    return tag("div", table, tag("p", note, class_="note"))


def _agreement(project: Project) -> Markup | None:
    return agreement(project) if len(project.people) > 1 else None


def _times(project: Project) -> Markup | None:
    lines = []
    for person in project.people.values():
        answers = project.ledger.answers(person.id)
        spent = [event.seconds for event in answers if event.seconds is not None]
        if not spent:
            continue
        kinds = [event.kind for event in answers]
        cells = [count(len(answers)), seconds(median(spent)), seconds(sum(spent))]
        cells += [count(kinds.count("skip")), count(kinds.count("unsure"))]
        numbers = [tag("td", cell, class_="number") for cell in cells]
        lines.append(tag("tr", tag("th", person.name, scope="row"), numbers))
    if not lines:
        return None
    heads = ("Annotator", "Answers", "Median time", "Time in all", "Skipped", "Cannot tell")
    head = [tag("th", text, scope="col") for text in heads]
    table = tag("table", tag("thead", tag("tr", head)), tag("tbody", lines))
    return tag("div", table, class_="wide")
