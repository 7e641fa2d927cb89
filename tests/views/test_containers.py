"""Views out of AnnData and MuData, by what they hold."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from uneven import LateFusionClassifier, MuComboClassifier, UnevenClassifier, join_views


def cells(**modalities):
    names = [f"cell{k}" for k in range(40)]
    parts = {
        name: SimpleNamespace(X=X, obs_names=[names[k] for k in rows])
        for name, (X, rows) in modalities.items()
    }
    return SimpleNamespace(mod=parts, obs_names=names)


def test_tables_of_an_anndata_are_views():
    counts, embedding = sp.random_array((6, 9), density=0.3), np.ones((6, 2))
    data = SimpleNamespace(X=counts, obsm={"pca": embedding}, obs=None)
    X, views = join_views(data)
    assert views == {"X": slice(0, 9), "pca": slice(9, 11)}
    np.testing.assert_array_equal(X.toarray(), np.hstack([counts.toarray(), embedding]))
    assert join_views(SimpleNamespace(X=None, obsm={"pca": embedding}))[1] == {"pca": slice(0, 2)}


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_modalities_are_put_in_the_order_of_the_whole(kind):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    rna, protein = rng.normal(size=(40, 3)) + y[:, None], rng.normal(size=(40, 2)) + 2 * y[:, None]
    rows = rng.permutation(40)[:30]
    X, views = join_views(cells(rna=(kind(rna), range(40)), protein=(kind(protein[rows]), rows)))
    table = X.toarray() if sp.issparse(X) else X
    absent = np.setdiff1d(np.arange(40), rows)
    np.testing.assert_array_equal(table[:, views["rna"]], rna)
    np.testing.assert_array_equal(table[rows][:, views["protein"]], protein[rows])
    assert np.isnan(table[absent][:, views["protein"]]).all()
    model = MuComboClassifier(views=views, n_estimators=5).fit(X, y)
    assert model.score(X, y) > 0.8


def test_what_is_no_container_of_views_is_refused():
    one = np.ones((2, 1))
    with pytest.raises(ValueError, match="rows with the same name"):
        join_views(cells(rna=(one, [3, 3])))
    with pytest.raises(ValueError, match="'stranger', which the whole lacks"):
        join_views(
            SimpleNamespace(
                mod={"rna": SimpleNamespace(X=one[:1], obs_names=["stranger"])}, obs_names=["a"]
            )
        )
    with pytest.raises(ValueError, match="nothing in X and obsm"):
        join_views(SimpleNamespace(X=None, obsm={}))
    with pytest.raises(TypeError, match="needs a mapping"):
        join_views([one])
    with pytest.raises(TypeError, match=r"needs a mapping.* got a DataFrame"):
        join_views(pd.DataFrame(one))
    with pytest.raises(ValueError, match="no modality in mod"):
        join_views(SimpleNamespace(mod={}, obs_names=[]))


@pytest.mark.parametrize("kind", [MuComboClassifier, LateFusionClassifier, UnevenClassifier])
@pytest.mark.parametrize("X", [{"rna": np.eye(2)}, SimpleNamespace(X=np.eye(2), obsm={})])
def test_views_that_are_not_joined_are_refused_as_a_table(kind, X):
    with pytest.raises(TypeError, match=r"views = uneven\.join_views\(X\)"):
        kind().fit(X, [0, 1])


def test_tables_of_an_anndata_that_hide_each_other_or_are_in_another_order_are_refused():
    one, names = np.ones((2, 1)), ["p", "q"]
    with pytest.raises(ValueError, match=r"two tables are called 'X'.*obsm\.pop"):
        join_views(SimpleNamespace(X=one, obsm={"X": 2 * one}))
    assert join_views(SimpleNamespace(X=None, obsm={"X": one}))[1] == {"X": slice(0, 1)}
    frame = pd.DataFrame({"c": [1.0, 2.0]}, index=names)
    for index in (["q", "p"], ["q", "r"]):
        with pytest.raises(ValueError, match=r"index of obsm\['e'\] is not obs_names"):
            join_views(SimpleNamespace(X=one, obsm={"e": frame.set_axis(index)}, obs_names=names))
    for same in (frame, frame.reset_index(drop=True)):
        X, _ = join_views(SimpleNamespace(X=one, obsm={"e": same}, obs_names=pd.Index(names)))
        np.testing.assert_array_equal(X[:, 1], [1, 2])
