"""The wrapper around any classifier: where unseen rows come from, and what it answers."""

import copy
import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import (
    GroupKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.class_weight import compute_sample_weight

from uneven import ComboClassifier, TunedDecisionClassifier
from uneven.decisions import change_prior, fit_decision, fit_log_pool
from uneven.decisions.calibration import fit_calibration
from uneven.decisions.unseen import UnseenRows, fit_numbered
from uneven.metrics import class_recalls, confusion_norm


def table(n=1200, seed=0, **options):
    X, y = make_classification(
        n,
        n_features=10,
        n_informative=6,
        n_classes=3,
        weights=[0.85, 0.1],
        random_state=seed,
        **options,
    )
    return X, np.array(["common", "less", "rare"])[y]


ROWS, LABELS = table(4200)
X, Y, NEW, TRUTH = ROWS[:1200], LABELS[:1200], ROWS[1200:], LABELS[1200:]
FAST = LogisticRegression()


def test_it_is_cross_fitting_calibration_and_a_decision():
    tuned = TunedDecisionClassifier(FAST, cv=5).fit(X, Y)
    said = cross_val_predict(FAST, X, Y, cv=StratifiedKFold(5), method="predict_proba")
    codes = np.searchsorted(tuned.classes_, Y)
    pool = fit_calibration(UnseenRows(said, codes, np.ones(len(codes))))
    rule = fit_decision(pool.probabilities([said]), codes)
    np.testing.assert_allclose(tuned.decision_.factors, rule.factors)
    proba = pool.probabilities([FAST.fit(X, Y).predict_proba(NEW)])
    np.testing.assert_allclose(tuned.predict_proba(NEW), proba)
    np.testing.assert_array_equal(tuned.predict(NEW), tuned.classes_[rule.answers(proba)])
    best = tuned.decision_function(NEW).argmax(axis=1)
    np.testing.assert_array_equal(tuned.predict(NEW), tuned.classes_[best])


def test_a_calibration_is_a_pool_of_one_member_whose_biases_are_nearly_free():
    said = cross_val_predict(GaussianNB(), X, Y, cv=5, method="predict_proba")
    codes = np.unique(Y, return_inverse=True)[1]
    found = fit_calibration(UnseenRows(said, codes, np.ones(len(codes))))
    pool = fit_log_pool([said], codes, bias_penalty=0.03 * np.bincount(codes))
    assert found.weights[0] == pytest.approx(pool.weights[0], abs=0.02)
    shares = found.probabilities([said])
    np.testing.assert_allclose(shares, pool.probabilities([said]), atol=0.06)
    np.testing.assert_allclose(shares.mean(axis=0), np.bincount(codes) / len(codes), atol=0.01)


@pytest.mark.parametrize("measure", ["norm", "gmean", "balanced_accuracy", "worst_recall"])
def test_rare_classes_are_found(measure):
    X, y = table(2000, seed=3)
    tuned = TunedDecisionClassifier(FAST, measure=measure).fit(X[::2], y[::2])
    plain = FAST.fit(X[::2], y[::2])
    norms = [confusion_norm(y[1::2], model.predict(X[1::2])) for model in (tuned, plain)]
    assert norms[0] < norms[1] - 0.1


def test_out_of_bag_rows_are_used_where_there_are_any():
    forest = RandomForestClassifier(40, oob_score=True, random_state=0)
    tuned = TunedDecisionClassifier(forest, calibrate=False).fit(X, Y)
    kept = tuned.estimator_.oob_decision_function_
    judged = np.isfinite(kept).all(axis=1)
    np.testing.assert_allclose(tuned.unseen_.probabilities, kept[judged])
    folds = TunedDecisionClassifier(forest, calibrate=False, cv=2).fit(X, Y)
    assert len(folds.unseen_.codes) == len(Y)
    few = RandomForestClassifier(2, oob_score=True, random_state=0)
    with pytest.warns(UserWarning, match="OOB"):
        sparse = TunedDecisionClassifier(few).fit(X, Y)
    assert 0 < len(sparse.unseen_.codes) < len(Y)


def test_prefit_classifiers_are_not_fitted_again():
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, Y)
    tree = model.tree_
    tuned = TunedDecisionClassifier(model, cv="prefit").fit(NEW, TRUTH)
    assert tuned.estimator_ is model
    assert model.tree_ is tree
    assert len(tuned.unseen_.codes) == len(NEW)
    frozen = TunedDecisionClassifier(FrozenEstimator(model), cv="prefit")
    again = clone(frozen).fit(NEW, TRUTH)
    np.testing.assert_array_equal(again.decision_function(X), tuned.decision_function(X))
    with pytest.raises(ValueError, match=r"'odd', which the fitted estimator does not know"):
        TunedDecisionClassifier(model, cv="prefit").fit(NEW[:3], ["odd", "rare", "less"])


