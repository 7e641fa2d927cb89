"""Every estimator keeps scikit-learn's contract."""

import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import uneven
from uneven.boosting import ShareBoostClassifier
from uneven.boosting.norm import Boost
from uneven.fusion import BestViewClassifier, HoldoutFusionClassifier
from uneven.linear import (
    KernelPerceptronClassifier,
    PerceptronClassifier,
    UltraconservativeClassifier,
)
from uneven.noise import LabelRepairPipeline, NoiseTolerantPerceptron
from uneven.stacking import RuleClassifier
from uneven.stacking.base_learners import (
    GaussianClassifier,
    NearestMeanClassifier,
    NeighbourCountClassifier,
    ParzenClassifier,
)
from uneven.stacking.input_maps import Likeness, Squares
from uneven.stacking.normalised import LaplaceTreeClassifier, NormalisedClassifier
from uneven.versionspace import CuttingPlaneClassifier, CuttingPlaneSVC
from uneven.voters import Resampled


class LinearBesideTrees(uneven.NormComboClassifier):
    """NormCoMBo of a few boosts, a linear voter beside each."""

    def _boosts(self, n_classes, n_rows):
        return [Boost(2, 1, 1.0, has_linear=True)] * 6


MEMBERS = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=3))]
TWO_VIEWS = {"all": slice(None), "first": slice(0, 1)}
ESTIMATORS = [
    uneven.ActiveLearner(uneven.BayesPointClassifier("linear"), unlabelled=None),
    uneven.ActiveLearner(GaussianNB(), "uncertainty", unlabelled=None),
    uneven.AdaBoostMMClassifier(n_estimators=5),
    uneven.ComboClassifier(n_estimators=5),
    uneven.ComboClassifier(n_estimators=5, max_depth=1, line_search=True, n_jobs=2),
    uneven.ComboClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=3),
    uneven.AdaBoostMMClassifier(
        Resampled(DecisionTreeClassifier(max_depth=3), fraction=1.0), n_estimators=5
    ),
    uneven.ComboClassifier(n_estimators=5, early_stopping=True),
    uneven.NormComboClassifier(n_estimators=6),
    uneven.NormComboClassifier(n_estimators=6, steering=1.0, class_factors=False, n_jobs=2),
    LinearBesideTrees(),
    uneven.MumboClassifier(n_estimators=5, views=TWO_VIEWS, n_jobs=2),
    uneven.MumboClassifier(n_estimators=5, views=TWO_VIEWS, selection="combination_or_best"),
    uneven.MuComboClassifier(n_estimators=5, views=TWO_VIEWS),
    uneven.MuComboClassifier(n_estimators=5, coefficients="simplified", max_depth=1),
    ShareBoostClassifier(n_estimators=5, views=TWO_VIEWS),
    uneven.UMAClassifier(max_iter=100),
    uneven.UMAClassifier(
        kernel="rbf", selection="confusion", fit_intercept=True, average=True, max_iter=100
    ),
    NoiseTolerantPerceptron(fit_intercept=True, max_iter=200),
    NoiseTolerantPerceptron(noise_rate=0.1, step="additive", max_iter=50),
    uneven.CompressionPerceptron(max_updates=2000),
    uneven.CompressionPerceptron(
        "random_error", "random", kernel="rbf", fit_intercept=True, normalize=True, max_updates=500
    ),
    uneven.CompressionPerceptron("first_error", "cyclic", kernel="precomputed", max_updates=2000),
    CuttingPlaneClassifier(),
    CuttingPlaneClassifier(
        "chebyshev", "random_error", kernel="rbf", fit_intercept=True, max_cuts=30
    ),
    CuttingPlaneSVC(C=100.0, fit_intercept=True, normalize=True),
    uneven.BayesPointClassifier(max_rank=30),
    uneven.BayesPointClassifier("linear", fit_intercept=True, flip=0.05),
    uneven.BayesPointClassifier("linear", multi_class="joint"),
    uneven.BayesPointClassifier("precomputed", max_rank=30),
    uneven.BayesPointClassifier("linear", centre="chebyshev", ridge=1.0),
    uneven.BayesPointClassifier(
        "linear", centre="hamiltonian", ridge=1.0, n_samples=50, random_state=0
    ),
    uneven.BregmanVoteClassifier(),
    uneven.CarakoClassifier(),
    uneven.CarakoClassifier(version=1, max_depth=3),
    uneven.CarakoClassifier(procedure="joint", constraint="le1", max_depth=2, n_jobs=2),
    uneven.EarlyFusionClassifier(),
    uneven.EarlyFusionClassifier(uneven.ComboClassifier(n_estimators=3), scale=True),
    uneven.LateFusionClassifier(),
    uneven.LateFusionClassifier(combine="scores", views=TWO_VIEWS, n_jobs=2),
    uneven.LateFusionClassifier(combine="scores", rule="product", views=TWO_VIEWS),
    uneven.LateFusionClassifier(uneven.ComboClassifier(n_estimators=3), combine="margins"),
    uneven.MarginStackingClassifier(MEMBERS, strengths=[0.01, 0.1], cv=2),
    uneven.MarginStackingClassifier(
        MEMBERS, combination="lsg", loss="squared", penalty="l2", strength=0.01, cv=2
    ),
    RuleClassifier(MEMBERS, rule="median", cv=None),
    RuleClassifier(MEMBERS, rule="dempster_shafer", cv=2),
    BestViewClassifier(cv=2),
    HoldoutFusionClassifier(inputs="probabilities"),
    uneven.BregmanVoteClassifier(view_weights="exact", out_of_fold=3, balance=True, n_jobs=2),
    uneven.BregmanVoteClassifier([GaussianNB(), DecisionTreeClassifier(max_depth=2)]),
    LabelRepairPipeline(
        GaussianNB(), uneven.UMAClassifier(max_iter=20), cv=2, unlabelled=None, random_state=0
    ),
    UltraconservativeClassifier(max_epochs=20),
    UltraconservativeClassifier(
        "mira", fit_intercept=True, normalize=True, shuffle=True, average=True, max_epochs=20
    ),
    PerceptronClassifier(max_epochs=20),
    PerceptronClassifier("random", fit_intercept=True, normalize=True, max_epochs=20),
    KernelPerceptronClassifier(max_epochs=20),
    KernelPerceptronClassifier("precomputed", step="uniform", max_epochs=20),
    NearestMeanClassifier(),
    NeighbourCountClassifier(),
    ParzenClassifier(),
    GaussianClassifier(),
    GaussianClassifier("shared", ridge=0.1),
    NormalisedClassifier(RidgeClassifier()),
    NormalisedClassifier(GaussianNB(), "floor"),
    LaplaceTreeClassifier(random_state=0),
    Likeness(),
    Squares(),
]

