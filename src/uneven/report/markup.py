"""HTML and SVG as nested calls, escaped by default; formatted numbers; whole pages.

A template engine was considered; the page is mostly tables and charts computed from numbers, for
which one function that escapes everything it is not told to trust is shorter and safer.
"""

from __future__ import annotations

import html
import json
import math
import re
from base64 import b64encode
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from typing import Any

NOTHING = "–"


def decimal(value: float, digits: int = 3) -> str:
    """Fixed number of decimals; a dash for what is not a number.

    Examples
    --------
    >>> decimal(0.12345), decimal(float("nan")), decimal(-0.00001)
    ('0.123', '–', '0.000')
    """
    if not math.isfinite(value):
        return NOTHING
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def plus_minus(centre: float, width: float, digits: int = 3) -> str:
    """Mean and spread.

    Examples
    --------
    >>> plus_minus(0.5, 0.01), plus_minus(0.5, float("nan"))
    ('0.500 ± 0.010', '0.500')
    """
    if not math.isfinite(width) or not math.isfinite(centre):
        return decimal(centre, digits)
    return f"{decimal(centre, digits)} ± {decimal(width, digits)}"


def percent(share: float, digits: int = 0) -> str:
    """Share between 0 and 1 as percent; small but present shares are not shown as none.

    Examples
    --------
    >>> percent(0.256), percent(0.0004), percent(0.0), percent(float("nan"))
    ('26 %', '<1 %', '0 %', '–')
    """
    if not math.isfinite(share):
        return NOTHING
    shown = f"{100 * share:.{digits}f}"
    if share > 0 and float(shown) == 0:
        return f"<{10**-digits:g} %"
    return f"{shown} %"


def whole_percent(share: float) -> str:
    """Share between 0 and 1 as a bare number of percent, for the cells of a table.

    Examples
    --------
    >>> whole_percent(0.256), whole_percent(float("nan"))
    ('26', '–')
    """
    return f"{100 * share:.0f}" if math.isfinite(share) else NOTHING


def seconds(value: float) -> str:
    """Duration with a unit that suits its size.

    Examples
    --------
    >>> seconds(0.0123), seconds(2.345), seconds(150)
    ('12 ms', '2.3 s', '2.5 min')
    """
    if not math.isfinite(value):
        return NOTHING
    if value < 0.9995:
        return f"{1000 * value:.0f} ms"
    return f"{value:.1f} s" if value < 100 else f"{value / 60:.1f} min"


def count(value: float) -> str:
    """Whole number with thin spaces between thousands.

    Examples
    --------
    >>> count(12345.0) == "12\N{NARROW NO-BREAK SPACE}345"
    True
    """
    return f"{value:,.0f}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def counted(number: int, noun: str) -> str:
    """A number of things.

    Examples
    --------
    >>> counted(1, "fit"), counted(5, "fit")
    ('1 fit', '5 fits')
    """
    return f"{count(number)} {noun}{'s' * (number != 1)}"


def averaged(fits: int, plus: str = "±") -> str:
    """What the figures of a ranking are.

    Examples
    --------
    >>> averaged(5), averaged(1)
    ('mean ± standard deviation over 5 fits', 'figures of one fit')
    """
    return f"mean {plus} standard deviation over {fits} fits" if fits > 1 else "figures of one fit"


VOID = frozenset({"br", "col", "hr", "img", "input", "link", "meta"})
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


POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src '{script}'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)
"""What a page may load: nothing from outside, and no script but its own."""

Part = tuple[str, str, str, Markup | None]
"""Anchor, short name for the links above, title, and content of a section."""


def whole_page(
    title: str,
    masthead: Markup,
    parts: Sequence[Part],
    *,
    footer: str,
    style: str = "",
    script: str = "",
    data: Mapping[str, object] | None = None,
    tools: bool = False,
    folded: Collection[str] = (),
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
    style, script : str
        Style sheet and script after those of all pages.
    data : mapping of str to object, optional
        What scripts read: JSON, by the id of its element.
    tools : bool
        Whether every table can be sorted and downloaded, and not only those of class "sortable".
    folded : collection of str
        Keys of sections that are closed at first where the window is narrow.
    """
    script = asset("page.js") + script
    present = [part for part in parts if part[3]]
    links = [tag("a", short, href=f"#{key}") for key, short, _, _ in present]
    sections = [
        tag(
            "section",
            _foldable(tag("h2", name, id=f"{key}-title"), body, key in folded),
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
        _head(title, style, script),
        tag(
            "body",
            skip,
            masthead,
            tag("nav", links, aria_label="Sections") if links else None,
            tag("main", sections, class_="tools" if tools else None),
            tag("footer", footer),
            [json_block(key, value) for key, value in (data or {}).items()],
            tag("script", Markup(script)),
        ),
        lang="en",
    )
    return f"<!doctype html>\n{page}\n"


def _foldable(heading: Markup, body: Markup | None, narrow: bool) -> list[Markup | None]:
    """A section that a script may close; open without one."""
    if not narrow:
        return [heading, body]
    return [tag("details", tag("summary", heading), body, class_="fold", open=True)]


def asset(name: str, room: str = "uneven.report") -> str:
    """Text of a file that comes with the package."""
    return files(room).joinpath(name).read_text(encoding="utf-8")


def page_style() -> str:
    """The style sheet that all pages have: text, tables and pictures."""
    return asset("page.css") + asset("pictures.css")


def json_block(key: str, value: object) -> Markup:
    r"""Data for scripts, as an element that no text inside can end.

    Examples
    --------
    >>> json_block("rows", ["</script>"])
    '<script type="application/json" id="rows">["\\u003c/script>"]</script>'
    """
    raw = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    safe = UNPRINTABLE.sub("\ufffd", raw).replace("<", "\\u003c")
    return tag("script", Markup(safe), type="application/json", id=key)


def _head(title: str, style: str, script: str) -> Markup:
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = POLICY.format(script=f"sha256-{digest}")
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("title", title),
        tag("link", rel="icon", href="data:,"),
        tag("style", Markup(page_style() + style)),
    )
