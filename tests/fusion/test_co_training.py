"""Co-training: views teach each other, and stop when they no longer come to agree."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from uneven import LateFusionClassifier, MuComboClassifier
from uneven.fusion import CoTrainingClassifier

VIEWS = {"left": [0, 1, 2], "right": [3, 4, 5]}


def two_views(seed: int, n: int = 600, known: int = 12, apart: float = 1.2):
    """Two views that are independent given the class, few labels."""
    rng = np.random.default_rng(seed)
    t = rng.integers(0, 3, n)
    centres = rng.normal(size=(3, 6)) * apart
    X = rng.normal(size=(n, 6)) + centres[t]
    y = np.full(n, -1)
    rows = np.concatenate([np.flatnonzero(t == k)[: known // 3] for k in range(3)])
    y[rows] = t[rows]
    return X, y, t


def late() -> LateFusionClassifier:
    return LateFusionClassifier(LogisticRegression(), views=VIEWS)


def test_rows_without_label_help():
    gains = []
    for seed in range(9):
        X, y, t = two_views(seed)
        alone = clone(late()).fit(X[y >= 0], y[y >= 0])
        model = CoTrainingClassifier(late()).fit(X, y)
        gains.append(model.score(X, t) - alone.score(X, t))
    assert np.mean(gains) > 0.02
    assert min(gains) > -0.1


def test_it_stops_when_agreement_falls():
    X, y, _ = two_views(0)
    model = CoTrainingClassifier(late()).fit(X, y)
    kept = model.agreement_[: model.n_rounds_ + 1]
    assert (np.diff(kept) >= 0.0).all()
    if len(model.agreement_) > len(kept):
        assert model.agreement_[-1] < kept[-1]
    assert len(model.agreement_) <= model.n_rounds_ + 2


def test_views_of_noise_are_not_followed():
    rng = np.random.default_rng(0)
    X, t = rng.normal(size=(300, 6)), rng.integers(0, 2, 300)
    y = np.where(np.arange(300) < 10, t, -1)
    model = CoTrainingClassifier(late()).fit(X, y)
    assert abs(model.agreement_[0]) < 0.35


def test_missing_views_and_other_methods():
    X, y, t = two_views(1)
    X[::3, :3] = np.nan
    model = CoTrainingClassifier(MuComboClassifier(n_estimators=5, views=VIEWS)).fit(X, y)
    assert model.score(X, t) > 0.5
    assert model.predict_proba(X).shape == (600, 3)


def test_frames_sparse_rows_and_names():
    X, y, _ = two_views(2)
    names = [f"{view}__{j}" for view in ("left", "right") for j in range(3)]
    frame = pd.DataFrame(X, columns=names)
    words = np.array(["a", "b", "c", None], dtype=object)[y]
    plain = CoTrainingClassifier(late()).fit(X, y)
    named = CoTrainingClassifier(late(), views="prefix", unlabelled=None).fit(frame, words)
    assert named.views_.names == ("left", "right")
    np.testing.assert_array_equal(named.predict(frame), np.array(["a", "b", "c"])[plain.predict(X)])
    sparse = CoTrainingClassifier(late()).fit(sp.csr_matrix(X), y)
    np.testing.assert_array_equal(sparse.predict(sp.csr_matrix(X)), plain.predict(X))


def test_nothing_to_learn_from_is_plain_fusion():
    X, _, t = two_views(3)
    model = CoTrainingClassifier(late()).fit(X, t)
    np.testing.assert_array_equal(model.predict(X), late().fit(X, t).predict(X))
    assert (model.n_rounds_, model.agreement_) == (0, [])
    one_view = CoTrainingClassifier(LateFusionClassifier(GaussianNB())).fit(
        X, np.append(t[:9], [-1] * 591)
    )
    assert one_view.n_rounds_ == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"estimator": GaussianNB()}, "with views"),
        ({"growth": 0.0}, "growth must be"),
        ({"n_rounds": -1}, "n_rounds"),
    ],
)
def test_refuses(options, message):
    X, y, _ = two_views(0)
    with pytest.raises(ValueError, match=message):
        CoTrainingClassifier(**options).fit(X, y)


def many_classes(n_free: int):
    rng = np.random.default_rng(0)
    t = rng.integers(0, 10, 400)
    X = rng.normal(size=(400, 20)) + 3 * rng.normal(size=(10, 20))[t]
    known = np.concatenate([np.flatnonzero(t == k)[:3] for k in range(10)])
    free = np.setdiff1d(np.arange(400), known)[:n_free]
    y = np.concatenate([t[known], np.full(n_free, -1)])
    return X[np.concatenate([known, free])], y


def test_it_tells_if_the_first_round_has_no_row_for_any_class():
    X, y = many_classes(99)
    late = LateFusionClassifier(LogisticRegression(), views=[0, 10, 20])
    with pytest.warns(UserWarning, match=r"any of the 99 rows.*10 classes with growth=0\.1"):
        model = CoTrainingClassifier(late).fit(X, y)
    assert model.n_rounds_ == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        model = CoTrainingClassifier(late, growth=0.5).fit(X, y)
    assert model.n_rounds_ >= 1


def test_category_columns_are_refused():
    X, y, _ = two_views(0)
    frame = pd.DataFrame(X).rename(columns=str).assign(**{"0": pd.Categorical(["p", "q"] * 300)})
    with pytest.raises(ValueError, match="category columns: encode them"):
        CoTrainingClassifier(late()).fit(frame, y)
