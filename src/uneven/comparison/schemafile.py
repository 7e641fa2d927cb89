"""Files that say how a table is read: written by every run, edited by people, read again.

A file in TOML has one table for each column: its kind, how its cells are written, which marks are
missing cells, and whether to learn from it. What it does not say is found out as usual. The format
is read by the standard library, which has no writer; the few kinds of values that occur are written
here.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uneven.comparison.datestyles import ALSO, ORDERS
from uneven.comparison.errors import InputError
from uneven.utils.registry import closest, listing

if TYPE_CHECKING:
    from uneven.comparison.problem import Problem

KINDS = ("number", "boolean", "date", "category", "text")
ENTRIES: Mapping[str, type] = {
    "use": bool,
    "kind": str,
    "decimal": str,
    "unit": str,
    "order": str,
    "latest": int,
    "missing": list,
    "why": str,
}
TABLE_ENTRIES = ("format", "separator", "encoding", "decimal", "header", "sheet")
HEADER = """\
# How {name} was read. Edit it and give it back with --schema FILE; entries that you delete are
# detected again.
#   use      whether to learn from the column
#   kind     number, boolean, date, category or text (running text, learnt from by its words)
#   decimal  decimal mark of numbers, "." or ","; the other one groups thousands; ".," for both
#   unit     currency, percent sign or unit that stands beside the numbers
#   order    of dates: "iso", "dmy" (days first), "mdy" (months first); "iso + dmy" for both
#   latest   last of the hundred years to which years of two digits belong
#   missing  cells that count as empty; at the top of the file for all columns, such as ["999"]
"""


@dataclass(frozen=True)
class Decisions:
    """What a person decided about a table.

    Attributes
    ----------
    columns : mapping of str to mapping
        For each column its ``kind``, how its cells are written, and whether to ``use`` it.
    missing : sequence of str
        Marks of missing cells in all columns, such as ``999``.
    table : mapping of str to object
        How the file is written.
    """

    columns: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    missing: Sequence[str] = ()
    table: Mapping[str, Any] = field(default_factory=dict)

    def used(self) -> list[str]:
        """Columns to learn from whatever they look like."""
        return [name for name, told in self.columns.items() if told.get("use") is True]

    def unused(self) -> dict[str, str]:
        """Columns not to learn from, and why."""
        return {
            name: str(told.get("why", "is left out by --schema"))
            for name, told in self.columns.items()
            if told.get("use") is False
        }

    def texts(self) -> list[str]:
        """Columns whose cells are text even if they look like numbers."""
        kinds = ("category", "text")
        return [name for name, told in self.columns.items() if told.get("kind") in kinds]

    def check(self, columns: Collection[str]) -> None:
        """Refuse decisions about columns that the table does not have."""
        for name in self.columns:
            if name not in columns:
                raise InputError(
                    f"--schema names a column {name!r} that is not in the table; "
                    f"{closest(name, list(columns))}the columns are {listing(columns)}."
                )


def decide(
    schema: str | Path | Mapping[str, Any] | None = None,
    missing: Iterable[str] = (),
    text: Iterable[str] = (),
) -> Decisions:
    """Gather what a person decided.

    Parameters
    ----------
    schema : path, mapping or None
        A file as `schema_text` writes it, or its content.
    missing : iterable of str
        Further marks of missing cells.
    text : iterable of str
        Columns of running text.

    Raises
    ------
    InputError
        If the file is no schema.

    Examples
    --------
    >>> decide({"columns": {"plz": {"kind": "category"}}}, text=["note"]).texts()
    ['plz', 'note']
    """
    if schema is None:
        raw: Mapping[str, Any] = {}
    elif isinstance(schema, Mapping):
        raw = schema
    else:
        raw = _read(Path(schema))
    where = f"--schema {schema}" if isinstance(schema, str | Path) else "--schema"
    columns = _checked(raw, where)
    for name in text:
        columns[name] = {**columns.get(name, {}), "kind": "text", "use": True}
    marks = [str(mark) for mark in (*raw.get("missing", ()), *missing)]
    return Decisions(columns, marks, dict(raw.get("table", {})))


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise InputError(f"--schema {path}: there is no such file.")
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"--schema {path} is not a TOML file: {error}.") from error


def _checked(raw: Mapping[str, Any], where: str) -> dict[str, dict[str, Any]]:
    strange = [key for key in raw if key not in ("columns", "table", "missing", "target")]
    if strange:
        raise InputError(
            f"{where} has an entry {strange[0]!r}; it may hold [table], [columns.NAME] and missing."
        )
    columns = raw.get("columns", {})
    if not isinstance(columns, Mapping) or not all(
        isinstance(c, Mapping) for c in columns.values()
    ):
        raise InputError(f"{where} must have one table [columns.NAME] for each column.")
    for name, told in columns.items():
        for key, value in told.items():
            if key not in ENTRIES:
                raise InputError(
                    f"{where}: column {name!r} has an entry {key!r}; {closest(key, list(ENTRIES))}"
                    f"the entries are {listing(ENTRIES)}."
                )
            if not isinstance(value, ENTRIES[key]):
                raise InputError(
                    f"{where}: {key} of column {name!r} is {value!r}, not {ENTRIES[key].__name__}."
                )
        _check_choice(where, name, told, "kind", KINDS)
        _check_choice(where, name, told, "decimal", (".", ",", ".,"))
        for order in str(told.get("order", "iso")).split(ALSO):
            _check_choice(where, name, {"order": order}, "order", ORDERS)
    for key in raw.get("table", {}):
        if key not in TABLE_ENTRIES:
            raise InputError(
                f"{where}: [table] has an entry {key!r}; use {listing(TABLE_ENTRIES)}."
            )
    return {str(name): dict(told) for name, told in columns.items()}


def _check_choice(
    where: str, name: str, told: Mapping[str, Any], key: str, choices: Sequence[str]
) -> None:
    value = told.get(key, choices[0])
    if value not in choices:
        raise InputError(
            f"{where}: {key} of column {name!r} is {value!r}; {closest(value, choices)}"
            f"use {listing(choices)}."
        )


def schema_text(problem: Problem) -> str:
    """The file that describes how the table of a problem was read.

    Examples
    --------
    >>> import pandas as pd
    >>> from uneven.comparison import make_problem
    >>> frame = pd.DataFrame({"pay": ["1.200 €", "900 €"], "label": ["a", "b"]})
    >>> print(schema_text(make_problem(frame, "label")).partition("[columns")[2])
    .pay]
    use = true
    kind = "number"
    decimal = ","
    unit = "€"
    <BLANKLINE>
    """
    lines = [HEADER.format(name=problem.name), f"target = {_value(problem.target)}"]
    if problem.marks:
        lines.append(f"missing = {_value(list(problem.marks))}")
    told = {key: problem.read[key] for key in TABLE_ENTRIES if key in problem.read}
    if told:
        lines += ["", "[table]", *(f"{key} = {_value(value)}" for key, value in told.items())]
    used = set(problem.schema.names)
    for name in problem.given_columns:
        reading = problem.readings.get(name)
        entries: dict[str, Any] = {"use": name in used}
        if name not in used and name in problem.left_out:
            entries["why"] = problem.left_out[name]
        if reading is not None:
            entries["kind"] = reading.kind
            entries |= {key: reading.form[key] for key in ENTRIES if key in reading.form}
        lines += ["", f"[columns.{_key(name)}]"]
        lines += [f"{key} = {_value(value)}" for key, value in entries.items()]
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if bare else _value(name)


def _value(value: Any) -> str:
    """A value in TOML; strings of JSON are strings of TOML, but for one sign."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, int):
        return str(value)
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
