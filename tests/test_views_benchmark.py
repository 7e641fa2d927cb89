"""The benchmark of methods for several views: its tables, its rivals, and what it shows."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import Bunch

from benchmarks.views import __main__ as views
from benchmarks.views import groups
from benchmarks.views.rivals import MeanOfViews
from benchmarks.views.sources import GroupedColumns, Holes, digit_features, side_by_side
from uneven_published import Context
from uneven_published.norm.methods import Method


def _two_views(context, n=120):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    blocks = {"good": rng.normal(size=(n, 2)) + 2.0 * y[:, None], "bad": rng.normal(size=(n, 3))}
    return side_by_side(blocks, y)


def _bayes(X, y, seed):
    return MeanOfViews(GaussianNB())


def _linear(X, y, seed):
    return MeanOfViews(LogisticRegression(), divide_by_prior=True)


def test_holes_leave_each_row_a_view_and_are_always_the_same():
    holes = Holes(_two_views, 0.6)
    X = holes(Context()).data
    there = np.column_stack([X.filter(like=f"{v}__").notna().all(axis=1) for v in ("good", "bad")])
    gone = np.column_stack([X.filter(like=f"{v}__").isna().all(axis=1) for v in ("good", "bad")])
    assert (there ^ gone).all()
    assert there.any(axis=1).all()
    assert 0.3 < there[:, 0].mean() < 0.7
    pd.testing.assert_frame_equal(X, holes(Context()).data)
    pd.testing.assert_frame_equal(Holes(_two_views, 0.0)(Context()).data, _two_views(None).data)


def test_columns_fall_into_the_first_view_that_matches():
    frame = pd.DataFrame({"ab": [1.0, 2.0], "a": pd.Categorical(["x", "y"]), "c": [0.0, 3.0]})
    table = GroupedColumns(
        lambda context: Bunch(data=frame, target=[0, 1]), (("one", "ab"), ("two", "a"))
    )
    assert table(Context()).data.columns.tolist() == ["one__ab", "two__a_x", "two__a_y"]


def test_rows_of_both_groups():
    rows = [{name.split(",")[0] for name in group} for group in groups.GROUPS.values()]
    assert not rows[0] & rows[1]
    assert sum(map(len, rows)) >= 10
    assert all(small in groups.GROUPS[g] for g, names in groups.SMALL.items() for small in names)
    columns = digit_features(Context()).data.columns
    assert {name.split("__")[0] for name in columns} == {"pixels", "fourier", "moments"}


def test_the_mean_of_views_is_over_those_that_are_there():
    X, y = _two_views(None).data, _two_views(None).target
    model = MeanOfViews(GaussianNB()).fit(X, y)
    alone = X.copy()
    alone.loc[:, alone.columns.str.startswith("bad")] = np.nan
    own = model.estimators_[0].predict_proba(X.filter(like="good").to_numpy())
    np.testing.assert_allclose(model.predict_proba(alone), own)
    alone[:] = np.nan
    np.testing.assert_allclose(model.predict_proba(alone)[0], np.bincount(y) / len(y))


def test_a_run_goes_on_and_is_shown_by_share_missing(tmp_path, capsys, monkeypatch):
    sources = {groups.row_of("one", p): Holes(_two_views, p / 100) for p in (0, 30)}
    monkeypatch.setattr(views, "GROUPS", {"report": sources})
    monkeypatch.setattr(views, "METHODS", {"Bayes": Method(_bayes), "Linear": Method(_linear)})
    words = ["--repeats", "1", "--out", str(tmp_path)]
    views.main([*words, "--missing", "30"])
    assert "2 of 2 cells are finished" in capsys.readouterr().out
    views.main([*words, "--beside", "Bayes", "--claims"])
    told = capsys.readouterr().out
    assert "4 of 4 cells are finished" in told
    assert "means over 2 tables" in told
    assert told.count("cannot be told") == 4
    with pytest.raises(SystemExit):
        views.main(["--missing", "31"])
