"""Stacks in model files: kept whole, without level-1 scores, and checked when they are read."""

import copy

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from uneven import ComboClassifier, MarginStackingClassifier
from uneven.persistence.model_file import ModelCard, ModelFileError, load_model, save_model
from uneven.persistence.scikit_learn import check_structure

X, Y = load_wine(return_X_y=True)
CARD = ModelCard("stack", "Stack", "kind", ["0", "1", "2"], [59, 71, 48], [], len(Y))


def members():
    scaled = make_pipeline(
        ColumnTransformer([("scale", StandardScaler(), slice(0, 13))]), LogisticRegression(C=0.1)
    )
    return [
        ("combo", ComboClassifier(n_estimators=3), [0, 5, 6]),
        ("forest", RandomForestClassifier(n_estimators=3, random_state=0)),
        ("linear", scaled),
    ]


def stack_pipeline(**words):
    stack = MarginStackingClassifier(members(), strength=1e-3, cv=2, random_state=0)
    same = ColumnTransformer([("all", "passthrough", slice(0, 13))])
    return Pipeline([("same", same), ("stack", stack.set_params(**words))]).fit(X, Y)


@pytest.fixture(scope="module")
def whole():
    return stack_pipeline()


@pytest.fixture
def fitted(whole):
    return copy.deepcopy(whole)


@pytest.mark.parametrize(
    "words",
    [
        {},
        {"kernel": "rbf", "penalty": "l2"},
        {"strength": 100.0},
        {"combination": "lsg"},
        {"class_weight": "balanced", "elastic": 0.5},
        {"class_weight": {0: 2.0, 1: 3}, "select_then_refit": True, "strength": "cv"},
    ],
)
@pytest.mark.filterwarnings("ignore:the strength 100")
def test_stacks_come_back_from_files(tmp_path, words):
    pipeline = stack_pipeline(**words)
    save_model(pipeline, CARD, tmp_path / "m.skops")
    back, _ = load_model(tmp_path / "m.skops")
    assert np.array_equal(back.predict_proba(X), pipeline.predict_proba(X))
    assert back[-1].selected_ == pipeline[-1].selected_
    assert hasattr(pipeline[-1], "level_one_")
    assert not hasattr(back[-1], "level_one_")
    with pytest.raises(ValueError, match=r"with a kernel|fit with keep_level_one=True"):
        back[-1].path()


def test_members_of_unknown_kinds_are_not_saved(tmp_path):
    pipeline = stack_pipeline(estimators=[("bayes", GaussianNB())])
    with pytest.raises(ModelFileError, match="its classifier is a GaussianNB"):
        save_model(pipeline, CARD, tmp_path / "m.skops")
    inner = MarginStackingClassifier(members(), strength=1e-3, cv=2, keep_level_one=False)
    with pytest.raises(ModelFileError, match="its stack holds a MarginStackingClassifier"):
        save_model(stack_pipeline(estimators=[("stack", inner)]), CARD, tmp_path / "m.skops")
    assert not list(tmp_path.iterdir())


def forge(stack, what):
    member = stack.estimators_[0]
    if what == "tree":
        member = stack.estimators_[[m.name for m in stack.estimators_].index("combo")]
        member.model.vote_.terms()[0].voter.feature[:] = 10**6
    elif what == "columns":
        object.__setattr__(member, "columns", np.array([0, 99]))
    elif what == "labels":
        object.__setattr__(member, "labels", np.array([0, 1, 7]))
    elif what == "scale":
        object.__setattr__(member, "scale", 0.0)
    elif what == "weights":
        stack.combiner_.linear.coef = stack.combiner_.linear.coef[:1]
    elif what == "nan":
        stack.combiner_.linear.coef[0, 0] = np.nan
    elif what == "combination":
        stack.combiner_.linear.combination = "sum"
    elif what == "mask":
        stack.selected_mask_ = ~stack.selected_mask_
    elif what == "temperature":
        stack.temperature_ = 0.0
    elif what == "prior":
        stack.class_prior_ = np.ones(3)
    elif what == "classes":
        object.__setattr__(member, "labels", np.array([0, 2, 1]))
    else:
        stack.estimators_[0] = what


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("tree", "points to column"),
        ("columns", "points to column 99"),
        ("labels", "points to class 7"),
        ("scale", "have the scale 0.0"),
        ("weights", "its weights are not"),
        ("nan", "hold a number that cannot be"),
        ("combination", "joined by 'sum'"),
        ("mask", "members, but has"),
        ("temperature", "its temperature is 0.0"),
        ("prior", "do not add up to 1"),
        ("classes", "knows other classes"),
        ("something", "stands where a member should be"),
    ],
)
def test_forged_stacks_are_refused(fitted, what, words):
    check_structure(fitted)
    forge(fitted[-1], what)
    with pytest.raises(ValueError, match=words):
        check_structure(fitted)


