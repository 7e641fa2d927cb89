"""Each wrong input: one line that says what, exit code 2, nothing left behind."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
import pytest

from tests.cli.conftest import files_in

RNG = np.random.default_rng(0)
LABELS = ["a", "b"] * 20


def _csv(columns):
    return pd.DataFrame(columns).to_csv(index=False)


CONTENT = {
    "empty.csv": "",
    "blank.csv": "\n\n\n",
    "header.csv": "x,label\n",
    "ragged.csv": "x,label\n1,a\n2,b,3\n",
    "late_ragged.csv": "x,label\n" + "123456789,a\n" * 30_000 + "1,a,2\n",
    "unclosed.csv": 'x,label\n1,"a\n2,b\n',
    "binary.csv": b"\x00\x01\x02\x03" * 20,
    "broken.parquet": "not parquet",
    "twice.csv": "x,label,label\n1,a,a\n",
    "only_label.csv": "label\na\nb\n",
    "one_class.csv": _csv({"x": range(40), "label": ["a"] * 40}),
    "no_label.csv": _csv({"x": range(40), "label": [None] * 40}),
    "regression.csv": _csv({"x": RNG.normal(size=40), "label": RNG.normal(size=40)}),
    "count.csv": _csv({"x": RNG.normal(size=80), "label": range(80)}),
    "infinite.csv": _csv({"x": [1.0, np.inf] * 20, "label": LABELS}),
    "lonely.csv": _csv({"x": range(3), "label": ["a", "b", "c"]}),
}


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("empty.csv", "is empty"),
        ("blank.csv", "blank lines"),
        ("header.csv", "no rows"),
        ("ragged.csv", "row 3 has 3 fields, the first line has 2"),
        ("late_ragged.csv", "Expected 2 fields in line 30002, saw 3"),
        ("unclosed.csv", "broken CSV"),
        ("binary.csv", "not text"),
        ("broken.parquet", "not a readable Parquet file"),
        ("twice.csv", "same name: 'label'"),
        ("only_label.csv", "no column left"),
        ("one_class.csv", "a single class ('a')"),
        ("no_label.csv", "empty in all 40 rows"),
        ("regression.csv", "looks like regression"),
        ("count.csv", "looks like regression"),
        ("infinite.csv", "column 'x' holds infinite values"),
        ("lonely.csv", "no class of lonely.csv has two rows"),
    ],
)
def test_wrong_tables(uneven, tmp_path, name, says):
    content = CONTENT[name]
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    before = files_in(tmp_path)
    done = uneven("compare", name, "--target", "label")
    assert done.code == 2
    assert says in done.complaint
    assert done.out == ""
    assert files_in(tmp_path) == before


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--target", "lable"], "did you mean 'label'?"),
        (["--target", "label", "--methods", "combi"], "did you mean 'combo'?"),
        (["--target", "label", "--methods", ","], "no method was named"),
        (["--target", "label", "--metric", "gmaen"], "did you mean 'gmean'?"),
        (["--target", "label", "--drop", "soud__noise"], "did you mean 'sound__noise'?"),
        (["--target", "label", "--keep", "nothing"], "--keep 'nothing' is not a column"),
        (["--target", "label", "--cv", "1"], "at least 2 folds"),
        (["--target", "label", "--cv", "many"], "--cv"),
        (["--target", "label", "--rounds", "0"], "--rounds"),
        (["--target", "label", "--seed", "99999999999"], "--seed"),
        (["--target", "label", "--max-depth", "31"], "--max-depth"),
        (["--target", "label", "--n-jobs", "0"], "must not be 0"),
        (["--target", "label", "--colour"], "--colour"),
        (["--target", "label", "--views", "none.toml"], "no such file"),
        (["--target", "label", "--views", "bad.toml"], "not a TOML file"),
        (["--target", "label", "--views", "other.toml"], "no table [views]"),
        (["--target", "label", "--views", "unknown.toml"], "no feature column matches 'video*'"),
        (["--target", "label", "--encoding", "klingon"], "unknown encoding"),
        (["--target", "label", "--out", "table.csv"], "is a file"),
        (["--target", "label", "--out", "table.csv/report"], "is a file"),
        (["--target", "label", "--demo"], "leave out TABLE, --target."),
        ([], "--target"),
    ],
)
def test_wrong_options(uneven, table, tmp_path, options, says):
    (tmp_path / "bad.toml").write_text("[views")
    (tmp_path / "other.toml").write_text("text = 1")
    (tmp_path / "unknown.toml").write_text('[views]\na = "video*"')
    before = files_in(tmp_path)
    done = uneven("compare", table, *options)
    assert done.code == 2
    assert says in done.complaint
    assert files_in(tmp_path) == before


def test_no_table(uneven):
    assert "TABLE" in uneven("compare").complaint
    assert "no file nowhere.csv" in uneven("compare", "nowhere.csv", "-t", "y").complaint
    assert "is a folder" in uneven("compare", ".", "-t", "y").complaint


@pytest.mark.parametrize("option", ["--target", "--views", "--drop", "--keep"])
def test_demo_takes_no_table_options(uneven, option):
    done = uneven("compare", "--demo", option, "prefix")
    assert done.code == 2
    assert f"takes no table options; leave out {option}." in done.complaint


def test_a_folder_in_the_way_is_noticed_before_the_work(uneven, table, tmp_path, monkeypatch):
    from uneven.comparison import plan

    monkeypatch.setattr(plan, "cross_validate", lambda *_args, **_kwargs: 1 / 0)
    (tmp_path / "keep" / "report.html").mkdir(parents=True)
    before = files_in(tmp_path)
    done = uneven("compare", table, "-t", "label", "--out", "keep")
    assert done.code == 2
    assert "report.html is a folder" in done.complaint
    assert files_in(tmp_path) == before


def test_fit_checks_its_options(uneven, table, tmp_path):
    before = files_in(tmp_path)
    for option in (["--max-depth", "99"], ["--seed", str(2**32)], ["--n-jobs", "0"]):
        done = uneven("fit", table, "-t", "label", *option)
        assert done.code == 2
        assert option[0] in done.complaint
    assert files_in(tmp_path) == before


def test_views_by_prefix_need_prefixes(uneven, table, tmp_path, frame):
    frame.assign(bare=frame["text__length"] ** 2).to_csv(table, index=False)
    done = uneven("compare", table, "-t", "label", "--views", "prefix")
    assert done.code == 2
    assert "'bare'" in done.complaint


def test_unwritable_folder_is_noticed_before_the_work(uneven, table, tmp_path, monkeypatch):
    from uneven.comparison import plan
    from uneven.utils import files as atomic

    def never(*_args, **_kwargs):
        raise AssertionError("cross-validation was started")

    monkeypatch.setattr(plan, "cross_validate", never)
    known = os.access
    monkeypatch.setattr(
        atomic.os, "access", lambda path, mode: mode == os.R_OK and known(path, mode)
    )
    done = uneven("compare", table, "-t", "label")
    assert done.code == 2
    assert "may not be written to" in done.complaint


def test_debug_shows_the_traceback(uneven):
    done = uneven("compare", "nowhere.csv", "-t", "y", "--debug")
    assert done.code == 2
    assert "Traceback" in done.err


def test_unexpected_failures_have_their_own_code(uneven, table, monkeypatch):
    from uneven.comparison import problem

    def surprise(*_args, **_kwargs):
        raise RuntimeError("boom")

    monkeypatch.setattr(problem, "read_table", surprise)
    done = uneven("compare", table, "-t", "label")
    assert done.code == 1
    assert "unexpected RuntimeError: boom" in done.complaint