def test_calibration_lowers_the_log_loss_of_a_forest():
    forest = RandomForestClassifier(40, oob_score=True, random_state=0)
    X, y = table(3000, seed=5)
    losses = [
        log_loss(
            y[1::2],
            TunedDecisionClassifier(forest, calibrate=calibrate)
            .fit(X[::2], y[::2])
            .predict_proba(X[1::2]),
        )
        for calibrate in (True, False)
    ]
    assert losses[0] < losses[1]


def test_the_decision_leaves_probabilities_alone():
    some = [
        TunedDecisionClassifier(FAST, **options).fit(X, Y).predict_proba(NEW)
        for options in (
            {},
            {"measure": "accuracy"},
            {"cost": 1 - np.eye(3)},
            {"constraints": {"rare": 0.8}},
            {"abstain_cost": 0.1},
        )
    ]
    for proba in some[1:]:
        np.testing.assert_array_equal(proba, some[0])


def test_constraints_by_name():
    tuned = TunedDecisionClassifier(FAST, measure="accuracy", constraints={"rare": 0.9}).fit(X, Y)
    rows = tuned.unseen_
    said = tuned.decision_.answers(rows.probabilities)
    assert class_recalls(rows.codes, said)[2] >= 0.9
    assert "recall of rare is to be at least 0.9" in tuned.explain()
    with pytest.raises(ValueError, match="no class 'fraud'; the classes are"):
        TunedDecisionClassifier(FAST, constraints={"fraud": 0.9}).fit(X, Y)
    with pytest.raises(ValueError, match="The nearest ones reach 'common' 0"):
        TunedDecisionClassifier(FAST, constraints={"common": 1.0, "rare": 1.0}).fit(X, Y)
    with pytest.raises(ValueError, match="constraints must be a dict"):
        TunedDecisionClassifier(FAST, constraints=[0.9]).fit(X, Y)


def test_costs_lower_the_cost():
    X, y = table(3000, seed=8)
    cost = np.array([[0.0, 1.0, 1.0], [5.0, 0.0, 5.0], [20.0, 20.0, 0.0]])
    codes = np.unique(y[1::2], return_inverse=True)[1]
    paid = []
    for model in (TunedDecisionClassifier(FAST, cost=cost), FAST):
        said = np.searchsorted(
            ["common", "less", "rare"], model.fit(X[::2], y[::2]).predict(X[1::2])
        )
        paid.append(cost[codes, said].mean())
    assert paid[0] < 0.8 * paid[1]


def test_frames_of_costs_are_read_by_their_labels():
    pandas = pytest.importorskip("pandas")
    cost = np.array([[0.0, 1.0, 1.0], [5.0, 0.0, 5.0], [20.0, 2.0, 0.0]])
    names = ["common", "less", "rare"]
    frame = pandas.DataFrame(cost, index=names, columns=names)
    moved = frame.loc[["rare", "common", "less"], ["less", "rare", "common"]]
    for given in (frame, moved):
        tuned = TunedDecisionClassifier(FAST, cost=given, cv=3).fit(X, Y)
        np.testing.assert_array_equal(tuned.decision_.cost, cost)
    unlabelled, twice = pandas.DataFrame(cost), frame.rename(columns={"less": "rare"})
    for wrong in (unlabelled, twice, frame.iloc[:2]):
        with pytest.raises(ValueError, match=r"cost is a frame .* the classes are \['common'"):
            TunedDecisionClassifier(FAST, cost=wrong, cv=3).fit(X, Y)


