"""What `certify` says about a vote, against values worked by hand and rows still to come."""

import math

import numpy as np
import pytest

from uneven import (
    CarakoClassifier,
    LateFusionClassifier,
    MuComboClassifier,
    MumboClassifier,
    NormComboClassifier,
)
from uneven.boosting import ShareBoostClassifier
from uneven.bounds import binary_kl_inverse, c_bound, disagreement_bound, gibbs_risk_bound
from uneven.datasets import make_uneven_views
from uneven.votes import Term, Vote, certify


class Column:
    """A voter that answers what stands in a column."""

    def __init__(self, column: int) -> None:
        self.column = column

    def predict(self, X):
        return X[:, self.column].astype(int)


def by_hand(weights, missing=()):
    """Two views, the first with two voters; the true class is 0 in all four rows."""
    X = np.array([[0, 0, 0], [0, 1, 0], [0, 1, 1], [1, 1, 0]], dtype=float)
    X[list(missing), 2] = np.nan
    model = MumboClassifier(views={"a": [0, 1], "b": [2]}, n_estimators=1)
    model.fit(np.array([[0, 0, 0], [1, 1, 1.0]]), [0, 1])
    terms = [Term(Column(j), np.full(2, w), int(j == 2)) for j, w in enumerate(weights)]
    model.vote_ = Vote(terms, [3], 2, model.views_)
    return model, X, np.zeros(4, dtype=int)


def test_worked_by_hand():
    found = certify(*by_hand([1.0, 1.0, 2.0]))
    assert found.names == ("a", "b")
    np.testing.assert_allclose(found.view_weights, [0.5, 0.5])
    assert found.n_voters.tolist() == [2, 1]
    np.testing.assert_allclose(found.view_risks, [0.5, 0.25])
    # Mean losses of the views: a 0, 1/2, 1/2, 1; b 0, 0, 1, 0.
    np.testing.assert_allclose(found.expected_disagreement, [[0.25, 0.5], [0.5, 0.0]])
    np.testing.assert_allclose(found.vote_disagreement, [[0.0, 0.5], [0.5, 0.0]])
    # Mean losses of the vote: 0, 1/4, 3/4, 1/2.
    assert found.gibbs_risk == pytest.approx(0.375)
    assert found.disagreement == pytest.approx(2 * (0.1875 + 0.1875 + 0.25) / 4)
    assert (found.divergence_between, found.divergence_within) == pytest.approx((0.0, 0.0))
    assert found.error == 0.25
    assert found.error_bound == pytest.approx(binary_kl_inverse(0.25, math.log(20) / 4))
    assert found.gibbs_bound == pytest.approx(gibbs_risk_bound(0.375, 4))
    assert found.c_bound == 1.0
    assert "b: weight 0.50, voters: 1, one is wrong on 0.250" in str(found)


def test_bounds_come_from_the_formulas():
    model, X, y = by_hand([3.0, 1.0, 2.0])
    found = certify(model, np.tile(X[[0, 1]], (500, 1)), np.tile(y[:2], 500), delta=0.1)
    kl = found.divergence_between + found.divergence_within
    assert kl == pytest.approx(
        sum(p * math.log(p / q) for p, q in ((2 / 3, 0.5), (1 / 3, 0.5)))
        + 2 / 3 * (math.log(2) + 0.75 * math.log(0.75) + 0.25 * math.log(0.25))
    )
    assert found.gibbs_bound == pytest.approx(gibbs_risk_bound(found.gibbs_risk, 1000, kl, 0.1))
    upper = gibbs_risk_bound(found.gibbs_risk, 1000, kl, 0.05)
    lower = disagreement_bound(found.disagreement, 1000, kl, 0.05)
    assert found.c_bound == pytest.approx(c_bound(upper, lower))
    assert found.c_bound < 0.5


def test_a_missing_view_counts_as_half_a_mistake():
    found = certify(*by_hand([1.0, 1.0, 2.0], missing=[0, 2]))
    assert found.view_risks[1] == pytest.approx(0.25)
    assert found.vote_disagreement[0, 1] == pytest.approx(0.5)


def test_weights_by_class_lie_between_an_answer_and_an_abstention():
    model, X, y = by_hand([1.0, 1.0, 2.0])
    terms = [Term(Column(2), np.array([1.0, 4.0]), 1)]
    model.vote_ = Vote(terms, [1], 2, model.views_)
    assert certify(model, X[:1], y[:1]).gibbs_risk == pytest.approx(0.5 - 0.5 / 4)


def test_an_unknown_class_is_always_wrong():
    model, X, _ = by_hand([1.0, 1.0, 2.0])
    found = certify(model, X, np.full(4, 7))
    assert found.error == found.gibbs_risk == found.c_bound == 1.0


MODELS = [
    MumboClassifier(n_estimators=8),
    MumboClassifier(n_estimators=8, selection="combination"),
    MumboClassifier(n_estimators=8, leaves="scores"),
    MuComboClassifier(n_estimators=8),
    NormComboClassifier(n_estimators=8),
    ShareBoostClassifier(n_estimators=8),
    CarakoClassifier(),
    LateFusionClassifier(combine="votes"),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: repr(m)[:40])
def test_every_vote_has_a_certificate_and_its_c_bound_holds_on_the_rows(model):
    data = make_uneven_views(500, major_noise=0.1, random_state=0)
    X, y = data.data.copy(), data.target
    X[::7, data.views["major"]] = np.nan
    model = model.set_params(views=data.views).fit(X[:250], y[:250])
    found = certify(model, X[250:], y[250:])
    assert found.error == pytest.approx(np.mean(model.predict(X[250:]) != y[250:]))
    assert found.error <= c_bound(found.gibbs_risk, found.disagreement) + 1e-9
    assert found.error <= found.error_bound <= 1.0
    shares = found.view_weights
    assert shares.sum() == pytest.approx(1.0)
    pairs = np.nan_to_num(found.expected_disagreement)
    assert shares @ pairs @ shares == pytest.approx(found.disagreement)
    np.testing.assert_allclose(
        sum(model.vote_.term_scores(X[250:])), model.vote_.score(X[250:]), atol=1e-9
    )


@pytest.mark.slow
def test_bounds_hold_in_draws_of_new_rows():
    data = make_uneven_views(40_300, major_noise=0.1, random_state=1)
    X, y = data.data, data.target
    model = MumboClassifier(views=data.views, n_estimators=10).fit(X[:300], y[:300])
    X, y = X[300:], y[300:]
    truth = certify(model, X, y)
    rng = np.random.default_rng(0)
    held = []
    for _ in range(100):
        rows = rng.choice(len(y), 300)
        found = certify(model, X[rows], y[rows])
        held.append(
            (
                truth.gibbs_risk <= found.gibbs_bound,
                truth.error <= found.c_bound,
                truth.error <= found.error_bound,
            )
        )
    assert np.mean(held, axis=0).min() >= 0.95
    assert truth.c_bound < 2 * truth.gibbs_bound


def test_what_is_no_vote_is_refused():
    data = make_uneven_views(200, random_state=0)
    model = LateFusionClassifier(views=data.views).fit(data.data, data.target)
    with pytest.raises(ValueError, match="by another rule than a vote"):
        certify(model, data.data, data.target)
    with pytest.raises(TypeError, match="a classifier that is a vote"):
        certify("forest", data.data, data.target)
