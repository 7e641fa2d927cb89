from __future__ import annotations

import csv
import gzip
import io
import zipfile

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uneven.comparison import InputError, Schema, read_table
from uneven.comparison.csvstyle import guess_style
from uneven.comparison.problem import read_problem


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separators(tmp_path, separator):
    path = tmp_path / "t.csv"
    rows = [["name", "size"], ["a, b; c", "1.5"], ["d", "2.5"]]
    lines = [separator.join(f'"{cell}"' for cell in row) for row in rows]
    path.write_text("\n".join(lines), encoding="utf-8")
    frame = read_table(path)
    assert list(frame) == ["name", "size"]
    assert frame["name"].tolist() == ["a, b; c", "d"]
    assert frame["size"].tolist() == [1.5, 2.5]


@given(
    st.lists(
        st.tuples(st.integers(-999, 999), st.sampled_from(["a", "b|c", "d e"])),
        min_size=1,
        max_size=20,
    ),
    st.sampled_from([",", ";", "\t"]),
)
def test_style_of_any_small_table(rows, separator):
    lines = ["number" + separator + "text", *(f"{n}{separator}{t}" for n, t in rows)]
    style = guess_style("\n".join(lines))
    assert style.separator == separator
    assert style.names == ("number", "text")
    assert style.has_header


def test_text_with_commas_does_not_hide_semicolons():
    rows = "10:11;Dec 16, 2023 at 10:11 AM;16.12.2023, 10:11;a\n" * 20
    assert guess_style("time;us;outlook;label\n" + rows, ["label"]).separator == ";"
    wide = "16.12.2023, 10:11;16th of December;a;Dec 16, 2023 at 10:11 AM\n" * 20
    assert guess_style("outlook;said;label;us\n" + wide).separator == ";"