def test_a_given_prior_by_name_or_position_and_an_estimated_one():
    share = {"common": 0.2, "less": 0.3, "rare": 0.5}
    tuned = TunedDecisionClassifier(FAST, measure="accuracy", prior=share).fit(X, Y)
    other = TunedDecisionClassifier(FAST, measure="accuracy", prior=[0.2, 0.3, 0.5]).fit(X, Y)
    np.testing.assert_array_equal(tuned.decision_function(NEW), other.decision_function(NEW))
    counted = pytest.importorskip("pandas").Series(share).sort_values()
    third = TunedDecisionClassifier(FAST, measure="accuracy", prior=counted[::-1]).fit(X, Y)
    np.testing.assert_array_equal(tuned.decision_function(NEW), third.decision_function(NEW))
    plain = TunedDecisionClassifier(FAST, measure="accuracy").fit(X, Y)
    moved = change_prior(plain.predict_proba(NEW), plain.decision_.prior, np.array([0.2, 0.3, 0.5]))
    np.testing.assert_allclose(tuned.predict_proba(NEW), moved)
    rng = np.random.default_rng(0)
    drawn = np.concatenate(
        [
            rng.choice(np.flatnonzero(name == TRUTH), round(2000 * part))
            for name, part in share.items()
        ]
    )
    before = plain.predict(NEW)
    adapted = plain.adapt(NEW[drawn])
    np.testing.assert_allclose(adapted.decision_.target, [0.2, 0.3, 0.5], atol=0.15)
    assert (adapted.predict(NEW[drawn]) == TRUTH[drawn]).mean() > 0.1 + (
        plain.predict(NEW[drawn]) == TRUTH[drawn]
    ).mean()
    np.testing.assert_array_equal(plain.predict(NEW), before)
    assert "Expected class frequencies at prediction" in adapted.explain()


def test_withheld_answers_are_named():
    tuned = TunedDecisionClassifier(FAST, abstain_cost=0.3).fit(X, Y)
    said = tuned.predict(NEW)
    sure = said != "abstain"
    assert 0.05 < sure.mean() < 0.95
    everything = TunedDecisionClassifier(FAST).fit(X, Y).predict(NEW)
    np.testing.assert_array_equal(said[sure], everything[sure])
    assert (said[sure] == TRUTH[sure]).mean() > (everything == TRUTH).mean()
    codes = np.unique(Y, return_inverse=True)[1]
    assert set(TunedDecisionClassifier(FAST, abstain_cost=0.3).fit(X, codes).predict(NEW)) > {-1}
    with pytest.raises(ValueError, match="is the name of a class"):
        TunedDecisionClassifier(FAST, abstain_cost=0.3, abstain_label="rare").fit(X, Y)
    with pytest.raises(ValueError, match="abstain_label must be a single value"):
        TunedDecisionClassifier(FAST, abstain_cost=0.3, abstain_label=["unsure"]).fit(X, Y)


@pytest.mark.parametrize(
    ("classes", "label", "kind"),
    [
        (np.array([0, 1, 2]), None, "i"),
        (np.array([0, 1, 2]), "unsure", "O"),
        (np.array([0, 1, 2]), np.nan, "O"),
        (np.array([0, 1, 2], np.uint8), None, "i"),
        (np.array([0, 1, 2], np.uint64), None, "O"),
        (np.array([0.0, 1.0, 2.0]), None, "f"),
        (np.array(["a", "b", "c"]), "a long answer", "U"),
        (np.array(["a", "b", "c"]), -1, "O"),
        (np.array(["a", "b", "c"], object), None, "O"),
        (np.array([False, True]), None, "O"),
    ],
)
def test_withheld_answers_leave_labels_as_they_are(classes, label, kind):
    y = classes[np.unique(Y, return_inverse=True)[1] % len(classes)]
    tuned = TunedDecisionClassifier(FAST, abstain_cost=0.2, abstain_label=label, cv=3).fit(X, y)
    said = tuned.predict(NEW)
    codes = tuned.decision_.answers(tuned.predict_proba(NEW))
    held = codes == -1
    assert said.dtype.kind == kind
    assert 0 < held.sum() < len(held)
    assert len(set(map(str, said[held].tolist()))) == 1
    assert all(type(a) is type(b) for a, b in zip(said[~held], classes.astype(said.dtype)))
    np.testing.assert_array_equal(said[~held], classes[codes[~held]])
    truth = classes[np.unique(TRUTH, return_inverse=True)[1] % len(classes)]
    right = classes[codes] == truth
    assert tuned.score(NEW, truth) == pytest.approx((~held & right).mean())
    assert tuned.score(NEW, truth, sample_weight=~held) == pytest.approx(right[~held].mean())


def test_two_classes_have_one_margin():
    y = Y == "rare"
    tuned = TunedDecisionClassifier(FAST).fit(X, y)
    margin = tuned.decision_function(NEW)
    assert margin.shape == (len(NEW),)
    np.testing.assert_array_equal(tuned.predict(NEW), margin > 0)


