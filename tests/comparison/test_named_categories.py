"""Columns of categories reach the methods that split them into sets."""

import numpy as np
import pandas as pd
import pytest

from uneven.comparison import METHODS, Settings
from uneven.comparison.methods import build_pipeline
from uneven.comparison.schema import Schema

FRAME = pd.DataFrame({"kind": list("abcd") * 30, "size": np.arange(120.0)})
LABELS = np.isin(FRAME["kind"], ["b", "d"]).astype(int)


def test_a_method_of_ours_is_told_which_columns_are_categories():
    schema = Schema.of(FRAME)
    pipeline = build_pipeline(METHODS["balanced_boosting"], schema, Settings())
    assert pipeline[-1].categorical_features == ["kind"]
    model = pipeline.fit(schema.convert(FRAME), LABELS)
    assert model[-1].vote_.term(0).voter.left_sets.shape == (1, 4)
    np.testing.assert_array_equal(model.predict(schema.convert(FRAME)), LABELS)


@pytest.mark.parametrize("name", ["combo", "hist_gradient_boosting"])
def test_other_methods_stay_as_they_are(name):
    made = build_pipeline(METHODS[name], Schema.of(FRAME), Settings())[-1]
    assert made.get_params() == METHODS[name].make(Settings()).get_params()
