"""From a table without labels to a model, and what spreadsheets and people do on the way."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.cli.conftest import make_frame
from tests.cli.test_label_next import fill_in, pool, read  # noqa: F401
from uneven.comparison import labelled_table
from uneven.persistence.model_file import load_model

pytestmark = pytest.mark.slow

ASK = ("label-next", "pool.csv", "--n", 6)


def label_rows(pool, rows) -> pd.DataFrame:  # noqa: F811
    return pd.DataFrame({"row": rows, "label": [pool.attrs["labels"][row - 1] for row in rows]})


@pytest.mark.slow
def test_the_printed_commands_lead_from_labels_to_predictions(uneven, pool):  # noqa: F811
    label_rows(pool, [1, 2, 3]).to_csv("labels.csv", index=False)
    for _ in range(4):
        assert uneven(*ASK).code == 0
        fill_in(pool)
    table = read().assign(remark="")
    table.loc[3, "label"] = "?"
    table.loc[0, "remark"] = "sure"
    table.to_csv("labels.csv", index=False)
    done = uneven(*ASK)
    lines = [line.removeprefix("Learn").strip() for line in done.out.splitlines()]
    commands = [shlex.split(line)[1:] for line in lines if line.startswith("uneven ")]
    assert [words[0] for words in commands] == ["label-next", "fit", "predict"]
    told = uneven(*commands[1])
    assert told.code == 0
    said = " ".join(told.err.split())
    assert "labels.csv is a file of labels" in said
    assert "1 row labelled '?' left out" in said
    _, card = load_model(Path("model.skops"))
    assert [column["name"] for column in card.columns] == [
        "sound__pitch",
        "sound__noise",
        "text__word",
        "text__length",
    ]
    assert card.rows == 26
    assert set(card.classes) <= {"common", "less", "rare"}
    assert uneven(*commands[2]).code == 0
    predicted = read("predictions.csv")["predicted_label"]
    assert np.mean(predicted == pool.attrs["labels"]) > 0.8


def test_a_file_of_labels_with_names_is_recognised_by_compare(uneven, pool):  # noqa: F811
    pool.assign(name=np.arange(90) * 7 + 3, row=np.arange(90) % 7).to_csv("pool.csv", index=False)
    rows = range(0, 90, 2)
    labels = [pool.attrs["labels"][row] for row in rows]
    pd.DataFrame({"name": [row * 7 + 3 for row in rows], "label": labels}).to_csv(
        "labels.csv", index=False
    )
    assert uneven(*ASK, "--id", "name").code == 0
    words = ("--target", "label", "--cv", 2, "--methods", "logistic_regression")
    assert uneven("compare", "labels.csv", *words).code == 0
    _, card = load_model(Path("uneven-report/model.skops"))
    assert not {"name", "guess", "votes", "why", "check"} & {c["name"] for c in card.columns}
    assert "row" in {column["name"] for column in card.columns}
    done = uneven("fit", "labels.csv", "-t", "label", "--keep", "check", "--drop", "name")
    assert done.code == 0
    assert "check" in {column["name"] for column in load_model(Path("model.skops"))[1].columns}


@pytest.mark.parametrize(
    ("columns", "cells", "key"),
    [
        (["remark", "row", "label"], [["x", 1, "a"], ["y", 1, "a"]], "row"),
        (["name", "label"], [["n", "a"], ["n", "b"]], "name"),
        (["name", "remark", "label"], [["n", "", "a"], ["m", "", "b"]], "name"),
        (["label", "row"], [["a", 1], ["b", 2]], "row"),
    ],
)
def test_the_column_that_names_the_rows_is_found_wherever_it_was_moved(columns, cells, key):
    frame = pd.DataFrame(cells, columns=columns).replace("", None)
    frame = frame.assign(guess="", votes="", why="", check="")
    assert labelled_table(frame, "label").bookkeeping[0] == key


def test_files_without_labels_are_not_learnt_from(uneven, pool):  # noqa: F811
    uneven(*ASK)
    assert "labels.csv has no labels yet" in uneven("fit", "labels.csv", "-t", "label").complaint


def test_a_row_that_nobody_can_label_is_not_asked_for_again(uneven, pool):  # noqa: F811
    uneven(*ASK)
    table = read()
    hard = set(table.loc[:1, "row"])
    table.loc[:1, "label"] = "?"
    table.to_csv("labels.csv", index=False)
    fill_in(pool)
    for _ in range(2):
        done = uneven("label-next", "pool.csv", "--n", 88)
        assert "Skipped        2 rows labelled '?'" in done.out
        after = read()
        assert set(after.loc[after["label"] == "?", "row"]) == hard
        assert after["row"].is_unique
        assert "?: " not in done.out
        assert "?" not in set(after["guess"])
        fill_in(pool)
    assert "Every row of pool.csv has a label, but for those skipped." in done.out


@pytest.mark.parametrize("word", ["NA", "n/a", "-", "unknown"])
def test_words_that_are_no_class_are_pointed_out(uneven, pool, word):  # noqa: F811
    label_rows(pool, range(1, 9)).to_csv("labels.csv", index=False)
    text = Path("labels.csv").read_text()
    Path("labels.csv").write_text(f"{text}20,{word}\n")
    said = " ".join(uneven(*ASK).err.split())
    assert f"the label '{word}' counts as a class; write ? for a row" in said


@pytest.mark.parametrize(("one", "other"), [("Versi", "versi"), ("1", "1.0"), ("TRUE", "true")])
def test_two_spellings_of_a_class_are_pointed_out(uneven, pool, one, other):  # noqa: F811
    Path("labels.csv").write_text(f"row,label\n1,{one}\n2,{other}\n3,{other}\n4,third\n")
    said = " ".join(uneven(*ASK).err.split())
    assert f"the labels '{one}' (1), '{other}' (2) differ in spelling only" in said


def test_a_pool_with_labels_of_its_own_must_say_what_they_are(uneven):
    frame = make_frame()
    frame["label"] = frame["label"].where(frame.index % 3 == 0)
    frame.to_csv("pool.csv", index=False)
    complaint = uneven(*ASK).complaint
    assert "--label-column label takes its filled cells as the first labels" in complaint
    assert "--drop label leaves it out" in complaint
    assert uneven(*ASK, "--labels", "none.csv", "--drop", "label").code == 0
    assert set(read("none.csv")["label"]) == {""}
    done = uneven(*ASK, "--label-column", "label")
    assert "Labels so far  30 (" in done.out
    assert "--label-column label" in done.out
    table = read()
    given = table[table["label"] != ""]
    assert [int(row) for row in given["row"]] == list(range(1, 91, 3))
    assert given["label"].tolist() == frame["label"].dropna().tolist()
    assert not any(int(row) % 3 == 1 for row in table["row"][30:])
    frame.loc[1, "label"] = "common"
    frame.to_csv("pool.csv", index=False)
    assert "Labels so far  31 (" in uneven(*ASK, "--label-column", "label").out


def test_what_excel_saves_on_windows_is_read_beside_a_pool_in_utf_8(uneven, pool):  # noqa: F811
    pool.assign(text__word="日本").to_csv("pool.csv", index=False)
    uneven(*ASK)
    assert Path("labels.csv").read_bytes().startswith(b"\xef\xbb\xbfrow,label")
    label_rows(pool, [1, 2, 3]).assign(label=["grün", "rot", "grün"]).to_csv(
        "labels.csv", index=False, encoding="cp1252", lineterminator="\r\n"
    )
    done = uneven(*ASK)
    assert done.code == 0
    assert "is read as cp1252" in done.err
    assert "grün: 2" in done.out
    text = Path("labels.csv").read_bytes().decode("utf-8-sig")
    assert "日本" in text
    assert text.count("\r\n") == text.count("\n") == 10
    read().to_csv("labels.csv", index=False, sep="\t", encoding="utf-16")
    assert "grün: 2" in uneven(*ASK).out
    assert Path("labels.csv").read_bytes().startswith(b"\xff\xfe")


def test_the_encoding_of_the_labels_can_be_named(uneven, pool):  # noqa: F811
    Path("labels.csv").write_text("row,label\n1,grün\n2,rot\n", encoding="mac-roman")
    done = uneven(*ASK, "--labels-encoding", "mac-roman")
    assert "grün: 1" in done.out
    assert "--labels-encoding mac-roman" in done.out
    assert Path("labels.csv").read_bytes().decode("mac-roman").startswith("row,label,guess")
    Path("labels.csv").write_bytes(b"row,label\n1,gr\x81n\n")  # of DOS
    assert "read as cp850" in uneven(*ASK).err
    Path("labels.csv").write_bytes(b"row,label\n1,gr\x81n\n")
    assert "--labels-encoding latin-1" in uneven(*ASK, "--labels-encoding", "cp1252").complaint


def test_rows_that_a_spreadsheet_numbers_with_a_point_are_found(uneven, pool):  # noqa: F811
    Path("labels.csv").write_text("row,label\n6.0,a\n7.00,b\n")
    assert "Labels so far  2 (" in uneven(*ASK).out
    assert read()["row"].tolist()[:2] == ["6", "7"]


def test_a_first_line_that_names_the_separator_is_understood(uneven, pool):  # noqa: F811
    Path("labels.csv").write_text("sep=;\nrow;label\n6;a,b\n900;b\n")
    assert "(line 4)" in uneven(*ASK).complaint
    Path("labels.csv").write_text("sep=;\nrow;label\n6;a,b\n9;b\n")
    assert "Labels so far  2 (a,b: 1, b: 1)" in uneven(*ASK).out
    assert read(sep=";")["row"].tolist()[:2] == ["6", "9"]


def test_numbers_are_written_as_in_the_pool_or_the_file(uneven, pool):  # noqa: F811
    pool.to_csv("pool.csv", index=False, sep=";", decimal=",")
    uneven(*ASK)
    pitch = read(sep=";")["sound__pitch"]
    assert pitch.str.contains(",").all()
    fill_in(pool, sep=";")
    pool.to_csv("pool.csv", index=False)
    assert uneven(*ASK).code == 0
    assert read(sep=";")["sound__pitch"].str.contains(",").all()
    assert uneven("fit", "labels.csv", "-t", "label", "--drop", "name").code == 0
    kinds = {c["name"]: c["kind"] for c in load_model(Path("model.skops"))[1].columns}
    assert kinds["sound__pitch"] == "number"


def test_a_column_more_or_less_in_the_pool_is_no_other_table(uneven, pool):  # noqa: F811
    uneven(*ASK)
    fill_in(pool)
    pool.assign(more=np.arange(90) % 4).drop(columns="sound__noise").to_csv("pool.csv", index=False)
    done = uneven(*ASK)
    assert done.code == 0
    assert "pool.csv has changed; 6 labelled rows still show what labels.csv shows" in " ".join(
        done.err.split()
    )


def test_an_interruption_while_the_command_is_loaded_is_told(uneven, pool, monkeypatch):  # noqa: F811
    def interrupt(*_, **named):
        raise KeyboardInterrupt

    monkeypatch.setattr("uneven.cli.requests.LabelRequest", interrupt)
    done = uneven(*ASK)
    assert done.code == 130
    assert done.complaint == "interrupted; nothing was written."


def test_a_pool_in_utf_16_is_read(uneven, pool):  # noqa: F811
    pool.to_csv("pool.csv", index=False, sep="\t", encoding="utf-16")
    assert "--encoding utf-16" in uneven(*ASK, "--encoding", "utf-8").complaint
    done = uneven(*ASK)
    assert done.code == 0
    assert "encoding utf-16" in done.err


def test_one_row_is_one_row(uneven, pool):  # noqa: F811
    pool.assign(more=1, most=2).to_csv("pool.csv", index=False)
    done = uneven("label-next", "pool.csv", "--n", 1)
    lines = [line.strip() for line in done.out.splitlines()]
    assert "Next to label: 1 row" in lines
    assert "Next rows      labels.csv (1 row waits for a label)" in lines
    assert "and 2 more columns" in lines
    pool.assign(more=1).to_csv("pool.csv", index=False)
    assert "and 1 more column " in uneven("label-next", "pool.csv", "--n", 1).out
