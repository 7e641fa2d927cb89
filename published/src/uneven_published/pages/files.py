"""Files about exhibits: a page, a Markdown table, the data, pictures; and an index of pages."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from uneven.report.plain import without_nan
from uneven.utils.files import replace_file
from uneven_published.pages.facts import Record
from uneven_published.pages.index import index_page
from uneven_published.pages.markdown import exhibit_markdown
from uneven_published.pages.page import exhibit_page
from uneven_published.pages.panels import picture_names, plot_panels, plots_of
from uneven_published.pages.ranks import drawn_ranks

__all__ = ["write_data", "write_exhibit", "write_index"]


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
        NAME.html, NAME.md, NAME.json, then the pictures, which need matplotlib.
    """
    home = Path(folder)
    data, *pictures = write_data(record, home)
    texts = {
        "html": exhibit_page(record, pictures=bool(pictures)),
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
        NAME.json, then the pictures, which need matplotlib.
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
    """Draw the plots and ranks of a record, if matplotlib is there."""
    paths = [home / name for name in picture_names(record)]
    if not paths:
        return []
    try:
        from uneven.plots.drawing import write_png
    except ImportError:
        return []
    for path, figure in zip(paths, _figures(record), strict=True):
        with replace_file(path) as draft:
            write_png(figure, draft)
    return paths


def _figures(record: Record) -> Iterator[Any]:
    """Figures of matplotlib in the order of their names, drawn one at a time."""
    from uneven.plots import CriticalDifferenceDisplay
    from uneven_published.figures import PublishedDisplay

    for plot in plots_of(record):
        yield PublishedDisplay.from_panels(plot_panels(record, plot), plot).figure_
    titles = {measure["key"]: measure["title"] for measure in record["measures"]}
    for ranks in drawn_ranks(record):
        display = CriticalDifferenceDisplay(
            ranks["ranks"],
            ranks["columns"],
            ranks["difference"],
            n_sets=len(ranks["rows"]),
            pvalue=ranks["p"],
        )
        yield display.plot(title=f"By {titles[ranks['measure']]}").figure_
