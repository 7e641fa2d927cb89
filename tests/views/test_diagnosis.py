"""What the diagnosis of views says, against answers that are known beforehand."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from uneven.datasets import make_imbalanced_views
from uneven.views import diagnose
from uneven.views.diagnosis import VERDICTS, agreement, judge
from uneven.views.relations import same_mistakes, sole_knowledge

TREE = DecisionTreeClassifier(max_depth=3, random_state=0)


def four_views(n=300, seed=0):
    """One view that tells all three classes, one that tells class 0 only, noise, and a copy."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    whole = y + 0.1 * rng.normal(size=n)
    part = (y == 0) + 0.1 * rng.normal(size=n)
    columns = [whole, part, rng.normal(size=n), part]
    return np.column_stack(columns), y, {"all": [0], "zero": [1], "noise": [2], "copy": [3]}


@pytest.mark.slow
def test_views_of_known_strength():
    X, y, views = four_views()
    found = diagnose(X, y, views, random_state=0)
    assert found.names == ("all", "zero", "noise", "copy")
    assert found.verdicts[0] == "strong"
    assert found.verdicts[2] == "weak"
    assert found.accuracy[0] > 0.97
    assert found.recalls[1, 0] > 0.95
    assert found.recalls[1, 1:].mean() == pytest.approx(0.5, abs=0.12)
    assert abs(found.balanced_accuracy[2] - 1 / 3) < 0.1
    assert found.confusion_norm.argmin() == 0
    np.testing.assert_allclose(found.chance, np.bincount(y).max() / len(y))
    assert found.redundancy[1, 3] > 0.5
    assert abs(found.redundancy[1, 2]) < 0.25
    assert "much the same rows as copy" in found.remarks()[1]
    assert "much the same" not in found.remarks()[2]
    assert found.rescue[2, 0] > 0.97


@pytest.mark.slow
def test_a_view_that_knows_one_class_is_imbalanced():
    bunch = make_imbalanced_views(600, separation=4.0, random_state=1)
    found = diagnose(bunch.data, bunch.target, bunch.views, cv=3, random_state=0)
    assert found.verdicts == ("imbalanced",) * 4
    for j, group in enumerate(bunch.groups):
        strangers = [c for c in range(6) if c not in group]
        assert found.recalls[j, list(group)].min() > found.recalls[j, strangers].mean() + 0.1
    assert found.remarks()[0].startswith("view1 knows some classes much better")


@pytest.mark.slow
def test_result_does_not_depend_on_threads_and_follows_the_seed():
    X, y, views = four_views(150)
    views.pop("zero")
    one = diagnose(X, y, views, cv=2, random_state=3)
    two = diagnose(X, y, views, cv=2, random_state=3, n_jobs=2)
    np.testing.assert_array_equal(one.recalls, two.recalls)
    np.testing.assert_array_equal(one.redundancy, two.redundancy)
    other = diagnose(X, y, views, cv=2, random_state=4)
    assert not np.array_equal(one.recalls, other.recalls)


def test_missing_views_are_judged_where_they_are_present():
    X, y, views = four_views()
    X[:90, 0] = np.nan
    X[:, 2] = np.nan
    found = diagnose(X, y, views, estimator=TREE, random_state=0)
    np.testing.assert_allclose(found.presence, [0.7, 1.0, 0.0, 1.0])
    assert found.accuracy[0] > 0.97
    assert found.verdicts[2] == "absent"
    assert np.isnan(found.recalls[2]).all()
    assert np.isnan(found.rescue[2]).all()
    assert np.isnan(found.redundancy[:, 2]).all()
    assert "missing in 30 % of the rows" in found.remarks()[0]
    assert "missing in every row" in found.remarks()[2]
    assert "absent" in str(found)


