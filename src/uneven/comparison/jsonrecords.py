"""The records of a JSON file, for which nothing but the standard library is needed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from uneven.comparison.errors import InputError
from uneven.comparison.formats import Source


def read_records(source: Source) -> tuple[list[dict[str, Any]], list[str]]:
    """One record per line, one list of records, or one object that holds either or columns.

    Parameters
    ----------
    source : Source

    Returns
    -------
    records : list of dict
    notes : list of str
        Where they were found, unless that is the usual.

    Raises
    ------
    InputError
        If the file is broken or holds something else.

    Examples
    --------
    >>> read_records(Source("t.json", b'{"x": [1, 2], "y": ["a", "b"]}', "json"))
    ([{'x': 1, 'y': 'a'}, {'x': 2, 'y': 'b'}], [])
    """
    notes: list[str] = []
    try:
        text = source.data.decode("utf-8-sig").strip()
        try:
            found = json.loads(text)
        except ValueError:
            found = [json.loads(line) for line in text.splitlines() if line.strip()]
    except ValueError as error:
        raise InputError(f"{source.name} is not a readable file of JSON lines: {error}.") from error
    if isinstance(found, dict):
        found = _records_of(found, source.name, notes)
    if not isinstance(found, list) or not all(isinstance(record, dict) for record in found):
        raise InputError(f"{source.name} holds no records; give one JSON object per line.")
    return found, notes


def column_names(records: Iterable[dict[str, Any]], above: str = "") -> list[str]:
    """Names of all columns, in the order in which they appear.

    Examples
    --------
    >>> column_names([{"user": {"age": 3}}, {"label": "a"}])
    ['user.age', 'label']
    """
    found: dict[str, None] = {}
    for record in records:
        for name, value in record.items():
            whole = f"{above}{name}"
            nested = column_names([value], f"{whole}.") if isinstance(value, dict) else [whole]
            found.update(dict.fromkeys(nested))
    return list(found)


def _records_of(found: dict[str, Any], name: str, notes: list[str]) -> list[Any]:
    """The records of one object: columns, records below one of its names, or itself."""
    kinds = {type(value) for value in found.values()}
    rows, columns = found.get("data"), found.get("columns")
    if isinstance(columns, list) and isinstance(rows, list):  # pandas' orient="split"
        return [dict(zip(map(str, columns), row)) for row in rows if isinstance(row, list)]
    if kinds in ({list}, {dict}) and len({len(value) for value in found.values()}) == 1:
        if kinds == {list} and not any(
            isinstance(cell, dict) for cell in next(iter(found.values()))
        ):
            return [dict(zip(found, row)) for row in zip(*found.values())]
        keys = {tuple(value) for value in found.values()}
        if kinds == {dict} and len(keys) == 1 and len(found) > 1:  # orient="columns"
            return [{one: found[one][key] for one in found} for key in keys.pop()]
    lists = [one for one, value in found.items() if isinstance(value, list) and value]
    of_records = [one for one in lists if all(isinstance(row, dict) for row in found[one])]
    if len(of_records) != 1:
        return [found]
    notes.append(f"{name} is read from its list {of_records[0]!r}.")
    records: list[Any] = found[of_records[0]]
    return records
