"""One table out of several files that share a key, one view for each.

A key that a file lacks is a row in which its view is missing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uneven.comparison.errors import InputError
from uneven.comparison.formats import AUTO
from uneven.comparison.tables import READ, check_columns, read_table
from uneven.utils.registry import listing

if TYPE_CHECKING:
    import pandas as pd


SUFFIXES = (".csv", ".tsv", ".txt", ".parquet", ".pq", ".feather", ".xlsx", ".jsonl")
"""Files of a folder that are tables, also packed (``.csv.gz``)."""

_WHOLE = r"^([-+]?\d+)\.0+$"


def table_files(given: Any) -> dict[str, Any]:
    """The tables to join, by the name of their view.

    Parameters
    ----------
    given : path of a folder, sequence of paths, or mapping of str to path or frame
        Files are named by what stands before the first dot of their name. Hidden files of a folder,
        whose names begin with a dot, are not read.

    Raises
    ------
    InputError
        If there are none, two have the same name, or a name is empty, contains ``__`` or ends with
        ``_``: the view of a column ``view__column`` is what stands before the first ``__``.

    Examples
    --------
    >>> table_files(["calls/words.csv", "calls/sound.parquet"])
    {'words': PosixPath('calls/words.csv'), 'sound': PosixPath('calls/sound.parquet')}
    """
    if isinstance(given, Mapping):
        return _by_view([str(name) for name in given], list(given.values()))
    if isinstance(given, str | Path):
        folder = Path(given)
        if not folder.is_dir():
            raise InputError(f"--on joins several tables, but there is only {folder}.")
        shown = [path for path in folder.iterdir() if not path.name.startswith(".")]
        paths = sorted(path for path in shown if set(path.suffixes) & set(SUFFIXES))
        if not paths:
            raise InputError(f"{folder} holds no tables; they end with {listing(SUFFIXES)}.")
    else:
        given = list(given)
        strange = [type(one).__name__ for one in given if not isinstance(one, str | Path)]
        if strange:
            raise InputError(
                f"a list of tables holds paths, got a {strange[0]}; name tables in memory by a "
                'dict, such as {"words": frame, "sound": other}.'
            )
        paths = [Path(path) for path in given]
    return _by_view([path.name.split(".")[0] for path in paths], paths)


def _by_view(names: list[str], tables: list[Any]) -> dict[str, Any]:
    """Tables by the names of their views, if ``view__column`` can be read in one way only."""
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise InputError(
            f"two tables are called {twice[0]!r}: views are named after their files; rename one."
        )
    for name, table in zip(names, tables):
        if not name or "__" in name or name.endswith("_"):
            whose = f"{table}: its view" if isinstance(table, Path) else "a view"
            raise InputError(
                f"{whose} would be called {name!r}, but names of views are not empty, do not "
                "contain '__' and do not end with '_': columns are called view__column. Rename the "
                "file, or give a dict of other names to tables."
            )
    return dict(zip(names, tables))


def join_tables(
    tables: Any,
    on: str,
    target: str | None = None,
    *,
    encoding: str = AUTO,
    text_columns: Collection[str] = (),
    decimal: str | None = None,
    fewest: int = 2,
) -> pd.DataFrame:
    """Join tables by a key, so that each becomes a view.

    Parameters
    ----------
    tables : path of a folder, sequence of paths, or mapping of str to path or frame
        CSV, Parquet and whatever else ``uneven compare`` reads.
    on : str
        Column that all tables have, or the index of a frame, with one row per value. Keys are
        compared as text: ``7``, ``7.0`` and ``" 7"`` are the same key, ``007`` is another one.
    target : str, optional
        Column of labels. It may be in one table or in several, which must not contradict each
        other; labels of several are compared as text like keys, unless all are numbers.
    encoding : str
        Of text files.
    text_columns : collection of str
        Columns of the result to keep as text even if they look like numbers.
    decimal : str, optional
        Decimal mark of columns of text files that become numbers; found out by default.
    fewest : int
        With fewer tables there is nothing to join.

    Returns
    -------
    DataFrame of shape (n_keys, n_columns)
        The key, the target, and all other columns as ``view__column``: ``views="prefix"`` finds
        them. Cells are missing where a table has no row for a key.

    Raises
    ------
    InputError
        If a key is missing, empty or repeated, labels contradict each other, or a table shares no
        key with the rows that have a label, or with any other table.

    Examples
    --------
    >>> import pandas as pd
    >>> words = pd.DataFrame({"id": ["a", "b"], "length": [3, 5], "kind": ["x", "y"]})
    >>> sound = pd.DataFrame({"id": ["b", "c"], "pitch": [0.5, 0.7], "kind": ["y", "x"]})
    >>> joined = join_tables({"words": words, "sound": sound}, on="id", target="kind")
    >>> list(joined.columns)
    ['id', 'kind', 'words__length', 'sound__pitch']
    >>> joined["kind"].tolist(), int(joined["sound__pitch"].isna().sum())
    (['x', 'y', 'x'], 1)
    """
    import pandas as pd

    named = table_files(tables)
    if len(named) < fewest:
        raise InputError(f"--on {on} joins several tables, got {len(named)}.")
    if on == target:
        raise InputError(f"--on and --target are the same column, {on!r}.")
    frames = {}
    for name, table in named.items():
        texts = [c.removeprefix(f"{name}__") for c in text_columns if c.startswith(f"{name}__")]
        frames[name] = _keyed(name, table, on, [on, target or on, *texts], encoding, decimal)
    keys = pd.Index(dict.fromkeys(key for frame in frames.values() for key in frame.index), name=on)
    parts = [
        frame.drop(columns=[target or ""], errors="ignore").add_prefix(f"{name}__").reindex(keys)
        for name, frame in frames.items()
    ]
    joined = pd.concat(parts, axis=1)
    for twice in {on, target or on}.intersection(joined.columns):
        table, _, column = twice.partition("__")
        raise InputError(
            f"{twice!r} would be the name of two columns of the joined table; rename the column "
            f"{column!r} of table {table!r}."
        )
    commas = [
        f"{name}__{column}"
        for name, frame in frames.items()
        for column in frame.attrs.get(READ, {}).get("commas", ())
    ]
    if target is not None:
        joined.insert(0, target, _one_label(frames, keys, target))
    joined = joined.reset_index()
    joined.attrs[READ] = {"commas": commas}
    return joined


def _keyed(
    name: str, table: Any, on: str, texts: list[str], encoding: str, decimal: str | None
) -> pd.DataFrame:
    """A table with its key as the index, as text."""
    import pandas as pd

    where = f"table {name!r}"
    if isinstance(table, str | Path):
        where = str(table)
        frame = read_table(
            table, expected=[on], text_columns=texts, encoding=encoding, decimal=decimal
        )
    else:
        frame = _given_frame(where, table, on)
    check_columns(list(frame.columns), [on], f"{where}: --on")
    if frame.empty:
        raise InputError(f"{where} has no rows.")
    key = _as_text(frame[on])
    if key.isna().any():
        row = int(key.isna().to_numpy().argmax())
        raise InputError(f"{where} has no {on} in row {row + 1}; fill it in, or delete the row.")
    if key.duplicated().any():
        again = key[key.duplicated()].iloc[0]
        raise InputError(
            f"{where} has more than one row with {on} = {again!r}; --on needs one row per key, "
            "so aggregate them first."
        )
    return frame.drop(columns=[on]).set_index(pd.Index(key, name=on))


def _as_text(cells: pd.Series) -> pd.Series:
    """Cells as text without spaces around it or ``.0`` after it; missing if nothing remains."""
    text = cells.astype(object).astype(str).str.strip().str.replace(_WHOLE, r"\1", regex=True)
    return text.where(cells.notna() & (text != ""))


def _given_frame(where: str, table: Any, on: str) -> pd.DataFrame:
    """A frame as one of pandas; its index may be the key."""
    import pandas as pd

    if not isinstance(table, pd.DataFrame):
        if not hasattr(table, "to_pandas"):
            raise InputError(
                f"{where} must be a path or a data frame, got a {type(table).__name__}."
            )
        table = table.to_pandas()
    frame = table.rename(columns=str)
    return frame.reset_index() if on in frame.index.names and on not in frame else frame


def _one_label(frames: Mapping[str, pd.DataFrame], keys: pd.Index, target: str) -> pd.Series:
    """Label of each key, from all tables that have the target column; as text if kinds differ."""
    import pandas as pd
    from pandas.api import types

    holders = [name for name, frame in frames.items() if target in frame.columns]
    if not holders:
        known: Sequence[str] = list(dict.fromkeys(c for f in frames.values() for c in f.columns))
        check_columns(known, [target], "--target")
    held = {name: frames[name][target] for name in holders}
    of_one_kind = any(
        all(is_kind(own) for own in held.values())
        for is_kind in (types.is_any_real_numeric_dtype, types.is_bool_dtype)
    )
    if len(held) > 1 and not of_one_kind:
        held = {name: _as_text(own) for name, own in held.items()}
    labels = pd.Series(index=keys, dtype=object)
    for one in held.values():
        own = one.astype(object).reindex(keys)
        differ = labels.notna() & own.notna() & (labels != own)
        if differ.any():
            key = keys[differ.to_numpy().argmax()]
            raise InputError(
                f"the tables {listing(holders)} hold different labels: {target} of {key!r} is "
                f"{labels[key]!r} and {own[key]!r}. Keep the column in one table only, or rename "
                "one of them."
            )
        labels = labels.where(labels.notna(), own)
    _refuse_strangers(frames, labels, target)
    return labels.infer_objects()


def _refuse_strangers(frames: Mapping[str, pd.DataFrame], labels: pd.Series, target: str) -> None:
    """Refuse a table that shares no key with others: its keys are probably written otherwise."""
    labelled = labels.index[labels.notna()]
    for name, frame in sorted(frames.items(), key=lambda one: target in one[1].columns):
        whose, others = "the rows that have a label", labelled
        if target in frame.columns:
            rest = [other.index for other in frames.values() if other is not frame]
            whose, others = "the other tables", rest[0].append(rest[1:])
        if len(others) and frame.index.intersection(others).empty:
            raise InputError(
                f"table {name!r} shares no {labels.index.name} with {whose}: it has "
                f"{frame.index[0]!r}, they have {others[0]!r}. Write keys in the same way "
                "everywhere."
            )
