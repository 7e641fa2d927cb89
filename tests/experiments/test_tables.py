from __future__ import annotations

import gzip

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uneven.experiments import InputError, read_table
from uneven.experiments.tables import guess_style


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
        read_table(path)


def test_bad_bytes_far_down(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"x,label\n" + b"12345,abcdefgh\n" * 40_000 + b"1,\xe9\n")
    with pytest.raises(InputError, match=r"0xe9.*--encoding"):
        read_table(path)


def test_text_columns_stay_text(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("code,x\n007,1\n010,2\n")
    assert read_table(path, text_columns=["code"])["code"].tolist() == ["007", "010"]
    assert read_table(path)["code"].tolist() == [7, 10]


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
