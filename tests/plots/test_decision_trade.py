"""The trade of a decision: what the curve and its points say."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

mpl.use("Agg")

from matplotlib import pyplot as plt

from uneven import TunedDecisionClassifier
from uneven.metrics import class_recalls, confusion_norm
from uneven.plots import DecisionTradeDisplay

X, Y = make_classification(900, n_informative=6, n_classes=3, weights=[0.8, 0.15], random_state=0)


@pytest.fixture(scope="module")
def tuned():
    return TunedDecisionClassifier(LogisticRegression()).fit(X[::2], Y[::2])


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")


def test_points_are_the_measures_of_their_rules(tuned):
    new, truth = X[1::2], Y[1::2]
    display = DecisionTradeDisplay.from_estimator(tuned, new, truth)
    said = tuned.predict(new)
    assert display.points["chosen"] == pytest.approx(
        ((said == truth).mean(), confusion_norm(truth, said))
    )
    plain = tuned.predict_proba(new).argmax(axis=1)
    assert display.points["most probable class"] == pytest.approx(
        ((plain == truth).mean(), confusion_norm(truth, plain))
    )
    np.testing.assert_allclose(display.curve[0], display.points["most probable class"])
    assert "chosen: accuracy" in " ".join(text.get_text() for text in display.ax_.texts)


def test_the_recall_of_a_class_goes_from_none_to_all(tuned):
    display = DecisionTradeDisplay.from_estimator(tuned, classes=(2, 0))
    assert display.curve[0, 0] == 0.0
    assert display.curve[-1, 0] == 1.0
    assert (np.diff(display.curve[:, 0]) >= 0.0).all()
    assert (np.diff(display.curve[:, 1]) <= 0.0).all()
    rows = tuned.unseen_
    recalls = class_recalls(rows.codes, tuned.decision_.answers(rows.probabilities))
    assert display.points["chosen"] == pytest.approx((recalls[2], recalls[0]))


def test_two_classes_costs_and_axes_of_ones_own():
    y = Y == 2
    tuned = TunedDecisionClassifier(LogisticRegression(), cost=[[0, 1], [9, 0]]).fit(X, y)
    _, ax = plt.subplots()
    for rows in ((), (X, y)):
        display = DecisionTradeDisplay.from_estimator(tuned, *rows, classes=(True, False), ax=ax)
        assert display.ax_ is ax
        assert display.curve[-1].tolist() == [1.0, 0.0]


def test_what_is_refused(tuned):
    with pytest.raises(ValueError, match="without y"):
        DecisionTradeDisplay.from_estimator(tuned, X)
    with pytest.raises(ValueError, match="no class 7"):
        DecisionTradeDisplay.from_estimator(tuned, classes=(7, 0))
    for classes in (5, "02", (0, 0), (0, 1, 2)):
        with pytest.raises(ValueError, match="must be two different classes"):
            DecisionTradeDisplay.from_estimator(tuned, classes=classes)
    with pytest.raises(ValueError, match="no row is of class 2"):
        DecisionTradeDisplay.from_estimator(tuned, X[:2], [0, 1], classes=(0, 2))
    with pytest.raises(ValueError, match="y is given without X"):
        DecisionTradeDisplay.from_estimator(tuned, y=[0, 1])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        DecisionTradeDisplay.from_estimator(tuned, X[:3], [0, 1])
    with pytest.raises(ValueError, match="has no decision to draw"):
        DecisionTradeDisplay.from_estimator(tuned.estimator_)
    with pytest.raises(ValueError, match="expected \\(n_points, 2\\)"):
        DecisionTradeDisplay([1.0], {"chosen": (0, 0)}, names=("a", "b"))
    with pytest.raises(ValueError, match="points is empty"):
        DecisionTradeDisplay([[1.0, 0.0]], {}, names=("a", "b"))