@pytest.mark.parametrize("form", ["csr", "frame", "polars", "fortran", "strings", "sparse frame"])
def test_every_form_of_a_table_gives_the_same(form):
    X, y, views = four_views(120)
    expected = diagnose(X, y, views, estimator=TREE, random_state=0)
    names = ["all__x", "zero__x", "noise__x", "copy__x"]
    if form == "csr":
        X = sp.csr_matrix(X)
    elif form in ("frame", "sparse frame"):
        X, views = pd.DataFrame(X, columns=names), "prefix"
        X = X.astype(pd.SparseDtype(float, 0.0)) if form == "sparse frame" else X
    elif form == "polars":
        X, views = pytest.importorskip("polars").DataFrame(X, schema=names), "prefix"
    elif form == "fortran":
        X = np.asfortranarray(X)
    else:
        y = np.array(["a", "b", "c"])[y]
    found = diagnose(X, y, views, estimator=TREE, random_state=0)
    np.testing.assert_array_equal(found.recalls, expected.recalls)
    np.testing.assert_array_equal(found.rescue, expected.rescue)
    assert found.names == expected.names


def test_category_columns_are_views_like_others():
    X, y, _ = four_views(120)
    frame = pd.DataFrame({"n__x": X[:, 2], "c__kind": pd.Categorical(np.array(list("abc"))[y])})
    found = diagnose(frame, y, "prefix", cv=2, random_state=0)
    assert found.accuracy[1] == 1.0
    assert np.isnan(found.redundancy[0, 1])
    assert np.isnan(found.rescue[1, 0])


def test_wide_sparse_views_stay_sparse_and_missing_entries_are_bearable():
    n, d = 2_000, 3_000
    y = np.arange(n) % 2
    wide = sp.random(n, d, density=0.001, format="lil", random_state=0)
    wide[:, 7] = (y + 1.0)[:, None]
    wide[3, 0] = np.nan
    seen = []

    class Watcher(DecisionTreeClassifier):
        def fit(self, X, y):
            seen.append(X)
            return super().fit(X, y)

    found = diagnose(wide.tocsr(), y, {"wide": slice(None)}, estimator=Watcher(max_depth=2))
    assert all(sp.issparse(X) for X in seen)
    assert found.accuracy[0] == 1.0


def test_rare_classes_and_few_rows_are_not_refused():
    rng = np.random.default_rng(0)
    y = np.array([0] * 30 + [1] * 30 + [2] * 2 + [3])
    X = np.column_stack([y + 0.1 * rng.normal(size=63), rng.normal(size=63)])
    found = diagnose(X, y, [0, 1, 2], estimator=LogisticRegression(), random_state=0)
    assert found.recalls[0, 3] == 0.0
    assert found.verdicts[0] == "strong"
    X[2:, 1] = np.nan
    assert diagnose(X, y, [0, 1, 2], estimator=TREE).presence[1] == pytest.approx(2 / 63)
    tiny = diagnose(X[[0, 30]], y[[0, 30]], None, cv=2)
    assert tiny.n_rows == 2


def test_folds_spread_every_class():
    y = np.repeat([0, 1, 2], [17, 9, 5])
    seen = []

    class Counter(DummyClassifier):
        def fit(self, X, y):
            seen.append(np.bincount(y))
            return super().fit(X, y)

    diagnose(np.ones((31, 1)), y, None, estimator=Counter(), cv=5, random_state=0)
    held_out = np.bincount(y) - np.array(seen)
    assert held_out[:, 0].min() == 3
    assert held_out[:, 0].max() == 4
    assert held_out[:, 1].min() == 1
    assert (held_out[:, 2] == 1).all()


