"""Section: command, seed, versions and parameters."""

from __future__ import annotations

from uneven.comparison.results import Comparison
from uneven.report.markup import Markup, tag


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
