"""Unknown parameters are refused in a sentence, and scikit-learn sees the same signatures."""

from __future__ import annotations

import inspect
import pickle

import pytest
from sklearn.base import clone

import uneven
from uneven.linear import PerceptronClassifier


@pytest.mark.parametrize(
    ("cls", "words", "says"),
    [
        (uneven.ComboClassifier, {"class_weight": "balanced"}, "give class_cost to price mistakes"),
        (uneven.BalancedBoostingClassifier, {"class_weight": {}}, "weighs the same already"),
        (uneven.AdaBoostMMClassifier, {"class_weight": {}}, "class_cost or sample_weight to fit"),
        (uneven.UnevenClassifier, {"class_weight": "balanced"}, "measure, cost and constraints"),
        (uneven.MumboClassifier, {"n_estimator": 3}, "did you mean 'n_estimators'?"),
        (PerceptronClassifier, {"class_weight": {}}, "compute_sample_weight"),
        (uneven.CarakoClassifier, {"zzz": 1}, "the parameters are "),
    ],
)
def test_unknown_parameters_are_told_what_to_use(cls, words, says):
    with pytest.raises(TypeError, match=f"{cls.__name__} has no parameter") as caught:
        cls(**words)
    assert says in str(caught.value)


def test_a_parameter_that_is_there_is_taken():
    assert uneven.MarginStackingClassifier([], class_weight="balanced").class_weight == "balanced"


def test_subclasses_and_copies_work_as_before():
    class Mine(uneven.ComboClassifier):
        def __init__(self, depth=2):
            super().__init__(max_depth=depth)
            self.depth = depth

    assert Mine(depth=4).max_depth == 4
    with pytest.raises(TypeError):
        Mine(class_weight="balanced")
    model = uneven.ComboClassifier(n_estimators=3)
    assert pickle.loads(pickle.dumps(clone(model))).n_estimators == 3
    assert "n_estimators" in inspect.signature(uneven.ComboClassifier).parameters
    assert "args" not in inspect.signature(uneven.ComboClassifier).parameters
