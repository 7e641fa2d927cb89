"""Files about exhibits: a page, a Markdown table, the data, pictures; and an index of pages."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from uneven.comparison.summaries import without_nan
from uneven.plots.drawing import write_png
from uneven.utils.files import replace_file
from uneven_published.pages.facts import Record
from uneven_published.pages.figures import drawn_figures, picture_names
from uneven_published.pages.html import exhibit_page, index_page
from uneven_published.pages.markdown import exhibit_markdown


def write_exhibit(record: Record, folder: str | os.PathLike[str]) -> list[Path]:
    """Write everything about one exhibit, each file whole or not at all.

    Parameters
    ----------
    record : mapping
        As `uneven_published.build_record` makes it.
    folder : str or path-like
        Created if there is none.

    Returns
    -------
    list of Path
        NAME.html, NAME.md, NAME.json, then the pictures.
    """
    home = Path(folder)
    data, *pictures = write_data(record, home)
    texts = {
        "html": exhibit_page(record),
        "md": exhibit_markdown(record, [picture.name for picture in pictures]),
    }
    made = [_write(home / f"{record['name']}.{ending}", text) for ending, text in texts.items()]
    return [*made, data, *pictures]


def write_data(record: Record, folder: str | os.PathLike[str]) -> list[Path]:
    """Write what a page is made of, each file whole or not at all.

    Parameters
    ----------
    record : mapping
    folder : str or path-like
        Created if there is none.

    Returns
    -------
    list of Path
        NAME.json, then the pictures.
    """
    home = Path(folder)
    home.mkdir(parents=True, exist_ok=True)
    data = _write(home / f"{record['name']}.json", _json(record))
    return [data, *_write_pictures(record, home)]


def write_index(records: Sequence[Record], folder: str | os.PathLike[str]) -> Path:
    """Write index.html, which lists exhibits and links to their pages.

    Parameters
    ----------
    records : sequence of mapping
    folder : str or path-like
        Where the pages are; created if there is none.

    Returns
    -------
    Path
    """
    home = Path(folder)
    home.mkdir(parents=True, exist_ok=True)
    return _write(home / "index.html", index_page(records))


def _json(record: Record) -> str:
    """JSON with one line for each entry of the record and of its longest lists."""
    lines = []
    for key, value in without_nan(dict(record)).items():
        lines.append(f"{json.dumps(key)}: {_entry(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _entry(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(map(_compact, value)) + "\n]"
    if isinstance(value, dict) and "values" in value:
        inner = [f"{json.dumps(key)}: {_entry(one)}" for key, one in value.items()]
        return "{\n" + ",\n".join(inner) + "\n}"
    return _compact(value)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _write(path: Path, text: str) -> Path:
    with replace_file(path) as draft:
        draft.write_text(text, encoding="utf-8", newline="\n")
    return path


def _write_pictures(record: Record, home: Path) -> list[Path]:
    """Draw the plots and ranks of a record."""
    paths = [home / name for name in picture_names(record)]
    for path, (_, figure) in zip(paths, drawn_figures(record), strict=True):
        with replace_file(path) as draft:
            write_png(figure, draft)
    return paths
