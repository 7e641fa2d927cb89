"""The benchmark of methods for rare classes: what is run, kept, and shown."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import Bunch

from benchmarks import norm, norm_tables
from uneven_published.norm import tables
from uneven_published.norm.methods import METHODS, PEERS, Method


def _blobs(context, seed=0):
    X, y = make_blobs([40, 12], centers=None, cluster_std=1.0, random_state=seed)
    return Bunch(data=X, target=y)


def _others(context):
    return _blobs(context, seed=1)


def bayes(X, y, seed):
    return GaussianNB()


def guess(X, y, seed):
    return DummyClassifier(strategy="stratified", random_state=seed)


@pytest.fixture
def tiny(monkeypatch):
    methods = {norm_tables.FOREST: Method(guess), "Bayes": Method(bayes)}
    monkeypatch.setattr(norm, "GROUPS", {"report": {"one": _blobs, "two": _others}})
    for module in (norm, tables):
        monkeypatch.setattr(module, "METHODS", methods)


@pytest.mark.usefixtures("tiny")
def test_a_run_goes_on_where_it_was_and_is_shown(tmp_path, capsys):
    words = ["--repeats", "1", "--out", str(tmp_path)]
    norm.main([*words, "--methods", "Bayes", "--tables", "one"])
    (first,) = tmp_path.glob("*/*/*.json")
    before = first.stat().st_mtime_ns
    norm.main([*words, "--beside", "Bayes", "--rows", "norm"])
    assert first.stat().st_mtime_ns == before
    assert len([*tmp_path.glob("*/*/*.json")]) == 4
    told = capsys.readouterr().out
    assert "4 of 4 cells are finished" in told
    assert "means over 2 tables" in told
    assert "Bayes: wins-losses" in told
    assert "fit | predict, fits below 5000 rows" in told
    assert "from 5000 rows" not in told
    norm.main([*words, "--kept", "--repeats", "3"])
    assert "4 of 12 cells are finished" in capsys.readouterr().out


@pytest.mark.usefixtures("tiny")
def test_nothing_to_compare_yet(tmp_path, capsys):
    norm.main(["--out", str(tmp_path), "--kept"])
    assert "nothing to compare yet" in capsys.readouterr().out


def test_words():
    found = norm.parse(["--methods", "peers", "CoMBo", "--tables", "Hawks", "Spam", "--jobs", "2"])
    assert set(PEERS) | {"CoMBo"} <= {*found.methods}
    exhibit = norm.part_of(found.group, found.tables, found.methods, folds=5, repeats=2)
    assert exhibit.columns == tuple(name for name in METHODS if name in (*PEERS, "CoMBo"))
    assert [item.name for item in exhibit.studies[0].items] == ["Hawks", "Spam"]
    assert exhibit.studies[0].repeats == 2


@pytest.mark.parametrize("words", [["--tables", "Nowhere"], ["--rows", "beauty"]])
def test_strange_words_are_refused(words, capsys):
    with pytest.raises(SystemExit):
        norm.parse(words)
    assert words[1] in capsys.readouterr().err


def test_time_ratios_are_medians_over_tables():
    cells = [
        (row, {column: {"processor": [seconds]}})
        for row, times in {"x": (1.0, 2.0), "y": (2.0, 2.0), "z": (1.0, 9.0)}.items()
        for column, seconds in zip(("A", "B"), times)
    ]
    measured = norm.Measured.gather(cells, [0] * len(cells))
    found = norm_tables._time_ratios(measured, "A", "processor")
    assert found == {"A": 1.0, "B": 2.0}
    assert norm_tables._time_ratios(measured, "C", "processor") == {}
    assert np.isfinite(list(found.values())).all()