@pytest.mark.parametrize("classifier", [RidgeClassifier(), LinearSVC(), GaussianNB()])
def test_any_classifier_and_sparse_tables(classifier):
    dense = TunedDecisionClassifier(classifier, cv=3).fit(X, Y)
    assert confusion_norm(TRUTH, dense.predict(NEW)) < 0.9
    np.testing.assert_allclose(dense.predict_proba(NEW).sum(axis=1), 1.0)
    if not isinstance(classifier, GaussianNB):
        sparse = TunedDecisionClassifier(classifier, cv=3).fit(sp.csr_array(X), Y)
        np.testing.assert_allclose(
            sparse.predict_proba(sp.csr_array(NEW)), dense.predict_proba(NEW), atol=1e-2
        )


@pytest.mark.parametrize("frame", ["pandas", "polars"])
def test_frames_stay_frames(frame):
    library = pytest.importorskip(frame)
    names = [f"c{k}" for k in range(10)]
    data = library.DataFrame(dict(zip(names, X.T)))
    new = library.DataFrame(dict(zip(names, NEW.T)))
    tuned = TunedDecisionClassifier(make_pipeline(StandardScaler(), FAST), cv=3).fit(data, Y)
    plain = TunedDecisionClassifier(make_pipeline(StandardScaler(), FAST), cv=3).fit(X, Y)
    np.testing.assert_array_equal(tuned.predict(new), plain.predict(NEW))
    assert tuned.feature_names_in_.tolist() == names


def test_arrow_tables_are_cut_into_folds():
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table({f"c{k}": column for k, column in enumerate(X.T)})
    tuned = TunedDecisionClassifier(FAST, cv=3).fit(table, Y)
    plain = TunedDecisionClassifier(FAST, cv=3).fit(X, Y)
    np.testing.assert_array_equal(tuned.predict(NEW), plain.predict(NEW))


def test_weights_reach_classifier_and_decision():
    weight = np.where(Y == "rare", 10.0, 1.0)
    tuned = TunedDecisionClassifier(FAST, cv=3).fit(X, Y, sample_weight=weight)
    np.testing.assert_allclose(
        tuned.estimator_.coef_, LogisticRegression().fit(X, Y, sample_weight=weight).coef_
    )
    assert tuned.decision_.prior[2] > 0.25
    scaled = TunedDecisionClassifier(GaussianNB(), cv=3).fit(X, Y, sample_weight=weight * 1e-9)
    same = TunedDecisionClassifier(GaussianNB(), cv=3).fit(X, Y, sample_weight=weight)
    np.testing.assert_allclose(scaled.decision_.factors, same.decision_.factors)
    with pytest.warns(UserWarning, match="takes no sample_weight"):
        TunedDecisionClassifier(KNeighborsClassifier(), cv=3).fit(X, Y, sample_weight=weight)
    with pytest.raises(ValueError, match="zero for every row"):
        TunedDecisionClassifier(FAST).fit(X, Y, sample_weight=np.zeros(len(Y)))
    with pytest.raises(ValueError, match="a number for each row, got 'balanced'"):
        TunedDecisionClassifier(FAST).fit(X, Y, sample_weight="balanced")


@pytest.mark.parametrize("by", ["folds", "groups", "splits", "out-of-bag", "prefit"])
def test_rows_of_weight_zero_are_left_out(by):
    heavy = np.arange(len(Y)) % 3 > 0
    weight = np.where(heavy, np.linspace(1.0, 2.0, len(Y)), 0.0)
    groups = np.arange(len(Y)) % 7
    estimator = FAST
    if by == "out-of-bag":
        estimator = RandomForestClassifier(9, oob_score=True, random_state=0)
    elif by == "prefit":
        estimator = GaussianNB().fit(NEW, TRUTH)
    place = np.cumsum(heavy) - 1
    splits = list(StratifiedKFold(3).split(X, Y))
    left = [tuple(place[part[heavy[part]]] for part in split) for split in splits]
    cv, own = {
        "groups": (GroupKFold(3),) * 2,
        "splits": (splits, left),
        "prefit": ("prefit",) * 2,
    }.get(by, ("auto",) * 2)
    params, fewer = ({"groups": groups}, {"groups": groups[heavy]}) if by == "groups" else ({}, {})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = TunedDecisionClassifier(estimator, cv=cv)
        whole.fit(X, Y, sample_weight=weight, **params)
        part = TunedDecisionClassifier(estimator, cv=own)
        part.fit(X[heavy], Y[heavy], sample_weight=weight[heavy], **fewer)
    np.testing.assert_array_equal(whole.unseen_.codes, part.unseen_.codes)
    np.testing.assert_array_equal(whole.unseen_.probabilities, part.unseen_.probabilities)
    np.testing.assert_array_equal(whole.decision_function(NEW), part.decision_function(NEW))


