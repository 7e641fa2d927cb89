"""Views as a person writes them for a table: the word ``prefix``, or a TOML file.

In the file, every entry of the table ``[views]`` names a view and lists its columns, either by
name or by a pattern in the manner of the shell::

    [views]
    text = ["text_*", "title_length"]
    sound = "mfcc_*"
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from uneven.comparison.errors import InputError
from uneven.utils.registry import closest, listing

EMPTY = "is empty and is left out"
"""Why columns without any value are no features; views pass such columns over."""


def views_of_table(
    choice: str | None, columns: Sequence[str], left_out: Mapping[str, str] | None = None
) -> dict[str, list[str]] | None:
    """Column names of each view.

    Parameters
    ----------
    choice : str or None
        None for a single view, ``"prefix"``, or the path of a TOML file.
    columns : sequence of str
        Feature columns of the table.
    left_out : mapping of str to str, optional
        Its other columns, and why they are no features.

    Returns
    -------
    dict of str to list of str, or None
        Columns in the order of the table.

    Examples
    --------
    >>> views_of_table("prefix", ["text__a", "sound__a", "text__b"])
    {'text': ['text__a', 'text__b'], 'sound': ['sound__a']}
    """
    from uneven.views import resolve_views

    if choice is None:
        return None
    raw = {} if choice == "prefix" else read_view_file(Path(choice))
    wanted = choice if choice == "prefix" else match_views(raw, columns, left_out)
    if not wanted:
        raise InputError(f"--views {choice}: the columns of every view are empty.")
    try:
        found = resolve_views(wanted, n_features=len(columns), feature_names=columns)
    except ValueError as error:
        hint = "; leave such columns out with --drop, or list the views in a TOML file"
        message = str(error).rstrip(".") + (hint if choice == "prefix" else "")
        raise InputError(f"--views {choice}: {message}.") from error
    return {n: [columns[i] for i in where] for n, where in zip(found.names, found.columns)}


def match_views(
    raw: Mapping[str, Any], columns: Sequence[str], left_out: Mapping[str, str] | None = None
) -> dict[str, list[str]]:
    """Replace the patterns of each view by the columns they match.

    Parameters
    ----------
    raw : mapping of str to str or list of str
        Names or patterns of each view.
    columns : sequence of str
        Feature columns of the table.
    left_out : mapping of str to str, optional
        Its other columns, and why they are no features.

    Returns
    -------
    dict of str to list of str
        Each column once per view; empty columns, and views that have no others, are passed over.

    Examples
    --------
    >>> match_views({"text": ["t*", "x"]}, ["t1", "t2", "x", "y"])
    {'text': ['t1', 't2', 'x']}
    """
    others = left_out or {}
    found = {name: _match(name, wanted, columns, others) for name, wanted in raw.items()}
    return {name: matches for name, matches in found.items() if matches or not raw[name]}


def _match(
    view: str, wanted: Any, columns: Sequence[str], left_out: Mapping[str, str]
) -> list[str]:
    patterns = [wanted] if isinstance(wanted, str) else wanted
    if not isinstance(patterns, list) or not all(isinstance(p, str) for p in patterns):
        raise InputError(f"view {view!r} must list column names or patterns, got {wanted!r}.")
    found: dict[str, None] = {}
    for pattern in patterns:
        matches = _glob(pattern, columns)
        if not matches:
            _check_left_out(view, pattern, columns, left_out)
        found.update(dict.fromkeys(matches))
    return list(found)


def _glob(pattern: str, columns: Collection[str]) -> list[str]:
    if pattern in columns:
        return [pattern]
    return [column for column in columns if fnmatchcase(column, pattern)]


def _check_left_out(
    view: str, pattern: str, columns: Sequence[str], left_out: Mapping[str, str]
) -> None:
    """Say why a pattern matches no feature, unless it matches columns that are empty."""
    missed = [name for name in _glob(pattern, left_out) if left_out[name] != EMPTY]
    if missed:
        raise InputError(
            f"view {view!r}: {pattern!r} matches no feature, because column {missed[0]!r} "
            f"{left_out[missed[0]]}."
        )
    if not _glob(pattern, left_out):
        raise InputError(
            f"view {view!r}: no feature column matches {pattern!r}; "
            f"{closest(pattern, columns)}the columns are {listing(columns)}."
        )


def read_view_file(path: Path) -> Mapping[str, Any]:
    """Names or patterns of each view, as a TOML file has them."""
    if not path.is_file():
        problem = "that is a folder" if path.is_dir() else "there is no such file"
        hint = closest(str(path), ["prefix"])
        raise InputError(f"--views {path}: {problem}; {hint}use 'prefix' or a TOML file.")
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not a TOML file: {error}.") from error
    views = content.get("views")
    if not isinstance(views, dict) or not views:
        raise InputError(f'{path} has no table [views] with entries like text = ["text_*"].')
    return views
