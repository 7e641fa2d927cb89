"""Model files of UnevenClassifier: answers stay, and damaged parts are refused."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.compose import ColumnTransformer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline

from tests.persistence.corpus import VIEWS, codes, fit, table
from uneven import UnevenClassifier
from uneven.persistence.model_file import (
    ModelCard,
    ModelFileError,
    dumps,
    load_model,
    loads,
    save_model,
)
from uneven.persistence.scikit_learn import check_structure


def saved(model, X, y, path):
    names, counts = np.unique(y, return_counts=True)
    save_model(
        model, ModelCard("uneven", "Uneven", "y", names.tolist(), counts.tolist(), [], len(y)), path
    )
    return load_model(path)[0]


def piped(encoder, **words):
    return Pipeline([("encode", encoder), ("classify", UnevenClassifier(random_state=0, **words))])


@pytest.mark.parametrize(
    "words",
    [
        {"members": ["extra_trees"], "measure": "macro_f1"},
        {"members": ["boost", "logistic"], "categorical_features": ["kind"]},
        {"members": ["boost", "landmarks"], "views": VIEWS},
        {"members": ["logistic"], "cost": 1.0 - np.eye(3)},
    ],
)
def test_a_file_answers_as_the_model(words, tmp_path):
    X, y = table()
    model = piped(codes(), **words).fit(X, y)
    again = saved(model, X, y, tmp_path / "m.skops")
    assert np.array_equal(model.predict_proba(X), again.predict_proba(X))
    assert np.array_equal(model.predict(X), again.predict(X))
    assert str(model[-1].explain()) == str(again[-1].explain())


def test_a_sparse_model_is_kept():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], [40, 20])
    X = sp.csr_matrix(rng.poisson(0.3, (60, 12)) * 1.0)
    encoder = ColumnTransformer([("all", "passthrough", list(range(12)))], sparse_threshold=1.0)
    model = piped(encoder).fit(X, y)
    again = loads(dumps(model))
    check_structure(again)
    assert np.array_equal(model.predict_proba(X), again.predict_proba(X))


def test_a_member_that_files_do_not_know_is_refused(tmp_path):
    X, y = table()
    X = X.fillna(0.0)
    model = piped(codes(), members=["logistic", ("bayes", GaussianNB())]).fit(X, y)
    with pytest.raises(ModelFileError, match="GaussianNB"):
        saved(model, X, y, tmp_path / "m.skops")


def member(model, name):
    return next(one for one in model.members_ if one.name == name)


def no_members(model):
    model.members_ = []


def same_names(model):
    model.members_[1].name = model.members_[0].name


def odd_column(model):
    model.members_[0].columns = np.array([0, 1, 2, 9])


def odd_view(model):
    model.members_[0].view = 4


def endless_tree(model):
    member(model, "forest").model.vote._forest.trees.child[0] = 10**6


def nan_coefficient(model):
    member(model, "logistic").model.coef[0, 0] = np.nan


def short_landmarks(model):
    kept = member(model, "landmarks").model
    kept.landmarks = kept.landmarks[:, :1]


def odd_columns_of_numbers(model):
    member(model, "logistic").model.columns.numbers[0] = 77


def no_part(model):
    member(model, "boost").model.parts = []


def lost_mark(model):
    kept = member(model, "boost").model
    kept.seen = kept.seen[:1]


def unseen_part(model):
    member(model, "boost").model.seen[0] = False


def no_trees(model):
    member(model, "forest").model.n_trees = 0


def half_a_tree(model):
    member(model, "forest").model.n_trees = 0.5


def odd_shares_of_a_forest(model):
    member(model, "forest").model.prior *= 2.0


def odd_shares_of_landmarks(model):
    member(model, "landmarks").model.prior *= 2.0


def odd_shares_of_a_classifier(model):
    member(model, "own").model.prior *= 2.0


def no_scale(model):
    member(model, "logistic").model.columns.scale[0] = 0.0


def class_outside(model):
    member(model, "own").model.labels[-1] = 7


def another_class(model):
    kept = member(model, "own").model
    kept.labels = kept.labels[:2]


def one_weight_less(model):
    pool = model.pool_
    model.pool_ = replace(pool, weights=pool.weights[1:], floors=pool.floors[1:])


def no_decision(model):
    model.decision_ = None


def test_damaged_members_of_single_views_are_refused():
    X, y = table()
    X = X.fillna(0.0)
    model = piped(codes(), members=["logistic"], views=VIEWS).fit(X, y)
    kept, pool = model[-1].view_members_, model[-1].view_pool_
    check_structure(model)
    model[-1].view_pool_ = None
    with pytest.raises(ValueError, match="single views without a pool"):
        check_structure(model)
    model[-1].view_pool_, model[-1].view_members_ = pool, kept[1:]
    with pytest.raises(ValueError, match="does not weigh"):
        check_structure(model)
    model[-1].view_members_ = [*kept[1:], replace(kept[0], view=7)]
    with pytest.raises(ValueError, match="reads view 7"):
        check_structure(model)
    del model[-1].view_members_, model[-1].view_pool_
    check_structure(model)


@pytest.mark.parametrize(
    "damage",
    [
        no_members, same_names, odd_column, odd_view, endless_tree, nan_coefficient,
        short_landmarks, odd_columns_of_numbers, no_part, lost_mark, another_class,
        one_weight_less, no_decision, unseen_part, no_trees, half_a_tree, odd_shares_of_a_forest,
        odd_shares_of_landmarks, odd_shares_of_a_classifier, no_scale, class_outside,
    ],
)  # fmt: skip
def test_damaged_parts_are_refused(damage):
    model, _, _ = fit("uneven")
    damage(model[-1])
    with pytest.raises(ValueError, match=r"."):
        check_structure(model)
