"""The page of published tables, split for the site: a page for each source.

``docs/published.md`` is one file, written by ``uneven reproduce --page``.
"""

from __future__ import annotations

import re
from pathlib import Path

from api_reference import write_if_new
from sphinx.application import Sphinx
from sphinx.config import Config

DOCS = Path(__file__).parents[1]
PAGES = DOCS / "generated" / "published"


def with_targets(text: str) -> str:
    """Anchors as targets that links of any page find.

    Examples
    --------
    >>> with_targets('<a id="koco-table-2.1"></a>')
    '(koco-table-2.1)='
    """
    text = re.sub(r'^- <a id="([^"]+)"></a>', r"\n(\1)=\n", text, flags=re.MULTILINE)
    return re.sub(r'<a id="([^"]+)"></a>', r"(\1)=", text)


def split(text: str) -> tuple[str, dict[str, str]]:
    """The overview with what is left over at the end, and the page of every source by its name."""
    head, *sections = re.split(r"^## ", with_targets(text), flags=re.MULTILINE)
    pages: dict[str, str] = {}
    rest = ""
    for section in sections:
        first = re.search(r"^\((\w+)-", section, re.MULTILINE)
        if section.startswith("What cannot"):
            rest += f"## {section}"
        elif first:
            body = section.replace("\n### ", "\n## ").replace("](published/", "](/published/")
            pages[first[1]] = f"# {body}"
    return f"{head}\n{rest}", pages


def generate(app: Sphinx, config: Config) -> None:
    """Write the pages of the sources."""
    _, pages = split((DOCS / "published.md").read_text(encoding="utf-8"))
    for name, text in pages.items():
        write_if_new(PAGES / f"{name}.md", text)


def shorten(app: Sphinx, docname: str, source: list[str]) -> None:
    """Leave the overview on the page itself, and point links of other pages at the targets."""
    source[0] = re.sub(r"\((?:\.\./)?published\.md#", "(#", source[0])
    if docname == "published":
        head, pages = split(source[0])
        listed = "\n".join(f"generated/published/{name}" for name in pages)
        source[0] = f"{head}\n\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n"


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("config-inited", generate)
    app.connect("source-read", shorten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
