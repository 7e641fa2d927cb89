"""The same rows in every format: one model, the same figures, the same answers."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import sys
import zipfile
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from tests.cli.conftest import make_frame
from uneven.comparison import formats


def zipped(data: bytes, path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("table.csv", data)


def zstandard(data: bytes, path: Path) -> None:
    with pa.CompressedOutputStream(str(path), "zstd") as stream:
        stream.write(data)


PACKED = {
    "table.zip": zipped,
    "table.csv.zst": zstandard,
    "table.csv.gz": lambda data, path: path.write_bytes(gzip.compress(data)),
    "table.csv.bz2": lambda data, path: path.write_bytes(bz2.compress(data)),
    "table.csv.xz": lambda data, path: path.write_bytes(lzma.compress(data)),
    "table.tsv": lambda data, path: path.write_bytes(data.replace(b",", b"\t")),
    "utf_16.csv": lambda data, path: path.write_bytes(data.decode().encode("utf-16")),
}
WRITTEN = {
    "table.parquet": lambda frame, path: frame.to_parquet(path),
    "table.feather": lambda frame, path: frame.to_feather(path),
    "table.xlsx": lambda frame, path: frame.to_excel(path, index=False),
    "table.jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "table.json": lambda frame, path: frame.to_json(path, orient="records"),
    "columns.json": lambda frame, path: frame.to_json(path),
    "split.json": lambda frame, path: frame.to_json(path, orient="split"),
}
MODEL = ("-t", "label", "--method", "combo", "--rounds", 3, "--n-jobs", 1)
COMPARED = ("-t", "label", "--methods", "combo", "--rounds", 3, "--cv", 2, "--no-diagnosis")


def figures(folder: str) -> object:
    told = json.loads(Path(folder, "results.json").read_text(encoding="utf-8"))
    return [one["scores"] for one in told["methods"]]


@pytest.fixture
def tables(tmp_path) -> pd.DataFrame:
    frame = make_frame().drop(columns="text__length")
    frame.to_csv(tmp_path / "table.csv", index=False)
    data = (tmp_path / "table.csv").read_bytes()
    for name, pack in PACKED.items():
        pack(data, tmp_path / name)
    for name, write in WRITTEN.items():
        write(frame, tmp_path / name)
    return frame


@pytest.mark.slow
def test_every_format_gives_the_same_model_answers_and_figures(uneven, tables):
    assert uneven("fit", "table.csv", *MODEL).code == 0
    assert uneven("predict", "model.skops", "table.csv", "-o", "answers.csv").code == 0
    assert uneven("compare", "table.csv", *COMPARED, "--out", "found").code == 0
    answers, found = pd.read_csv("answers.csv"), figures("found")
    assert uneven("predict", "model.skops", "table.csv", "-o", "answers.tsv").code == 0
    pd.testing.assert_frame_equal(pd.read_csv("answers.tsv", sep="\t"), answers)
    for name in (*PACKED, *WRITTEN):
        done = uneven("predict", "model.skops", name, "-o", "others.csv")
        assert done.code == 0, (name, done.err)
        pd.testing.assert_frame_equal(pd.read_csv("others.csv"), answers)
        done = uneven("compare", name, *COMPARED, "--out", "other")
        assert done.code == 0, (name, done.err)
        assert figures("other") == found, name


@pytest.mark.parametrize("name", ["table.csv", "table.tsv", "table.csv.gz", "table.parquet"])
def test_standard_input_is_read_by_all_commands(uneven, tables, tmp_path, monkeypatch, name):
    def piped(*words):
        stream = io.TextIOWrapper(io.BytesIO((tmp_path / name).read_bytes()))
        monkeypatch.setattr(sys, "stdin", stream)
        formats._standard_input.cache_clear()
        done = uneven(*words)
        formats._standard_input.cache_clear()
        assert done.code == 0, done.err

    piped("fit", "-", *MODEL)
    piped("predict", "model.skops", "-", "-o", "piped.csv")
    piped("explain", "model.skops", "-", "--row", 2)
    assert uneven("predict", "model.skops", "table.csv", "-o", "answers.csv").code == 0
    pd.testing.assert_frame_equal(pd.read_csv("piped.csv"), pd.read_csv("answers.csv"))
