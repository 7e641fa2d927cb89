from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.cli.conftest import files_in, make_frame
from uneven.cli import run, texts

pytestmark = pytest.mark.slow


@pytest.fixture
def pool(tmp_path: Path) -> pd.DataFrame:
    """A table without labels, in pool.csv; the labels are in the attribute of that name."""
    frame = make_frame()
    bare = frame.drop(columns="label")
    bare.insert(0, "name", [f"n{i:02d}" for i in range(len(bare))])
    bare.to_csv(tmp_path / "pool.csv", index=False)
    bare.attrs["labels"] = frame["label"].tolist()
    return bare


def read(path="labels.csv", **choices) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False, **choices)


def fill_in(pool: pd.DataFrame, path="labels.csv", at_most=None, **choices) -> None:
    """What a person does in a spreadsheet."""
    table = read(path, **choices)
    empty = np.flatnonzero(table["label"] == "")[:at_most]
    for i in empty:
        table.loc[i, "label"] = pool.attrs["labels"][int(table.loc[i, "row"]) - 1]
    table.to_csv(path, index=False, **choices)


def test_the_first_rows_are_spread_and_shown_with_their_values(uneven, pool):
    done = uneven("label-next", "pool.csv", "--labels", "labels.csv", "--n", 6)
    assert done.code == 0
    table = read()
    assert table.columns.tolist()[:6] == ["row", "label", "guess", "votes", "why", "check"]
    assert len(table) == 6
    assert set(table["label"]) == set(table["guess"]) == {""}
    for _, row in table.iterrows():
        asked = pool.iloc[int(row["row"]) - 1]
        assert row["name"] == asked["name"]
        assert row["name"] in done.out
        assert float(row["sound__pitch"]) == pytest.approx(asked["sound__pitch"])
    assert "6 rows wait for a label" in done.out
    assert "uneven label-next pool.csv --labels labels.csv --n 6" in done.out


def test_filling_in_and_running_again_goes_on_and_learns(uneven, pool):
    command = ("label-next", "pool.csv", "--labels", "labels.csv", "--n", 5)
    for rounds in range(1, 6):
        assert uneven(*command).code == 0
        before = read()
        assert (before["label"] != "").sum() == 5 * (rounds - 1)
        fill_in(pool)
    done = uneven(*command)
    after = read()
    assert after["label"].tolist()[:25] == read()["label"].tolist()[:25]
    assert after["row"].tolist()[:25] == before["row"].tolist()
    assert len(set(after["row"])) == 30
    assert "Labels so far  25 (" in done.out
    fresh = after.iloc[25:]
    assert set(fresh["guess"]) <= {"common", "less", "rare"}
    assert fresh["votes"].str.contains("%").all()
    assert fresh["why"].str.endswith("?").all()


def test_the_same_file_asks_the_same_and_a_run_changes_nothing_else(uneven, pool):
    command = ("label-next", "pool.csv", "--n", 4)
    uneven(*command)
    fill_in(pool)
    uneven(*command)
    first = Path("labels.csv").read_bytes()
    uneven(*command)
    assert Path("labels.csv").read_bytes() == first
    assert files_in(Path()) == {"pool.csv", "labels.csv"}


def test_what_people_typed_is_never_lost(uneven, pool):
    uneven("label-next", "pool.csv", "--n", 6)
    fill_in(pool, at_most=4)
    table = read()
    table["remark"] = ["", "sure", "", "", "ask Eve", ""]
    table.loc[len(table)] = {**dict.fromkeys(table.columns, ""), "row": "1", "label": "mine"}
    table = table[["remark", *table.columns[:-1]]]
    table.to_csv("labels.csv", index=False)
    assert uneven("label-next", "pool.csv", "--n", 3).code == 0
    after = read()
    assert after.columns.tolist() == table.columns.tolist()
    typed = table[table["label"] != ""]
    kept = after.iloc[: len(typed) + 1].copy()
    assert kept.loc[5, "name"] == "n00"
    kept.loc[5, table.columns[3:]] = ""
    pd.testing.assert_frame_equal(
        kept, table.drop(index=5).loc[[0, 1, 2, 3, 4, 6]].reset_index(drop=True)
    )
    assert len(after) == len(typed) + 1 + 3 - (table.loc[4, "row"] in after["row"].tolist()[6:])


