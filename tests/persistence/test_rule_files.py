"""Rules in model files: kept whole, and checked when they are read."""

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from tests.persistence.test_stack_files import CARD, X, Y, members
from uneven import MarginStackingClassifier
from uneven.fusion.trained_rules import TRAINED_RULES
from uneven.persistence.model_file import ModelFileError, load_model, save_model
from uneven.persistence.scikit_learn import check_structure
from uneven.stacking import RuleClassifier


def joined(rule="mean", estimators=None, **words):
    given = members() if estimators is None else estimators
    last = RuleClassifier(given, rule=rule, cv=2, random_state=0, **words)
    same = ColumnTransformer([("all", "passthrough", slice(0, 13))])
    return Pipeline([("same", same), ("joined", last)]).fit(X, Y)


@pytest.mark.slow
def test_rules_come_back_from_files(tmp_path):
    for rule in ["trimmed_mean", *TRAINED_RULES]:
        pipeline = joined(rule)
        save_model(pipeline, CARD, tmp_path / "m.skops")
        back, _ = load_model(tmp_path / "m.skops")
        assert np.array_equal(back.predict_proba(X), pipeline.predict_proba(X))


@pytest.mark.parametrize(
    ("rule", "name", "value", "message"),
    [
        ("mean", "rule_.rule", "sum", "rule must be one of"),
        ("mean", "rule_.weights", np.ones(3), "takes no weights"),
        ("mean", "rule_.percent", 70.0, "less than 50 percent"),
        ("mean", "rule_", "mean", "joined by a str"),
        ("mean", "names_", ["one"], "3 members, but 1 names"),
        ("mean", "names_", ["combo", "forest", 5], "not a list of strings"),
        ("mean", "names_", ["combo", "linear", "forest"], "other names"),
        ("mean", "n_jobs", "lots", "n_jobs is 'lots'"),
        ("mean", "temperature_", -1.0, "temperature"),
        ("mean", "classes_", np.array([0, 1, 1]), "same class twice"),
        ("mean", "classes_", np.array([0, 1, 3]), "returns another kind of scores"),
        ("weighted_mean", "rule_.weights", None, "needs a weight"),
        ("weighted_mean", "rule_.weights", np.array([1.0, np.nan, 1.0]), "must be finite"),
        ("dempster_shafer", "rule_.templates", np.ones((3, 2, 3)), "templates"),
        ("decision_templates", "rule_.templates", np.full((3, 3, 3), np.nan), "templates"),
    ],
)
def test_forged_rules_are_refused(rule, name, value, message):
    pipeline = joined(rule)
    check_structure(pipeline)
    *path, last = name.split(".")
    part = pipeline[-1]
    for word in path:
        part = getattr(part, word)
    setattr(part, last, value)
    with pytest.raises(ValueError, match=message):
        check_structure(pipeline)


def test_members_are_checked_and_stacks_do_not_nest(tmp_path):
    pipeline = joined()
    pipeline[-1].estimators_[0].model.vote_.terms()[0].voter.feature[:] = 10**6
    with pytest.raises(ValueError, match="points to column"):
        check_structure(pipeline)
    for inner in (
        RuleClassifier(members()),
        MarginStackingClassifier(members(), strength=1e-3, cv=2, keep_level_one=False),
    ):
        with pytest.raises(ModelFileError, match=f"its stack holds a {type(inner).__name__}"):
            save_model(joined(estimators=[("inner", inner)]), CARD, tmp_path / "m.skops")
