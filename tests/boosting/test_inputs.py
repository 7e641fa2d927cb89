"""What the boosting estimators accept, what they refuse, and what they say then."""

import warnings
from datetime import datetime

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier

from tests.problems import gaussian_classes
from uneven import AdaBoostMMClassifier, ComboClassifier
from uneven.voters import CostTree, Weighted

METHODS = [AdaBoostMMClassifier, ComboClassifier]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_memory_layout_and_sparsity_do_not_matter(dtype, problem):
    X, y = problem
    X = np.where(X > 0, X, 0.0).astype(np.float32)
    expected = ComboClassifier(n_estimators=10).fit(X, y)
    for same in (np.asfortranarray(X, dtype=dtype), sp.csr_matrix(X), sp.csc_array(X)):
        model = ComboClassifier(n_estimators=10).fit(same, y)
        np.testing.assert_array_equal(model.decision_function(same), expected.decision_function(X))
        np.testing.assert_array_equal(model.decision_function(X), expected.decision_function(X))


def test_n_jobs_does_not_matter():
    X, y = gaussian_classes([20_000, 8_000, 4_000], n_features=20)
    one = ComboClassifier(n_estimators=5, n_jobs=1).fit(X, y)
    two = ComboClassifier(n_estimators=5, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


def test_strings_negative_and_unordered_labels(problem):
    X, y = problem
    words = np.array(["b", "ä", "a"])[y]
    model = ComboClassifier(n_estimators=5).fit(X, words)
    assert model.classes_.tolist() == ["a", "b", "ä"]
    assert set(model.predict(X)) <= {"a", "b", "ä"}
    numbers = np.array([7, -1, 3])[y]
    assert set(ComboClassifier(n_estimators=5).fit(X, numbers).predict(X)) <= {7, -1, 3}


def test_one_class_one_row_one_feature():
    one_class = ComboClassifier().fit(np.arange(6.0).reshape(-1, 1), np.full(6, "only"))
    assert one_class.predict([[3.0], [np.nan]]).tolist() == ["only", "only"]
    assert one_class.n_estimators_ == 0
    assert one_class.predict_proba([[1.0]]).tolist() == [[1.0]]
    one_row = ComboClassifier().fit([[1.0, 2.0]], [4])
    assert one_row.predict([[0.0, 0.0]]).tolist() == [4]
    one_feature = ComboClassifier(n_estimators=5).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    assert one_feature.predict([[0.5], [9.0]]).tolist() == [0, 1]
    assert one_feature.stop_reason_ == "a voter without training errors"


@pytest.mark.parametrize("method", METHODS)
def test_columns_without_information_answer_the_prior(method):
    y = np.array([0, 0, 1, 2])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = method().fit(np.ones((4, 2)), y)
    assert model.predict(np.zeros((3, 2))).tolist() == [0, 0, 0]
    np.testing.assert_allclose(model.predict_proba(np.zeros((1, 2)))[0].argmax(), 0)


def test_rows_with_nothing_known_get_the_most_frequent_class(problem):
    X, y = problem
    model = ComboClassifier(n_estimators=5).fit(X, y)
    nothing = np.full((2, X.shape[1]), np.nan)
    assert model.predict(nothing).tolist() == [0, 0]
    np.testing.assert_allclose(model.predict_proba(nothing), [model.class_prior_] * 2)
    assert not model.decision_function(nothing).any()


def test_training_rows_with_nothing_known_teach_nothing(problem):
    X, y = problem
    holes = np.vstack([X, np.full((30, X.shape[1]), np.nan)])
    labels = np.concatenate([y, np.full(30, 2)])
    with_holes = ComboClassifier(n_estimators=8).fit(holes, labels)
    without = ComboClassifier(n_estimators=8).fit(X, y)
    np.testing.assert_allclose(with_holes.history_["edge"], without.history_["edge"], rtol=1e-9)


def test_zero_weights_are_like_missing_rows(problem):
    X, y = problem
    weight = (np.arange(len(y)) % 3 > 0).astype(float)
    weighted = ComboClassifier(n_estimators=8).fit(X, y, sample_weight=weight)
    removed = ComboClassifier(n_estimators=8).fit(X[weight > 0], y[weight > 0])
    np.testing.assert_array_equal(weighted.decision_function(X), removed.decision_function(X))


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_huge_and_tiny_weights_and_values(scale, problem):
    X, y = problem
    plain = ComboClassifier(n_estimators=8).fit(X, y)
    weighted = ComboClassifier(n_estimators=8).fit(X, y, sample_weight=np.full(len(y), scale))
    stretched = ComboClassifier(n_estimators=8).fit(X * scale, y)
    np.testing.assert_allclose(weighted.history_["edge"], plain.history_["edge"], rtol=1e-9)
    np.testing.assert_array_equal(stretched.predict(X * scale), plain.predict(X))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_estimators": 0}, "n_estimators"),
        ({"n_estimators": 2.5}, "n_estimators"),
        ({"max_depth": 0}, "max_depth"),
        ({"max_depth": 99}, "max_depth"),
        ({"learning_rate": 0}, "learning_rate"),
        ({"learning_rate": 1.5}, "learning_rate"),
        ({"max_bins": 256}, "max_bins"),
        ({"class_cost": np.ones((2, 2))}, r"shape \(2, 2\), but y holds 3 classes \(\[0, 1, 2\]\)"),
        ({"class_cost": -np.ones((3, 3))}, "class_cost"),
        ({"class_cost": np.zeros((3, 3))}, "nothing to learn"),
        ({"class_cost": "high"}, "class_cost"),
        ({"views": [0, 2]}, "boundaries"),
        ({"validation_fraction": 1.0}, "validation_fraction"),
        ({"early_stopping": "yes"}, "early_stopping must be True or False"),
        ({"n_jobs": 1.5}, "n_jobs"),
        ({"early_stopping": True, "n_iter_no_change": 0}, "n_iter_no_change"),
    ],
)
def test_bad_parameters_are_named(params, message, problem):
    X, y = problem
    model = ComboClassifier(**params)
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_bad_data_is_named(problem):
    X, y = problem
    model = ComboClassifier(n_estimators=2)
    with pytest.raises(ValueError, match="infinity"):
        model.fit(np.where(X > 1, np.inf, X), y)
    with pytest.raises(ValueError, match="sample_weight must hold finite"):
        model.fit(X, y, sample_weight=-np.ones(len(y)))
    with pytest.raises(ValueError, match="zero for every row"):
        model.fit(X, y, sample_weight=np.zeros(len(y)))
    with pytest.raises(ValueError, match="entries, X has"):
        model.fit(X, y, sample_weight=np.ones(3))
    with pytest.raises(TypeError, match="weak learner"):
        ComboClassifier("tree").fit(X, y)
    with pytest.raises(ValueError, match="takes no sample_weight"):
        ComboClassifier(Weighted(KNeighborsClassifier())).fit(X, y)


