"""Columns of fractions are read as numbers at once in large files, with the same result."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from uneven.comparison import csvcells, read_table


def lines(last=""):
    """More than the first look at a file sees, then a last line."""
    rng = np.random.default_rng(0)
    cells = rng.normal(size=30_000).round(4).tolist()
    body = "\n".join(f"{x},{k % 7},{'ab'[k % 2]}" for k, x in enumerate(cells))
    return f"x,n,label\n{body}\n{last}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "last",
    ["", "?,1,a\n", " ,2,b\n", "1e400,2,b\n", "x,n,label\n"],
)
def test_fractions_are_read_as_their_text_would_be(tmp_path, monkeypatch, last):
    path = tmp_path / "large.csv"
    path.write_text(lines(last))
    assert path.stat().st_size > csvcells.SAMPLE_BYTES
    quick = read_table(path, expected=["label"], label="label")
    monkeypatch.setattr(csvcells, "_fraction_columns", lambda data, style: [])
    slow = read_table(path, expected=["label"], label="label")
    pd.testing.assert_frame_equal(quick, slow)
    assert quick.attrs["uneven"]["notes"] == slow.attrs["uneven"]["notes"]


@pytest.mark.slow
def test_fractions_are_found(tmp_path):
    path = tmp_path / "large.csv"
    path.write_text(lines())
    found = read_table(path, expected=["label"], label="label", text_columns=["x"])
    assert isinstance(found["x"].iloc[0], str)
    assert read_table(path, expected=["label"], label="label")["x"].dtype == np.float64