def test_remarks_on_rows_that_are_asked_for_again_stay(uneven, pool):
    uneven("label-next", "pool.csv", "--n", 3)
    read().assign(remark=["odd", "", "blurred"]).to_csv("labels.csv", index=False)
    uneven("label-next", "pool.csv", "--n", 3)
    assert read()["remark"].tolist() == ["odd", "", "blurred"]


def test_a_file_that_changed_meanwhile_is_left_alone(uneven, pool, monkeypatch):
    uneven("label-next", "pool.csv", "--n", 4)
    fill_in(pool)
    from uneven.active import ActiveLearner

    ask = ActiveLearner.ask

    def slow(self, n=1):
        with open("labels.csv", "a") as file:
            file.write("90,late,,,,,,,,,\n")
        return ask(self, n)

    monkeypatch.setattr(ActiveLearner, "ask", slow)
    done = uneven("label-next", "pool.csv", "--n", 4)
    assert done.code == 2
    assert "changed in the meantime" in done.complaint
    assert Path("labels.csv").read_text().endswith("90,late,,,,,,,,,\n")
    assert files_in(Path()) == {"pool.csv", "labels.csv"}


def test_rows_may_have_names_and_next_rows_a_file(uneven, pool):
    done = uneven("label-next", "pool.csv", "--id", "name", "--n", 3, "--output", "next.csv")
    assert done.code == 0
    table = read()
    assert table.columns[0] == "name"
    assert list(table.columns).count("name") == 1
    assert set(table["name"]) <= set(pool["name"])
    pd.testing.assert_frame_equal(read("next.csv"), table)
    uneven("label-next", "pool.csv", "--id", "name", "--n", 3, "--output", "next.parquet")
    assert pd.read_parquet("next.parquet")["name"].tolist() == table["name"].tolist()


def test_separator_mark_and_encoding_of_the_spreadsheet_stay(uneven, pool):
    frame = pool.assign(text__word="grün")
    frame.to_csv("pool.csv", index=False, sep=";", decimal=",")
    uneven("label-next", "pool.csv", "--n", 3)
    text = Path("labels.csv").read_text(encoding="utf-8-sig").replace(";;;", ";ü;;", 1)
    assert text.startswith("row;label;guess")
    Path("labels.csv").write_text(text, encoding="utf-8-sig")
    assert uneven("label-next", "pool.csv", "--n", 3).code == 0
    assert Path("labels.csv").read_bytes().startswith(b"\xef\xbb\xbfrow;label")
    assert "ü" in read(sep=";", encoding="utf-8-sig")["label"].tolist()


def test_parquet_pools_and_own_files_of_labels(uneven, pool):
    pool.to_parquet("pool.parquet")
    rows = [1, 2, 3, 30, 60, 80, 85]
    own = pd.DataFrame({"row": rows, "label": [pool.attrs["labels"][r - 1] for r in rows]})
    own.to_csv("mine.csv", index=False)
    done = uneven("label-next", "pool.parquet", "--labels", "mine.csv", "--n", 2)
    assert done.code == 0
    after = read("mine.csv")
    assert after["row"].tolist()[:7] == [str(row) for row in rows]
    assert after["why"].tolist()[:7] == [""] * 7
    assert len(after) == 9


def test_running_text_is_read_as_words(uneven, tmp_path):
    words = {"spam": "win money now prize", "ham": "meeting agenda report budget"}
    kinds = ["spam", "ham"] * 20
    rng = np.random.default_rng(0)
    texts = [
        " ".join(rng.choice(words[kind].split(), 3)) + f" {i}x" for i, kind in enumerate(kinds)
    ]
    pd.DataFrame({"body": texts}).to_csv("mails.csv", index=False)
    assert "'body' holds running text" in uneven("label-next", "mails.csv").err
    Path("labels.csv").unlink()
    labels = pd.DataFrame({"row": [1, 2, 3, 4], "label": kinds[:4]})
    labels.to_csv("labels.csv", index=False)
    assert uneven("label-next", "mails.csv", "--text", "body", "--n", 30).code == 0
    asked = read().iloc[4:]
    right = [kinds[int(row) - 1] == guess for row, guess in zip(asked["row"], asked["guess"])]
    assert np.mean(right) > 0.8


