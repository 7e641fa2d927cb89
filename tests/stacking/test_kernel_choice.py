"""Strength and kernel parameter are chosen together, by the answers of the whole combination."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from tests.stacking.problems import level_one_problem
from uneven.stacking.kernel.choice import choose_kernel_parameters, gamma_grid
from uneven.stacking.kernel.combiner import fit_kernel_combiner
from uneven.stacking.solvers.solve import STRENGTHS

FEW = {"strengths": [1e-4, 1e-2, 1.0], "gammas": [0.1, 1.0, 10.0]}


@pytest.mark.slow
@pytest.mark.parametrize("combination", ["ws", "cws", "lsg"])
@pytest.mark.parametrize("loss", ["squared", "hinge"])
def test_errors_are_those_of_the_combined_answers(combination, loss):
    P, y = level_one_problem(60, 3, 3, 0)
    share = np.random.default_rng(0).uniform(0.5, 1.5, 60)
    cv, tol = StratifiedKFold(3), 1e-8 if loss == "squared" else 5e-3
    words = {"combination": combination, "loss": loss}
    found = choose_kernel_parameters(P, y, cv=cv, share=share, **FEW, **words)
    for fold, (train, test) in enumerate(cv.split(P.reshape(60, -1), y)):
        for v, gamma in enumerate(FEW["gammas"]):
            for s, strength in enumerate(FEW["strengths"]):
                part = fit_kernel_combiner(
                    P[train], y[train], share=share[train], gamma=gamma, strength=strength, **words
                )
                wrong = part.predict(P[test]) != y[test]
                expected = np.average(wrong, weights=share[test])
                assert found.error[fold, v, s] == pytest.approx(expected)
                if (found.gamma, found.strength) == (gamma, strength):
                    assert found.held_out[test] == pytest.approx(part.scores(P[test]), abs=tol)
    assert found.error_mean[found.index] == found.error_mean.min()
    assert found.degree is None


def test_ties_go_to_the_largest_strength_then_to_the_smoothest_function():
    y = np.arange(40) % 2
    P = np.eye(2)[y][:, None, :] + np.zeros((40, 2, 1))
    for kernel, name in (("rbf", "gamma"), ("poly", "degree")):
        found = choose_kernel_parameters(
            P, y, kernel=kernel, loss="squared", strengths=[1e-3, 1e-2], **{name + "s": [3, 1, 2]}
        )
        assert (found.error == 0).all()
        assert found.strength == 1e-2
        assert getattr(found, name) == found.values[0] == found.values.min()


def test_the_grids_of_the_source():
    P, y = level_one_problem(24, 2, 2, 1)
    found = choose_kernel_parameters(P, y, loss="squared", kernel="poly", combination="lsg")
    assert found.strengths.tolist() == sorted(STRENGTHS)
    assert found.values.tolist() == [1, 2, 3, 4, 5]
    grid = gamma_grid(P, "lsg")
    flat = P.reshape(24, -1)
    apart = ((flat[:, None] - flat) ** 2).sum(axis=2)[np.triu_indices(24, 1)]
    assert grid * np.median(apart) == pytest.approx(2.0 ** np.arange(-7, 4))
    assert gamma_grid(np.ones((5, 2, 2))).tolist() == (2.0 ** np.arange(-7, 4)).tolist()


def test_the_chosen_options_fit_the_chosen_combiner():
    P, y = level_one_problem(40, 2, 3, 2)
    found = choose_kernel_parameters(P, y, combination="ws", loss="squared", **FEW)
    again = fit_kernel_combiner(P, y, loss="squared", **found.options)
    straight = fit_kernel_combiner(
        P, y, loss="squared", combination="ws", gamma=found.gamma, strength=found.strength
    )
    assert np.array_equal(again.scores(P), straight.scores(P))
    table = found.results()
    assert {len(column) for column in table.values()} == {9}
    row = np.argmin(
        np.abs(table["gamma"] - found.gamma) + np.abs(table["strength"] - found.strength)
    )
    assert table["mean_error"][row] == found.error_mean.min()


def test_linear_kernel_has_only_a_strength():
    P, y = level_one_problem(40, 2, 3, 3)
    found = choose_kernel_parameters(P, y, kernel="linear", loss="squared", strengths=[0.01, 0.1])
    assert found.error.shape == (2, 1, 2)
    assert (found.gamma, found.degree) == (None, None)
    assert set(found.results()) == {"strength", "mean_error", "std_error"}


def test_the_same_whatever_n_jobs():
    P, y = level_one_problem(40, 2, 3, 4)
    one, two = (choose_kernel_parameters(P, y, n_jobs=n, **FEW) for n in (1, 2))
    assert np.array_equal(one.error, two.error)
    assert np.array_equal(one.held_out, two.held_out)


def test_strengths_below_the_first_that_does_not_come_to_rest_are_not_judged():
    P, y = level_one_problem(60, 3, 3, 5)
    strengths = [1e-9, 1e-7, 1e-5, 1e-3, 1.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = choose_kernel_parameters(P, y, strengths=strengths, gammas=[0.1], max_iter=60)
    skipped = np.isnan(found.error)
    assert skipped[:, :, 0].all()
    assert not skipped[:, :, -1].any()
    assert np.isfinite(found.error_mean[found.index])


def test_rows_without_weight_change_nothing():
    P, y = level_one_problem(40, 2, 3, 6)
    extra = np.concatenate([P, 1.0 - P[:10]])
    labels = np.concatenate([y, (y[:10] + 1) % 3])
    folds = [(np.arange(0, 50, 2), np.arange(1, 50, 2)), (np.arange(1, 50, 2), np.arange(0, 50, 2))]

    class Given:
        def split(self, X, y):
            return [(a[a < len(y)], b[b < len(y)]) for a, b in folds]

    share = np.repeat([1.0, 0.0], [40, 10])
    words = {"cv": Given(), "loss": "squared", **FEW}
    weighed = choose_kernel_parameters(extra, labels, share=share, **words)
    plain = choose_kernel_parameters(P, y, **words)
    assert weighed.error == pytest.approx(plain.error)


def test_folds_of_one_class_are_passed_over():
    P, y = level_one_problem(12, 2, 2, 8)
    y[:] = 0
    y[:3] = 1

    class Given:
        def split(self, X, y):
            return [(np.arange(3, 12), np.arange(3)), (np.arange(0, 12, 2), np.arange(1, 12, 2))]

    found = choose_kernel_parameters(P, y, cv=Given(), **FEW)
    assert found.error.shape == (1, 3, 3)
    assert np.isnan(found.held_out[0]).all()
    assert np.isfinite(found.held_out[1::2]).all()
    y[1:] = 0
    y[0] = 1
    with pytest.raises(ValueError, match="leaves rows of two classes to learn from"):
        choose_kernel_parameters(P[:2], y[:2], **FEW)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"gammas": []}, "gammas must be a list of finite numbers above 0"),
        ({"gammas": [0.0]}, "gamma must be"),
        ({"gammas": "wide"}, "gammas must be a list"),
        ({"kernel": "poly", "degrees": [1.5]}, "degrees must be a list of whole numbers above 0"),
        ({"kernel": "poly", "degrees": [0]}, "degree must be"),
        ({"kernel": "cosine"}, "kernel must be one of"),
        ({"strengths": [-1.0]}, "strengths must be a list of finite numbers above 0"),
        ({"cv": 1}, "inner_cv must be a whole number at least 2"),
        ({"penalty": "group"}, "no form in the space of a kernel"),
    ],
)
def test_impossible_grids_are_refused(words, sentence):
    P, y = level_one_problem(20, 2, 3, 7)
    with pytest.raises(ValueError, match=sentence):
        choose_kernel_parameters(P, y, **words)
