"""The results in the documentation, and the page that is made of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from uneven_published import catalogue, record_of
from uneven_published.pages.markdown import published_page

DOCS = Path(__file__).parents[2] / "docs"
KEPT = {path.stem: path for path in (DOCS / "published").glob("*.json")}


def today(exhibit):
    path = KEPT.get(exhibit.name)
    kept = {} if path is None else json.loads(path.read_text(encoding="utf-8"))
    return record_of(exhibit, kept)


def test_every_result_belongs_to_an_exhibit():
    known = {exhibit.name for exhibit in catalogue()}
    assert known >= set(KEPT)
    assert len(KEPT) > len(known) / 2


def test_the_page_is_what_the_command_makes_of_the_results():
    text = published_page([today(exhibit) for exhibit in catalogue()])
    assert (DOCS / "published.md").read_text(encoding="utf-8") == text, (
        "run: uneven reproduce --page docs/published.md --out docs/published"
    )


@pytest.mark.parametrize("name", sorted(KEPT))
def test_results_are_up_to_date_with_their_description(name):
    (exhibit,) = (one for one in catalogue() if one.name == name)
    kept = json.loads(KEPT[name].read_text(encoding="utf-8"))
    assert json.loads(json.dumps(today(exhibit))) == kept


def test_pictures_of_the_page_are_there():
    text = (DOCS / "published.md").read_text(encoding="utf-8")
    linked = [part.split(")")[0] for part in text.split("](published/")[1:]]
    assert linked
    assert all((DOCS / "published" / name).is_file() for name in linked)