def test_a_failed_fit_leaves_no_model_behind(problem):
    X, y = problem
    model = ComboClassifier(class_cost=np.ones((2, 2)))
    with pytest.raises(ValueError, match="class_cost"):
        model.fit(X, y)
    assert not hasattr(model, "vote_")


@pytest.mark.parametrize(
    ("params", "table"),
    [
        ({"class_cost": np.ones((2, 2))}, lambda X, y: (X[:, :1], y)),
        ({"class_cost": np.ones((3, 3))}, lambda X, y: (X, y > 0)),
        ({"views": "prefix"}, lambda X, y: (X[:, :2], y)),
    ],
)
def test_a_failed_refit_leaves_the_earlier_model_whole(params, table, problem):
    X, y = problem
    model = ComboClassifier(n_estimators=5).fit(X, y)
    expected, fitted = model.predict(X), set(vars(model))
    model.set_params(**params)
    with pytest.raises(ValueError):
        model.fit(*table(X, y))
    np.testing.assert_array_equal(model.predict(X), expected)
    assert set(vars(model)) == fitted


def test_an_interrupted_refit_leaves_the_earlier_model_whole(problem):
    X, y = problem

    class Interrupting(CostTree):
        def learn(self, *args, **kwargs):
            raise KeyboardInterrupt

    model = ComboClassifier(n_estimators=5).fit(X, y)
    expected = model.predict(X)
    with pytest.raises(KeyboardInterrupt):
        model.set_params(estimator=Interrupting()).fit(X[:, :2], y)
    np.testing.assert_array_equal(model.predict(X), expected)


def test_sparse_equals_dense_with_missing_values_and_weights():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 3))
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)
    X[rng.random(X.shape) < 0.3] = np.nan
    weight = np.where(np.arange(1500) < 700, 100.0, 0.01)
    dense = ComboClassifier(n_estimators=5).fit(X, y, weight)
    sparse = ComboClassifier(n_estimators=5).fit(sp.csc_array(X), y, weight)
    np.testing.assert_array_equal(sparse.decision_function(X), dense.decision_function(X))


def test_fit_does_not_change_the_callers_sparse_matrix(problem):
    X, y = problem
    tidy = sp.csc_array(np.where(X > 0, X, 0.0))
    data, indices = tidy.data.copy(), tidy.indices.copy()
    for start, stop in zip(tidy.indptr, tidy.indptr[1:]):
        data[start:stop], indices[start:stop] = data[start:stop][::-1], indices[start:stop][::-1]
    untidy = sp.csc_array((data, indices, tidy.indptr), shape=tidy.shape)
    untidy.data.flags.writeable = untidy.indices.flags.writeable = False
    kept = untidy.indices.copy()
    model = ComboClassifier(n_estimators=3).fit(untidy, y)
    np.testing.assert_array_equal(untidy.indices, kept)
    np.testing.assert_array_equal(
        model.decision_function(tidy),
        ComboClassifier(n_estimators=3).fit(tidy, y).decision_function(tidy),
    )