def test_decimal_comma(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x;label\n1,5;a\n-2,25;b\n")
    assert read_table(path)["x"].tolist() == [1.5, -2.25]


def test_points_and_commas_together_stay_text(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x;y\n1,5;1.5\n2,5;2.5\n")
    frame = read_table(path)
    assert frame["y"].tolist() == [1.5, 2.5]
    assert frame["x"].tolist() == ["1,5", "2,5"]


def test_file_without_header(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("5.1,3.5,setosa\n4.9,3.0,virginica\n")
    frame = read_table(path)
    assert list(frame) == ["column_1", "column_2", "column_3"]
    assert len(frame) == 2


def test_numeric_names_are_a_header_if_the_target_is_among_them(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("0,1,label\n7,8,a\n9,9,b\n")
    assert list(read_table(path, expected=["label"])) == ["0", "1", "label"]
    assert list(read_table(path)) == ["column_1", "column_2", "column_3"]


def test_byte_order_mark_unnamed_column_and_gzip(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress("\ufeff,label\n1,a\n2,b\n".encode()))
    assert list(read_table(path)) == ["column_1", "label"]


def test_encoding_by_name(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("x,nom\n1,déjà\n".encode("latin-1"))
    assert read_table(path, encoding="latin-1")["nom"].tolist() == ["déjà"]
    with pytest.raises(InputError, match="0xe9"):
        read_table(path, encoding="utf-8")
    frame = read_table(path)
    assert frame["nom"].tolist() == ["déjà"]
    assert "encoding cp1252" in frame.attrs["uneven"]["notes"][0]


def test_bad_bytes_far_down(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"x,label\n" + b"12345,abcdefgh\n" * 40_000 + b"1,\xe9\n")
    with pytest.raises(InputError, match=r"0xe9.*--encoding"):
        read_table(path, encoding="utf-8")
    assert read_table(path)["label"].iloc[-1] == "é"


def test_text_columns_stay_text(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("code,x\n007,1\n010,2\n")
    assert read_table(path, text_columns=["code"])["code"].tolist() == ["007", "010"]
    assert read_table(path)["code"].tolist() == ["007", "010"]


def test_parquet(tmp_path):
    frame = pd.DataFrame({"x": [1, 2], "label": ["a", "b"]}, index=[5, 9])
    frame.to_parquet(tmp_path / "t.parquet")
    read = read_table(tmp_path / "t.parquet")
    assert read.index.tolist() == [0, 1]
    assert list(read) == ["x", "label"]


@pytest.mark.parametrize("shift", [0, 1])
def test_sample_is_not_cut_inside_a_letter(tmp_path, shift):
    path = tmp_path / "t.csv"
    line = "é" * 1000 + ",1\n"
    path.write_text("a" * shift + "b,c\n" + line * 200, encoding="utf-8")
    assert read_table(path).shape == (200, 2)


def test_named_index_levels_of_parquet_are_columns(tmp_path):
    index = pd.MultiIndex.from_tuples([("n", 1), ("s", 2)], names=["site", None])
    frame = pd.DataFrame({"x": [1, 2]}, index=index)
    frame.to_parquet(tmp_path / "t.parquet")
    read = read_table(tmp_path / "t.parquet")
    assert list(read) == ["site", "x"]
    assert read["site"].tolist() == ["n", "s"]
    frame.rename_axis(["x", None]).to_parquet(tmp_path / "t.parquet")
    read = read_table(tmp_path / "t.parquet")
    assert list(read) == ["x", "x (2)"]
    assert "the second is called 'x (2)'" in read.attrs["uneven"]["notes"][0]
    with pytest.raises(InputError, match="same name: 'x'"):
        read_table(tmp_path / "t.parquet", label="x")


def test_words_for_missing(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "number;word;truth;day;label\n1,5;NA;True;2024-01-31;None\nNA;x;NaN;null;a\n;;false;;\n"
    )
    table = read_table(path, label="label")
    assert table["label"].tolist()[:2] == ["None", "a"]
    frame = Schema.of(table[["number", "word", "truth", "day"]]).convert(table)
    assert frame["number"].tolist()[0] == 1.5
    assert frame["number"].isna().tolist() == [False, True, True]
    assert frame["word"].tolist()[:2] == ["NA", "x"]
    assert frame["truth"].tolist()[::2] == [1.0, 0.0]
    assert frame["day"].isna().tolist() == [False, True, True]
    assert frame.isna().sum().tolist() == [2, 1, 1, 2]


def test_label_numbers_are_not_rounded(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,label\n1,9007199254740993\n2,9007199254740992\n3,\n")
    frame = read_table(path, label="label")
    assert frame["label"].tolist()[:2] == [2**53 + 1, 2**53]
    path.write_text("x;label\n1;0,5\n2;1,5\n")
    assert read_table(path, label="label")["label"].tolist() == [0.5, 1.5]


def test_carriage_returns_end_lines(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("x,label\r1,é\r2,b\r".encode() + "12345,éé\r".encode() * 40_000)
    frame = read_table(path)
    assert list(frame) == ["x", "label"]
    assert frame.shape == (40_002, 2)


def test_long_cells_and_the_limit_of_the_csv_module(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(f"x,label\n{'w' * 200_000},a\nv,b\n")
    usual = csv.field_size_limit()
    assert read_table(path)["x"].str.len().tolist() == [200_000, 1]
    assert csv.field_size_limit() == usual


@pytest.mark.parametrize("rows", [1, 40_000])
def test_short_lines_are_refused(tmp_path, rows):
    path = tmp_path / "t.csv"
    path.write_text("x,y,label\n" + "1,2,abcdefgh\n" * rows + "\n1,2\n1,2,a\n")
    with pytest.raises(InputError, match=f"line {rows + 3} has 2 fields, the first line has 3"):
        read_table(path)
    path.write_text("x,y,label\n1,2,\n\n1,2,a\n\n")
    assert read_table(path).shape == (2, 3)


def test_broken_gzip_body(tmp_path):
    path = tmp_path / "t.csv.gz"
    text = "".join(f"{hash((i, 1))},{i}\n" for i in range(60_000))
    raw = bytearray(gzip.compress(("x,label\n" + text).encode()))
    for start in (20, len(raw) - 2000):
        broken = raw[:start] + b"\xff" * 400 + raw[start + 400 :]
        path.write_bytes(broken)
        with pytest.raises(InputError, match="not a readable gzip file"):
            read_table(path)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("below", "rows"),
    [
        (",,\nSource: us,,\n", 6),
        (",,\nSource: us,,\nas of May,,\n\n", 6),
        ("\nSource: us,,\n", 6),
        ("Source: us,,\n", 7),
        (",,\nx6,,y\n", 8),
        (",,\n", 7),
    ],
)
def test_remarks_below_an_empty_row_are_no_rows(tmp_path, below, rows, end):
    table = "a,b,c\n" + "".join(f"x{i},{i},y\n" for i in range(6))
    (tmp_path / "t.csv").write_bytes((table + below).replace("\n", end).encode())
    frame = read_table(tmp_path / "t.csv")
    assert len(frame) == rows
    assert frame["a"].tolist()[:6] == [f"x{i}" for i in range(6)]


def test_a_zip_file_that_lacks_a_byte_anywhere_is_read_or_refused(tmp_path):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("table.csv", "a,b\n1,x\n2,y\n")
    whole, path = packed.getvalue(), tmp_path / "table.zip"
    refused = 0
    for lost in range(4, len(whole)):
        path.write_bytes(whole[:lost] + whole[lost + 1 :])
        try:
            assert list(read_table(path).columns) == ["a", "b"]
        except InputError:
            refused += 1
    assert refused > len(whole) / 2


def test_a_quote_that_swallows_whole_lines_is_pointed_out(tmp_path):
    rows = [f"{k},{k % 7},{'yes' if k % 2 else 'no'}" for k in range(30)]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["size,kind,label", '50,"3,yes', "51,4,no", '52,5",no', *rows]))
    assert any("goes over 3 lines" in note for note in read_problem(path, "label").notes)


def test_a_workbook_of_names_alone_has_no_rows_and_a_damaged_one_is_refused(tmp_path):
    path = tmp_path / "book.xlsx"
    pd.DataFrame(columns=["x", "label"]).to_excel(path, index=False)
    with pytest.raises(InputError, match="has column names but no rows"):
        read_table(path)
    pd.DataFrame({"x": [1, 2], "label": ["a", "b"]}).to_excel(path, index=False)
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    sheet = parts["xl/worksheets/sheet1.xml"]
    for damaged in (sheet[: len(sheet) // 2], b"<a/>"):
        with zipfile.ZipFile(path, "w") as book:
            for name, part in (parts | {"xl/worksheets/sheet1.xml": damaged}).items():
                book.writestr(name, part)
        with pytest.raises(InputError, match=r"not a readable workbook|is empty"):
            read_table(path)