@pytest.mark.parametrize("part", ["rows", "coefficients"])
def test_kernels_whose_values_overflow_are_refused(part):
    model = stack_pipeline(kernel="rbf", penalty="l2")
    check_structure(model)
    machine = model[-1].combiner_.machines[1]
    getattr(machine.expansion, part)[0] = 1e308
    with pytest.raises(ValueError, match="values hold a number that cannot be"):
        check_structure(model)


def test_a_pool_of_other_members_is_refused(fitted):
    pool = fitted[-1].combiner_.pool
    for name in ("weights", "floors"):
        object.__setattr__(pool, name, np.ones(2))
    with pytest.raises(ValueError, match="its pool is of 2 members, not 3"):
        check_structure(fitted)


def forge_told(stack, name, value):
    *path, last = name.split(".")
    part = stack
    for word in path:
        part = part[int(word)] if word.isdigit() else getattr(part, word)
    object.__setattr__(part, last, value)


NAMES = ["combo", "forest", "linear"]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("member_share_", np.full((3, 3), np.nan), "shares of the members hold a number"),
        ("member_share_", np.ones((2, 3)), "shares of the members are not"),
        ("member_share_", "much", "shares of the members are not"),
        ("member_share_", np.full((3, 3), 7.0), "not those of the kept"),
        ("names_", [1, 2, 3], "not a list of strings"),
        ("names_", ["combo", "forest", "\x1b[31m"], "cannot be printed"),
        ("names_", ["combo", "forest", "forest"], "have the same name"),
        ("names_", np.array(NAMES), "not a list of strings"),
        ("selected_", 7, "says that it keeps 7"),
        ("selected_", ["combo", "forest", "other"], "says that it keeps"),
        ("strength_", "abc", "strength of its penalty is 'abc'"),
        ("strength_", np.nan, "strength of its penalty is nan"),
        ("coef_", np.ones((3, 2)), "weights of all members are not"),
        ("coef_", np.ones((3, 3)), "not those of the kept"),
        ("combination_", "ws", "but it says other"),
        ("n_jobs", "lots", "n_jobs is 'lots'"),
        ("estimators_.0.name", 5, "other names than it says"),
        ("estimators_.0.model", None, "no model of 3 classes"),
        ("estimators_.0.labels", np.array([0, 1, 1]), "no list of different classes"),
        ("estimators_.0.scale", 1e-300, "have the scale 1e-300"),
        ("temperature_", 1e-300, "its temperature is 1e-300"),
        ("combiner_.linear.coef", np.full((3, 3), 1e308), r"its weights reach 1e\+308"),
        ("combiner_.linear", 7, "its sum is not linear"),
        ("combiner_.pool", None, "or its pool is none"),
        ("combiner_.temperature", 0.0, "temperature of its sum is 0.0"),
        ("combiner_.floor", -1.0, "floor of its sum is -1.0"),
        ("combiner_.pool.weights", -np.ones(3), "weights of members"),
        ("combiner_.pool.bias", np.zeros(2), "biases of classes"),
    ],
)
def test_forged_answers_of_explain_are_refused(fitted, name, value, words):
    assert fitted[-1].selected_ == NAMES
    check_structure(fitted)
    forge_told(fitted[-1], name, value)
    with pytest.raises(ValueError, match=words):
        check_structure(fitted)