def test_weights_beyond_the_range_of_doubles_keep_their_classes(problem):
    X, y = problem
    model = ComboClassifier(n_estimators=3).fit(X, y, np.where(y == 0, 1e300, 1e-300))
    assert model.classes_.tolist() == [0, 1, 2]


def test_columns_outside_the_views_are_not_read(problem):
    X, y = problem
    leak = np.column_stack([X, y])
    model = ComboClassifier(n_estimators=5, views={"a": [0, 1], "b": [2]}).fit(leak, y)
    leak[:, -1] = 99.0
    inside = ComboClassifier(n_estimators=5).fit(X[:, :3], y)
    np.testing.assert_array_equal(model.predict(leak), inside.predict(X[:, :3]))


def test_frames_with_categories():
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    rng = np.random.default_rng(0)
    sizes = np.array(["small", "medium", "large"])
    pick = rng.integers(0, 3, 90)
    frame = pd.DataFrame(
        {
            "size": pd.Categorical(sizes[pick], categories=sizes, ordered=True),
            "noise": rng.normal(size=90),
        }
    )
    model = ComboClassifier(n_estimators=5).fit(frame, pick)
    assert model.score(frame, pick) == 1.0
    assert model.categories_ == {"size": ["small", "medium", "large"]}
    reordered = frame.assign(size=frame["size"].cat.reorder_categories(sizes[::-1]))
    np.testing.assert_array_equal(model.predict(reordered), model.predict(frame))
    unknown = frame.assign(size=pd.Categorical(["giant"] * 90))
    assert model.predict(unknown).shape == (90,)
    polars = pl.DataFrame(
        {"size": pl.Series(sizes[pick].tolist(), dtype=pl.Enum(sizes.tolist())),
         "noise": frame["noise"].to_numpy()}
    )  # fmt: skip
    twin = ComboClassifier(n_estimators=5).fit(polars, pick)
    np.testing.assert_array_equal(twin.predict(polars), model.predict(frame))


def test_frames_with_odd_column_names():
    pd = pytest.importorskip("pandas")
    size = pd.Categorical(["s", "l", "s", "l"] * 5, categories=["s", "l"])
    numbered = pd.DataFrame({0: size, 1: np.arange(20.0)})
    model = ComboClassifier(n_estimators=3).fit(numbered, np.tile([0, 1], 10))
    assert model.score(numbered, np.tile([0, 1], 10)) == 1.0
    assert str(numbered[0].dtype) == "category"
    twice = pd.DataFrame(np.ones((4, 2)), columns=["a", "a"])
    with pytest.raises(ValueError, match="several columns named 'a'"):
        model.fit(twice, [0, 1, 0, 1])


def test_text_columns_are_refused_with_a_way_out():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"colour": ["red", "blue", "red", "blue"]})
    with pytest.raises(ValueError, match=r"'colour' holds text such as 'red'.*category"):
        ComboClassifier().fit(frame, [0, 1, 0, 1])
    later = pd.DataFrame({"colour": ["1", "2", "red", "1"]})
    with pytest.raises(ValueError, match=r"'colour' holds text such as 'red'"):
        ComboClassifier().fit(later, [0, 1, 0, 1])
    ComboClassifier(n_estimators=2).fit(later[:2], [0, 1])


def test_objects_with_missing_marks_of_pandas_are_refused_with_a_way_out():
    pd = pytest.importorskip("pandas")
    for cells in ([1.0, pd.NA, 2.0, 1.0], ["1", pd.NA, "2", "1"]):
        frame = pd.DataFrame({"size": pd.Series(cells, dtype=object)})
        with pytest.raises(ValueError, match=r"'size' holds objects, and pandas.NA .*to_numeric"):
            ComboClassifier().fit(frame, [0, 1, 0, 1])
        numbers = frame.assign(size=pd.to_numeric(frame["size"]))
        ComboClassifier(n_estimators=2).fit(numbers, [0, 1, 0, 1])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_dates_are_refused_with_a_way_out(library):
    frames = pytest.importorskip(library)
    days = [datetime(2020, 1, day) for day in (1, 2, 3, 4)]
    frame = frames.DataFrame({"size": [1.0, 2.0, 3.0, 4.0], "when": days})
    with pytest.raises(ValueError, match=r"'when' holds dates or times .* into numbers"):
        ComboClassifier().fit(frame, [0, 1, 0, 1])


def test_prefix_views_from_a_frame(problem):
    pd = pytest.importorskip("pandas")
    X, y = problem
    frame = pd.DataFrame(X, columns=["a__0", "a__1", "b__0", "b__1"])
    model = ComboClassifier(n_estimators=5, views="prefix").fit(frame, y)
    assert model.views_.names == ("a", "b")
    assert model.explain().feature_names == list(frame.columns)
