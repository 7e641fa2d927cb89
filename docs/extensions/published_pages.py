"""The page of published tables, split for the site: a page for each source and each exhibit.

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
    """The overview with what is left over at the end, and the other pages by their names.

    There is a page for each source, ``"koco"``, and for each of its exhibits,
    ``"koco/table-2.1"``.
    """
    head, *sections = re.split(r"^## ", with_targets(text), flags=re.MULTILINE)
    pages: dict[str, str] = {}
    rest = ""
    for section in sections:
        if section.startswith("What cannot"):
            rest += f"## {section}"
        else:
            pages |= source_pages(section, head)
    return f"{head}\n{rest}", pages


def source_pages(section: str, head: str) -> dict[str, str]:
    r"""The page of a source, with the table of its exhibits from the overview, and of each exhibit.

    Examples
    --------
    >>> head = "<summary>Koço: 1 exhibits</summary>\n\n| [2.1](#koco-table-2.1) |\n\n</details>"
    >>> pages = source_pages("Koço\n\n(koco-table-2.1)=\n\n### Table 2.1", head)
    >>> sorted(pages)
    ['koco', 'koco/table-2.1']
    >>> pages["koco/table-2.1"]
    '(koco-table-2.1)=\n\n# Table 2.1'
    """
    title, *parts = re.split(r"^(?=\([\w.-]+\)=\s+### )", section, flags=re.MULTILINE)
    pages = {}
    for part in parts:
        body = part.replace("\n### ", "\n# ", 1).replace("](published/", "](/published/")
        source, name = re.match(r"\((\w+)-([\w.-]+)\)", part).groups()
        pages[f"{source}/{name}"] = body
    tables = re.findall(r"exhibits</summary>\n\n(.*?)\n\n</details>", head, flags=re.DOTALL)
    table = next(rows for rows in tables if f"(#{source}-" in rows)
    listed = "\n".join(pages)
    return {source: f"# {title}\n{table}\n\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n"} | pages


def short_title(page: str) -> str:
    r"""Authors and year for the menu, if the title of a page begins with them.

    Examples
    --------
    >>> short_title("# A. Goyal and B. Else (2018), Votes, Journal\nText")
    'A. Goyal and B. Else (2018)'
    """
    title = page.partition("\n")[0].removeprefix("# ")
    found = re.match(r".*?\(\d{4}\)", title)
    return found[0] if found else title


def generate(app: Sphinx, config: Config) -> None:
    """Write the pages of the sources and of their exhibits."""
    _, pages = split((DOCS / "published.md").read_text(encoding="utf-8"))
    for name, text in pages.items():
        write_if_new(PAGES / f"{name}.md", text)
    for path in PAGES.rglob("*.md"):
        if path.relative_to(PAGES).with_suffix("").as_posix() not in pages:
            path.unlink()


def shorten(app: Sphinx, docname: str, source: list[str]) -> None:
    """Leave the overview on the page itself, and point links of other pages at the targets."""
    source[0] = re.sub(r"\((?:\.\./)?published\.md#", "(#", source[0])
    if docname == "published":
        head, pages = split(source[0])
        listed = "\n".join(
            f"{short_title(body)} <generated/published/{name}>"
            for name, body in pages.items()
            if "/" not in name
        )
        source[0] = f"{head}\n\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n"


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("config-inited", generate)
    app.connect("source-read", shorten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
