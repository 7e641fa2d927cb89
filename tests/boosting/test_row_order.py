"""The same rows in another order give the same model, bit for bit."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.problems import gaussian_classes, tables, view_tables
from uneven import AdaBoostMMClassifier, ComboClassifier, MuComboClassifier, MumboClassifier
from uneven.boosting import ShareBoostClassifier

TREE = ("feature", "threshold", "missing_left", "child", "label", "reach")


def bits(model):
    """All numbers of a fitted model, as bytes."""
    parts = [model.class_prior_, model.vote_.rounds]
    for term in model.vote_.terms():
        parts += [term.weight, np.array(term.view)]
        parts += [getattr(term.voter, name) for name in TREE]
    for key in sorted(model.history_):
        parts.append(np.asarray(model.history_[key]))
    return [(part.shape, part.tobytes()) for part in parts]


def assert_order_does_not_matter(model, X, y, seed, **columns):
    order = np.random.RandomState(seed).permutation(len(y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        there = bits(model.fit(X, y, **columns))
        here = bits(model.fit(X[order], y[order], **{k: v[order] for k, v in columns.items()}))
    assert there == here


@st.composite
def sample_weights(draw, n):
    """None, whole numbers, or any numbers, some of them zero and some of them tiny."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["none", "whole", "gamma", "wide"]))
    if kind == "none":
        return {}
    if kind == "whole":
        return {"sample_weight": rng.integers(1, 4, n).astype(float)}
    spread = rng.gamma(0.7, size=n) if kind == "gamma" else 10.0 ** rng.uniform(-9, 3, n)
    return {"sample_weight": spread}


@st.composite
def settings_of_a_fit(draw, n_classes):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    prices = rng.uniform(0.1, 3.0, (n_classes, n_classes))
    return {
        "max_depth": draw(st.integers(1, 3)),
        "n_estimators": draw(st.sampled_from([3, 8])),
        "subsample": draw(st.sampled_from([1.0, 0.5])),
        "early_stopping": draw(st.booleans()),
        "validation_fraction": 0.3,
        "n_iter_no_change": 3,
        "class_cost": draw(st.sampled_from([None, prices])),
        "max_bins": draw(st.sampled_from([4, 255])),
        "random_state": draw(st.integers(0, 100)),
    }


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([AdaBoostMMClassifier, ComboClassifier]), tables(), st.booleans(), st.data())
def test_one_view(method, problem, sparse, data):
    X, y, n_classes = problem
    model = method(**data.draw(settings_of_a_fit(n_classes)))
    model.set_params(line_search=data.draw(st.booleans()))
    if sparse:
        X = sp.csr_array(X)
    assert_order_does_not_matter(model, X, y, 1, **data.draw(sample_weights(len(y))))


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(
        [
            MumboClassifier(cooperation="gauss"),
            MumboClassifier(selection="class_focus"),
            MumboClassifier(selection="diversity"),
            MuComboClassifier(),
            MuComboClassifier(coefficients="simplified"),
            ShareBoostClassifier(),
        ]
    ),
    view_tables(max_views=3),
    st.data(),
)
def test_several_views(method, problem, data):
    X, y, n_classes, views = problem
    model = method.set_params(views=views, **data.draw(settings_of_a_fit(n_classes)))
    assert_order_does_not_matter(model, X, y, 2, **data.draw(sample_weights(len(y))))


@settings(max_examples=20, deadline=None)
@given(st.sampled_from([AdaBoostMMClassifier, ComboClassifier]), tables(), st.data())
def test_noisy_labels(method, problem, data):
    X, y, n_classes = problem
    noise = np.full((n_classes, n_classes), 0.2 / n_classes) + 0.8 * np.eye(n_classes)
    model = method(noise_matrix=noise, **data.draw(settings_of_a_fit(n_classes)))
    clean = np.random.RandomState(data.draw(st.integers(0, 9))).rand(len(y)) < 0.3
    assert_order_does_not_matter(model, X, y, 3, clean=clean, **data.draw(sample_weights(len(y))))


def test_a_smallest_class_whose_size_is_a_power_of_two():
    """The first stake of CoMBo is then a power of two, where the quantum jumps."""
    X, y = gaussian_classes([16, 49], separation=0.5)
    for seed in range(20):
        assert_order_does_not_matter(ComboClassifier(n_estimators=2, max_depth=1), X, y, seed)


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
def test_more_rows_than_are_looked_at_for_bins(weighted):
    X, y = gaussian_classes([25_000, 12_000, 3_000], separation=0.4)
    X[::9, 1] = np.nan
    X[:500] = X[500:1000]
    mass = np.random.RandomState(0).gamma(0.7, size=len(y))
    columns = {"sample_weight": mass} if weighted else {}
    model = ComboClassifier(n_estimators=15, subsample=0.7, early_stopping=True, random_state=0)
    assert_order_does_not_matter(model, X, y, 4, **columns)
