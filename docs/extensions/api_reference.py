"""A page for every public name, and links between names, guide and gallery.

The names are those of ``tests/data/public_names.txt``, which a test keeps up to date.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.transforms import SphinxTransform

DOCS = Path(__file__).parents[1]
KEPT = DOCS.parent / "tests" / "data" / "public_names.txt"
PAGES = DOCS / "generated" / "api"


def public_names(listing: str) -> dict[str, dict[str, str]]:
    r"""Package -> name in it -> the full name under which it has its page.

    Examples
    --------
    >>> public_names("uneven.Vote(x)\n    .shape\nuneven.votes.Vote = uneven.Vote")
    {'uneven': {'Vote': 'uneven.Vote'}, 'uneven.votes': {'Vote': 'uneven.Vote'}}
    """
    packages: dict[str, dict[str, str]] = {}
    for line in listing.splitlines():
        if line.startswith(" ") or "__version__" in line:
            continue
        full, _, page = line.partition(" = ") if " = " in line.split("(")[0] else (line, "", "")
        full = re.match(r"[\w.]+", full)[0]
        package, name = full.rsplit(".", 1)
        packages.setdefault(package, {})[name] = page or full
    return packages


def write_if_new(path: Path, text: str) -> None:
    """Leave a page alone that is as it should be, so that it is not built again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def package_page(package: str, names: dict[str, str]) -> str:
    """The page of a package: its docstring, a table of its names, and names from elsewhere."""
    lines = [package, "=" * len(package), "", f".. automodule:: {package}", "   :no-members:", ""]
    own = [full for full in names.values() if full.rsplit(".", 1)[0] == package]
    other = [full for full in names.values() if full not in own]
    for title, members, options in (
        ("", own, ["   :toctree: .", "   :nosignatures:"]),
        ("Also importable from here", other, ["   :nosignatures:"]),
    ):
        if members:
            lines += [f".. rubric:: {title}", ""] if title else []
            lines += [".. autosummary::", *options, ""]
            listed = sorted(members, key=str.lower)
            lines += [f"   {full.removeprefix(f'{package}.')}" for full in listed] + [""]
    return "\n".join(lines)


def overview(packages: dict[str, dict[str, str]]) -> str:
    """The first page of the reference."""
    lines = [
        "API reference",
        "=============",
        "",
        "Every public name, by package. The names of ``uneven`` itself are those to begin with.",
        "",
        ".. toctree::",
        "   :maxdepth: 1",
        "",
        *(f"   {package}" for package in packages),
        "",
    ]
    for package, names in packages.items():
        own = sorted((full for full in names.values()), key=str.lower)
        lines += [f".. rubric:: {package}", ""]
        lines += [", ".join(f":py:obj:`~{full}`" for full in own), ""]
    return "\n".join(lines)


def pages_that_use(names: set[str]) -> dict[str, list[str]]:
    """Full name -> pages of the guide that show it as code, most mentions first."""
    counts: dict[str, Counter] = {full: Counter() for full in names}
    short = {full.rsplit(".", 1)[1]: full for full in sorted(names, reverse=True)}
    for page in sorted(DOCS.glob("*.md")):
        if page.stem in ("index", "published"):
            continue
        text = page.read_text(encoding="utf-8")
        imports = ",".join(re.findall(r"^>>> from uneven\S* import (.+)$", text, re.MULTILINE))
        found = re.findall(r"`(?:uneven\.(?:\w+\.)?)?(\w+)", text) + re.findall(r"\w+", imports)
        for name in found:
            if name in short:
                counts[short[name]][page.stem] += 1
    return {full: [page for page, _ in count.most_common(6)] for full, count in counts.items()}


def text_below(full: str) -> str:
    """The docstring below the assignment of a constant, in the module that assigns it.

    Examples
    --------
    >>> text_below("uneven.dialogues.VIEWS")
    'Names of the views, in the order of their columns.'
    >>> text_below("uneven.ComboClassifier")
    ''
    """
    module, name = full.rsplit(".", 1)
    while module:
        file = Path(importlib.import_module(module).__file__)
        stub = file.with_suffix(".pyi")
        body = ast.parse((stub if stub.exists() else file).read_text(encoding="utf-8")).body
        for node, below in pairwise([*body, ast.Pass()]):
            targets = [*getattr(node, "targets", []), getattr(node, "target", None)]
            if any(getattr(target, "id", None) == name for target in targets):
                text = getattr(getattr(below, "value", None), "value", None)
                return inspect.cleandoc(text) if isinstance(text, str) else ""
        sources = [node for node in body if isinstance(node, ast.ImportFrom)]
        holds = (node.module for node in sources if name in [one.name for one in node.names])
        module = next(holds, "")
    return ""