def test_a_decision_without_unseen_rows_is_refused():
    common, rest = np.flatnonzero(Y == "common"), np.flatnonzero(Y != "common")
    everything = np.arange(len(Y))
    for cv in ([], [(everything, [])], [(common, rest)]):
        with pytest.raises(ValueError, match=r"leaves no rows to fit the decision on: .* Give cv"):
            TunedDecisionClassifier(FAST, cv=cv).fit(X, Y)
    two = TunedDecisionClassifier(FAST, cv=[(common, rest), (everything[::2], everything[1::2])])
    assert len(two.fit(X, Y).unseen_.codes) == len(Y) // 2


def test_groups_and_splits():
    groups = np.arange(len(Y)) % 7
    grouped = TunedDecisionClassifier(FAST, cv=GroupKFold(3)).fit(X, Y, groups=groups)
    splits = list(GroupKFold(3).split(X, Y, groups))
    listed = TunedDecisionClassifier(FAST, cv=splits).fit(X, Y)
    np.testing.assert_array_equal(grouped.unseen_.probabilities, listed.unseen_.probabilities)
    held = TunedDecisionClassifier(FAST, cv=splits[:1]).fit(X, Y)
    assert len(held.unseen_.codes) == len(splits[0][1])
    with pytest.raises(TypeError, match="only sample_weight and groups"):
        TunedDecisionClassifier(FAST).fit(X, Y, colour=groups)
    for weight in (None, np.r_[0.0, np.ones(len(Y) - 1)]):
        with pytest.raises(ValueError, match="cv names row 5000, but the table has 1200 rows"):
            TunedDecisionClassifier(FAST, cv=[(np.arange(9), [5000])]).fit(X, Y, weight)
        with pytest.raises(ValueError, match=r"cv must hold row numbers .* got \[0.5\]"):
            TunedDecisionClassifier(FAST, cv=[(np.arange(9), [0.5])]).fit(X, Y, weight)


def test_groups_stay_together_without_a_splitter():
    groups = np.arange(len(Y)) // 4
    forest = RandomForestClassifier(20, oob_score=True, random_state=0)
    tuned = TunedDecisionClassifier(forest).fit(X, Y, groups=groups)
    folds = StratifiedGroupKFold(5).split(X, Y, groups)
    same = TunedDecisionClassifier(forest, cv=folds).fit(X, Y)
    np.testing.assert_array_equal(tuned.unseen_.probabilities, same.unseen_.probabilities)


def test_rows_of_classes_that_a_fold_has_not_seen_are_not_judged():
    order = np.argsort(Y, kind="stable")
    thirds = np.array_split(order, 3)
    splits = [(np.setdiff1d(order, test), test) for test in thirds]
    with pytest.warns(UserWarning, match=r"no unseen row is of \['less', 'rare'\]"):
        tuned = TunedDecisionClassifier(FAST, cv=splits).fit(X, Y)
    assert set(tuned.unseen_.codes) == {0}