def test_reasons_to_stop_are_told(uneven, pool):
    rows = range(1, 41)
    own = pd.DataFrame({"row": rows, "label": [pool.attrs["labels"][r - 1] for r in rows]})
    own.to_csv("labels.csv", index=False)
    done = uneven("label-next", "pool.csv", "--n", 2, "--budget", 40)
    assert "You may stop   40 rows have a label, the budget was 40." in done.out
    everything = pd.DataFrame({"row": range(1, 91), "label": pool.attrs["labels"]})
    everything.to_csv("labels.csv", index=False)
    done = uneven("label-next", "pool.csv")
    assert done.code == 0
    assert "Every row of pool.csv has a label." in done.out
    after = read()
    assert after["label"].tolist() == pool.attrs["labels"]
    assert after["name"].tolist() == pool["name"].tolist()


@pytest.mark.parametrize(
    "options",
    [
        ["--query", "uncertainty"],
        ["--kernel", "linear"],
        ["--query", "maxmin"],
        ["--gamma", "0.2", "--flip", "0.05"],
    ],
)
def test_rules_and_kernels_can_be_chosen(uneven, pool, options):
    rows = range(1, 21)
    own = pd.DataFrame({"row": rows, "label": [pool.attrs["labels"][r - 1] for r in rows]})
    own.to_csv("labels.csv", index=False)
    done = uneven("label-next", "pool.csv", "--n", 2, *options)
    assert done.code == 0
    assert " ".join(options) in done.out


def test_a_line_need_not_go_through_the_mean(uneven):
    pd.DataFrame({"x": np.linspace(0, 1, 60) ** 2, "u": np.tile([1, 2], 30)}).to_csv(
        "line.csv", index=False
    )
    own = pd.DataFrame({"row": [1, 48, 52, 60], "label": ["low", "low", "high", "high"]})
    own.to_csv("labels.csv", index=False)
    assert uneven("label-next", "line.csv", "--kernel", "linear", "--n", 50).code == 0
    asked = read().iloc[4:]
    right = [(int(row) >= 50) == (guess == "high") for row, guess in zip(asked.row, asked.guess)]
    assert np.mean(right) > 0.9


def test_a_label_that_looks_like_a_slip_is_pointed_out(uneven, pool):
    labels = ["common"] * 6 + ["kind 1"] * 6 + ["Comon", "rare", "kind 2"]
    pd.DataFrame({"row": range(1, 16), "label": labels}).to_csv("labels.csv", index=False)
    done = uneven("label-next", "pool.csv", "--n", 2)
    assert "the label 'Comon' occurs once; did you mean 'common'?" in " ".join(done.err.split())
    assert "'rare'" not in done.err
    assert "'kind 2'" not in done.err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("row,label\n1,b\n500,a\n", "labels for row '500', not in pool.csv (line 3)"),
        ('row,label\n1,"a\n2,b\n3,c\n', "line 2: a quote is opened here and never closed"),
        ('row,label\n1,"a\n2,b"\n3,c\n', "line 2: 'label' goes on over several lines"),
        ("row,Label\n1,a\n", "did you mean 'Label'?"),
        ("row,label\n1,a\n2,b\n1,c\n", "row 1 is labelled 'a' in line 2 and 'c' in line 4"),
        ("row,label\n,a\n", "line 2: the label 'a' has nothing in 'row'"),
        ("id,label\n1,a\n", "has no column 'row'"),
        ("1,a\n2,b\n", "has no column 'row', 'label'"),
        ("row,label,label\n1,a,b\n", "columns with the same name: 'label'"),
        ("row,label,check\n1,a,c00000000\n", "line 2: row 1 is not the row that was asked for"),
        ("", "labels.csv is empty"),
        ("row,label\n1,a,b,c\n", "row 2 has 4 fields"),
    ],
)
def test_files_of_labels_that_do_not_fit_are_refused_and_stay(uneven, pool, content, words):
    Path("labels.csv").write_text(content)
    done = uneven("label-next", "pool.csv", "--n", 2)
    assert done.code == 2
    assert words in done.complaint
    assert Path("labels.csv").read_text() == content
    assert files_in(Path()) == {"pool.csv", "labels.csv"}


