import pickle
import warnings

import numpy as np
import pytest
import sklearn
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from uneven.metrics import (
    LOWER_IS_BETTER,
    ProbabilityScorer,
    confusion_norm,
    geometric_mean_recall,
    get_scorer,
    mauc,
    scorers,
)


def table(k, seed=0):
    return make_classification(
        n_samples=120, n_features=8, n_informative=5, n_classes=k, random_state=seed
    )


@pytest.mark.parametrize("name", sorted(scorers))
@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("model", [DecisionTreeClassifier(max_depth=3), RidgeClassifier()])
def test_every_scorer_serves_cross_validation(name, k, model):
    if isinstance(scorers[name], ProbabilityScorer) and not hasattr(model, "predict_proba"):
        with pytest.raises(ValueError, match="has no predict_proba"):
            scorers[name](model.fit(*table(k)), *table(k))
        return
    X, y = table(k)
    names = np.array(list("dbca"))[y]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        by_code = cross_val_score(model.set_params(random_state=0), X, y, scoring=scorers[name])
        by_name = cross_val_score(model, X, names, scoring=scorers[name])
    assert np.isfinite(by_code).all()
    assert (by_code <= 0).all() if name in LOWER_IS_BETTER else (by_code >= 0).all()
    assert len(by_name) == len(by_code)


@pytest.mark.parametrize("name", sorted(scorers))
def test_every_scorer_can_be_pickled(name):
    X, y = table(3)
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(scorers[name]))
    assert again(model, X, y) == scorers[name](model, X, y)


def test_scorers_return_their_measures():
    X, y = table(3)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    assert scorers["confusion_norm"](model, X, y) == -confusion_norm(y, model.predict(X))
    assert scorers["gmean"](model, X, y) == geometric_mean_recall(y, model.predict(X))
    assert scorers["mauc"](model, X, y) == mauc(y, model.predict_proba(X))
    ovo = sklearn.metrics.get_scorer("roc_auc_ovo")(model, X, y)
    assert scorers["mauc"](model, X, y) == pytest.approx(ovo)


def test_grid_search_prefers_the_smaller_norm():
    X, y = table(3)
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 6]},
        scoring=scorers,
        refit="confusion_norm",
        n_jobs=2,
    ).fit(X, y)
    norms = -search.cv_results_["mean_test_confusion_norm"]
    assert search.best_params_["max_depth"] == [1, 6][norms.argmin()]


def test_fold_without_a_class_and_class_without_training():
    X, y = table(4)
    model = LogisticRegression(max_iter=1000).fit(X[y < 3], y[y < 3])
    unseen = scorers["mauc"](model, X, y)
    shares = np.hstack([model.predict_proba(X), np.zeros((len(X), 1))])
    assert unseen == pytest.approx(mauc(y, shares))
    assert scorers["gmean"](model, X, y) == 0.0
    few = y < 2
    assert scorers["mauc"](model, X[few], y[few]) == pytest.approx(
        mauc(y[few], model.predict_proba(X[few]), labels=[0, 1, 2])
    )
    assert scorers["confusion_norm"](model, X[few], y[few]) <= 0


def test_training_on_one_class():
    X, y = table(2)
    model = DecisionTreeClassifier().fit(X[y == 1], y[y == 1])
    assert scorers["mauc"](model, X, y) == 0.5
    assert scorers["confusion_norm"](model, X, y) == -1.0


class SureOfOneClass:
    classes_ = np.array([1])

    def decision_function(self, X):
        return np.ones(len(X))


def test_decision_values_of_a_single_class():
    assert scorers["mauc"](SureOfOneClass(), np.zeros((3, 1)), [0, 1, 1]) == 0.5


def test_decision_function_with_one_column_per_pair_falls_short():
    X, y = table(4)
    model = SVC(decision_function_shape="ovo").fit(X, y)
    with pytest.raises(ValueError, match="SVC offers no score per class"):
        scorers["mauc"](model, X, y)
    assert scorers["mauc"](SVC(decision_function_shape="ovr").fit(X, y), X, y) > 0.5


def test_sample_weight_reaches_the_measure():
    X, y = table(2)
    model = DecisionTreeClassifier(max_depth=1).fit(X, y)
    weight = np.where(model.predict(X) == y, 1.0, 0.0)
    assert scorers["gmean"](model, X, y, sample_weight=weight) == 1.0


def test_scorers_live_with_metadata_routing():
    X, y = table(3)
    with sklearn.config_context(enable_metadata_routing=True):
        scored = cross_validate(
            LogisticRegression(max_iter=1000).set_fit_request(sample_weight=True),
            X,
            y,
            scoring={
                "norm": scorers["confusion_norm"].set_score_request(sample_weight=True),
                "mauc": scorers["mauc"],
            },
            params={"sample_weight": np.ones(len(y))},
        )
    assert np.isfinite(scored["test_norm"]).all()
    assert np.isfinite(scored["test_mauc"]).all()


def test_get_scorer_knows_both_houses():
    assert get_scorer("gmean") is scorers["gmean"]
    assert get_scorer(scorers["mauc"]) is scorers["mauc"]
    X, y = table(2)
    model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    assert get_scorer("f1")(model, X, y) == sklearn.metrics.get_scorer("f1")(model, X, y)
    with pytest.raises(ValueError, match="did you mean 'gmean'"):
        get_scorer("g_mean")
    with pytest.raises(ValueError, match="Unknown scorer 'zzzzzz'"):
        get_scorer("zzzzzz")
