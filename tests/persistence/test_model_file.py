"""Model files: what is kept, what is refused."""

from __future__ import annotations

import json
import pickle
import zipfile
from dataclasses import asdict

import numpy as np
import pytest
import skops.io
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from tests.cli.conftest import files_in, make_frame
from uneven import MumboClassifier
from uneven.boosting import ShareBoostClassifier
from uneven.comparison import METHODS, Settings, fit_method, make_problem
from uneven.persistence.model_file import (
    FORMAT,
    ModelCard,
    ModelFileError,
    dumps,
    load_model,
    loads,
    save_model,
)
from uneven.votes import Panel

CLASSES = ["common", "less", "rare"]
CARD = ModelCard("combo", "CoMBo", "label", CLASSES, [60, 20, 10], [], 90, params={"rounds": "4"})
PROBLEM = make_problem(make_frame(), "label")
TWO_VIEWS = {"first": slice(0, 1), "others": slice(1, None)}


class Foreign(ClassifierMixin, BaseEstimator):
    """A class of somebody else."""

    loaded = False

    def __setstate__(self, state):
        Foreign.loaded = True
        super().__setstate__(state)


@pytest.fixture(scope="module")
def fitted():
    return {
        name: fit_method(METHODS[name], PROBLEM, Settings(rounds=5))
        for name in ("combo", "hist_gradient_boosting", "random_forest")
    }


@pytest.fixture
def path(tmp_path):
    return tmp_path / "m.skops"


def write(path, **content):
    whole = {"format": FORMAT, "card": json.dumps(asdict(CARD))} | content
    path.write_bytes(dumps(whole))


@pytest.mark.parametrize(
    "classifier",
    [
        ShareBoostClassifier(n_estimators=3, views=TWO_VIEWS, selection="combination"),
        MumboClassifier(n_estimators=3, views=TWO_VIEWS, selection="combination"),
    ],
)
def test_votes_of_panels_are_kept_and_checked(classifier, fitted, path):
    pipeline = Pipeline([("encode", fitted["combo"][0]), ("classify", clone(classifier))])
    pipeline.fit(PROBLEM.X, PROBLEM.y)
    save_model(pipeline, CARD, path)
    np.testing.assert_array_equal(
        load_model(path)[0].predict_proba(PROBLEM.X), pipeline.predict_proba(PROBLEM.X)
    )
    panels = [t.voter for t in pipeline[-1].vote_.terms() if isinstance(t.voter, Panel)]
    assert panels
    panels[0].vote._forest.trees.feature[0] = 99
    write(path, pipeline=pipeline)
    with pytest.raises(ModelFileError, match=r"damaged: .*points to column 99"):
        load_model(path)
    path.unlink()
    with pytest.raises(ModelFileError, match=r"cannot be kept .*points to column 99"):
        save_model(pipeline, CARD, path)
    assert not path.exists()


def test_round_trip(fitted, path):
    save_model(fitted["combo"], CARD, path)
    pipeline, card = load_model(path)
    assert card == CARD
    np.testing.assert_array_equal(
        pipeline.predict_proba(PROBLEM.X), fitted["combo"].predict_proba(PROBLEM.X)
    )
    explanation = fitted["combo"][-1].explain()
    np.testing.assert_array_equal(pipeline[-1].explain().view_share, explanation.view_share)


def test_a_foreign_class_is_refused_by_name_and_never_built(path):
    write(path, pipeline=Foreign())
    with pytest.raises(ModelFileError, match=r"not trusted \(.*Foreign\)"):
        load_model(path)
    assert not Foreign.loaded


def test_a_way_to_eval_is_refused_by_name(path):
    write(path, pipeline=Pipeline([("encode", FunctionTransformer(eval))]))
    with pytest.raises(ModelFileError, match=r"builtins\.eval"):
        load_model(path)


