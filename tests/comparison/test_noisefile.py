"""Noise matrices in files: every form reads the same, every mistake has its sentence."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from uneven.comparison import InputError
from uneven.comparison.noisefile import (
    read_noise_file,
    read_noise_matrix,
    write_noise_matrix,
)
from uneven.noise import check_noise_matrix

CLASSES = np.array(["cat", "dog", "owl"])
NOISE = np.array([[0.8, 0.1, 0.0], [0.2, 0.6, 0.1], [0.0, 0.3, 0.9]])


@pytest.fixture
def read(tmp_path):
    def call(content, name="noise.csv", classes=CLASSES, **options):
        (tmp_path / name).write_text(content, encoding=options.get("encoding", "utf-8"))
        return read_noise_matrix(tmp_path / name, classes, **options)

    return call


@pytest.mark.parametrize("name", ["n.csv", "n.tsv", "n.json", "n.parquet", "n.txt"])
@pytest.mark.parametrize("classes", [CLASSES, np.array([3, 7, 12]), np.array(["a,b", "ü", '"'])])
def test_what_is_written_is_read_back(tmp_path, name, classes):
    write_noise_matrix(NOISE, classes, tmp_path / name)
    np.testing.assert_array_equal(read_noise_matrix(tmp_path / name, classes), NOISE)


@pytest.mark.parametrize(
    "content",
    [
        "observed,cat,dog,owl\ncat,.8,.1,0\ndog,.2,.6,.1\nowl,0,.3,.9\n",
        ",owl,dog,cat\ndog,.1,.6,.2\ncat,0,.1,.8\nowl,.9,.3,0\n",
        "cat,dog,owl\ncat,.8,.1,0\ndog,.2,.6,.1\nowl,0,.3,.9\n",
        "x;cat;dog;owl\ncat;0,8;0,1;0\ndog;0,2;0,6;0,1\nowl;0;0,3;0,9\n",
        "\tcat\tdog\towl\r\ncat\t8e-1\t.1\t0\r\ndog\t.2\t.6\t.1\r\nowl\t0\t.3\t.9\r\n",
        ".8,.1,0\n.2,.6,.1\n0,.3,.9\n",
        "\ufeff.8;.1;0\n.2;.6;.1\n0;.3;.9",
        "8.0e-01 1.0e-01 0.0e+00\n2.0e-01 6.0e-01 1.0e-01\n0 3.0e-01 9.0e-01\n",
    ],
)
def test_every_form_of_text_reads_the_same(read, content):
    np.testing.assert_allclose(read(content), NOISE)


@pytest.mark.parametrize(
    "content",
    [
        [[0.8, 0.1, 0], [0.2, 0.6, 0.1], [0, 0.3, 0.9]],
        {"dog": {"cat": 0.1, "dog": 0.6, "owl": 0.3}, "cat": {"dog": 0.2, "cat": 0.8}}
        | {"owl": {"owl": 0.9, "dog": 0.1}},
    ],
)
def test_both_forms_of_json(read, content):
    np.testing.assert_allclose(read(json.dumps(content), "noise.json"), NOISE)


def test_bare_numbers_in_parquet(tmp_path):
    pd.DataFrame(NOISE).to_parquet(tmp_path / "n.parquet")
    np.testing.assert_allclose(read_noise_matrix(tmp_path / "n.parquet", CLASSES), NOISE)


@pytest.mark.parametrize("names", [("1", "2"), ("1.0", " 2 "), ("1e0", "2.00")])
def test_numbers_name_classes_however_they_are_spelt(read, names):
    text = f"observed,{names[0]},{names[1]}\n{names[0]},.9,.3\n{names[1]},.1,.7\n"
    np.testing.assert_allclose(read(text, classes=np.array([1, 2])), [[0.9, 0.3], [0.1, 0.7]])


def test_numbers_that_are_text_in_the_table_keep_their_spelling(read):
    with pytest.raises(InputError, match=r"names '1', which no row of the table is labelled"):
        read("observed,1,02\n1,.9,.3\n02,.1,.7\n", classes=np.array(["01", "02"]))


def test_rounded_columns_are_made_whole(read):
    found = read(".333,.1,0\n.333,.6,.1\n.333,.3,.9\n")
    np.testing.assert_allclose(found.sum(axis=0), 1.0, rtol=1e-14)
    np.testing.assert_allclose(found[:, 0], 1 / 3)


def test_encodings_are_followed(read):
    classes = np.array(["là", "où"])
    text = "observed,là,où\nlà,.9,.3\noù,.1,.7\n"
    np.testing.assert_allclose(
        read(text, classes=classes, encoding="latin-1"), [[0.9, 0.3], [0.1, 0.7]]
    )


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("o,cat,dog,owl\ncat,.8,.2,0\ndog,.1,.6,.3\nowl,0,.1,.9\n", "looks transposed.*swap rows"),
        ("o,cat,dog,owl\ncat,.8,.1,0\ndog,.2,.6,.1\nowl,0,.4,.9\n", "class 'dog' sums to 1.1"),
        ("o,cat,dog\ncat,.8,.1\ndog,.2,.9\n", "first column lacks 'owl'"),
        ("o,cat,dgo,owl\ncat,.8,.1,0\ndgo,.2,.6,.1\nowl,0,.3,.9\n", "'dgo'.*did you mean 'dog'"),
        ("o,cat,cat,owl\ncat,.8,.1,0\ndog,.2,.6,.1\nowl,0,.3,.9\n", "first line names 'cat' twice"),
        ("o,cat,dog,owl\ncat,.8,.1,0\ndog,.2,.6,.1\n", "2 rows and 3 columns"),
        ("cat,dog,owl\n.8,.1,0\n.2,.6,.1\n0,.3,.9\n", "3 rows and 2 columns"),
        (".8,.1\n.2,.9\n", "2 x 2 numbers without names, but the table has 3 classes"),
        ("o,cat,dog,owl\ncat,.8,.1\ndog,.2,.6,.1\nowl,0,.3,.9\n", "rows differ in length"),
        ("o,cat,dog,owl\ncat,.8,.1,0\ndog,.2,x,.1\nowl,0,.3,.9\n", "holds 'x'"),
        ("o,cat,dog,owl\ncat,.8,.1,0\ndog,.2,,.1\nowl,0,.3,.9\n", "an empty cell"),
        ("o,cat,dog,owl\ncat,.8,.1,0\ndog,.2,1.2,.1\nowl,0,-.3,.9\n", "probabilities >= 0"),
        ("o,cat,dog,owl\ncat,.8,.1,0\ndog,.2,nan,.1\nowl,0,.3,.9\n", "finite"),
        ("80,10,0\n20,60,10\n0,30,90\n", "columns sum to 100, as percentages do"),
        ("8,1,0\n2,6,1\n0,3,19\n", "whole numbers, as counts are; divide"),
        (".8 .1 0\n.2 .6 .1\n0 .3 .7\n", "class 'owl' sums to 0.8, but the labels"),
        ("", "it is empty"),
        ("\n\n", "only blank lines"),
    ],
)
def test_wrong_matrices(read, content, says):
    with pytest.raises(InputError, match=rf"^--noise-matrix .*noise.csv: .*{says}"):
        read(content)


@pytest.mark.parametrize("content", ["{", "3", '"x"', '{"cat": 1}', "[1, 2]", "{}", "[" * 10**5])
def test_wrong_json(read, content):
    with pytest.raises(InputError, match="JSON file"):
        read(content, "noise.json")


def test_no_file(tmp_path):
    for name in ("no.csv", "no.json", "no.parquet"):
        with pytest.raises(InputError, match=f"{name}: there is no such file"):
            read_noise_matrix(tmp_path / name, CLASSES)
    with pytest.raises(InputError, match="is a folder"):
        read_noise_matrix(tmp_path, CLASSES)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("[]", "no numbers"),
        ("[[], []]", "no numbers"),
        ("[[true, false, false], [false, true, false], [false, false, true]]", "holds 'True'"),
    ],
)
def test_json_without_shares(read, content, says):
    with pytest.raises(InputError, match=says):
        read(content, "noise.json")


@pytest.mark.parametrize("name", ["n.csv", "n.tsv", "n.json", "n.parquet"])
def test_rows_behind_the_matrix_travel_with_it(tmp_path, name):
    rows = np.array([40.0, 7.25, 0.0])
    write_noise_matrix(NOISE, CLASSES, tmp_path / name, rows)
    found = read_noise_file(tmp_path / name, CLASSES)
    np.testing.assert_array_equal(found.matrix, NOISE)
    np.testing.assert_array_equal(found.rows, rows)
    if name == "n.csv":
        frame = pd.read_csv(tmp_path / name, index_col=0)
        np.testing.assert_array_equal(check_noise_matrix(frame, CLASSES), NOISE)


def test_rows_follow_their_columns(read, tmp_path):
    read("observed (rows: 9 6 8),owl,dog,cat\ndog,.1,.6,.2\ncat,0,.1,.8\nowl,.9,.3,0\n")
    found = read_noise_file(tmp_path / "noise.csv", CLASSES)
    np.testing.assert_array_equal(found.rows, [8.0, 6.0, 9.0])


@pytest.mark.parametrize("corner", ["observed", "o (rows: 1 2)", "o (rows: 1 2 e)", "(rows: )"])
def test_rows_that_are_not_told(read, tmp_path, corner):
    read(f"{corner},cat,dog,owl\ncat,.8,.1,0\ndog,.2,.6,.1\nowl,0,.3,.9\n")
    assert read_noise_file(tmp_path / "noise.csv", CLASSES).rows is None


def test_classes_may_be_called_matrix_and_rows(tmp_path):
    classes = np.array(["matrix", "rows"])
    noise = np.array([[0.9, 0.3], [0.1, 0.7]])
    for rows in (None, np.array([5.0, 6.0])):
        write_noise_matrix(noise, classes, tmp_path / "n.json", rows)
        np.testing.assert_array_equal(read_noise_matrix(tmp_path / "n.json", classes), noise)


def test_two_decimals_are_rounding_however_many_classes(read):
    np.testing.assert_allclose(read(".33,.1,0\n.33,.6,.1\n.33,.3,.9\n")[:, 0], 1 / 3)
    column = np.r_[0.8, np.full(9, 0.02)]
    rounded = np.array([np.roll(column, j) for j in range(10)]).T
    found = read("\n".join(",".join(map(str, row)) for row in rounded), classes=np.arange(10))
    np.testing.assert_allclose(found.sum(axis=0), 1.0)
    with pytest.raises(InputError, match="sums to"):
        read(".3,.1,0\n.3,.6,.1\n.33,.3,.9\n")


def test_other_endings_are_not_written(tmp_path):
    with pytest.raises(InputError, match=r"x.xlsx: .xlsx files are not written"):
        write_noise_matrix(NOISE, CLASSES, tmp_path / "x.xlsx")
    assert not list(tmp_path.iterdir())