def describe_constant(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Give a constant its own description in place of that of its type."""
    if what == "data":
        lines[:] = text_below(name).splitlines() or lines


def has_long_value(full: str) -> bool:
    """Whether the value of a name says less than its description: tables, registries."""
    package, name = full.rsplit(".", 1)
    value = getattr(importlib.import_module(package), name)
    return not callable(value) and not isinstance(value, int | float | str | tuple)


def generate(app: Sphinx, config: Config) -> None:
    """Write the pages of the reference before autosummary looks for them."""
    packages = public_names(KEPT.read_text(encoding="utf-8"))
    for package, names in packages.items():
        write_if_new(PAGES / f"{package}.rst", package_page(package, names))
    write_if_new(PAGES / "index.rst", overview(packages))
    everything = {full for names in packages.values() for full in names.values()}
    hidden = {full for full in everything if has_long_value(full)}
    config.autosummary_context = {"used_in": pages_that_use(everything), "hidden": hidden}
    LinkedNames.pages = linked_as(everything)


def linked_as(everything: set[str]) -> dict[str, str]:
    """How a name may stand in the text -> its full name; words of everyday use must be in full."""
    found = {full: full for full in everything}
    short = Counter(full.rsplit(".", 1)[1] for full in everything)
    for full in everything:
        name = full.rsplit(".", 1)[1]
        if short[name] == 1 and (name != name.lower() or "_" in name):
            found[name] = full
    return found


class TightBlocks(SphinxTransform):
    """Drop the empty line with which a tested example ends."""

    default_priority = 400

    def apply(self, **kwargs: Any) -> None:
        """Cut the end of every block of code."""
        for block in self.document.findall(nodes.literal_block):
            if len(block.children) == 1 and block.astext() != block.astext().rstrip():
                block.children = [nodes.Text(block.astext().rstrip())]


class LinkedNames(SphinxTransform):
    """Make a link of every public name that stands as code in the text."""

    default_priority = 400
    pages: dict[str, str] = {}  # noqa: RUF012

    def apply(self, **kwargs: Any) -> None:
        """Wrap literals that are public names, but not on the page of the name itself."""
        for literal in list(self.document.findall(nodes.literal)):
            name = re.sub(r"\(.*\)$", "", literal.astext(), flags=re.DOTALL)
            full = self.pages.get(name)
            inside = isinstance(
                literal.parent, (nodes.reference, addnodes.pending_xref, nodes.title)
            )
            if full is None or inside or self.env.docname.endswith(f"/{full}"):
                continue
            link = addnodes.pending_xref(
                "", refdomain="py", reftype="obj", reftarget=full, refexplicit=True,
                refwarn=False, refdoc=self.env.docname,
            )  # fmt: skip
            literal.replace_self(link)
            link += literal


def skip_foreign(
    app: Sphinx, what: str, name: str, thing: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out what a class has from elsewhere, and what scikit-learn writes for itself."""
    origin = getattr(getattr(thing, "fget", thing), "__module__", None) or ""
    foreign = callable(thing) and not origin.startswith("uneven")
    return True if foreign or re.fullmatch(r"set_\w+_request", name) else None


def escape_shapes(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Let attributes stand in shapes, as in ``(n_features_in_,)``, without becoming links."""
    lines[:] = [re.sub(r"(shape \(.*?[a-z])_([,)])", r"\1\\_\2", line) for line in lines]


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("config-inited", generate)
    app.connect("autodoc-skip-member", skip_foreign)
    app.connect("autodoc-process-docstring", describe_constant, priority=50)
    app.connect("autodoc-process-docstring", escape_shapes, priority=100)
    app.add_transform(LinkedNames)
    app.add_transform(TightBlocks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
