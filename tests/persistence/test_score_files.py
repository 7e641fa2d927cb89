"""Model files of votes whose leaves hold scores, and of trees that ask for categories."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from tests.persistence.corpus import codes, table
from tests.persistence.test_model_file import CARD, write
from uneven import BalancedBoostingClassifier, ComboClassifier, MumboClassifier
from uneven.persistence.model_file import ModelFileError, load_model, save_model
from uneven.voters.cost_tree import CategoryTree

MODELS = {
    "scores": ComboClassifier(leaves="scores", n_estimators=3, random_state=0),
    "categories": BalancedBoostingClassifier(
        n_estimators=3, categorical_features=["kind"], random_state=0
    ),
    "views": MumboClassifier(
        leaves="scores", n_estimators=3, random_state=0,
        views={"left": ["a", "b"], "right": ["c", "kind"]},
    ),
}  # fmt: skip
X, Y = table(400)
X["kind"] = np.where(np.arange(len(Y)) % 20 == 0, "other", Y)
X["a"], X["c"] = X["b"], X["b"] ** 2


@pytest.fixture(scope="module")
def fitted():
    return {
        name: Pipeline([("encode", codes()), ("classify", clone(model))]).fit(X, Y)
        for name, model in MODELS.items()
    }


@pytest.fixture
def path(tmp_path):
    return tmp_path / "m.skops"


def copy_of(pipeline):
    return pickle.loads(pickle.dumps(pipeline))


@pytest.mark.parametrize("name", sorted(MODELS))
def test_round_trip(fitted, path, name):
    save_model(fitted[name], CARD, path)
    again = load_model(path)[0]
    mine, other = again[-1], fitted[name][-1]
    assert mine.vote_.has_scores
    assert again.predict_proba(X).tobytes() == fitted[name].predict_proba(X).tobytes()
    assert again.decision_function(X).tobytes() == fitted[name].decision_function(X).tobytes()
    np.testing.assert_array_equal(mine.explain().feature_share, other.explain().feature_share)
    assert mine.temperature_ == other.temperature_
    asked = fitted[name][:-1].transform(X)
    for a, b in zip(mine.staged_predict_proba(asked), other.staged_predict_proba(asked)):
        np.testing.assert_array_equal(a, b)


def test_the_file_of_categories_holds_a_category_tree(fitted):
    assert isinstance(fitted["categories"][-1].vote_._forest.trees, CategoryTree)


DAMAGED_VOTES = [
    ("leaf_scores", lambda v: v[:-1]),
    ("leaf_scores", lambda v: v[:, :2]),
    ("leaf_scores", lambda v: np.where(v == v[0, 0], np.nan, v)),
    ("leaf_scores", lambda v: np.where(v == v[0, 0], np.inf, v)),
    ("leaf_scores", lambda v: v.astype(str)),
    ("leaf_scores", lambda v: v.ravel()),
    ("leaf_scores", lambda v: None),
    ("first_leaf", lambda v: None),
    ("first_leaf", lambda v: v + 1),
    ("first_leaf", lambda v: v[:-1]),
    ("first_leaf", lambda v: v[::-1].copy()),
    ("first_leaf", lambda v: np.where(np.arange(len(v)) == 1, 0, v)),
    ("first_leaf", lambda v: np.where(np.arange(len(v)) == 1, 2, v)),
    ("first_leaf", lambda v: v.astype(float)),
    ("first_leaf", lambda v: v * 1000),
    ("weights", lambda v: v[:-1]),
    ("rounds", lambda v: v + 1),
]


@pytest.mark.parametrize("name", sorted(MODELS))
@pytest.mark.parametrize("number", range(len(DAMAGED_VOTES)))
def test_damaged_scores_are_refused(fitted, path, name, number):
    attribute, change = DAMAGED_VOTES[number]
    copy = copy_of(fitted[name])
    vote = copy[-1].vote_
    setattr(vote, attribute, change(getattr(vote, attribute)))
    write(path, pipeline=copy)
    with pytest.raises(ModelFileError, match="damaged"):
        load_model(path)


DAMAGED_TREES = [
    ("label", 10**6),
    ("label", -1),
    ("child", 10**6),
    ("feature", 4),
    ("set_of", 10**6),
]


@pytest.mark.parametrize(("part", "value"), DAMAGED_TREES)
def test_damaged_category_trees_are_refused(fitted, path, part, value):
    copy = copy_of(fitted["categories"])
    getattr(copy[-1].vote_._forest.trees, part)[0] = value
    write(path, pipeline=copy)
    with pytest.raises(ModelFileError, match="damaged"):
        load_model(path)


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("set_of", lambda v: v.astype(float)),
        ("set_of", lambda v: np.zeros_like(v)),
        ("left_sets", lambda v: v.ravel()),
        ("left_sets", lambda v: v[:0]),
        ("threshold", lambda v: np.full_like(v, np.nan)),
        ("missing_left", lambda v: ~v),
        ("reach", lambda v: -v - 1.0),
    ],
)
def test_damaged_sets_are_refused(fitted, path, part, change):
    copy = copy_of(fitted["categories"])
    trees = copy[-1].vote_._forest.trees
    setattr(trees, part, change(getattr(trees, part)))
    write(path, pipeline=copy)
    with pytest.raises(ModelFileError, match="damaged"):
        load_model(path)


def test_damaged_votes_of_views_are_refused(fitted, path):
    copy = copy_of(fitted["views"])
    copy[-1].view_votes_[1].leaf_scores[0, 0] = np.nan
    write(path, pipeline=copy)
    with pytest.raises(ModelFileError, match="damaged"):
        load_model(path)


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0, 0.0, "warm", None])
def test_a_damaged_temperature_is_refused(fitted, path, value):
    copy = copy_of(fitted["scores"])
    copy[-1].temperature_ = value
    write(path, pipeline=copy)
    with pytest.raises(ModelFileError, match="damaged"):
        load_model(path)


def test_files_from_before_scores_have_none(fitted, path):
    """A vote of weights has neither leaf scores nor their places."""
    hard = Pipeline([("encode", codes()), ("classify", ComboClassifier(n_estimators=2))])
    hard.fit(X, Y)
    assert "leaf_scores" not in vars(hard[-1].vote_)
    save_model(hard, CARD, path)
    assert not load_model(path)[0][-1].vote_.has_scores