def test_a_class_that_no_fold_can_judge_keeps_its_share():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [200, 200, 100])
    rows = rng.normal(size=(500, 3)) + 2.0 * np.eye(3)[y]
    groups = np.where(y == 2, 999, np.arange(500) // 4)
    with pytest.warns(UserWarning, match=r"no unseen row is of \[2\]"):
        tuned = TunedDecisionClassifier(FAST, measure="accuracy").fit(rows, y, groups=groups)
    free = TunedDecisionClassifier(FAST, measure="accuracy").fit(rows, y)
    recalls = [class_recalls(y, model.predict(rows))[2] for model in (tuned, free)]
    assert recalls[0] > recalls[1] - 0.15
    assert tuned.predict_proba(rows).mean(axis=0)[2] == pytest.approx(0.2, abs=0.06)
    np.testing.assert_allclose(tuned.decision_.prior, [0.4, 0.4, 0.2])


def test_the_unit_of_weights_does_not_matter_to_a_class_without_unseen_rows():
    y = np.repeat([0, 1, 2], [300, 250, 1])
    rows = np.random.default_rng(0).normal(size=(551, 3)) + np.eye(3)[y]
    said = []
    for unit in (1.0, 1 / 551, 1000.0):
        with pytest.warns(UserWarning, match="no unseen row"):
            tuned = TunedDecisionClassifier(FAST).fit(rows, y, sample_weight=np.full(551, unit))
        said.append(tuned.calibration_.prior)
    np.testing.assert_allclose(said[1], said[0])
    np.testing.assert_allclose(said[2], said[0])


@pytest.mark.parametrize("n_rare", [1, 2, 3, 5])
@pytest.mark.parametrize(
    "classifier",
    [
        RandomForestClassifier(50, oob_score=True, random_state=0),
        DecisionTreeClassifier(min_samples_leaf=5, random_state=0),
        KNeighborsClassifier(15),
        GaussianNB(),
    ],
    ids=lambda classifier: type(classifier).__name__,
)
def test_a_handful_of_rare_rows_does_not_break_large_classes(classifier, n_rare):
    def draw(sizes, rng):
        y = np.repeat([0, 1, 2], sizes)
        return rng.normal(size=(len(y), 4)) + np.outer(y, [1.5, 0, 0, 0]) + 2 * (y == 2)[:, None], y

    found = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        rows, y = draw([280, 112, n_rare], rng)
        new, truth = draw([600, 300, 300], rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            both = [
                TunedDecisionClassifier(
                    classifier, measure="balanced_accuracy", calibrate=calibrate
                ).fit(rows, y)
                for calibrate in (True, False)
            ]
        found.append([class_recalls(truth, model.predict(new)).mean() for model in both])
        expected = both[0].unseen_.probabilities[:, 2].sum()
        assert n_rare == 1 or 0.5 * n_rare < expected < 1.5 * n_rare
    calibrated, divided = np.mean(found, axis=0)
    assert calibrated > divided - 0.06


def test_weights_of_classes_do_not_decide_how_certain_a_calibration_is():
    large = Y != "rare"
    rows = np.vstack([X[large], X[~large][:3]])
    y = np.concatenate([Y[large], Y[~large][:3]])
    weight = compute_sample_weight("balanced", y)
    losses = []
    for model in (GaussianNB(), TunedDecisionClassifier(GaussianNB())):
        model.fit(rows, y, sample_weight=weight)
        said = model.predict_proba(NEW[TRUTH != "rare"])[:, :2]
        said /= said.sum(axis=1, keepdims=True)
        losses.append(log_loss(TRUTH[TRUTH != "rare"], said, labels=model.classes_[:2]))
    assert model.calibration_.weights[0] > 0.3
    assert losses[1] < losses[0] + 0.02


def test_recalls_are_known_by_rows_not_by_weight():
    y = Y.copy()
    y[np.flatnonzero(Y == "rare")[1:]] = "less"
    heavy = np.where(y == "rare", 1000.0, 1.0)
    tuned = TunedDecisionClassifier(FAST, cv=[(np.arange(1200), np.arange(1200))])
    alone = tuned.fit(X, y, sample_weight=heavy)
    assert np.isnan(alone.decision_.recalls[2])
    light = np.where(Y == "less", 1e-4, 1.0)
    many = TunedDecisionClassifier(FAST, constraints={"less": 0.8}).fit(X, Y, sample_weight=light)
    assert many.decision_.recalls[1] >= 0.8
    assert many.decision_.confusion.sum(axis=1) == pytest.approx(
        [np.sum(c == Y) for c in many.classes_]
    )


class Noting(ClassifierMixin, BaseEstimator):
    """Notes what it was given."""

    def fit(self, X, y, sample_weight=None, mark=None):
        self.classes_, self.mark_, self.weight_ = np.unique(y), mark, sample_weight
        assert mark is None or len(mark) == len(y)
        assert sample_weight is None or len(sample_weight) == len(y)
        return self

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), 1.0 / len(self.classes_))


def test_metadata_is_routed():
    groups, mark = np.arange(len(Y)) % 7, np.arange(len(Y))
    with config_context(enable_metadata_routing=True):
        noting = Noting().set_fit_request(mark=True, sample_weight=False)
        tuned = TunedDecisionClassifier(noting, cv=GroupKFold(3))
        tuned.fit(X, Y, groups=groups, mark=mark)
        np.testing.assert_array_equal(tuned.estimator_.mark_, mark)
        weight = np.ones(len(Y))
        tuned.fit(X, Y, sample_weight=weight, groups=groups, mark=mark)
        assert tuned.estimator_.weight_ is None


def test_permuted_labels_give_chance_not_optimism():
    shuffled = np.random.default_rng(0).permutation(Y)
    tree = DecisionTreeClassifier(random_state=0)
    tuned = TunedDecisionClassifier(tree).fit(X, shuffled)
    assert np.mean(tuned.decision_.recalls) == pytest.approx(1 / 3, abs=0.1)


