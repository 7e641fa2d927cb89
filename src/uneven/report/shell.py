"""What every page of this room has around its content: head, links, sections, script."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from uneven.report.markup import Markup, tag

__all__ = ["Part", "asset", "whole_page"]

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"

Part = tuple[str, str, str, Markup | None]
"""Anchor, short name for the links above, title, and content of a section."""


def whole_page(
    title: str, masthead: Markup, parts: Sequence[Part], *, footer: str, style: str = ""
) -> str:
    """A complete HTML document without references to anything outside it.

    Parameters
    ----------
    title : str
        Of the window.
    masthead : Markup
        A ``header`` element.
    parts : sequence of (key, short, title, content)
        Sections; those without content are left out.
    footer : str
        Last line.
    style : str
        Style sheet after that of all pages.

    Returns
    -------
    str
    """
    present = [part for part in parts if part[3]]
    links = [tag("a", short, href=f"#{key}") for key, short, _, _ in present]
    sections = [
        tag(
            "section",
            tag("h2", name, id=f"{key}-title"),
            body,
            id=key,
            aria_labelledby=f"{key}-title",
        )
        for key, _, name, body in present
    ]
    skip = [
        tag("a", f"Skip to the {short.lower()}", href=f"#{key}", class_="skip")
        for key, short, _, _ in present[:1]
    ]
    page = tag(
        "html",
        _head(title, style),
        tag(
            "body",
            skip,
            masthead,
            tag("nav", links, aria_label="Sections") if links else None,
            tag("main", sections),
            tag("footer", footer),
            tag("script", Markup(asset("page.js"))),
        ),
        lang="en",
    )
    return f"<!doctype html>\n{page}\n"


def asset(name: str, room: str = "uneven.report") -> str:
    """Text of a file that comes with the package."""
    return files(room).joinpath(name).read_text(encoding="utf-8")


def _head(title: str, style: str) -> Markup:
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("title", title),
        tag("link", rel="icon", href="data:,"),
        tag("style", Markup(asset("page.css") + style)),
    )