def test_command_line_refuses_in_one_line(uneven, tmp_path, path):
    write(path, pipeline=FunctionTransformer(eval))
    done = uneven("explain", path)
    assert done.code == 2
    assert "builtins.eval" in done.complaint


def test_what_could_not_be_read_is_not_written(fitted, path, tmp_path):
    with pytest.raises(ModelFileError, match="its classifier is a Foreign"):
        save_model(Pipeline([fitted["combo"].steps[0], ("classify", Foreign())]), CARD, path)
    with pytest.raises(ModelFileError, match="not hold a pipeline of an encoder"):
        save_model(Pipeline([("classify", Foreign())]), CARD, path)
    assert files_in(tmp_path) == set()


def test_pickles_and_rubbish_are_refused(path):
    for content in (pickle.dumps(CARD), b"rubbish", b""):
        path.write_bytes(content)
        with pytest.raises(ModelFileError, match="not a model file of uneven"):
            load_model(path)


def test_damaged_archives_are_refused(fitted, path):
    save_model(fitted["combo"], CARD, path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ModelFileError, match="damaged"):
        load_model(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("schema.json", "{}")
    with pytest.raises(ModelFileError, match="damaged"):
        load_model(path)


def test_other_skops_files_are_refused(path):
    skops.io.dump([1, 2, 3], path)
    with pytest.raises(ModelFileError, match="a skops file, but not a model file"):
        load_model(path)


@pytest.mark.parametrize("card", ["{", "{}", "[]"])
def test_a_damaged_card_is_refused(fitted, path, card):
    write(path, pipeline=fitted["combo"], card=card)
    with pytest.raises(ModelFileError):
        load_model(path)


def test_other_pipelines_are_refused(fitted, path):
    encoder, classifier = fitted["combo"][0], fitted["combo"][1]
    other = GradientBoostingClassifier()
    for steps, says in (
        ([("encode", encoder), ("classify", other)], "GradientBoostingClassifier"),
        ([("encode", FunctionTransformer()), ("classify", classifier)], "FunctionTransformer"),
        ([("classify", classifier)], "pipeline of an encoder and a classifier"),
    ):
        write(path, pipeline=Pipeline(steps))
        with pytest.raises(ModelFileError, match=says):
            load_model(path)


def forge(pipeline, part, node, value):
    """Change one number inside the trees of a copy of a model."""
    copy = pickle.loads(pickle.dumps(pipeline))
    classifier = copy[-1]
    if hasattr(classifier, "vote_"):
        getattr(classifier.vote_._forest.trees, part)[node] = value
    elif hasattr(classifier, "estimators_"):
        getattr(classifier.estimators_[0].tree_, part)[node] = value
    else:
        classifier._predictors[0][0].nodes[part][node] = value
    return copy


@pytest.mark.parametrize(
    ("name", "part", "value", "says"),
    [
        ("combo", "child", 10**6, "points to child"),
        ("combo", "child", -5, "points to child"),
        ("combo", "feature", 4, "points to column 4 of 4"),
        ("combo", "feature", -1, "points to column"),
        ("combo", "label", 3, "points to class or leaf 3 of 3"),
        ("random_forest", "children_left", 10**6, "points to child"),
        ("random_forest", "children_right", 10**6, "points to child"),
        ("random_forest", "children_right", -1, "one child"),
        ("random_forest", "children_left", 0, "child before its parent"),
        ("random_forest", "feature", 99, "points to column 99 of 4"),
        ("random_forest", "feature", -2, "points to column"),
        ("hist_gradient_boosting", "left", 10**6, "points to child"),
        ("hist_gradient_boosting", "right", 0, "child before its parent"),
        ("hist_gradient_boosting", "feature_idx", 99, "points to column 99 of 4"),
        ("hist_gradient_boosting", "is_categorical", 1, "splits on categories"),
    ],
)
def test_forged_trees_are_refused(fitted, path, name, part, value, says):
    write(path, pipeline=forge(fitted[name], part, 0, value))
    with pytest.raises(ModelFileError, match=says):
        load_model(path)


def test_trees_that_nobody_forged_are_taken(fitted, path):
    for pipeline in fitted.values():
        write(path, pipeline=pipeline)
        assert type(load_model(path)[0][-1]) is type(pipeline[-1])


def test_forged_votes_are_refused(fitted, path):
    for attribute, change in (
        ("weights", lambda w: w[:, :1]),
        ("weights", lambda w: np.vstack([w, w])),
        ("rounds", lambda r: r + 1),
        ("view_of_term", lambda v: v + 7),
        ("n_classes", lambda n: n + 1),
    ):
        copy = pickle.loads(pickle.dumps(fitted["combo"]))
        vote = copy[-1].vote_
        setattr(vote, attribute, change(getattr(vote, attribute)))
        write(path, pipeline=copy)
        with pytest.raises(ModelFileError, match="damaged"):
            load_model(path)


def test_forged_votes_of_views_are_refused(path):
    views = {"sound": ["sound__pitch", "sound__noise"], "text": ["text__word", "text__length"]}
    fitted = fit_method(METHODS["mumbo"], PROBLEM, Settings(rounds=4, views=views))
    write(path, pipeline=fitted)
    again = load_model(path)[0]
    np.testing.assert_array_equal(again.predict(PROBLEM.X), fitted.predict(PROBLEM.X))
    asked = fitted[:-1].transform(PROBLEM.X)
    for name in views:
        np.testing.assert_array_equal(
            again[-1].predict_by_view(asked)[name], fitted[-1].predict_by_view(asked)[name]
        )
    fitted[-1].view_votes_[1]._forest.trees.feature[0] = 99
    write(path, pipeline=fitted)
    with pytest.raises(ModelFileError, match="points to column 99 of 4"):
        load_model(path)
    fitted[-1].view_votes_ = ("sound", "text")
    write(path, pipeline=fitted)
    with pytest.raises(ModelFileError, match="a str stands where a vote should be"):
        load_model(path)


@pytest.mark.slow
def test_forged_members_of_a_fusion_are_refused(path):
    views = {"sound": ["sound__pitch", "sound__noise"], "text": ["text__word", "text__length"]}
    fitted = fit_method(METHODS["late_fusion"], PROBLEM, Settings(rounds=4, views=views))
    write(path, pipeline=fitted)
    again = load_model(path)[0]
    np.testing.assert_array_equal(again.predict_proba(PROBLEM.X), fitted.predict_proba(PROBLEM.X))

    def scale(fusion):
        fusion.estimators_[1].scale_[0] = 0.0

    def classes(fusion):
        fusion.estimators_[1].forest_.classes_ = np.array([0, 2, 1])

    def column(fusion):
        fusion.vote_._voters[0].columns[0] = 4

    def member(fusion):
        fusion.estimators_[0] = GradientBoostingClassifier()

    def voter(fusion):
        fusion.vote_._voters[0] = "sound"

    for change, says in (
        (scale, "divided by 0"),
        (classes, "knows other classes|classes"),
        (column, "points to column 4 of 4"),
        (member, "not trusted .*GradientBoostingClassifier"),
        (voter, "not the classifier of a view"),
    ):
        copy = pickle.loads(pickle.dumps(fitted))
        change(copy[-1])
        write(path, pipeline=copy)
        with pytest.raises(ModelFileError, match=says):
            load_model(path)


def test_roots_outside_the_forest_are_refused(fitted, path):
    copy = pickle.loads(pickle.dumps(fitted["combo"]))
    copy[-1].vote_._forest.roots[1:] += 10**6
    write(path, pipeline=copy)
    with pytest.raises(ModelFileError, match="damaged"):
        load_model(path)


VIEWS = {"sound": ["sound__pitch", "sound__noise"], "text": ["text__word", "text__length"]}


@pytest.fixture(scope="module")
def joined():
    names = ("mumbo", "late_fusion", "bregman_vote", "logistic_regression", "uma", "bayespoint")
    return {
        name: fit_method(METHODS[name], PROBLEM, Settings(rounds=4, views=VIEWS)) for name in names
    }


def put(path_to, change):
    """A function that replaces what stands at a dotted path in a classifier."""

    def act(classifier):
        *way, last = path_to.split(".")
        place = classifier
        for step in way:
            place = place[int(step)] if step.isdigit() else getattr(place, step)
        if last.isdigit():
            place[int(last)] = change(place[int(last)])
        else:
            object.__setattr__(place, last, change(getattr(place, last)))

    return act


def first(value):
    """Replace the first number of an array."""

    def change(array):
        changed = array.copy()
        changed.ravel()[0] = value
        return changed

    return change


def shorter(columns):
    return (columns[0][:1], *columns[1:])


def emptied(columns):
    return (columns[0][:0], *columns[1:])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "way", "change", "says"),
    [
        ("mumbo", "vote_.weights", first(np.nan), "vote weights hold a number that cannot be"),
        ("mumbo", "vote_.weights", first(np.inf), "vote weights hold a number that cannot be"),
        ("mumbo", "vote_.weights", first(-1.0), "cannot be: -1.0"),
        ("bregman_vote", "vote_.weights", first(np.nan), "vote weights hold"),
        ("mumbo", "vote_.rounds", lambda a: a.astype(float), "rounds are not whole numbers"),
        ("mumbo", "vote_.view_of_term", lambda a: a.astype(float), "not whole numbers"),
        ("mumbo", "vote_.view_of_term", lambda a: np.append(a, 0), "terms have"),
        ("mumbo", "view_votes_", lambda votes: votes[:1], "1 votes for 2 views"),
        ("mumbo", "classes_", lambda a: a[:2], "."),
        ("mumbo", "classes_", lambda a: a[:, None], "not a list of labels"),
        ("mumbo", "classes_", lambda a: a[[0, 0, 1]], "same class twice"),
        ("mumbo", "classes_", lambda a: a[::-1], "card names other classes"),
        ("mumbo", "class_prior_", lambda a: a[:2], "class frequencies"),
        ("mumbo", "class_prior_", first(np.nan), "class frequencies"),
        ("mumbo", "class_prior_", first(0.0), "do not add up to 1"),
        ("mumbo", "feature_names_in_", lambda a: a[:2], "2 names for 4 columns"),
        ("mumbo", "views_.columns", emptied, "view 'sound' has no list of columns"),
        ("mumbo", "views_.columns", lambda c: (c[0] * 1.0, c[1]), "columns of view 'sound'"),
        ("mumbo", "views_.columns", lambda c: (c[0] + 3, c[1]), "points to column 4 of 4"),
        ("mumbo", "views_.columns", lambda c: c[:1], "1 lists of columns"),
        ("mumbo", "views_.n_features", lambda n: n + 1, "a table of 4 columns"),
        ("mumbo", "vote_.views.columns", shorter, "not in its view|does not fit its views"),
        ("mumbo", "vote_._forest.trees.reach", first(np.nan), "rates of correct predictions"),
        ("mumbo", "vote_._forest.trees.threshold", first(np.nan), "cannot be evaluated"),
        ("late_fusion", "weights_", first(np.inf), "weights of the views"),
        ("late_fusion", "weights_", lambda a: a[:1], "weights of the views"),
        ("late_fusion", "combine_", lambda _: "sums", "combine must be one of"),
        ("late_fusion", "rule_", lambda _: "sums", "rule must be one of"),
        ("late_fusion", "percent_", lambda _: 50.0, "less than 50 percent"),
        ("late_fusion", "estimators_", lambda members: members[:1], "1 classifiers for 2 views"),
        ("late_fusion", "views_.columns", shorter, "classified by 2"),
        ("late_fusion", "vote_._voters.0.columns", lambda a: a[::-1], "columns of another"),
        ("late_fusion", "vote_._voters.0.columns", lambda a: a * 1.0, "not whole numbers"),
        ("late_fusion", "vote_._voters.0.reach", first(np.nan), "rates of correct predictions"),
        ("late_fusion", "estimators_.0.classes_", lambda a: a + 1, "points to class 3 of 3"),
        ("late_fusion", "estimators_.0.classes_", lambda a: a * 1.0, "classes of a view"),
        ("logistic_regression", "coef_", first(np.nan), "coefficients"),
        ("uma", "coef_", first(np.inf), "coefficients"),
        ("uma", "coef_", lambda a: a[:, 1:], "coefficients"),
        ("uma", "coef_", lambda a: a[:2], "coefficients are of 2 classes"),
        ("uma", "intercept_", lambda a: a[:2], "intercepts"),
        ("uma", "classes_", lambda a: a[[0, 0, 1]], "same class twice"),
        ("bayespoint", "means_", first(np.nan), "centres"),
        ("bayespoint", "covariances_", lambda a: a[:, 1:], "covariances"),
        ("bayespoint", "span_", lambda span: None, "stands where a span should be"),
        ("bayespoint", "span_.triangle", lambda a: a[1:], "places of rows"),
        ("bayespoint", "span_.rows", lambda a: a[:, 1:], "training rows have the shape"),
        ("bayespoint", "expansion_.coefficients", first(np.inf), "coefficients"),
    ],
)
def test_numbers_that_no_training_leaves_are_refused(joined, path, name, way, change, says):
    copy = pickle.loads(pickle.dumps(joined[name]))
    write(path, pipeline=copy)
    load_model(path)
    put(way, change)(copy[-1])
    write(path, pipeline=copy)
    with pytest.raises(ModelFileError, match=f"damaged: .*({says})"):
        load_model(path)


