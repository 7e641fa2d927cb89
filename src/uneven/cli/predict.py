"""``uneven predict``: classes of new rows from a saved model."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pandas as pd
from sklearn.pipeline import Pipeline

from uneven.cli import terminal
from uneven.comparison import InputError, Schema
from uneven.comparison.latertable import read_later_table
from uneven.comparison.tables import PARQUET_SUFFIXES, READ, check_copied
from uneven.persistence.model_file import ModelCard, in_use, load_model
from uneven.utils.files import replace_file
from uneven.utils.registry import listing


def predict(
    model_path: Path,
    table: Path | list[Path],
    out: Path | None,
    *,
    proba: bool = False,
    copy: tuple[str, ...] = (),
    encoding: str = "auto",
    sheet: str | None = None,
    on: str | None = None,
) -> None:
    """Predict and write.

    Parameters
    ----------
    model_path : Path
        Model file.
    table : Path or list of Path
        CSV or Parquet file with the columns of the model; or those to join.
    out : Path or None
        CSV or Parquet file to write; None for standard output.
    proba : bool
        Whether to add the share of the vote of each class.
    copy : tuple of str
        Columns of the table to repeat.
    encoding : str
        Encoding of a text file.
    sheet : str, optional
        Sheet of a workbook.
    on : str, optional
        Column by which several tables are joined; it is repeated, too.
    """
    copy = copy if on is None or on in copy else (on, *copy)
    model, card = load_model(model_path)
    _refuse_doubles(copy, [f"predicted_{card.target}", *_share_names(model, proba)])
    with in_use(model_path):
        schema = Schema.from_list(card.columns)
    frame, X, told = read_later_table(
        table, schema, text_columns=copy, encoding=encoding, sheet=sheet, on=on
    )
    check_copied(table, frame.columns, copy)
    if proba and not hasattr(model, "predict_proba"):
        raise InputError(f"{card.label} predicts no class probabilities; leave --proba out.")
    with in_use(model_path):
        silent = _undecided(model, card, X)
        answers = _answers(model, card, X, frame[list(copy)], proba)
    told = [*frame.attrs.get(READ, {}).get("notes", ()), *told]
    terminal.notes([*told, *_notes(frame, X, schema, card, copy), *silent])
    _write(answers, out)


def _answers(
    model: Pipeline, card: ModelCard, X: pd.DataFrame, copied: pd.DataFrame, proba: bool
) -> pd.DataFrame:
    answers = copied.copy()
    answers[f"predicted_{card.target}"] = model.predict(X)
    if proba:
        answers[_share_names(model, proba)] = model.predict_proba(X)
    return answers


def _share_names(model: Pipeline, proba: bool) -> list[str]:
    return [f"share_{label}" for label in model.classes_] if proba else []


def _refuse_doubles(copy: tuple[str, ...], answers: list[str]) -> None:
    """No column of the output may hide another."""
    names = [*dict.fromkeys(copy), *answers]
    doubled = [name for name, count in Counter(names).items() if count > 1]
    if doubled:
        raise InputError(
            f"the output would hold two columns {listing(doubled)}; rename the column of the "
            "table, or leave it out of --copy."
        )


def _notes(
    frame: pd.DataFrame, X: pd.DataFrame, schema: Schema, card: ModelCard, copy: tuple[str, ...]
) -> list[str]:
    """What the reader should know about columns and values the model does not use."""
    extra = [c for c in frame.columns if c not in {*schema.names, *copy}]
    notes = [f"columns the model does not use are ignored: {listing(extra)}."] if extra else []
    for column in schema.columns:
        if column.kind == "category":
            unseen = set(X[column.name].dropna().unique()) - set(column.categories)
            if unseen:
                notes.append(
                    f"column {column.name!r} holds values never seen in training, which count "
                    f"as missing: {listing(sorted(unseen))}."
                )
    return notes


def _undecided(model: Pipeline, card: ModelCard, X: pd.DataFrame) -> list[str]:
    """Note how many rows have no vote, and what is predicted for them."""
    if len(X) == 0 or not hasattr(model[-1], "undecided"):
        return []
    silent = int(model[-1].undecided(model[:-1].transform(X)).sum())
    if not silent:
        return []
    usual = card.classes[card.class_counts.index(max(card.class_counts))]
    have, get = ("has", "gets") if silent == 1 else ("have", "get")
    return [
        f"{silent} of {len(X)} rows {have} no view with known values and {get} the most frequent "
        f"class, {usual!r}."
    ]


def _write(answers: pd.DataFrame, out: Path | None) -> None:
    if out is None:
        answers.to_csv(sys.stdout, index=False)
        return
    with replace_file(out) as draft:
        if out.suffix.lower() in PARQUET_SUFFIXES:
            answers.to_parquet(draft, index=False)
        else:
            separator = "\t" if out.suffix.lower() == ".tsv" else ","
            answers.to_csv(draft, index=False, sep=separator)
    terminal.stderr().print(f"{len(answers)} rows: {out}", markup=False, soft_wrap=True)