NOT_REPEATABLE = {
    "Resampled": "drawing rows is random",
    "DecisionTreeClassifier": "scikit-learn's trees break ties by a random order of the columns",
    "early_stopping": "the held-out rows are drawn at random",
    "balance": "the rows of the larger side are drawn at random",
    "holdout": "the rows for the final model are drawn at random",
    "steering": "the rows of every boost are drawn at random",
    "cv": "folds are numbered after rows of weight zero have been left out",
}


VOTE = "a row's share of the version space is not the distance of the centre from its hyperplane"


def expected_failures(estimator):
    if isinstance(getattr(estimator, "estimator", estimator), uneven.BayesPointClassifier):
        return dict.fromkeys(["check_decision_proba_consistency", "check_classifiers_train"], VOTE)
    words = ("early_stopping", "balance", "holdout", "steering", "cv")
    drawn = [name for name in words if getattr(estimator, name, False)]
    kind = drawn[0] if drawn else type(getattr(estimator, "estimator", None)).__name__
    if kind not in NOT_REPEATABLE:
        return {}
    return {
        f"check_sample_weight_equivalence_on_{kind_of_data}_data": NOT_REPEATABLE[kind]
        for kind_of_data in ("dense", "sparse")
    }


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_every_public_estimator_is_checked():
    public = {name for name in uneven.__all__ if name.endswith("Classifier")}
    assert public <= {type(estimator).__name__ for estimator in ESTIMATORS}


@pytest.mark.parametrize("name", [n for n in uneven.__all__ if n.endswith("Classifier")])
def test_first_sentence_of_the_docstring_says_what_it_is(name):
    assert len(getattr(uneven, name).__doc__.split("\n")[0]) > 20