def test_votes_against_a_class_belong_to_the_bregman_vote(joined):
    assert joined["bregman_vote"][-1].vote_.weights.min() < 0.0


def test_a_shortened_view_is_refused_where_both_copies_agree(joined, path):
    copy = pickle.loads(pickle.dumps(joined["mumbo"]))
    for views in (copy[-1].views_, copy[-1].vote_.views):
        object.__setattr__(views, "columns", (views.columns[0][:1], views.columns[1][:1]))
    write(path, pipeline=copy)
    with pytest.raises(ModelFileError, match="a voter reads a column that is not in its view"):
        load_model(path)


@pytest.mark.parametrize("command", ["predict", "explain"])
def test_failures_of_a_loaded_model_are_called_damage(uneven, table, joined, path, command):
    words = ("--method", "combo", "--rounds", 4, "--out", path)
    assert uneven("fit", table, "-t", "label", *words).code == 0
    content = loads(path.read_bytes())
    if command == "predict":
        content["pipeline"][0].feature_names_in_ = np.array(["a", "b", "c", "d"], dtype=object)
    else:
        content["pipeline"][1].history_ = {"weight": ["heavy"]}
    path.write_bytes(dumps(content))
    done = uneven(command, path, *([table] if command == "predict" else []))
    assert done.code == 2
    assert f"{path} is damaged" in done.complaint


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"classes": ["a", "b", "c"]}, "other classes"),
        ({"class_counts": [1]}, "does not count"),
        ({"columns": [{"name": "x", "kind": "sound", "categories": []}]}, "kind 'sound'"),
        ({"columns": [{"name": "x"}]}, "damaged: 'kind'"),
    ],
)
def test_cards_that_do_not_fit_are_refused(uneven, table, joined, path, change, says):
    write(path, pipeline=joined["mumbo"], card=json.dumps(asdict(CARD) | change))
    table.write_text(table.read_text().replace("text__length", "x", 1))
    done = uneven("predict", path, table)
    assert done.code == 2
    assert says in done.complaint