def test_labels_of_another_table_are_refused(uneven, pool):
    uneven("label-next", "pool.csv", "--n", 3)
    fill_in(pool)
    pool.iloc[::-1].to_csv("other.csv", index=False)
    before = Path("labels.csv").read_bytes()
    done = uneven("label-next", "other.csv")
    assert done.code == 2
    assert "not the row that was asked for; has other.csv changed" in done.complaint
    assert Path("labels.csv").read_bytes() == before


def test_a_header_alone_and_labels_typed_twice_alike_are_fine(uneven, pool):
    Path("labels.csv").write_text("row,label\n")
    assert uneven("label-next", "pool.csv", "--n", 2).code == 0
    Path("labels.csv").write_text("row,label\n1,a\n1,a\n2,b\n")
    done = uneven("label-next", "pool.csv", "--n", 2)
    assert "Labels so far  2 (a: 1, b: 1)" in done.out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nowhere.csv"], "there is no file nowhere.csv"),
        (["pool.csv", "--id", "nme"], "did you mean 'name'?"),
        (["pool.csv", "--id", "text__length"], "names several rows"),
        (["pool.csv", "--id", "text__word"], "is empty in row"),
        (["pool.csv", "--query", "gravity"], "unknown --query 'gravity'"),
        (["pool.csv", "--labels", "pool.csv"], "is the table itself"),
        (["pool.csv", "--labels", "no/folder.csv"], "in a folder that exists"),
        (["pool.csv", "--labels", "labels.xlsx"], "must be a CSV file"),
        (["pool.csv", "--output", "labels.csv"], "both name labels.csv"),
        (["pool.csv", "--output", "next.xlsx"], "must end with .csv or .parquet"),
        (["pool.csv", "--label-column", "nme"], "did you mean 'name'?"),
        (["pool.csv", "--text", "body"], "--text 'body' is not a column"),
        (["pool.csv", "--n", "0"], "1. Try: uneven label-next --help"),
        (["pool.csv", "--kernel", "magic"], "magic"),
        (["pool.csv", "--gamma", "-1"], "--gamma must be"),
    ],
)
def test_wrong_requests_are_one_line(uneven, pool, words, complaint):
    done = uneven("label-next", *words)
    assert done.code == 2
    assert complaint in done.complaint
    assert files_in(Path()) == {"pool.csv"}


def test_help_teaches(uneven, capsys):
    assert run(["label-next", "--help"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    for words in ("spreadsheet", "centre_of_gravity", "--id", "--budget", "Exit codes"):
        assert words in told
    assert "orientation_aware: by the shape of the version space; much slower" in told
    assert "folds" not in told


def test_the_words_of_the_help_fit_a_narrow_terminal():
    paragraphs = (
        texts.fill_lists(texts.LABEL_NEXT)
        .replace("[bold]", "")
        .replace("[/bold]", "")
        .split("\n\n")
    )
    indented = [words for words in paragraphs if words.startswith("  ")]
    assert max(map(len, indented)) < 79
    assert not any("\n" in words.strip() for words in paragraphs)


def test_help_lists_every_rule_without_loading_one():
    from uneven.active import RULES

    told = texts.fill_lists(texts.LABEL_NEXT)
    for name in RULES:
        assert f"  {name}: " in told
    code = "import sys; from uneven.cli.texts import fill_lists; fill_lists(''); "
    code += "sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
