"""The whole page: one HTML file that needs nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from uneven.comparison.outcome import verdict
from uneven.comparison.results import Comparison
from uneven.report.markup import Markup, tag, text
from uneven.report.sections.confusions import confusions
from uneven.report.sections.data import data
from uneven.report.sections.noise import noise
from uneven.report.sections.ranking import ranking
from uneven.report.sections.recalls import recalls
from uneven.report.sections.reproduce import reproduce
from uneven.report.sections.rounds import rounds
from uneven.report.sections.stack import stack
from uneven.report.sections.views import views
from uneven.report.sections.voices import voices
from uneven.report.shell import whole_page
from uneven.utils.files import replace_file
from uneven.utils.numbers import count

__all__ = ["render_report", "write_report"]

Section = Callable[[Comparison], Markup | None]

SECTIONS: tuple[tuple[str, str, str, Section], ...] = (
    ("ranking", "Ranking", "Ranking", ranking),
    ("stack", "Stack", "Which methods the stack keeps", stack),
    ("noise", "Label noise", "How the labels are wrong", noise),
    ("classes", "Classes", "Who is recognised: recall by class", recalls),
    ("confusion", "Confusion", "Who is taken for whom", confusions),
    ("training", "Training", "How the votes were built", rounds),
    ("views", "Views", "What each view knows on its own", views),
    ("voices", "Voices", "Who speaks for which class", voices),
    ("data", "Data", "What the data looks like", data),
    ("reproduce", "Reproduce", "How to reproduce this", reproduce),
)


def render_report(results: Comparison) -> str:
    """Text of the page.

    Parameters
    ----------
    results : Comparison
        With at least one method.

    Returns
    -------
    str
        A complete HTML document without references to anything outside it.
    """
    made = [(key, short, title, make(results)) for key, short, title, make in SECTIONS]
    made_with = f"Made with uneven {results.versions.get('uneven', '')}".strip()
    return whole_page(results.title, _masthead(results), made, footer=made_with)


def write_report(results: Comparison, path: str | os.PathLike[str]) -> Path:
    """Write the page to a file, whole or not at all.

    Parameters
    ----------
    results : Comparison
        With at least one method.
    path : str or path-like
        Destination, such as ``report.html``; its folder must exist.

    Returns
    -------
    Path
        The destination.
    """
    page = render_report(results)
    with replace_file(path) as draft:
        draft.write_text(page, encoding="utf-8", newline="\n")
    return Path(path)


def _masthead(results: Comparison) -> Markup:
    outcome, summary, measure = verdict(results), results.data, results.chosen
    direction = "higher" if measure.greater_is_better else "lower"
    facts = [
        f"{count(summary.rows)} rows",
        f"{len(summary.classes)} classes",
        f"{len(results.methods)} {'methods' if len(results.methods) != 1 else 'method'}",
        f"{results.folds}-fold cross-validation",
        f"judged by {measure.label} ({direction} is better)",
    ]
    warnings = [tag("li", warning) for warning in results.warnings]
    return tag(
        "header",
        tag("h1", results.title),
        tag("p", tag("strong", outcome.headline), " ", outcome.detail, class_="verdict"),
        tag("p", Markup(" · ".join(text(fact) for fact in facts)), class_="facts-line"),
        tag("div", tag("ul", warnings), class_="aside", role="note") if warnings else None,
    )
