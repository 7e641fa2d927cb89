"""The variants on the way to NormCoMBo are what they say."""

from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import norm_research, norm_variants
from benchmarks.lines import NOT_RUN
from benchmarks.norm_variants import (
    DEFAULT,
    ENSEMBLES,
    TREES_ALONE,
    Ensemble,
    Tried,
    unseen_factors,
)
from uneven import NormComboClassifier
from uneven.boosting.norm import Boost
from uneven.datasets import make_balance_scale


@pytest.fixture(scope="module")
def scales():
    data = make_balance_scale()
    return data.data[::2], np.asarray(data.target)[::2]


def test_the_default_is_norm_combo(scales):
    (ensemble,) = (one for one in ENSEMBLES if DEFAULT in one.ends)
    assert repr(ensemble.make(*scales, 3)) == "NormComboClassifier(random_state=3)"
    assert ensemble.ends == {DEFAULT: None}


def test_trees_alone_are_norm_combo_without_linear_voters(scales):
    X, y = scales
    (ensemble,) = (one for one in ENSEMBLES if TREES_ALONE in one.ends)
    model = ensemble.make(X, y, 6)
    model.n_estimators = 200
    model.fit(X, y)
    for variant, weight in ((TREES_ALONE, 0.0), (f"{TREES_ALONE}, accuracy_weight 4", 4.0)):
        factors = unseen_factors(model, y, ensemble.ends[variant])
        whole = NormComboClassifier(
            n_estimators=200, linear_voters=False, accuracy_weight=weight, random_state=6
        ).fit(X, y)
        np.testing.assert_allclose(factors, whole.class_factors_)
        answers = model.classes_[(model.predict_proba(X) * factors).argmax(axis=1)]
        np.testing.assert_array_equal(answers, whole.predict(X))
    assert not np.allclose(factors, 1.0)


def test_boosts_and_draws_are_used(scales):
    X, y = scales

    def first_half(y, rng):
        return (np.arange(len(y)) < len(y) // 2).astype(int)

    model = Tried([Boost(3, 1, 1.0)] * 2, first_half, random_state=0).fit(X, y)
    assert model.history_["trees"].tolist() == [3, 3]
    judged = model.oob_decision_function_.any(axis=1)
    np.testing.assert_array_equal(judged, np.arange(len(y)) >= len(y) // 2)


@pytest.mark.parametrize("nothing", [0.0, np.nan])
def test_rows_without_honest_votes_do_not_count(nothing):
    """Ninety rows more of the first class would make two mistakes there look cheap."""
    y = np.repeat(["a", "b", "a"], [3, 4, 90])
    votes = np.full((97, 2), nothing)
    votes[:7] = [[6, 4], [6, 4], [9, 1], [2, 8], [2, 8], [2, 8], [7, 3]]
    model = SimpleNamespace(oob_decision_function_=votes, classes_=np.array(["a", "b"]))
    np.testing.assert_array_equal(unseen_factors(model, y, 0.0), [1.0, 1.0])
    votes[:3] = [9, 1]
    assert (votes[:7] * unseen_factors(model, y, 0.0)).argmax(axis=1).tolist() == [0] * 3 + [1] * 4


def test_every_variant_has_a_name_of_its_own():
    names = [name for ensemble in ENSEMBLES for name in ensemble.ends]
    assert len(names) == len(set(names))


def test_a_table_per_group_names_what_is_not_there(monkeypatch, tmp_path, scales):
    monkeypatch.setenv("UNEVEN_DATA", str(tmp_path))
    stump = Ensemble(
        lambda X, y, seed: Tried([Boost(2, 1, 1.0)] * 3, random_state=seed),
        {"bare": None, "weighed": 0.0},
    )
    monkeypatch.setattr(norm_research, "ENSEMBLES", (stump,))
    monkeypatch.setattr(norm_research, "PROCESSES", 1)
    there = {"Scales": lambda: scales, "Robot": norm_research.GROUPS["development"]["Robot"]}
    table = {"Car": norm_research.GROUPS["table"]["Car"]}
    monkeypatch.setattr(norm_research, "GROUPS", {"development": there, "table": table})
    head, bare, weighed, *absent = norm_research.run()
    assert head.what == "development: Scales"
    assert float(weighed.ours) < float(bare.ours)
    assert [(line.what.split(":")[0], line.ours) for line in absent] == [
        ("Robot", NOT_RUN),
        ("Car", NOT_RUN),
    ]


def test_sets_are_cut_class_by_class():
    y = np.repeat(["a", "b", "c"], [900, 95, 4])
    X, labels = norm_research.prepare(np.arange(999.0)[:, None], y, 100)
    assert X.shape == (100, 1)
    assert dict(zip(*np.unique(labels, return_counts=True))) == {"a": 90, "b": 10}


@pytest.mark.parametrize("times", [1, 3])
def test_capped_bootstraps_draw_with_replacement(times):
    y = np.repeat([0, 1], [40, 6])
    drawn = norm_variants.capped_bootstrap(y, np.random.RandomState(0), times)
    assert np.bincount(y, drawn).tolist() == [6 * times, 6]
    assert drawn[y == 1].max() > 1