@given(st.integers(10, 60), st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_a_sample_keeps_the_shares_of_the_classes(wanted, seed):
    y = np.repeat([0, 1, 2], [40, 15, 5])
    constant = DummyClassifier()
    X = np.ones((60, 1))
    found = diagnose(X, y, None, estimator=constant, cv=2, max_rows=wanted, random_state=seed)
    assert found.n_rows == wanted
    assert np.abs(found.class_counts - np.bincount(y) * wanted / 60).max() <= 1.0


@given(
    arrays(bool, (40, 3)), arrays(bool, (40, 3)), arrays(np.int64, 40, elements=st.integers(0, 3))
)
def test_redundancy_is_a_correlation_within_classes(right, present, classes):
    redundancy, rescue = agreement(right, present, classes)
    np.testing.assert_array_equal(redundancy, redundancy.T)
    assert np.all(np.isnan(redundancy) | (np.abs(redundancy) <= 1.0))
    diagonal = np.diag(redundancy)
    assert np.all(np.isnan(diagonal) | np.isclose(diagonal, 1.0))
    for j, k in ((0, 1), (2, 0)):
        both = present[:, j] & present[:, k]
        wrong = both & ~right[:, j]
        if wrong.any():
            assert rescue[j, k] == pytest.approx(right[wrong, k].mean())
        slow = [
            right[both & (classes == c)][:, [j, k]]
            - right[both & (classes == c)][:, [j, k]].mean(0)
            for c in np.unique(classes[both])
        ]
        centred = np.concatenate(slow) if slow else np.zeros((0, 2))
        if (np.abs(centred).sum(axis=0) > 1e-9).all():
            expected = np.corrcoef(centred.T)[0, 1]
            assert redundancy[j, k] == pytest.approx(expected, abs=1e-9)


def test_an_easy_class_does_not_make_views_redundant():
    rng = np.random.default_rng(0)
    classes = np.repeat([0, 1], 3000)
    right = rng.random((6000, 2)) < np.where(classes == 0, 0.95, 0.2)[:, None]
    assert np.corrcoef(right.T)[0, 1] > 0.5
    assert abs(agreement(right, np.ones_like(right), classes)[0][0, 1]) < 0.05


@pytest.mark.parametrize(
    ("recalls", "sizes", "word"),
    [
        ([1.0, 0.0, 0.0], [90, 5, 5], "weak"),
        ([0.9] + [0.1] * 9, [100] * 10, "imbalanced"),
        ([0.6, 0.5], [8, 8], "weak"),
        ([0.6, 0.5], [3000, 3000], "weak"),
        ([0.65, 0.65], [3000, 3000], "moderate"),
        ([0.9, 0.85, 0.0], [50, 50, 2], "strong"),
        ([np.nan, np.nan], [0, 0], "absent"),
        ([1.0, 0.5], [2, 2], "weak"),
        ([0.5, 0.5, 0.0], [157, 80, 3], "weak"),
        ([1.0, 0.0, np.nan], [90, 4, 0], "weak"),
        ([0.16] * 30, [100] * 30, "weak"),
    ],
)
def test_verdicts(recalls, sizes, word):
    assert judge(np.array(recalls), np.array(sizes)) == word
    assert word in VERDICTS


def test_the_remark_prints_what_was_judged():
    y = np.array([0] * 40 + [1] * 40 + [2] * 3)
    X = np.column_stack([np.arange(83) % 2, y]).astype(float)
    fixed = DummyClassifier(strategy="constant", constant=0)
    remark = diagnose(X, y, [0, 1, 2], estimator=fixed, random_state=0).remarks()[0]
    assert "mean recall 0.50 (guessing: 0.50; 1 class of fewer than 5 rows not counted)" in remark
    assert "is close to guessing" in remark
    X[40:, 1] = np.nan
    X[80:, 1] = 2.0
    lone = diagnose(X, y, [0, 1, 2], estimator=TREE, random_state=0)
    assert lone.view_counts.tolist() == [[40, 40, 3], [40, 0, 3]]
    assert lone.verdicts[1] == "weak"
    assert "guessing: 1.00; 2 classes" in lone.remarks()[1]


def test_a_weak_view_that_beats_guessing_is_not_called_guessing():
    rng = np.random.default_rng(0)
    y = np.arange(3000) % 30
    shown = np.where(rng.random(3000) < 0.13, y, rng.integers(30, size=3000))
    found = diagnose(np.eye(30)[shown], y, None, cv=2, random_state=0)
    assert found.verdicts == ("weak",)
    assert found.remarks()[0].startswith("all is weak, though better than guessing")


def test_redundant_conflicting_and_rescuing_views_are_named():
    rng = np.random.default_rng(0)
    y = np.arange(900) % 3
    noisy = np.where(rng.random(900) < 0.3, (y + 1) % 3, y)
    tells_two = np.where(y == 2, rng.integers(2, size=900), y)
    right = rng.random(900) < 0.6
    left, other = np.where(right, y, (y + 1) % 3), np.where(right, (y + 2) % 3, y)
    names = {"two": tells_two, "noisy": noisy, "again": noisy}
    found = read_off(names, y)
    assert found.redundant() == {"again": ["noisy"]}
    assert found.conflicts() == []
    assert found.rescued_classes() == {}
    assert found.remarks()[2].endswith("much the same rows as noisy, and is redundant given noisy.")
    assert found.remarks()[1].endswith("much the same rows as again.")
    apart = read_off({"two": tells_two, "left": left, "other": other}, y)
    assert apart.conflicts() == [("left", "other")]
    assert apart.redundant() == {}
    assert "conflicts with other: one is right where the other fails." in apart.remarks()[1]
    alone = read_off({"two": tells_two, "third": np.where(y == 2, 2, rng.integers(2, size=900))}, y)
    assert alone.rescued_classes() == {"third": [2]}
    assert alone.remarks()[1].endswith("No other view finds 2.")


def read_off(answers, y):
    """Diagnosis of views that each consist of what they answer."""
    columns = np.column_stack(list(answers.values())).astype(float)
    views = {name: [j] for j, name in enumerate(answers)}
    return diagnose(columns, y, views, estimator=ReadOff(), cv=2, random_state=0)


class ReadOff(ClassifierMixin, BaseEstimator):
    """Answers what stands in the only column."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return X[:, 0].astype(int)


@given(
    arrays(np.int64, (30, 3), elements=st.integers(0, 2)),
    arrays(bool, (30, 3)),
    arrays(np.int64, 30, elements=st.integers(0, 2)),
)
def test_same_mistakes_are_mistakes_that_are_not_rescued(answers, present, codes):
    shares = same_mistakes(answers, present, codes)
    rescue = agreement(answers == codes[:, None], present, codes)[1]
    np.testing.assert_array_equal(np.isnan(shares), np.isnan(rescue))
    assert np.all(np.isnan(shares) | (shares + rescue <= 1.0 + 1e-12))
    assert np.all(np.isnan(np.diag(shares)) | (np.diag(shares) == 1.0))


def test_small_classes_and_small_leads_rescue_nothing():
    recalls = np.array([[1.0, 0.6, 0.9], [0.0, 0.45, np.nan]])
    assert sole_knowledge(recalls, np.array([[4, 90, 90], [4, 90, 0]])).tolist() == [
        [False, False, True],
        [False, False, False],
    ]
    assert not sole_knowledge(recalls[:1], np.full((1, 3), 50)).any()


def test_table_and_text_name_every_view():
    X, y, views = four_views(90)
    found = diagnose(X, np.array(["low", "mid", "top"])[y], views, estimator=TREE, random_state=0)
    frame = found.to_frame()
    assert frame.index.tolist() == ["all", "zero", "noise", "copy"]
    assert frame.loc["all", "recall_top"] == found.recalls[0, 2]
    assert frame.loc["noise", "verdict"] == found.verdicts[2]
    text = str(found).splitlines()
    assert [line.split()[0] for line in text[:5]] == ["view", "all", "zero", "noise", "copy"]
    assert text[1].split()[3] == f"{found.accuracy[0]:.3f}"
    assert len(text) == 5 + 1 + 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": np.zeros(30)}, "one class"),
        ({"y": np.arange(29) % 2}, "inconsistent numbers"),
        ({"y": np.linspace(0, 1, 30)}, "continuous"),
        ({"cv": 1}, "cv must be a whole number between 2 and 30"),
        ({"cv": 31}, "got 31"),
        ({"cv": 2.5}, r"got 2\.5"),
        ({"max_rows": 1}, "max_rows must be a whole number at least 2"),
        ({"views": "prefix"}, "needs column names"),
        ({"views": {"a": [9]}}, "outside the 2 columns"),
        ({"X": np.full((30, 2), np.inf)}, "infinity"),
    ],
)
def test_bad_input_is_named(change, message):
    given_ = {"X": np.ones((30, 2)), "y": np.arange(30) % 2, "views": [0, 1, 2]} | change
    with pytest.raises(ValueError, match=message):
        diagnose(given_.pop("X"), given_.pop("y"), given_.pop("views"), **given_)
