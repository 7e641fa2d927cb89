"""Classifiers of other packages beside ours."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from uneven import compare
from uneven.cli import run
from uneven.comparison import METHODS, InputError, Settings, choose_methods, default_methods
from uneven.comparison import peers as peers_module
from uneven.comparison.peers import MAKERS, PeerClassifier, is_installed

PACKAGES = [name for name in MAKERS if is_installed(name)]
QUICK = {"refit": False, "diagnosis": False, "cv": 2, "rounds": 5}


def table(n=150, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat(["c", "a", "b"], [n // 3 * 2, n // 5, n - n // 3 * 2 - n // 5])
    X = rng.normal(size=(n, 3)) + 2.0 * np.eye(3)[np.searchsorted(["a", "b", "c"], y)]
    return X, y


@pytest.mark.parametrize("package", PACKAGES)
def test_peers_take_text_labels_gaps_and_sparse_tables(package):
    X, y = table()
    holes = X.copy()
    holes[::7, 1] = np.nan
    for given in (X, holes, sp.csr_array(X), pd.DataFrame(X, columns=["[x]", "<y>", "z,"])):
        model = PeerClassifier(package, random_state=0).fit(given, y)
        said = model.predict_proba(given)
        assert said.shape == (len(y), 3)
        np.testing.assert_allclose(said.sum(axis=1), 1.0)
        assert (model.predict(given) == y).mean() > 0.8
    again = PeerClassifier(package, random_state=0).fit(X, y).predict_proba(X)
    assert np.array_equal(again, PeerClassifier(package, random_state=0).fit(X, y).predict_proba(X))


def test_the_forest_divides_by_the_prior():
    X, y = table(400)
    model = METHODS["prior_forest"].make(Settings()).fit(X, y)
    shares = np.unique(y, return_counts=True)[1] / len(y)
    expected = model.estimator_.predict_proba(X) / shares
    agree = model.predict(X) == model.classes_[expected.argmax(axis=1)]
    assert agree.mean() > 0.99


def test_without_its_package_a_peer_is_left_out_and_named_with_a_hint(monkeypatch):
    monkeypatch.setattr(peers_module, "find_spec", lambda name: None)
    names = default_methods(several_views=False)
    assert "prior_forest" in names
    assert not {"lightgbm", "xgboost", "catboost", "balanced_forest"} & set(names)
    with pytest.raises(InputError, match="lightgbm is not installed: pip install lightgbm"):
        choose_methods(["lightgbm"])


@pytest.mark.skipif("xgboost" not in PACKAGES, reason="needs xgboost")
def test_a_peer_that_wins_is_not_in_the_model_file(tmp_path, capsys):
    X, y = table(90)
    path, out = tmp_path / "t.csv", tmp_path / "o"
    pd.DataFrame(X, columns=list("xyz")).assign(label=y).to_csv(path, index=False)
    words = ["--cv", "2", "--rounds", "1", "--max-depth", "1", "--metric", "accuracy"]
    words += ["--no-diagnosis", "--out", str(out), "--methods"]
    assert run(["compare", str(path), "-t", "label", *words, "xgboost,combo"]) == 0
    assert "(CoMBo; XGBoost is from another package" in " ".join(capsys.readouterr().out.split())
    assert run(["predict", str(out / "model.skops"), str(path), "-o", str(tmp_path / "p.csv")]) == 0
    weak = QUICK | {"rounds": 1, "max_depth": 1, "metric": "accuracy"}
    found = compare(path, "label", methods=["xgboost", "combo"], **weak)
    assert found.best_ == "xgboost"
    assert (found.best_model().predict(path) == y).mean() > 0.9
    assert run(["compare", str(path), "-t", "label", *words[:-3], "--methods", "xgboost"]) == 0
    assert "none: XGBoost is from another package" in " ".join(capsys.readouterr().out.split())
    assert run(["fit", str(path), "-t", "label", "--method", "xgboost"]) == 2
    assert "Name another method" in " ".join(capsys.readouterr().err.split())
