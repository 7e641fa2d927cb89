"""UMA at its doors: chunks of rows, tables of every kind, impossible input."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from tests.noise.uma_problems import fitted, problem
from uneven.noise import UMAClassifier, corrupt_labels, update_vectors
from uneven.noise.uma.algorithm import SELECTIONS

C = np.array([[0.8, 0.1, 0.2], [0.1, 0.7, 0.1], [0.1, 0.2, 0.7]])
X = np.array(
    [(1, 0), (0.8, 0.6), (0.6, 0.8), (0, 1), (-0.6, 0.8), (-0.8, -0.6), (0, -1), (0.8, -0.6)]
)
Y = np.array([0, 1, 1, 0, 2, 2, 1, 0])
COEF = np.array([[0.5, -0.1], [-0.3, 0.4], [-0.2, -0.3]])


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("average", [False, True])
def test_partial_fit_is_one_step(selection, average):
    rows, t, _, _, noise = problem(1)
    y = corrupt_labels(t, noise, rng=0, classes=range(3))
    whole = UMAClassifier(noise, selection=selection, average=average, random_state=0, max_iter=9)
    online = clone(whole)
    for _ in range(9):
        online.partial_fit(rows, y, classes=[0, 1, 2])
    whole.fit(rows, y)
    assert online.n_iter_ == whole.n_iter_ == 9
    assert online.coef_ == pytest.approx(whole.coef_, abs=1e-12)
    assert online.label_counts_.tolist() == (9 * np.bincount(y)).tolist()
    for name, values in whole.history_.items():
        assert online.history_[name] == pytest.approx(values, abs=1e-12)


def test_partial_fit_on_fresh_chunks_learns_and_goes_on_after_fit():
    rows, t, _, _, noise = problem(5, n=4000, d=3)
    y = corrupt_labels(t, noise, rng=0)
    model = UMAClassifier(noise, average=False)
    for chunk in np.array_split(np.arange(4000), 40):
        model.partial_fit(rows[chunk], y[chunk], classes=[0, 1, 2])
    assert model.score(rows, t) > 0.9
    nine = clone(model).set_params(max_iter=9).fit(rows, y)
    before = nine.coef_.copy()
    nine.partial_fit(rows, y)
    assert nine.n_iter_ == 10
    assert not np.array_equal(before, nine.coef_)
    assert nine.coef_ == pytest.approx(fitted(rows, y, noise, max_iter=10).coef_, abs=1e-12)


def test_classes_of_earlier_chunks_count_in_the_prior():
    rows, _, _, _, _ = problem(5)
    model = UMAClassifier().partial_fit(rows[:30], [0] * 30, classes=[0, 1, 2])
    model.partial_fit(rows[30:45], [1] * 15).partial_fit(rows[45:], [2] * 15)
    assert model.label_counts_.tolist() == [30, 15, 15]
    assert model.class_prior_ == pytest.approx([0.5, 0.25, 0.25])


def test_pocket_and_patience_do_not_count_in_partial_fit():
    rows, t, _, _, noise = problem(6, n=150)
    y = corrupt_labels(t, noise, rng=0)
    models = [UMAClassifier(noise), UMAClassifier(noise, pocket=True, patience=1)]
    for _ in range(30):
        plain, other = (model.partial_fit(rows, y, classes=[0, 1, 2]) for model in models)
        assert other.coef_.tolist() == plain.coef_.tolist()
        assert other.stop_reason_ == plain.stop_reason_
    assert np.diff(plain.history_["risk"]).max() > 0


def test_partial_fit_refuses_what_it_cannot_go_on_from():
    rows, t, _, _, noise = problem(5)
    with pytest.raises(AttributeError) as refusal:
        UMAClassifier(noise, kernel="rbf").partial_fit(rows, t, classes=[0, 1, 2])
    assert "Nystroem" in str(refusal.value.__cause__)
    model = fitted(rows, t, noise, kernel="rbf", max_iter=5).set_params(kernel=None)
    before = model.decision_function(rows)
    with pytest.raises(ValueError, match="fitted with a kernel"):
        model.partial_fit(rows, t)
    assert (model.decision_function(rows) == before).all()
    model.fit(rows, t).partial_fit(rows, t)
    with pytest.raises(
        ValueError, match=r"fit_intercept changed since .* 4 columns, the rows now 5"
    ):
        model.set_params(fit_intercept=True).partial_fit(rows, t)


def test_strings_frames_and_types_give_the_same_model():
    rows, t, _, _, noise = problem(10)
    names = np.array(["ant", "bee", "cat"])
    base = fitted(rows, t, noise, max_iter=30)
    labelled = pd.DataFrame(noise, index=names, columns=names).iloc[::-1]
    columns = [f"x{k}" for k in range(4)]
    named = fitted(rows, names[t], labelled, max_iter=30)
    assert named.coef_ == pytest.approx(base.coef_)
    assert (named.predict(rows) == names[base.predict(rows)]).all()
    for frame in (pd.DataFrame(rows, columns=columns), pl.DataFrame(rows, schema=columns)):
        model = fitted(frame, t, noise, max_iter=30)
        assert model.coef_ == pytest.approx(base.coef_)
        assert model.feature_names_in_.tolist() == columns
    single = fitted(rows.astype(np.float32), t, noise, max_iter=30)
    assert single.coef_.dtype == np.float64
    assert single.coef_ == pytest.approx(base.coef_, abs=1e-5)


def test_rows_of_zeros_do_not_count():
    rows, t, _, _, noise = problem(11)
    base = fitted(rows, t, noise, max_iter=30)
    more = np.vstack([rows, np.zeros((5, 4))])
    with pytest.warns(UserWarning, match="5 of 65 rows"):
        model = fitted(more, np.append(t, [0, 1, 2, 0, 0]), noise, max_iter=30)
    assert model.coef_ == pytest.approx(base.coef_)
    assert model.history_["mass"] == pytest.approx(base.history_["mass"])
    with pytest.warns(UserWarning, match="nothing can be learnt"):
        empty = fitted(np.zeros((3, 2)), [0, 1, 1])
    assert not empty.coef_.any()
    assert (empty.n_iter_, empty.stop_reason_) == (0, "small_updates")
    dual = fitted(more, np.append(t, [0, 1, 2, 0, 0]), noise, kernel="linear", max_iter=30)
    assert dual.expansion_.support.max() < 60


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"alpha": -1.0}, "alpha must be a finite number >= 0, got -1.0"),
        ({"alpha": float("nan")}, "alpha must be"),
        ({"alpha_mode": "relative"}, "alpha_mode must be one of"),
        ({"selection": "best"}, "selection must be one of"),
        ({"step": "mira"}, "step must be one of"),
        ({"normalize_updates": "l1"}, "normalize_updates must be one of"),
        ({"tol": "small"}, "tol must be a finite number >= 0 or 'auto', got 'small'"),
        ({"max_iter": 0}, "max_iter must be a whole number at least 1"),
        ({"patience": 0}, "patience must be"),
        ({"fit_intercept": 1}, "fit_intercept must be True or False"),
        ({"kernel": "gauss"}, "kernel must be one of"),
        ({"gamma": -1.0}, "gamma must be 'scale', 'auto', None or a finite number above 0: -1.0"),
        ({"gamma": "wide"}, "gamma must be 'scale'"),
        ({"coef0": "one"}, "coef0 must be a finite number"),
        ({"on_singular": "ignore"}, "on_singular must be one of"),
        ({"noise_matrix": C[:2, :2]}, "3 classes"),
        ({"noise_matrix": [[0.7, 0.1, 0.2], [0.3, 0.6, 0.1], [0.1, 0.1, 0.8]]}, "transposed"),
        ({"noise_matrix": np.full((3, 3), 1 / 3)}, "same labels"),
    ],
)
def test_impossible_parameters_are_named(parameters, words):
    model = UMAClassifier(**parameters)
    with pytest.raises(ValueError, match=words):
        model.fit(X, Y)
    assert not hasattr(model, "classes_")


def test_impossible_data_is_named():
    with pytest.raises(ValueError, match="one class only"):
        fitted(X, np.zeros(8))
    with pytest.raises(ValueError, match=r"label_weights has shape \(3, 3\), but X has 8 rows"):
        UMAClassifier(C).fit(X, Y, label_weights=np.ones((3, 3)))
    with pytest.raises(ValueError, match="3 classes"):
        UMAClassifier(C).fit(X, Y, label_weights=np.ones((8, 2)))
    with pytest.raises(ValueError, match="finite"):
        UMAClassifier(C).fit(X, Y, label_weights=np.full((8, 3), np.nan))
    with pytest.raises(ValueError, match=r"label_weights has shape \(8,\), .* a column per class"):
        UMAClassifier(C).fit(X, Y, label_weights=Y)
    with pytest.raises(ValueError, match=r">= 0, got -0\.5"):
        UMAClassifier(C).fit(X, Y, label_weights=np.full((8, 3), -0.5))
    with pytest.raises(ValueError, match="square"):
        fitted(X, Y, kernel="precomputed")
    with pytest.raises(ValueError, match="kernel of row 0 with itself is -1"):
        fitted(-X @ X.T, Y, kernel="precomputed")
    with pytest.raises(ValueError, match=r"coef has shape \(2, 2\)"):
        update_vectors(X, Y, np.ones((2, 2)), C)
    with pytest.raises(ValueError, match="alpha must be a finite number >= 0, got -1"):
        update_vectors(X, Y, COEF, C, alpha=-1)
    with pytest.raises(ValueError, match="coef holds NaN"):
        update_vectors(X, Y, np.full((3, 2), np.nan), C)
    with pytest.raises(ValueError, match="y has 7 rows, X has 8"):
        update_vectors(X, Y[:7], COEF, C)
    with pytest.raises(ValueError, match="labels run from 0 to 2"):
        update_vectors(X, Y, np.ones((2, 2)), np.eye(2))
    with pytest.raises(ValueError, match="NaN"):
        update_vectors(np.full((8, 2), np.nan), Y, COEF, C)


def test_label_weights_may_be_sparse():
    weights = C[:, Y].T.copy()
    weights[0] = [1.0, 0.0, 0.0]
    dense = UMAClassifier(C, max_iter=30).fit(X, Y, label_weights=weights)
    for form in (sp.csr_matrix, sp.coo_array, pd.DataFrame):
        model = UMAClassifier(C, max_iter=30).fit(X, Y, label_weights=form(weights))
        assert model.coef_ == pytest.approx(dense.coef_)
    assert update_vectors(X, sp.csr_array(weights), COEF, C) == pytest.approx(
        update_vectors(X, weights, COEF, C)
    )


def test_failed_refit_leaves_the_old_model():
    model = fitted(X, Y, C)
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full((8, 2), np.nan), Y)
    assert (model.coef_ == before).all()
    assert model.fit(X, Y).n_iter_ == 500


def test_verbose_prints_steps(capsys):
    fitted(X, Y, C, max_iter=100, verbose=2)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines] == ["step 50", "step 100"]
