"""Section: held-out rows to look at; the script of the page fills the list."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from uneven.report.markup import Markup, count, tag
from uneven.report.rowchoice import KeptRows

LISTS = (
    ("mistakes", "Most confident errors"),
    ("doubt", "Labels that look wrong"),
    ("all", "All rows"),
)


def rows(kept: KeptRows | None, classes: Sequence[str], order: Sequence[int]) -> Markup | None:
    """Menus for list, method, label and prediction, and the place for the rows.

    None if there are no rows to look at.
    """
    if kept is None or not len(kept.chosen):
        return None
    telling = bool(np.isfinite(kept.doubt[kept.chosen]).any())
    lists = [
        tag(
            "label",
            tag("input", type="radio", name="list", value=key, checked=key == "mistakes"),
            tag("span", title),
        )
        for key, title in LISTS
        if key != "doubt" or telling
    ]
    names = [tag("option", classes[c], value=i) for i, c in enumerate(order)]
    anything = tag("option", "any", value=-1)
    form = tag(
        "form",
        tag("fieldset", tag("legend", "List"), lists, class_="choice"),
        tag("label", "Method ", tag("select", name="method")),
        tag("label", "Label ", tag("select", anything, names, name="truth")),
        tag("label", "Prediction ", tag("select", anything, names, name="answer")),
        class_="controls",
        hidden=True,
        id="row-controls",
    )
    table = tag("table", tag("thead", tag("tr")), tag("tbody"), class_="live", id="row-table")
    tools = tag(
        "div",
        tag("button", "Show more", type="button", class_="quiet", id="row-more"),
        tag("button", "CSV", type="button", class_="quiet csv", id="row-csv"),
        class_="row-tools",
        hidden=True,
        id="row-tools",
    )
    return Markup(
        tag("p", "Lists of rows need scripts.", class_="note unscripted")
        + form
        + tag("p", "", class_="said", role="status", id="row-said", tabindex=-1)
        + tag("div", table, class_="wide")
        + tools
        + tag("p", _note(kept, telling), class_="note")
    )


def _note(kept: KeptRows, telling: bool) -> str:
    held = f"The page holds {count(len(kept.chosen))} of {count(kept.total)} held-out rows"
    if len(kept.chosen) == kept.total:
        held = f"The page holds all {count(kept.total)} held-out rows"
    else:
        held += ": the most confident of each cell of every matrix, and those with doubtful labels"
    note = (
        f"{held}. Predictions and scores are out-of-fold. The most confident errors are those "
        "with the largest difference between the score of the prediction and that of the label."
    )
    if telling:
        note += (
            " A label looks wrong if the mean of the best methods gives another class more "
            "probability; doubt is the probability of all other classes. The methods may be wrong, "
            "too: check the row. Click a row number to see the predictions of every method."
        )
    if telling and kept.wrong is not None:
        low, high = (count(round(end)) for end in (kept.wrong.low, kept.wrong.high))
        note += (
            f" By their probabilities about {count(round(kept.wrong.expected))} of "
            f"{count(len(kept.wrong.doubt))} labels are wrong ({low} to {high}); classes that "
            "overlap look like wrong labels, too."
        )
    return note
