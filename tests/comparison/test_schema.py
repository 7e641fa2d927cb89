from __future__ import annotations

import datetime
import json
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from uneven.comparison import InputError, Schema
from uneven.comparison.encoding import encode_one_hot, encode_ordinal
from uneven.comparison.schema import infer_kind


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2, 3], "number"),
        ([1.5, None], "number"),
        ([Decimal("1.5"), None], "number"),
        ([None, None], "number"),
        ([True, False], "boolean"),
        ([True, None, False], "boolean"),
        (["2024-01-31", None], "date"),
        (["2024-01-31T10:00:00", "2024-01-31 11:30"], "date"),
        ([datetime.date(2024, 1, 31), None], "date"),
        (pd.to_datetime(["2024-01-31", None]), "date"),
        (["a", "b", None], "category"),
        (["2024-01-31", "yesterday"], "category"),
        ([1, "a"], "category"),
        (pd.Categorical([1, 2, 1]), "category"),
        (pd.array([1, None], dtype="Int64"), "number"),
        (pd.array([True, None], dtype="boolean"), "boolean"),
    ],
)
def test_kinds_and_conversion(values, kind):
    frame = pd.DataFrame({"x": pd.Series(values)})
    assert infer_kind(frame["x"]) == kind
    converted = Schema.of(frame).convert(frame)["x"]
    assert converted.isna().tolist() == frame["x"].isna().tolist()
    assert converted.dtype == (object if kind == "category" else np.float64)


def test_values():
    frame = pd.DataFrame(
        {
            "flag": ["True", "false"],
            "day": ["1970-01-02", "1970-01-01T12:00:00"],
            "word": [" a ", "b"],
        }
    )
    schema = Schema.from_list(
        [
            {"name": "flag", "kind": "boolean", "categories": []},
            {"name": "day", "kind": "date", "categories": []},
            {"name": "word", "kind": "category", "categories": ["a", "b"]},
        ]
    )
    out = schema.convert(frame)
    assert out["flag"].tolist() == [1.0, 0.0]
    assert out["day"].tolist() == [1.0, 0.5]
    assert out["word"].tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("kind", "value", "says"),
    [
        ("number", "x", "a number"),
        ("boolean", "maybe", "true or false"),
        ("date", "soon", "a date like"),
    ],
)
def test_wrong_values_are_named(kind, value, says):
    schema = Schema.from_list([{"name": "c", "kind": kind, "categories": []}])
    good = {"number": "1", "boolean": "true", "date": "2024-01-31"}[kind]
    with pytest.raises(InputError, match=rf"'c' holds '{value}' in row 2.*{says}"):
        schema.convert(pd.DataFrame({"c": [good, value]}))


def test_durations_are_hours():
    frame = pd.DataFrame({"t": pd.to_timedelta(["90min", None, "2h"])})
    schema = Schema.of(frame)
    assert schema.columns[0].form == {"unit": "h:m"}
    assert schema.convert(frame)["t"].tolist() == [1.5, pytest.approx(np.nan, nan_ok=True), 2.0]
    assert schema.convert(pd.DataFrame({"t": ["1:15", "3 h 30 min"]}))["t"].tolist() == [1.25, 3.5]


def test_lists_are_refused():
    with pytest.raises(InputError, match="list objects"):
        infer_kind(pd.Series([[1], [2]], name="t"))
    with pytest.raises(InputError, match="complex"):
        infer_kind(pd.Series([1j, 2j], name="t"))


def test_json_round_trip():
    schema = Schema.of(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}))
    assert Schema.from_list(json.loads(json.dumps(schema.to_list()))) == schema
    assert schema.kind_counts() == {"number": 1, "category": 1}


@pytest.fixture
def mixed():
    frame = pd.DataFrame(
        {
            "v__word": ["a", "b", None, "a"],
            "w__size": [1.0, np.nan, 3.0, 4.0],
            "w__empty": [None] * 4,
        }
    )
    schema = Schema.of(frame)
    return schema, schema.convert(frame)


def test_ordinal_codes_keep_names_and_mark_the_unknown(mixed):
    schema, X = mixed
    encoder = encode_ordinal(schema).fit(X)
    out = encoder.transform(X)
    assert set(out.columns) == set(X.columns)
    np.testing.assert_array_equal(out["v__word"], [0.0, 1.0, np.nan, 0.0])
    np.testing.assert_array_equal(out["w__size"], X["w__size"])
    unseen = X.assign(v__word="zebra")
    assert encoder.transform(unseen)["v__word"].isna().all()


def test_one_hot_has_no_missing_cells(mixed):
    schema, X = mixed
    encoder = encode_one_hot(schema).fit(X)
    out = np.asarray(encoder.transform(X), dtype=float)
    assert np.isfinite(out).all()
    unseen = np.asarray(encoder.transform(X.assign(v__word="zebra")), dtype=float)
    assert np.isfinite(unseen).all()
