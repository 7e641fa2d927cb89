"""HTML and SVG as nested calls, escaped by default.

A template engine was considered; the page is mostly tables and charts computed from numbers, for
which one function that escapes everything it is not told to trust is shorter and safer.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from typing import Any

__all__ = ["Markup", "Node", "tag", "text"]

VOID = frozenset({"br", "col", "hr", "link", "meta"})
UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


class Markup(str):
    """Text that is HTML already and is not escaped again."""

    __slots__ = ()


Node = str | int | float | None | Iterable[Any]


def text(value: object) -> Markup:
    """Escape anything for use as text or as a quoted attribute.

    Parameters
    ----------
    value : object
        Its string form is used.  Characters that HTML cannot hold become replacement characters.

    Returns
    -------
    Markup
        Safe text.

    Examples
    --------
    >>> text('a < "b" & c')
    'a &lt; &quot;b&quot; &amp; c'
    """
    return Markup(html.escape(UNPRINTABLE.sub("\ufffd", str(value))))


def tag(name: str, /, *children: Node, **attributes: object) -> Markup:
    """Build one element.

    Parameters
    ----------
    name : str
        Name of the element.
    *children : str, number, None, or nested iterables of them
        Content; `Markup` is taken as it is, None is left out, anything else is escaped.
    **attributes : object
        A trailing underscore is dropped and inner ones become hyphens (``class_``,
        ``aria_label``); None and False leave the attribute out, True gives a bare one.

    Returns
    -------
    Markup
        The element.

    Examples
    --------
    >>> tag("td", "x < y", tag("b", 3), class_="wide", data_value=0.5)
    '<td class="wide" data-value="0.5">x &lt; y<b>3</b></td>'
    >>> tag("col", span=2)
    '<col span="2">'
    """
    head = name + "".join(_attribute(key, value) for key, value in attributes.items())
    body = "".join(_flat(children))
    if name in VOID:
        return Markup(f"<{head}>")
    return Markup(f"<{head}>{body}</{name}>")


def _attribute(key: str, value: object) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{text(value)}"'


def _flat(nodes: Iterable[Any]) -> Iterable[str]:
    for node in nodes:
        if node is None:
            continue
        if isinstance(node, Markup):
            yield node
        elif isinstance(node, str | int | float):
            yield text(node)
        else:
            yield from _flat(node)
