"""Check a built site: links and anchors exist, every public name has a page, searches find.

``python docs/extensions/check_site.py build/site``
"""

from __future__ import annotations

import json
import re
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote

from api_reference import KEPT, public_names

SEARCHES = {
    "imbalanced multiclass thresholds": "decisions",
    "label noise known confusion matrix": "noise",
    "multi-view missing modality": "views",
}
"""What a reader may look for, and a page that must be among what is found."""


def broken_links(site: Path) -> list[str]:
    """Links between pages that lead to no file or no anchor."""
    written = [path for path in site.rglob("*.html") if "_static" not in path.parts]
    pages = {path: path.read_text(encoding="utf-8") for path in written}
    anchors = {path: set(re.findall(r'\sid="([^"]+)"', text)) for path, text in pages.items()}
    broken = []
    for path, text in pages.items():
        for link in set(re.findall(r'(?:href|src)="([^"]+)"', text)):
            if re.match(r"[a-z]+:|//", link):
                continue
            target, _, anchor = unescape(link).partition("#")
            file = (path.parent / unquote(target.partition("?")[0])).resolve() if target else path
            lost = anchor and file in anchors and unquote(anchor) not in anchors[file]
            if not file.exists() or lost:
                broken.append(f"{path.relative_to(site)}: {link}")
    return sorted(broken)


def found_by(index: dict, words: str) -> set[str]:
    """Pages that hold all the words, as the search of the site looks for them."""
    from snowballstemmer import stemmer

    stem = stemmer("english").stemWord
    pages = set(range(len(index["docnames"])))
    for word in re.findall(r"\w+", words.lower()):
        hits: set[int] = set()
        for table in (index["terms"], index["titleterms"]):
            for key in {word, stem(word)}:
                hit = table.get(key, [])
                hits |= {hit} if isinstance(hit, int) else set(hit)
        pages &= hits
    return {index["docnames"][number] for number in pages}


def problems(site: Path) -> list[str]:
    """What is wrong with a site, one line each."""
    wrong = [f"broken link: {link}" for link in broken_links(site)]
    names = public_names(KEPT.read_text(encoding="utf-8"))
    for full in sorted({full for package in names.values() for full in package.values()}):
        if not (site / "generated" / "api" / f"{full}.html").exists():
            wrong.append(f"no page: {full}")
    script = (site / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(script[script.index("(") + 1 : script.rindex(")")])
    for words, page in SEARCHES.items():
        if page not in found_by(index, words):
            wrong.append(f"a search for {words!r} does not find {page}")
    outside = r'<(?:script|link|img)[^>]+(?:src|href)="(?:https?:)?//'
    for path in site.rglob("*.html"):
        if re.search(outside, path.read_text(encoding="utf-8")):
            wrong.append(f"loads something from elsewhere: {path.relative_to(site)}")
    return wrong


if __name__ == "__main__":
    found = problems(Path(sys.argv[1]).resolve())
    print("\n".join(found) or "links, names and searches are as they should be")
    sys.exit(bool(found))
