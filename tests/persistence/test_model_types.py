"""Stable names of types: they outlive moves, and nothing is trusted that is not registered."""

import json
import os
import pickle
import zipfile

import numpy as np
import pytest
from sklearn.feature_selection import VarianceThreshold
from sklearn.preprocessing import StandardScaler

from tests.persistence.test_model_file import CARD, PROBLEM, write
from uneven.comparison import METHODS, Settings, fit_method
from uneven.persistence.model_file import ModelFileError, load_model, save_model
from uneven.utils import model_types
from uneven.utils.model_types import (
    MODEL_TYPES,
    UnknownPartError,
    check_part,
    check_plain,
    persisted,
    register_type,
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "m.skops"


@pytest.fixture(scope="module")
def fitted():
    names = ("combo", "hist_gradient_boosting", "logistic_regression")
    return {name: fit_method(METHODS[name], PROBLEM, Settings(rounds=3)) for name in names}


@pytest.fixture
def registry(monkeypatch):
    monkeypatch.setattr(model_types, "MODEL_TYPES", dict(MODEL_TYPES))
    return model_types.MODEL_TYPES


def rewrite(path, change):
    """Change the schema of a file as a text."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["schema.json"] = change(parts["schema.json"].decode()).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)


def test_files_know_no_module_of_ours(fitted, path):
    save_model(fitted["combo"], CARD, path)
    with zipfile.ZipFile(path) as archive:
        schema = archive.read("schema.json").decode()
    assert '"__class__": "combo"' in schema
    assert '"uneven.' not in schema
    assert '"sklearn.' not in schema


def test_a_file_survives_the_move_of_a_class(fitted, path, monkeypatch):
    save_model(fitted["combo"], CARD, path)
    here = type(fitted["combo"][-1])
    there = type(
        here.__name__, (here,), {"__module__": __name__, "_check_model_": here._check_model_}
    )
    monkeypatch.setitem(globals(), here.__name__, there)
    kind = MODEL_TYPES["combo"]
    moved = model_types.ModelType("combo", f"{__name__}.{here.__name__}", kind.role, kind.check)
    monkeypatch.setitem(MODEL_TYPES, "combo", moved)
    model = load_model(path)[0]
    assert type(model[-1]) is there
    np.testing.assert_array_equal(model.predict(PROBLEM.X), fitted["combo"].predict(PROBLEM.X))


def test_unknown_names_are_refused(fitted, path):
    save_model(fitted["combo"], CARD, path)
    rewrite(path, lambda text: text.replace('"__class__": "combo"', '"__class__": "cymbal"'))
    with pytest.raises(ModelFileError, match=r"not trusted \(cymbal\)\. Nothing of it was run"):
        load_model(path)


def test_modules_in_place_of_names_are_refused(fitted, path):
    save_model(fitted["combo"], CARD, path)
    home = MODEL_TYPES["combo"].home

    def name_the_module(text):
        schema = json.loads(text)
        node = schema["content"]["pipeline"]["content"]["content"]["steps"]["content"][1]
        node = node["content"][1]
        assert node["__class__"] == "combo"
        node["__module__"], _, node["__class__"] = home.rpartition(".")
        return json.dumps(schema)

    rewrite(path, name_the_module)
    with pytest.raises(ModelFileError, match=rf"not trusted \({home}\)"):
        load_model(path)


def test_other_distributions_register_when_they_are_asked_for(monkeypatch, registry):
    class Point:
        def load(self):
            register_type("cymbal", "orchestra.Cymbal", without_check="rings")

    monkeypatch.setattr(model_types, "entry_points", lambda group: [Point()] * (group != ""))
    assert model_types.find_type("combo").home == MODEL_TYPES["combo"].home
    assert "cymbal" not in registry
    assert model_types.find_type("cymbal").home == "orchestra.Cymbal"
    assert model_types.find_type("gong") is None


def test_names_are_given_once(registry):
    with pytest.raises(ValueError, match=r"already know .*ComboClassifier as 'combo'"):
        register_type("combo", "tests.Other", without_check="none")
    with pytest.raises(ValueError, match="by another name than 'combo_again'"):
        register_type("combo_again", MODEL_TYPES["combo"].home, without_check="none")
    register_type("combo", MODEL_TYPES["combo"].home, without_check="the same again")


def test_a_type_without_a_check_needs_a_reason(registry):
    with pytest.raises(ValueError, match="needs a check, or a reason"):
        persisted("bare")(type("Bare", (), {}))
    assert "bare" not in registry


def test_checks_are_those_of_the_class_in_its_role(registry):
    @persisted("counter", role="count")
    class Counter:
        def _check_model_(self, most):
            return f"up to {most}"

    counter = Counter()
    counter._check_model_ = None
    assert check_part("count", counter, 7, refusal="no") == "up to 7"
    with pytest.raises(UnknownPartError, match="a Counter is no voter"):
        check_part("voter", counter, 7, refusal="a {} is no voter")
    other = type("Other", (Counter,), {})()
    with pytest.raises(ValueError, match="a Other"):
        check_part("count", other, 7, refusal="a {}", error=ValueError)


def test_plain_values():
    class Thing:
        pass

    thing = Thing()
    thing.a, thing.b, thing.c = {"x": (1, 2.0, None)}, np.array(["u", None]), [np.float64, slice(3)]
    thing.helper = Thing()
    check_plain(thing, "helper")
    for odd in (Thing(), [Thing()], {"x": Thing()}, np.array([Thing()]), len, Thing):
        thing.helper = odd
        with pytest.raises(UnknownPartError, match="as helper"):
            check_plain(thing)


def copied(pipeline):
    return pickle.loads(pickle.dumps(pipeline))


def test_types_that_no_model_file_needs_are_refused_though_skops_trusts_them(fitted, path):
    forged = copied(fitted["hist_gradient_boosting"])
    forged[-1]._preprocessor = VarianceThreshold()
    write(path, pipeline=forged)
    with pytest.raises(ModelFileError, match=r"not trusted \(sklearn.*\.VarianceThreshold\)"):
        load_model(path)


@pytest.mark.parametrize(
    ("name", "attribute", "value", "says"),
    [
        ("hist_gradient_boosting", "_preprocessor", StandardScaler(), "the _preprocessor of a"),
        ("hist_gradient_boosting", "_in_fit", True, "the _in_fit of a"),
        ("hist_gradient_boosting", "_baseline_prediction", np.zeros((1, 2)), "begins with"),
        ("hist_gradient_boosting", "n_trees_per_iteration_", 2, "begins with"),
        ("hist_gradient_boosting", "_scorer", StandardScaler(), "the _scorer of a"),
        ("logistic_regression", "helper", StandardScaler(), "has an attribute 'helper'"),
        ("logistic_regression", "coef_", np.zeros((3, 1)), "coefficients"),
        ("logistic_regression", "coef_", np.full((3, 99), np.nan), "coefficients"),
        ("logistic_regression", "n_jobs", "all", "n_jobs='all'"),
        ("logistic_regression", "solver", StandardScaler(), "holds a StandardScaler as solver"),
    ],
)
def test_attributes_that_no_fit_leaves_are_refused(fitted, path, name, attribute, value, says):
    forged = copied(fitted[name])
    setattr(forged[-1], attribute, value)
    write(path, pipeline=forged)
    with pytest.raises(ModelFileError, match=says):
        load_model(path)


def test_helpers_of_an_imputer_are_refused(fitted, path):
    forged = copied(fitted["logistic_regression"])
    imputer = forged[0].transformers_[0][1][0]
    imputer.indicator_ = StandardScaler()
    write(path, pipeline=forged)
    with pytest.raises(ModelFileError, match="the indicator_ of a SimpleImputer"):
        load_model(path)
    imputer.indicator_, imputer.add_indicator = None, True
    write(path, pipeline=forged)
    with pytest.raises(ModelFileError, match="a SimpleImputer in it has add_indicator=True"):
        load_model(path)


def test_workers_are_at_most_the_cores(fitted, path):
    many = copied(fitted["logistic_regression"])
    many[-1].n_jobs = 10**6
    write(path, pipeline=many)
    assert 1 <= load_model(path)[0][-1].n_jobs <= os.cpu_count()