def test_tiny_classes_and_few_rows():
    y = np.array(["a"] * 30 + ["b"] * 5 + ["c"])
    few = TunedDecisionClassifier(GaussianNB()).fit(X[:36], y)
    assert set(few.classes_) == {"a", "b", "c"}
    assert np.isfinite(few.decision_.factors).all()
    single = TunedDecisionClassifier(KNeighborsClassifier(1)).fit(X[:3], ["a", "b", "c"])
    assert single.predict(X[:3]).tolist() == ["a", "b", "c"]
    alone = TunedDecisionClassifier(KNeighborsClassifier(1)).fit(X[:9], ["a"] * 9)
    assert alone.predict(X[:2]).tolist() == ["a", "a"]


def test_it_can_be_pickled_and_explains_itself():
    tuned = TunedDecisionClassifier(FAST).fit(X, Y)
    again = pickle.loads(pickle.dumps(tuned))
    np.testing.assert_array_equal(again.decision_function(NEW), tuned.decision_function(NEW))
    lines = tuned.explain().splitlines()
    assert len(lines) == 4
    assert all(name in line for name, line in zip(tuned.classes_, lines[1:]))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"measure": "auc"}, "measure must be one of"),
        ({"cv": 1}, "cv must be a whole number at least 2"),
        ({"cv": "all"}, "cv must be one of 'auto', 'prefit'"),
        ({"calibrate": 1}, "calibrate must be True or False"),
        ({"pseudo_rows": -1}, "pseudo_rows must be"),
        ({"cost": [[0, 1], [1, 0]]}, "cost has the shape"),
        ({"prior": [0.5, 0.5]}, "3 shares"),
        ({"prior": {"fraud": 1.0}}, "no class 'fraud'"),
        ({"prior": {"common": 0.5, "rare": 0.5}}, "prior lacks class 'less'"),
        ({"prior": {"common": "half"}}, "the share of class 'common' in prior must be"),
        ({"prior": {"common": None}}, "the share of class 'common' in prior must be"),
        ({"prior": {"common": np.nan}}, "the share of class 'common' in prior must be"),
        ({"abstain_cost": "high"}, "abstain_cost must be"),
    ],
)
def test_what_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        TunedDecisionClassifier(FAST, **options).fit(X, Y)


@pytest.mark.parametrize("estimator", ["tree", LogisticRegression, StandardScaler()])
def test_what_is_no_classifier_is_refused(estimator):
    with pytest.raises(TypeError, match="estimator"):
        TunedDecisionClassifier(estimator).fit(X, Y)


class Saying(GaussianNB):
    """Returns something else than probabilities."""

    def __init__(self, said=None):
        super().__init__()
        self.said = said

    def predict_proba(self, X):
        return np.resize(self.said, (len(X), *self.said.shape[1:]))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (np.array([[0.5, 0.3, 0.2]] * 9 + [[np.nan] * 3]), r"returned \[nan nan nan\] for row 9"),
        (np.array([[np.inf, 0.0, 0.0]]), "a decision needs finite numbers"),
        (np.full((1, 2), 0.5), r"returned the shape \(\d+, 2\) for 3 classes"),
        (np.full(1, 0.5), "for 3 classes"),
        (np.array([[1.5, -0.5, 0.0]]), "row 0 of the probabilities holds a number that is none"),
    ],
)
@pytest.mark.parametrize("cv", [3, "prefit"])
def test_outputs_that_are_no_probabilities_are_refused(said, words, cv):
    with pytest.raises(ValueError, match=words):
        TunedDecisionClassifier(Saying(said).fit(X, Y), cv=cv).fit(X, Y)


def test_margins_that_are_no_numbers_are_refused():
    model = LinearSVC().fit(X, Y)
    model.coef_[1, 0] = np.inf
    with pytest.raises(ValueError, match="decision_function of LinearSVC returned"):
        TunedDecisionClassifier(model, cv="prefit").fit(X, Y)


def test_classes_without_unseen_rows_are_named():
    order = np.argsort(Y, kind="stable")
    last = [(order[:-20], order[-20:]), (order[20:], order[:20])]
    with pytest.warns(UserWarning, match=r"no unseen row is of \['less'\]: nothing can be"):
        TunedDecisionClassifier(FAST, cv=last).fit(X, Y)
    some = TRUTH != "rare"
    with pytest.warns(UserWarning, match=r"no unseen row is of \['rare'\]"):
        TunedDecisionClassifier(GaussianNB().fit(X, Y), cv="prefit").fit(NEW[some], TRUTH[some])


class Counting(GaussianNB):
    """Refuses labels other than 0, 1, 2, ..., as XGBoost does."""

    def fit(self, X, y, sample_weight=None):
        if not np.array_equal(np.unique(y), np.arange(len(np.unique(y)))):
            raise ValueError("Invalid classes")
        return super().fit(X, y, sample_weight)


