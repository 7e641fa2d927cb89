"""What cutting planes promise about active learning."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uneven import ActiveLearner, BayesPointClassifier
from uneven.active import NoInformativeRow, PerfectOracle, simulate
from uneven.bounds import grunbaum_share
from uneven.versionspace import VersionSpace, exact_centre, hit_and_run


def unit_rows(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    rows = rng.normal(size=(n, d))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def one_of_each(y: np.ndarray) -> np.ndarray:
    return np.array([np.flatnonzero(y == label)[0] for label in np.unique(y)])


def asked_until_nothing_is_open(X, y, query="centre_of_gravity"):
    learner = ActiveLearner(
        BayesPointClassifier("linear"), query, stop=NoInformativeRow(), random_state=0
    ).start(X)
    learner.tell(first := one_of_each(y), y[first])
    while learner.stop_reason() is None:
        rows = learner.ask(1)
        learner.tell(rows, y[rows])
    return learner


@pytest.mark.parametrize("n", [10, 100, 1000])
def test_in_the_plane_the_centre_searches_by_halving(n):
    queries = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        angles = rng.uniform(0, 2 * np.pi, n)
        X = np.column_stack([np.cos(angles), np.sin(angles)])
        y = (X @ unit_rows(rng, 1, 2)[0] > 0).astype(int)
        if len(np.unique(y)) < 2:
            continue
        learner = asked_until_nothing_is_open(X, y)
        assert (learner.predict(X) == y).all()
        queries.append(len(learner.labelled_) - 2)
    assert len(queries) >= 4
    assert max(queries) <= np.log2(n) + 4
    assert np.mean(queries) <= np.log2(n) + 1


def test_drawing_at_random_needs_many_more_questions_than_halving():
    rng = np.random.default_rng(1)
    angles = rng.uniform(0, 2 * np.pi, 100)
    X = np.column_stack([np.cos(angles), np.sin(angles)])
    y = (X @ [1.0, 0.3] > 0).astype(int)
    halving, drawing = (
        len(asked_until_nothing_is_open(X, y, query).labelled_)
        for query in ("centre_of_gravity", "random")
    )
    assert drawing > 3 * halving


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(st.integers(2, 4), st.integers(0, 10**6))
def test_labels_that_are_implied_are_right_and_cut_nothing(d, seed):
    rng = np.random.default_rng(seed)
    X, w = unit_rows(rng, 40, d), unit_rows(rng, 1, d)[0]
    t = np.where(X @ w > 0, 1, -1)
    space = VersionSpace.from_labels(X[:10], t[:10])
    implied = space.implied_labels(X[10:])
    known = implied != 0
    assert (implied[known] == t[10:][known]).all()
    samples = hit_and_run(space.cuts, n_samples=100, rng=0)
    for x, label in zip(X[10:][known], implied[known]):
        assert (label * (samples @ x) >= -1e-9).all()
    if d <= 3 and known.any():
        more = VersionSpace(np.vstack([space.cuts, X[10:][known] * implied[known, None]]))
        assert exact_centre(more.cuts).share == pytest.approx(exact_centre(space.cuts).share)


@pytest.mark.parametrize("d", [3, 5])
def test_when_nothing_is_open_all_that_agree_label_the_pool_alike(d):
    rng = np.random.default_rng(d)
    X = unit_rows(rng, 80, d)
    y = (X @ unit_rows(rng, 1, d)[0] > 0).astype(int)
    learner = asked_until_nothing_is_open(X, y)
    assert len(learner.labelled_) < 60
    assert (learner.predict(X) == y).all()
    space = VersionSpace.from_labels(X[learner.labelled_], 2 * learner.labels_ - 1)
    samples = hit_and_run(space.cuts, n_samples=200, rng=0)
    assert ((samples @ X.T > 0) == y).all()


def test_either_answer_leaves_at_most_what_the_theorem_allows():
    """The nearest of many hyperplanes is as good as one through the centre."""
    rng = np.random.default_rng(0)
    X = unit_rows(rng, 3000, 3)
    y = np.where(X @ unit_rows(rng, 1, 3)[0] > 0, 1, -1)
    linear = BayesPointClassifier("linear")
    learner = ActiveLearner(linear, "centre_of_gravity", random_state=0).start(X)
    learner.tell(first := np.r_[one_of_each(y), 7, 8], y[first])
    for _ in range(8):
        row = learner.ask(1)
        space = VersionSpace.from_labels(X[learner.labelled_], learner.labels_)
        whole = exact_centre(space.cuts).share
        for label in (1, -1):
            part = exact_centre(space.with_cut(X[row[0]], label).cuts).share / whole
            assert part <= 1 - grunbaum_share(3) + 0.02
        learner.tell(row, y[row])


@pytest.mark.slow
def test_centre_of_gravity_beats_chebyshev_and_both_beat_chance_without_noise():
    kinds = {
        "gravity": ("propagation", "centre_of_gravity"),
        "chebyshev": ("chebyshev", "simple"),
    }
    scores: dict[str, list[np.ndarray]] = {kind: [] for kind in kinds}
    passive = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        w, X, X_test = rng.normal(size=10), unit_rows(rng, 500, 10), unit_rows(rng, 1000, 10)
        y, y_test = ((table @ w > 0).astype(int) for table in (X, X_test))
        for kind, (centre, query) in kinds.items():
            model = BayesPointClassifier("linear", centre=centre)
            curve = simulate(
                ActiveLearner(model, query, random_state=seed),
                X,
                PerfectOracle(y),
                budget=40,
                start=one_of_each(y),
                X_test=X_test,
                y_test=y_test,
            )
            scores[kind].append(curve.scores[[10, 20, 30, 40]])
        drawn = np.r_[one_of_each(y), rng.permutation(500)[:40]]
        model = BayesPointClassifier("linear").fit(X[drawn], y[drawn])
        passive.append(model.score(X_test, y_test))
    gravity, chebyshev = (np.mean(scores[kind], axis=0) for kind in kinds)
    assert (gravity >= chebyshev - 0.01).all()
    assert gravity[3] >= np.mean(passive) + 0.03
    assert chebyshev[3] >= np.mean(passive) + 0.03