class Margins(ClassifierMixin, BaseEstimator):
    """Log probabilities of another classifier as margins."""

    def __init__(self, inner):
        self.inner = inner

    def fit(self, X, y):
        self.inner_ = copy.deepcopy(self.inner).fit(X, y)
        self.classes_ = self.inner_.classes_
        return self

    def decision_function(self, X):
        return np.maximum(self.inner_.predict_log_proba(X), -50.0)


@pytest.mark.parametrize("without_probabilities", [False, True])
def test_classifiers_that_count_their_classes_get_no_gaps(without_probabilities):
    codes = np.unique(Y, return_inverse=True)[1]
    codes = np.where(codes > 0, codes + 1, codes)
    codes[7] = 1
    counting, free = Counting(), GaussianNB()
    if without_probabilities:
        counting, free = (Margins(inner) for inner in (counting, free))
    tuned = TunedDecisionClassifier(counting).fit(X, codes)
    same = TunedDecisionClassifier(free).fit(X, codes)
    np.testing.assert_array_equal(tuned.unseen_.probabilities, same.unseen_.probabilities)
    np.testing.assert_array_equal(tuned.predict(NEW), same.predict(NEW))
    library = pytest.importorskip("xgboost")
    boosted = TunedDecisionClassifier(library.XGBClassifier(n_estimators=3, n_jobs=1))
    assert boosted.fit(X, codes).classes_.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("folds", [3, [(np.flatnonzero(Y != "rare"), np.arange(len(Y)))]])
def test_classifiers_that_refuse_text_get_numbers(folds):
    tuned = TunedDecisionClassifier(Counting(), cv=folds).fit(X, Y)
    same = TunedDecisionClassifier(GaussianNB(), cv=folds).fit(X, Y)
    np.testing.assert_array_equal(tuned.classes_, same.classes_)
    np.testing.assert_array_equal(tuned.unseen_.probabilities, same.unseen_.probabilities)
    np.testing.assert_array_equal(tuned.predict(NEW), same.predict(NEW))
    np.testing.assert_array_equal(tuned.predict_proba(NEW), same.predict_proba(NEW))


def test_what_a_classifier_refuses_for_another_reason_stays_refused():
    with pytest.raises(ValueError, match="contains NaN"):
        TunedDecisionClassifier(Counting()).fit(np.full_like(X, np.nan), Y)
    counting = Counting()
    counting.class_weight = {0: 1.0, 1: 5.0}
    with pytest.raises(ValueError, match="Invalid classes"):
        fit_numbered(counting, X, Y, {})


@pytest.mark.slow
@pytest.mark.parametrize("module", ["lightgbm", "xgboost", "catboost"])
def test_other_libraries(module):
    library = pytest.importorskip(module)
    make = {
        "lightgbm": lambda: library.LGBMClassifier(n_estimators=10, verbose=-1, n_jobs=1),
        "xgboost": lambda: library.XGBClassifier(n_estimators=10, n_jobs=1),
        "catboost": lambda: library.CatBoostClassifier(
            10, verbose=0, thread_count=1, allow_writing_files=False
        ),
    }[module]
    if module == "catboost":
        listed = make().set_params(cat_features=[0])
        whole = np.rint(X).astype(int)
        assert TunedDecisionClassifier(listed, cv=2).fit(whole, Y).classes_[0] == "common"
    codes = np.unique(Y, return_inverse=True)[1]
    tuned = TunedDecisionClassifier(make(), cv=3).fit(X, Y, sample_weight=np.ones(len(Y)))
    truth = np.unique(TRUTH, return_inverse=True)[1]
    assert confusion_norm(TRUTH, tuned.predict(NEW)) < confusion_norm(
        truth, np.ravel(make().fit(X, codes).predict(NEW))
    )


def test_what_was_loaded_is_checked():
    quick = ComboClassifier(n_estimators=2)
    tuned = TunedDecisionClassifier(quick, cv=2).fit(X, Y)
    tuned._check_model_()
    small = TunedDecisionClassifier(quick, cv=2).fit(X, Y != "rare")
    for name in ("estimator_", "calibration_", "decision_", "unseen_"):
        mixed = copy.copy(tuned)
        setattr(mixed, name, getattr(small, name))
        with pytest.raises(ValueError):
            mixed._check_model_()
        setattr(mixed, name, "text")
        with pytest.raises(ValueError, match="str"):
            mixed._check_model_()
